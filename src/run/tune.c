/* dperm_tune: checks the request before any work, pays, runs the method, and has the model state
 * what its epsilon covers: the candidates, the method and the choice. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/defect.h"
#include "base/memory.h"
#include "base/options_defaults.h"
#include "data/identity.h"
#include "random/random_source.h"
#include "run/account.h"
#include "run/fit.h"
#include "run/options.h"
#include "run/output.h"
#include "run/tune_methods.h"

/* ---- before any work */

/* One run has one budget, one account and one source of noise. */
static bool of_one_run(const dperm_options *first, const dperm_options *other) {
  const dperm_account *a = &first->account, *b = &other->account;
  return other->epsilon == first->epsilon && other->delta == first->delta &&
         other->rows_per_person == first->rows_per_person &&
         other->neighbours == first->neighbours && other->rows_about == first->rows_about &&
         other->bins == first->bins && (!other->random || other->random == first->random) &&
         a->ledger == b->ledger && a->dry_run == b->dry_run && a->charge == b->charge &&
         strcmp(a->dataset ? a->dataset : "", b->dataset ? b->dataset : "") == 0;
}

static dperm_status check_candidates(const tuning *t, dperm_error *err) {
  for (size_t i = 0; i < t->count; i++) {
    const dperm_options *options = &t->candidates[i];
    TRY(options_validate(options, err));
    TRY(check_shares_none(options, "tune", err));
    TRY(kernel_validate(&options->kernel, t->data->x->cols, err));
    FAIL_IF(
        options->mechanism == DPERM_MECHANISM_NONE, err, DPERM_INVALID_ARGUMENT,
        "tuning needs a private mechanism; without one, compare candidates with train and score");
    TRY(check_epsilon(options->epsilon, err));
    FAIL_IF(!of_one_run(&t->candidates[0], options), err, DPERM_INVALID_ARGUMENT,
            "candidate %zu has a unit, a budget, an account, bins or a source of noise of its own; "
            "give all the same",
            i);
  }
  return DPERM_OK;
}

static dperm_status check_rows(const tuning *t, dperm_error *err) {
  enum { LEAST = 10 };
  size_t rows = t->rows;
  if (t->how->method == DPERM_TUNE_SPLIT) {
    FAIL_IF(tune_fit_rows(t) < LEAST, err, DPERM_INVALID_DATA,
            "%zu rows are too few for %zu candidates: each needs a portion of at least %d; give "
            "fewer candidates or use random stopping",
            rows, t->count, LEAST);
    return DPERM_OK;
  }
  FAIL_IF(!(t->how->holdout > 0 && t->how->holdout < 1), err, DPERM_INVALID_ARGUMENT,
          "a holdout of %g; give a share between 0 and 1", t->how->holdout);
  rows = t->how->method == DPERM_TUNE_PUBLIC ? rows_in_all(t->how->public_data->x) : rows;
  size_t held = holdout_rows(rows, t->how->holdout);
  FAIL_IF(held < LEAST || rows - held < LEAST, err, DPERM_INVALID_DATA,
          "a holdout of %g leaves fewer than %d of %zu rows on one side; choose another",
          t->how->holdout, LEAST, rows);
  return DPERM_OK;
}

static dperm_status fail_encoded(dperm_error *err) {
  FAIL(err, DPERM_INVALID_DATA,
       "the public data are encoded in another way than the private ones; use one schema");
}

static dperm_status check_method(const tuning *t, dperm_error *err) {
  const dperm_data *given = t->how->public_data;
  FAIL_IF(t->how->method == DPERM_TUNE_STOPPING && !isnan(t->how->rounds_mean) &&
              !(t->how->rounds_mean > 1 && t->how->rounds_mean <= 1e6),
          err, DPERM_INVALID_ARGUMENT, "a mean of %g rounds; give more than 1, at most a million",
          t->how->rounds_mean);
  FAIL_IF((t->how->method == DPERM_TUNE_PUBLIC) != (given != NULL), err, DPERM_INVALID_ARGUMENT,
          "public data go with the method public, and only with it");
  if (given && (given->x->cols != t->data->x->cols || given->origin != t->data->origin ||
                given->bounds.norm2 != t->data->bounds.norm2 ||
                !class_list_equal(&given->classes, &t->data->classes) || given->unlabelled ||
                (given->schema != t->data->schema &&
                 !json_equal(given->schema->json, t->data->schema->json)))) {
    return fail_encoded(err);
  }
  return check_rows(t, err);
}

/* ---- the run */

/* The run if it chooses this candidate, by options alone: a stamp that followed from the records
 * would tell of them. The choice looks at every fit, so one candidate that is not private makes the
 * whole not private. Candidates may learn classes differently. */
static dperm_status run_of(const tuning *t, const dperm_options *candidate, unsigned reasons,
                           run *out, dperm_error *err) {
  const run_terms terms = {.schema = t->data->schema,
                           .rows = tune_fit_rows(t),
                           .classes = data_class_count(t->data),
                           .rounds = t->rounds,
                           .reasons = reasons};
  return run_make(candidate, &terms, out, err);
}

/* The model states what its epsilon covers. */
static dperm_status state_claim(const tuning *t, size_t chosen, dperm_model *model,
                                dperm_error *err) {
  guarantee claim = t->claim;
  model->rows = t->rows;
  model->selection = tune_describe(t, chosen);
  FAIL_IF(!model->selection, err, DPERM_OUT_OF_MEMORY,
          "out of memory while describing the selection");
  claim.epsilon_class = t->claims[chosen].epsilon_class;
  if (DEFECT("stamp-of-chosen")) {
    claim.reasons = source_reasons(t->source) | options_reasons(&t->candidates[chosen], t->data);
  }
  return model_claim(model, &claim, err);
}

static dperm_status prepare(const tuning *t, dperm_ledger *ledger, dperm_error *err) {
  data_identity identity;
  TRY(arithmetic_check(err));
  TRY(tune_probe_memory(t, err));
  TRY(data_unchanged(t->data, err));
  if (!ledger || t->how->method != DPERM_TUNE_PUBLIC || !ranks_lead(t->data->x->spread)) {
    return DPERM_OK;
  }
  TRY(identity_of_data(t->how->public_data, &identity, err));
  return charge_refuse_known(ledger, &identity,
                             NULL, /* records that have a budget are somebody's */
                             "a choice made on them is not covered by any budget; they are not "
                             "public: choose on others, or by the method split or stopping",
                             err);
}

/* A choice on the private records themselves, or mostly, is covered by nothing. Both were encoded
 * in one way (check_method), so the same records are the same rows, whatever they were read from.
 * The answer depends on the records: it is the custodian's, ends the run (privacy.md 8.7, 5), and
 * is asked for behind the charge, so that a ledger limits how often it can be had. */
static dperm_status check_public(const tuning *t, dperm_error *err) {
  bool alike = false;
  if (t->how->method == DPERM_TUNE_PUBLIC) {
    TRY(records_overlap(t->data, t->how->public_data, &alike, err));
  }
  FAIL_IF(alike && !DEFECT("public-trusted"), err, DPERM_INVALID_DATA,
          "the public data are the private records, or mostly, so no budget covers a choice on "
          "them and nothing is released; choose on other records, or by the method split or "
          "stopping");
  return DPERM_OK;
}

/* What is paid for, one charge for all portions and rounds (model_maker). */
static dperm_status choose(void *context, const dperm_charge *charge, dperm_model **out,
                           dperm_error *err) {
  const tuning *t = context;
  size_t chosen = 0;
  TRY(check_public(t, err)); /* alike on all processes */
  TRY(tune_run(t, &chosen, out, err));
  dperm_status end = data_unchanged(t->data, err); /* else nothing may leave, nor where the */
  end = end == DPERM_OK ? random_check(t->source, err) : end; /* choice's source has failed */
  TRY(ranks_agree(t->data->x->spread, end, err));
  return state_claim(t, chosen, *out, err);
}

/* The candidates as they are fitted: under the first one's threads and progress, without
 * diagnostics, each with its claim. Every fit that may come can be planned: a candidate that cannot
 * be fitted must not turn up after work, nor the number of rounds decide whether it does. */
static dperm_status set_candidates(tuning *t, dperm_options *candidates, guarantee *claims,
                                   dperm_error *err) {
  const dperm_data *open = t->how->public_data;
  size_t known = open ? rows_in_all(open->x) : 0;
  size_t compared = known - holdout_rows(known, t->how->holdout);
  unsigned reasons = source_reasons(t->source);
  bool spends = false;
  t->claims = claims;
  for (size_t i = 0; i < t->count; i++) {
    reasons |= options_reasons(&candidates[i], t->data);
  }
  for (size_t i = 0; i < t->count; i++) {
    fit_plan plan;
    run own;
    TRY(run_of(t, &candidates[i], reasons, &own, err));
    claims[i] = own.claim;
    candidates[i].threads = candidates[0].threads;
    candidates[i].progress = candidates[0].progress;
    candidates[i].unsafe_diagnostics = NULL;
    TRY(guarantee_check(&claims[i], err));
    TRY(fit_plan_check(t->data, tune_fit_rows(t), &candidates[i], &claims[i], &plan, err));
    spends = spends || plan_spends_delta(&plan.privacy);
    TRY(open ? fit_plan_check_public(open, compared, &candidates[i], &claims[i], &plan, err)
             : DPERM_OK);
  }
  /* The choice looks at all of them, so one with gaussian noise spends delta for the whole run. */
  t->claim = guarantee_spending(claims[0], spends);
  return DPERM_OK;
}

static rounds_law rounds_law_of(const dperm_tune_options *how, size_t count) {
  double mean = isnan(how->rounds_mean) ? 3.0 * (double)count : how->rounds_mean;
  if (how->method != DPERM_TUNE_STOPPING) {
    return (rounds_law){.kind = ROUNDS_NONE, .mean = 1};
  }
  return rounds_law_near(
      how->rounds == DPERM_ROUNDS_GEOMETRIC ? ROUNDS_BY_GEOMETRIC : ROUNDS_BY_LOGARITHMIC, mean);
}

/* The schema of all fits, with the bins that follow from what each has. */
static dperm_status settle_schema(const tuning *t, dperm_schema **out, dperm_error *err) {
  run first;
  TRY(run_of(t, &t->candidates[0], 0, &first, err));
  for (size_t i = 0; i < t->count; i++) {
    TRY(check_columns_known(&t->candidates[i], t->data->schema, err));
  }
  return representation_given(&first, t->data->schema, out, err);
}

static dperm_status choose_and_pay(tuning *t, dperm_options *candidates, dperm_model **out,
                                   dperm_error *err) {
  OWNED_MEMORY guarantee *claims = NULL;
  const dperm_account account = candidates[0].account;
  char words[40];
  TRY(check_candidates(t, err));
  TRY(check_method(t, err));
  TRY(memory_new(t->count, sizeof *claims, &claims, err));
  TRY(set_candidates(t, candidates, claims, err));
  TRY(output_take_space(&account, t->data, NULL, candidates, t->count, err));
  (void)snprintf(words, sizeof words, "%s, %s", dperm_mechanism_name(candidates[0].mechanism),
                 dperm_tune_method_name(t->how->method));
  const account_run paid = {.account = &account,
                            .command = "tune",
                            .mechanism = words,
                            .claim = t->claim,
                            .data = t->data,
                            .refined = t->data->schema ? &t->data->schema->refined : NULL};
  TRY(account_make_model(&paid, prepare(t, account.ledger, err), choose, t, out, err));
  const representation given = {.way = SCHEMA_GIVEN};
  return training_report(&candidates[0], &given, t->data, *out, err);
}

static dperm_status tune(const dperm_data *data, const dperm_options *given, size_t count,
                         const dperm_tune_options *given_how, dperm_model **out, dperm_error *err) {
  OWNED(random_wipe) random_source own = {0};
  OWNED_MEMORY dperm_options *candidates = NULL;
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  OWNED(data_view_close) dperm_data view = {0}, public_view = {0};
  dperm_tune_options how;
  tuning t = {.data = data, .count = count, .how = &how};
  TRY(options_take(DPERM_OPTIONS_TUNE, given_how, &how, err));
  FAIL_IF(count == 0 || count > 100000, err, DPERM_INVALID_ARGUMENT,
          "%zu candidates; give from 1 to 100000", count);
  TRY(options_take_all(given, count, &candidates, err));
  TRY(options_validate(&candidates[0], err));
  TRY(check_choice(dperm_tune_method_name(how.method), "tuning method", how.method, err));
  t.candidates = candidates;
  t.rows = options_rows(&candidates[0], data);
  t.rounds = rounds_law_of(&how, count);
  TRY(random_given(candidates[0].random, &own, &t.source, err));
  if (data->table) { /* under the schema that bins follow from; rows of numbers as they are */
    TRY(check_epsilon(candidates[0].epsilon, err));
    TRY(settle_schema(&t, &schema, err));
    TRY(data_view_open(data, schema, &view, err));
    t.data = &view;
  }
  if (schema && how.public_data && how.public_data->table) {
    dperm_status status = data_view_open(how.public_data, schema, &public_view, err);
    TRY(status == DPERM_INVALID_SCHEMA ? fail_encoded(err) : status);
    how.public_data = &public_view;
  }
  return choose_and_pay(&t, candidates, out, err);
}

dperm_status dperm_tune(const dperm_data *data, const dperm_options *given, size_t count,
                        const dperm_tune_options *given_how, dperm_model **out, dperm_error *err) {
  *out = NULL;
  dperm_status status = tune(data, given, count, given_how, out, err);
  return status == DPERM_OK ? status : ranks_agree(data->x->spread, status, err);
}
