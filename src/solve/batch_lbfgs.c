/* See batch_lbfgs.h. Steps of full length are taken unless they overshoot: the derivative along the
 * direction must not come out as more than half of what it was with the other sign. With a convex
 * objective that is all that can go wrong far away; near the minimum nothing does. There is no
 * proof of convergence here and none is needed: a model that takes too long is given up. */
#include "solve/batch_lbfgs.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "solve/batch_pass.h"
#include "solve/certify.h"
#include "solve/cholesky.h"
#include "solve/direction.h"

enum { MOST_PASSES = 80, STEPS_AFTER_HESSIAN = 3, MOST_OWN_COLUMNS = 512 };

bool batch_lbfgs_owns(size_t cols) {
  return cols <= MOST_OWN_COLUMNS;
}

size_t batch_lbfgs_work_size(size_t cols) {
  return 5 * cols + lbfgs_work_size(cols) + (batch_lbfgs_owns(cols) ? cols * cols : 0);
}

void batch_lbfgs_begin(batch_lbfgs *d, const problem *p, const problem_model *model,
                       const double *factor, double *work, const double *weights, double target) {
  size_t cols = p->x->cols;
  *d = (batch_lbfgs){.one = *p,
                     .target = target,
                     .factor = factor,
                     .f = work,
                     .gradient = work + cols,
                     .trial = work + 2 * cols,
                     .trial_gradient = work + 3 * cols,
                     .direction = work + 4 * cols,
                     .own = batch_lbfgs_owns(cols) ? work + 5 * cols + lbfgs_work_size(cols) : NULL,
                     .wants_hessian = !factor,
                     .given_up = !factor && !batch_lbfgs_owns(cols),
                     .certified = INFINITY};
  d->one.model = *model;
  lbfgs_begin(&d->memory, cols, work + 5 * cols);
  memcpy(d->trial, weights, cols * sizeof *weights);
}

/* d := H₀⁻¹ d by the factor. */
static dperm_status solve_factor(void *context, double *d, dperm_error *err) {
  const batch_lbfgs *model = context;
  (void)err;
  cholesky_solve(model->factor, model->one.x->cols, d);
  return DPERM_OK;
}

/* Σ ℓ″ x xᵀ becomes the factor of ∇²J where it stands; false where there is none. */
static bool factor_hessian(const batch_lbfgs *d, double *h) {
  size_t cols = d->one.x->cols;
  for (size_t j = 0; j < cols; j++) {
    h[j * cols + j] *= 1 + 1e-5; /* sums of floats may come out a little less than they are */
  }
  return hessian_of_gram(&d->one, d->f, h, NULL) == DPERM_OK && cholesky_factor(h, cols);
}

static void place_trial(batch_lbfgs *d) {
  for (size_t j = 0; j < d->one.x->cols; j++) {
    d->trial[j] = d->f[j] + d->length * d->direction[j];
  }
}

/* Stand at the trial. */
static void move(batch_lbfgs *d) {
  size_t size = d->one.x->cols * sizeof *d->f;
  if (d->begun) {
    lbfgs_add(&d->memory, d->f, d->trial, d->gradient, d->trial_gradient);
  }
  memcpy(d->f, d->trial, size);
  memcpy(d->gradient, d->trial_gradient, size);
  d->begun = true;
}

static bool certify_here(batch_lbfgs *d) {
  double norm = norm_above(d->gradient, d->one.x->cols);
  if (!(norm <= d->target)) {
    return false;
  }
  evaluation here = evaluation_at(&d->one, d->f, NULL, NULL);
  here.row_depth = (double)batch_pass_row_depth(d->one.x);
  here.depth = (double)batch_pass_sum_depth(d->one.x);
  d->certified = norm + evaluation_error(&here, IN_DOUBLES);
  return d->certified <= d->target;
}

/* Whether going on at this pace costs more than a new Hessian and the few steps it takes then. */
static bool hessian_pays(const batch_lbfgs *d, double before) {
  double pace = d->norm / before;
  double left = pace < 1 ? log(d->target / d->norm) / log(pace) : INFINITY;
  return d->own && left > batch_pass_hessian_cost(d->one.x) + STEPS_AFTER_HESSIAN;
}

void batch_lbfgs_hear(batch_lbfgs *d, double *hessian) {
  size_t cols = d->one.x->cols;
  double before = d->norm;
  d->passes++;
  double *gradient = d->trial_gradient;
  bool known = problem_add_penalty(&d->one, true, d->trial, gradient, NULL) == DPERM_OK;
  double norm = known ? vector_norm(gradient, cols) : NAN;
  double slope = vector_dot(d->direction, gradient, cols);
  bool overshot = d->begun && !(isfinite(norm) && slope <= -0.5 * d->slope);
  if (d->passes > MOST_PASSES || (!d->begun && !isfinite(norm))) {
    d->given_up = true;
    return;
  }
  if (overshot) {
    double share = isfinite(slope) ? d->slope / (d->slope - slope) : 0;
    d->length *= fmin(0.7, fmax(0.1, share));
    d->wants_hessian = d->own != NULL; /* the old one is no good here */
    place_trial(d);
    return;
  }
  bool first = !d->begun;
  move(d);
  d->norm = norm;
  d->solved = certify_here(d);
  if (d->solved) {
    return;
  }
  if (hessian && factor_hessian(d, hessian)) {
    memcpy(d->own, hessian, cols * cols * sizeof *hessian);
    d->factor = d->own;
    d->memory.pairs = 0;
  }
  d->wants_hessian = !first && !hessian && hessian_pays(d, before);
  if (d->factor) {
    for (size_t j = 0; j < cols; j++) {
      d->direction[j] = -d->gradient[j];
    }
    (void)lbfgs_solve(&d->memory, solve_factor, d, d->direction, NULL);
    d->slope = vector_dot(d->direction, d->gradient, cols);
  }
  if (!d->factor || !(d->slope < 0)) { /* not a number, or lost to rounding */
    d->given_up = true;
    return;
  }
  d->length = 1;
  place_trial(d);
}
