/* See refined_run.h. */
#include "pipeline/refined_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "matrix/gemm_block.h"
#include "mechanism/mechanism.h"
#include "pipeline/calibration.h"
#include "pipeline/fit_work.h"
#include "pipeline/options.h"
#include "random/random_handle.h"

/* ---- before the charge */

dperm_status refined_run_check(const dperm_options *o, const dperm_schema *wide, dperm_error *err) {
  TRY(options_validate(o, err));
  TRY(check_refined_unit(o, wide, err));
  if (o->mechanism == DPERM_MECHANISM_NONE) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "a refinement needs a private mechanism and an epsilon to share; train without it");
  }
  if (o->regularizer.weights || o->regularizer.prior) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "weights and priors of the regularizer have a number for each encoded column, which a "
         "refinement is to decide; refine first, then train");
  }
  return DPERM_OK;
}

/* Epsilon of a row is too little for any fit. What was given is named, since asking is a default.
 */
static dperm_status too_little(const dperm_options *o, bool asks, double epsilon,
                               dperm_error *err) {
  bool calibrates = o->calibrate > 0;
  FAIL(err, DPERM_INVALID_ARGUMENT, "%s an epsilon of %g for the fit, which is too little; %s",
       asks && calibrates ? "asking the records for bins and the share of calibrate leave"
       : asks             ? "asking the records for bins leaves"
       : calibrates       ? "the shares of refine and calibrate leave"
                          : "the share of refine leaves",
       epsilon,
       asks && calibrates ? "give it a smaller one, or ask nothing (refine none)"
       : asks             ? "ask nothing (refine none)"
       : calibrates       ? "give smaller ones"
                          : "give a smaller one");
}

dperm_status refined_run_check_rest(const dperm_options *o, double refined, bool asks,
                                    dperm_error *err) {
  const double least = 1e-9; /* of a plan (calibrate.c) */
  private_run run = {.epsilon = o->epsilon,
                     .rows_per_person = o->rows_per_person,
                     .classes = 2,
                     .refined = refined,
                     .calibrated = options_calibrated(o)};
  const double rest = guarantee_of_run(&run).epsilon_row;
  bool whole = o->epsilon / (double)o->rows_per_person >= least && isfinite(o->epsilon);
  return whole && refined > 0 && !(rest >= least) ? too_little(o, asks, rest, err) : DPERM_OK;
}

/* What could refuse the fit for public reasons refuses it now: its rows will have the same norm and
 * labels as those in cells. */
static dperm_status rehearse(const refined_run *run, const dperm_data *counted, dperm_error *err) {
  dperm_options row = options_per_row(run->options);
  fit_plan plan;
  TRY(check_calibrate_classes(run->options, data_class_count(counted), err));
  if (run->options->calibrate > 0) {
    TRY(calibration_agree(counted->x->spread, gemm_is_fused(), err));
  }
  /* as without a refinement */
  TRY(fit_check(counted, options_rows(&row, counted), &row, &plan, err));
  row = options_sharing(&row, run->claim.epsilon_row, run->claim.delta_row);
  TRY(guarantee_check(&run->claim, err));
  dperm_status status = fit_check(counted, options_rows(&row, counted), &row, &plan, err);
  if (status == DPERM_INVALID_ARGUMENT) { /* what was fine with all of it */
    return too_little(run->options, run->asks, row.epsilon, err);
  }
  return status;
}

dperm_status refined_run_plan(const refined_run *run, const dperm_schema *schema, fit_plan *out,
                              dperm_error *err) {
  dperm_options row = options_per_row(run->options);
  row = options_sharing(&row, run->claim.epsilon_row, run->claim.delta_row);
  const guarantee claim = options_claim(&row, run->seen);
  return fit_plan_make(&row, &claim, data_class_count(run->seen), options_rows(&row, run->seen),
                       schema->dims, &schema->bounds, out, err);
}

/* ---- the records */

/* A reader may have forgotten its rows, or have its own idea of the schema. */
static dperm_status check_read(const dperm_data *data, const dperm_schema *schema,
                               dperm_error *err) {
  if (!data) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "the reader said that all is well and gave no rows; set *out to them, or return what went "
         "wrong");
  }
  if (!data->schema || !json_equal(data->schema->json, schema->json)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "the reader gave rows of another schema than it was called with, so a model of them would "
         "not say what its schema cost; encode the records under the one that it is given");
  }
  return DPERM_OK;
}

/* As far as it can be told: a file's bytes, a table's values, their number; and what was said about
 * them, since the claim has it from the first ones. */
static dperm_status check_same(const dperm_data *a, const dperm_data *b, dperm_error *err) {
  data_identity first, second;
  bool same =
      rows_in_all(a->x) == rows_in_all(b->x) && a->taken == b->taken && a->repeated == b->repeated;
  bool known = a->from_file || (a->prints && b->prints);
  if (same && known && a->from_file == b->from_file) {
    TRY(identity_of_data(a, &first, err));
    TRY(identity_of_data(b, &second, err));
    same = memcmp(first.given, second.given, sizeof first.given) == 0;
  }
  if (!same || a->from_file != b->from_file) {
    FAIL(err, DPERM_INVALID_DATA,
         "the records were changed between counting and fitting; run again and leave them alone");
  }
  return DPERM_OK;
}

dperm_status refined_run_read(const refined_run *run, const dperm_schema *schema, dperm_data **out,
                              dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  TRY(run->from->read(run->from->context, schema, &data, err));
  dperm_status status = check_read(data, schema, err);
  status = status == DPERM_OK && run->seen ? check_same(run->seen, data, err) : status;
  const dperm_data *any = data ? data : run->seen; /* whose processes are to agree */
  TRY(ranks_agree(any ? any->x->spread : NULL, status, err));
  *out = data;
  data = NULL;
  return DPERM_OK;
}

/* ---- behind it */

/* Whether the plan is one of those that were priced. */
static bool is_paid(const refined_run *run, const fit_plan *plan) {
  bool paid = run->curve_count == 0;
  for (size_t i = 0; !paid && i < run->curve_count; i++) {
    paid = curve_covers(&run->curves[i], &plan->curve);
  }
  return paid && (run->spends_delta || !plan_spends_delta(&plan->privacy));
}

static dperm_status fit(const refined_run *run, const dperm_data *data, dperm_model **out,
                        dperm_error *err) {
  dperm_options row = options_per_row(run->options);
  fit_plan plan = {0};
  row = options_sharing(&row, run->claim.epsilon_row, run->claim.delta_row);
  OWNED(fit_work_clear)
  fit_work work = {.data = data, .options = &row, .plan = &plan, .source = run->source};
  TRY(fit_check(data, options_rows(&row, data), &row, &plan, err));
  if (!is_paid(run, &plan)) {
    FAIL(err, DPERM_UNSUPPORTED,
         "the noise of the fit is not within what was charged for it; report this as a defect, "
         "and train without a refinement meanwhile");
  }
  plan.claim = run->claim;
  TRY(fit_prepare(&work, err));
  TRY(fit_perform(&work, out, err));
  return data_unchanged(data, err);
}

/* What is paid for (model_maker). */
static dperm_status make(void *context, dperm_model **out, dperm_error *err) {
  refined_run *run = context;
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  TRY(run->release(run, &schema, err));
  TRY(refined_run_read(run, schema, &data, err));
  TRY(fit(run, data, out, err));
  return data_unchanged(run->seen, err);
}

/* ---- the run */

static dperm_status train(refined_run *run, double share, dperm_model **out, dperm_error *err) {
  const dperm_options *o = run->options;
  const private_run whole = {.epsilon = o->epsilon,
                             .delta = o->delta,
                             .neighbours = o->neighbours,
                             .rows_per_person = o->rows_per_person,
                             .classes = data_class_count(run->seen),
                             .joint = options_joint(o, data_class_count(run->seen)),
                             .refined = share * o->epsilon,
                             .calibrated = options_calibrated(o)};
  const refinement_terms terms = {.epsilon = whole.refined,
                                  .whole = o->epsilon,
                                  .rows = options_rows(o, run->seen),
                                  .neighbours = o->neighbours,
                                  .rows_per_person = o->rows_per_person,
                                  .reasons =
                                      options_reasons(o, run->seen) | source_reasons(run->source)};
  run->claim = guarantee_with(guarantee_of_run(&whole), terms.reasons);
  dperm_status status = rehearse(run, run->seen, err);
  status = status == DPERM_OK ? run->prepare(run, &terms, err) : status;
  /* The kind of noise may follow from the schema that is still to be made: all are paid for. */
  run->claim = guarantee_spending(run->claim, run->spends_delta);
  char words[64];
  dperm_account account = o->account;
  (void)snprintf(words, sizeof words, "%s, refined", mechanism_of(o->mechanism)->name);
  account.charge = &run->charge;
  bool diagnosed = o->unsafe_diagnostics && account.ledger; /* have no price */
  const account_run paid = {.account = &account,
                            .command = "train",
                            .mechanism = words,
                            .claim = guarantee_with(run->claim, diagnosed ? REASON_DIAGNOSTICS : 0),
                            .curves = run->curves,
                            .curve_count = run->curve_count,
                            .data = run->seen};
  status = account_make_model(&paid, status, make, run, out, err);
  if (o->account.charge) {
    *o->account.charge = run->charge;
  }
  return status;
}

dperm_status refined_run_train(refined_run *run, double share, dperm_model **out,
                               dperm_error *err) {
  OWNED(random_wipe) random_source own = {0};
  TRY(random_given(run->options->random, &own, &run->source, err));
  dperm_status status = train(run, share, out, err);
  return status == DPERM_OK ? status : ranks_agree(run->seen->x->spread, status, err);
}
