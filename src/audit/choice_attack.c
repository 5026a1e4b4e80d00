/* Selectors. Permute-and-flip with counts (1, 1) and (0, 2) takes the second candidate with
 * probability ½ and ½e^−ε: exactly tight. The exponential mechanism comes as close as one likes
 * where the second candidate is far behind, k against k + 2, k about 8/ε: then it is chosen once in
 * e⁴.
 *
 * Tuning. A record's place in the random order decides which portion it is in, so an attack on the
 * whole cannot be tight: with m + 1 portions the record touches the released model with probability
 * 1/(m+1). Split: seven candidates, all alike, on portions of ten rows; a learner that believed it
 * had all n rows would use (m + 1)-fold ε, and that shows through the dilution from ε = 1 on.
 * Random stopping: rows so short that they push no weight, but are counted as errors by its sign:
 * the holdout favours positive weights. A negative one is released if every round was negative, and
 * the record moves the odds of that as well as the weight itself. */
#include "audit/choice_attack.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "mechanism/selection.h"
#include "model/model.h"
#include "random/random_handle.h"

/* ---- selectors */

selector_target selector_target_make(dperm_selector selector, double epsilon) {
  bool exponential = selector == DPERM_SELECTOR_EXPONENTIAL;
  size_t behind = exponential ? 2 + (size_t)ceil(8 / epsilon) : 2;
  return (selector_target){.selector = selector,
                           .epsilon = ratio_below(epsilon),
                           .errors = {{1, behind - 1}, {0, behind}}};
}

static dperm_status draw_choice(const attack *a, int side, random_source *source, double *score,
                                double *outcome, dperm_error *err) {
  (void)err;
  const selector_target *t = a->context;
  size_t order[2];
  size_t chosen = t->selector == DPERM_SELECTOR_EXPONENTIAL
                      ? select_exponential(source, t->errors[side], 2, t->epsilon)
                      : select_permute_and_flip(source, t->errors[side], 2, t->epsilon, order);
  *score = *outcome = chosen == 1 ? 1 : 0;
  return DPERM_OK;
}

attack selector_attack(const selector_target *target) {
  return (attack){.context = target, .usual_draws = 400000, .block = 4096, .draw = draw_choice};
}

/* ---- tuning */

enum { SPLIT_CANDIDATES = 7, STOPPING_CANDIDATES = 2, PORTION = 10, STOPPING_ROWS = 100 };

struct tune_target {
  dperm_data *data[2];
  dperm_options candidates[SPLIT_CANDIDATES];
  size_t count;
  dperm_tune_options how;
};

/* One record of norm 1 and either label; the others are next to nothing, or nothing at all. */
static dperm_status tuning_data(size_t rows, double others, int side, dperm_data **out,
                                dperm_error *err) {
  dperm_status status = DPERM_OK;
  double *x = NULL, *labels = NULL;
  size_t *starts = NULL;
  uint32_t *columns = NULL;
  TRY_OR_DONE(memory_new(rows, sizeof *x, &x, err));
  TRY_OR_DONE(memory_new(rows, sizeof *labels, &labels, err));
  TRY_OR_DONE(memory_new(rows + 1, sizeof *starts, &starts, err));
  TRY_OR_DONE(memory_new(rows, sizeof *columns, &columns, err));
  for (size_t i = 0; i < rows; i++) {
    x[i] = others;
    labels[i] = 1;
    starts[i + 1] = starts[i] + (i == 0 || others != 0);
  }
  x[0] = 1;
  labels[0] = side == 0 ? -1 : 1;
  TRY_OR_DONE(dperm_data_from_csr(rows, 1, starts, columns, x, labels, 1, out, err));
done:
  free(x);
  free(labels);
  free(starts);
  free(columns);
  return status;
}

/* The first data set pushes the weight down, and negative weights speak for it. */
static dperm_status draw_tuned(const attack *a, int side, random_source *source, double *score,
                               double *outcome, dperm_error *err) {
  const tune_target *t = a->context;
  dperm_options candidates[SPLIT_CANDIDATES];
  dperm_random random = {*source};
  dperm_model *model = NULL;
  for (size_t i = 0; i < t->count; i++) {
    candidates[i] = t->candidates[i];
    candidates[i].random = &random;
  }
  dperm_status status = dperm_tune(t->data[side], candidates, t->count, &t->how, &model, err);
  *source = random.source;
  TRY(status);
  *outcome = model->weights[0];
  *score = -model->weights[0];
  dperm_model_free(model);
  return DPERM_OK;
}

dperm_status tune_target_new(dperm_tune_method method, dperm_rounds rounds, double epsilon,
                             tune_target **out, dperm_error *err) {
  dperm_status status = DPERM_OK;
  tune_target *t = NULL;
  bool split = method == DPERM_TUNE_SPLIT;
  size_t rows = split ? (SPLIT_CANDIDATES + 1) * PORTION : STOPPING_ROWS;
  double fitted = split ? PORTION : 0.9 * STOPPING_ROWS;
  TRY_OR_DONE(memory_new(1, sizeof *t, &t, err));
  TRY_OR_DONE(tuning_data(rows, split ? 0 : 1e-6, 0, &t->data[0], err));
  TRY_OR_DONE(tuning_data(rows, split ? 0 : 1e-6, 1, &t->data[1], err));
  t->count = split ? SPLIT_CANDIDATES : STOPPING_CANDIDATES;
  for (size_t i = 0; i < t->count; i++) {
    dperm_options *o = &t->candidates[i];
    dperm_options_init(o);
    TRY_OR_DONE(dperm_loss_huber(0.5, &o->loss, err));
    o->mechanism = DPERM_MECHANISM_OUTPUT;
    o->epsilon = epsilon;
    o->lambda = 4 / fitted; /* λ = 4, as for fits alone */
    o->threads = 1;
  }
  dperm_tune_options_init(&t->how);
  t->how.method = method;
  t->how.rounds = rounds;
  *out = t;
  t = NULL;
done:
  tune_target_free(t);
  return status;
}

void tune_target_free(tune_target *t) {
  if (t) {
    dperm_data_free(t->data[0]);
    dperm_data_free(t->data[1]);
    free(t);
  }
}

attack tune_target_attack(const tune_target *t) {
  return (attack){.context = t, .usual_draws = 20000, .block = 64, .draw = draw_tuned};
}
