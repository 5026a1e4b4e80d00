/* A charge is one transaction of the only writer: everything that could refuse it is asked inside,
 * so that of two that race for the last of a budget one sees what the other spent. What is spent is
 * what chain_begin added up from the records, never a sum or a place that the file states. */
#define _GNU_SOURCE
#include "ledger/charge.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ledger/budget.h"
#include "ledger/chain.h"
#include "random/random_source.h"

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

static bool is_bound(const holding *h, const data_digests *data) {
  return h->data[0] && (strcmp(h->data, data->given) == 0 || strcmp(h->data, data->encoded) == 0);
}

/* The first data set but `self` that has these data; NULL where none has. */
static const holding *find_bound(const chain *c, const data_digests *data, const holding *self) {
  for (size_t i = 0; i < c->holding_count; i++) {
    if (&c->holdings[i] != self && is_bound(&c->holdings[i], data)) {
      return &c->holdings[i];
    }
  }
  return NULL;
}

static dperm_status find_holding(const dperm_ledger *ledger, const chain *c, const char *dataset,
                                 const holding **out, dperm_error *err) {
  *out = chain_find(c, dataset);
  if (!*out) {
    FAIL(err, DPERM_OVER_BUDGET,
         "%s: the ledger has no data set \"%.100s\"; see 'dperm ledger show', or give it a budget "
         "with 'dperm ledger init'",
         ledger->path, dataset);
  }
  return DPERM_OK;
}

static dperm_status check_data(const dperm_ledger *ledger, const chain *c, const holding *h,
                               const data_digests *data, dperm_error *err) {
  const holding *other = find_bound(c, data, h);
  if (h->data[0] && !is_bound(h, data)) {
    FAIL(err, DPERM_OVER_BUDGET,
         "%s: these are not the data that \"%s\" was charged for before; name their own data set, "
         "or give them one with 'dperm ledger init' if they share no person with it",
         ledger->path, h->name);
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

/* A clock that was set back by more than this would make the record a lie. */
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
  amount epsilon, delta, spent_epsilon, spent_delta;
} bill;

static dperm_status write_bill(const charge_request *q, const holding *h, bill *out,
                               dperm_error *err) {
  if (!amount_of_double(q->epsilon, &out->epsilon) || !(q->epsilon > 0) ||
      !amount_of_double(q->delta, &out->delta) ||
      !amount_add(&h->spent_epsilon, &out->epsilon, &out->spent_epsilon) ||
      !amount_add(&h->spent_delta, &out->delta, &out->spent_delta)) {
    FAIL(err, DPERM_OVER_BUDGET,
         "a charge of epsilon %g and delta %g has too many digits for a ledger", q->epsilon,
         q->delta);
  }
  return DPERM_OK;
}

static dperm_status check_amount(const dperm_ledger *ledger, const holding *h, const char *name,
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
       ledger->path, h->name, name, texts[0], texts[1], texts[2]);
}

static dperm_status check_bill(const dperm_ledger *ledger, const holding *h, const bill *c,
                               dperm_error *err) {
  TRY(check_amount(ledger, h, "epsilon", &h->total_epsilon, &h->spent_epsilon, &c->epsilon,
                   &c->spent_epsilon, err));
  return check_amount(ledger, h, "delta", &h->total_delta, &h->spent_delta, &c->delta,
                      &c->spent_delta, err);
}

static dperm_status check_unit(const dperm_ledger *ledger, const holding *h, size_t rows_per_person,
                               dperm_error *err) {
  if (h->rows_per_person != (int64_t)rows_per_person) {
    FAIL(err, DPERM_OVER_BUDGET,
         "%s: the budget of \"%s\" is per person with at most %lld rows, not %zu; say %lld "
         "rows per person",
         ledger->path, h->name, (long long)h->rows_per_person, rows_per_person,
         (long long)h->rows_per_person);
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

static void state_charge(const holding *h, const bill *b, dperm_charge *out) {
  amount left;
  *out = (dperm_charge){.entry = 0};
  amount_text(&b->epsilon, out->epsilon);
  amount_text(&b->delta, out->delta);
  amount_subtract(&h->total_epsilon, &b->spent_epsilon, &left);
  amount_text(&left, out->epsilon_left);
  amount_subtract(&h->total_delta, &b->spent_delta, &left);
  amount_text(&left, out->delta_left);
}

static dperm_status append_reserve(dperm_ledger *ledger, const charge_request *q, const chain *c,
                                   const bill *b, const char *data, dperm_charge *out,
                                   dperm_error *err) {
  record r = {.kind = "reserve", .rows_per_person = (int64_t)q->rows_per_person};
  (void)snprintf(r.dataset, sizeof r.dataset, "%s", q->dataset);
  (void)snprintf(r.command, sizeof r.command, "%s", q->command);
  (void)snprintf(r.mechanism, sizeof r.mechanism, "%s", q->mechanism);
  amount_text(&b->epsilon, r.epsilon);
  amount_text(&b->delta, r.delta);
  amount_text(&b->spent_epsilon, r.spent_epsilon);
  amount_text(&b->spent_delta, r.spent_delta);
  memcpy(r.data, data, sizeof r.data);
  TRY(draw_token(r.token, err));
  record_time_now(c->last.time, r.time);
  TRY(chain_append(ledger, &r, err));
  out->entry = (uint64_t)r.id;
  record_receipt(&r, out->digest);
  return DPERM_OK;
}

static dperm_status reserve(dperm_ledger *ledger, const chain *c, const charge_request *q,
                            bool dry_run, dperm_charge *out, dperm_error *err) {
  const holding *h = NULL;
  bill b;
  data_digests data;
  TRY(check_clock(ledger, &c->last, err));
  TRY(find_holding(ledger, c, q->dataset, &h, err));
  TRY(check_unit(ledger, h, q->rows_per_person, err));
  digest_data(c, &q->identity, &data);
  TRY(check_data(ledger, c, h, &data, err));
  TRY(write_bill(q, h, &b, err));
  TRY(check_bill(ledger, h, &b, err));
  state_charge(h, &b, out);
  return dry_run ? DPERM_OK
                 : append_reserve(ledger, q, c, &b, h->data[0] ? h->data : data.given, out, err);
}

/* A transaction that failed may be on the disk all the same: the last step of its end is a flush of
 * the folder. Then the charge is spent. */
static void say_if_spent(dperm_ledger *ledger, const dperm_charge *made, dperm_error *err) {
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
    say_if_spent(ledger, &made, err);
  }
  return status;
}

/* ---- committing */

static dperm_status commit(dperm_ledger *ledger, const chain *c, uint64_t entry,
                           const char *artifact, dperm_error *err) {
  record reserved;
  TRY(record_read(ledger, (int64_t)entry, &reserved, err));
  const holding *h = chain_find(c, reserved.dataset);
  if (!chain_is_open(c, entry) || !h || strcmp(reserved.kind, "reserve") != 0) {
    return store_fail_damaged(ledger, "a reservation is gone", err);
  }
  record r = {.kind = "commit", .entry = reserved.id, .rows_per_person = h->rows_per_person};
  (void)snprintf(r.dataset, sizeof r.dataset, "%s", reserved.dataset);
  (void)snprintf(r.artifact, sizeof r.artifact, "%s", artifact);
  amount_text(&h->spent_epsilon, r.spent_epsilon);
  amount_text(&h->spent_delta, r.spent_delta);
  memcpy(r.data, h->data, sizeof r.data);
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

/* ---- runs that protect nobody */

static dperm_status refuse_known(const dperm_ledger *ledger, const chain *c,
                                 const data_identity *identity, const char *advice,
                                 dperm_error *err) {
  data_digests data;
  digest_data(c, identity, &data);
  const holding *known = find_bound(c, &data, NULL);
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
