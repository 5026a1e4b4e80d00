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

static size_t block_count(const problem *p) {
  return (p->x->rows + BLOCK - 1) / BLOCK;
}

static size_t block_end(const problem *p, size_t block) {
  size_t end = (block + 1) * BLOCK;
  return end < p->x->rows ? end : p->x->rows;
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
  evaluate_rows(job->p, job->at, block * BLOCK, block_end(job->p, block) - block * BLOCK);
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
    pool_run(block_count(p), evaluate_block, &job);
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

/* Σ_i w_i ℓ(y_i z_i) of model m, block by block. */
static void loss_sums(const problem *p, const double *z, size_t m, double *sums) {
  for (size_t b = 0; b < block_count(p); b++) {
    double score[BLOCK] = {0}, value[BLOCK], sum = 0;
    size_t from = b * BLOCK, count = block_end(p, b) - from;
    for (size_t i = 0; i < count; i++) {
      score[i] = z[(from + i) * p->models + m];
    }
    problem_rows_eval(p, from, count, 1, score, value, NULL, NULL);
    for (size_t i = 0; i < count; i++) {
      sum += value[i];
    }
    sums[b] = sum;
  }
}

dperm_status problem_objective(const problem *p, const double *f, double *objective,
                               dperm_error *err) {
  dperm_status status = DPERM_OK;
  double *z = NULL, *sums = NULL;
  size_t k = p->models;
  scratch work;
  scratch_init(&work);
  TRY_OR_DONE(scratch_take(&work, p->x->rows * k, sizeof *z, &z, err));
  TRY_OR_DONE(scratch_take(&work, block_count(p), sizeof *sums, &sums, err));
  TRY_OR_DONE(p->x->kind->apply(p->x, f, k, z, err));
  for (size_t m = 0; m < k; m++) {
    const problem_model *model = &p->model[m];
    loss_sums(p, z, m, sums);
    TRY_OR_DONE(rows_join(p->x, DPERM_OK, sums, 1, &objective[m], err));
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

typedef struct along_job {
  const problem *p;
  const point *at;
  const double *q;
  size_t m;
  double t;
  double (*sums)[2]; /* one a block */
} along_job;

static void along_block(void *context, size_t block, size_t worker) {
  const along_job *job = context;
  const problem *p = job->p;
  (void)worker;
  double score[BLOCK] = {0}, slope[BLOCK], curvature[BLOCK], *sums = job->sums[block];
  size_t from = block * BLOCK, count = block_end(p, block) - from, k = p->models;
  const double *z = job->at->z + from * k + job->m, *q = job->q + from * k + job->m;
  for (size_t i = 0; i < count; i++) {
    score[i] = z[i * k] + job->t * q[i * k];
  }
  problem_rows_eval(p, from, count, 1, score, NULL, slope, curvature);
  sums[0] = sums[1] = 0;
  for (size_t i = 0; i < count; i++) {
    double step = q[i * k];
    sums[0] += slope[i] * step;
    sums[1] += curvature[i] * step * step;
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
  dperm_status status = DPERM_OK;
  size_t blocks = block_count(p), k = p->models;
  double n = (double)rows_in_all(p->x), total[2];
  double(*sums)[2] = NULL;
  scratch work;
  scratch_init(&work);
  TRY_OR_DONE(scratch_take(&work, blocks, sizeof *sums, &sums, err));
  for (size_t m = 0; m < k; m++) {
    if (!active[m]) {
      continue;
    }
    along_job job = {p, at, q, m, t[m], sums};
    pool_run(blocks, along_block, &job);
    TRY_OR_DONE(rows_join(p->x, DPERM_OK, sums[0], 2, total, err));
    first[m] = total[0] / n;
    second[m] = total[1] / n;
    TRY_OR_DONE(along_penalty(p, at, direction, m, t[m], &first[m], &second[m], err));
  }
done:
  scratch_free(&work);
  return status;
}
