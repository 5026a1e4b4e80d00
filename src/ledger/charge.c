/* A charge is one transaction of the only writer: everything that could refuse it is checked
 * inside, so that of two that race for the rest of a budget one sees what the other spent. What is
 * spent is what chain_begin added up from the records, never a sum or a place that the file states.
 */
#define _GNU_SOURCE
#include "ledger/charge.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ledger/budget.h"
#include "ledger/chain.h"

/* ---- which data */

static void keyed_digest(const chain *c, const unsigned char identity[IDENTITY_SIZE],
                         char out[DPERM_DIGEST_SIZE]) {
  unsigned char hash[32];
  (void)crypto_generichash(hash, sizeof hash, identity, IDENTITY_SIZE, c->key, sizeof c->key);
  (void)sodium_bin2hex(out, DPERM_DIGEST_SIZE, hash, sizeof hash);
}

/* The digests that the ledger may know the data by. A data set that was bound by the older one
 * stays so, since its records must agree; what it was bound by goes on to be found. */
typedef struct data_digests {
  char given[DPERM_DIGEST_SIZE], encoded[DPERM_DIGEST_SIZE];
} data_digests;

static void digest_data(const chain *c, const data_identity *identity, data_digests *out) {
  keyed_digest(c, identity->given, out->given);
  keyed_digest(c, identity->encoded, out->encoded);
}

static bool is_bound(const dataset_state *d, const data_digests *data) {
  return d->data[0] && (strcmp(d->data, data->given) == 0 || strcmp(d->data, data->encoded) == 0);
}

/* The first data set but `self` that has these data; NULL where none has. */
static const dataset_state *find_bound(const chain *c, const data_digests *data,
                                       const dataset_state *self) {
  for (size_t i = 0; i < c->dataset_count; i++) {
    if (&c->datasets[i] != self && is_bound(&c->datasets[i], data)) {
      return &c->datasets[i];
    }
  }
  return NULL;
}

static dperm_status find_dataset(const dperm_ledger *ledger, const chain *c, const char *dataset,
                                 const dataset_state **out, dperm_error *err) {
  *out = chain_find(c, dataset);
  if (!*out) {
    FAIL(err, DPERM_OVER_BUDGET,
         "%s: the ledger has no data set \"%.100s\"; see 'dperm ledger show', or give it a budget "
         "with 'dperm ledger init'",
         ledger->path, dataset);
  }
  return DPERM_OK;
}

static dperm_status check_data(const dperm_ledger *ledger, const chain *c, const dataset_state *d,
                               const data_digests *data, dperm_error *err) {
  const dataset_state *other = find_bound(c, data, d);
  if (d->data[0] && !is_bound(d, data)) {
    FAIL(err, DPERM_OVER_BUDGET,
         "%s: these are not the data that \"%s\" was charged for before; name their own data set, "
         "or give them one with 'dperm ledger init' if they share no person with it",
         ledger->path, d->name);
  }
  if (other) {
    FAIL(err, DPERM_OVER_BUDGET,
         "%s: these data are data set \"%s\" already, and people have one budget; use that "
         "name",
         ledger->path, other->name);
  }
  return DPERM_OK;
}

/* ---- what it costs */

/* A clock that was set back by more than this would make the record wrong. */
enum { CLOCK_SLACK = 300 };

static dperm_status check_clock(const dperm_ledger *ledger, const record *last, dperm_error *err) {
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
  amounts charge, spent;
} bill;

static dperm_status write_bill(const charge_request *q, const dataset_state *d, bill *out,
                               dperm_error *err) {
  if (!amount_of_double(q->epsilon, &out->charge.epsilon) || !(q->epsilon > 0) ||
      !amount_of_double(q->delta, &out->charge.delta) ||
      !amounts_add(&d->spent, &out->charge, &out->spent)) {
    FAIL(err, DPERM_OVER_BUDGET,
         "a charge of epsilon %g and delta %g has too many digits for a ledger", q->epsilon,
         q->delta);
  }
  return DPERM_OK;
}

static dperm_status check_amount(const dperm_ledger *ledger, const dataset_state *d,
                                 const char *name, const amount *total, const amount *spent,
                                 const amount *needed, const amount *after, dperm_error *err) {
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
       ledger->path, d->name, name, texts[0], texts[1], texts[2]);
}

static dperm_status check_bill(const dperm_ledger *ledger, const dataset_state *d, const bill *b,
                               dperm_error *err) {
  TRY(check_amount(ledger, d, "epsilon", &d->total.epsilon, &d->spent.epsilon, &b->charge.epsilon,
                   &b->spent.epsilon, err));
  return check_amount(ledger, d, "delta", &d->total.delta, &d->spent.delta, &b->charge.delta,
                      &b->spent.delta, err);
}

static dperm_status check_unit(const dperm_ledger *ledger, const dataset_state *d,
                               size_t rows_per_person, dperm_error *err) {
  if (d->rows_per_person != (int64_t)rows_per_person) {
    FAIL(err, DPERM_OVER_BUDGET,
         "%s: the budget of \"%s\" is per person with at most %lld rows, not %zu; say %lld "
         "rows per person",
         ledger->path, d->name, (long long)d->rows_per_person, rows_per_person,
         (long long)d->rows_per_person);
  }
  return DPERM_OK;
}

/* ---- reserving */

static void state_charge(const dataset_state *d, const bill *b, dperm_charge *out) {
  amounts left;
  *out = (dperm_charge){.entry = 0};
  amounts_subtract(&d->total, &b->spent, &left);
  amounts_text(&b->charge, out->epsilon, out->delta);
  amounts_text(&left, out->epsilon_left, out->delta_left);
}

static dperm_status append_reserve(dperm_ledger *ledger, const charge_request *q, const chain *c,
                                   const bill *b, const char *data, dperm_charge *out,
                                   dperm_error *err) {
  unsigned char token[LEDGER_KEY_SIZE];
  record r = {.kind = "reserve", .rows_per_person = (int64_t)q->rows_per_person};
  (void)snprintf(r.dataset, sizeof r.dataset, "%s", q->dataset);
  (void)snprintf(r.command, sizeof r.command, "%s", q->command);
  (void)snprintf(r.mechanism, sizeof r.mechanism, "%s", q->mechanism);
  amounts_text(&b->charge, r.epsilon, r.delta);
  amounts_text(&b->spent, r.spent_epsilon, r.spent_delta);
  memcpy(r.data, data, sizeof r.data);
  TRY(record_secret(token, err));
  (void)sodium_bin2hex(r.token, sizeof r.token, token, sizeof token);
  record_time_now(c->last.time, r.time);
  TRY(chain_append(ledger, &r, err));
  out->entry = (uint64_t)r.id;
  record_receipt(&r, out->digest);
  return DPERM_OK;
}

static dperm_status reserve(dperm_ledger *ledger, const chain *c, const charge_request *q,
                            bool dry_run, dperm_charge *out, dperm_error *err) {
  const dataset_state *d = NULL;
  bill b;
  data_digests data;
  TRY(check_clock(ledger, &c->last, err));
  TRY(find_dataset(ledger, c, q->dataset, &d, err));
  TRY(check_unit(ledger, d, q->rows_per_person, err));
  digest_data(c, &q->identity, &data);
  TRY(check_data(ledger, c, d, &data, err));
  TRY(write_bill(q, d, &b, err));
  TRY(check_bill(ledger, d, &b, err));
  state_charge(d, &b, out);
  return dry_run ? DPERM_OK
                 : append_reserve(ledger, q, c, &b, d->data[0] ? d->data : data.given, out, err);
}

/* A transaction that failed may be on the disk all the same: the last step of its end is a flush of
 * the folder. Then the charge is spent. */
static void append_if_spent(dperm_ledger *ledger, const dperm_charge *made, dperm_error *err) {
  record written = {.kind = ""};
  char digest[DPERM_DIGEST_SIZE] = "";
  dperm_status status = store_begin(ledger, false, NULL);
  if (status == DPERM_OK) {
    status = store_end(ledger, record_read(ledger, (int64_t)made->entry, &written, NULL), NULL);
  }
  if (status == DPERM_OK && strcmp(written.kind, "reserve") == 0) {
    record_receipt(&written, digest);
  }
  if (status != DPERM_OK || strcmp(digest, made->digest) == 0) {
    error_append(err, "; the charge (entry %llu of the ledger) %s spent",
                 (unsigned long long)made->entry, status == DPERM_OK ? "stays" : "may be");
  }
}

dperm_status charge_reserve(dperm_ledger *ledger, const charge_request *request, bool dry_run,
                            dperm_charge *out, dperm_error *err) {
  dperm_charge made = {.entry = 0};
  const chain *c = NULL;
  TRY(budget_check_name(request->dataset, err));
  TRY(chain_begin(ledger, true, &c, err)); /* also a dry run needs a ledger that can be written */
  dperm_status status = reserve(ledger, c, request, dry_run, &made, err);
  if (dry_run) {
    store_cancel(ledger);
  } else {
    status = store_end(ledger, status, err);
  }
  if (status == DPERM_OK) {
    *out = made;
  } else if (made.entry != 0) {
    append_if_spent(ledger, &made, err);
  }
  return status;
}

/* ---- committing */

static dperm_status commit(dperm_ledger *ledger, const chain *c, uint64_t entry,
                           const char *artifact, dperm_error *err) {
  record reserved;
  TRY(record_read(ledger, (int64_t)entry, &reserved, err));
  const dataset_state *d = chain_find(c, reserved.dataset);
  if (!chain_is_open(c, entry) || !d || strcmp(reserved.kind, "reserve") != 0) {
    return store_fail_damaged(ledger, "a reservation is gone", err);
  }
  record r = {.kind = "commit", .entry = reserved.id, .rows_per_person = d->rows_per_person};
  (void)snprintf(r.dataset, sizeof r.dataset, "%s", reserved.dataset);
  (void)snprintf(r.artifact, sizeof r.artifact, "%s", artifact);
  amounts_text(&d->spent, r.spent_epsilon, r.spent_delta);
  memcpy(r.data, d->data, sizeof r.data);
  /* No clock here: the time since the reservation is how long the work took, which depends on the
   * records, and with random stopping on the secret number of rounds. */
  memcpy(r.time, c->last.time, sizeof r.time);
  return chain_append(ledger, &r, err);
}

dperm_status charge_commit(dperm_ledger *ledger, uint64_t entry, const char *artifact,
                           dperm_error *err) {
  const chain *c = NULL;
  TRY(chain_begin(ledger, true, &c, err));
  return store_end(ledger, commit(ledger, c, entry, artifact, err), err);
}

/* ---- runs that are not private */

static dperm_status refuse_known(const dperm_ledger *ledger, const chain *c,
                                 const data_identity *identity, const char *advice,
                                 dperm_error *err) {
  data_digests data;
  digest_data(c, identity, &data);
  const dataset_state *known = find_bound(c, &data, NULL);
  if (known) {
    FAIL(err, DPERM_OVER_BUDGET, "%s: these data are data set \"%s\", and %s", ledger->path,
         known->name, advice);
  }
  return DPERM_OK;
}

dperm_status charge_refuse_known(dperm_ledger *ledger, const data_identity *identity,
                                 const char *advice, dperm_error *err) {
  const chain *c = NULL;
  TRY(chain_begin(ledger, false, &c, err));
  return store_end(ledger, refuse_known(ledger, c, identity, advice, err), err);
}
