/* Split (CMS Algorithm 4, each learner planned for its own n), random stopping (Liu & Talwar
 * 2019; Papernot & Steinke 2022), and choosing in public. Which rows go where is drawn before any
 * value is looked at; where their number is private, for each by a draw of its own, so that a
 * record more moves no other (docs/proofs/neighbours.md 6). */
#include "run/tune_methods.h"

#include <math.h>

#include "base/defect.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/progress.h"
#include "data/dataset.h"
#include "dperm/score.h"
#include "run/fit.h"
#include "run/options.h"

size_t holdout_rows(size_t rows, double share) {
  return (size_t)floor((double)rows * share);
}

size_t tune_fit_rows(const tuning *t) {
  return t->how->method == DPERM_TUNE_SPLIT      ? t->rows / (t->count + 1)
         : t->how->method == DPERM_TUNE_STOPPING ? t->rows - holdout_rows(t->rows, t->how->holdout)
                                                 : t->rows;
}

/* Whether the number of these rows is private. */
static bool uncounted(const tuning *t, const dperm_data *data) {
  return data == t->data && t->candidates[0].neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
}

/* Rows, or persons, in parts, part i from order[starts[i]] on and before order[starts[i + 1]], as
 * large as `starts` says; where their number is private, by an independent draw for each row among
 * equal parts, or of two with this chance of the first, and `starts` follows. The leader draws. */
static dperm_status draw_parts(const tuning *t, const dperm_data *data, size_t parts, double first,
                               size_t *order, size_t *starts, dperm_error *err) {
  OWNED_MEMORY size_t *part = NULL;
  ranks *spread = t->data->x->spread;
  size_t rows = data_units(data), used = 0;
  if (!uncounted(t, data)) {
    if (ranks_lead(spread)) {
      random_order(t->source, rows, order);
    }
    return ranks_share(spread, DPERM_OK, order, rows * sizeof *order, err);
  }
  TRY(memory_new(rows, sizeof *part, &part, err));
  for (size_t i = 0; ranks_lead(spread) && i < rows; i++) {
    part[i] = isnan(first) ? (size_t)random_below(t->source, parts)
                           : (double)(random_bits(t->source) >> 11) * 0x1p-53 >= first;
  }
  TRY(ranks_share(spread, DPERM_OK, part, rows * sizeof *part, err));
  for (size_t p = 0; p < parts; p++) {
    starts[p] = used;
    for (size_t i = 0; i < rows; i++) {
      if (part[i] == p) {
        order[used++] = i;
      }
    }
  }
  starts[parts] = used;
  return DPERM_OK;
}

/* Draws the rows to judge by, the others to train on. The caller frees both in any case. */
static dperm_status draw_holdout(const tuning *t, const dperm_data *data, dperm_data **train,
                                 dperm_data **judge, dperm_error *err) {
  OWNED_MEMORY size_t *order = NULL;
  size_t rows = data_units(data), starts[3] = {0, holdout_rows(rows, t->how->holdout), rows};
  TRY(memory_new(rows, sizeof *order, &order, err));
  TRY(draw_parts(t, data, 2, t->how->holdout, order, starts, err));
  TRY(data_select_units(data, order, starts[1], true, judge, err));
  return data_select_units(data, order + starts[1], rows - starts[1], false, train, err);
}

/* Of a regression each record costs whole parts of this, by how far the value is from its label. */
enum { COST_PARTS = 1 << 10 };

static bool of_numbers(const tuning *t) {
  return data_class_count(t->data) == 0;
}

/* By how much a record moves the errors of a candidate. */
static uint64_t cost_most(const tuning *t) {
  return of_numbers(t) ? COST_PARTS : 1;
}

/* Distances up to a quarter of the label's range, which few residuals of a model worth choosing
 * pass; of a quantile those on its two sides count as its loss has them. */
static dperm_status judge_numbers(const dperm_model *model, const dperm_data *judge,
                                  uint64_t *errors, dperm_error *err) {
  const double most = 0.5; /* in halves of the range */
  const double tau = isnan(model->loss_quantile) ? 0.5 : model->loss_quantile,
               over = (1 - tau) / fmax(tau, 1 - tau), under = tau / fmax(tau, 1 - tau);
  OWNED_MEMORY double *scores = NULL;
  uint64_t sum = 0;
  TRY(data_check_labels(judge, 0, err));
  TRY(memory_new(judge->x->rows, sizeof *scores, &scores, err));
  TRY(model_numbers(model, judge, scores, err));
  for (size_t i = 0; i < judge->x->rows; i++) {
    const double d = scores[i] - judge->labels[i],
                 cost = fmin(fabs(d) / most, 1) * (d > 0 ? over : under);
    sum += (uint64_t)(COST_PARTS * cost);
  }
  TRY(ranks_add(judge->x->spread, DPERM_OK, &sum, 1, err));
  *errors = sum;
  return DPERM_OK;
}

/* Candidate i, fitted to some rows, and its errors on others. */
static dperm_status fit_and_judge(const tuning *t, size_t i, const dperm_data *train,
                                  const dperm_data *judge, dperm_model **model, uint64_t *errors,
                                  dperm_error *err) {
  const dperm_options *options = &t->candidates[i];
  bool whole = t->how->method == DPERM_TUNE_SPLIT && DEFECT("portion-n");
  bool counted = t->how->method == DPERM_TUNE_PUBLIC || !uncounted(t, t->data);
  size_t rows = whole ? t->rows : counted ? data_units(train) : tune_fit_rows(t);
  fit_plan plan = {0};
  dperm_metrics metrics;
  const guarantee *claim = &t->claims[i];
  /* of all the rows, where they are private, it was checked that their number is public */
  TRY(fit_plan_check_public(train, rows, options, claim, &plan, err));
  TRY(fit_planned(train, options, &plan, t->source, model, err));
  if (of_numbers(t)) {
    return judge_numbers(*model, judge, errors, err);
  }
  TRY(dperm_model_score(*model, judge, &metrics, err));
  *errors = metrics.errors;
  return DPERM_OK;
}

/* For fits to all rows, though a portion is less. The rows are copied into portions, those of
 * public data into two. How much sparse ones take depends on the records, so they are left out
 * here. What is asked for follows from how many records there are, also where that is private:
 * whether a machine has it is the custodian's to know (privacy.md 8.7, 5). */
dperm_status tune_probe_memory(const tuning *t, dperm_error *err) {
  const dperm_data *data = t->data, *open = t->how->public_data;
  const matrix *parted = open ? open->x : data->x;
  double models = 0, work = 0, rows = (double)parted->rows;
  for (size_t i = 0; i < t->count; i++) {
    double model = fit_memory_model(data, &t->candidates[i]);
    models = t->how->method == DPERM_TUNE_SPLIT ? models + model : fmax(models, 2 * model);
    work = fmax(work, fit_memory_work(data, data->x->rows, &t->candidates[i], true));
    work = open ? fmax(work, fit_memory_work(open, parted->rows, &t->candidates[i], false)) : work;
  }
  double copies = parted->kind->block ? rows * (double)parted->cols : 0;
  double copied = (copies + 2 * rows) * sizeof(double);
  return memory_probe(models + work + copied, err);
}

/* ---- what the model states of its candidates */

static json_t *weights_json(const dperm_options *o) {
  json_t *object = o->class_weight_count > 0 ? json_object() : NULL;
  for (size_t i = 0; i < o->class_weight_count; i++) {
    json_set(&object, o->class_weights[i].name, json_real(o->class_weights[i].weight));
  }
  return object;
}

/* All that candidates may differ in and a reader may ask for. */
static json_t *candidate_json(const dperm_options *o, size_t classes) {
  bool kernel = o->kernel.kind != DPERM_KERNEL_NONE;
  const char *noise = o->noise == DPERM_NOISE_AUTO ? "auto" : noise_kind_of(o->noise)->name;
  const char *joint = dperm_multiclass_name(
      options_joint(o, classes) ? DPERM_MULTICLASS_JOINT : DPERM_MULTICLASS_ONE_VS_REST);
  json_t *h = isnan(o->loss.parameter) ? json_null() : json_real(o->loss.parameter);
  json_t *lambda = isnan(o->lambda) ? json_string("auto") : json_real(o->lambda);
  json_t *gamma = kernel ? json_real(o->kernel.gamma) : json_null();
  json_t *features = kernel ? json_integer((json_int_t)o->kernel.features) : json_null();
  return json_pack("{s:s, s:s, s:s?, s:s, s:o, s:o, s:o, s:o, s:o*}", "mechanism",
                   dperm_mechanism_name(o->mechanism), "noise", noise, "multiclass",
                   classes > 2 ? joint : NULL, "loss", o->loss.name, "h", h, "lambda", lambda,
                   "gamma", gamma, "features", features, "class_weights", weights_json(o));
}

/* ---- split */

/* A list with NULL behind it. */
static void models_free(dperm_model ***list) {
  for (dperm_model **model = *list; model && *model; model++) {
    dperm_model_free(*model);
  }
  free(*list);
}

static dperm_status tune_by_split(const tuning *t, size_t *chosen, dperm_model **model,
                                  dperm_error *err) {
  OWNED_MEMORY size_t *order = NULL, *turns = NULL, *starts = NULL;
  OWNED_MEMORY uint64_t *errors = NULL;
  OWNED(dperm_data_free_at) dperm_data *judge = NULL;
  OWNED(models_free) dperm_model **models = NULL;
  const ratio epsilon = ratio_below(t->claim.epsilon_fit);
  TRY(memory_new(data_units(t->data), sizeof *order, &order, err));
  TRY(memory_new(t->count + 2, sizeof *starts, &starts, err));
  TRY(memory_new(t->count, sizeof *errors, &errors, err));
  TRY(memory_new(t->count, sizeof *turns, &turns, err));
  TRY(memory_new(t->count + 1, sizeof(void *), &models, err));
  for (size_t i = 0; i <= t->count + 1; i++) { /* the last to judge by; leftovers are dropped */
    starts[i] = i * tune_fit_rows(t);
  }
  TRY(draw_parts(t, t->data, t->count + 1, (double)NAN, order, starts, err));
  TRY(data_select_units(t->data, order + starts[t->count], starts[t->count + 1] - starts[t->count],
                        true, &judge, err));
  for (size_t i = 0; i < t->count; i++) {
    OWNED(dperm_data_free_at) dperm_data *part = NULL;
    TRY(progress_tick(&t->candidates[i].progress, "tuning", i, t->count, err));
    TRY(data_select_units(t->data, order + starts[i], starts[i + 1] - starts[i], false, &part,
                          err));
    TRY(fit_and_judge(t, i, part, judge, &models[i], &errors[i], err));
  }
  if (ranks_lead(t->data->x->spread)) {
    *chosen =
        t->how->selector == DPERM_SELECTOR_EXPONENTIAL
            ? select_exponential(t->source, errors, t->count, epsilon, cost_most(t))
            : select_permute_and_flip(t->source, errors, t->count, epsilon, cost_most(t), turns);
  }
  TRY(ranks_share(t->data->x->spread, DPERM_OK, chosen, sizeof *chosen, err));
  *model = models[*chosen];
  models[*chosen] = models[t->count - 1];
  models[t->count - 1] = NULL;
  return DPERM_OK;
}

/* ---- random stopping */

/* One round: a random candidate, fitted to the training rows and judged by a noisy count of its
 * errors on the others. Both at ε₁, on disjoint rows. */
static dperm_status play_round(const tuning *t, const dperm_data *train, const dperm_data *judge,
                               size_t *candidate, dperm_model **model, int64_t *noisy_errors,
                               dperm_error *err) {
  ranks *spread = t->data->x->spread;
  uint64_t errors = 0;
  if (ranks_lead(spread)) {
    *candidate = (size_t)random_below(t->source, t->count);
  }
  TRY(ranks_share(spread, DPERM_OK, candidate, sizeof *candidate, err));
  dperm_status status = fit_and_judge(t, *candidate, train, judge, model, &errors, err);
  if (status == DPERM_OK && ranks_lead(spread)) {
    const ratio epsilon = ratio_below(t->claim.epsilon_fit);
    const wide_signed far = INT64_MAX / 2,
                      noise = random_discrete_laplace_wide(
                          t->source, epsilon.over, (wide_integer)epsilon.under * cost_most(t)),
                      sum = (wide_signed)errors + noise;
    *noisy_errors = (int64_t)(sum > far ? far : sum < -far ? -far : sum);
  }
  return ranks_share(spread, status, noisy_errors, sizeof *noisy_errors, err);
}

/* The number of rounds stays secret: nothing counts, shows or caps them; progress can only stop. */
static dperm_status tune_by_stopping(const tuning *t, size_t *chosen, dperm_model **model,
                                     dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *train = NULL, *judge = NULL;
  ranks *spread = t->data->x->spread;
  int64_t least_errors = INT64_MAX;
  TRY(draw_holdout(t, t->data, &train, &judge, err));
  uint64_t left = ranks_lead(spread) ? rounds_draw(t->source, &t->rounds) : 0;
  TRY(ranks_share(spread, DPERM_OK, &left, sizeof left, err));
  for (; left > 0; left--) {
    OWNED(dperm_model_free_at) dperm_model *next = NULL;
    size_t candidate = 0;
    int64_t errors = 0;
    TRY(play_round(t, train, judge, &candidate, &next, &errors, err));
    if (errors < least_errors) {
      dperm_model *worse = *model;
      *model = next;
      next = worse;
      least_errors = errors;
      *chosen = candidate;
    }
  }
  return DPERM_OK;
}

/* ---- in public */

/* By the mean error count of each candidate over a few draws of its noise. */
static dperm_status tune_in_public(const tuning *t, size_t *chosen, dperm_model **model,
                                   dperm_error *err) {
  enum { DRAWS = 5 };
  OWNED(dperm_data_free_at) dperm_data *train = NULL, *judge = NULL;
  double best = INFINITY;
  TRY(draw_holdout(t, t->how->public_data, &train, &judge, err));
  for (size_t i = 0; i < t->count; i++) {
    double mean = 0;
    TRY(progress_tick(&t->candidates[i].progress, "tuning", i, t->count, err));
    for (int draw = 0; draw < DRAWS; draw++) {
      OWNED(dperm_model_free_at) dperm_model *trial = NULL;
      uint64_t errors = 0;
      TRY(fit_and_judge(t, i, train, judge, &trial, &errors, err));
      mean += (double)errors / DRAWS;
    }
    if (mean < best) {
      best = mean;
      *chosen = i;
    }
  }
  fit_plan plan = {0};
  TRY(fit_plan_check(t->data, t->rows, &t->candidates[*chosen], &t->claims[*chosen], &plan, err));
  return fit_planned(t->data, &t->candidates[*chosen], &plan, t->source, model, err);
}

/* ---- which of them */

dperm_status tune_run(const tuning *t, size_t *chosen, dperm_model **model, dperm_error *err) {
  return t->how->method == DPERM_TUNE_SPLIT      ? tune_by_split(t, chosen, model, err)
         : t->how->method == DPERM_TUNE_STOPPING ? tune_by_stopping(t, chosen, model, err)
                                                 : tune_in_public(t, chosen, model, err);
}

json_t *tune_describe(const tuning *t, size_t chosen) {
  const double delta = 0.05, epsilon = ratio_value(ratio_below(t->claim.epsilon_fit));
  const dperm_tune_method method = t->how->method;
  json_t *made = json_object(), *candidates = json_array();
  for (size_t i = 0; i < t->count; i++) {
    json_append(&candidates, candidate_json(&t->candidates[i], data_class_count(t->data)));
  }
  json_set(&made, "method", json_string(dperm_tune_method_name(method)));
  if (method == DPERM_TUNE_SPLIT) {
    json_set(&made, "selector", json_string(dperm_selector_name(t->how->selector)));
  } else if (method == DPERM_TUNE_STOPPING) {
    json_set(&made, "rounds", json_string(dperm_rounds_name(t->how->rounds)));
    json_set(&made, "rounds_mean", json_real(t->rounds.mean));
    json_set(&made, "epsilon_round", json_real(t->claim.epsilon_fit));
  }
  json_set(&made, "candidates", candidates);
  json_set(&made, "chosen", json_count(chosen));
  if (method == DPERM_TUNE_SPLIT) {
    json_set(&made, "portion", json_count(tune_fit_rows(t)));
    json_set(&made, "bound",
             json_pack("{s:f, s:f}", "delta", delta, "excess_errors",
                       selection_bound(t->count, epsilon, delta)));
  } else if (method == DPERM_TUNE_STOPPING) {
    json_set(&made, "holdout_rows", json_count(holdout_rows(t->rows, t->how->holdout)));
  } else {
    json_set(&made, "public_rows", json_count(data_units(t->how->public_data)));
  }
  return made;
}
