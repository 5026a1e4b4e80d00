/* Values and derivatives of the objective. The passes over rows are cut into fixed blocks whose
 * sums are added in order, so threads do not change a bit. */
#include "solve/problem.h"

#include <math.h>
#include <string.h>

#include "base/scratch.h"
#include "loss/link.h"
#include "loss/regularizer.h"
#include "solve/coupled.h"

enum { BLOCK = STRIPE_UNIT };

static size_t block_rows(size_t from, size_t to) {
  return to - from < BLOCK ? to - from : BLOCK;
}

/* Rows with one score have loops of their own, those with several are coupled. */
static bool is_coupled(const problem *p) {
  return link_scores(p->loss) > 1;
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

dperm_status problem_penalty_curvature(const problem *p, size_t j, double fj, double *out,
                                       dperm_error *err) {
  double value, slope, curvature;
  TRY(regularizer_eval(p->regularizer, j % p->x->cols, fj, &value, &slope, &curvature, err));
  *out = p->model.lambda * curvature + p->model.ridge;
  return DPERM_OK;
}

dperm_status problem_add_penalty(const problem *p, bool trial, const double *f, double *gradient,
                                 dperm_error *err) {
  double n = problem_divisor(p);
  for (size_t j = 0; j < problem_size(p); j++) {
    double value, slope, curvature, *g = &gradient[j];
    TRY(regularizer_eval(p->regularizer, j % p->x->cols, f[j], &value, &slope, &curvature, err));
    *g = *g / n + p->model.lambda * slope + p->model.ridge * f[j] + linear_term(p, j);
    if (!trial && !(isfinite(value) && isfinite(slope) && isfinite(curvature))) {
      FAIL(err, DPERM_NUMERIC_ERROR, "the regularizer is not finite at f[%zu] = %g", j, f[j]);
    }
    if (!trial && !isfinite(*g)) {
      FAIL(err, DPERM_NUMERIC_ERROR,
           "the gradient is not finite; the loss, the regularizer or the data overflow");
    }
  }
  return DPERM_OK;
}

dperm_status problem_apply_both(const problem *p, const double *f, matrix_turn *turn, void *context,
                                double *g, dperm_error *err) {
  return is_coupled(p) ? coupled_apply_both(p, f, turn, context, g, err)
                       : matrix_apply_both(p->x, f, 1, turn, context, g, err);
}

static dperm_status evaluate(const problem *p, bool trial, point *at, dperm_error *err) {
  evaluate_job job = {p, at};
  TRY(problem_apply_both(p, at->f, evaluate_turn, &job, at->gradient, err));
  return problem_add_penalty(p, trial, at->f, at->gradient, err);
}

dperm_status problem_evaluate(const problem *p, point *at, dperm_error *err) {
  return evaluate(p, false, at, err);
}

dperm_status problem_try(const problem *p, point *at, dperm_error *err) {
  return evaluate(p, true, at, err);
}

/* A sum over rows, block by block, at scores z + t q. */
typedef struct line_sum {
  const problem *p;
  const double *z, *q; /* tall */
  double t;
} line_sum;

/* Σ_i w_i ℓ(y_i z_i). */
static void add_losses(const void *context, size_t from, size_t to, double *total, double *work) {
  const line_sum *at = context;
  (void)work;
  for (; from < to; from += BLOCK) {
    double value[BLOCK], sum = 0;
    size_t count = block_rows(from, to);
    problem_rows_eval(at->p, from, count, 1, at->z + from, value, NULL, NULL);
    for (size_t i = 0; i < count; i++) {
      sum += value[i];
    }
    *total += sum;
  }
}

dperm_status problem_scores(const problem *p, const double *f, double *z, dperm_error *err) {
  return is_coupled(p) ? coupled_apply(p, f, z, err) : matrix_apply(p->x, f, 1, z, err);
}

dperm_status problem_objective(const problem *p, const double *f, double *objective,
                               dperm_error *err) {
  double *z = NULL;
  OWNED(scratch_free) scratch work;
  scratch_init(&work);
  TRY(scratch_take(&work, p->x->rows * link_scores(p->loss), sizeof *z, &z, err));
  TRY(problem_scores(p, f, z, err));
  const line_sum at = {.p = p, .z = z};
  const stripe_sum how = {.size = 1, .add = add_losses, .context = &at};
  TRY(is_coupled(p) ? coupled_losses(p, z, objective, err)
                    : stripes_sum(p->x, &how, objective, err));
  *objective /= problem_divisor(p);
  for (size_t j = 0; j < problem_size(p); j++) {
    double value, slope, curvature;
    TRY(regularizer_eval(p->regularizer, j % p->x->cols, f[j], &value, &slope, &curvature, err));
    *objective +=
        p->model.lambda * value + 0.5 * p->model.ridge * f[j] * f[j] + linear_term(p, j) * f[j];
  }
  return DPERM_OK;
}

/* ---- along a line */

/* φ′ and φ″ without the penalty. */
static void add_along(const void *context, size_t from, size_t to, double *total, double *work) {
  const line_sum *at = context;
  (void)work;
  for (; from < to; from += BLOCK) {
    double score[BLOCK] = {0}, slope[BLOCK], curvature[BLOCK], first = 0, second = 0;
    size_t count = block_rows(from, to);
    const double *z = at->z + from, *q = at->q + from;
    for (size_t i = 0; i < count; i++) {
      score[i] = z[i] + at->t * q[i];
    }
    problem_rows_eval(at->p, from, count, 1, score, NULL, slope, curvature);
    for (size_t i = 0; i < count; i++) {
      first += slope[i] * q[i];
      second += curvature[i] * q[i] * q[i];
    }
    total[0] += first;
    total[1] += second;
  }
}

dperm_status problem_along(const problem *p, const point *at, const double *direction,
                           const double *q, double t, double *first, double *second,
                           dperm_error *err) {
  double n = problem_divisor(p), total[2];
  const line_sum line = {p, at->z, q, t};
  const stripe_sum how = {.size = 2, .add = add_along, .context = &line};
  TRY(is_coupled(p) ? coupled_along(p, at->z, q, t, total, err)
                    : stripes_sum(p->x, &how, total, err));
  *first = total[0] / n;
  *second = total[1] / n;
  for (size_t j = 0; j < problem_size(p); j++) {
    double d = direction[j], f = at->f[j] + t * d, value, slope, curvature;
    TRY(regularizer_eval(p->regularizer, j % p->x->cols, f, &value, &slope, &curvature, err));
    *first += d * (p->model.lambda * slope + p->model.ridge * f + linear_term(p, j));
    *second += d * d * (p->model.lambda * curvature + p->model.ridge);
  }
  return DPERM_OK;
}
