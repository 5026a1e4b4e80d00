/* The stage that releases what confidence intervals need (docs/proofs/intervals.md): how curved the
 * objective is and how much slopes spread, in three vectors of whole numbers, each made with what
 * the ones before it said. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "intervals/interval_steps.h"
#include "run/interval_sums.h"
#include "run/options.h"
#include "run/stage.h"

static const double usual_share = 0.27;

static double usual(const dperm_options *o, const stage_numbers *n) {
  return usual_share;
}

static dperm_status check(const dperm_options *o, const stage_numbers *n, dperm_error *err) {
  const double least = 0.01; /* of epsilon: less tells nothing */
  const loss_kind *kind = loss_kind_of(&o->loss);
  const bool knows =
      kind && (strcmp(kind->name, "logistic") == 0 || strcmp(kind->name, "log-cosh") == 0);
  FAIL_IF(!knows || n->classes > 2 || o->kernel.kind != DPERM_KERNEL_NONE, err,
          DPERM_INVALID_ARGUMENT,
          "intervals are for logistic models of two classes and log-cosh regressions, without a "
          "kernel; leave intervals out");
  FAIL_IF(o->mechanism != DPERM_MECHANISM_OBJECTIVE || o->analysis != DPERM_ANALYSIS_TIGHT ||
              o->regularizer.eval || o->regularizer.weights || o->regularizer.prior,
          err, DPERM_INVALID_ARGUMENT,
          "intervals know objective perturbation with a plain ridge, by the tight analysis; leave "
          "intervals out");
  FAIL_IF(
      !isnan(o->lambda) || !isnan(o->delta_reg) || !isnan(o->norm_guess), err,
      DPERM_INVALID_ARGUMENT,
      "intervals choose how much the fit is regularized; leave lambda, delta-reg and norm-guess "
      "out");
  FAIL_IF(o->neighbours != DPERM_NEIGHBOURS_REPLACE || o->rows_per_person != 1, err,
          DPERM_INVALID_ARGUMENT,
          "intervals are for records that are replaced, each a person's own: means need their "
          "number; leave intervals out");
  FAIL_IF(o->class_weight_count > 0 || o->delta > 0, err, DPERM_INVALID_ARGUMENT,
          "intervals go neither with class weights nor with a delta; leave intervals out");
  FAIL_IF(o->intervals * o->epsilon < least, err, DPERM_INVALID_ARGUMENT,
          "intervals have an epsilon of %g, which tells nothing; give them at least %g",
          o->intervals * o->epsilon, least);
  return DPERM_OK;
}

/* ---- a stage */

/* With their noise, on every process. */
static dperm_status blur(const stage_work *w, const interval_law *law, interval_stage_id which,
                         int64_t *sums, size_t size, dperm_error *err) {
  OWNED_MEMORY int64_t *noise = NULL;
  dperm_status status = memory_new(size, sizeof *noise, &noise, err);
  if (status == DPERM_OK && ranks_lead(w->view->spread)) {
    status = interval_noise(law, which, w->source, noise, err);
    status = status == DPERM_OK ? random_check(w->source, err) : status;
    for (size_t i = 0; status == DPERM_OK && i < size; i++) {
      sums[i] += noise[i];
    }
  }
  return ranks_share(w->view->spread, status, sums, size * sizeof *sums, err);
}

static dperm_status release(const stage_work *w, interval_law *law, interval_stage_id which,
                            json_t **object, dperm_error *err) {
  const size_t size = interval_released(law->design, which);
  OWNED_MEMORY int64_t *sums = NULL;
  TRY(memory_new(size, sizeof *sums, &sums, err));
  TRY(interval_sums_of(w, law, which, sums, err));
  TRY(blur(w, law, which, sums, size, err));
  json_t *list = json_array();
  for (size_t i = 0; i < size; i++) {
    json_append(&list, json_integer((json_int_t)sums[i]));
  }
  json_set(object, interval_keys[which], list);
  TRY(interval_take(law, which, sums, err));
  return interval_law_share(law, w->view->spread, err);
}

static dperm_status run(const stage_work *w, json_t **released, dperm_error *err) {
  OWNED(interval_design_clear) interval_design design = {0};
  OWNED(interval_law_free) interval_law law = {0};
  FAIL_IF(!w->view->kind->views, err, DPERM_UNSUPPORTED,
          "intervals are for records under a schema; leave intervals out");
  TRY(interval_check(w->model->schema, w->loss, rows_in_all(w->view), w->epsilon, err));
  json_t *object = json_object();
  dperm_status status =
      interval_design_of(w->model->schema, w->loss, rows_in_all(w->view), w->epsilon, &design, err);
  status = status == DPERM_OK ? interval_law_new(&design, &law, err) : status;
  for (interval_stage_id s = 0; status == DPERM_OK && s < INTERVAL_STAGES; s++) {
    status = release(w, &law, s, &object, err);
  }
  if (status != DPERM_OK) {
    json_decref(object);
    return status;
  }
  *released = object;
  return DPERM_OK;
}

const stage intervals_stage = {
    .usual = usual, .check = check, .room = interval_sums_room, .run = run};
