/* From bounded rows to a model, in the order of the picture in docs/architecture.md. The only file
 * that knows that order. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/threads.h"
#include "loss/loss.h"
#include "loss/regularizer.h"
#include "model/model.h"
#include "solve/newton.h"

void dperm_options_init(dperm_options *options) {
  *options = (dperm_options){
      .mechanism = DPERM_MECHANISM_OBJECTIVE,
      .epsilon = (double)NAN,
      .loss = dperm_loss_logistic(),
      .lambda = (double)NAN,
      .gradient_tolerance = 1e-10,
  };
}

static dperm_status check_options(const dperm_data *data, const dperm_options *o,
                                  dperm_error *err) {
  if (!isnan(o->lambda) && !(o->lambda > 0 && isfinite(o->lambda))) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "lambda = %g; it must be positive and finite", o->lambda);
  }
  if (!(o->gradient_tolerance > 0 && isfinite(o->gradient_tolerance))) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "gradient tolerance %g; it must be positive and finite",
         o->gradient_tolerance);
  }
  if (o->threads < 0 || o->threads > 4096) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%d threads; give 1 to 4096, or 0 for all cores", o->threads);
  }
  TRY(loss_validate(&o->loss, err));
  return regularizer_validate(&o->regularizer, data->x->cols, err);
}

static double seconds_now(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The one place where what depends on the records is reported, on request. */
static dperm_status report_unsafe(const dperm_model *model, const dperm_data *data,
                                  const solver_report *solved, double objective, double seconds,
                                  dperm_unsafe_diagnostics *out, dperm_error *err) {
  dperm_metrics metrics;
  TRY(dperm_model_score(model, data, &metrics, err));
  *out = (dperm_unsafe_diagnostics){.iterations = solved->iterations,
                                    .objective = objective,
                                    .gradient_norm = solved->gradient_norm,
                                    .training_error = metrics.error_rate,
                                    .solve_seconds = seconds};
  return DPERM_OK;
}

static dperm_status describe(dperm_model *model, const dperm_options *options, double lambda,
                             dperm_error *err) {
  static const char reason[] = "trained without a privacy mechanism";
  model->mechanism = "none";
  model->lambda = lambda;
  model->loss_h = options->loss.parameter;
  TRY(memory_copy_text(reason, strlen(reason), &model->reason, err));
  return memory_copy_text(options->loss.name, strlen(options->loss.name), &model->loss, err);
}

static dperm_status fit(const dperm_data *data, const dperm_options *options, dperm_model *model,
                        dperm_error *err) {
  double lambda = isnan(options->lambda) ? 1.0 / (double)data->x->rows : options->lambda;
  const problem_model task = {.lambda = lambda};
  const problem p = {.x = data->x,
                     .labels = data->labels,
                     .norm_bound = data->norm_bound,
                     .loss = &options->loss,
                     .regularizer = &options->regularizer,
                     .models = 1,
                     .model = &task};
  const solver_options how = {.tolerance = options->gradient_tolerance,
                              .progress = &options->progress};
  solver_report solved;
  double started = seconds_now();
  TRY(solve(&p, &how, model->weights, &solved, err));
  double seconds = seconds_now() - started;
  if (!solved.converged) {
    FAIL(err, DPERM_NUMERIC_ERROR,
         "the minimum was not reached; raise lambda, or check a custom loss with dperm_loss_check");
  }
  TRY(describe(model, options, lambda, err));
  if (options->unsafe_diagnostics) {
    double objective = 0;
    TRY(problem_objective(&p, model->weights, &objective, err));
    TRY(report_unsafe(model, data, &solved, objective, seconds, options->unsafe_diagnostics, err));
  }
  return DPERM_OK;
}

dperm_status dperm_train(const dperm_data *data, const dperm_options *options, dperm_model **out,
                         dperm_error *err) {
  dperm_model *model = NULL;
  TRY(check_options(data, options, err));
  if (options->mechanism != DPERM_MECHANISM_NONE) {
    FAIL(err, DPERM_UNSUPPORTED,
         "private training is not there yet; use mechanism none on data that are public");
  }
  TRY(model_new(data, &model, err));
  thread_scope threads = threads_enter(options->threads);
  dperm_status status = fit(data, options, model, err);
  threads_leave(threads);
  if (status == DPERM_OK) {
    *out = model;
  } else {
    dperm_model_free(model);
  }
  return status;
}
