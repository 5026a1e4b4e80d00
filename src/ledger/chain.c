/* dperm_ledger_verify: the whole ledger read again, with nothing taken on trust. Each record must
 * fit its digest, follow the one before and continue its data set's sums; the head must be the last
 * of them. A chain cannot see that a whole file was exchanged for an older copy of itself: for that
 * there is the head noted elsewhere, and every released model's receipt. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ledger/budget.h"

enum { LINES_MOST = 20, LINE_SIZE = 400, NUMBERS_MOST = 1000000 };

/* A data set as the records so far have left it. */
typedef struct account {
  char name[NAME_SIZE], data[DPERM_DIGEST_SIZE];
  amount total_epsilon, total_delta, spent_epsilon, spent_delta;
  int64_t rows_per_person;
} account;

typedef struct reading {
  dperm_ledger *ledger;
  dperm_verify_line *line;
  void *context;
  size_t failures;
  const char *wanted; /* a head noted before, or NULL */
  int64_t wanted_at;  /* the record that has it; 0 for none yet */
  char expected[DPERM_DIGEST_SIZE], time[TIME_SIZE];
  int64_t count, reserved, committed;
  account *accounts;
  size_t account_count, account_room;
  unsigned char *states; /* of record i: 1 reserved, 2 committed as well, else 0 */
  size_t states_room;
} reading;

static void give(reading *r, dperm_finding finding, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void give(reading *r, dperm_finding finding, const char *format, ...) {
  char line[LINE_SIZE];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(line, sizeof line, format, args);
  va_end(args);
  for (char *c = line; *c; c++) {
    if (*c < 0x20 || *c > 0x7e) {
      *c = '?';
    }
  }
  r->failures += finding == DPERM_FINDING_FAILS;
  if (r->line && (finding != DPERM_FINDING_FAILS || r->failures <= LINES_MOST)) {
    r->line(r->context, finding, line);
  }
}

#define WRONG(r, ...) give((r), DPERM_FINDING_FAILS, __VA_ARGS__)

/* ---- what a record says of its data set */

static account *find_account(reading *r, const char *name) {
  for (size_t i = r->account_count; i-- > 0;) {
    if (strcmp(r->accounts[i].name, name) == 0) {
      return &r->accounts[i];
    }
  }
  return NULL;
}

static dperm_status take_open(reading *r, const record *it, dperm_error *err) {
  long long id = it->id;
  TRY(memory_reserve(&r->accounts, &r->account_room, r->account_count + 1, sizeof *r->accounts,
                     err));
  account *a = &r->accounts[r->account_count];
  *a = (account){.rows_per_person = it->rows_per_person};
  (void)snprintf(a->name, sizeof a->name, "%s", it->dataset);
  if (find_account(r, it->dataset)) {
    WRONG(r, "record %lld: opens data set \"%s\" a second time", id, it->dataset);
    return DPERM_OK;
  }
  if (!amount_parse(it->epsilon, &a->total_epsilon) || !amount_parse(it->delta, &a->total_delta) ||
      strcmp(it->spent_epsilon, "0") != 0 || strcmp(it->spent_delta, "0") != 0 || it->data[0]) {
    WRONG(r, "record %lld: does not open a data set as it should", id);
  }
  r->account_count++;
  return DPERM_OK;
}

static void check_binding(reading *r, const record *it, account *a) {
  long long id = it->id;
  if (a->data[0]) {
    if (strcmp(a->data, it->data) != 0) {
      WRONG(r, "record %lld: charges \"%s\" for other data than before", id, a->name);
    }
    return;
  }
  for (size_t i = 0; i < r->account_count; i++) {
    if (strcmp(r->accounts[i].data, it->data) == 0 && it->data[0]) {
      WRONG(r, "record %lld: \"%s\" has the data of \"%s\"", id, a->name, r->accounts[i].name);
    }
  }
  memcpy(a->data, it->data, sizeof a->data);
}

static void check_sums(reading *r, const record *it, account *a) {
  amount epsilon, delta, stated_epsilon, stated_delta;
  if (!amount_parse(it->epsilon, &epsilon) || !amount_parse(it->delta, &delta) ||
      !amount_parse(it->spent_epsilon, &stated_epsilon) ||
      !amount_parse(it->spent_delta, &stated_delta) ||
      !amount_add(&a->spent_epsilon, &epsilon, &a->spent_epsilon) ||
      !amount_add(&a->spent_delta, &delta, &a->spent_delta) ||
      amount_compare(&a->spent_epsilon, &stated_epsilon) != 0 ||
      amount_compare(&a->spent_delta, &stated_delta) != 0) {
    WRONG(r, "record %lld: what it says is spent of \"%s\" is not the sum of its charges",
          (long long)it->id, a->name);
  } else if (amount_compare(&a->spent_epsilon, &a->total_epsilon) > 0 ||
             amount_compare(&a->spent_delta, &a->total_delta) > 0) {
    WRONG(r, "record %lld: spends more than \"%s\" had", (long long)it->id, a->name);
  }
}

static void take_reserve(reading *r, const record *it) {
  account *a = find_account(r, it->dataset);
  r->reserved++;
  r->states[it->id] = 1;
  if (!a) {
    WRONG(r, "record %lld: charges \"%s\", which was never opened", (long long)it->id, it->dataset);
    return;
  }
  if (it->rows_per_person != a->rows_per_person) {
    WRONG(r, "record %lld: has another unit than \"%s\"", (long long)it->id, a->name);
  }
  check_binding(r, it, a);
  check_sums(r, it, a);
}

static void take_commit(reading *r, const record *it) {
  const account *a = find_account(r, it->dataset);
  long long id = it->id, entry = it->entry;
  if (entry >= id || r->states[entry] != 1 || !a || strcmp(a->data, it->data) != 0) {
    WRONG(r, "record %lld: commits entry %lld, which is not an open reservation", id, entry);
    return;
  }
  r->committed++;
  r->states[entry] = 2;
}

/* ---- one record after the other */

static dperm_status take_record(reading *r, const record *it, dperm_error *err) {
  long long id = it->id, next = (long long)r->count + 1;
  if (id != next) {
    WRONG(r, id > next + 1 ? "records %lld to %lld: missing" : "record %lld: missing", next,
          id - 1);
    (void)snprintf(r->expected, sizeof r->expected, "%s", it->previous);
  }
  TRY(memory_reserve(&r->states, &r->states_room, (size_t)id + 1, 1, err));
  for (int64_t i = r->count + 1; i <= it->id; i++) {
    r->states[i] = 0;
  }
  r->count = it->id;
  if (!record_fits(it)) {
    WRONG(r, "record %lld: was changed, it does not fit its digest", id);
  } else if (strcmp(it->previous, r->expected) != 0) {
    WRONG(r, "record %lld: does not follow record %lld", id, id - 1);
  }
  if (strcmp(it->time, r->time) < 0) {
    WRONG(r, "record %lld: is older than the record before it", id);
  }
  (void)snprintf(r->expected, sizeof r->expected, "%s", it->digest);
  (void)snprintf(r->time, sizeof r->time, "%s", it->time);
  if (r->wanted && strcmp(r->wanted, it->digest) == 0) {
    r->wanted_at = it->id;
  }
  if (strcmp(it->kind, "open") == 0) {
    return take_open(r, it, err);
  }
  if (strcmp(it->kind, "reserve") == 0) {
    take_reserve(r, it);
  } else if (strcmp(it->kind, "commit") == 0) {
    take_commit(r, it);
  } else {
    WRONG(r, "record %lld: is of no kind that there is", id);
  }
  return DPERM_OK;
}

static dperm_status read_records(reading *r, dperm_error *err) {
  dperm_status status = DPERM_OK;
  sqlite3_stmt *query = NULL;
  record it;
  bool found = true;
  TRY(memory_reserve(&r->states, &r->states_room, 1, 1, err));
  TRY(record_query(r->ledger, "NOT INDEXED ORDER BY id", &query, err));
  while (found) {
    TRY_OR_DONE(record_next(r->ledger, query, &it, &found, err));
    if (found && (it.id <= r->count || it.id > r->count + NUMBERS_MOST)) {
      WRONG(r, "record %lld: has a number out of order", (long long)it.id);
    } else if (found) {
      TRY_OR_DONE(take_record(r, &it, err));
    }
  }
done:
  (void)sqlite3_finalize(query);
  return status;
}

/* ---- the file and the head */

/* SQLite's own check of pages and indexes. */
static dperm_status check_pages(reading *r, dperm_error *err) {
  dperm_status status = DPERM_OK;
  sqlite3_stmt *query = NULL;
  bool found = true;
  TRY(store_prepare(r->ledger, "PRAGMA integrity_check(5)", &query, err));
  while (found) {
    TRY_OR_DONE(store_step(r->ledger, query, &found, err));
    const char *text = found ? (const char *)sqlite3_column_text(query, 0) : "ok";
    if (text && strcmp(text, "ok") != 0) {
      WRONG(r, "file: %s", text);
    }
  }
done:
  (void)sqlite3_finalize(query);
  return status;
}

static dperm_status check_head(reading *r, dperm_error *err) {
  sqlite3_stmt *query = NULL;
  bool found = false;
  TRY(store_prepare(r->ledger, "SELECT records, head FROM ledger", &query, err));
  dperm_status status = store_step(r->ledger, query, &found, err);
  long long noted = found ? sqlite3_column_int64(query, 0) : -1, count = r->count;
  const char *head = found ? (const char *)sqlite3_column_text(query, 1) : NULL;
  if (noted > count) {
    WRONG(r, noted > count + 1 ? "records %lld to %lld: missing" : "record %lld: missing",
          count + 1, noted);
  } else if (noted < count || !head || strcmp(head, r->expected) != 0) {
    WRONG(r, "head: is not the last record, %lld", count);
  }
  (void)sqlite3_finalize(query);
  TRY(status);
  if (r->wanted && !r->wanted_at) {
    WRONG(r, "head: the one noted before is no record's digest: records before it were changed or "
             "taken away");
  }
  return DPERM_OK;
}

static void conclude(reading *r) {
  if (r->failures > LINES_MOST && r->line) {
    r->line(r->context, DPERM_FINDING_FAILS, "and more that does not fit");
  }
  if (r->failures > 0) {
    return;
  }
  give(r, DPERM_FINDING_HOLDS, "records: all %lld fit their digests and follow each other",
       (long long)r->count);
  give(r, DPERM_FINDING_HOLDS,
       "sums: %zu data sets, %lld charges (%lld committed), none beyond its budget",
       r->account_count, (long long)r->reserved, (long long)r->committed);
  give(r, DPERM_FINDING_HOLDS, "head: record %lld, digest %s", (long long)r->count, r->expected);
  if (r->wanted) {
    give(r, DPERM_FINDING_HOLDS, "noted head: is that of record %lld; all up to it is as it was",
         (long long)r->wanted_at);
  } else {
    give(r, DPERM_FINDING_REMARK,
         "an older copy of the whole file would pass: note the head elsewhere and give it as "
         "--head next time");
  }
}

static dperm_status read_all(reading *r, dperm_error *err) {
  TRY(check_pages(r, err));
  TRY(read_records(r, err));
  TRY(check_head(r, err));
  conclude(r);
  return DPERM_OK;
}

dperm_status dperm_ledger_verify(dperm_ledger *ledger, const char *head, dperm_verify_line *line,
                                 void *context, int *holds, dperm_error *err) {
  reading r = {.ledger = ledger, .line = line, .context = context, .wanted = head};
  TRY(store_begin(ledger, false, err));
  dperm_status status = store_end(ledger, read_all(&r, err), err);
  free(r.accounts);
  free(r.states);
  if (status == DPERM_OK) {
    *holds = r.failures == 0;
  }
  return status;
}
