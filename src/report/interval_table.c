/* See interval_table.h. */
#include "report/interval_table.h"

#include <math.h>
#include <sodium.h>
#include <stdlib.h>

#include "base/functions.h"
#include "base/memory.h"
#include "base/vector.h"
#include "intervals/correlations.h"
#include "intervals/interval_scales.h"
#include "intervals/interval_steps.h"

enum { MATRICES = 128, DRAWS = 16, ALL_DRAWS = MATRICES * DRAWS, BEFORE = 32 };
static const double ratio_most = 6;     /* of quantiles of a variance over the matrices */
static const double alike_least = 3;    /* of a variance, to that without other columns */
static const double refused_most = 0.2; /* of all columns, where these are more than two */

const char *interval_refusal_words(interval_refusal refusal) {
  static const char *const words[] = {[INTERVAL_FEW] = "too few records for its noise",
                                      [INTERVAL_RARE] = "too rare, or too narrow for its range",
                                      [INTERVAL_REFERENCE] = "its reference is too rare",
                                      [INTERVAL_ALIKE] = "too like other columns for its noise",
                                      [INTERVAL_MANY] = "too many other columns have none"};
  return words[refusal];
}

/* ---- what was released */

static dperm_status take(const dperm_model *model, interval_law *law, interval_stage_id stage,
                         crypto_generichash_state *digest, dperm_error *err) {
  const json_t *list = json_object_get(model->released[SHARE_INTERVALS], interval_keys[stage]);
  const size_t count = interval_released(law->design, stage);
  OWNED_MEMORY int64_t *released = NULL;
  TRY(memory_new(count, sizeof *released, &released, err));
  for (size_t i = 0; i < count; i++) {
    released[i] = json_integer_value(json_array_get(list, i));
    (void)crypto_generichash_update(digest, (const unsigned char *)&released[i],
                                    sizeof released[i]);
  }
  return interval_take(law, stage, released, err);
}

/* ---- draws */

/* Some space, and what is the same for all draws. In units of z, like all of the law. */
typedef struct drawing {
  const dperm_model *model;
  const interval_law *law;
  correlations known;
  random_source source;
  bool alike[INTERVAL_COLUMNS];
  double *theta;                        /* d × ALL_DRAWS */
  double *own;                          /* d × MATRICES: diagonals */
  double *pull;                         /* the ridge's, of a mean slope */
  double moved;                         /* of scores, by it */
  double *left;                         /* of curvature, on the way back */
  double *scale, *rest, *by;            /* as drawn */
  double *scaled, *rows, *noise, *step; /* space */
} drawing;

static double radius_of(const drawing *t, size_t j) {
  return t->law->design->groups[t->law->design->group_of[j]].radius;
}

/* Λf as a slope in z, the intercept's part taken out along the means. */
static void set_pull(drawing *t) {
  const interval_law *law = t->law;
  const size_t d = law->d;
  const double lambda = t->model->plan.lambda + t->model->plan.delta_reg;
  const double first = lambda * t->model->weights[d] / law->design->constant;
  double squares = first * first / law->h0;
  for (size_t j = 0; j < d; j++) {
    t->pull[j] = lambda * t->model->weights[j] / radius_of(t, j) - first * law->mean[j];
  }
  for (size_t j = 0; j < d; j++) {
    squares += t->pull[j] * vector_dot(law->inverse + j * d, t->pull, d);
  }
  t->moved = sqrt(fmax(squares, 0) / law->h0);
}

/* Of a record with the value and means elsewhere, the score, and its way without the ridge. */
static void set_left(drawing *t) {
  const interval_law *law = t->law;
  const interval_design *design = law->design;
  const size_t d = law->d;
  double score = t->model->weights[d] * design->constant;
  for (size_t j = 0; j < d; j++) {
    score += t->model->weights[j] * radius_of(t, j) * law->mean[j];
  }
  for (size_t i = 0; i < design->group_count; i++) {
    const interval_group *g = &design->groups[i];
    double others = score;
    for (size_t j = g->first; j < g->first + g->count; j++) {
      others -= t->model->weights[j] * g->radius * law->mean[j];
    }
    for (size_t j = g->first; j < g->first + g->count; j++) {
      const double step = vector_dot(law->inverse + j * d, t->pull, d);
      t->left[j] = interval_curvature_left(law, j, others + t->model->weights[j] * g->radius, step);
    }
  }
}

static void draw_scales(drawing *t) {
  interval_scales_draw(t->law, &t->source, t->scale, t->rest, t->by);
  correlations_rescale(&t->known, t->by);
  for (size_t j = 0; j < t->law->d; j++) {
    t->scale[j] *= t->left[j];
  }
}

static void draw_slopes(drawing *t, size_t at) {
  const interval_law *law = t->law;
  const size_t d = law->d;
  const double n = law->design->rows;
  noise_draw(&t->model->plan.noise, &t->source, t->noise);
  const double constant = t->noise[d] / law->design->constant,
               unsure = 1 + t->moved * random_normal(&t->source);
  for (size_t j = 0; j < d; j++) {
    const double b = t->noise[j] / radius_of(t, j) - constant * law->mean[j];
    t->step[j] = unsure * t->pull[j] + b / n;
  }
  for (size_t j = 0; j < d; j++) {
    const double *row = t->scaled + j * d, sampling = sqrt(law->omega * law->phi[j] * row[j] / n);
    t->theta[j * ALL_DRAWS + at] = t->model->weights[j] * radius_of(t, j) +
                                   vector_dot(row, t->step, d) +
                                   sampling * random_normal(&t->source);
  }
}

static dperm_status draw_all(drawing *t, dperm_error *err) {
  const size_t d = t->law->d;
  set_pull(t);
  set_left(t);
  for (size_t j = 0; j < d; j++) {
    t->alike[j] = correlations_alike(&t->known, j);
  }
  for (size_t k = 0; k < BEFORE; k++) {
    TRY(cancel_check(err));
    correlations_sweep(&t->known, &t->source);
  }
  for (size_t k = 0; k < MATRICES; k++) {
    TRY(cancel_check(err));
    draw_scales(t);
    correlations_sweep(&t->known, &t->source);
    correlations_slopes(&t->known, t->scale, t->rest, t->rows, t->scaled);
    for (size_t j = 0; j < d; j++) {
      t->own[j * MATRICES + k] = t->scaled[j * d + j];
    }
    for (size_t i = 0; i < DRAWS; i++) {
      draw_slopes(t, k * DRAWS + i);
    }
  }
  return DPERM_OK;
}

/* ---- from draws to rows */

/* As numpy and R have it. */
static double quantile(const double *sorted, size_t count, double share) {
  const double at = share * (double)(count - 1), below = floor(at);
  const size_t i = (size_t)below;
  return i + 1 < count ? sorted[i] + (at - below) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

/* Places by size, the largest first, in the middle 95 of 100 draws. */
static void set_ranks(const drawing *t, double *places, interval_row *rows) {
  const interval_law *law = t->law;
  for (size_t j = 0; j < law->d; j++) {
    for (size_t i = 0; i < ALL_DRAWS; i++) {
      const double own = fabs(t->theta[j * ALL_DRAWS + i]) * sqrt(law->variance[j] / law->h0);
      places[i] = 1;
      for (size_t l = 0; l < law->d; l++) {
        const double other = fabs(t->theta[l * ALL_DRAWS + i]) * sqrt(law->variance[l] / law->h0);
        places[i] += other > own;
      }
    }
    vector_sort(places, ALL_DRAWS);
    rows[j].rank_low = rint(quantile(places, ALL_DRAWS, 0.025));
    rows[j].rank_high = rint(quantile(places, ALL_DRAWS, 0.975));
  }
}

static interval_row row_of(const drawing *t, size_t j, double *sorted) {
  const interval_law *law = t->law;
  const double *theta = t->theta + j * ALL_DRAWS, *own = t->own + j * MATRICES, n = ALL_DRAWS;
  double sum = 0, squares = 0, above = 0, sampling = 0;
  interval_row row = {.refusal = INTERVAL_GIVEN};
  for (size_t i = 0; i < ALL_DRAWS; i++) {
    sorted[i] = theta[i];
    sum += theta[i];
    above += theta[i] > 0;
  }
  for (size_t i = 0; i < ALL_DRAWS; i++) {
    squares += (theta[i] - sum / n) * (theta[i] - sum / n);
  }
  vector_sort(sorted, ALL_DRAWS);
  row.low = quantile(sorted, ALL_DRAWS, 0.025);
  row.high = quantile(sorted, ALL_DRAWS, 0.975);
  row.estimate = quantile(sorted, ALL_DRAWS, 0.5);
  row.error = (row.high - row.low) / (2 * 1.959963984540054);
  row.p = fmax(2 * fmin(above, n - above) / n, 1 / n);
  for (size_t k = 0; k < MATRICES; k++) {
    sorted[k] = own[k];
    sampling += law->omega * law->phi[j] * own[k] / law->design->rows / MATRICES;
  }
  row.noise = fmin(fmax(1 - sampling / (squares / n), 0), 1);
  vector_sort(sorted, MATRICES);
  const double apart = quantile(sorted, MATRICES, 0.9) / quantile(sorted, MATRICES, 0.1);
  const double inflated = quantile(sorted, MATRICES, 0.5) * law->variance[j];
  const interval_kind kind = law->design->groups[law->design->group_of[j]].kind;
  const bool wide = apart > ratio_most, rare = wide || kind != INTERVAL_NUMBER;
  row.refusal = rare && interval_scale_unsure(law, j)                         ? INTERVAL_RARE
                : kind == INTERVAL_BLOCK && interval_reference_unsure(law, j) ? INTERVAL_REFERENCE
                : t->alike[j]                                                 ? INTERVAL_ALIKE
                : !wide                                                       ? INTERVAL_GIVEN
                : inflated > alike_least                                      ? INTERVAL_ALIKE
                                                                              : INTERVAL_FEW;
  return row;
}

static void make_rows(const drawing *t, double *sorted, interval_row *rows) {
  const size_t d = t->law->d;
  size_t refused = 0;
  for (size_t j = 0; j < d; j++) {
    rows[j] = row_of(t, j, sorted);
    const bool first = t->law->design->groups[t->law->design->group_of[j]].first == j;
    refused += t->alike[j]                             ? 0
               : rows[j].refusal == INTERVAL_REFERENCE ? first
                                                       : rows[j].refusal != INTERVAL_GIVEN;
  }
  for (size_t j = 0; j < d && (double)refused > fmax(refused_most * (double)d, 2); j++) {
    rows[j].refusal = rows[j].refusal == INTERVAL_GIVEN ? INTERVAL_MANY : rows[j].refusal;
  }
  set_ranks(t, sorted, rows);
}

static dperm_status make_table(const dperm_model *model, const interval_law *law, uint64_t seed,
                               interval_row *rows, dperm_error *err) {
  const size_t d = law->d, square = d * d;
  OWNED_MEMORY double *room = NULL, *sorted = NULL;
  drawing t = {.model = model, .law = law};
  TRY(memory_new(d * (ALL_DRAWS + MATRICES) + 2 * square + 7 * d + 1, sizeof *room, &room, err));
  TRY(memory_new(ALL_DRAWS, sizeof *sorted, &sorted, err));
  TRY(random_public(seed, "intervals", &t.source, err));
  double *at = room;
  t.theta = at;
  t.own = at += d * ALL_DRAWS;
  t.scaled = at += d * MATRICES;
  t.rows = at += square;
  t.pull = at += square;
  t.left = at += d;
  t.by = at += d;
  t.scale = at += d;
  t.rest = at += d;
  t.step = at += d;
  t.noise = at + d; /* d + 1 numbers */
  TRY(correlations_open(law, &t.known, err));
  const dperm_status status = draw_all(&t, err);
  correlations_close(&t.known);
  TRY(status);
  make_rows(&t, sorted, rows);
  return DPERM_OK;
}

dperm_status interval_table_of(const dperm_model *model, interval_design *design,
                               interval_row **rows, dperm_error *err) {
  OWNED(interval_law_free) interval_law law = {0};
  OWNED_MEMORY interval_row *made = NULL;
  crypto_generichash_state digest;
  uint64_t seed = 0;
  dperm_loss loss;
  const double epsilon =
      epsilon_share(model->claim.shares[SHARE_INTERVALS], model->claim.rows_per_person);
  TRY(model_loss(model, &loss, err));
  TRY(interval_design_of(model->schema, &loss, model->rows_fitted, epsilon, design, err));
  TRY(interval_law_new(design, &law, err));
  TRY(memory_new(law.d, sizeof *made, &made, err));
  (void)crypto_generichash_init(&digest, NULL, 0, crypto_generichash_BYTES);
  for (interval_stage_id s = 0; s < INTERVAL_STAGES; s++) {
    TRY(take(model, &law, s, &digest, err));
  }
  unsigned char hash[crypto_generichash_BYTES];
  (void)crypto_generichash_final(&digest, hash, sizeof hash);
  for (size_t i = 0; i < sizeof seed; i++) {
    seed = seed << 8 | hash[i];
  }
  TRY(make_table(model, &law, seed, made, err));
  *rows = TAKE(made);
  return DPERM_OK;
}
