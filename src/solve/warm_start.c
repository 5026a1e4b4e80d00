/* Newton's method on all rows spends its time on Gram matrices, which cost far more than gradients.
 * A sample saves them. Its minimizer is the start, right up to what sampling hides. Its Hessian is
 * right up to a share √(d/sample), d the number of directions that the regularizer leaves free: as
 * the initial matrix of L-BFGS (solve/lbfgs.h) it brings one or two more digits a
 * gradient. Its inverse is applied by a Cholesky factor; where there are too many columns, by
 * conjugate gradients on the sample. (Its diagonal alone does not do: the first step fails more
 * often than not.)
 *
 * Full steps only, and only while the gradient falls fast: what a smooth loss does near its
 * minimum. Anything else is left to Newton's iteration, which has its own proof. */
#include "solve/warm_start.h"

#include <string.h>

#include "base/progress.h"
#include "base/vector.h"
#include "solve/cholesky.h"
#include "solve/direction.h"
#include "solve/lbfgs.h"

enum {
  PATIENCE = 3, /* gradients in which the norm must fall … */
  MOST_STEPS = 100
};
static const double enough = 0.3;   /* … to this share */
static const double roughly = 0.02; /* the error of a solution by conjugate gradients */

/* The sample's Hessian. */
typedef struct initial_matrix {
  const problem *sample;
  const dperm_progress *progress;
  double *factor; /* at the sample's minimizer; or NULL, and */
  point at;       /* the minimizer, its gradient being work space */
} initial_matrix;

/* d := H⁻¹ d for the sample's Hessian. */
static dperm_status solve_hessian(void *context, double *d, dperm_error *err) {
  const initial_matrix *q = context;
  size_t cols = problem_size(q->sample);
  if (q->factor) {
    cholesky_solve(q->factor, cols, d);
    return DPERM_OK;
  }
  memcpy(q->at.gradient, d, cols * sizeof *d);
  TRY(direction_cg(q->sample, &q->at, roughly, q->progress, d, err));
  for (size_t j = 0; j < cols; j++) {
    d[j] = -d[j];
  }
  return DPERM_OK;
}

/* Steps on all rows while they pay. */
static dperm_status walk(const problem *p, const solver_options *options, initial_matrix *initial,
                         lbfgs *q, point *here, point *there, dperm_error *err) {
  size_t cols = problem_size(p);
  double norm = vector_norm(here->gradient, cols), past[PATIENCE];
  for (size_t step = 0; norm > options->tolerance && step < MOST_STEPS; step++) {
    if (step >= PATIENCE && !(norm <= enough * past[step % PATIENCE])) {
      return DPERM_OK;
    }
    past[step % PATIENCE] = norm;
    TRY(progress_tick(options->progress, "solving", 0, 0, err));
    memcpy(there->f, here->gradient, cols * sizeof *there->f);
    TRY(lbfgs_solve(q, solve_hessian, initial, there->f, err));
    for (size_t j = 0; j < cols; j++) {
      there->f[j] = here->f[j] - there->f[j];
    }
    /* All processes of a job go one way, also where their processors round differently. */
    TRY(ranks_share(p->x->spread, DPERM_OK, there->f, cols * sizeof *there->f, err));
    TRY(problem_try(p, there, err));
    double next = vector_norm(there->gradient, cols);
    if (!(next < norm)) {
      return problem_evaluate(p, here, err); /* the two share space for slopes */
    }
    lbfgs_add(q, here->f, there->f, here->gradient, there->gradient);
    point before = *here;
    *here = *there;
    *there = before;
    norm = next;
  }
  return DPERM_OK;
}

static dperm_status set_hessian(initial_matrix *q, solver_method method, const double *f,
                                scratch *work, dperm_error *err) {
  const problem *sample = q->sample;
  size_t cols = problem_size(sample);
  if (direction_uses_cholesky(sample, method)) {
    TRY(scratch_take(work, cols * cols, sizeof *q->factor, &q->factor, err));
    return hessian_factor(sample, f, q->factor, err);
  }
  TRY(point_take(sample, work, NULL, &q->at, err));
  memcpy(q->at.f, f, cols * sizeof *f);
  return problem_evaluate(sample, &q->at, err);
}

dperm_status warm_start(const problem *p, const problem *sample, const solver_options *options,
                        point *here, point *there, dperm_error *err) {
  size_t cols = problem_size(p);
  initial_matrix initial = {.sample = sample, .progress = options->progress};
  lbfgs q;
  double *pairs = NULL;
  OWNED(scratch_free) scratch work;
  scratch_init(&work);
  TRY(scratch_take(&work, lbfgs_work_size(cols), sizeof *pairs, &pairs, err));
  lbfgs_begin(&q, cols, pairs);
  TRY(set_hessian(&initial, options->method, here->f, &work, err));
  TRY(ranks_share(p->x->spread, DPERM_OK, here->f, cols * sizeof *here->f, err));
  TRY(problem_evaluate(p, here, err));
  return walk(p, options, &initial, &q, here, there, err);
}
