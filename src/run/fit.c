/* See fit.h. */
#include "run/fit.h"

#include <math.h>

#include "base/arithmetic.h"
#include "base/defect.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/thread_pool.h"
#include "data/dataset.h"
#include "dperm/score.h"
#include "loss/link.h"
#include "mechanism/mechanism.h"
#include "release/numerics.h"
#include "run/options.h"
#include "run/stage.h"

/* ---- one fit */

dperm_status fit_release(const fit_plan *plan, ranks *spread, const solution *found, size_t dims,
                         random_source *source, double *weights, dperm_error *err) {
  dperm_status status = DPERM_OK;
  if (plan->privacy.mechanism == DPERM_MECHANISM_NONE) {
    memcpy(weights, found->f, dims * sizeof *found->f);
    return DPERM_OK;
  }
  if (ranks_lead(spread)) {
    status = release_weights(&plan->release, found, dims, source, weights, err);
    /* after the last draw, before anything leaves */
    status = status == DPERM_OK ? random_check(source, err) : status;
  }
  return ranks_share(spread, status, weights, dims * sizeof *weights, err);
}

/* The noise is made for rows that count once at most (docs/proofs/weights.md). */
static dperm_status check_row_weights(const problem *base, dperm_error *err) {
  for (size_t i = 0; base->shares && i < base->x->rows; i++) {
    FAIL_IF(!(base->shares[i] >= 0 && base->shares[i] <= 1) && !DEFECT("weights-unscaled"), err,
            DPERM_NUMERIC_ERROR,
            "a record counts for more than the noise is made for; nothing is released");
  }
  return DPERM_OK;
}

/* Labels are what the loss is made for: its slopes would be bounded all the same, but not the
 * rounding of a residual (solve/certify.c). */
static dperm_status check_label_values(const problem *base, dperm_error *err) {
  const bool numbers = loss_of_numbers(base->loss);
  for (size_t i = 0; link_scores(base->loss) == 1 && i < base->x->rows; i++) {
    const double size = fabs(base->labels[i]);
    FAIL_IF(!(numbers ? size <= 1 : size == 1), err, DPERM_NUMERIC_ERROR,
            "a label is none that the loss is for; nothing is released");
  }
  return DPERM_OK;
}

/* And for persons whose records count once together, at most K of them (docs/proofs/persons.md);
 * of a job's processes each looks at those that it has. */
static dperm_status check_persons_once(const dperm_data *data, const double *weights,
                                       dperm_error *err) {
  OWNED_MEMORY double *sums = NULL;
  OWNED_MEMORY size_t *counts = NULL;
  const size_t first = data->x->spread ? data->x->first : 0;
  const dperm_schema *schema = data->schema;
  const person_list *persons = data->persons;
  FAIL_IF(
      schema && schema->person != NO_PERSON && !persons, err, DPERM_NUMERIC_ERROR,
      "the schema knows persons, and the records do not say whose they are; nothing is released");
  if (!persons) {
    return DPERM_OK;
  }
  FAIL_IF(!schema || !weights, err, DPERM_NUMERIC_ERROR,
          "nothing says how a person's records count; nothing is released");
  TRY(memory_new(persons->count, sizeof *sums, &sums, err));
  TRY(memory_new(persons->count, sizeof *counts, &counts, err));
  for (size_t i = 0; i < data->x->rows; i++) {
    const uint32_t person = persons->of_row[first + i];
    sums[person] += weights[i]; /* exact: whole units of 2^-20, unless a class weighs less */
    counts[person] += weights[i] > 0;
    FAIL_IF((sums[person] > 1 || counts[person] > schema->person_rows) && !DEFECT("persons-sum"),
            err, DPERM_NUMERIC_ERROR,
            "a person counts for more than the noise is made for; nothing is released");
  }
  return DPERM_OK;
}

/* What each row counts. */
static void weigh_rows(const dperm_data *data, const double *class_weights, size_t classes,
                       double *out) {
  for (size_t i = 0; i < data->x->rows; i++) {
    out[i] = 1;
  }
  if (class_weights) {
    class_weights_of_rows(class_weights, classes, data->labels, data->x->rows, out);
  }
  for (size_t i = 0; data->persons && i < data->x->rows; i++) {
    const double share = data->persons->shares[i];
    out[i] *= DEFECT("persons-sum") ? share > 0 : share;
  }
}

dperm_status fit_run(const fit_plan *plan, const problem *base, const solver_options *how,
                     random_source *source, solution *found, double *weights, solver_report *report,
                     dperm_error *err) {
  TRY(check_row_weights(base, err));
  TRY(check_label_values(base, err));
  TRY(mechanism_of(plan->privacy.mechanism)(&plan->privacy, base, how, &plan->release.promised,
                                            source, 1, found, report, err));
  return fit_release(plan, base->x->spread, found, problem_size(base), source, weights, err);
}

/* ---- before the charge */

/* The model's shape; a kernel's public seed is drawn, apart from the noise, if it was left open. */
static dperm_status shape_model(fit_work *w, dperm_error *err) {
  ranks *spread = w->data->x->spread;
  dperm_kernel kernel = w->options->kernel;
  if (kernel.kind != DPERM_KERNEL_NONE && kernel.seed == 0) {
    if (ranks_lead(spread)) {
      kernel.seed = 1 + random_bits(w->source) % ((UINT64_C(1) << 53) - 1);
    }
    TRY(ranks_share(spread, DPERM_OK, &kernel.seed, sizeof kernel.seed, err));
  }
  return model_new(w->data, &kernel, &w->options->progress, &w->model, err);
}

dperm_status fit_prepare(fit_work *w, dperm_error *err) {
  const dperm_options *o = w->options;
  size_t rows = w->data->x->rows;
  TRY(arithmetic_check(err));
  TRY(shape_model(w, err));
  dperm_model *model = w->model; /* whose file states options and plan */
  model->rows = options_rows(o, w->data);
  model->rows_fitted =
      w->plan->privacy.divisor > 0 ? (size_t)w->plan->privacy.divisor : model->rows;
  model->plan = w->plan->privacy;
  model->release = w->plan->release;
  w->loss = options_loss(o, model->classes.count);
  model->joint = options_joint(o, model->classes.count);
  model->loss_h = o->loss.parameter;
  model->loss_quantile = loss_quantile(&o->loss);
  model->loss_lipschitz = w->loss.lipschitz;
  model->loss_smoothness = w->loss.smoothness;
  TRY(memory_copy_text(o->loss.name, strlen(o->loss.name), &model->loss, err));
  TRY(class_weights_of_data(w->data, o->class_weights, o->class_weight_count, &model->class_weights,
                            err));
  size_t weights = model->dims * link_scores(&w->loss);
  TRY(scratch_take(&w->work, weights, sizeof *w->found.f, &w->found.f, err));
  TRY(scratch_take(&w->work, weights, sizeof *w->found.rest, &w->found.rest, err));
  if (model->classes.count > 2 && !model->joint) {
    TRY(scratch_take(&w->work, rows, sizeof *w->sides, &w->sides, err));
  }
  if (model->class_weights || w->data->persons) {
    TRY(scratch_take(&w->work, rows, sizeof *w->row_weights, &w->row_weights, err));
  }
  if (w->data->persons && stages_any(&w->plan->claim)) {
    const dperm_data *seen = NULL;
    TRY(data_once(w->data, &w->once, &seen, err));
  }
  if (model->class_weights && w->once) {
    TRY(scratch_take(&w->work, w->once->x->rows, sizeof *w->once_weights, &w->once_weights, err));
  }
  TRY(model_view(model, w->data->x, &w->view, &w->made, err));
  TRY(scratch_take(&w->work, stages_room(&w->plan->claim, model, w->view), sizeof *w->room,
                   &w->room, err));
  OWNED(threads_leave) thread_scope threads = threads_enter(o->threads);
  return memory_probe(fit_memory_work(w->data, rows, o, false), err);
}

dperm_status fit_planned(const dperm_data *data, const dperm_options *options, const fit_plan *plan,
                         random_source *source, dperm_model **out, dperm_error *err) {
  OWNED(fit_work_clear)
  fit_work work = {.data = data, .options = options, .plan = plan, .source = source};
  TRY(fit_prepare(&work, err));
  return fit_perform(&work, out, err);
}

dperm_status fit_model(const dperm_data *data, const dperm_options *options, const guarantee *claim,
                       random_source *source, dperm_model **out, dperm_error *err) {
  fit_plan plan = {0};
  TRY(fit_plan_check(data, options_rows(options, data), options, claim, &plan, err));
  return fit_planned(data, options, &plan, source, out, err);
}

void fit_work_clear(fit_work *w) {
  scratch_free(&w->work);
  matrix_free(w->made);
  dperm_data_free(w->once);
  dperm_model_free(w->model);
}

/* ---- behind it */

/* Of two classes or of a joint fit, their own labels; else +1 for class m and −1 for all others. */
static const double *labels_of(const fit_work *w, size_t m) {
  for (size_t i = 0; w->sides && i < w->data->x->rows; i++) {
    w->sides[i] = w->data->labels[i] == (double)m ? 1.0 : -1.0;
  }
  return w->sides ? w->sides : w->data->labels;
}

static dperm_status fit_class(fit_work *w, size_t m, dperm_unsafe_diagnostics *unsafe,
                              dperm_error *err) {
  const dperm_options *options = w->options;
  size_t dims = w->model->dims, all = dims * link_scores(&w->loss);
  problem base = {.x = w->view,
                  .labels = labels_of(w, m),
                  .shares = w->row_weights,
                  .divisor = w->plan->privacy.divisor,
                  .norm_bound = w->made ? FEATURES_NORM : w->data->bounds.norm2,
                  .loss = &w->loss,
                  .regularizer = &options->regularizer};
  const double penalties[2] = {1, 0}; /* of a defect: the intercept's is the last */
  const dperm_regularizer bare = {.weights = penalties};
  if (DEFECT("intercept-free") && w->data->schema && w->data->schema->intercept &&
      w->view->cols == 2) {
    base.regularizer = &bare;
  }
  const solver_options how = {.tolerance = options->gradient_tolerance};
  double *weights = w->model->weights + m * dims;
  solver_report solved;
  TRY(progress_tick(&options->progress, "solving", 0, 0, err));
  TRY(fit_run(w->plan, &base, &how, w->source, &w->found, weights, &solved, err));
  for (size_t j = 0; j < all; j++) {
    FAIL_IF(!isfinite(weights[j]), err, DPERM_NUMERIC_ERROR,
            "a weight is beyond all doubles; raise lambda or epsilon");
  }
  if (unsafe) { /* what a fit saw, on request, for the custodian's eyes; never into a model */
    double objective = 0;
    base.model = (problem_model){.lambda = w->plan->privacy.lambda};
    TRY(problem_objective(&base, weights, &objective, err));
    unsafe->iterations += solved.iterations;
    unsafe->objective += objective;
    unsafe->gradient_norm = fmax(unsafe->gradient_norm, solved.gradient_norm);
  }
  return DPERM_OK;
}

/* The stages see each person once. */
static dperm_status run_stages(fit_work *w, dperm_error *err) {
  OWNED(matrix_free_at) matrix *made = NULL;
  const dperm_model *model = w->model;
  stage_work more = {.model = w->model,
                     .data = w->data,
                     .loss = &w->loss,
                     .view = w->view,
                     .labels = w->data->labels,
                     .row_weights = w->row_weights,
                     .source = w->source,
                     .room = w->room};
  if (w->once) {
    TRY(model_view(model, w->once->x, &more.view, &made, err));
    more.data = w->once;
    more.labels = w->once->labels;
    more.row_weights = w->once_weights;
  }
  FAIL_IF(w->data->persons && !w->once && stages_any(&w->plan->claim), err, DPERM_NUMERIC_ERROR,
          "what follows the fit would see a person several times; nothing is released");
  if (w->once_weights) {
    weigh_rows(w->once, model->class_weights, model->classes.count, w->once_weights);
  }
  return stages_run(&w->plan->claim, more, err);
}

/* The part that is wrong, or of a regression the root of the mean square. */
static dperm_status training_error(const dperm_model *model, const dperm_data *data, double *out,
                                   dperm_error *err) {
  dperm_metrics metrics;
  regression_metrics numbers;
  if (label_range_known(model->range)) {
    TRY(model_score_numbers(model, data, &numbers, err));
    *out = numbers.rmse;
    return DPERM_OK;
  }
  TRY(dperm_model_score(model, data, &metrics, err));
  *out = metrics.error_rate;
  return DPERM_OK;
}

static dperm_status fit_classes(fit_work *w, dperm_error *err) {
  dperm_model *model = w->model;
  dperm_unsafe_diagnostics seen = {0}, *unsafe = w->options->unsafe_diagnostics ? &seen : NULL;
  double started = clock_seconds();
  if (w->row_weights) {
    weigh_rows(w->data, model->class_weights, model->classes.count, w->row_weights);
  }
  TRY(check_persons_once(w->data, w->row_weights, err));
  size_t fits = model->joint ? 1 : class_fits(model->classes.count);
  for (size_t m = 0; m < fits; m++) {
    TRY(fit_class(w, m, unsafe, err));
  }
  TRY(run_stages(w, err)); /* after the weights, which they are functions of */
  TRY(arithmetic_check(err));
  double seconds = clock_seconds() - started;
  const guarantee claim = guarantee_with(w->plan->claim, source_reasons(w->source));
  TRY(model_claim(model, &claim, err));
  if (unsafe) {
    TRY(training_error(model, w->data, &seen.training_error, err));
    seen.solve_seconds = seconds;
    *w->options->unsafe_diagnostics = seen;
  }
  return DPERM_OK;
}

dperm_status fit_perform(fit_work *w, dperm_model **out, dperm_error *err) {
  OWNED(matrix_free_at) matrix *kept = NULL;
  OWNED(threads_leave) thread_scope threads = threads_enter(w->options->threads);
  OWNED(cancel_end) cancel_token stop;
  cancel_begin(&stop, &w->options->progress, "solving");
  TRY(arithmetic_check(err)); /* before the first row is computed */
  if (w->made) {
    TRY(features_keep(w->made, &kept, err));
  } else if (fit_memory_keeps(w->view)) {
    TRY(matrix_keep(w->view, &kept, err));
  }
  w->view = kept ? kept : w->view;
  TRY(fit_classes(w, err));
  TRY(cancel_check(err)); /* a pass that was cut short has failed; to be sure */
  *out = TAKE(w->model);
  return DPERM_OK;
}
