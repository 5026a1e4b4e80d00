/* From bounded rows to a model, in the order of the picture in docs/architecture.md: public numbers
 * become a plan, the ledger reserves the charge, the mechanism perturbs, solves and certifies, the
 * lattice releases, the ledger commits. tune.c has the same order for many fits. */
#include "pipeline/fit.h"

#include "mechanism/given_options.h"
#include "mechanism/mechanism.h"
#include "pipeline/account.h"
#include "pipeline/fit_work.h"
#include "pipeline/options.h"
#include "random/random_handle.h"

dperm_status fit_planned(const dperm_data *data, const dperm_options *options, const fit_plan *plan,
                         random_source *source, dperm_model **out, dperm_error *err) {
  fit_work work = {.data = data, .options = options, .plan = plan, .source = source};
  dperm_status status = fit_prepare(&work, err);
  if (status == DPERM_OK) {
    status = fit_perform(&work, out, err);
  }
  fit_work_clear(&work);
  return status;
}

dperm_status fit_model(const dperm_data *data, const dperm_options *options, random_source *source,
                       dperm_model **out, dperm_error *err) {
  fit_plan plan = {0};
  TRY(fit_check(data, rows_in_all(data->x), options, &plan, err));
  return fit_planned(data, options, &plan, source, out, err);
}

/* Prepare, pay, fit, say for whom the guarantee is, commit. In this order, whatever happens
 * between: what can fail before the charge has not. */
static dperm_status train(const account_run *run, fit_work *work, const guarantee *claim,
                          dperm_model **out, dperm_error *err) {
  dperm_status status = DPERM_OK;
  const dperm_data *data = run->data;
  ranks *spread = data->x->spread;
  dperm_model *model = NULL;
  dperm_charge charge = {.entry = 0};
  if (!run->account->dry_run) {
    status = fit_prepare(work, err);
    status = status == DPERM_OK ? data_unchanged(data, err) : status;
    TRY_OR_DONE(ranks_agree(spread, status, err));
  }
  TRY_OR_DONE(account_reserve(run, &charge, err));
  if (!run->account->dry_run) {
    TRY_OR_DONE(fit_perform(work, &model, err));
    TRY_OR_DONE(ranks_agree(spread, data_unchanged(data, err), err));
    TRY_OR_DONE(model_claim(model, claim, err));
    TRY_OR_DONE(account_commit_model(run, &charge, model, err));
  }
  *out = model;
  model = NULL;
done:
  dperm_model_free(model);
  return account_failed(&charge, status, err);
}

dperm_status dperm_train(const dperm_data *data, const dperm_options *given, dperm_model **out,
                         dperm_error *err) {
  dperm_status status = DPERM_OK;
  random_source own = {0};
  dperm_options options;
  fit_plan plan = {0};
  fit_work work = {.data = data, .plan = &plan};
  TRY(given_options(given, &options, err));
  TRY(options_validate(&options, err));
  TRY(random_given(options.random, &own, &work.source, err));
  const dperm_options row = options_per_row(&options);
  work.options = &row;
  const guarantee claim =
      guarantee_with(options_claim(&options, data), source_reasons(work.source));
  bool diagnosed = options.unsafe_diagnostics && options.account.ledger; /* have no price */
  const account_run run = {.account = &options.account,
                           .command = "train",
                           .mechanism = mechanism_of(options.mechanism)->name,
                           .claim = guarantee_with(claim, diagnosed ? REASON_DIAGNOSTICS : 0),
                           .data = data};
  TRY_OR_DONE(fit_check(data, rows_in_all(data->x), &row, &plan, err));
  TRY_OR_DONE(guarantee_check(&claim, err));
  status = train(&run, &work, &claim, out, err);
done:
  fit_work_clear(&work);
  random_wipe(&own);
  return leader_keeps(data, status, out, err);
}
