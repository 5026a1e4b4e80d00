/* Newton's method on all rows spends its time on Gram matrices, which cost far more than gradients.
 * A sample saves them. Its minimizer is the start, right up to what sampling hides. Its Hessian is
 * right up to a share √(d/sample), d the number of directions that the regularizer leaves free: as
 * the initial matrix of L-BFGS (Nocedal & Wright, algorithm 7.4) it brings one or two more digits a
 * gradient. Its inverse is applied by a Cholesky factor; where there are too many columns, by
 * conjugate gradients on the sample. (Its diagonal alone does not do: the first step fails more
 * often than not.)
 *
 * Full steps only, and only while the gradient falls fast: what a smooth loss does near its
 * minimum. Anything else is left to Newton's iteration, which has its own proof. */
#include "solve/warm_start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "solve/cholesky.h"
#include "solve/direction.h"

enum {
  PAIRS = 12,
  PATIENCE = 3, /* gradients in which the norm must fall … */
  MOST_STEPS = 100
};
static const double enough = 0.3;   /* … to this share */
static const double roughly = 0.02; /* the error of a solution by conjugate gradients */

typedef struct quasi_newton {
  size_t cols;
  const problem *sample;
  const dperm_progress *progress;
  point at;       /* the sample's minimizer; its gradient is work space */
  double *factor; /* of the sample's Hessian there, or NULL */
  double *solved; /* without a factor: space for a solution */
  double *steps, *turns,
      *curvature; /* the last PAIRS steps, what the gradient did, their product */
  size_t pairs;   /* so far; the last ones count */
} quasi_newton;

static double dot(const double *a, const double *b, size_t count) {
  double sum[4] = {0, 0, 0, 0};
  for (size_t i = 0; i < count; i++) {
    sum[i % 4] += a[i] * b[i];
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void add_scaled(double *to, double factor, const double *from, size_t count) {
  for (size_t i = 0; i < count; i++) {
    to[i] += factor * from[i];
  }
}

/* d := H⁻¹ d for the sample's Hessian. */
static dperm_status solve_hessian(const quasi_newton *q, double *d, dperm_error *err) {
  if (q->factor) {
    cholesky_solve(q->factor, q->cols, d);
    return DPERM_OK;
  }
  const bool active = true;
  memcpy(q->at.gradient, d, q->cols * sizeof *d);
  TRY(direction_cg(q->sample, &q->at, &active, &roughly, q->progress, q->solved, err));
  for (size_t j = 0; j < q->cols; j++) {
    d[j] = -q->solved[j];
  }
  return DPERM_OK;
}

/* d := H⁻¹ d by the two loops. */
static dperm_status turn_gradient(const quasi_newton *q, double *d, dperm_error *err) {
  double share[PAIRS];
  size_t kept = q->pairs < PAIRS ? q->pairs : PAIRS;
  for (size_t i = 0; i < kept; i++) {
    size_t at = (q->pairs - 1 - i) % PAIRS;
    share[at] = dot(q->steps + at * q->cols, d, q->cols) / q->curvature[at];
    add_scaled(d, -share[at], q->turns + at * q->cols, q->cols);
  }
  TRY(solve_hessian(q, d, err));
  for (size_t i = 0; i < kept; i++) {
    size_t at = (q->pairs - kept + i) % PAIRS;
    double back = dot(q->turns + at * q->cols, d, q->cols) / q->curvature[at];
    add_scaled(d, share[at] - back, q->steps + at * q->cols, q->cols);
  }
  return DPERM_OK;
}

static void remember(quasi_newton *q, const point *before, const point *after) {
  size_t at = q->pairs % PAIRS;
  double *step = q->steps + at * q->cols, *turn = q->turns + at * q->cols;
  for (size_t j = 0; j < q->cols; j++) {
    step[j] = after->f[j] - before->f[j];
    turn[j] = after->gradient[j] - before->gradient[j];
  }
  q->curvature[at] = dot(step, turn, q->cols);
  q->pairs += q->curvature[at] > 0;
}

static double norm_of(const double *v, size_t count) {
  return sqrt(dot(v, v, count));
}

/* Steps on all rows while they pay. */
static dperm_status walk(const problem *p, const solver_options *options, quasi_newton *q,
                         point *here, point *there, dperm_error *err) {
  size_t cols = q->cols;
  double norm = norm_of(here->gradient, cols), past[PATIENCE];
  for (size_t step = 0; norm > options->tolerance && step < MOST_STEPS; step++) {
    if (step >= PATIENCE && !(norm <= enough * past[step % PATIENCE])) {
      return DPERM_OK;
    }
    past[step % PATIENCE] = norm;
    TRY(progress_tick(options->progress, "solving", 0, 0, err));
    memcpy(there->f, here->gradient, cols * sizeof *there->f);
    TRY(turn_gradient(q, there->f, err));
    for (size_t j = 0; j < cols; j++) {
      there->f[j] = here->f[j] - there->f[j];
    }
    /* All processes of a job go one way, also where their processors round differently. */
    TRY(ranks_share(p->x->spread, DPERM_OK, there->f, cols * sizeof *there->f, err));
    TRY(problem_try(p, there, err));
    double next = norm_of(there->gradient, cols);
    if (!(next < norm)) {
      return problem_evaluate(p, here, err); /* the two share space for slopes */
    }
    remember(q, here, there);
    point before = *here;
    *here = *there;
    *there = before;
    norm = next;
  }
  return DPERM_OK;
}

/* Its Hessian at f. */
static dperm_status set_hessian(quasi_newton *q, const problem *sample, solver_method method,
                                const double *f, scratch *work, dperm_error *err) {
  size_t cols = q->cols;
  q->sample = sample;
  TRY(point_take(sample, work, NULL, &q->at, err));
  memcpy(q->at.f, f, cols * sizeof *f);
  TRY(problem_evaluate(sample, &q->at, err));
  if (!direction_uses_cholesky(sample, method)) {
    return scratch_take(work, cols, sizeof *q->solved, &q->solved, err);
  }
  TRY(scratch_take(work, cols * cols, sizeof *q->factor, &q->factor, err));
  return hessian_factor(sample, 0, &q->at, q->factor, err);
}

dperm_status warm_start(const problem *p, const problem *sample, const solver_options *options,
                        point *here, point *there, dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t cols = p->x->cols;
  quasi_newton q = {.cols = cols, .progress = options->progress};
  scratch work;
  scratch_init(&work);
  TRY_OR_DONE(scratch_take(&work, PAIRS * (2 * cols + 1), sizeof *q.steps, &q.steps, err));
  q.turns = q.steps + PAIRS * cols;
  q.curvature = q.turns + PAIRS * cols;
  TRY_OR_DONE(set_hessian(&q, sample, options->method, here->f, &work, err));
  TRY_OR_DONE(ranks_share(p->x->spread, DPERM_OK, here->f, cols * sizeof *here->f, err));
  TRY_OR_DONE(problem_evaluate(p, here, err));
  TRY_OR_DONE(walk(p, options, &q, here, there, err));
done:
  scratch_free(&work);
  return status;
}
