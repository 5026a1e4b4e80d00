/* Values and derivatives of the objective. The passes over rows are cut into fixed blocks whose
 * sums are added in order, so threads do not change a bit. */
#include "solve/problem.h"

#include <math.h>
#include <string.h>

#include "base/thread_pool.h"
#include "loss/link.h"

double problem_divisor(const problem *p) {
  return p->divisor > 0 ? p->divisor : (double)rows_in_all(p->x);
}

double problem_crowd(const problem *p) {
  return p->divisor > 0 ? (double)rows_in_all(p->x) / p->divisor : 1;
}

size_t problem_size(const problem *p) {
  return p->x->cols * link_scores(p->loss);
}

dperm_status point_take(const problem *p, scratch *work, const point *other, point *out,
                        dperm_error *err) {
  size_t cols = problem_size(p), rows = p->x->rows * link_scores(p->loss);
  TRY(scratch_take(work, cols, sizeof *out->f, &out->f, err));
  TRY(scratch_take(work, cols, sizeof *out->gradient, &out->gradient, err));
  TRY(scratch_take(work, rows, sizeof *out->z, &out->z, err));
  if (other) {
    out->slope = other->slope;
    out->curvature = other->curvature;
    return DPERM_OK;
  }
  TRY(scratch_take(work, rows, sizeof *out->slope, &out->slope, err));
  return scratch_take(work, rows, sizeof *out->curvature, &out->curvature, err);
}

/* ---- rows by themselves */

/* numbers[i] times the share of row from + i, `lanes` numbers for each of `count` rows. */
static void share(const problem *p, size_t from, size_t count, size_t lanes, double *numbers) {
  for (size_t i = 0; numbers && p->shares && i < count * lanes; i++) {
    numbers[i] *= p->shares[from + i / lanes];
  }
}

void problem_rows_eval(const problem *p, size_t from, size_t count, size_t lanes, const double *z,
                       double *value, double *slope, double *curvature) {
  size_t width = lanes * link_scores(p->loss);
  link_eval(p->loss, count, width, p->labels + from, z, value, slope, curvature);
  share(p, from, count, lanes, value);
  share(p, from, count, width, slope);
  if (width == lanes) {
    share(p, from, count, lanes, curvature);
  }
}

/* Rows at a time, of k scores each. */
static size_t block_size(size_t k) {
  return k > 1 ? 128 : STRIPE_UNIT;
}

static size_t block_rows(size_t from, size_t to, size_t k) {
  return to - from < block_size(k) ? to - from : block_size(k);
}

/* One number of `to` for each score, by blocks of rows. */
typedef struct rows_job {
  const problem *p;
  const double *z, *z_rest; /* no rest: the curvatures are meant, else the slopes */
  double *to;
} rows_job;

static void map_block(void *context, size_t block, size_t worker) {
  const rows_job *job = context;
  const problem *p = job->p;
  size_t k = link_scores(p->loss), from = block * block_size(k), at = from * k;
  size_t count = cancel_poll() ? 0 : block_rows(from, p->x->rows, k);
  if (!job->z_rest) {
    problem_rows_eval(p, from, count, 1, job->z + at, NULL, NULL, job->to + at);
    return;
  }
  link_slope_dd(p->loss, count, p->labels + from, job->z + at, job->z_rest + at, job->to + at);
  share(p, from, count, k, job->to + at);
}

static void map_rows(rows_job job) {
  size_t block = block_size(link_scores(job.p->loss));
  pool_run((job.p->x->rows + block - 1) / block, map_block, &job);
}

void problem_slopes_dd(const problem *p, const double *z, const double *z_rest, double *slope) {
  map_rows((rows_job){p, z, z_rest, slope});
}

void problem_curvatures(const problem *p, const double *z, double *curvature) {
  map_rows((rows_job){p, z, NULL, curvature});
}

/* ---- products */

void problem_transpose(const double *from, size_t rows, size_t cols, double *to) {
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < cols; j++) {
      to[j * rows + i] = from[i * cols + j];
    }
  }
}

/* The matrix takes the k numbers of a column together: the same as wide for k = 1. */
dperm_status problem_scores(const problem *p, const double *f, double *z, dperm_error *err) {
  size_t k = link_scores(p->loss), cols = p->x->cols;
  double *turned = NULL;
  OWNED(scratch_free) scratch work = {0};
  TRY(scratch_take_raw(&work, cols * k, sizeof *turned, &turned, err));
  problem_transpose(f, k, cols, turned);
  return matrix_apply(p->x, turned, k, z, err);
}

dperm_status problem_apply_both(const problem *p, const double *f, matrix_turn *turn, void *context,
                                double *g, dperm_error *err) {
  size_t k = link_scores(p->loss), cols = p->x->cols;
  double *turned = NULL, *sum = NULL;
  OWNED(scratch_free) scratch work = {0};
  TRY(scratch_take_raw(&work, cols * k, sizeof *turned, &turned, err));
  TRY(scratch_take_raw(&work, cols * k, sizeof *sum, &sum, err));
  problem_transpose(f, k, cols, turned);
  TRY(p->x->kind->apply_both(p->x, turned, k, turn, context, sum, err));
  problem_transpose(sum, cols, k, g);
  return DPERM_OK;
}

/* ---- the whole gradient */

typedef struct evaluate_job {
  const problem *p;
  point *at;
} evaluate_job;

static void evaluate_turn(void *context, size_t from, size_t count, double *z) {
  const evaluate_job *job = context;
  const point *at = job->at;
  size_t k = link_scores(job->p->loss), first = from * k, size = count * k * sizeof *z;
  memcpy(at->z + first, z, size);
  problem_rows_eval(job->p, from, count, 1, at->z + first, NULL, at->slope + first,
                    at->curvature + first);
  memcpy(z, at->slope + first, size);
}

static double linear_term(const problem *p, size_t j) {
  return p->model.linear ? p->model.linear[j] : 0.0;
}

/* N_j at f_j. */
typedef struct penalty {
  double value, slope, curvature;
} penalty;

static dperm_status penalty_at(const problem *p, size_t j, double fj, penalty *n,
                               dperm_error *err) {
  return regularizer_eval(p->regularizer, j % p->x->cols, fj, &n->value, &n->slope, &n->curvature,
                          err);
}

dperm_status problem_penalty_curvature(const problem *p, size_t j, double fj, double *out,
                                       dperm_error *err) {
  penalty n;
  TRY(penalty_at(p, j, fj, &n, err));
  *out = p->model.lambda * n.curvature + p->model.ridge;
  return DPERM_OK;
}

dperm_status problem_add_penalty(const problem *p, bool trial, const double *f, double *gradient,
                                 dperm_error *err) {
  double divisor = problem_divisor(p);
  for (size_t j = 0; j < problem_size(p); j++) {
    penalty n;
    double *g = &gradient[j];
    TRY(penalty_at(p, j, f[j], &n, err));
    *g = *g / divisor + p->model.lambda * n.slope + p->model.ridge * f[j] + linear_term(p, j);
    FAIL_IF(!trial && !(isfinite(n.value) && isfinite(n.slope) && isfinite(n.curvature)), err,
            DPERM_NUMERIC_ERROR, "the regularizer is not finite at f[%zu] = %g", j, f[j]);
    FAIL_IF(!trial && !isfinite(*g), err, DPERM_NUMERIC_ERROR,
            "the gradient is not finite; the loss, the regularizer or the data overflow");
  }
  return DPERM_OK;
}

dperm_status problem_evaluate(const problem *p, bool trial, point *at, dperm_error *err) {
  evaluate_job job = {p, at};
  TRY(problem_apply_both(p, at->f, evaluate_turn, &job, at->gradient, err));
  return problem_add_penalty(p, trial, at->f, at->gradient, err);
}

/* ---- sums of numbers */

/* A sum over rows, block by block, at scores z + t q. */
typedef struct line_sum {
  const problem *p;
  const double *z, *q; /* tall */
  double t;
} line_sum;

/* Σ_i w_i ℓ(y_i z_i). */
static void add_losses(const void *context, size_t from, size_t to, double *total, double *work) {
  const line_sum *at = context;
  size_t k = link_scores(at->p->loss), block = block_size(k);
  for (; from < to && !cancel_poll_at(from / block, block * k); from += block) {
    size_t count = block_rows(from, to, k);
    double value[STRIPE_UNIT], sum = 0;
    problem_rows_eval(at->p, from, count, 1, at->z + from * k, value, NULL, NULL);
    for (size_t i = 0; i < count; i++) {
      sum += value[i];
    }
    *total += sum;
  }
}

dperm_status problem_objective(const problem *p, const double *f, double *objective,
                               dperm_error *err) {
  double *z = NULL;
  OWNED(scratch_free) scratch work = {0};
  TRY(scratch_take(&work, p->x->rows * link_scores(p->loss), sizeof *z, &z, err));
  TRY(problem_scores(p, f, z, err));
  const line_sum at = {.p = p, .z = z};
  const stripe_sum how = {.size = 1, .add = add_losses, .context = &at};
  TRY(stripes_sum(p->x, &how, objective, err));
  *objective /= problem_divisor(p);
  for (size_t j = 0; j < problem_size(p); j++) {
    penalty n;
    TRY(penalty_at(p, j, f[j], &n, err));
    *objective +=
        p->model.lambda * n.value + 0.5 * p->model.ridge * f[j] * f[j] + linear_term(p, j) * f[j];
  }
  return DPERM_OK;
}

/* qᵀℓ″q of row i. */
static double bend_along(const problem *p, size_t i, size_t k, const double *curvature,
                         const double *q) {
  if (k == 1) {
    return *curvature * *q * *q;
  }
  double mean = 0, spread = 0;
  for (size_t c = 0; c < k; c++) {
    mean += curvature[c] * q[c];
  }
  for (size_t c = 0; c < k; c++) {
    spread += curvature[c] * (q[c] - mean) * (q[c] - mean);
  }
  return (p->shares ? p->shares[i] : 1.0) * spread;
}

/* φ′ and φ″ without the penalty. `work`: scores, slopes and curvatures of a block. */
static void add_along(const void *context, size_t from, size_t to, double *total, double *work) {
  const line_sum *at = context;
  const problem *p = at->p;
  size_t k = link_scores(p->loss), block = block_size(k);
  double *score = work, *slope = score + block * k, *curvature = slope + block * k;
  for (; from < to && !cancel_poll_at(from / block, block * k); from += block) {
    size_t count = block_rows(from, to, k);
    const double *z = at->z + from * k, *q = at->q + from * k;
    double first = 0, second = 0;
    for (size_t i = 0; i < count * k; i++) {
      score[i] = z[i] + at->t * q[i];
    }
    problem_rows_eval(p, from, count, 1, score, NULL, slope, curvature);
    for (size_t i = 0; i < count * k; i++) {
      first += slope[i] * q[i];
    }
    for (size_t i = 0; i < count; i++) {
      second += bend_along(p, from + i, k, curvature + i * k, q + i * k);
    }
    total[0] += first;
    total[1] += second;
  }
}

dperm_status problem_along(const problem *p, const point *at, const double *direction,
                           const double *q, double t, double *first, double *second,
                           dperm_error *err) {
  size_t k = link_scores(p->loss);
  double divisor = problem_divisor(p), total[2];
  const line_sum line = {p, at->z, q, t};
  const stripe_sum how = {
      .size = 2, .work_size = 3 * block_size(k) * k, .add = add_along, .context = &line};
  TRY(stripes_sum(p->x, &how, total, err));
  *first = total[0] / divisor;
  *second = total[1] / divisor;
  for (size_t j = 0; j < problem_size(p); j++) {
    double d = direction[j], f = at->f[j] + t * d;
    penalty n;
    TRY(penalty_at(p, j, f, &n, err));
    *first += d * (p->model.lambda * n.slope + p->model.ridge * f + linear_term(p, j));
    *second += d * d * (p->model.lambda * n.curvature + p->model.ridge);
  }
  return DPERM_OK;
}
