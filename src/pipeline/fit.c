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
#include "mechanism/mechanism.h"
#include "model/model.h"
#include "pipeline/account.h"
#include "pipeline/fit.h"
#include "pipeline/options.h"
#include "pipeline/unsafe_report.h"
#include "random/handle.h"
#include "release/lattice.h"
#include "solve/certify.h"

const char *why_not_private(const dperm_options *options, const random_source *source) {
  if (options->mechanism == DPERM_MECHANISM_NONE) {
    return "trained without a privacy mechanism";
  }
  if (source->seeded) {
    return "the noise came from a seed, for tests and experiments";
  }
  if (!evaluation_declared(&options->loss, &options->regularizer)) {
    return "a custom loss or regularizer does not declare how precisely it is evaluated";
  }
  return NULL;
}

static dperm_status describe(dperm_model *model, const dperm_options *options,
                             const random_source *source, dperm_error *err) {
  const char *reason = why_not_private(options, source);
  model->is_private = reason == NULL;
  model->epsilon = model->epsilon_row = options->epsilon;
  model->loss_h = options->loss.parameter;
  model->loss_lipschitz = options->loss.lipschitz;
  model->loss_smoothness = options->loss.smoothness;
  if (reason) {
    TRY(memory_copy_text(reason, strlen(reason), &model->reason, err));
  }
  return memory_copy_text(options->loss.name, strlen(options->loss.name), &model->loss, err);
}

dperm_status fit_run(const fit_plan *plan, const problem *base, const solver_options *how,
                     random_source *source, solution *found, double *weights, solver_report *report,
                     dperm_error *err) {
  size_t dims = base->x->cols;
  TRY(mechanism_of(plan->privacy.mechanism)
          ->run(&plan->privacy, base, how, &plan->release.promised, source, found, report, err));
  if (plan->privacy.mechanism == DPERM_MECHANISM_NONE) {
    memcpy(weights, found->f, dims * sizeof *found->f);
    return DPERM_OK;
  }
  TRY(release_weights(&plan->release, found, dims, source, weights, err));
  return random_check(source, err); /* after the last draw, before anything leaves */
}

/* One fit under the model's plan, in the state of the machine that all of it needs, described:
 * `view` is what the weights are for, `found` room for the candidate. */
static dperm_status fit(const dperm_data *data, const matrix *view, const dperm_options *options,
                        random_source *source, solution *found, dperm_model *model,
                        dperm_error *err) {
  double norm = model->map ? FEATURES_NORM : data->bounds.norm2;
  problem base = {.x = view,
                  .labels = data->labels,
                  .norm_bound = norm,
                  .loss = &options->loss,
                  .regularizer = &options->regularizer};
  const double weights[2] = {1, 0}; /* of a defect: the intercept's is the last */
  const dperm_regularizer bare = {.weights = weights};
  if (DEFECT("intercept-free") && data->schema && data->schema->intercept && view->cols == 2) {
    base.regularizer = &bare;
  }
  const solver_options how = {.tolerance = options->gradient_tolerance,
                              .progress = &options->progress};
  const fit_plan plan = {model->plan, model->release};
  solver_report solved;
  double started = unsafe_seconds_now();
  TRY(progress_tick(&options->progress, "solving", 0, 0, err));
  TRY(fit_run(&plan, &base, &how, source, found, model->weights, &solved, err));
  TRY(arithmetic_check(err));
  double seconds = unsafe_seconds_now() - started;
  for (size_t j = 0; j < model->dims; j++) {
    if (!isfinite(model->weights[j])) {
      FAIL(err, DPERM_NUMERIC_ERROR, "a weight is beyond all doubles; raise lambda or epsilon");
    }
  }
  TRY(describe(model, options, source, err));
  return options->unsafe_diagnostics
             ? unsafe_report(&base, model, data, &solved, seconds, options->unsafe_diagnostics, err)
             : DPERM_OK;
}

/* The model's shape, and with a kernel the public seed of its directions, drawn apart from the
 * noise where the caller left it open. */
static dperm_status shape_model(const dperm_data *data, const dperm_options *options,
                                random_source *source, dperm_model **model, dperm_error *err) {
  dperm_kernel kernel = options->kernel;
  if (kernel.name != DPERM_KERNEL_NONE && kernel.seed == 0) {
    kernel.seed = 1 + random_bits(source) % ((UINT64_C(1) << 53) - 1);
  }
  return model_new(data, &kernel, model, err);
}

dperm_status fit_planned(const dperm_data *data, const dperm_options *options, const fit_plan *plan,
                         random_source *source, dperm_model **out, dperm_error *err) {
  dperm_status status = DPERM_OK;
  dperm_model *model = NULL;
  const matrix *view = NULL;
  matrix *made = NULL, *kept = NULL;
  solution found = {NULL, NULL};
  TRY_OR_DONE(shape_model(data, options, source, &model, err));
  model->plan = plan->privacy;
  model->release = plan->release;
  TRY_OR_DONE(memory_new(model->dims, sizeof *found.f, &found.f, err));
  TRY_OR_DONE(memory_new(model->dims, sizeof *found.rest, &found.rest, err));
  TRY_OR_DONE(model_view(model, data->x, &view, &made, err));
  thread_scope threads = threads_enter(options->threads);
  status = arithmetic_check(err); /* before the first row is computed */
  if (status == DPERM_OK && made) {
    status = features_keep(made, &kept, err);
  }
  if (status == DPERM_OK) {
    status = fit(data, kept ? kept : view, options, source, &found, model, err);
  }
  threads_leave(threads);
  if (status == DPERM_OK) {
    *out = model;
    model = NULL;
  }
done:
  free(found.f);
  free(found.rest);
  matrix_free(kept);
  matrix_free(made);
  dperm_model_free(model);
  return status;
}

dperm_status fit_model(const dperm_data *data, const dperm_options *options, random_source *source,
                       dperm_model **out, dperm_error *err) {
  fit_plan plan = {0};
  TRY(fit_check(data, data->x->rows, options, &plan, err));
  return fit_planned(data, options, &plan, source, out, err);
}

/* Pay, fit, say for whom the guarantee is, commit. In this order, whatever happens between. */
static dperm_status train_paid(const dperm_data *data, const dperm_options *options,
                               random_source *source, dperm_model **out, dperm_error *err) {
  dperm_model *model = NULL;
  dperm_charge charge;
  fit_plan plan = {0};
  const dperm_options row = options_per_row(options);
  TRY(fit_check(data, data->x->rows, &row, &plan, err));
  const account_run run = {
      .account = &options->account,
      .command = "train",
      .mechanism = mechanism_of(options->mechanism)->name,
      .epsilon = options->epsilon,
      .delta = group_delta(plan.release.delta, row.epsilon, options->rows_per_person),
      .rows_per_person = options->rows_per_person,
      .is_private = why_not_private(options, source) == NULL,
      .data = data};
  TRY(account_reserve(&run, &charge, err));
  if (options->account.dry_run) {
    *out = NULL;
    return DPERM_OK;
  }
  dperm_status status = fit_planned(data, &row, &plan, source, &model, err);
  if (status == DPERM_OK) {
    model->epsilon = options->epsilon;
    if (options->mechanism != DPERM_MECHANISM_NONE) {
      model->rows_per_person = options->rows_per_person;
      model->release.delta = run.delta;
    }
    status = account_commit_model(&run, &charge, model, err);
  }
  if (status == DPERM_OK) {
    *out = model;
  } else {
    dperm_model_free(model);
  }
  return account_failed(&run, &charge, status, err);
}

dperm_status dperm_train(const dperm_data *data, const dperm_options *options, dperm_model **out,
                         dperm_error *err) {
  dperm_random *own = NULL;
  TRY(options_validate(options, err));
  dperm_random *random = options->random;
  if (!random) {
    TRY(dperm_random_secure(&own, err));
    random = own;
  }
  dperm_status status = train_paid(data, options, &random->source, out, err);
  dperm_random_free(own);
  return status;
}
