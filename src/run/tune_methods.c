/* Split (CMS Algorithm 4, each learner planned for its own n), random stopping (Liu & Talwar
 * 2019; Papernot & Steinke 2022), and choosing in public. Which rows go where is drawn before any
 * value is looked at; where their number is private, for each by a draw of its own, so that a
 * record more moves no other (docs/proofs/neighbours.md 6). */
#include "run/tune_methods.h"
#include "run/claim.h"

#include <math.h>
#include <stdlib.h>

#include "base/defect.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/progress.h"
#include "data/identity.h"
#include "dperm/score.h"
#include "run/fit.h"
#include "run/options.h"

size_t holdout_rows(size_t rows, double share) {
  return (size_t)floor((double)rows * share);
}

/* What a fit sees: all rows, a portion of split tuning, or those that are not held out. */
static size_t all_rows(const tuning *t) {
  return t->rows;
}

static size_t rows_of_portion(const tuning *t) {
  return t->rows / (t->count + 1);
}

static size_t rows_not_held_out(const tuning *t) {
  return t->rows - holdout_rows(t->rows, t->how->holdout);
}

/* The leader draws; the other processes of a job are told. */
static dperm_status draw_order(const tuning *t, size_t rows, size_t *order, dperm_error *err) {
  ranks *spread = t->data->x->spread;
  if (ranks_lead(spread)) {
    random_order(t->source, rows, order);
  }
  return ranks_share(spread, DPERM_OK, order, rows * sizeof *order, err);
}

/* Whether the number of these rows is private. */
static bool uncounted(const tuning *t, const dperm_data *data) {
  return data == t->data && t->candidates[0].neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
}

/* The part that a row goes to: one of `parts` alike, or of two the first with this chance. */
static size_t draw_part(const tuning *t, size_t parts, double first) {
  if (isnan(first)) {
    return (size_t)random_below(t->source, parts);
  }
  return (double)(random_bits(t->source) >> 11) * 0x1p-53 < first ? 0 : 1;
}

/* Rows in parts, those of part i from order[starts[i]] on and before order[starts[i + 1]], by an
 * independent draw for each row; `starts` has parts + 1 zeros. */
static dperm_status draw_parts(const tuning *t, size_t rows, size_t parts, double first,
                               size_t *order, size_t *starts, dperm_error *err) {
  OWNED_MEMORY size_t *part = NULL;
  ranks *spread = t->data->x->spread;
  TRY(memory_new(rows, sizeof *part, &part, err));
  for (size_t i = 0; ranks_lead(spread) && i < rows; i++) {
    part[i] = draw_part(t, parts, first);
  }
  TRY(ranks_share(spread, DPERM_OK, part, rows * sizeof *part, err));
  size_t used = 0;
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

/* Draws the rows to judge by; the others are to train on. The caller frees both, also after a
 * failure. */
static dperm_status draw_holdout(const tuning *t, const dperm_data *data, dperm_data **train,
                                 dperm_data **judge, dperm_error *err) {
  OWNED_MEMORY size_t *order = NULL;
  size_t rows = rows_in_all(data->x), starts[3] = {0, holdout_rows(rows, t->how->holdout), rows};
  TRY(memory_new(rows, sizeof *order, &order, err));
  TRY(uncounted(t, data) ? draw_parts(t, rows, 2, t->how->holdout, order, starts, err)
                         : draw_order(t, rows, order, err));
  TRY(dperm_data_select(data, order, starts[1], judge, err));
  return dperm_data_select(data, order + starts[1], rows - starts[1], train, err);
}

/* The portions of a split, the last one to judge by; leftovers are dropped by place. */
static dperm_status draw_portions(const tuning *t, size_t *order, size_t *starts,
                                  dperm_error *err) {
  size_t rows = rows_in_all(t->data->x);
  if (uncounted(t, t->data)) {
    return draw_parts(t, rows, t->count + 1, (double)NAN, order, starts, err);
  }
  for (size_t i = 0; i <= t->count + 1; i++) {
    starts[i] = i * rows_of_portion(t);
  }
  return draw_order(t, rows, order, err);
}

static dperm_status select_portion(const tuning *t, const size_t *order, const size_t *starts,
                                   size_t i, dperm_data **out, dperm_error *err) {
  return dperm_data_select(t->data, order + starts[i], starts[i + 1] - starts[i], out, err);
}

/* Candidate i, fitted to some rows, and its errors on others. */
static dperm_status fit_and_judge(const tuning *t, size_t i, const dperm_data *train,
                                  const dperm_data *judge, dperm_model **model, size_t *errors,
                                  dperm_error *err) {
  const dperm_options *options = &t->candidates[i];
  bool whole = t->how->method == DPERM_TUNE_SPLIT && DEFECT("portion-n");
  bool counted = t->how->method == DPERM_TUNE_PUBLIC || !uncounted(t, t->data);
  size_t rows = whole ? t->rows : counted ? rows_in_all(train->x) : tune_method_of(t)->fit_rows(t);
  fit_plan plan = {0};
  dperm_metrics metrics;
  const guarantee *claim = &t->claims[i];
  TRY(t->how->method == DPERM_TUNE_PUBLIC
          ? fit_plan_check_public(train, rows, options, claim, &plan, err)
          : fit_plan_check(train, rows, options, claim, &plan, err));
  TRY(fit_planned(train, options, &plan, t->source, model, err));
  TRY(dperm_model_score(*model, judge, &metrics, err));
  *errors = metrics.errors;
  return DPERM_OK;
}

/* Of so many rows as a fit may see at most here; drawn one by one they are about a portion, and
 * more than eight deviations above it with odds below 1e-14. */
static size_t rows_fitted_here(const tuning *t) {
  size_t rows = t->data->x->rows;
  double mean = (double)rows / (double)(t->count + 1);
  if (t->how->method != DPERM_TUNE_SPLIT) {
    return rows;
  }
  return uncounted(t, t->data) ? (size_t)(mean + 8 * sqrt(mean) + 32) : rows_of_portion(t);
}

/* The rows are copied into portions, those of public data into two. How much sparse ones take
 * depends on the records, so they are left out here. What is asked for follows from how many
 * records there are, also where that is private: whether a machine has it is the custodian's to
 * know (privacy.md 8.7, 5). */
dperm_status tune_probe_memory(const tuning *t, dperm_error *err) {
  const dperm_data *data = t->data, *open = t->how->public_data;
  const matrix *parted = open ? open->x : data->x;
  bool split = t->how->method == DPERM_TUNE_SPLIT;
  double models = 0, most = 0, work = 0, rows = (double)parted->rows;
  size_t fitted = rows_fitted_here(t);
  for (size_t i = 0; i < t->count; i++) {
    double model = fit_memory_model(data, &t->candidates[i]);
    models += model;
    most = fmax(most, model);
    work = fmax(work, fit_memory_work(data, fitted, &t->candidates[i]));
    work = open ? fmax(work, fit_memory_work(open, parted->rows, &t->candidates[i])) : work;
  }
  double copies = parted->kind->block ? rows * (double)parted->cols : 0;
  double copied = (copies + 2 * rows) * sizeof(double);
  return memory_probe((split ? models : 2 * most) + work + copied, err);
}

/* ---- what the model states of its candidates */

static json_t *weights_json(const dperm_options *o) {
  json_t *object = o->class_weight_count > 0 ? json_object() : NULL;
  for (size_t i = 0; object && i < o->class_weight_count; i++) {
    const dperm_class_weight *w = &o->class_weights[i];
    if (json_object_set_new(object, w->name, json_real(w->weight)) != 0) {
      json_decref(object);
      return NULL;
    }
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

static json_t *candidates_json(const tuning *t) {
  json_t *list = json_array();
  for (size_t i = 0; i < t->count; i++) {
    json_append(&list, candidate_json(&t->candidates[i], data_class_count(t->data)));
  }
  return list;
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
  OWNED_MEMORY size_t *order = NULL;
  OWNED_MEMORY size_t *errors = NULL;
  OWNED(dperm_data_free_at) dperm_data *judge = NULL;
  OWNED(models_free) dperm_model **models = NULL;
  OWNED_MEMORY size_t *starts = NULL;
  ratio epsilon = ratio_below(t->claim.epsilon_fit);
  TRY(memory_new(rows_in_all(t->data->x), sizeof *order, &order, err));
  TRY(memory_new(t->count + 2, sizeof *starts, &starts, err));
  TRY(memory_new(2 * t->count, sizeof *errors, &errors, err));
  TRY(memory_new(t->count + 1, sizeof(void *), &models, err));
  TRY(draw_portions(t, order, starts, err));
  TRY(select_portion(t, order, starts, t->count, &judge, err));
  for (size_t i = 0; i < t->count; i++) {
    OWNED(dperm_data_free_at) dperm_data *part = NULL;
    TRY(progress_tick(&t->candidates[i].progress, "tuning", i, t->count, err));
    TRY(select_portion(t, order, starts, i, &part, err));
    TRY(fit_and_judge(t, i, part, judge, &models[i], &errors[i], err));
  }
  if (ranks_lead(t->data->x->spread)) {
    *chosen =
        t->how->selector == DPERM_SELECTOR_EXPONENTIAL
            ? select_exponential(t->source, errors, t->count, epsilon)
            : select_permute_and_flip(t->source, errors, t->count, epsilon, 1, errors + t->count);
  }
  TRY(ranks_share(t->data->x->spread, DPERM_OK, chosen, sizeof *chosen, err));
  *model = models[*chosen];
  models[*chosen] = models[t->count - 1];
  models[t->count - 1] = NULL;
  return DPERM_OK;
}

static json_t *describe_split(const tuning *t, size_t chosen) {
  const double delta = 0.05, epsilon = ratio_value(ratio_below(t->claim.epsilon_fit));
  return json_pack("{s:s, s:s, s:o, s:I, s:I, s:{s:f, s:f}}", "method", "split", "selector",
                   dperm_selector_name(t->how->selector), "candidates", candidates_json(t),
                   "chosen", (json_int_t)chosen, "portion", (json_int_t)rows_of_portion(t), "bound",
                   "delta", delta, "excess_errors", selection_bound(t->count, epsilon, delta));
}

/* ---- random stopping */

/* One round: a random candidate, fitted to the training rows and judged by a noisy count of its
 * errors on the others. Both at ε₁, on disjoint rows. */
static dperm_status play_round(const tuning *t, const dperm_data *train, const dperm_data *judge,
                               size_t *candidate, dperm_model **model, int64_t *noisy_errors,
                               dperm_error *err) {
  ranks *spread = t->data->x->spread;
  size_t errors = 0;
  if (ranks_lead(spread)) {
    *candidate = (size_t)random_below(t->source, t->count);
  }
  TRY(ranks_share(spread, DPERM_OK, candidate, sizeof *candidate, err));
  dperm_status status = fit_and_judge(t, *candidate, train, judge, model, &errors, err);
  if (status == DPERM_OK && ranks_lead(spread)) {
    *noisy_errors =
        (int64_t)errors + random_discrete_laplace(t->source, ratio_below(t->claim.epsilon_fit));
  }
  return ranks_share(spread, status, noisy_errors, sizeof *noisy_errors, err);
}

/* The number of rounds stays secret: nothing counts, shows or caps them, and the caller's progress
 * is asked only whether to stop. */
static dperm_status tune_by_stopping(const tuning *t, size_t *chosen, dperm_model **model,
                                     dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *train = NULL;
  OWNED(dperm_data_free_at) dperm_data *judge = NULL;
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

static json_t *describe_stopping(const tuning *t, size_t chosen) {
  return json_pack("{s:s, s:s, s:f, s:f, s:o, s:I, s:I}", "method", "stopping", "rounds",
                   dperm_rounds_name(t->how->rounds), "rounds_mean", t->rounds.mean,
                   "epsilon_round", t->claim.epsilon_fit, "candidates", candidates_json(t),
                   "chosen", (json_int_t)chosen, "holdout_rows",
                   (json_int_t)(t->rows - rows_not_held_out(t)));
}

/* ---- in public */

/* The mean error count of a candidate over a few draws of its noise, on public rows. */
static dperm_status judge_in_public(const tuning *t, size_t i, const dperm_data *train,
                                    const dperm_data *judge, double *mean, dperm_error *err) {
  enum { DRAWS = 5 };
  *mean = 0;
  for (int draw = 0; draw < DRAWS; draw++) {
    OWNED(dperm_model_free_at) dperm_model *model = NULL;
    size_t errors = 0;
    TRY(fit_and_judge(t, i, train, judge, &model, &errors, err));
    *mean += (double)errors / DRAWS;
  }
  return DPERM_OK;
}

static dperm_status tune_in_public(const tuning *t, size_t *chosen, dperm_model **model,
                                   dperm_error *err) {
  OWNED(dperm_data_free_at) dperm_data *train = NULL;
  OWNED(dperm_data_free_at) dperm_data *judge = NULL;
  double best = INFINITY;
  TRY(draw_holdout(t, t->how->public_data, &train, &judge, err));
  for (size_t i = 0; i < t->count; i++) {
    double mean = 0;
    TRY(progress_tick(&t->candidates[i].progress, "tuning", i, t->count, err));
    TRY(judge_in_public(t, i, train, judge, &mean, err));
    if (mean < best) {
      best = mean;
      *chosen = i;
    }
  }
  return fit_model(t->data, &t->candidates[*chosen], &t->claims[*chosen], t->source, model, err);
}

static json_t *describe_public(const tuning *t, size_t chosen) {
  return json_pack("{s:s, s:o, s:I, s:I}", "method", "public", "candidates", candidates_json(t),
                   "chosen", (json_int_t)chosen, "public_rows",
                   (json_int_t)rows_in_all(t->how->public_data->x));
}

/* ---- the record_table */

static const tune_method methods[] = {
    [DPERM_TUNE_SPLIT] = {"split", rows_of_portion, tune_by_split, describe_split},
    [DPERM_TUNE_STOPPING] = {"stopping", rows_not_held_out, tune_by_stopping, describe_stopping},
    [DPERM_TUNE_PUBLIC] = {"public", all_rows, tune_in_public, describe_public}};

const tune_method *tune_method_of(const tuning *t) {
  return &methods[t->how->method];
}
