/* Values and derivatives of the objective. The passes over rows are cut into fixed blocks whose
 * sums are added in order, so threads do not change a bit. */
#include "solve/problem.h"

#include <math.h>
#include <string.h>

#include "base/scratch.h"
#include "base/thread_pool.h"
#include "loss/link.h"
#include "loss/regularizer.h"

enum { BLOCK = STRIPE_UNIT };

static size_t block_rows(size_t from, size_t to) {
  return to - from < BLOCK ? to - from : BLOCK;
}

dperm_status point_take(const problem *p, scratch *work, const point *other, point *out,
                        dperm_error *err) {
  size_t wide = p->x->cols * p->models, tall = p->x->rows * p->models;
  TRY(scratch_take(work, wide, sizeof *out->f, &out->f, err));
  TRY(scratch_take(work, wide, sizeof *out->gradient, &out->gradient, err));
  TRY(scratch_take(work, tall, sizeof *out->z, &out->z, err));
  if (other) {
    out->slope = other->slope;
    out->curvature = other->curvature;
    return DPERM_OK;
  }
  TRY(scratch_take(work, tall, sizeof *out->slope, &out->slope, err));
  return scratch_take(work, tall, sizeof *out->curvature, &out->curvature, err);
}

/* ---- rows */

/* numbers[i] times the share of row from + i, `lanes` numbers for each of `count` rows. */
static void share(const problem *p, size_t from, size_t count, size_t lanes, double *numbers) {
  for (size_t i = 0; numbers && p->shares && i < count * lanes; i++) {
    numbers[i] *= p->shares[from + i / lanes];
  }
}

void problem_rows_eval(const problem *p, size_t from, size_t count, size_t lanes, const double *z,
                       double *value, double *slope, double *curvature) {
  link_eval(p->loss, count, lanes, p->labels + from, z, value, slope, curvature);
  share(p, from, count, lanes, value);
  share(p, from, count, lanes, slope);
  share(p, from, count, lanes, curvature);
}

void problem_rows_slope_dd(const problem *p, size_t from, size_t count, const double *z,
                           const double *z_rest, double *slope) {
  link_slope_dd(p->loss, count, p->labels + from, z, z_rest, slope);
  share(p, from, count, 1, slope);
}

typedef struct evaluate_job {
  const problem *p;
  point *at;
} evaluate_job;

static void evaluate_rows(const problem *p, point *at, size_t from, size_t count) {
  size_t first = from * p->models;
  problem_rows_eval(p, from, count, p->models, at->z + first, NULL, at->slope + first,
                    at->curvature + first);
}

static void evaluate_block(void *context, size_t block, size_t worker) {
  const evaluate_job *job = context;
  (void)worker;
  size_t from = block * BLOCK;
  evaluate_rows(job->p, job->at, from, block_rows(from, job->p->x->rows));
}

/* The same for one model, where the rows are still at hand. */
static void evaluate_turn(void *context, size_t from, size_t count, const double *z, double *w) {
  const evaluate_job *job = context;
  memcpy(job->at->z + from, z, count * sizeof *z);
  evaluate_rows(job->p, job->at, from, count);
  memcpy(w, job->at->slope + from, count * sizeof *w);
}

/* ---- the whole gradient */

dperm_status problem_add_penalty(const problem *p, size_t m, bool trial, const double *f,
                                 double *gradient, dperm_error *err) {
  const problem_model *model = &p->model[m];
  double n = (double)rows_in_all(p->x);
  for (size_t j = 0; j < p->x->cols; j++) {
    double value, slope, curvature, fj = f[j * p->models + m];
    TRY(regularizer_eval(p->regularizer, j, fj, &value, &slope, &curvature, err));
    double *g = &gradient[j * p->models + m];
    *g = *g / n + model->lambda * slope + model->ridge * fj +
         (model->linear ? model->linear[j] : 0.0);
    if (!trial && !(isfinite(value) && isfinite(slope) && isfinite(curvature))) {
      FAIL(err, DPERM_NUMERIC_ERROR, "the regularizer is not finite at f[%zu] = %g", j, fj);
    }
    if (!trial && !isfinite(*g)) {
      FAIL(err, DPERM_NUMERIC_ERROR,
           "the gradient is not finite; the loss, the regularizer or the data overflow");
    }
  }
  return DPERM_OK;
}

static dperm_status evaluate(const problem *p, bool trial, point *at, dperm_error *err) {
  evaluate_job job = {p, at};
  if (p->models == 1) {
    TRY(matrix_apply_both(p->x, at->f, evaluate_turn, &job, at->gradient, err));
  } else {
    TRY(p->x->kind->apply(p->x, at->f, p->models, at->z, err));
    pool_run((p->x->rows + BLOCK - 1) / BLOCK, evaluate_block, &job);
    TRY(p->x->kind->apply_transposed(p->x, at->slope, p->models, at->gradient, err));
  }
  for (size_t m = 0; m < p->models; m++) {
    TRY(problem_add_penalty(p, m, trial, at->f, at->gradient, err));
  }
  return DPERM_OK;
}

dperm_status problem_evaluate(const problem *p, point *at, dperm_error *err) {
  return evaluate(p, false, at, err);
}

dperm_status problem_try(const problem *p, point *at, dperm_error *err) {
  return evaluate(p, true, at, err);
}

/* A sum over the rows of model m, block by block, at scores z + t q. */
typedef struct line_sum {
  const problem *p;
  const double *z, *q; /* tall */
  size_t m;
  double t;
} line_sum;

/* Σ_i w_i ℓ(y_i z_i). */
static void add_losses(const void *context, size_t from, size_t to, double *total, double *work) {
  const line_sum *at = context;
  const problem *p = at->p;
  (void)work;
  for (; from < to; from += BLOCK) {
    double score[BLOCK] = {0}, value[BLOCK], sum = 0;
    size_t count = block_rows(from, to);
    for (size_t i = 0; i < count; i++) {
      score[i] = at->z[(from + i) * p->models + at->m];
    }
    problem_rows_eval(p, from, count, 1, score, value, NULL, NULL);
    for (size_t i = 0; i < count; i++) {
      sum += value[i];
    }
    *total += sum;
  }
}

dperm_status problem_objective(const problem *p, const double *f, double *objective,
                               dperm_error *err) {
  dperm_status status = DPERM_OK;
  double *z = NULL;
  size_t k = p->models;
  scratch work;
  scratch_init(&work);
  TRY_OR_DONE(scratch_take(&work, p->x->rows * k, sizeof *z, &z, err));
  TRY_OR_DONE(p->x->kind->apply(p->x, f, k, z, err));
  for (size_t m = 0; m < k; m++) {
    const problem_model *model = &p->model[m];
    const line_sum at = {.p = p, .z = z, .m = m};
    const stripe_sum how = {1, 0, 1, add_losses, &at};
    TRY_OR_DONE(stripes_sum(p->x, &how, &objective[m], err));
    objective[m] /= (double)rows_in_all(p->x);
    for (size_t j = 0; j < p->x->cols; j++) {
      double value, slope, curvature, fj = f[j * k + m];
      TRY_OR_DONE(regularizer_eval(p->regularizer, j, fj, &value, &slope, &curvature, err));
      objective[m] += model->lambda * value + 0.5 * model->ridge * fj * fj +
                      (model->linear ? model->linear[j] * fj : 0.0);
    }
  }
done:
  scratch_free(&work);
  return status;
}

/* ---- along a line */

/* φ′ and φ″ without the penalty. */
static void add_along(const void *context, size_t from, size_t to, double *total, double *work) {
  const line_sum *at = context;
  const problem *p = at->p;
  size_t k = p->models;
  (void)work;
  for (; from < to; from += BLOCK) {
    double score[BLOCK] = {0}, slope[BLOCK], curvature[BLOCK], first = 0, second = 0;
    size_t count = block_rows(from, to);
    const double *z = at->z + from * k + at->m, *q = at->q + from * k + at->m;
    for (size_t i = 0; i < count; i++) {
      score[i] = z[i * k] + at->t * q[i * k];
    }
    problem_rows_eval(p, from, count, 1, score, NULL, slope, curvature);
    for (size_t i = 0; i < count; i++) {
      double step = q[i * k];
      first += slope[i] * step;
      second += curvature[i] * step * step;
    }
    total[0] += first;
    total[1] += second;
  }
}

static dperm_status along_penalty(const problem *p, const point *at, const double *direction,
                                  size_t m, double t, double *first, double *second,
                                  dperm_error *err) {
  const problem_model *model = &p->model[m];
  for (size_t j = 0; j < p->x->cols; j++) {
    double d = direction[j * p->models + m], f = at->f[j * p->models + m] + t * d;
    double value, slope, curvature;
    TRY(regularizer_eval(p->regularizer, j, f, &value, &slope, &curvature, err));
    *first +=
        d * (model->lambda * slope + model->ridge * f + (model->linear ? model->linear[j] : 0.0));
    *second += d * d * (model->lambda * curvature + model->ridge);
  }
  return DPERM_OK;
}

dperm_status problem_along(const problem *p, const point *at, const double *direction,
                           const double *q, const double *t, const bool *active, double *first,
                           double *second, dperm_error *err) {
  double n = (double)rows_in_all(p->x), total[2];
  for (size_t m = 0; m < p->models; m++) {
    if (!active[m]) {
      continue;
    }
    const line_sum line = {p, at->z, q, m, t[m]};
    const stripe_sum how = {2, 0, 2, add_along, &line};
    TRY(stripes_sum(p->x, &how, total, err));
    first[m] = total[0] / n;
    second[m] = total[1] / n;
    TRY(along_penalty(p, at, direction, m, t[m], &first[m], &second[m], err));
  }
  return DPERM_OK;
}
