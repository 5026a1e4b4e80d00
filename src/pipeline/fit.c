/* From bounded rows to a model, in the order of the picture in docs/architecture.md: public numbers
 * become a plan, the mechanism perturbs, solves and certifies under it, the lattice releases, the
 * model says what was done. The only file that knows that order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/defect.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"
#include "data/class_weights.h"
#include "dperm/random.h"
#include "mechanism/given_options.h"
#include "mechanism/mechanism.h"
#include "model/model.h"
#include "pipeline/account.h"
#include "pipeline/fit.h"
#include "pipeline/fit_memory.h"
#include "pipeline/options.h"
#include "pipeline/unsafe_report.h"
#include "random/random_handle.h"
#include "release/lattice.h"
#include "solve/certify.h"

static dperm_status describe(dperm_model *model, const dperm_options *options,
                             const guarantee *claim, const random_source *source,
                             dperm_error *err) {
  const guarantee made = guarantee_with(*claim, source_reasons(source));
  model->loss_h = options->loss.parameter;
  model->loss_lipschitz = options->loss.lipschitz;
  model->loss_smoothness = options->loss.smoothness;
  TRY(model_claim(model, &made, err));
  return memory_copy_text(options->loss.name, strlen(options->loss.name), &model->loss, err);
}

dperm_status fit_release(const fit_plan *plan, ranks *spread, const solution *found, size_t dims,
                         random_source *source, double *weights, dperm_error *err) {
  dperm_status status = DPERM_OK;
  if (ranks_lead(spread)) {
    status = release_weights(&plan->release, found, dims, source, weights, err);
    if (status == DPERM_OK) {
      status = random_check(source, err); /* after the last draw, before anything leaves */
    }
  }
  return ranks_share(spread, status, weights, dims * sizeof *weights, err);
}

/* The noise is made for rows that count once at most (docs/proofs/weights.md). */
static dperm_status check_shares(const problem *base, dperm_error *err) {
  for (size_t i = 0; base->shares && i < base->x->rows; i++) {
    if (!(base->shares[i] >= 0 && base->shares[i] <= 1) && !DEFECT("weights-unscaled")) {
      FAIL(err, DPERM_NUMERIC_ERROR,
           "a record counts for more than the noise is made for; nothing is released");
    }
  }
  return DPERM_OK;
}

dperm_status fit_run(const fit_plan *plan, const problem *base, const solver_options *how,
                     random_source *source, solution *found, double *weights, solver_report *report,
                     dperm_error *err) {
  size_t dims = base->x->cols;
  TRY(check_shares(base, err));
  TRY(mechanism_of(plan->privacy.mechanism)
          ->run(&plan->privacy, base, how, &plan->release.promised, source, found, report, err));
  if (plan->privacy.mechanism == DPERM_MECHANISM_NONE) {
    memcpy(weights, found->f, dims * sizeof *found->f);
    return DPERM_OK;
  }
  return fit_release(plan, base->x->spread, found, dims, source, weights, err);
}

/* What the fits of a model share, all that can be had before the first record is looked at: `view`
 * is what the weights are for, `made` the features behind it, if any; `found` space for a
 * candidate, `sides` for the labels of one class against the others (NULL where the data's own will
 * do), `shares` for the weight of each row's class (NULL where all are 1). */
typedef struct fit_work {
  dperm_model *model;
  const matrix *view;
  matrix *made;
  solution found;
  double *sides, *shares;
  guarantee claim;
} fit_work;

/* The labels of fit m: those of two classes, or +1 for class m and −1 for all others. */
static const double *labels_of(const dperm_data *data, fit_work *work, size_t m) {
  for (size_t i = 0; work->sides && i < data->x->rows; i++) {
    work->sides[i] = data->labels[i] == (double)m ? 1.0 : -1.0;
  }
  return work->sides ? work->sides : data->labels;
}

/* Fit m under the model's plan. */
static dperm_status fit_one(const dperm_data *data, const dperm_options *options, size_t m,
                            random_source *source, fit_work *work, dperm_model *model,
                            dperm_unsafe_diagnostics *unsafe, dperm_error *err) {
  double norm = model->map ? FEATURES_NORM : data->bounds.norm2;
  problem base = {.x = work->view,
                  .labels = labels_of(data, work, m),
                  .shares = work->shares,
                  .norm_bound = norm,
                  .loss = &options->loss,
                  .regularizer = &options->regularizer};
  const double weights[2] = {1, 0}; /* of a defect: the intercept's is the last */
  const dperm_regularizer bare = {.weights = weights};
  if (DEFECT("intercept-free") && data->schema && data->schema->intercept &&
      work->view->cols == 2) {
    base.regularizer = &bare;
  }
  const solver_options how = {.tolerance = options->gradient_tolerance,
                              .progress = &options->progress};
  const fit_plan plan = {.privacy = model->plan, .release = model->release};
  double *made = model->weights + m * model->dims;
  solver_report solved;
  TRY(progress_tick(&options->progress, "solving", 0, 0, err));
  TRY(fit_run(&plan, &base, &how, source, &work->found, made, &solved, err));
  for (size_t j = 0; j < model->dims; j++) {
    if (!isfinite(made[j])) {
      FAIL(err, DPERM_NUMERIC_ERROR, "a weight is beyond all doubles; raise lambda or epsilon");
    }
  }
  return unsafe ? unsafe_add_fit(&base, model->plan.lambda, made, &solved, unsafe, err) : DPERM_OK;
}

/* All fits of the model, in the state of the machine that they need, described. */
static dperm_status fit_all(const dperm_data *data, const dperm_options *options,
                            const guarantee *claim, random_source *source, fit_work *work,
                            dperm_model *model, dperm_error *err) {
  dperm_unsafe_diagnostics seen = {0}, *unsafe = options->unsafe_diagnostics ? &seen : NULL;
  double started = unsafe_seconds_now();
  if (work->shares) {
    class_weights_of_rows(model->class_weights, model->classes.count, data->labels, data->x->rows,
                          work->shares);
  }
  for (size_t m = 0; m < class_fits(model->classes.count); m++) {
    TRY(fit_one(data, options, m, source, work, model, unsafe, err));
  }
  TRY(arithmetic_check(err));
  double seconds = unsafe_seconds_now() - started;
  TRY(describe(model, options, claim, source, err));
  if (unsafe) {
    TRY(unsafe_finish(model, data, seconds, unsafe, err));
    *options->unsafe_diagnostics = seen;
  }
  return DPERM_OK;
}

/* The model's shape, and with a kernel the public seed of its directions, drawn apart from the
 * noise where the caller left it open. */
static dperm_status shape_model(const dperm_data *data, const dperm_options *options,
                                random_source *source, dperm_model **model, dperm_error *err) {
  dperm_kernel kernel = options->kernel;
  if (kernel.name != DPERM_KERNEL_NONE && kernel.seed == 0) {
    if (ranks_lead(data->x->spread)) {
      kernel.seed = 1 + random_bits(source) % ((UINT64_C(1) << 53) - 1);
    }
    TRY(ranks_share(data->x->spread, DPERM_OK, &kernel.seed, sizeof kernel.seed, err));
  }
  return model_new(data, &kernel, &options->progress, model, err);
}

static void fit_work_clear(fit_work *work) {
  free(work->found.f);
  free(work->found.rest);
  free(work->sides);
  free(work->shares);
  matrix_free(work->made);
  dperm_model_free(work->model);
}

/* Whatever can fail for reasons that are public fails here, before a charge: memory, a machine with
 * another arithmetic. The caller clears `work` either way. */
static dperm_status fit_prepare(const dperm_data *data, const dperm_options *options,
                                const fit_plan *plan, random_source *source, fit_work *work,
                                dperm_error *err) {
  TRY(arithmetic_check(err));
  TRY(shape_model(data, options, source, &work->model, err));
  dperm_model *model = work->model;
  model->plan = plan->privacy;
  model->release = plan->release;
  work->claim = plan->claim;
  TRY(memory_new(model->dims, sizeof *work->found.f, &work->found.f, err));
  TRY(memory_new(model->dims, sizeof *work->found.rest, &work->found.rest, err));
  if (model->classes.count > 2) {
    TRY(memory_new(data->x->rows, sizeof *work->sides, &work->sides, err));
  }
  TRY(model_weigh(model, options, err));
  if (model->class_weights) {
    TRY(memory_new(data->x->rows, sizeof *work->shares, &work->shares, err));
  }
  TRY(model_view(model, data->x, &work->view, &work->made, err));
  thread_scope threads = threads_enter(options->threads);
  dperm_status status = memory_probe(fit_memory_work(data, data->x->rows, options), err);
  threads_leave(threads);
  return status;
}

/* The work itself. */
static dperm_status fit_prepared(const dperm_data *data, const dperm_options *options,
                                 random_source *source, fit_work *work, dperm_model **out,
                                 dperm_error *err) {
  matrix *kept = NULL;
  cancel_token stop;
  cancel_begin(&stop, &options->progress, "solving");
  thread_scope threads = threads_enter(options->threads);
  dperm_status status = arithmetic_check(err); /* before the first row is computed */
  if (status == DPERM_OK && work->made) {
    work->made->cancel = &stop; /* passes over features are long */
    status = features_keep(work->made, &kept, err);
  }
  if (status == DPERM_OK) {
    work->view = kept ? kept : work->view;
    status = fit_all(data, options, &work->claim, source, work, work->model, err);
  }
  if (status == DPERM_OK) {
    status =
        cancel_check(&stop, err); /* a pass that was cut short has failed already; to be sure */
  }
  if (work->made) {
    work->made->cancel = NULL;
  }
  threads_leave(threads);
  matrix_free(kept);
  if (status == DPERM_OK) {
    *out = work->model;
    work->model = NULL;
  }
  return status;
}

dperm_status fit_planned(const dperm_data *data, const dperm_options *options, const fit_plan *plan,
                         random_source *source, dperm_model **out, dperm_error *err) {
  fit_work work = {.view = NULL};
  dperm_status status = fit_prepare(data, options, plan, source, &work, err);
  if (status == DPERM_OK) {
    status = fit_prepared(data, options, source, &work, out, err);
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

/* Pay, fit, say for whom the guarantee is, commit. In this order, whatever happens between; what
 * can fail before the charge has not. */
static dperm_status pay_and_fit(const dperm_data *data, const dperm_options *row,
                                const account_run *run, random_source *source, fit_work *work,
                                dperm_model **out, dperm_error *err) {
  dperm_charge charge;
  dperm_model *model = NULL;
  TRY(account_reserve(run, &charge, err));
  if (!work->model) { /* a dry run has prepared none */
    *out = NULL;
    return DPERM_OK;
  }
  dperm_status status = fit_prepared(data, row, source, work, &model, err);
  if (status == DPERM_OK) {
    status = ranks_agree(data->x->spread, data_unchanged(data, err), err);
  }
  if (status == DPERM_OK) { /* diagnostics are not in the model: they concern the ledger alone */
    guarantee claim = run->claim;
    claim.reasons &= ~(unsigned)REASON_DIAGNOSTICS;
    status = model_claim(model, &claim, err);
  }
  if (status == DPERM_OK) {
    status = account_commit_model(run, &charge, model, err);
  }
  if (status == DPERM_OK) {
    *out = model;
  } else {
    dperm_model_free(model);
  }
  return account_failed(run, &charge, status, err);
}

static dperm_status train_paid(const dperm_data *data, const dperm_options *options,
                               random_source *source, dperm_model **out, dperm_error *err) {
  fit_plan plan = {0};
  fit_work work = {.view = NULL};
  const dperm_options row = options_per_row(options);
  TRY(fit_check(data, rows_in_all(data->x), &row, &plan, err));
  unsigned reasons = source_reasons(source); /* and what diagnostics tell has no price */
  reasons |= options->unsafe_diagnostics && options->account.ledger ? REASON_DIAGNOSTICS : 0;
  const account_run run = {.account = &options->account,
                           .command = "train",
                           .mechanism = mechanism_of(options->mechanism)->name,
                           .claim = guarantee_with(options_claim(options, data), reasons),
                           .data = data};
  dperm_status status = guarantee_check(&run.claim, err);
  if (status == DPERM_OK && !options->account.dry_run) {
    status = fit_prepare(data, &row, &plan, source, &work, err);
    status = status == DPERM_OK ? data_unchanged(data, err) : status;
    status = ranks_agree(data->x->spread, status, err);
  }
  if (status == DPERM_OK) {
    status = pay_and_fit(data, &row, &run, source, &work, out, err);
  }
  fit_work_clear(&work);
  return status;
}

dperm_status dperm_train(const dperm_data *data, const dperm_options *given, dperm_model **out,
                         dperm_error *err) {
  dperm_random *own = NULL;
  dperm_options options;
  TRY(given_options(given, &options, err));
  TRY(options_validate(&options, err));
  dperm_random *random = options.random;
  if (!random) {
    TRY(dperm_random_secure(&own, err));
    random = own;
  }
  dperm_status status = train_paid(data, &options, &random->source, out, err);
  dperm_random_free(own);
  return leader_keeps(data, status, out, err);
}
