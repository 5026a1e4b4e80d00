/* One record after the other; see chain.h. */
#include "ledger/chain.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ledger/head_note.h"

enum { NUMBERS_MOST = 1000000 };

/* ---- what the records have left */

holding *chain_find(const chain *c, const char *dataset) {
  for (size_t i = c->holding_count; i-- > 0;) {
    if (strcmp(c->holdings[i].name, dataset) == 0) {
      return &c->holdings[i];
    }
  }
  return NULL;
}

const holding *chain_find_data(const chain *c, const char *data) {
  for (size_t i = 0; i < c->holding_count; i++) {
    if (data[0] && strcmp(c->holdings[i].data, data) == 0) {
      return &c->holdings[i];
    }
  }
  return NULL;
}

bool chain_is_open(const chain *c, uint64_t entry) {
  return entry >= 1 && entry <= (uint64_t)c->count && c->fates[entry] == -1;
}

void chain_clear(chain *c) {
  free(c->holdings);
  free(c->fates);
  sodium_memzero(c->key, sizeof c->key);
  *c = (chain){.count = 0};
}

/* ---- what a record says of its data set */

/* From version 3 on what opens a data set says which key the ledger has; so does the record that
 * brings an older ledger up to date. */
static void take_key(chain *c, const record *it, doubts *found) {
  if (it->version < 3) {
    return;
  }
  if (strcmp(it->artifact, c->key_digest) != 0) {
    doubt(found, "key: is not the one that record %lld was written under", (long long)it->id);
  }
  c->keyed = true;
}

static dperm_status take_open(chain *c, const record *it, doubts *found, dperm_error *err) {
  long long id = it->id;
  TRY(memory_reserve(&c->holdings, &c->holding_capacity, c->holding_count + 1, sizeof *c->holdings,
                     err));
  holding *h = &c->holdings[c->holding_count];
  *h = (holding){.rows_per_person = it->rows_per_person};
  (void)snprintf(h->name, sizeof h->name, "%s", it->dataset);
  take_key(c, it, found);
  if (chain_find(c, it->dataset)) {
    doubt(found, "record %lld: opens data set \"%s\" a second time", id, it->dataset);
    return DPERM_OK;
  }
  if (!amount_parse(it->epsilon, &h->total_epsilon) || !amount_parse(it->delta, &h->total_delta) ||
      strcmp(it->spent_epsilon, "0") != 0 || strcmp(it->spent_delta, "0") != 0 || it->data[0]) {
    doubt(found, "record %lld: does not open a data set as it should", id);
  }
  c->holding_count++;
  return DPERM_OK;
}

static void check_binding(chain *c, const record *it, holding *h, doubts *found) {
  long long id = it->id;
  const holding *other = chain_find_data(c, it->data);
  if (h->data[0] ? strcmp(h->data, it->data) != 0 : !it->data[0]) {
    doubt(found, "record %lld: charges \"%s\" for other data than before", id, h->name);
  } else if (other && other != h) {
    doubt(found, "record %lld: \"%s\" has the data of \"%s\"", id, h->name, other->name);
  }
  memcpy(h->data, it->data, sizeof h->data);
}

/* What a record says is spent must be what was added up. */
static bool states_sums(const record *it, const holding *h) {
  amount epsilon, delta;
  return amount_parse(it->spent_epsilon, &epsilon) && amount_parse(it->spent_delta, &delta) &&
         amount_compare(&h->spent_epsilon, &epsilon) == 0 &&
         amount_compare(&h->spent_delta, &delta) == 0;
}

static void check_sums(const record *it, holding *h, doubts *found) {
  amount epsilon, delta;
  if (!amount_parse(it->epsilon, &epsilon) || !amount_parse(it->delta, &delta) ||
      !amount_add(&h->spent_epsilon, &epsilon, &h->spent_epsilon) ||
      !amount_add(&h->spent_delta, &delta, &h->spent_delta) || !states_sums(it, h)) {
    doubt(found, "record %lld: what it says is spent of \"%s\" is not the sum of its charges",
          (long long)it->id, h->name);
  } else if (amount_compare(&h->spent_epsilon, &h->total_epsilon) > 0 ||
             amount_compare(&h->spent_delta, &h->total_delta) > 0) {
    doubt(found, "record %lld: spends more than \"%s\" had", (long long)it->id, h->name);
  }
}

static void take_reserve(chain *c, const record *it, doubts *found) {
  holding *h = chain_find(c, it->dataset);
  c->reserved++;
  c->fates[it->id] = -1;
  if (!h) {
    doubt(found, "record %lld: charges \"%s\", which was never opened", (long long)it->id,
          it->dataset);
    return;
  }
  if (it->rows_per_person != h->rows_per_person) {
    doubt(found, "record %lld: has another unit than \"%s\"", (long long)it->id, h->name);
  }
  check_binding(c, it, h, found);
  check_sums(it, h, found);
}

static void take_commit(chain *c, const record *it, doubts *found) {
  const holding *h = chain_find(c, it->dataset);
  long long id = it->id, entry = it->entry;
  if (entry >= id || c->fates[entry] != -1 || !h || strcmp(h->data, it->data) != 0) {
    doubt(found, "record %lld: commits entry %lld, which is not an open reservation", id, entry);
    return;
  }
  if (!states_sums(it, h)) {
    doubt(found, "record %lld: what it says is spent of \"%s\" is not the sum of its charges", id,
          h->name);
  }
  c->committed++;
  c->fates[entry] = it->id;
}

static dperm_status take_content(chain *c, const record *it, doubts *found, dperm_error *err) {
  if (strcmp(it->kind, "open") == 0) {
    return take_open(c, it, found, err);
  }
  if (strcmp(it->kind, "reserve") == 0) {
    take_reserve(c, it, found);
  } else if (strcmp(it->kind, "commit") == 0) {
    take_commit(c, it, found);
  } else if (strcmp(it->kind, "key") == 0 && it->version >= 3) {
    take_key(c, it, found);
  } else {
    doubt(found, "record %lld: is of no kind that there is", (long long)it->id);
  }
  return DPERM_OK;
}

/* ---- one record after the other */

static void tell_missing(long long from, long long to, doubts *found) {
  if (to > from) {
    doubt(found, "records %lld to %lld: missing", from, to);
  } else {
    doubt(found, "record %lld: missing", from);
  }
}

static dperm_status take_record(chain *c, int version, const record *it, doubts *found,
                                dperm_error *err) {
  long long id = it->id;
  bool gap = it->id != c->count + 1;
  if (gap) {
    tell_missing((long long)c->count + 1, id - 1, found);
  }
  TRY(memory_reserve(&c->fates, &c->fate_capacity, (size_t)id + 1, sizeof *c->fates, err));
  for (int64_t i = c->count + 1; i <= it->id; i++) {
    c->fates[i] = 0;
  }
  if (!record_fits(it)) {
    doubt(found, "record %lld: was changed, it does not fit its digest", id);
  } else if (!gap && strcmp(it->previous, c->last.digest) != 0) {
    doubt(found, "record %lld: does not follow record %lld", id, id - 1);
  }
  if (it->version < c->last.version || it->version > version) {
    doubt(found, "record %lld: has a version that is not its own", id);
  }
  if (strcmp(it->time, c->last.time) < 0) {
    doubt(found, "record %lld: is older than the record before it", id);
  }
  c->last = *it;
  c->count = it->id;
  if (c->wanted && strcmp(c->wanted, it->digest) == 0) {
    c->wanted_at = it->id;
  }
  if (strcmp(c->noted, it->digest) == 0) {
    c->noted[0] = '\0';
  }
  return take_content(c, it, found, err);
}

/* In the order of the table itself, which SQLite keeps by number: never by way of an index. */
static dperm_status read_records(chain *c, dperm_ledger *ledger, doubts *found, dperm_error *err) {
  dperm_status status = DPERM_OK;
  sqlite3_stmt *query = NULL;
  record it;
  bool more = true;
  if (c->fate_capacity == 0) {
    TRY(memory_reserve(&c->fates, &c->fate_capacity, 1, sizeof *c->fates, err));
    c->fates[0] = 0;
  }
  TRY(record_query(ledger, "WHERE id >= ? ORDER BY id", &query, err));
  (void)sqlite3_bind_int64(query, 1, c->count > 0 ? c->count + 1 : INT64_MIN);
  while (more && !doubts_suffice(found)) {
    TRY_OR_DONE(record_next(ledger, query, &it, &more, err));
    if (more && (it.id <= c->count || it.id > c->count + NUMBERS_MOST)) {
      doubt(found, "record %lld: has a number out of order", (long long)it.id);
    } else if (more) {
      TRY_OR_DONE(take_record(c, ledger->version, &it, found, err));
    }
  }
done:
  (void)sqlite3_finalize(query);
  return status;
}

/* ---- head and key */

static void take_head_key(chain *c, const unsigned char key[LEDGER_KEY_SIZE], doubts *found) {
  static const char word[] = "dperm-key/1\n";
  unsigned char hash[32];
  char digest[DPERM_DIGEST_SIZE];
  crypto_generichash_state state;
  (void)crypto_generichash_init(&state, NULL, 0, sizeof hash);
  (void)crypto_generichash_update(&state, (const unsigned char *)word, sizeof word - 1);
  (void)crypto_generichash_update(&state, key, LEDGER_KEY_SIZE);
  (void)crypto_generichash_final(&state, hash, sizeof hash);
  (void)sodium_bin2hex(digest, sizeof digest, hash, sizeof hash);
  if (c->key_digest[0] && strcmp(c->key_digest, digest) != 0) {
    doubt(found, "key: was replaced while the ledger was in use");
  }
  memcpy(c->key, key, LEDGER_KEY_SIZE);
  memcpy(c->key_digest, digest, sizeof digest);
}

static void check_head(const chain *c, const ledger_head *head, int version, doubts *found) {
  if (head->records > c->count) {
    tell_missing((long long)c->count + 1, (long long)head->records, found);
  } else if (head->records < c->count || strcmp(head->digest, c->last.digest) != 0) {
    doubt(found, "head: is not the last record, %lld", (long long)c->count);
  }
  if (version >= 3 && c->count > 0 && !c->keyed) {
    doubt(found, "key: no record says which it is");
  }
  if (c->wanted && !c->wanted_at) {
    doubt(found, "head: the one noted before is no record's digest: records before it were changed "
                 "or taken away");
  }
  if (c->noted[0]) {
    doubt(found, "head: the one that the file was last charged at is no record's digest: an older "
                 "copy was written over it, or a journal from before undid charges");
  }
}

dperm_status chain_extend(chain *c, dperm_ledger *ledger, doubts *found, dperm_error *err) {
  ledger_head head;
  bool sound = false;
  TRY(record_head(ledger, &head, &sound, err));
  if (!sound) {
    doubt(found, "head: the ledger's one line about itself is gone or was changed");
    head = (ledger_head){.records = 0};
  }
  take_head_key(c, head.key, found);
  if (c->count == 0) {
    head_note_read(store_file(ledger), c->noted);
  }
  TRY(read_records(c, ledger, found, err));
  if (sound && !doubts_suffice(found)) {
    check_head(c, &head, ledger->version, found);
  }
  return DPERM_OK;
}
