/* dperm_tune: checks the request before any work, runs the method, and has the model state what its
 * epsilon covers: the candidates, the method and the choice. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/defect.h"
#include "base/memory.h"
#include "base/sized.h"
#include "data/record_overlap.h"
#include "dperm/random.h"
#include "mechanism/given_options.h"
#include "mechanism/mechanism.h"
#include "mechanism/selection.h"
#include "pipeline/account.h"
#include "pipeline/fit.h"
#include "pipeline/options.h"
#include "pipeline/tune_methods.h"
#include "random/random_handle.h"

/* NOLINTNEXTLINE(bugprone-sizeof-expression): the size of a pointer is what is meant */
static const sized_struct tune_struct = SIZED_STRUCT(dperm_tune_options, public_data);
static const dperm_tune_options tune_defaults = {.method = DPERM_TUNE_SPLIT,
                                                 .selector = DPERM_SELECTOR_PERMUTE_AND_FLIP,
                                                 .rounds = DPERM_ROUNDS_LOGARITHMIC,
                                                 .rounds_mean = (double)NAN,
                                                 .holdout = 0.1};

void dperm_tune_options_init_sized(dperm_tune_options *options, size_t size) {
  sized_init(&tune_struct, &tune_defaults, options, size);
}

/* ---- before any work */

/* One run has one budget, one account and one source of noise. */
static dperm_status check_same(const dperm_options *first, const dperm_options *other, size_t i,
                               dperm_error *err) {
  const dperm_account *a = &first->account, *b = &other->account;
  const char *what = other->epsilon != first->epsilon                   ? "an epsilon"
                     : other->rows_per_person != first->rows_per_person ? "rows per person"
                     : other->random && other->random != first->random  ? "a source of noise"
                                                                        : NULL;
  bool named =
      a->dataset && b->dataset ? strcmp(a->dataset, b->dataset) == 0 : a->dataset == b->dataset;
  if (!what &&
      (!named || a->ledger != b->ledger || a->dry_run != b->dry_run || a->charge != b->charge)) {
    what = "an account";
  }
  if (what) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "candidate %zu has %s of its own; give all the same", i,
         what);
  }
  return DPERM_OK;
}

static dperm_status take_candidates(const dperm_options *given, size_t count, dperm_options **out,
                                    dperm_error *err) {
  if (count == 0 || count > 100000) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%zu candidates; give from 1 to 100000", count);
  }
  return given_options_all(given, count, out, err);
}

static dperm_status check_candidates(const tuning *t, dperm_error *err) {
  for (size_t i = 0; i < t->count; i++) {
    const dperm_options *options = &t->candidates[i];
    TRY(options_validate(options, err));
    TRY(kernel_validate(&options->kernel, t->data->x->cols, err));
    if (options->mechanism == DPERM_MECHANISM_NONE) {
      FAIL(
          err, DPERM_INVALID_ARGUMENT,
          "tuning needs a private mechanism; without one, compare candidates with train and score");
    }
    if (!(options->epsilon > 0 && isfinite(options->epsilon))) {
      FAIL(err, DPERM_INVALID_ARGUMENT, "epsilon = %g; it must be positive and finite",
           options->epsilon);
    }
    TRY(check_same(&t->candidates[0], options, i, err));
  }
  return DPERM_OK;
}

static dperm_status check_rows(const tuning *t, dperm_error *err) {
  enum { LEAST = 10 };
  size_t rows = rows_in_all(t->data->x);
  if (t->how->method == DPERM_TUNE_SPLIT && split_portion(rows, t->count) < LEAST) {
    FAIL(err, DPERM_INVALID_DATA,
         "%zu rows are too few for %zu candidates: each needs a portion of at least %d; give fewer "
         "candidates or use random stopping",
         rows, t->count, LEAST);
  }
  if (t->how->method == DPERM_TUNE_SPLIT) {
    return DPERM_OK;
  }
  if (!(t->how->holdout > 0 && t->how->holdout < 1)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "a holdout of %g; give a share between 0 and 1",
         t->how->holdout);
  }
  rows = t->how->method == DPERM_TUNE_PUBLIC ? rows_in_all(t->how->public_data->x) : rows;
  size_t held = holdout_rows(rows, t->how->holdout);
  if (held < LEAST || rows - held < LEAST) {
    FAIL(err, DPERM_INVALID_DATA,
         "a holdout of %g leaves fewer than %d of %zu rows on one side; choose another",
         t->how->holdout, LEAST, rows);
  }
  return DPERM_OK;
}

static dperm_status check_method(const tuning *t, dperm_error *err) {
  const dperm_data *given = t->how->public_data;
  if (t->how->method != DPERM_TUNE_SPLIT && t->how->method != DPERM_TUNE_STOPPING &&
      t->how->method != DPERM_TUNE_PUBLIC) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "tuning method number %d is none of the three",
         (int)t->how->method);
  }
  if (t->how->method == DPERM_TUNE_STOPPING && !isnan(t->how->rounds_mean) &&
      !(t->how->rounds_mean > 1 && t->how->rounds_mean <= 1e6)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "a mean of %g rounds; give more than 1, at most a million",
         t->how->rounds_mean);
  }
  if ((t->how->method == DPERM_TUNE_PUBLIC) != (given != NULL)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "public data go with the method public, and only with it");
  }
  if (given && (given->x->cols != t->data->x->cols || given->origin != t->data->origin ||
                given->bounds.norm2 != t->data->bounds.norm2 ||
                !class_list_equal(&given->classes, &t->data->classes) || given->unlabelled ||
                (given->schema != t->data->schema &&
                 !json_equal(given->schema->json, t->data->schema->json)))) {
    FAIL(err, DPERM_INVALID_DATA,
         "the public data are encoded in another way than the private ones; use one schema");
  }
  return check_rows(t, err);
}

/* Every fit that may come can be planned: a candidate that cannot be fitted must not turn up after
 * work, nor the number of rounds decide whether it does. */
static dperm_status check_plans(const tuning *t, dperm_error *err) {
  size_t rows = rows_in_all(t->data->x);
  if (t->how->method == DPERM_TUNE_STOPPING) {
    rows -= holdout_rows(rows, t->how->holdout);
  } else if (t->how->method == DPERM_TUNE_SPLIT) {
    rows = split_portion(rows, t->count);
  }
  for (size_t i = 0; i < t->count; i++) {
    dperm_options options = t->candidates[i];
    options.epsilon = t->claim.epsilon_fit;
    fit_plan plan;
    TRY(fit_check(t->data, rows, &options, &plan, err));
  }
  return DPERM_OK;
}

/* ---- what is called public */

/* Whether the choice would be made on the private records themselves, or mostly. Both were encoded
 * in one way (check_method), so the same records are the same rows, whatever they were read from.
 */
static dperm_status public_reasons(const tuning *t, unsigned *reasons, dperm_error *err) {
  bool alike = false;
  if (t->how->method == DPERM_TUNE_PUBLIC) {
    TRY(records_overlap(t->data, t->how->public_data, &alike, err));
  }
  *reasons = alike ? (unsigned)REASON_NOT_PUBLIC : 0;
  return DPERM_OK;
}

/* Records that have a budget are somebody's. */
static dperm_status refuse_public(const tuning *t, dperm_ledger *ledger, dperm_error *err) {
  data_identity identity;
  if (!ledger || t->how->method != DPERM_TUNE_PUBLIC || !ranks_lead(t->data->x->spread)) {
    return DPERM_OK;
  }
  TRY(identity_of_data(t->how->public_data, &identity, err));
  return charge_refuse_known(ledger, &identity,
                             "a choice made on them is not covered by any budget; they are not "
                             "public: choose on others, or by the method split or stopping",
                             err);
}

/* ---- what the model states */

static json_t *weights_json(const dperm_options *o) {
  json_t *object = o->class_weight_count > 0 ? json_object() : NULL;
  for (size_t i = 0; object && i < o->class_weight_count; i++) {
    const dperm_class_weight *w = &o->class_weights[i];
    if (json_object_set_new(object, w->name, json_real(w->weight)) != 0) {
      json_decref(object);
      return NULL;
    }
  }
  return object;
}

static json_t *candidate_json(const dperm_options *o) {
  bool kernel = o->kernel.name != DPERM_KERNEL_NONE;
  json_t *h = isnan(o->loss.parameter) ? json_null() : json_real(o->loss.parameter);
  json_t *lambda = isnan(o->lambda) ? json_string("auto") : json_real(o->lambda);
  json_t *gamma = kernel ? json_real(o->kernel.gamma) : json_null();
  json_t *features = kernel ? json_integer((json_int_t)o->kernel.features) : json_null();
  return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o*}", "loss", o->loss.name, "h", h, "lambda",
                   lambda, "gamma", gamma, "features", features, "class_weights", weights_json(o));
}

static json_t *candidates_json(const tuning *t) {
  json_t *list = json_array();
  for (size_t i = 0; list && i < t->count; i++) {
    if (json_array_append_new(list, candidate_json(&t->candidates[i])) != 0) {
      json_decref(list);
      return NULL;
    }
  }
  return list;
}

static json_t *selection_json(const tuning *t, size_t chosen) {
  double epsilon = t->candidates[0].epsilon;
  const double delta = 0.05;
  switch (t->how->method) {
  case DPERM_TUNE_SPLIT:
    return json_pack(
        "{s:s, s:s, s:o, s:I, s:I, s:{s:f, s:f}}", "method", "split", "selector",
        t->how->selector == DPERM_SELECTOR_EXPONENTIAL ? "exponential" : "permute-and-flip",
        "candidates", candidates_json(t), "chosen", (json_int_t)chosen, "portion",
        (json_int_t)split_portion(rows_in_all(t->data->x), t->count), "bound", "delta", delta,
        "excess_errors", selection_bound(t->count, ratio_value(ratio_below(epsilon)), delta));
  case DPERM_TUNE_STOPPING:
    return json_pack("{s:s, s:s, s:f, s:f, s:o, s:I, s:I}", "method", "stopping", "rounds",
                     t->how->rounds == DPERM_ROUNDS_GEOMETRIC ? "geometric" : "logarithmic",
                     "rounds_mean", t->rounds.mean, "epsilon_round", t->claim.epsilon_fit,
                     "candidates", candidates_json(t), "chosen", (json_int_t)chosen, "holdout_rows",
                     (json_int_t)holdout_rows(rows_in_all(t->data->x), t->how->holdout));
  case DPERM_TUNE_PUBLIC:
    return json_pack("{s:s, s:o, s:I, s:I}", "method", "public", "candidates", candidates_json(t),
                     "chosen", (json_int_t)chosen, "public_rows",
                     (json_int_t)rows_in_all(t->how->public_data->x));
  }
  return NULL;
}

static dperm_status run(const tuning *t, size_t *chosen, dperm_model **model, dperm_error *err) {
  switch (t->how->method) {
  case DPERM_TUNE_SPLIT:
    return tune_by_split(t, chosen, model, err);
  case DPERM_TUNE_STOPPING:
    return tune_by_stopping(t, chosen, model, err);
  case DPERM_TUNE_PUBLIC:
    return tune_in_public(t, chosen, model, err);
  }
  FAIL(err, DPERM_INVALID_ARGUMENT, "no such tuning method"); /* checked before any work */
}

/* ---- the run */

/* What the run guarantees. The choice looks at every candidate's fit, so one that is not private
 * makes the whole not private, whichever is chosen. `not_public`: reasons of the public data. */
static guarantee claim_of(const tuning *t, const dperm_options *given, unsigned not_public) {
  const private_run run = {.epsilon = given->epsilon,
                           .rows_per_person = given->rows_per_person,
                           .classes = data_class_count(t->data),
                           .rounds = t->rounds.kind,
                           .rounds_mean = t->rounds.mean};
  unsigned reasons = source_reasons(t->source);
  for (size_t i = 0; i < t->count; i++) {
    reasons |= options_reasons(&t->candidates[i], t->data);
  }
  return guarantee_with(guarantee_of_run(&run), reasons | not_public);
}

/* The model states what its epsilon covers. */
static dperm_status state_claim(const tuning *t, const account_run *paid, size_t chosen,
                                dperm_model *model, dperm_error *err) {
  model->rows = rows_in_all(t->data->x);
  model->selection = selection_json(t, chosen);
  if (!model->selection) {
    FAIL(err, DPERM_OUT_OF_MEMORY, "out of memory while describing the selection");
  }
  guarantee claim = paid->claim;
  if (DEFECT("stamp-of-chosen")) {
    claim.reasons = source_reasons(t->source) | options_reasons(&t->candidates[chosen], t->data);
  }
  return model_claim(model, &claim, err);
}

static dperm_status choose_model(const tuning *t, const account_run *paid,
                                 const dperm_charge *charge, dperm_model **out, dperm_error *err) {
  dperm_status status = DPERM_OK;
  dperm_model *model = NULL;
  size_t chosen = 0;
  TRY_OR_DONE(run(t, &chosen, &model, err));
  status = data_unchanged(t->data, err);
  status =
      status == DPERM_OK ? random_check(t->source, err) : status; /* the choice was drawn too */
  TRY_OR_DONE(ranks_agree(t->data->x->spread, status, err));
  TRY_OR_DONE(state_claim(t, paid, chosen, model, err));
  TRY_OR_DONE(account_commit_model(paid, charge, model, err));
  *out = model;
  model = NULL;
done:
  dperm_model_free(model);
  return account_failed(paid, charge, status, err);
}

static dperm_status foresee(const tuning *t, dperm_error *err) {
  TRY(arithmetic_check(err));
  TRY(tune_foresee(t, err));
  return data_unchanged(t->data, err);
}

/* One charge for all portions and rounds: their epsilon is what `given` says. */
static dperm_status tune_paid(const tuning *t, const dperm_options *given, dperm_model **out,
                              dperm_error *err) {
  static const char *const methods[] = {"split", "stopping", "public"};
  dperm_charge charge;
  char way[40];
  (void)snprintf(way, sizeof way, "%s, %s", mechanism_of(given->mechanism)->name,
                 methods[t->how->method]);
  const account_run paid = {.account = &given->account,
                            .command = "tune",
                            .mechanism = way,
                            .claim = t->claim,
                            .data = t->data};
  dperm_status status = foresee(t, err); /* nothing public fails after this */
  status = status == DPERM_OK ? refuse_public(t, given->account.ledger, err) : status;
  TRY(ranks_agree(t->data->x->spread, status, err));
  TRY(account_reserve(&paid, &charge, err));
  if (given->account.dry_run) {
    *out = NULL;
    return DPERM_OK;
  }
  return choose_model(t, &paid, &charge, out, err);
}

dperm_status dperm_tune(const dperm_data *data, const dperm_options *given, size_t count,
                        const dperm_tune_options *given_how, dperm_model **out, dperm_error *err) {
  dperm_status status = DPERM_OK;
  dperm_random *own = NULL, *random = NULL;
  dperm_options *candidates = NULL, *rows = NULL;
  dperm_tune_options how = tune_defaults;
  unsigned not_public = 0;
  tuning t = {.data = data, .count = count, .how = &how};
  TRY_OR_DONE(sized_take(&tune_struct, given_how, &how, err));
  TRY_OR_DONE(take_candidates(given, count, &candidates, err));
  t.candidates = candidates;
  TRY_OR_DONE(check_candidates(&t, err));
  TRY_OR_DONE(check_method(&t, err));
  TRY_OR_DONE(memory_new(count, sizeof *rows, &rows, err));
  for (size_t i = 0; i < count; i++) {
    rows[i] = options_per_row(&candidates[i]);
  }
  t.candidates = rows;
  random = candidates[0].random;
  if (!random) {
    TRY_OR_DONE(dperm_random_secure(&own, err));
    random = own;
  }
  t.source = &random->source;
  if (how.method == DPERM_TUNE_STOPPING) {
    t.rounds = rounds_law_near(how.rounds == DPERM_ROUNDS_GEOMETRIC ? ROUNDS_BY_GEOMETRIC
                                                                    : ROUNDS_BY_LOGARITHMIC,
                               isnan(how.rounds_mean) ? 3.0 * (double)count : how.rounds_mean);
  }
  TRY_OR_DONE(public_reasons(&t, &not_public, err));
  t.claim = claim_of(&t, &candidates[0], not_public);
  TRY_OR_DONE(guarantee_check(&t.claim, err));
  TRY_OR_DONE(check_plans(&t, err));
  status = tune_paid(&t, &candidates[0], out, err);
done:
  dperm_random_free(own);
  free(rows);
  free(candidates);
  return leader_keeps(data, status, out, err);
}
