/* Reading the chain, record by record; see chain.h. */
#include "ledger/chain.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { NUMBERS_MOST = 1000000 };

/* ---- the state after the records so far */

dataset_state *chain_find(const chain *c, const char *dataset) {
  for (size_t i = c->dataset_count; i-- > 0;) {
    if (strcmp(c->datasets[i].name, dataset) == 0) {
      return &c->datasets[i];
    }
  }
  return NULL;
}

const dataset_state *chain_find_data(const chain *c, const dataset_state *self, const char *digest,
                                     const char *other) {
  for (const dataset_state *d = c->datasets; d < c->datasets + c->dataset_count; d++) {
    if (d != self && d->data[0] && (strcmp(d->data, digest) == 0 || strcmp(d->data, other) == 0)) {
      return d;
    }
  }
  return NULL;
}

int64_t chain_commit_of(const chain *c, uint64_t entry) {
  return entry >= 1 && entry <= (uint64_t)c->count ? c->commits[entry] : 0;
}

void chain_clear(chain *c) {
  free(c->datasets);
  free(c->commits);
  sodium_memzero(c->key, sizeof c->key);
  *c = (chain){.count = 0};
}

/* ---- what a record says of its data set */

/* From version 3 on what opens a data set says which key the ledger has; so does the record that
 * brings an older ledger up to date. */
static void take_key(chain *c, const record *it, findings *found) {
  if (it->version < 3) {
    return;
  }
  if (strcmp(it->artifact, c->key_digest) != 0) {
    findings_fail(found, "key: is not the one that record %lld was written under",
                  (long long)it->id);
  }
  c->keyed = true;
}

/* How charges will add up; nothing that only a charge has. */
static bool takes_terms(const record *it, dataset_state *d) {
  record_terms terms;
  amounts total;
  return amounts_parse(it->epsilon, it->delta, &total) && terms_parse(it->terms, &terms) &&
         terms.curve.fits == 0 && !terms.priced && terms.refined == 0 &&
         reading_of_terms(&terms, &total, &d->reading);
}

static dperm_status take_open(chain *c, const record *it, findings *found, dperm_error *err) {
  TRY(memory_reserve(&c->datasets, &c->dataset_capacity, c->dataset_count + 1, sizeof *c->datasets,
                     err));
  dataset_state *d = &c->datasets[c->dataset_count];
  *d = (dataset_state){.rows_per_person = it->rows_per_person};
  (void)snprintf(d->name, sizeof d->name, "%s", it->dataset);
  take_key(c, it, found);
  if (chain_find(c, it->dataset)) {
    findings_fail_record(found, it, "opens data set \"%s\" a second time", it->dataset);
    return DPERM_OK;
  }
  if (!takes_terms(it, d) || strcmp(it->spent_epsilon, "0") != 0 ||
      strcmp(it->spent_delta, "0") != 0 || it->data[0]) {
    findings_fail_record(found, it, "does not open a data set as it should");
  }
  c->dataset_count++;
  return DPERM_OK;
}

static void check_binding(chain *c, const record *it, dataset_state *d, findings *found) {
  const dataset_state *other = chain_find_data(c, d, it->data, it->data);
  if (d->data[0] ? strcmp(d->data, it->data) != 0 : !it->data[0]) {
    findings_fail_record(found, it, "charges \"%s\" for other data than before", d->name);
  } else if (other) {
    findings_fail_record(found, it, "\"%s\" has the data of \"%s\"", d->name, other->name);
  }
  memcpy(d->data, it->data, sizeof d->data);
}

/* What a record says is spent must be what was added up. */
static bool check_spent(const record *it, const dataset_state *d, bool added, findings *found) {
  amounts stated;
  bool fits = added && amounts_parse(it->spent_epsilon, it->spent_delta, &stated) &&
              memcmp(&d->spent, &stated, sizeof stated) == 0;
  if (!fits) {
    findings_fail_record(found, it, "what it says is spent of \"%s\" is not the sum of its charges",
                         d->name);
  }
  return fits;
}

/* A part is no more than the whole. */
static bool covers_refined(const amounts *charge, const record_terms *terms) {
  amount part;
  return terms->refined == 0 ||
         (amount_of_double(terms->refined, &part) && amount_compare(&part, &charge->epsilon) <= 0);
}

static void check_sums(chain *c, const record *it, dataset_state *d, findings *found) {
  amounts charge;
  record_terms terms;
  bool added =
      amounts_parse(it->epsilon, it->delta, &charge) && amounts_add(&d->spent, &charge, &d->spent);
  if (!check_spent(it, d, added, found)) {
    return;
  }
  if (!terms_parse(it->terms, &terms) || terms.renyi || (d->reading.adding && !terms.adding) ||
      !reading_takes_curve(&d->reading, &charge, terms.adding, it->rows_per_person, &terms.curve) ||
      !reading_covers(&d->reading, &charge, &terms) || !covers_refined(&charge, &terms)) {
    findings_fail_record(found, it, "does not cost \"%s\" what it should", d->name);
    return;
  }
  c->priced += terms.priced;
  if (!amounts_add(&d->costs, terms.priced ? &terms.cost : &charge, &d->costs) ||
      !amounts_cover(&d->reading.limit, &d->costs)) {
    findings_fail_record(found, it, "spends more than \"%s\" had", d->name);
  }
}

static void take_reserve(chain *c, const record *it, findings *found) {
  dataset_state *d = chain_find(c, it->dataset);
  c->reserved++;
  c->commits[it->id] = -1;
  if (!d) {
    findings_fail_record(found, it, "charges \"%s\", which was never opened", it->dataset);
    return;
  }
  if (it->rows_per_person != d->rows_per_person) {
    findings_fail_record(found, it, "has another unit than \"%s\"", d->name);
  }
  check_binding(c, it, d, found);
  check_sums(c, it, d, found);
}

static void take_commit(chain *c, const record *it, findings *found) {
  const dataset_state *d = chain_find(c, it->dataset);
  if (it->entry >= it->id || c->commits[it->entry] != -1 || !d || strcmp(d->data, it->data) != 0) {
    findings_fail_record(found, it, "commits entry %lld, which is not an open reservation",
                         (long long)it->entry);
    return;
  }
  (void)check_spent(it, d, true, found);
  c->committed++;
  c->commits[it->entry] = it->id;
}

static dperm_status take_content(chain *c, const record *it, findings *found, dperm_error *err) {
  if (strcmp(it->kind, "open") == 0) {
    return take_open(c, it, found, err);
  }
  if (strcmp(it->kind, "reserve") == 0) {
    take_reserve(c, it, found);
  } else if (it->terms[0]) {
    findings_fail_record(found, it, "has terms, which only charges have");
  } else if (strcmp(it->kind, "commit") == 0) {
    take_commit(c, it, found);
  } else if (strcmp(it->kind, "key") == 0 && it->version >= 3) {
    take_key(c, it, found);
  } else {
    findings_fail_record(found, it, "is of no kind that there is");
  }
  return DPERM_OK;
}

/* ---- one record after the other */

static void find_missing(int64_t from, int64_t to, findings *found) {
  if (to > from) {
    findings_fail(found, "records %lld to %lld: missing", (long long)from, (long long)to);
  } else {
    findings_add(found, DPERM_FINDING_FAILS, from, "missing");
  }
}

static dperm_status take_record(chain *c, int version, const record *it, findings *found,
                                dperm_error *err) {
  bool gap = it->id != c->count + 1;
  if (gap) {
    find_missing(c->count + 1, it->id - 1, found);
  }
  TRY(memory_reserve(&c->commits, &c->commit_capacity, (size_t)it->id + 1, sizeof *c->commits,
                     err));
  for (int64_t i = c->count + 1; i <= it->id; i++) {
    c->commits[i] = 0;
  }
  if (!record_fits(it)) {
    findings_fail_record(found, it, "was changed, it does not fit its digest");
  } else if (!gap && strcmp(it->previous, c->last.digest) != 0) {
    findings_fail_record(found, it, "does not follow record %lld", (long long)it->id - 1);
  }
  if (it->version < c->last.version || it->version > version) {
    findings_fail_record(found, it, "has a version that is not its own");
  }
  if (strcmp(it->time, c->last.time) < 0) {
    findings_fail_record(found, it, "is older than the record before it");
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
static dperm_status read_records(chain *c, dperm_ledger *ledger, findings *found,
                                 dperm_error *err) {
  OWNED(sqlite3_finalize_at) sqlite3_stmt *query = NULL;
  record it;
  bool more = true;
  if (c->commit_capacity == 0) {
    TRY(memory_reserve(&c->commits, &c->commit_capacity, 1, sizeof *c->commits, err));
    c->commits[0] = 0;
  }
  TRY(record_query(ledger, "WHERE id >= ? ORDER BY id", &query, err));
  (void)sqlite3_bind_int64(query, 1, c->count > 0 ? c->count + 1 : INT64_MIN);
  while (!findings_suffice(found)) {
    TRY(record_next(ledger, query, &it, &more, err));
    if (!more) {
      break;
    }
    if (it.id <= c->count || it.id > c->count + NUMBERS_MOST) {
      findings_fail_record(found, &it, "has a number out of order");
    } else {
      TRY(take_record(c, ledger->version, &it, found, err));
    }
  }
  return DPERM_OK;
}

/* ---- head and key */

static void take_head_key(chain *c, const unsigned char key[LEDGER_KEY_SIZE], findings *found) {
  char digest[DPERM_DIGEST_SIZE];
  key_digest(key, digest);
  if (c->key_digest[0] && strcmp(c->key_digest, digest) != 0) {
    findings_fail(found, "key: was replaced while the ledger was in use");
  }
  memcpy(c->key, key, LEDGER_KEY_SIZE);
  memcpy(c->key_digest, digest, sizeof digest);
}

static void check_head(const chain *c, const ledger_head *head, int version, findings *found) {
  if (head->records > c->count) {
    find_missing(c->count + 1, head->records, found);
  } else if (head->records < c->count || strcmp(head->digest, c->last.digest) != 0) {
    findings_fail(found, "head: is not the last record, %lld", (long long)c->count);
  }
  if (version >= 3 && c->count > 0 && !c->keyed) {
    findings_fail(found, "key: no record says which it is");
  }
  if (c->wanted && !c->wanted_at) {
    findings_fail(
        found, "head: the one noted before is no record's digest: records before it were changed "
               "or taken away");
  }
  if (c->noted[0]) {
    findings_fail(found,
                  "head: the one that the file was last charged at is no record's digest: an older "
                  "copy was written over it, or a journal from before undid charges");
  }
}

dperm_status chain_extend(chain *c, dperm_ledger *ledger, findings *found, dperm_error *err) {
  ledger_head head;
  bool sound = false;
  TRY(record_head(ledger, &head, &sound, err));
  if (!sound) {
    findings_fail(found, "head: the ledger's one line about itself is gone or was changed");
    head = (ledger_head){.records = 0};
  }
  take_head_key(c, head.key, found);
  if (c->count == 0) {
    store_noted_head(ledger, c->noted);
  }
  TRY(read_records(c, ledger, found, err));
  if (sound && !findings_suffice(found)) {
    check_head(c, &head, ledger->version, found);
  }
  return DPERM_OK;
}

/* ---- what a ledger knows of its chain */

static void forget(dperm_ledger *ledger) {
  if (ledger->known) {
    chain_clear(ledger->known);
  }
  free(ledger->known);
  ledger->known = NULL;
}

void chain_cancel(dperm_ledger **held) {
  dperm_ledger *ledger = *held;
  *held = NULL;
  if (ledger) {
    forget(ledger); /* it may know records that are no more */
    store_rollback(ledger);
  }
}

void dperm_ledger_free(dperm_ledger *ledger) {
  if (ledger) {
    forget(ledger);
    store_close(ledger);
  }
}
