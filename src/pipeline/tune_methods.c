/* Split (CMS Algorithm 4, each learner calibrated with its own n), random stopping (Liu & Talwar
 * 2019; Papernot & Steinke 2022), and choosing in public. Which rows go where is drawn before any
 * value is looked at. */
#include "pipeline/tune_methods.h"

#include <math.h>
#include <stdlib.h>

#include "base/defect.h"
#include "base/memory.h"
#include "base/progress.h"
#include "dperm/score.h"
#include "pipeline/fit.h"
#include "pipeline/fit_memory.h"

size_t split_portion(size_t rows, size_t candidates) {
  return rows / (candidates + 1);
}

size_t holdout_rows(size_t rows, double share) {
  return (size_t)floor((double)rows * share);
}

/* The leader draws; the other processes of a job are told. */
static dperm_status draw_order(const tuning *t, size_t rows, size_t *order, dperm_error *err) {
  ranks *spread = t->data->x->spread;
  if (ranks_lead(spread)) {
    random_order(t->source, rows, order);
  }
  return ranks_share(spread, DPERM_OK, order, rows * sizeof *order, err);
}

/* A candidate as it is fitted here: at this ε, without diagnostics. */
static dperm_options candidate_at(const tuning *t, size_t i, double epsilon) {
  dperm_options options = t->candidates[i];
  options.epsilon = epsilon;
  options.threads = t->candidates[0].threads;
  options.progress = t->candidates[0].progress;
  options.unsafe_diagnostics = NULL;
  return options;
}

static dperm_status count_errors(const dperm_model *model, const dperm_data *data, size_t *errors,
                                 dperm_error *err) {
  dperm_metrics metrics;
  TRY(dperm_model_score(model, data, &metrics, err));
  *errors = metrics.errors;
  return DPERM_OK;
}

/* The rows are copied as they are dealt out. How much sparse ones take depends on the records, so
 * they are left out here. */
dperm_status tune_foresee(const tuning *t, dperm_error *err) {
  const dperm_data *data = t->data;
  bool split = t->how->method == DPERM_TUNE_SPLIT;
  double models = 0, most = 0, work = 0, rows = (double)data->x->rows;
  size_t fitted = split ? split_portion(rows_in_all(data->x), t->count) : data->x->rows;
  for (size_t i = 0; i < t->count; i++) {
    double model = fit_memory_model(data, &t->candidates[i]);
    models += model;
    most = fmax(most, model);
    work = fmax(work, fit_memory_work(data, fitted, &t->candidates[i]));
  }
  double copies = data->x->kind->block ? rows * (double)data->x->cols : 0;
  double dealt = (copies + 2 * rows) * sizeof(double);
  return memory_probe((split ? models : 2 * most) + work + dealt, err);
}

/* ---- split */

/* A model for each candidate from its own portion, and its errors on the last portion. */
static dperm_status fit_portions(const tuning *t, const size_t *order, dperm_model **models,
                                 size_t *errors, dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t portion = split_portion(rows_in_all(t->data->x), t->count);
  dperm_data *part = NULL, *judge = NULL;
  fit_plan plan = {0};
  const dperm_progress *progress = &t->candidates[0].progress;
  TRY_OR_DONE(dperm_data_select(t->data, order + t->count * portion, portion, &judge, err));
  for (size_t i = 0; i < t->count; i++) {
    dperm_options options = candidate_at(t, i, t->candidates[i].epsilon);
    TRY_OR_DONE(progress_tick(progress, "tuning", i, t->count, err));
    dperm_data_free(part);
    part = NULL;
    TRY_OR_DONE(dperm_data_select(t->data, order + i * portion, portion, &part, err));
    size_t rows = DEFECT("portion-n") ? rows_in_all(t->data->x) : portion;
    TRY_OR_DONE(fit_check(part, rows, &options, &plan, err));
    TRY_OR_DONE(fit_planned(part, &options, &plan, t->source, &models[i], err));
    TRY_OR_DONE(count_errors(models[i], judge, &errors[i], err));
  }
done:
  dperm_data_free(part);
  dperm_data_free(judge);
  return status;
}

dperm_status tune_by_split(const tuning *t, size_t *chosen, dperm_model **model, dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t rows = rows_in_all(t->data->x), *order = NULL, *errors = NULL;
  dperm_model **models = NULL;
  ratio epsilon = ratio_below(t->candidates[0].epsilon);
  TRY_OR_DONE(memory_new(rows, sizeof *order, &order, err));
  TRY_OR_DONE(memory_new(2 * t->count, sizeof *errors, &errors, err));
  TRY_OR_DONE(memory_new(t->count, sizeof(void *), &models, err));
  TRY_OR_DONE(draw_order(t, rows, order, err));
  TRY_OR_DONE(fit_portions(t, order, models, errors, err));
  if (ranks_lead(t->data->x->spread)) {
    *chosen =
        t->how->selector == DPERM_SELECTOR_EXPONENTIAL
            ? select_exponential(t->source, errors, t->count, epsilon)
            : select_permute_and_flip(t->source, errors, t->count, epsilon, errors + t->count);
  }
  TRY_OR_DONE(ranks_share(t->data->x->spread, DPERM_OK, chosen, sizeof *chosen, err));
  *model = models[*chosen];
  models[*chosen] = NULL;
done:
  for (size_t i = 0; models && i < t->count; i++) {
    dperm_model_free(models[i]);
  }
  free(models);
  free(errors);
  free(order);
  return status;
}

/* ---- random stopping */

/* One round: a random candidate, fitted to the training rows and judged by a noisy count of its
 * errors on the others. Both at ε₁, on disjoint rows. */
static dperm_status play_round(const tuning *t, const dperm_data *train, const dperm_data *judge,
                               double epsilon, size_t *candidate, dperm_model **model,
                               int64_t *noisy_errors, dperm_error *err) {
  ranks *spread = t->data->x->spread;
  if (ranks_lead(spread)) {
    *candidate = (size_t)random_below(t->source, t->count);
  }
  TRY(ranks_share(spread, DPERM_OK, candidate, sizeof *candidate, err));
  dperm_options options = candidate_at(t, *candidate, epsilon);
  size_t errors = 0;
  TRY(fit_model(train, &options, t->source, model, err));
  dperm_status status = count_errors(*model, judge, &errors, err);
  if (status == DPERM_OK && ranks_lead(spread)) {
    *noisy_errors = (int64_t)errors + random_discrete_laplace(t->source, ratio_below(epsilon));
  }
  status = ranks_share(spread, status, noisy_errors, sizeof *noisy_errors, err);
  if (status != DPERM_OK) {
    dperm_model_free(*model);
    *model = NULL;
  }
  return status;
}

static dperm_status draw_rounds(const tuning *t, uint64_t *rounds, dperm_error *err) {
  *rounds = ranks_lead(t->data->x->spread) ? rounds_draw(t->source, &t->rounds) : 0;
  return ranks_share(t->data->x->spread, DPERM_OK, rounds, sizeof *rounds, err);
}

/* The number of rounds stays secret: nothing counts, shows or caps them, and the caller's progress
 * is asked only whether to stop. */
dperm_status tune_by_stopping(const tuning *t, size_t *chosen, dperm_model **model,
                              dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t rows = rows_in_all(t->data->x), held = holdout_rows(rows, t->how->holdout), *order = NULL;
  dperm_data *train = NULL, *judge = NULL;
  dperm_model *best = NULL;
  int64_t best_errors = INT64_MAX;
  uint64_t left = 0;
  double epsilon = t->claim.epsilon_fit;
  TRY_OR_DONE(memory_new(rows, sizeof *order, &order, err));
  TRY_OR_DONE(draw_order(t, rows, order, err));
  TRY_OR_DONE(dperm_data_select(t->data, order, held, &judge, err));
  TRY_OR_DONE(dperm_data_select(t->data, order + held, rows - held, &train, err));
  TRY_OR_DONE(draw_rounds(t, &left, err));
  for (; left > 0; left--) {
    size_t candidate = 0;
    dperm_model *next = NULL;
    int64_t errors = 0;
    TRY_OR_DONE(play_round(t, train, judge, epsilon, &candidate, &next, &errors, err));
    if (errors < best_errors) {
      dperm_model_free(best);
      best = next;
      best_errors = errors;
      *chosen = candidate;
    } else {
      dperm_model_free(next);
    }
  }
  *model = best;
  best = NULL;
done:
  dperm_model_free(best);
  dperm_data_free(train);
  dperm_data_free(judge);
  free(order);
  return status;
}

/* ---- in public */

/* The mean error count of a candidate over a few draws of its noise, on public rows. */
static dperm_status judge_in_public(const tuning *t, size_t i, const dperm_data *train,
                                    const dperm_data *judge, double *mean, dperm_error *err) {
  enum { DRAWS = 5 };
  dperm_options options = candidate_at(t, i, t->candidates[i].epsilon);
  *mean = 0;
  for (int draw = 0; draw < DRAWS; draw++) {
    dperm_model *model = NULL;
    size_t errors = 0;
    TRY(fit_model(train, &options, t->source, &model, err));
    dperm_status status = count_errors(model, judge, &errors, err);
    dperm_model_free(model);
    TRY(status);
    *mean += (double)errors / DRAWS;
  }
  return DPERM_OK;
}

dperm_status tune_in_public(const tuning *t, size_t *chosen, dperm_model **model,
                            dperm_error *err) {
  dperm_status status = DPERM_OK;
  const dperm_data *data = t->how->public_data;
  size_t rows = rows_in_all(data->x), held = holdout_rows(rows, t->how->holdout), *order = NULL;
  dperm_data *train = NULL, *judge = NULL;
  double best = INFINITY;
  TRY_OR_DONE(memory_new(rows, sizeof *order, &order, err));
  TRY_OR_DONE(draw_order(t, rows, order, err));
  TRY_OR_DONE(dperm_data_select(data, order, held, &judge, err));
  TRY_OR_DONE(dperm_data_select(data, order + held, rows - held, &train, err));
  for (size_t i = 0; i < t->count; i++) {
    double mean = 0;
    TRY_OR_DONE(progress_tick(&t->candidates[0].progress, "tuning", i, t->count, err));
    TRY_OR_DONE(judge_in_public(t, i, train, judge, &mean, err));
    if (mean < best) {
      best = mean;
      *chosen = i;
    }
  }
  dperm_options options = candidate_at(t, *chosen, t->candidates[0].epsilon);
  TRY_OR_DONE(fit_model(t->data, &options, t->source, model, err));
done:
  dperm_data_free(train);
  dperm_data_free(judge);
  free(order);
  return status;
}
