/* One model's way down, asked for nothing but gradients: limited-memory BFGS over a Cholesky factor
 * of the Hessian at some earlier point. It says where to look next, is told the gradient there,
 * and asks for a new Hessian when the old one has become the slower way. */
#pragma once

#include "solve/lbfgs.h"
#include "solve/problem.h"

typedef struct batch_lbfgs {
  problem one;                    /* the problem with this model */
  double target;                  /* for the certified gradient */
  const double *factor;           /* in use: shared or own */
  double *own;                    /* space for its own; NULL where there are too many columns */
  double *f, *gradient;           /* where it stands */
  double *trial, *trial_gradient; /* where it wants to know */
  double *direction;
  lbfgs memory;
  size_t passes;
  double norm, slope, length; /* ‖∇J‖ and dᵀ∇J where it stands, and the step that is tried */
  bool begun;                 /* it stands somewhere */
  bool wants_hessian;         /* with the trial's gradient */
  bool solved, given_up;
  double certified;
} batch_lbfgs;

/* Doubles that a model needs. */
size_t batch_lbfgs_work_size(size_t cols);
/* Whether it makes factors of its own. */
bool batch_lbfgs_owns(size_t cols);
/* From the start that stands in `weights`; with `factor`, or NULL for one of its own at once. */
void batch_lbfgs_begin(batch_lbfgs *d, const problem *p, const problem_model *model,
                       const double *factor, double *work, const double *weights, double target);
/* The trial's gradient is known: d->trial_gradient has the sum over rows (solve/batch_pass.h), and
 * `hessian` the upper triangle of theirs if it was wanted, else NULL. Either it is solved, or given
 * up, or there is a new trial. */
void batch_lbfgs_hear(batch_lbfgs *d, double *hessian);
