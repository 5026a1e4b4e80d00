/* The objective once more in numbers of 200 bits (MPFR), for tests of bounds on rounding: beside
 * such bounds its own rounding is nothing. Like reference.h it shares no code with the library but
 * the rows it is given. */
#ifndef DPERM_TESTS_PRECISE_H
#define DPERM_TESTS_PRECISE_H

#include <mpfr.h>

#include "reference.h"

enum { PRECISE_BITS = 200 };

/* ---- numbers */

mpfr_t *precise_array(size_t count); /* zeros */
void precise_array_free(mpfr_t *values, size_t count);
/* ‖values‖₂, rounded up. */
double precise_norm(mpfr_t *values, size_t count);
/* out = hi + lo, exactly. */
void precise_sum(mpfr_t out, double hi, double lo);

/* out = ℓ′(z). `out` must not be z. */
void precise_slope(reference_loss loss, double h, const mpfr_t z, mpfr_t out);

/* ---- problems */

/* A problem of one model, with its rows as plain numbers. A custom regularizer is taken to be
 * quartic_eval. */
typedef struct precise_problem {
  problem p;
  reference_loss loss;
  double h;
  double *x;           /* row-major */
  const double *noise; /* b: bᵀf/n is part of the objective, and b/n is not rounded; or NULL */
} precise_problem;

precise_problem *precise_problem_of(const problem *p, reference_loss loss, double h);
void precise_problem_free(precise_problem *t);

/* max ‖x_i‖₂, rounded up. */
double precise_row_norm(const precise_problem *t);

/* ∇J(f). */
void precise_gradient(const precise_problem *t, mpfr_t *f, mpfr_t *gradient);
/* ‖∇J(f + rest)‖₂; a rest may be NULL. */
double precise_gradient_norm(const precise_problem *t, const double *f, const double *rest);
/* ‖g − ∇J(f)‖₂, and the same *norm. */
double precise_gradient_error(const precise_problem *t, const double *f, const double *g,
                              double *norm);

/* ‖f + rest − shift − argmin J‖₂ up to ±*unsure, which strong convexity bounds and which is at most
 * `goal` unless the search for the minimum failed. `shift` may be NULL. */
double precise_distance(const precise_problem *t, const double *f, const double *rest,
                        const double *shift, double goal, double *unsure);

#endif
