/* A charge is one transaction of the only writer: everything that could refuse it is asked inside,
 * so that of two that race for the last of a budget one sees what the other spent. */
#define _GNU_SOURCE
#include "ledger/charge.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ledger/budget.h"
#include "random/source.h"

/* ---- which data */

static dperm_status keyed_digest(dperm_ledger *ledger, const unsigned char identity[IDENTITY_SIZE],
                                 char out[DPERM_DIGEST_SIZE], dperm_error *err) {
  sqlite3_stmt *query = NULL;
  unsigned char hash[32];
  bool found = false;
  TRY(store_prepare(ledger, "SELECT key FROM ledger", &query, err));
  dperm_status status = store_step(ledger, query, &found, err);
  bool keyed = found && sqlite3_column_bytes(query, 0) == LEDGER_KEY_SIZE;
  if (keyed) {
    (void)crypto_generichash(hash, sizeof hash, identity, IDENTITY_SIZE,
                             sqlite3_column_blob(query, 0), LEDGER_KEY_SIZE);
    (void)sodium_bin2hex(out, DPERM_DIGEST_SIZE, hash, sizeof hash);
  }
  (void)sqlite3_finalize(query);
  TRY(status);
  return keyed ? DPERM_OK : store_fail_damaged(ledger, "its key is gone", err);
}

/* A data set with these data other than `except` (may be NULL). There are few data sets. */
static dperm_status find_data(dperm_ledger *ledger, const char *data, const char *except,
                              record *out, bool *found, dperm_error *err) {
  dperm_status status = DPERM_OK;
  sqlite3_stmt *query = NULL;
  record opened;
  bool more = true;
  *found = false;
  TRY(record_query(ledger, "WHERE kind = 'open' ORDER BY id", &query, err));
  while (more && !*found) {
    TRY_OR_DONE(record_next(ledger, query, &opened, &more, err));
    if (more && !(except && strcmp(opened.dataset, except) == 0)) {
      TRY_OR_DONE(record_first(ledger, "WHERE dataset = ? ORDER BY id DESC LIMIT 1", opened.dataset,
                               out, found, err));
      *found = *found && strcmp(out->data, data) == 0;
    }
  }
done:
  (void)sqlite3_finalize(query);
  return status;
}

static dperm_status check_data(dperm_ledger *ledger, const budget *b, const char *data,
                               dperm_error *err) {
  record other;
  bool found = false;
  if (b->last.data[0] && strcmp(b->last.data, data) != 0) {
    FAIL(err, DPERM_OVER_BUDGET,
         "%s: these are not the data that \"%s\" was charged for before; name their own data set, "
         "or give them one with 'dperm ledger init' if they share no person with it",
         ledger->path, b->opened.dataset);
  }
  TRY(find_data(ledger, data, b->opened.dataset, &other, &found, err));
  if (found) {
    FAIL(err, DPERM_OVER_BUDGET,
         "%s: these data are data set \"%s\" already, and people have one budget; use --dataset "
         "with that name",
         ledger->path, other.dataset);
  }
  return DPERM_OK;
}

/* ---- what it costs */

/* A clock that was set back by more than this would make the record a lie. */
enum { CLOCK_SLACK = 300 };

static dperm_status check_clock(dperm_ledger *ledger, const record *last, dperm_error *err) {
  struct tm parts = {0};
  char now[TIME_SIZE];
  if (!last->time[0] || !strptime(last->time, "%Y-%m-%dT%H:%M:%SZ", &parts)) {
    return DPERM_OK;
  }
  if (time(NULL) + CLOCK_SLACK < timegm(&parts)) {
    record_time_now("", now);
    FAIL(err, DPERM_OVER_BUDGET,
         "%s: the clock says %s, but the last record is of %s; set the clock right", ledger->path,
         now, last->time);
  }
  return DPERM_OK;
}

/* The charge's amounts, and the sums with it. */
typedef struct bill {
  amount epsilon, delta, spent_epsilon, spent_delta;
} bill;

static dperm_status write_bill(const charge_request *q, const budget *b, bill *out,
                               dperm_error *err) {
  if (!amount_of_double(q->epsilon, &out->epsilon) || !(q->epsilon > 0) ||
      !amount_of_double(q->delta, &out->delta) ||
      !amount_add(&b->spent_epsilon, &out->epsilon, &out->spent_epsilon) ||
      !amount_add(&b->spent_delta, &out->delta, &out->spent_delta)) {
    FAIL(err, DPERM_OVER_BUDGET,
         "a charge of epsilon %g and delta %g has too many digits for a ledger", q->epsilon,
         q->delta);
  }
  return DPERM_OK;
}

static dperm_status check_amount(dperm_ledger *ledger, const budget *b, const char *name,
                                 const amount *total, const amount *spent, const amount *needed,
                                 const amount *after, dperm_error *err) {
  amount left;
  char texts[3][DPERM_AMOUNT_SIZE];
  if (amount_compare(after, total) <= 0) {
    return DPERM_OK;
  }
  amount_subtract(total, spent, &left);
  amount_brief(&left, texts[0]);
  amount_brief(total, texts[1]);
  amount_brief(needed, texts[2]);
  FAIL(err, DPERM_OVER_BUDGET,
       "%s: data set \"%s\" has %s %s left of %s, and this run needs %s; nothing is released",
       ledger->path, b->opened.dataset, name, texts[0], texts[1], texts[2]);
}

static dperm_status check_bill(dperm_ledger *ledger, const budget *b, const bill *c,
                               dperm_error *err) {
  TRY(check_amount(ledger, b, "epsilon", &b->total_epsilon, &b->spent_epsilon, &c->epsilon,
                   &c->spent_epsilon, err));
  return check_amount(ledger, b, "delta", &b->total_delta, &b->spent_delta, &c->delta,
                      &c->spent_delta, err);
}

static dperm_status check_unit(dperm_ledger *ledger, const budget *b, size_t rows_per_person,
                               dperm_error *err) {
  if (b->opened.rows_per_person != (int64_t)rows_per_person) {
    FAIL(err, DPERM_OVER_BUDGET,
         "%s: the budget of \"%s\" is per person with at most %lld rows, not %zu; give "
         "--rows-per-person %lld",
         ledger->path, b->opened.dataset, (long long)b->opened.rows_per_person, rows_per_person,
         (long long)b->opened.rows_per_person);
  }
  return DPERM_OK;
}

/* ---- reserving */

static dperm_status draw_token(char out[DPERM_DIGEST_SIZE], dperm_error *err) {
  unsigned char bytes[32];
  random_source source;
  TRY(random_secure(&source, err));
  for (size_t i = 0; i < sizeof bytes; i++) {
    bytes[i] = (unsigned char)random_bits(&source);
  }
  dperm_status status = random_check(&source, err);
  random_wipe(&source);
  (void)sodium_bin2hex(out, DPERM_DIGEST_SIZE, bytes, sizeof bytes);
  return status;
}

static void state_charge(const budget *b, const bill *c, dperm_charge *out) {
  amount left;
  *out = (dperm_charge){.entry = 0};
  amount_text(&c->epsilon, out->epsilon);
  amount_text(&c->delta, out->delta);
  amount_subtract(&b->total_epsilon, &c->spent_epsilon, &left);
  amount_text(&left, out->epsilon_left);
  amount_subtract(&b->total_delta, &c->spent_delta, &left);
  amount_text(&left, out->delta_left);
}

static dperm_status append_reserve(dperm_ledger *ledger, const charge_request *q,
                                   const record *last, const bill *c, const char *data,
                                   dperm_charge *out, dperm_error *err) {
  record r = {.kind = "reserve", .rows_per_person = (int64_t)q->rows_per_person};
  (void)snprintf(r.dataset, sizeof r.dataset, "%s", q->dataset);
  (void)snprintf(r.command, sizeof r.command, "%s", q->command);
  (void)snprintf(r.mechanism, sizeof r.mechanism, "%s", q->mechanism);
  amount_text(&c->epsilon, r.epsilon);
  amount_text(&c->delta, r.delta);
  amount_text(&c->spent_epsilon, r.spent_epsilon);
  amount_text(&c->spent_delta, r.spent_delta);
  memcpy(r.data, data, sizeof r.data);
  TRY(draw_token(r.token, err));
  record_time_now(last->time, r.time);
  TRY(record_append(ledger, last, &r, err));
  out->entry = (uint64_t)r.id;
  record_receipt(&r, out->digest);
  return DPERM_OK;
}

static dperm_status reserve(dperm_ledger *ledger, const charge_request *q, bool dry_run,
                            dperm_charge *out, dperm_error *err) {
  record last;
  budget b;
  bill c;
  int64_t count = 0;
  char data[DPERM_DIGEST_SIZE];
  TRY(record_head(ledger, &last, &count, err));
  TRY(check_clock(ledger, &last, err));
  TRY(budget_read(ledger, q->dataset, &b, err));
  TRY(check_unit(ledger, &b, q->rows_per_person, err));
  TRY(keyed_digest(ledger, q->identity, data, err));
  TRY(check_data(ledger, &b, data, err));
  TRY(write_bill(q, &b, &c, err));
  TRY(check_bill(ledger, &b, &c, err));
  state_charge(&b, &c, out);
  return dry_run ? DPERM_OK : append_reserve(ledger, q, &last, &c, data, out, err);
}

/* A transaction that failed may be on the disk all the same: the last step of its end is a flush of
 * the folder. Then the charge is spent. */
static void say_if_spent(dperm_ledger *ledger, const dperm_charge *made, dperm_error *err) {
  record written;
  bool found = false;
  char id[24], digest[DPERM_DIGEST_SIZE] = "";
  (void)snprintf(id, sizeof id, "%llu", (unsigned long long)made->entry);
  dperm_status status =
      record_first(ledger, "WHERE id = CAST(? AS INTEGER)", id, &written, &found, NULL);
  if (status == DPERM_OK && found) {
    record_receipt(&written, digest);
  }
  if (status != DPERM_OK || strcmp(digest, made->digest) == 0) {
    error_append(err, "; the charge (entry %s of the ledger) %s spent", id,
                 status == DPERM_OK ? "stays" : "may be");
  }
}

dperm_status charge_reserve(dperm_ledger *ledger, const charge_request *request, bool dry_run,
                            dperm_charge *out, dperm_error *err) {
  dperm_charge made = {.entry = 0};
  TRY(budget_check_name(request->dataset, err));
  TRY(store_begin(ledger, true, err)); /* also a dry run needs a ledger that can be written */
  dperm_status status = reserve(ledger, request, dry_run, &made, err);
  if (dry_run) {
    store_cancel(ledger);
  } else {
    status = store_end(ledger, status, err);
  }
  if (status == DPERM_OK) {
    *out = made;
  } else if (made.entry != 0) {
    say_if_spent(ledger, &made, err);
  }
  return status;
}

/* ---- committing */

static dperm_status commit(dperm_ledger *ledger, uint64_t entry, const char *artifact,
                           dperm_error *err) {
  record last, reserved;
  budget b;
  int64_t count = 0;
  char id[24];
  bool found = false;
  (void)snprintf(id, sizeof id, "%llu", (unsigned long long)entry);
  TRY(record_head(ledger, &last, &count, err));
  TRY(record_first(ledger, "WHERE id = CAST(? AS INTEGER)", id, &reserved, &found, err));
  if (!found || strcmp(reserved.kind, "reserve") != 0 || !record_fits(&reserved)) {
    return store_fail_damaged(ledger, "a reservation is gone", err);
  }
  TRY(budget_read(ledger, reserved.dataset, &b, err));
  record r = {.kind = "commit", .entry = reserved.id, .rows_per_person = b.opened.rows_per_person};
  (void)snprintf(r.dataset, sizeof r.dataset, "%s", reserved.dataset);
  (void)snprintf(r.artifact, sizeof r.artifact, "%s", artifact);
  memcpy(r.spent_epsilon, b.last.spent_epsilon, sizeof r.spent_epsilon);
  memcpy(r.spent_delta, b.last.spent_delta, sizeof r.spent_delta);
  memcpy(r.data, b.last.data, sizeof r.data);
  /* No clock here: the time since the reservation is how long the work took, which depends on the
   * records, and with random stopping on the secret number of rounds. */
  memcpy(r.time, last.time, sizeof r.time);
  return record_append(ledger, &last, &r, err);
}

dperm_status charge_commit(dperm_ledger *ledger, uint64_t entry, const char *artifact,
                           dperm_error *err) {
  TRY(store_begin(ledger, true, err));
  return store_end(ledger, commit(ledger, entry, artifact, err), err);
}

/* ---- runs that protect nobody */

static dperm_status refuse_known(dperm_ledger *ledger, const unsigned char identity[IDENTITY_SIZE],
                                 dperm_error *err) {
  char data[DPERM_DIGEST_SIZE];
  record known;
  bool found = false;
  TRY(keyed_digest(ledger, identity, data, err));
  TRY(find_data(ledger, data, NULL, &known, &found, err));
  if (found) {
    FAIL(err, DPERM_OVER_BUDGET,
         "%s: these data are data set \"%s\", and a run that is not private would spend all of its "
         "budget and more; give --epsilon, no --seed and a private mechanism",
         ledger->path, known.dataset);
  }
  return DPERM_OK;
}

dperm_status charge_refuse_known(dperm_ledger *ledger, const unsigned char identity[IDENTITY_SIZE],
                                 dperm_error *err) {
  TRY(store_begin(ledger, false, err));
  return store_end(ledger, refuse_known(ledger, identity, err), err);
}
