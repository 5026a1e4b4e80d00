/* A charge is one transaction of the only writer: everything that could refuse it is checked
 * inside, so that of two that race for the rest of a budget one sees what the other spent. What is
 * spent chain_begin added up from the records; no sum or place that the file states counts. */
#include "ledger/charge.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/defect.h"
#include "ledger/chain.h"
#include "read/encoded_file.h"
#include "read/window.h"

/* ---- which data */

/* The digests that the ledger may know the data by. A data set that was bound by the older one
 * stays so, since its records must agree; what it was bound by goes on to be found. */
typedef struct data_digests {
  char given[DPERM_DIGEST_SIZE], encoded[DPERM_DIGEST_SIZE];
} data_digests;

static void keyed_digest(const chain *c, const unsigned char identity[IDENTITY_SIZE],
                         char out[DPERM_DIGEST_SIZE]) {
  unsigned char hash[32];
  (void)crypto_generichash(hash, sizeof hash, identity, IDENTITY_SIZE, c->key, sizeof c->key);
  (void)sodium_bin2hex(out, DPERM_DIGEST_SIZE, hash, sizeof hash);
}

/* The first data set but `self` that has these data; NULL where none has. */
static const dataset_state *find_data(const chain *c, const data_identity *identity,
                                      const dataset_state *self, data_digests *data) {
  keyed_digest(c, identity->given, data->given);
  keyed_digest(c, identity->encoded, data->encoded);
  return chain_find_data(c, self, data->given, data->encoded);
}

/* `*digest` is what the data set is bound by, or will be. */
static dperm_status check_data(const dperm_ledger *ledger, const dataset_state *d,
                               const data_identity *identity, char digest[DPERM_DIGEST_SIZE],
                               dperm_error *err) {
  data_digests data;
  const dataset_state *other = find_data(ledger->known, identity, d, &data);
  FAIL_IF(d->data[0] && strcmp(d->data, data.given) != 0 && strcmp(d->data, data.encoded) != 0, err,
          DPERM_OVER_BUDGET,
          "%s: these are not the data that \"%s\" was charged for before; name their own data set, "
          "or give them one with 'dperm ledger init': as a part of this one, unless they share no "
          "person with it",
          ledger->path, d->name);
  FAIL_IF(other, err, DPERM_OVER_BUDGET,
          "%s: these data are data set \"%s\" already, and people have one budget; use that name",
          ledger->path, other->name);
  memcpy(digest, d->data[0] ? d->data : data.given, DPERM_DIGEST_SIZE);
  return DPERM_OK;
}

/* ---- what it costs */

/* What a charge is: as claimed, by the data set's reading, and the sums with it. */
typedef struct pricing {
  amounts claim, spent; /* the latter a plain sum */
  amounts left;         /* of what has the least left, the data set or what it is a part of */
  record_terms terms;   /* with its cost: without Renyi the claim */
} pricing;

static dperm_status refuse_costs(const dperm_ledger *ledger, const dataset_state *d,
                                 const amounts *costs, const pricing *p, dperm_error *err) {
  amounts left;
  char texts[3][DPERM_AMOUNT_SIZE];
  bool twice = p->terms.adding && !d->reading.adding;
  bool epsilon = amount_compare(&costs->epsilon, &d->reading.limit.epsilon) > 0;
  const amount *total = epsilon ? &d->reading.total.epsilon : &d->reading.total.delta;
  amounts_subtract(&d->reading.limit, &d->costs, &left);
  amount_brief(epsilon ? &left.epsilon : &left.delta, texts[0]);
  amount_brief(total, texts[1]);
  amount_brief(epsilon ? &p->terms.cost.epsilon : &p->terms.cost.delta, texts[2]);
  FAIL(err, DPERM_OVER_BUDGET,
       "%s: data set \"%s\" has %s %s left of %s%s, and this run needs %s%s; nothing is released",
       ledger->path, d->name, epsilon ? "epsilon" : "delta", texts[0], texts[1],
       d->reading.renyi ? " by its Renyi order" : "", texts[2],
       twice
           ? " (it counts twice: it is for records added and removed, the budget for replaced ones)"
           : "");
}

/* The amounts of a request as the data set counts them. */
static bool claimed_amounts(const charge_request *q, const dataset_state *d, amounts *claim) {
  bool twice = q->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE && !d->reading.adding;
  return (q->costs_nothing ? q->epsilon == 0 && q->delta == 0 : q->epsilon > 0) &&
         amounts_claimed(q->epsilon, q->delta, twice && !DEFECT("neighbours-once"), claim);
}

/* The cost of a run is that of the dearest plan that it may follow (composition.md, C9), and that
 * plan's curve is kept. Plain sums have no dearest one, and keep that of the only plan. */
static bool price_plans(const charge_request *q, const dataset_state *d, pricing *p) {
  const privacy_curve none = {.fits = 0};
  size_t count = d->reading.renyi || q->curve_count == 1 ? q->curve_count : 0;
  bool counted = count > 0 || reading_cost(&d->reading, &p->claim, &none, &p->terms.cost);
  for (size_t i = 0; counted && i < count; i++) {
    bool takes = reading_takes_curve(&d->reading, &p->claim, p->terms.adding, d->rows_per_person,
                                     &q->curves[i]); /* else it tells of another release */
    const privacy_curve *curve = takes ? &q->curves[i] : &none;
    amounts cost;
    counted = reading_cost(&d->reading, &p->claim, curve, &cost);
    if (i == 0 || amount_compare(&cost.epsilon, &p->terms.cost.epsilon) > 0) {
      p->terms.cost.epsilon = cost.epsilon;
      p->terms.curve = *curve;
    }
    if (i == 0 || amount_compare(&cost.delta, &p->terms.cost.delta) > 0) {
      p->terms.cost.delta = cost.delta;
    }
  }
  return counted;
}

static void take_less(const amount *a, amount *least) {
  *least = amount_compare(a, least) < 0 ? *a : *least;
}

/* The sums with the charge, of the data set and of all it is a part of: each within its limit. */
static dperm_status check_limits(const dperm_ledger *ledger, const dataset_state *d, pricing *p,
                                 dperm_error *err) {
  p->left = d->reading.limit;
  for (const dataset_state *at = d; at; at = chain_whole(ledger->known, at)) {
    amounts costs, left;
    FAIL_IF(!amounts_add(&at->costs, &p->terms.cost, &costs), err, DPERM_OVER_BUDGET,
            "%s: the charges of \"%s\" have too many digits for a ledger", ledger->path, at->name);
    if (!amounts_cover(&at->reading.limit, &costs)) {
      return refuse_costs(ledger, at, &costs, p, err);
    }
    amounts_subtract(&at->reading.limit, &costs, &left);
    take_less(&left.epsilon, &p->left.epsilon);
    take_less(&left.delta, &p->left.delta);
  }
  return DPERM_OK;
}

/* Of records whose order the data's digest does not show. */
static double places_of(const chain *c, const data_identity *identity) {
  return identity->ordered ? terms_digest(identity->order, IDENTITY_SIZE, c->key, sizeof c->key)
                           : 0;
}

static double person_of(const charge_request *q) {
  return q->person ? terms_digest(q->person, strlen(q->person), NULL, 0) : 0;
}

/* The charge's amounts, and what they leave. */
static dperm_status check_amounts(const dperm_ledger *ledger, const charge_request *q,
                                  const dataset_state *d, pricing *p, dperm_error *err) {
  bool adding = q->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  *p = (pricing){.terms = {.adding = adding,
                           .refined = q->refined,
                           .counted = q->counted,
                           .held = q->held,
                           .places = q->held > 0 ? places_of(ledger->known, &q->identity) : 0,
                           .person = person_of(q),
                           .priced = d->reading.renyi}};
  FAIL_IF(!claimed_amounts(q, d, &p->claim) || !amounts_add(&d->spent, &p->claim, &p->spent) ||
              !price_plans(q, d, p),
          err, DPERM_OVER_BUDGET,
          "a charge of epsilon %g and delta %g has too many digits for a ledger", q->epsilon,
          q->delta);
  return check_limits(ledger, d, p, err);
}

/* ---- reserving */

/* All that can refuse the charge; `*r` is the record of it but for token and time. */
static dperm_status check_charge(const dperm_ledger *ledger, const charge_request *q, record *r,
                                 dperm_charge *out, dperm_error *err) {
  pricing price;
  const dataset_state *d = chain_find(ledger->known, q->dataset);
  FAIL_IF(!d, err, DPERM_OVER_BUDGET,
          "%s: the ledger has no data set \"%.100s\"; see 'dperm ledger show', or give it a budget "
          "with 'dperm ledger init'",
          ledger->path, q->dataset);
  FAIL_IF((d->rows_per_person == 0) != (q->rows_per_person == 0), err, DPERM_OVER_BUDGET,
          "%s: the budget of \"%s\" is per %s; %s", ledger->path, d->name,
          d->rows_per_person == 0 ? "person, whom a schema tells apart" : "row",
          d->rows_per_person == 0
              ? "name the column that does so in the schema, as \"person\""
              : "and this run is per person: open a data set with a budget per person for it");
  FAIL_IF(d->person > 0 && d->person != person_of(q), err, DPERM_OVER_BUDGET,
          "%s: the persons of \"%s\" were told apart by another column before, and one budget is "
          "for one way of telling them apart; name that column, or open another data set",
          ledger->path, d->name);
  FAIL_IF(d->rows_per_person == 1 && q->rows_per_person != 1, err, DPERM_OVER_BUDGET,
          "%s: the budget of \"%s\" is per row, not per person with at most %zu rows; leave rows "
          "per person at 1",
          ledger->path, d->name, q->rows_per_person);
  FAIL_IF(d->rows_per_person != (int64_t)q->rows_per_person, err, DPERM_OVER_BUDGET,
          "%s: the budget of \"%s\" is per person with at most %lld rows, not %zu; say %lld rows "
          "per person",
          ledger->path, d->name, (long long)d->rows_per_person, q->rows_per_person,
          (long long)d->rows_per_person);
  FAIL_IF(d->reading.adding && q->neighbours != DPERM_NEIGHBOURS_ADD_REMOVE, err, DPERM_OVER_BUDGET,
          "%s: the budget of \"%s\" is for records added and removed, whose number is private, and "
          "this run is for replaced ones and states it; say neighbours add-remove",
          ledger->path, d->name);
  *r = (record){.kind = "reserve", .rows_per_person = d->rows_per_person};
  TRY(check_data(ledger, d, &q->identity, r->data, err));
  TRY(check_amounts(ledger, q, d, &price, err));
  (void)snprintf(r->dataset, sizeof r->dataset, "%s", q->dataset);
  (void)snprintf(r->command, sizeof r->command, "%s", q->command);
  (void)snprintf(r->mechanism, sizeof r->mechanism, "%s", q->mechanism);
  amounts_text(&price.claim, r->epsilon, r->delta);
  amounts_text(&price.spent, r->spent_epsilon, r->spent_delta);
  terms_write(&price.terms, r->terms);
  amounts_text(&price.claim, out->epsilon, out->delta);
  amounts_text(&price.left, out->epsilon_left, out->delta_left);
  amounts_text(&price.terms.cost, out->cost_epsilon, out->cost_delta);
  out->order = d->reading.renyi ? d->reading.order : 0;
  out->counted_twice = price.terms.adding && !d->reading.adding && !q->costs_nothing;
  return DPERM_OK;
}

dperm_status charge_reserve(dperm_ledger *ledger, const charge_request *request, bool dry_run,
                            dperm_charge *out, dperm_error *err) {
  OWNED(chain_cancel) dperm_ledger *held = NULL;
  dperm_charge made = {.entry = 0};
  record r;
  unsigned char token[LEDGER_KEY_SIZE];
  TRY(record_check_name(request->dataset, err));
  TRY(chain_begin(ledger, true, &held, err)); /* a dry run, too, needs a ledger that is writable */
  TRY(check_charge(ledger, request, &r, &made, err));
  if (!dry_run && !request->costs_nothing) {
    if (request->secret) {
      memcpy(token, request->secret, sizeof token);
    } else {
      TRY(record_secret(token, err));
    }
    (void)sodium_bin2hex(r.token, sizeof r.token, token, sizeof token);
    record_time_now(ledger->known->last.time, r.time);
    TRY(chain_append(ledger, &r, err));
    made.entry = (uint64_t)r.id;
    record_receipt(&r, made.digest);
    TRY(store_hold_space(ledger, err));
    dperm_status status = store_commit(&held, err);
    if (status != DPERM_OK) { /* its last step is a flush of the folder: all else may be done */
      store_free_space(ledger);
      error_append(err, "; the charge (entry %llu of the ledger) may be spent",
                   (unsigned long long)made.entry);
      return status;
    }
  }
  *out = made;
  return DPERM_OK;
}

/* ---- committing */

dperm_status charge_commit(dperm_ledger *ledger, uint64_t entry, const char *artifact,
                           dperm_error *err) {
  OWNED(chain_cancel) dperm_ledger *held = NULL;
  record reserved;
  TRY(chain_begin(ledger, true, &held, err));
  TRY(record_read(ledger, (int64_t)entry, &reserved, err));
  const chain *c = ledger->known;
  const dataset_state *d = chain_find(c, reserved.dataset);
  RETURN_IF(chain_commit_of(c, entry) != -1 || !d || strcmp(reserved.kind, "reserve") != 0,
            store_fail_damaged(ledger, "a reservation is gone", err));
  record r = {.kind = "commit", .entry = reserved.id, .rows_per_person = d->rows_per_person};
  (void)snprintf(r.dataset, sizeof r.dataset, "%s", reserved.dataset);
  (void)snprintf(r.artifact, sizeof r.artifact, "%s", artifact);
  amounts_text(&d->spent, r.spent_epsilon, r.spent_delta);
  memcpy(r.data, d->data, sizeof r.data);
  /* No clock here: the time since the reservation is how long the work took, which depends on the
   * records, and with random stopping on the secret number of rounds. */
  memcpy(r.time, c->last.time, sizeof r.time);
  store_free_space(ledger);
  TRY(chain_append(ledger, &r, err));
  return store_commit(&held, err);
}

/* ---- what a run held out */

dperm_status charge_find_secret(dperm_ledger *ledger, uint64_t entry, const char *receipt,
                                const data_identity *identity,
                                unsigned char secret[LEDGER_KEY_SIZE], double *held,
                                dperm_error *err) {
  OWNED(chain_cancel) dperm_ledger *kept = NULL;
  record reserved;
  record_terms terms;
  data_digests data;
  size_t length = 0;
  TRY(chain_begin(ledger, false, &kept, err));
  TRY(record_reserved(ledger, entry, receipt, &reserved, err));
  FAIL_IF(!reserved.kind[0] || !terms_parse(reserved.terms, &terms) || terms.held == 0, err,
          DPERM_INVALID_LEDGER,
          "%s: the ledger knows of no records that were held out of this model; name the ledger "
          "that it was charged to when it was trained and evaluated",
          ledger->path);
  (void)find_data(ledger->known, identity, NULL, &data);
  FAIL_IF(strcmp(reserved.data, data.given) != 0 && strcmp(reserved.data, data.encoded) != 0, err,
          DPERM_OVER_BUDGET,
          "%s: these are not the data that the model was trained on and a part of which it was not "
          "shown; give those",
          ledger->path);
  FAIL_IF(sodium_hex2bin(secret, LEDGER_KEY_SIZE, reserved.token, strlen(reserved.token), NULL,
                         &length, NULL) != 0 ||
              length != LEDGER_KEY_SIZE,
          err, DPERM_INVALID_LEDGER, "%s: the secret of entry %llu is no 32 bytes", ledger->path,
          (unsigned long long)entry);
  FAIL_IF(terms.places != places_of(ledger->known, identity), err, DPERM_OVER_BUDGET,
          "%s: these records stand in another order than those that the model was trained on, or "
          "have other labels or persons, and which were held out follows from their places; give "
          "them as they were",
          ledger->path);
  *held = terms.held;
  sodium_memzero(reserved.token, sizeof reserved.token);
  return store_commit(&kept, err);
}

/* ---- whether a ledger knows some records: for what tells exact things, which no budget covers */

dperm_status charge_refuse_known(dperm_ledger *ledger, const data_identity *identity,
                                 const char *path, const char *advice, dperm_error *err) {
  OWNED(chain_cancel) dperm_ledger *held = NULL;
  data_digests data;
  TRY(chain_begin(ledger, false, &held, err));
  const dataset_state *known = find_data(ledger->known, identity, NULL, &data);
  FAIL_IF(known, err, DPERM_OVER_BUDGET, "%s: %s %s data set \"%s\", and %s", ledger->path,
          path ? path_for_people(path) : "these data", path ? "is" : "are", known->name, advice);
  return store_commit(&held, err);
}

static dperm_status refuse_exact(dperm_ledger *ledger, const data_identity *identity,
                                 const char *path, dperm_error *err) {
  return charge_refuse_known(ledger, identity, path,
                             "exact results would tell more of its records than any budget allows; "
                             "use records that are public (scores: or give an epsilon)",
                             err);
}

dperm_status dperm_ledger_refuse_data(dperm_ledger *ledger, const dperm_data *data,
                                      dperm_error *err) {
  data_identity identity;
  TRY(identity_of_data(data, &identity, err));
  return refuse_exact(ledger, &identity, NULL, err);
}

/* An encoded file is the people of its source. */
static dperm_status digest_source(const char *path, unsigned char out[FILE_DIGEST_SIZE],
                                  dperm_error *err) {
  OWNED(encoded_close_at) encoded_file *file = NULL;
  if (!encoded_recognized(path)) {
    return file_digest(path, out, err);
  }
  TRY(encoded_open(path, &file, err));
  memcpy(out, file->trailer->source, FILE_DIGEST_SIZE);
  return DPERM_OK;
}

dperm_status dperm_ledger_refuse_file(dperm_ledger *ledger, const char *path, dperm_error *err) {
  unsigned char digest[FILE_DIGEST_SIZE] = {0};
  data_identity identity;
  struct stat about;
  FAIL_IF(strcmp(path, "-") == 0 || (stat(path, &about) == 0 && !S_ISREG(about.st_mode)), err,
          DPERM_INVALID_ARGUMENT,
          "%s: can be read only once, so the ledger cannot say beforehand whether it knows these "
          "records; name a file, or name no ledger if they are public",
          path_for_people(path));
  TRY(digest_source(path, digest, err));
  identity_of_file(digest, &identity);
  return refuse_exact(ledger, &identity, path, err);
}
