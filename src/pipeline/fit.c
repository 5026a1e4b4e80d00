/* From bounded rows to a model, in the order of the picture in docs/architecture.md: public numbers
 * become a plan, the ledger reserves the charge, the mechanism perturbs, solves and certifies, the
 * lattice releases, the ledger commits (account_make_model). tune.c has the same order for many
 * fits. */
#include "pipeline/fit.h"

#include "matrix/gemm_block.h"
#include "mechanism/given_options.h"
#include "mechanism/mechanism.h"
#include "pipeline/account.h"
#include "pipeline/calibration.h"
#include "pipeline/fit_work.h"
#include "pipeline/options.h"
#include "random/random_handle.h"

dperm_status fit_planned(const dperm_data *data, const dperm_options *options, const fit_plan *plan,
                         random_source *source, dperm_model **out, dperm_error *err) {
  OWNED(fit_work_clear)
  fit_work work = {.data = data, .options = options, .plan = plan, .source = source};
  TRY(fit_prepare(&work, err));
  return fit_perform(&work, out, err);
}

dperm_status fit_model(const dperm_data *data, const dperm_options *options, random_source *source,
                       dperm_model **out, dperm_error *err) {
  fit_plan plan = {0};
  TRY(fit_check(data, options_rows(options, data), options, &plan, err));
  return fit_planned(data, options, &plan, source, out, err);
}

/* What is paid for (model_maker). */
static dperm_status make(void *context, dperm_model **out, dperm_error *err) {
  fit_work *work = context;
  TRY(fit_perform(work, out, err));
  return ranks_agree(work->data->x->spread, data_unchanged(work->data, err), err);
}

static dperm_status train(const dperm_data *data, const dperm_options *options,
                          random_source *source, dperm_model **out, dperm_error *err) {
  const guarantee claim = guarantee_with(options_run_claim(options, data), source_reasons(source));
  dperm_options row = options_per_row(options);
  row = options_sharing(&row, claim.epsilon_row, claim.delta_row);
  fit_plan plan = {0};
  OWNED(fit_work_clear)
  fit_work work = {.data = data, .options = &row, .plan = &plan, .source = source};
  TRY(check_refined_unit(options, data->schema, err));
  TRY(check_calibrate_classes(options, data_class_count(data), err));
  TRY(fit_check(data, options_rows(options, data), &row, &plan, err));
  if (options->calibrate > 0) {
    TRY(calibration_agree(data->x->spread, gemm_is_fused(), err));
  }
  /* The model is fitted for a row and states the claim for whom it was asked. */
  plan.claim = guarantee_spending(claim, plan_spends_delta(&plan.privacy));
  TRY(guarantee_check(&plan.claim, err));
  plan.curve.pure = claim.epsilon_calibrated;                              /* composition.md, C6 */
  bool diagnosed = options->unsafe_diagnostics && options->account.ledger; /* have no price */
  const account_run run = {.account = &options->account,
                           .command = "train",
                           .mechanism = mechanism_of(options->mechanism)->name,
                           .claim = guarantee_with(plan.claim, diagnosed ? REASON_DIAGNOSTICS : 0),
                           .curves = &plan.curve,
                           .curve_count = 1,
                           .data = data,
                           .refined = data->schema ? &data->schema->refined : NULL};
  dperm_status status = options->account.dry_run ? DPERM_OK : fit_prepare(&work, err);
  status = status == DPERM_OK ? data_unchanged(data, err) : status;
  return account_make_model(&run, status, make, &work, out, err);
}

dperm_status dperm_train(const dperm_data *data, const dperm_options *given, dperm_model **out,
                         dperm_error *err) {
  OWNED(random_wipe) random_source own = {0};
  random_source *source = NULL;
  dperm_options options;
  TRY(given_options(given, &options, err));
  TRY(options_validate(&options, err));
  TRY(random_given(options.random, &own, &source, err));
  dperm_status status = train(data, &options, source, out, err);
  return status == DPERM_OK ? status : ranks_agree(data->x->spread, status, err);
}
