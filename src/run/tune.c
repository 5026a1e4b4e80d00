/* dperm_tune: checks the request before any work, pays, runs the method, and has the model state
 * what its epsilon covers: the candidates, the method and the choice. */
#include <math.h>
#include <stdio.h>

#include "base/arithmetic.h"
#include "base/defect.h"
#include "base/memory.h"
#include "base/options_defaults.h"
#include "base/thread_pool.h"
#include "data/dataset.h"
#include "data/identity.h"
#include "loss/loss.h"
#include "random/random_source.h"
#include "run/account.h"
#include "run/fit.h"
#include "run/options.h"
#include "run/output.h"
#include "run/run_parts.h"
#include "run/stage.h"
#include "run/tune_methods.h"

/* ---- before any work */

/* One run has one budget, one account and one source of noise. */
static bool of_one_run(const dperm_options *first, const dperm_options *other) {
  const dperm_account *a = &first->account, *b = &other->account;
  return other->epsilon == first->epsilon && other->delta == first->delta &&
         other->rows_per_person == first->rows_per_person &&
         other->neighbours == first->neighbours && other->rows_about == first->rows_about &&
         other->bins == first->bins && other->evaluate == first->evaluate &&
         (!other->random || other->random == first->random) && a->ledger == b->ledger &&
         a->dry_run == b->dry_run && a->charge == b->charge &&
         strcmp(a->dataset ? a->dataset : "", b->dataset ? b->dataset : "") == 0;
}

static dperm_status check_candidates(const tuning *t, dperm_error *err) {
  for (size_t i = 0; i < t->count; i++) {
    const dperm_options *options = &t->candidates[i];
    TRY(check_shares_none(options, "tune", err));
    FAIL_IF(
        options->mechanism == DPERM_MECHANISM_NONE, err, DPERM_INVALID_ARGUMENT,
        "tuning needs a private mechanism; without one, compare candidates with train and score");
    TRY(check_epsilon(options->epsilon, err));
    FAIL_IF(!of_one_run(&t->candidates[0], options), err, DPERM_INVALID_ARGUMENT,
            "candidate %zu has a unit, a budget, an account, bins, a part held out or a source of "
            "noise of its own; give all the same",
            i);
    const double own = loss_quantile(&options->loss), first = loss_quantile(&t->candidates[0].loss);
    FAIL_IF((isnan(own) ? 0.5 : own) != (isnan(first) ? 0.5 : first), err, DPERM_INVALID_ARGUMENT,
            "candidate %zu predicts another quantile than the first, and no one distance judges "
            "both; give all the same",
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
  rows = t->how->method == DPERM_TUNE_PUBLIC ? data_units(t->how->public_data) : rows;
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

/* A tuning on its way. */
typedef struct tune_job {
  tuning t;
  dperm_tune_options how;
  const run_parts *parts;
  const dperm_data *given, *given_public; /* the fits' and the public ones, as they were given */
  dperm_data *once; /* one record of each person, for what is asked; NULL: as they were given */
  dperm_options *candidates;
  guarantee *claims;
  run run;              /* if it chooses the first candidate; all have the same representation */
  asked_schema asked;   /* if that is asked for */
  bool spends_delta;    /* whether some fit may */
  dperm_schema *schema; /* of the rows, once it is known; else without what is asked */
  dperm_data view, public_view;
} tune_job;

static void close_views(tune_job *job) {
  data_view_close(&job->view);
  data_view_close(&job->public_view);
  dperm_schema_free(job->schema);
  job->schema = NULL;
}

static void tune_job_clear(tune_job *job) {
  close_views(job);
  asked_clear(&job->asked);
  dperm_data_free(job->once);
  free(job->candidates);
  free(job->claims);
}

/* The run if it chooses this candidate, by options alone: a stamp that followed from the records
 * would tell of them. The choice looks at every fit, so one candidate that is not private makes the
 * whole not private. Candidates may learn classes differently. */
static dperm_status run_of(const tune_job *job, bool asks, const dperm_options *candidate,
                           unsigned reasons, run *out, dperm_error *err) {
  const run_terms terms = {.schema = job->given->schema,
                           .chooses = asks,
                           .columns = job->given->table ? job->given->schema : NULL,
                           .rows = tune_fit_rows(&job->t),
                           .asked = job->t.rows,
                           .classes = data_class_count(job->given),
                           .rounds = job->t.rounds,
                           .reasons = reasons};
  return run_make(candidate, &terms, out, err);
}

/* The model states what its epsilon covers. */
static dperm_status state_claim(const tuning *t, size_t chosen, dperm_model *model,
                                dperm_error *err) {
  guarantee claim = t->claim;
  model->selection = tune_describe(t, chosen);
  FAIL_IF(!model->selection, err, DPERM_OUT_OF_MEMORY,
          "out of memory while describing the selection");
  claim.epsilon_class = t->claims[chosen].epsilon_class;
  if (DEFECT("stamp-of-chosen")) {
    claim.reasons = source_reasons(t->source) | options_reasons(&t->candidates[chosen], t->data);
  }
  return model_claim(model, &claim, err);
}

/* Memory for the widest rows that the records may answer, if that is paid for. */
static dperm_status probe_memory(const tune_job *job, const dperm_ledger *ledger,
                                 dperm_error *err) {
  OWNED(data_view_close) dperm_data widest = {0};
  tuning t = job->t;
  if (job->run.how.counted > 0 && (ledger || job->given->x->spread)) { /* all processes alike */
    TRY(counted_widest(&job->asked.counted, job->given, &widest, err));
    t.data = &widest;
  }
  return tune_probe_memory(&t, err);
}

static dperm_status prepare(const tune_job *job, dperm_ledger *ledger, dperm_error *err) {
  const tuning *t = &job->t;
  data_identity identity;
  TRY(arithmetic_check(err));
  TRY(probe_memory(job, ledger, err));
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
static dperm_status check_public(const tune_job *job, dperm_error *err) {
  OWNED(data_view_close) dperm_data view = {0};
  const dperm_data *all = job->parts->held ? job->parts->given : job->t.data;
  bool alike = false;
  if (job->how.method == DPERM_TUNE_PUBLIC) {
    if (job->parts->held && all->table) { /* the held out ones are as private */
      TRY(data_view_open(all, job->schema, &view, err));
      all = &view;
    }
    TRY(records_overlap(all, job->how.public_data, &alike, err));
  }
  FAIL_IF(alike && !DEFECT("public-trusted"), err, DPERM_INVALID_DATA,
          "the public data are the private records, or mostly, so no budget covers a choice on "
          "them and nothing is released; choose on other records, or by the method split or "
          "stopping");
  return DPERM_OK;
}

/* The private records, and the public ones, as rows of this schema. Takes it over. */
static dperm_status open_views(tune_job *job, dperm_schema *schema, dperm_error *err) {
  close_views(job);
  job->schema = schema;
  TRY(data_view_open(job->given, schema, &job->view, err));
  job->t.data = &job->view;
  if (job->given_public && job->given_public->table) {
    dperm_status status = data_view_open(job->given_public, schema, &job->public_view, err);
    TRY(status == DPERM_INVALID_SCHEMA ? fail_encoded(err) : status);
    job->how.public_data = &job->public_view;
  }
  return DPERM_OK;
}

/* What the records answer, and what that leaves for the fits. */
static dperm_status settle(tune_job *job, const dperm_charge *charge, dperm_error *err) {
  dperm_schema *schema = NULL;
  double cost = 0;
  TRY(asked_settle(&job->asked, &job->run, job->t.source, charge, job->spends_delta, &cost, &schema,
                   err));
  TRY(open_views(job, schema, err));
  for (size_t i = 0; cost != job->run.how.epsilon && i < job->t.count; i++) {
    run own;
    TRY(run_of(job, true, &job->candidates[i], job->run.claim.reasons, &own, err));
    own.how = job->run.how; /* one schema for all */
    job->claims[i] = run_claim_answered(&own, cost);
  }
  job->t.claim = job->run.claim;
  return DPERM_OK;
}

/* What is paid for, one charge for all portions and rounds (model_maker). */
static dperm_status choose(void *context, const dperm_charge *charge, dperm_model **out,
                           dperm_error *err) {
  tune_job *job = context;
  const tuning *t = &job->t;
  size_t chosen = 0;
  TRY(check_public(job, err)); /* alike on all processes */
  TRY(job->run.how.way == SCHEMA_ASKED ? settle(job, charge, err) : DPERM_OK);
  TRY(tune_run(t, &chosen, out, err));
  dperm_status end = data_unchanged(t->data, err); /* else nothing may leave, nor where the */
  end = end == DPERM_OK ? random_check(t->source, err) : end; /* choice's source has failed */
  TRY(ranks_agree(t->data->x->spread, end, err));
  TRY(state_claim(t, chosen, *out, err));
  return run_parts_evaluate(job->parts, t->source, *out, err);
}

static void note_plan(void *context, const fit_plan *plan, bool counted) {
  tune_job *job = context;
  job->spends_delta = job->spends_delta || plan_spends_delta(&plan->privacy);
}

/* Every fit of a candidate that may come can be planned: one that cannot be fitted must not turn up
 * after work, nor the number of rounds decide whether it does. */
static dperm_status plan_candidate(tune_job *job, const run *own, dperm_error *err) {
  const dperm_data *open = job->how.public_data;
  const dperm_options *o = own->options;
  fit_plan plan;
  TRY(guarantee_check(&own->claim, err));
  TRY(fit_plan_check(job->t.data, own->rows, o, &own->claim, &plan, err));
  note_plan(job, &plan, false);
  if (own->how.way == SCHEMA_ASKED) { /* the kind of noise is chosen when the schema is known */
    TRY(plans_that_may_come(own, &job->asked, &job->asked.counted, note_plan, job, err));
    job->spends_delta = job->spends_delta || (o->noise == DPERM_NOISE_AUTO && o->delta > 0);
  }
  if (!open) {
    return DPERM_OK;
  }
  const size_t known = data_units(open), compared = known - holdout_rows(known, job->how.holdout);
  const guarantee least =
      own->how.counted > 0 ? run_claim_answered(own, own->how.counted) : own->claim;
  return fit_plan_check_public(open, compared, o, &least, &plan, err);
}

/* The candidates as they are fitted: threads and progress of the first, each its own claim. */
static dperm_status set_candidates(tune_job *job, unsigned reasons, dperm_error *err) {
  dperm_options *candidates = job->candidates;
  const bool asks = job->run.how.way == SCHEMA_ASKED;
  for (size_t i = 0; i < job->t.count; i++) {
    run own;
    TRY(run_of(job, asks, &candidates[i], reasons, &own, err));
    job->claims[i] = own.claim;
    candidates[i].threads = candidates[0].threads;
    candidates[i].progress = candidates[0].progress;
    candidates[i].unsafe_diagnostics = NULL;
    TRY(plan_candidate(job, &own, err));
  }
  /* The choice looks at all of them, so one with gaussian noise spends delta for the whole run. */
  job->run.claim = job->t.claim = guarantee_spending(job->claims[0], job->spends_delta);
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

/* How columns become rows in all fits: as the first candidate's would, if the records may be asked
 * for each of them; and why the run is not private. */
static dperm_status settle_run(tune_job *job, unsigned *reasons, dperm_error *err) {
  bool asks = true;
  *reasons = source_reasons(job->t.source);
  for (size_t i = 0; i < job->t.count; i++) {
    run own;
    TRY(job->given->table ? check_columns_known(&job->candidates[i], job->given->schema, err)
                          : DPERM_OK);
    TRY(run_of(job, true, &job->candidates[i], 0, &own, err));
    asks = asks && own.how.way == SCHEMA_ASKED && own.classes > 0; /* h is the candidates' own */
    *reasons |= options_reasons(&job->candidates[i], job->given);
  }
  return run_of(job, asks, &job->candidates[0], *reasons, &job->run, err);
}

/* The usual shares of what comes after each fit, from the rows of one: if all candidates have the
 * same, since the choice looks at all of them; and none in rounds, of which each is paid for. */
static dperm_status settle_stages(tune_job *job, dperm_error *err) {
  const dperm_data *data = job->given;
  const stage_numbers numbers = stage_numbers_of(data, tune_fit_rows(&job->t));
  dperm_options *candidates = job->candidates;
  bool all = job->t.rounds.kind == ROUNDS_NONE;
  for (size_t i = 0; i < job->t.count; i++) {
    stages_settle(&candidates[i], &numbers);
    all = all && candidates[i].pairs == candidates[0].pairs;
  }
  for (size_t i = 0; i < job->t.count; i++) {
    candidates[i].pairs = all ? candidates[i].pairs : 0;
    TRY(stages_check(&candidates[i], &numbers, err));
  }
  return DPERM_OK;
}

/* Rows of the schema without what is asked; what is asked is looked at. */
static dperm_status prepare_schema(tune_job *job, dperm_error *err) {
  dperm_schema *schema = NULL;
  if (!job->given->table) { /* rows of numbers as they are */
    return DPERM_OK;
  }
  if (job->run.how.way == SCHEMA_ASKED) {
    const dperm_data *seen = NULL;
    TRY(data_once(job->given, &job->once, &seen, err));
    TRY(asked_prepare(&job->run, seen, job->t.source, &job->asked, err));
    schema = schema_share(job->asked.plain);
  } else {
    TRY(representation_given(&job->run, job->given->schema, &schema, err));
  }
  return open_views(job, schema, err);
}

static dperm_status choose_and_pay(tune_job *job, dperm_model **out, dperm_error *err) {
  const dperm_account account = job->candidates[0].account;
  const bool counts = job->run.how.counted > 0;
  char words[40];
  TRY(output_take_space(&account, job->t.data, counts ? &job->asked.counted : NULL, job->candidates,
                        job->t.count, err));
  (void)snprintf(words, sizeof words, "%s, %s", dperm_mechanism_name(job->candidates[0].mechanism),
                 dperm_tune_method_name(job->how.method));
  const account_run paid = {.account = &account,
                            .command = "tune",
                            .mechanism = words,
                            .claim = job->t.claim,
                            .data = job->parts->given,
                            .held = &job->parts->how,
                            .refined = job->given->schema ? &job->given->schema->refined : NULL,
                            .counted = job->run.how.counted};
  TRY(account_make_model(&paid, prepare(job, account.ledger, err), choose, job, out, err));
  return training_report(&job->candidates[0], &job->run.how, job->given, *out, err);
}

static dperm_status tune(const dperm_data *data, const dperm_options *given, size_t count,
                         const dperm_tune_options *given_how, dperm_model **out, dperm_error *err) {
  OWNED(random_wipe) random_source own = {0};
  OWNED(run_parts_clear) run_parts parts = {0};
  OWNED(tune_job_clear) tune_job job = {.parts = &parts, .t = {.count = count}};
  unsigned reasons = 0;
  TRY(options_take(DPERM_OPTIONS_TUNE, given_how, &job.how, err));
  FAIL_IF(count == 0 || count > 100000, err, DPERM_INVALID_ARGUMENT,
          "%zu candidates; give from 1 to 100000", count);
  TRY(options_take_all(given, count, &job.candidates, err));
  for (size_t i = 0; i < count; i++) {
    TRY(options_validate(&job.candidates[i], data_class_count(data), data_label_range(data), err));
  }
  TRY(check_choice(dperm_tune_method_name(job.how.method), "tuning method", job.how.method, err));
  TRY(check_epsilon(job.candidates[0].epsilon, err));
  TRY(memory_new(count, sizeof *job.claims, &job.claims, err));
  job.t.how = &job.how;
  job.t.candidates = job.candidates;
  job.t.claims = job.claims;
  job.t.rounds = rounds_law_of(&job.how, count);
  job.given_public = job.how.public_data;
  TRY(random_given(job.candidates[0].random, &own, &job.t.source, err));
  OWNED(threads_leave) thread_scope threads = threads_enter(job.candidates[0].threads);
  TRY(check_candidates(&job.t, err));
  TRY(run_parts_open(data, &job.candidates[0], job.t.source, &parts, err));
  job.given = job.t.data = parts.fit;
  job.t.rows = parts.fit_rows;
  TRY(settle_stages(&job, err));
  TRY(settle_run(&job, &reasons, err));
  TRY(prepare_schema(&job, err));
  TRY(check_method(&job.t, err));
  TRY(set_candidates(&job, reasons, err));
  return choose_and_pay(&job, out, err);
}

dperm_status dperm_tune(const dperm_data *data, const dperm_options *given, size_t count,
                        const dperm_tune_options *given_how, dperm_model **out, dperm_error *err) {
  *out = NULL;
  dperm_status status = tune(data, given, count, given_how, out, err);
  return status == DPERM_OK ? status : ranks_agree(data->x->spread, status, err);
}
