/* Reading the chain, record by record; transactions on a file and a chain that were found sound;
 * and dperm_ledger_verify, which names what is wrong first. No chain shows that a whole file was
 * replaced by an older copy: the head noted elsewhere does, and every released model's receipt. */
#include "ledger/chain.h"

#include <math.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/defect.h"
#include "base/memory.h"

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

dataset_state *chain_whole(const chain *c, const dataset_state *part) {
  return part->whole && !DEFECT("part-free") ? &c->datasets[part->whole - 1] : NULL;
}

int64_t chain_commit_of(const chain *c, uint64_t entry) {
  return entry >= 1 && entry <= (uint64_t)c->count ? c->commits[entry] : 0;
}

static void chain_clear(chain *c) {
  free(c->datasets);
  free(c->commits);
  sodium_memzero(c->key, sizeof c->key);
  *c = (chain){.count = 0};
}

/* ---- what a record says of its data set: these tell what is wrong with it, or NULL */

/* From version 3 on, opening a data set, or bringing an older ledger up to date, names the key. */
static const char *take_key(chain *c, const record *it) {
  bool says = it->version >= 3;
  c->keyed = c->keyed || says;
  return says && strcmp(it->artifact, c->key_digest) != 0 ? "was written under another key" : NULL;
}

/* How charges will add up; nothing that only a charge has. */
static bool takes_terms(const record *it, dataset_state *d) {
  record_terms terms;
  amounts total;
  return amounts_parse(it->epsilon, it->delta, &total) && terms_parse(it->terms, &terms) &&
         terms.curve.fits == 0 && !terms.priced && terms.refined == 0 && terms.counted == 0 &&
         terms.held == 0 && reading_of_terms(&terms, &total, &d->reading);
}

/* A part is of a data set that was opened before it, so no chain of parts comes back to itself; and
 * it adds up as that does, so that a charge costs the same in both. */
static bool takes_whole(const chain *c, const record *it, dataset_state *d) {
  for (size_t i = 0; it->version >= 5 && it->entry > 0 && i < c->dataset_count; i++) {
    d->whole = c->datasets[i].opened == it->entry ? i + 1 : d->whole;
  }
  const dataset_state *whole = d->whole ? &c->datasets[d->whole - 1] : NULL;
  return whole ? whole->rows_per_person == d->rows_per_person &&
                     reading_is_part(&d->reading, &whole->reading)
               : it->entry == 0;
}

static const char *take_open(chain *c, const record *it) {
  dataset_state *d = &c->datasets[c->dataset_count]; /* take_record made room */
  *d = (dataset_state){.rows_per_person = it->rows_per_person, .opened = it->id};
  (void)snprintf(d->name, sizeof d->name, "%s", it->dataset);
  if (chain_find(c, it->dataset) || !takes_terms(it, d) || !takes_whole(c, it, d) ||
      strcmp(it->spent_epsilon, "0") != 0 || strcmp(it->spent_delta, "0") != 0 || it->data[0]) {
    return "does not open a data set as it should";
  }
  c->dataset_count++;
  return take_key(c, it);
}

/* What a record says is spent must be what was added up. */
static const char *check_spent(const record *it, const dataset_state *d) {
  amounts stated;
  return amounts_parse(it->spent_epsilon, it->spent_delta, &stated) &&
                 memcmp(&d->spent, &stated, sizeof stated) == 0
             ? NULL
             : "what it says is spent is not the sum of its data set's charges";
}

/* A part is no more than the whole. */
static bool covers_refined(const amounts *charge, const record_terms *terms) {
  amount part;
  const double most = fmax(terms->refined, terms->counted);
  return most == 0 ||
         (amount_of_double(most, &part) && amount_compare(&part, &charge->epsilon) <= 0);
}

/* The charge is the data set's, and that of whatever it is a part of. */
static bool add_charge(const chain *c, dataset_state *d, const amounts *charge,
                       const amounts *cost) {
  bool covered = true;
  for (dataset_state *at = d; at; at = chain_whole(c, at)) {
    covered = (at == d || amounts_add(&at->spent, charge, &at->spent)) &&
              amounts_add(&at->costs, cost, &at->costs) &&
              amounts_cover(&at->reading.limit, &at->costs) && covered;
    at->charged = true;
  }
  return covered;
}

/* One budget is for one way of telling persons apart, here and in what it is a part of. */
static bool same_persons(const chain *c, dataset_state *d, bool persons, double person) {
  bool same = persons == (person > 0);
  for (dataset_state *at = d; same && persons && at; at = chain_whole(c, at)) {
    same = at->person == 0 || at->person == person;
    at->person = person;
  }
  return same;
}

static const char *check_sums(const chain *c, const record *it, dataset_state *d) {
  amounts charge;
  record_terms terms;
  bool added =
      amounts_parse(it->epsilon, it->delta, &charge) && amounts_add(&d->spent, &charge, &d->spent);
  const char *wrong = check_spent(it, d);
  if (wrong) {
    return wrong;
  }
  if (!added || !terms_parse(it->terms, &terms) || terms.renyi ||
      (d->reading.adding && !terms.adding) ||
      !reading_takes_curve(&d->reading, &charge, terms.adding, it->rows_per_person, &terms.curve) ||
      !reading_covers(&d->reading, &charge, &terms) || !covers_refined(&charge, &terms) ||
      terms.held >= 1) {
    return "does not cost what it should";
  }
  if (!same_persons(c, d, it->rows_per_person == 0, terms.person)) {
    return "is for persons that another column tells apart";
  }
  return add_charge(c, d, &charge, terms.priced ? &terms.cost : &charge)
             ? NULL
             : "spends more than its data set had";
}

static const char *take_reserve(chain *c, const record *it) {
  dataset_state *d = chain_find(c, it->dataset);
  c->reserved++;
  c->commits[it->id] = -1;
  if (!d || it->rows_per_person != d->rows_per_person) {
    return "charges a data set that was never opened, or for another unit";
  }
  if ((d->data[0] ? strcmp(d->data, it->data) != 0 : !it->data[0]) ||
      chain_find_data(c, d, it->data, it->data)) {
    return "charges for other data than before, or those of another data set";
  }
  memcpy(d->data, it->data, sizeof d->data);
  return check_sums(c, it, d);
}

static const char *take_commit(chain *c, const record *it) {
  const dataset_state *d = chain_find(c, it->dataset);
  if (it->entry < 1 || it->entry >= it->id || c->commits[it->entry] != -1 || !d ||
      strcmp(d->data, it->data) != 0) {
    return "commits what is not an open reservation";
  }
  c->committed++;
  c->commits[it->entry] = it->id;
  return check_spent(it, d);
}

static const char *take_content(chain *c, const record *it) {
  if (strcmp(it->kind, "open") == 0) {
    return take_open(c, it);
  }
  if (strcmp(it->kind, "reserve") == 0) {
    return take_reserve(c, it);
  }
  if (!it->terms[0] && strcmp(it->kind, "commit") == 0) {
    return take_commit(c, it);
  }
  return !it->terms[0] && strcmp(it->kind, "key") == 0 && it->version >= 3
             ? take_key(c, it)
             : "is of no kind that there is, or has terms that only charges have";
}

/* ---- one record after the other */

static dperm_status find_missing(dperm_ledger *ledger, int64_t from, int64_t to, dperm_error *err) {
  return store_unsound(ledger, NO_RECORD, err, "records %lld to %lld: missing", (long long)from,
                       (long long)to);
}

/* What is wrong with a record, whatever it says. */
static const char *check_record(const chain *c, int version, const record *it) {
  return it->id <= c->count                          ? "has a number out of order"
         : !record_fits(it)                          ? "was changed, it does not fit its digest"
         : strcmp(it->previous, c->last.digest) != 0 ? "does not follow the record before it"
         : it->version < c->last.version || it->version > version
             ? "has a version that is not its own"
         : strcmp(it->time, c->last.time) < 0 ? "is older than the record before it"
                                              : NULL;
}

static dperm_status take_record(chain *c, dperm_ledger *ledger, const record *it,
                                dperm_error *err) {
  if (it->id > c->count + 1) {
    return find_missing(ledger, c->count + 1, it->id - 1, err);
  }
  const char *wrong = check_record(c, ledger->version, it);
  if (!wrong) {
    TRY(memory_reserve(&c->commits, &c->commit_capacity, (size_t)it->id + 1, sizeof *c->commits,
                       err));
    TRY(memory_reserve(&c->datasets, &c->dataset_capacity, c->dataset_count + 1,
                       sizeof *c->datasets, err));
    c->commits[it->id] = 0;
    c->last = *it;
    c->count = it->id;
    c->wanted_at = c->wanted && strcmp(c->wanted, it->digest) == 0 ? it->id : c->wanted_at;
    if (strcmp(c->noted, it->digest) == 0) {
      c->noted[0] = '\0';
    }
    wrong = take_content(c, it);
  }
  return wrong ? store_unsound(ledger, it->id, err, "%s", wrong) : DPERM_OK;
}

/* In the order of the table itself, which SQLite keeps by number: never by way of an index. */
static dperm_status read_records(chain *c, dperm_ledger *ledger, dperm_error *err) {
  OWNED(sqlite3_finalize_at) sqlite3_stmt *query = NULL;
  record it;
  bool more = true;
  TRY(record_query(ledger, "WHERE id >= ? ORDER BY id", &query, err));
  (void)sqlite3_bind_int64(query, 1, c->count > 0 ? c->count + 1 : INT64_MIN);
  TRY(record_next(ledger, query, &it, &more, err));
  while (more) {
    TRY(take_record(c, ledger, &it, err));
    TRY(record_next(ledger, query, &it, &more, err));
  }
  return DPERM_OK;
}

/* ---- head and key */

static dperm_status take_head_key(chain *c, dperm_ledger *ledger,
                                  const unsigned char key[LEDGER_KEY_SIZE], dperm_error *err) {
  char digest[DPERM_DIGEST_SIZE];
  key_digest(key, digest);
  RETURN_IF(c->key_digest[0] && strcmp(c->key_digest, digest) != 0,
            store_unsound(ledger, NO_RECORD, err, "key: was replaced while the ledger was in use"));
  memcpy(c->key, key, LEDGER_KEY_SIZE);
  memcpy(c->key_digest, digest, sizeof digest);
  return DPERM_OK;
}

static dperm_status check_head(const chain *c, dperm_ledger *ledger, const ledger_head *head,
                               dperm_error *err) {
  if (head->records > c->count) {
    return find_missing(ledger, c->count + 1, head->records, err);
  }
  const char *trouble =
      head->records < c->count || strcmp(head->digest, c->last.digest) != 0
          ? "head: is not the last record"
      : ledger->version >= 3 && c->count > 0 && !c->keyed ? "key: no record says which it is"
      : c->wanted && !c->wanted_at ? "head: the one noted before is no record's digest: records "
                                     "before it were changed or taken away"
      : c->noted[0] ? "head: the one that the file was last charged at is no record's digest: an "
                      "older copy was written over it, or a journal from before undid charges"
                    : NULL;
  return trouble ? store_unsound(ledger, NO_RECORD, err, "%s", trouble) : DPERM_OK;
}

/* Reads on, from the first record or behind the last one known, to the head. */
static dperm_status chain_extend(chain *c, dperm_ledger *ledger, dperm_error *err) {
  ledger_head head;
  bool sound = false;
  TRY(record_head(ledger, &head, &sound, err));
  RETURN_IF(!sound,
            store_unsound(ledger, NO_RECORD, err,
                          "head: the ledger's one line about itself is gone or was changed"));
  TRY(take_head_key(c, ledger, head.key, err));
  if (c->count == 0) {
    store_noted_head(ledger, c->noted);
  }
  TRY(read_records(c, ledger, err));
  return check_head(c, ledger, &head, err);
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

/* ---- checking */

/* SQLite's own check of pages, and of indexes where a file still has some. */
static dperm_status check_pages(dperm_ledger *ledger, dperm_error *err) {
  OWNED(sqlite3_finalize_at) sqlite3_stmt *query = NULL;
  bool more = false;
  TRY(store_prepare(ledger, "PRAGMA integrity_check(1)", &query, err));
  TRY(store_step(ledger, query, &more, err));
  const char *text = more ? (const char *)sqlite3_column_text(query, 0) : "ok";
  return text && strcmp(text, "ok") != 0 ? store_unsound(ledger, NO_RECORD, err, "file: %s", text)
                                         : DPERM_OK;
}

/* ---- beginning */

/* A planted defect, as charges were once: spent is what each data set's last record states. */
static dperm_status trust_index(dperm_ledger *ledger, dperm_error *err) {
  for (size_t i = 0; i < ledger->known->dataset_count; i++) {
    OWNED(sqlite3_finalize_at) sqlite3_stmt *query = NULL;
    dataset_state *d = &ledger->known->datasets[i];
    record last = {.id = 0};
    TRY(record_query(ledger, "WHERE dataset = ? ORDER BY id DESC LIMIT 1", &query, err));
    (void)sqlite3_bind_text(query, 1, d->name, -1, SQLITE_STATIC);
    TRY(record_next(ledger, query, &last, &(bool){false}, err));
    (void)amounts_parse(last.spent_epsilon, last.spent_delta, &d->spent);
    d->costs = d->spent;
  }
  return DPERM_OK;
}

/* Once for a handle: a file whose free pages are in use, say, would lose records by a write. */
dperm_status chain_read(dperm_ledger *ledger, dperm_error *err) {
  bool first = !ledger->known;
  TRY(tables_check(ledger, err));
  if (first) {
    TRY(memory_new(1, sizeof *ledger->known, &ledger->known, err));
    TRY(DEFECT("index-trusted") ? DPERM_OK : check_pages(ledger, err));
  }
  TRY(chain_extend(ledger->known, ledger, err));
  return first && DEFECT("index-trusted") ? trust_index(ledger, err) : DPERM_OK;
}

/* A ledger of an older version has today's tables from now on, and says which key it has. */
static dperm_status bring_up_to_date(dperm_ledger *ledger, dperm_error *err) {
  record r = {.kind = "key", .rows_per_person = 1};
  if (ledger->version == LEDGER_VERSION) {
    return DPERM_OK;
  }
  TRY(tables_update(ledger, err));
  if (ledger->known->keyed) {
    return chain_read(ledger, err);
  }
  (void)snprintf(r.artifact, sizeof r.artifact, "%s", ledger->known->key_digest);
  record_time_now(ledger->known->last.time, r.time);
  TRY(chain_append(ledger, &r, err));
  return chain_read(ledger, err); /* the tables, too, are what they should be */
}

dperm_status chain_begin(dperm_ledger *ledger, bool write, dperm_ledger **held, dperm_error *err) {
  TRY(store_begin(ledger, write, held, err));
  TRY(chain_read(ledger, err));
  if (!write) {
    return DPERM_OK;
  }
  store_note_head(ledger, ledger->known->last.digest);
  return bring_up_to_date(ledger, err);
}

dperm_status chain_append(dperm_ledger *ledger, record *r, dperm_error *err) {
  TRY(record_append(ledger, &ledger->known->last, r, err));
  TRY(chain_extend(ledger->known, ledger, err));
  return strcmp(ledger->known->last.digest, r->digest) == 0
             ? DPERM_OK
             : store_fail_damaged(ledger, "it does not keep what is written", err);
}

/* ---- verifying */

/* Who is told. */
typedef struct listener {
  dperm_verify_line *line; /* may be NULL */
  void *context;
} listener;

__attribute__((format(printf, 3, 4))) static void tell(const listener *to, dperm_finding kind,
                                                       const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (to->line) {
    to->line(to->context, kind, text);
  }
}

static void conclude(const chain *c, const listener *to) {
  tell(to, DPERM_FINDING_HOLDS, "records: all %lld fit their digests and follow each other",
       (long long)c->count);
  tell(to, DPERM_FINDING_HOLDS,
       "sums: %zu data set%s, %lld charge%s (%lld committed), none beyond its budget",
       c->dataset_count, c->dataset_count == 1 ? "" : "s", (long long)c->reserved,
       c->reserved == 1 ? "" : "s", (long long)c->committed);
  tell(to, DPERM_FINDING_HOLDS, "head: record %lld, digest %s", (long long)c->count,
       c->last.digest);
  if (!c->keyed) {
    tell(to, DPERM_FINDING_REMARK,
         "the ledger is of an older version, and another key would pass: the next charge brings it "
         "up to date");
  }
  if (c->wanted) {
    tell(to, DPERM_FINDING_HOLDS, "noted head: is that of record %lld; all up to it is as it was",
         (long long)c->wanted_at);
  } else {
    tell(to, DPERM_FINDING_REMARK,
         "an older copy of the whole file would pass: note the head elsewhere and give it to the "
         "next check");
  }
}

static dperm_status read_all(chain *c, dperm_ledger *ledger, dperm_error *err) {
  TRY(tables_check(ledger, err));
  TRY(check_pages(ledger, err));
  return chain_extend(c, ledger, err);
}

dperm_status dperm_ledger_verify(dperm_ledger *ledger, const char *head, dperm_verify_line *line,
                                 void *context, bool *holds, dperm_error *err) {
  OWNED(chain_cancel) dperm_ledger *held = NULL;
  OWNED(chain_clear) chain c = {.wanted = head};
  const listener to = {line, context};
  dperm_error refused;
  TRY(store_begin(ledger, false, &held, err));
  ledger->finding[0] = '\0';
  dperm_status status = read_all(&c, ledger, &refused);
  FAIL_IF(status != DPERM_OK && !ledger->finding[0], err, status, "%s", refused.message);
  *holds = status == DPERM_OK;
  if (!*holds) {
    tell(&to, DPERM_FINDING_FAILS, "%s", ledger->finding);
    return DPERM_OK;
  }
  conclude(&c, &to);
  return store_commit(&held, err);
}

dperm_status dperm_ledger_head(dperm_ledger *ledger, uint64_t *records,
                               char digest[DPERM_DIGEST_SIZE], dperm_error *err) {
  OWNED(chain_cancel) dperm_ledger *held = NULL;
  TRY(chain_begin(ledger, false, &held, err));
  const record last = ledger->known->last;
  TRY(store_commit(&held, err));
  *records = (uint64_t)last.id;
  memcpy(digest, last.digest, DPERM_DIGEST_SIZE);
  return DPERM_OK;
}
