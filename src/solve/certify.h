/* The judge of a solution: a bound on the true gradient at the doubles that were computed, rounding
 * included (privacy.md 6). By strong convexity a gradient of at most G means a distance of at most
 * G/Λ_t to the minimizer, and a release rests on that.
 *
 * The bound may look at the data: it only decides whether to go on, and what is released does not
 * depend on it. What is promised, release/numerics.c derives from public numbers with the same
 * formula. */
#pragma once

#include "solve/problem.h"

typedef enum precision { IN_DOUBLES, IN_DD } precision;

/* What an evaluation of the gradient is made of: measured, or bounded by public numbers. */
typedef struct evaluation {
  const dperm_loss *loss;
  double rows;      /* n */
  double entries;   /* at most so many in a row */
  double row_depth; /* additions behind an entry of X f, in doubles */
  double depth;     /* additions behind an entry of Xᵀ s, in doubles */
  double norm;      /* R */
  double crowd;     /* rows for each 1 of the divisor D: n/D, 1 where D is n */
  double slope; /* (1/D) Σ |s_i| of the computed slopes (‖s_i‖₂ of several), times the shares */
  bool shared;          /* rows have shares: one rounding more for each slope */
  double curvature;     /* of ℓ, at most: c·n/D */
  double lambda, ridge; /* Λ, Δ */
  double f;             /* ‖f‖ */
  double penalty;       /* ‖∇N(f)‖ */
  double linear;        /* ‖linear term‖ */
  /* Of a custom regularizer, else 0: the declared relative error of its slope, and N_j″ ≤ this. */
  double penalty_error, penalty_curvature;
} evaluation;

/* ‖computed gradient − true gradient‖₂ ≤ this. */
double evaluation_error(const evaluation *e, precision how);

/* At least `depth` of products with k right-hand sides at once, whatever the rows are, of which
 * there are no more than this. */
double sum_depth_most(uint64_t rows, size_t cols, size_t k);

/* The evaluation at a point, as it went. `slope` is tall, or NULL for the bound L. */
evaluation evaluation_at(const problem *p, const double *f, const double *slope);

/* Of products with k right-hand sides at once: the additions behind an entry of them. */
void evaluation_side_by_side(evaluation *e, const matrix *x, size_t k);

/* ‖∇J‖ at the doubles of `at` is at most this; not a number where anything is. */
double certified_gradient(const problem *p, const point *at);

/* What rounding may leave in a computed gradient near f whatever the solver does: its evaluation's
 * error, and what rounding f itself does to it. */
double rounding_limit(const problem *p, const double *f);

/* ‖v‖₂, rounded up. */
double norm_above(const double *v, size_t count);
