/* What is known in public of every row, for the stored doubles in exact arithmetic: all that noise
 * is shaped by (privacy.md 5). */
#pragma once

#include <math.h>
#include <stddef.h>

/* A body Π_g {‖u_g‖₁ ≤ r_g}: one l1-ball for every group of consecutive columns (an interval for a
 * group of one). Its norm is ‖x‖ = max_g ‖x_g‖₁/r_g, so rows that its radii bound have ‖x‖ ≤ 1.
 * Equal neighbours are kept as one run. */
typedef struct body_run {
  size_t groups, width; /* so many groups, of so many columns each */
  double radius;        /* r_g of each of them */
} body_run;

/* A value: the runs belong to another object, which outlives it; without any the body is `only`. */
typedef struct noise_body {
  const body_run *runs;
  size_t count;
  body_run only;
} noise_body;

static inline size_t body_count(const noise_body *body) {
  return body->runs ? body->count : 1;
}

static inline const body_run *body_at(const noise_body *body, size_t i) {
  return body->runs ? &body->runs[i] : &body->only;
}

/* Columns of all its groups. */
static inline size_t body_dims(const noise_body *body) {
  size_t dims = 0;
  for (size_t i = 0; i < body_count(body); i++) {
    dims += body_at(body, i)->groups * body_at(body, i)->width;
  }
  return dims;
}

typedef struct row_bounds {
  double norm2;    /* R₂: ‖x‖₂ ≤ R₂ */
  double norm1;    /* R₁: ‖x‖₁ ≤ R₁ */
  noise_body body; /* ‖x_g‖₁ ≤ r_g for every group of columns */
  double centred; /* what share of Σ r_g² numbers with a range from −r to r have: for choosing Λ */
} row_bounds;

/* The least double that is certainly at least √count. */
static inline double root_upper(size_t count) {
  double n = (double)count, root = sqrt(n); /* counts are below 2^53 */
  return fma(root, root, -n) < 0 ? nextafter(root, INFINITY) : root;
}

/* Of rows with ‖x‖₂ ≤ norm, no more is known: entries are within ±norm, ‖x‖₁ ≤ √dims·norm. */
static inline row_bounds row_bounds_of_norm(size_t dims, double norm) {
  double one = root_upper(dims) * norm;
  return (row_bounds){.norm2 = norm,
                      .norm1 = dims == 1 ? norm : nextafter(one, INFINITY),
                      .body = {NULL, 0, {dims, 1, norm}}};
}
