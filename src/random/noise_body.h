/* The body that group and linf noise fill: Π_g {‖u_g‖₁ ≤ r_g}, one l1-ball for every group of
 * consecutive columns (an interval for a group of one). Its norm is ‖x‖ = max_g ‖x_g‖₁/r_g, so a
 * body whose radii bound every row has ‖x‖ ≤ 1 (privacy.md 5). Equal neighbours are kept as one
 * run. */
#ifndef DPERM_RANDOM_NOISE_BODY_H
#define DPERM_RANDOM_NOISE_BODY_H

#include <stddef.h>

typedef struct body_run {
  size_t groups, width; /* so many groups, of so many columns each */
  double radius;        /* r_g of each of them */
} body_run;

/* A value: the runs are somebody else's, and outlive it; without any the body is `only`. */
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
size_t body_dims(const noise_body *body);

#endif
