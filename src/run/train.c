/* dperm_train: one run, from options and public numbers to a model, in the order of the picture in
 * docs/architecture.md. What may fail for public reasons fails first; the ledger reserves the
 * charge; records that were asked or counted make their schema; the mechanism perturbs, solves and
 * certifies, the lattice releases; the ledger commits (account_make_model). */
#include <stdio.h>

#include "base/memory.h"
#include "base/options_defaults.h"
#include "base/thread_pool.h"
#include "data/dataset.h"
#include "intervals/interval_design.h"
#include "random/random_source.h"
#include "run/account.h"
#include "run/fit.h"
#include "run/options.h"
#include "run/output.h"
#include "run/run_parts.h"
#include "run/stage.h"

/* A run on its way. */
typedef struct training {
  run run;
  const run_parts *parts;
  const dperm_data *data; /* the fit's, as they were given */
  const dperm_data *once; /* one record of each person, that questions and counts see; the data
                             themselves where each record is a person's own */
  dperm_data *own_once;
  random_source *source;
  privacy_curve curves[NOISE_WAYS]; /* of the fit under any schema which may come, with what that
                                 costs: the dearest is charged */
  size_t curve_count;               /* 0: nothing is known of them */
  bool spends_delta;                /* whether one of them may spend the delta that was given, */
  bool all_spend;                   /* and all that are known */
  dperm_noise noise;                /* of the fit, whatever schema comes */
  asked_schema asked;               /* of these, the one that `how` says */
  counted_schema counted;
  dperm_data settled; /* the rows, where public numbers decide them: a view of the data, */
  fit_plan plan;      /* the plan of their fit, */
  fit_work work;      /* and its space */
} training;

static void training_clear(training *t) {
  fit_work_clear(&t->work);
  counted_clear(&t->counted);
  asked_clear(&t->asked);
  dperm_data_free(t->own_once);
  if (t->settled.x != t->data->x) {
    data_view_close(&t->settled);
  }
}

/* ---- before the charge, by the way that the schema is made */

/* What is pure beside the fit, if the schema costs so much: composition.md, C6. */
static double pure_beside(const run *r, double schema) {
  double pure = schema;
  for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    pure += r->claim.shares[s];
  }
  return pure;
}

static void add_curve(training *t, privacy_curve curve, double schema) {
  curve.pure = pure_beside(&t->run, schema);
  curve.apart = t->run.claim.epsilon_evaluated;
  t->curves[t->curve_count++] = curve;
}

static dperm_status prepare_given(training *t, dperm_error *err) {
  const dperm_options *o = t->run.options;
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  if (t->data->table) {
    TRY(representation_given(&t->run, t->data->schema, &schema, err));
    TRY(data_view_open(t->data, schema, &t->settled, err));
  }
  TRY(fit_plan_check(&t->settled, t->run.rows, o, &t->run.claim, &t->plan, err));
  add_curve(t, t->plan.curve, 0);
  t->spends_delta = plan_spends_delta(&t->plan.privacy);
  t->work.data = &t->settled;
  return o->account.dry_run ? DPERM_OK : fit_prepare(&t->work, err);
}

/* Whether a ledger may be charged: of a job's processes only the leader knows, all go one way. */
static bool is_charged(const training *t) {
  return t->run.options->account.ledger || t->data->x->spread;
}

/* A fit that may come (plan_visitor). */
static void note_plan(void *context, const fit_plan *plan, bool counted) {
  training *t = context;
  t->all_spend = t->all_spend && plan_spends_delta(&plan->privacy);
  t->spends_delta = t->spends_delta || plan_spends_delta(&plan->privacy);
}

/* If all fits that are known would have gaussian noise, the one that comes does, within the curves
 * of its ways (composition.md, C10); if none, it has pure noise. Else any kind may come. */
static dperm_status prepare_ways(training *t, const asked_schema *a, const counted_schema *counted,
                                 dperm_error *err) {
  const dperm_options *o = t->run.options;
  run_compose(&t->run, a, counted);
  TRY(plans_that_may_come(&t->run, a, counted, note_plan, t, err));
  if (!t->all_spend) {
    return DPERM_OK;
  }
  t->noise = DPERM_NOISE_GAUSSIAN;
  for (int i = 0; i < NOISE_WAYS; i++) {
    const guarantee claim = a && i ? run_claim_answered(&t->run, t->run.how.counted) : t->run.claim;
    if (claim.counted == (i != 0) && claim.composed.ways[i].reach > 0) {
      add_curve(t, fit_way_curve(o, &claim, t->run.classes), claim.shares[SHARE_SCHEMA]);
    }
  }
  return DPERM_OK;
}

static dperm_status prepare_counted(training *t, dperm_error *err) {
  const counts_request q = counts_of_run(&t->run, t->once);
  TRY(counted_prepare(&q, &t->counted, err));
  return prepare_ways(t, NULL, &t->counted, err);
}

static dperm_status prepare_asked(training *t, dperm_error *err) {
  TRY(asked_prepare(&t->run, t->once, t->source, &t->asked, err));
  return prepare_ways(t, &t->asked, &t->asked.counted, err);
}

static dperm_status prepare(training *t, dperm_error *err) {
  const dperm_options *o = t->run.options;
  const schema_way way = t->run.how.way;
  TRY(data_once(t->data, &t->own_once, &t->once, err));
  if (way != SCHEMA_GIVEN) { /* what the data may say against it, whatever schema comes */
    fit_plan plan;
    const guarantee fit = run_claim_whole(&t->run);
    TRY(fit_plan_check(t->data, t->run.rows, o, &fit, &plan, err));
    TRY(guarantee_check(&t->run.claim, err));
  }
  TRY((way == SCHEMA_ASKED     ? prepare_asked
       : way == SCHEMA_COUNTED ? prepare_counted
                               : prepare_given)(t, err));
  t->run.claim = guarantee_spending(t->run.claim, t->spends_delta);
  TRY(guarantee_check(&t->run.claim, err));
  const counted_schema *counted = way == SCHEMA_COUNTED    ? &t->counted
                                  : t->run.how.counted > 0 ? &t->asked.counted
                                                           : NULL;
  TRY(output_take_space(&o->account, t->data, counted, o, 1, err));
  if (counted && is_charged(t)) { /* else what runs out of memory costs nothing */
    OWNED(data_view_close) dperm_data widest = {0};
    TRY(counted_widest(counted, t->data, &widest, err));
    TRY(memory_probe(
        fit_memory_model(&widest, o) + fit_memory_work(&widest, t->data->x->rows, o, true), err));
  }
  return data_unchanged(t->data, err);
}

/* ---- behind it */

/* The schema that the records made, with the statement of what it cost, which names the charge. */
static dperm_status release_schema(training *t, const dperm_charge *charge, dperm_schema **out,
                                   double *cost, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *made = NULL;
  if (t->run.how.way == SCHEMA_ASKED) {
    return asked_settle(&t->asked, &t->run, t->source, charge, t->spends_delta, cost, out, err);
  }
  *cost = t->run.how.epsilon;
  TRY(counted_release(&t->counted, t->source, &made, err));
  return schema_state_cost(made, *cost, 0, &t->run.claim, charge, t->data->x->spread, out, err);
}

/* Whether the plan is one of those that were priced. */
static bool is_paid(const training *t, const fit_plan *plan) {
  bool paid = t->curve_count == 0;
  for (size_t i = 0; !paid && i < t->curve_count; i++) {
    paid = curve_covers(&t->curves[i], &plan->curve);
  }
  return paid && (t->spends_delta || !plan_spends_delta(&plan->privacy));
}

/* The fit under a schema that has just been made. */
static dperm_status fit_released(training *t, const dperm_charge *charge, dperm_model **out,
                                 dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  OWNED(data_view_close) dperm_data view = {0};
  dperm_options settled = *t->run.options;
  double cost = 0;
  TRY(release_schema(t, charge, &schema, &cost, err));
  TRY(data_view_open(t->data, schema, &view, err));
  settled.noise = t->noise;
  TRY(asked_options(&t->run, &settled, err));
  t->work.options = &settled;
  guarantee claim = t->run.claim;
  if (!t->spends_delta) {
    claim.delta_given = claim.delta_class = 0;
  }
  TRY(fit_plan_check(&view, t->run.rows, &settled, &claim, &t->plan, err));
  t->plan.curve.pure = pure_beside(&t->run, cost);
  FAIL_IF(!is_paid(t, &t->plan), err, DPERM_UNSUPPORTED,
          "the noise of the fit is not within what was charged for it; report this as a defect, "
          "and train without a refinement meanwhile");
  t->plan.claim.delta = t->run.claim.delta; /* as if it had spent what another might have */
  t->work.data = &view;
  TRY(fit_prepare(&t->work, err));
  return fit_perform(&t->work, out, err);
}

/* What is paid for (model_maker). */
static dperm_status make(void *context, const dperm_charge *charge, dperm_model **out,
                         dperm_error *err) {
  training *t = context;
  TRY(t->run.how.way == SCHEMA_GIVEN ? fit_perform(&t->work, out, err)
                                     : fit_released(t, charge, out, err));
  TRY(run_parts_evaluate(t->parts, t->source, *out, err));
  return ranks_agree(t->data->x->spread, data_unchanged(t->data, err), err);
}

static dperm_status train(const run_parts *parts, const dperm_options *o,
                          const stage_numbers *numbers, random_source *source, bool everywhere,
                          dperm_model **out, dperm_error *err) {
  const dperm_data *data = parts->fit;
  OWNED(training_clear)
  training t = {.parts = parts,
                .data = data,
                .source = source,
                .settled = *data,
                .noise = o->noise,
                .all_spend = true};
  const run_terms terms = {.schema = data->schema,
                           .chooses = true,
                           .columns = data->table ? data->schema : NULL,
                           .rows = parts->fit_rows,
                           .classes = data_class_count(data),
                           .reasons = options_reasons(o, data) | source_reasons(source)};
  const size_t scores = options_joint(o, terms.classes) ? terms.classes : 1;
  bool diagnosed = o->unsafe_diagnostics && o->account.ledger; /* have no price */
  char words[64];
  *out = NULL;
  t.work = (fit_work){.options = o, .plan = &t.plan, .source = source};
  dperm_status status = run_make(o, &terms, &t.run, err);
  status = status == DPERM_OK ? stages_check(o, numbers, err) : status;
  status = status == DPERM_OK ? prepare(&t, err) : status;
  (void)snprintf(words, sizeof words, "%s%s", dperm_mechanism_name(options_mechanism(o, scores)),
                 t.run.how.way == SCHEMA_GIVEN ? "" : ", refined");
  const account_run paid = {.account = &o->account,
                            .command = "train",
                            .mechanism = words,
                            .claim =
                                guarantee_with(t.run.claim, diagnosed ? REASON_DIAGNOSTICS : 0),
                            .curves = t.curves,
                            .curve_count = t.curve_count,
                            .data = parts->given,
                            .held = &parts->how,
                            .refined = data->schema ? &data->schema->refined : NULL,
                            .counted = t.run.how.counted,
                            .everywhere = everywhere};
  TRY(account_make_model(&paid, status, make, &t, out, err));
  return training_report(o, &t.run.how, data, *out, err);
}

/* The records under the schema that intervals assume. */
static dperm_status assume(const dperm_data *data, const dperm_options *o, dperm_data *out,
                           dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  FAIL_IF(!data->table, err, DPERM_UNSUPPORTED,
          "intervals are of columns that a schema describes; give one, or leave intervals out");
  TRY(interval_schema(data->schema, &schema, err));
  TRY(interval_check(schema, &o->loss, rows_in_all(data->x), o->epsilon, err));
  return data_view_open(data, schema, out, err);
}

static dperm_status train_given(const dperm_data *data, const dperm_options *given, bool everywhere,
                                dperm_model **out, dperm_error *err) {
  OWNED(random_wipe) random_source own = {0};
  OWNED(data_view_close) dperm_data assumed = {0};
  OWNED(run_parts_clear) run_parts parts = {0};
  random_source *source = NULL;
  dperm_options options;
  TRY(options_take(DPERM_OPTIONS_TRAIN, given, &options, err));
  TRY(options_validate(&options, data_class_count(data), data_label_range(data), err));
  if (options.intervals != 0) {
    TRY(assume(data, &options, &assumed, err));
    data = &assumed;
  }
  TRY(random_given(options.random, &own, &source, err));
  OWNED(threads_leave) thread_scope threads = threads_enter(options.threads);
  dperm_status status = run_parts_open(data, &options, source, &parts, err);
  if (status == DPERM_OK) {
    const stage_numbers numbers = stage_numbers_of(parts.fit, parts.fit_rows);
    stages_settle(&options, &numbers);
    status = train(&parts, &options, &numbers, source, everywhere, out, err);
  }
  return status == DPERM_OK ? status : ranks_agree(data->x->spread, status, err);
}

dperm_status dperm_train(const dperm_data *data, const dperm_options *given, dperm_model **out,
                         dperm_error *err) {
  return train_given(data, given, false, out, err);
}

dperm_status train_everywhere(const dperm_data *data, const dperm_options *given, dperm_model **out,
                              dperm_error *err) {
  return train_given(data, given, true, out, err);
}
