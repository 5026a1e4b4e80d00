/* One pass over the rows serves BATCH_WIDTH models, whose numbers stand side by side; who is done
 * makes space for the next. A lane never looks at its neighbours, so a model's bits do not depend
 * on the others.
 *
 * A model is solved by limited-memory BFGS over the Cholesky factor that all share. It says where
 * to look next and is told the gradient there. Steps of full length are taken unless they
 * overshoot: the derivative along the direction must not come out as more than half of what it was
 * with the other sign. With a convex objective that is all that can go wrong far away; near the
 * minimum nothing does. There is no proof of convergence here and none is needed: a model that
 * takes too long is given up. */
#include <math.h>

#include "base/memory.h"
#include "base/vector.h"
#include "solve/certify.h"
#include "solve/direction.h"

enum { BATCH_WIDTH = 16, SLOPE_ROWS = 32, MOST_PASSES = 80 };

/* ---- one model */

typedef struct batch_model {
  const batch *b;                 /* NULL: there is none */
  size_t number;                  /* which of all models it is */
  problem one;                    /* the problem with its linear term */
  double *f, *gradient;           /* where it stands */
  double *trial, *trial_gradient; /* where it wants to know */
  double *direction;
  lbfgs memory;
  size_t passes;
  double slope, length; /* dᵀ∇J where it stands, and the step that is tried */
  bool begun;           /* it stands somewhere */
  bool solved, given_up;
  double certified;
} batch_model;

/* Doubles that a model needs. */
static size_t model_work_size(size_t cols) {
  return 3 * cols + lbfgs_work_size(cols);
}

/* Model m from its start. */
static void model_begin(batch_model *d, const batch *b, size_t m, double *trial, double *gradient,
                        double *work) {
  size_t cols = b->p->x->cols;
  *d = (batch_model){.b = b,
                     .number = m,
                     .one = *b->p,
                     .f = work,
                     .gradient = work + cols,
                     .trial = trial,
                     .trial_gradient = gradient,
                     .direction = work + 2 * cols};
  d->one.model.linear = b->linear + m * cols;
  lbfgs_begin(&d->memory, cols, work + 3 * cols);
  memcpy(d->trial, b->weights + m * cols, cols * sizeof *d->trial);
}

/* d := H₀⁻¹ d by the factor. */
static dperm_status solve_factor(void *context, double *d, dperm_error *err) {
  const batch *b = ((const batch_model *)context)->b;
  cholesky_solve(b->factor, b->p->x->cols, d);
  return DPERM_OK;
}

static void place_trial(batch_model *d) {
  for (size_t j = 0; j < d->one.x->cols; j++) {
    d->trial[j] = d->f[j] + d->length * d->direction[j];
  }
}

/* Stand at the trial. */
static void move(batch_model *d) {
  size_t size = d->one.x->cols * sizeof *d->f;
  if (d->begun) {
    lbfgs_add(&d->memory, d->f, d->trial, d->gradient, d->trial_gradient);
  }
  memcpy(d->f, d->trial, size);
  memcpy(d->gradient, d->trial_gradient, size);
  d->begun = true;
}

static bool certify_here(batch_model *d) {
  double norm = norm_above(d->gradient, d->one.x->cols), target = d->b->target[d->number];
  if (!(norm <= target)) {
    return false;
  }
  evaluation here = evaluation_at(&d->one, d->f, NULL);
  evaluation_side_by_side(&here, d->one.x, BATCH_WIDTH);
  d->certified = norm + evaluation_error(&here, IN_DOUBLES);
  return d->certified <= target;
}

/* The trial's gradient is in d->trial_gradient: it is solved, given up, or a new trial. */
static void model_hear(batch_model *d) {
  size_t cols = d->one.x->cols;
  double *gradient = d->trial_gradient;
  bool known = problem_add_penalty(&d->one, true, d->trial, gradient, NULL) == DPERM_OK;
  double norm = known ? vector_norm(gradient, cols) : NAN;
  double slope = vector_dot(d->direction, gradient, cols);
  bool overshot = d->begun && !(isfinite(norm) && slope <= -0.5 * d->slope);
  if (++d->passes > MOST_PASSES || (!d->begun && !isfinite(norm))) {
    d->given_up = true;
    return;
  }
  if (overshot) {
    double share = isfinite(slope) ? d->slope / (d->slope - slope) : 0;
    d->length *= fmin(0.7, fmax(0.1, share));
    place_trial(d);
    return;
  }
  move(d);
  d->solved = certify_here(d);
  if (d->solved) {
    return;
  }
  for (size_t j = 0; j < cols; j++) {
    d->direction[j] = -d->gradient[j];
  }
  (void)lbfgs_solve(&d->memory, solve_factor, d, d->direction, NULL);
  d->slope = vector_dot(d->direction, d->gradient, cols);
  d->given_up = !(d->slope < 0); /* not a number, or lost to rounding */
  d->length = 1;
  place_trial(d);
}

/* ---- all of them, BATCH_WIDTH side by side */

/* The scores of some rows become slopes, those of all models at hand. */
static void slopes_of_scores(void *context, size_t from, size_t count, double *z) {
  const problem *p = context;
  double slope[SLOPE_ROWS * BATCH_WIDTH];
  for (size_t done = 0; done < count; done += SLOPE_ROWS, z += (size_t)SLOPE_ROWS * BATCH_WIDTH) {
    size_t rows = count - done < SLOPE_ROWS ? count - done : SLOPE_ROWS;
    problem_rows_eval(p, from + done, rows, BATCH_WIDTH, z, NULL, slope, NULL);
    memcpy(z, slope, rows * BATCH_WIDTH * sizeof *z);
  }
}

/* The gradients' sums over rows at all trials. `turned` is space for twice as many numbers. */
static dperm_status pass(const problem *p, const double *trials, double *gradients, double *turned,
                         dperm_error *err) {
  size_t cols = p->x->cols;
  double *sums = turned + cols * BATCH_WIDTH;
  problem_transpose(trials, BATCH_WIDTH, cols, turned);
  TRY(p->x->kind->apply_both(p->x, turned, BATCH_WIDTH, slopes_of_scores, (void *)p, sums, err));
  problem_transpose(sums, cols, BATCH_WIDTH, gradients);
  return DPERM_OK;
}

static void leave(batch_model *d) {
  const batch *b = d->b;
  size_t cols = b->p->x->cols;
  if (d->solved) {
    b->certified[d->number] = d->certified;
    memcpy(b->weights + d->number * cols, d->f, cols * sizeof *d->f);
  }
  d->b = NULL;
}

dperm_status batch_solve(const batch *b, dperm_error *err) {
  size_t cols = b->p->x->cols, wide = cols * BATCH_WIDTH, next = 0, left = b->count;
  batch_model models[BATCH_WIDTH] = {0};
  OWNED_MEMORY double *numbers = NULL, *works = NULL;
  TRY(memory_new(4 * wide, sizeof *numbers, &numbers, err));
  TRY(memory_new(BATCH_WIDTH * model_work_size(cols), sizeof *works, &works, err));
  for (size_t m = 0; m < b->count; m++) {
    b->certified[m] = INFINITY;
  }
  while (left > 0) {
    for (size_t i = 0; i < BATCH_WIDTH && next < b->count; i++) {
      if (!models[i].b) {
        model_begin(&models[i], b, next++, numbers + i * cols, numbers + wide + i * cols,
                    works + i * model_work_size(cols));
      }
    }
    TRY(pass(b->p, numbers, numbers + wide, numbers + 2 * wide, err));
    for (size_t i = 0; i < BATCH_WIDTH; i++) {
      batch_model *d = &models[i];
      if (d->b) {
        model_hear(d);
        if (d->solved || d->given_up) {
          leave(d);
          left--;
        }
      }
    }
  }
  return DPERM_OK;
}
