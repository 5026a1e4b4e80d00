/* See batch_lbfgs.h. Steps of full length are taken unless they overshoot: the derivative along the
 * direction must not come out as more than half of what it was with the other sign. With a convex
 * objective that is all that can go wrong far away; near the minimum nothing does. There is no
 * proof of convergence here and none is needed: a model that takes too long is given up. */
#include "solve/batch_lbfgs.h"

#include <math.h>
#include <string.h>

#include "loss/regularizer.h"
#include "solve/certify.h"
#include "solve/cholesky.h"
#include "solve/direction.h"

enum { MOST_PASSES = 80, STEPS_AFTER_HESSIAN = 3 };

static double dot(const double *a, const double *b, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

size_t batch_lbfgs_work_size(size_t cols, bool own) {
  return (6 + 2 * (size_t)LBFGS_MEMORY) * cols + (own ? cols * cols : 0);
}

void batch_lbfgs_begin(batch_lbfgs *d, const problem *p, size_t m, const double *factor, bool own,
                       double *work, const double *weights, double target, double cost) {
  size_t cols = p->x->cols;
  *d = (batch_lbfgs){.one = *p, .target = target, .cost = cost, .factor = factor};
  d->one.models = 1;
  d->one.model = &p->model[m];
  d->f = work;
  d->gradient = work + cols;
  d->trial = work + 2 * cols;
  d->trial_gradient = work + 3 * cols;
  d->direction = work + 4 * cols;
  d->work = work + 5 * cols;
  d->steps = work + 6 * cols;
  d->turns = d->steps + (size_t)LBFGS_MEMORY * cols;
  d->own = own ? d->turns + (size_t)LBFGS_MEMORY * cols : NULL;
  d->wants_hessian = !factor;
  d->given_up = !factor && !own;
  d->certified = INFINITY;
  memcpy(d->trial, weights, cols * sizeof *weights);
}

/* ---- Hessians */

bool batch_lbfgs_factor(const problem *one, const double *f, double *h) {
  size_t cols = one->x->cols;
  double n = (double)one->x->rows;
  for (size_t i = 0; i < cols; i++) {
    double value, slope, curvature;
    if (regularizer_eval(one->regularizer, i, f[i], &value, &slope, &curvature, NULL) != DPERM_OK) {
      return false;
    }
    for (size_t j = i; j < cols; j++) {
      h[i * cols + j] /= n;
    }
    /* A little more than it is: sums of floats may come out a little less than they are. */
    h[i * cols + i] =
        h[i * cols + i] * (1 + 1e-5) + one->model->lambda * curvature + one->model->ridge;
  }
  return cholesky_factor(h, cols);
}

/* ---- directions */

/* Nocedal & Wright, algorithm 7.4, with the factor in the middle. */
static void find_direction(batch_lbfgs *d) {
  size_t cols = d->one.x->cols,
         from = d->remembered > LBFGS_MEMORY ? d->remembered - LBFGS_MEMORY : 0;
  double share[LBFGS_MEMORY], *q = d->direction;
  for (size_t j = 0; j < cols; j++) {
    q[j] = -d->gradient[j];
  }
  for (size_t i = d->remembered; i-- > from;) {
    size_t at = i % LBFGS_MEMORY;
    share[at] = dot(d->steps + at * cols, q, cols) / d->curvature[at];
    for (size_t j = 0; j < cols; j++) {
      q[j] -= share[at] * d->turns[at * cols + j];
    }
  }
  cholesky_solve(d->factor, cols, q);
  for (size_t i = from; i < d->remembered; i++) {
    size_t at = i % LBFGS_MEMORY;
    double back = dot(d->turns + at * cols, q, cols) / d->curvature[at];
    for (size_t j = 0; j < cols; j++) {
      q[j] += (share[at] - back) * d->steps[at * cols + j];
    }
  }
}

static void place_trial(batch_lbfgs *d) {
  for (size_t j = 0; j < d->one.x->cols; j++) {
    d->trial[j] = d->f[j] + d->length * d->direction[j];
  }
}

/* ---- steps */

/* The gradient's sum over rows becomes the gradient, as in solve/problem.c, so that its error is
 * the one that solve/certify.c knows. */
static bool add_penalty(batch_lbfgs *d) {
  const problem_model *model = d->one.model;
  double n = (double)d->one.x->rows;
  for (size_t j = 0; j < d->one.x->cols; j++) {
    double value, slope, curvature, f = d->trial[j];
    if (regularizer_eval(d->one.regularizer, j, f, &value, &slope, &curvature, NULL) != DPERM_OK) {
      return false;
    }
    d->trial_gradient[j] = d->trial_gradient[j] / n + model->lambda * slope + model->ridge * f +
                           (model->linear ? model->linear[j] : 0.0);
  }
  return true;
}

static void remember(batch_lbfgs *d) {
  size_t cols = d->one.x->cols, at = d->remembered % LBFGS_MEMORY;
  double *step = d->steps + at * cols, *turn = d->turns + at * cols;
  for (size_t j = 0; j < cols; j++) {
    step[j] = d->trial[j] - d->f[j];
    turn[j] = d->trial_gradient[j] - d->gradient[j];
  }
  double curvature = dot(step, turn, cols);
  if (curvature > 1e-10 * sqrt(dot(step, step, cols) * dot(turn, turn, cols))) {
    d->curvature[at] = curvature;
    d->remembered++;
  }
}

/* Stand at the trial. */
static void move(batch_lbfgs *d) {
  size_t size = d->one.x->cols * sizeof *d->f;
  if (d->begun) {
    remember(d);
  }
  memcpy(d->f, d->trial, size);
  memcpy(d->gradient, d->trial_gradient, size);
  d->begun = true;
}

static bool certify_here(batch_lbfgs *d, double row_depth, double sum_depth) {
  double norm = norm_above(d->gradient, d->one.x->cols, 1, 0);
  if (!(norm <= d->target)) {
    return false;
  }
  evaluation here = evaluation_at(&d->one, 0, d->f, NULL, NULL);
  here.row_depth = row_depth;
  here.depth = sum_depth;
  d->certified = norm + evaluation_error(&here, IN_DOUBLES);
  return d->certified <= d->target;
}

/* Whether going on at this pace costs more than a new Hessian and the few steps it takes then. */
static bool hessian_pays(const batch_lbfgs *d, double before) {
  double pace = d->norm / before;
  double left = pace < 1 ? log(d->target / d->norm) / log(pace) : INFINITY;
  return d->own && left > d->cost + STEPS_AFTER_HESSIAN;
}

void batch_lbfgs_hear(batch_lbfgs *d, double *hessian, double row_depth, double sum_depth) {
  size_t cols = d->one.x->cols;
  double before = d->norm;
  d->passes++;
  double norm = add_penalty(d) ? sqrt(dot(d->trial_gradient, d->trial_gradient, cols)) : NAN;
  double slope = dot(d->direction, d->trial_gradient, cols);
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
  d->solved = certify_here(d, row_depth, sum_depth);
  if (d->solved) {
    return;
  }
  if (hessian && batch_lbfgs_factor(&d->one, d->f, hessian)) {
    memcpy(d->own, hessian, cols * cols * sizeof *hessian);
    d->factor = d->own;
    d->remembered = 0;
  }
  d->wants_hessian = !first && !hessian && hessian_pays(d, before);
  if (d->factor) {
    find_direction(d);
    d->slope = dot(d->direction, d->gradient, cols);
  }
  if (!d->factor || !(d->slope < 0)) { /* not a number, or lost to rounding */
    d->given_up = true;
    return;
  }
  d->length = 1;
  place_trial(d);
}
