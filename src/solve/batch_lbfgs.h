/* One model's way down, asked for nothing but gradients: limited-memory BFGS over a Cholesky factor
 * of the Hessian at some earlier point. It says where to look next, is told the gradient there,
 * and asks for a new Hessian when the old one has become the slower way. */
#pragma once

#include "solve/lbfgs.h"
#include "solve/problem.h"

typedef struct batch_lbfgs {
  problem one;                    /* the problem with this model */
  double target;                  /* for the certified gradient */
  double cost;                    /* of a Hessian, in passes */
  const double *factor;           /* in use: shared or own */
  double *own;                    /* space for its own; NULL where it may have none */
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

/* Doubles that a model needs; `own` for a factor of its own. */
size_t batch_lbfgs_work_size(size_t cols, bool own);
/* In zeroed space, from the start that stands in `weights`. */
void batch_lbfgs_begin(batch_lbfgs *d, const problem *p, const problem_model *model,
                       const double *factor, bool own, double *work, const double *weights,
                       double target, double cost);
/* The trial's gradient is known: d->trial_gradient has the sum over rows, and `hessian` the upper
 * triangle of theirs if it was wanted, else NULL. `row_depth` and `sum_depth` are about the
 * gradient (solve/batch_pass.h). Either it is solved, or given up, or there is a new trial. */
void batch_lbfgs_hear(batch_lbfgs *d, double *hessian, double row_depth, double sum_depth);
