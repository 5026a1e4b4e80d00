/* dperm_train: one run, from options and public numbers to a model, in the order of the picture in
 * docs/architecture.md. What may fail for public reasons fails first; the ledger reserves the
 * charge; records that were asked or counted make their schema; the mechanism perturbs, solves and
 * certifies, the lattice releases; the ledger commits (account_make_model). */
#include <stdio.h>
#include <string.h>

#include "base/options_defaults.h"
#include "base/thread_pool.h"
#include "random/random_source.h"
#include "run/account.h"
#include "run/fit.h"
#include "run/options.h"
#include "run/output.h"
#include "run/stage.h"

/* A run: made once from options and public numbers, then carried out. */
typedef struct run {
  const dperm_options *options;
  const dperm_data *data; /* as they were given */
  random_source *source;
  representation how;      /* its rows are made, at what cost */
  schema_request request;  /* with the claim of all of it */
  privacy_curve curves[2]; /* of the fit under each schema which may come, with what the schema
                              costs, where they are known: the dearest is charged */
  size_t curve_count;
  bool spends_delta;  /* whether one of them may spend the delta that was given */
  asked_schema asked; /* of these, the one that `how` says */
  counted_schema counted;
  dperm_data settled; /* the rows, where public numbers decide them: a view of the data, */
  fit_plan plan;      /* the plan of their fit, */
  fit_work work;      /* and its space */
} run;

static void run_clear(run *r) {
  fit_work_clear(&r->work);
  counted_clear(&r->counted);
  if (r->settled.x != r->data->x) {
    data_view_close(&r->settled);
  }
}

/* ---- what public numbers decide */

static dperm_status run_make(run *r, dperm_error *err) {
  const dperm_options *o = r->options;
  const dperm_schema *schema = r->data->table ? r->data->schema : NULL;
  const size_t rows = options_rows(o, r->data), classes = data_class_count(r->data);
  TRY(check_refined_unit(o, r->data->schema, err));
  TRY(representation_choose(o, schema, rows, &r->how, err));
  const private_run shares = run_shares(o, classes, r->data->schema, r->how.epsilon);
  const unsigned reasons = options_reasons(o, r->data) | source_reasons(r->source);
  r->request = (schema_request){.options = o,
                                .data = r->data,
                                .rows = rows,
                                .epsilon = r->how.epsilon,
                                .claim = run_claim(o, &shares, reasons)};
  return stages_check(o, classes, r->data->x->spread, err);
}

/* ---- before the charge, by the way that the schema is made */

static dperm_status prepare_given(run *r, dperm_error *err) {
  const dperm_options *o = r->options;
  const schema_request *q = &r->request;
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  if (r->data->table) {
    TRY(representation_given(o, r->data->schema, q->rows, &q->claim, &schema, err));
    TRY(data_view_open(r->data, schema, &r->settled, err));
  }
  TRY(fit_plan_check(&r->settled, q->rows, o, &q->claim, &r->plan, err));
  r->curves[r->curve_count++] = r->plan.curve;
  r->spends_delta = plan_spends_delta(&r->plan.privacy);
  r->work.data = &r->settled;
  return o->account.dry_run ? DPERM_OK : fit_prepare(&r->work, err);
}

static dperm_status prepare_asked(run *r, dperm_error *err) {
  TRY(asked_prepare(&r->request, r->source, &r->asked, err));
  const fit_plan *lines = &r->asked.plans[0], *bins = &r->asked.plans[1];
  r->curves[r->curve_count++] = lines->curve;
  r->curves[r->curve_count++] = bins->curve;
  r->spends_delta = plan_spends_delta(&lines->privacy) || plan_spends_delta(&bins->privacy);
  return DPERM_OK;
}

/* Which schema will come nobody knows. It lies between two: groups of columns stay groups or become
 * lines, and crosses have at most the pairs of all cells. Noise that both can have, all can. */
static dperm_status plan_extreme(run *r, bool finest, fit_plan *out, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  dperm_error reason = {0};
  dperm_status status = counted_extreme(&r->counted, finest, &schema, &reason);
  status = status == DPERM_OK ? representation_plan(&r->request, schema, out, &reason) : status;
  FAIL_IF(status != DPERM_OK, err, status, "counts may leave %s, and then %s",
          finest ? "very many bins" : "straight lines instead of bins", reason.message);
  return DPERM_OK;
}

static dperm_status prepare_counted(run *r, dperm_error *err) {
  const dperm_options *o = r->options;
  fit_plan coarsest, finest;
  TRY(counted_prepare(&r->request, &r->counted, err));
  TRY(plan_extreme(r, false, &coarsest, err));
  TRY(plan_extreme(r, true, &finest, err));
  r->spends_delta =
      o->noise == DPERM_NOISE_AUTO ? o->delta > 0 : plan_spends_delta(&coarsest.privacy);
  return DPERM_OK;
}

static dperm_status run_prepare(run *r, dperm_error *err) {
  if (r->how.way != SCHEMA_GIVEN) { /* what the data may say against it, whatever schema comes */
    fit_plan plan;
    const private_run whole = run_shares(r->options, data_class_count(r->data), NULL, 0);
    const guarantee fit = run_claim(r->options, &whole, 0);
    TRY(fit_plan_check(r->data, r->request.rows, r->options, &fit, &plan, err));
    TRY(guarantee_check(&r->request.claim, err));
  }
  TRY(r->how.way == SCHEMA_ASKED     ? prepare_asked(r, err)
      : r->how.way == SCHEMA_COUNTED ? prepare_counted(r, err)
                                     : prepare_given(r, err));
  const guarantee claim = guarantee_spending(r->request.claim, r->spends_delta);
  r->request.claim = r->plan.claim = claim;
  for (size_t i = 0; i < r->curve_count; i++) { /* what has no curve is pure: composition.md, C6 */
    r->curves[i].pure = r->how.epsilon;
    for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
      r->curves[i].pure += claim.shares[s];
    }
  }
  TRY(guarantee_check(&claim, err));
  const counted_schema *counted = r->how.way == SCHEMA_COUNTED ? &r->counted : NULL;
  TRY(output_take_space(r->data, counted, r->options, 1, err));
  return data_unchanged(r->data, err);
}

/* ---- behind it */

/* The schema that the records made, with the statement of what it cost, which names the charge. */
static dperm_status release_schema(run *r, const dperm_charge *charge, dperm_schema **out,
                                   dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *made = NULL;
  TRY(r->how.way == SCHEMA_ASKED ? asked_release(&r->asked, &r->request, r->source, &made, err)
                                 : counted_release(&r->counted, r->source, &made, err));
  return schema_state_cost(made, r->how.epsilon, &r->request.claim, charge, r->data->x->spread, out,
                           err);
}

/* Whether the plan is one of those that were priced. */
static bool is_paid(const run *r, const fit_plan *plan) {
  bool paid = r->curve_count == 0;
  for (size_t i = 0; !paid && i < r->curve_count; i++) {
    paid = curve_covers(&r->curves[i], &plan->curve);
  }
  return paid && (r->spends_delta || !plan_spends_delta(&plan->privacy));
}

/* The fit under a schema that has just been made. */
static dperm_status fit_released(run *r, const dperm_charge *charge, dperm_model **out,
                                 dperm_error *err) {
  const dperm_options *o = r->options;
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  OWNED(data_view_close) dperm_data view = {0};
  TRY(release_schema(r, charge, &schema, err));
  TRY(data_view_open(r->data, schema, &view, err));
  TRY(fit_plan_check(&view, r->request.rows, o, &r->request.claim, &r->plan, err));
  FAIL_IF(!is_paid(r, &r->plan), err, DPERM_UNSUPPORTED,
          "the noise of the fit is not within what was charged for it; report this as a defect, "
          "and train without a refinement meanwhile");
  r->plan.claim = r->request.claim;
  r->work.data = &view;
  TRY(fit_prepare(&r->work, err));
  return fit_perform(&r->work, out, err);
}

/* What is paid for (model_maker). */
static dperm_status make(void *context, const dperm_charge *charge, dperm_model **out,
                         dperm_error *err) {
  run *r = context;
  TRY(r->how.way == SCHEMA_GIVEN ? fit_perform(&r->work, out, err)
                                 : fit_released(r, charge, out, err));
  return ranks_agree(r->data->x->spread, data_unchanged(r->data, err), err);
}

static dperm_status train(const dperm_data *data, const dperm_options *o, random_source *source,
                          dperm_model **out, dperm_error *err) {
  OWNED(run_clear) run r = {.options = o, .data = data, .source = source, .settled = *data};
  bool diagnosed = o->unsafe_diagnostics && o->account.ledger; /* have no price */
  char words[64];
  *out = NULL;
  r.work = (fit_work){.options = o, .plan = &r.plan, .source = source};
  dperm_status status = run_make(&r, err);
  status = status == DPERM_OK ? run_prepare(&r, err) : status;
  (void)snprintf(words, sizeof words, "%s%s", dperm_mechanism_name(o->mechanism),
                 r.how.way == SCHEMA_GIVEN ? "" : ", refined");
  const account_run paid = {.account = &o->account,
                            .command = "train",
                            .mechanism = words,
                            .claim =
                                guarantee_with(r.request.claim, diagnosed ? REASON_DIAGNOSTICS : 0),
                            .curves = r.curves,
                            .curve_count = r.curve_count,
                            .data = data,
                            .refined = data->schema ? &data->schema->refined : NULL};
  TRY(account_make_model(&paid, status, make, &r, out, err));
  return training_report(o, &r.how, data, *out, err);
}

dperm_status dperm_train(const dperm_data *data, const dperm_options *given, dperm_model **out,
                         dperm_error *err) {
  OWNED(random_wipe) random_source own = {0};
  random_source *source = NULL;
  dperm_options options;
  TRY(options_take(DPERM_OPTIONS_TRAIN, given, &options, err));
  TRY(options_validate(&options, err));
  TRY(random_given(options.random, &own, &source, err));
  OWNED(threads_leave) thread_scope threads = threads_enter(options.threads);
  dperm_status status = train(data, &options, source, out, err);
  return status == DPERM_OK ? status : ranks_agree(data->x->spread, status, err);
}
