/* The noise seam: a plan from public numbers, and draws from it. A kind of noise is a norm ‖·‖_K;
 * its density is ∝ exp(−β‖b‖_K) (privacy.md 4 and 5). So ‖b‖_K ~ Gamma(d, 1/β), and b is a gamma
 * variable times a direction that is independent of it:
 *
 *   l2     ‖b‖₂                          Gamma(d) × uniform on the sphere
 *   l1     ‖b‖₁                          independent Laplace(1/β) coordinates
 *   group  max_g ‖b_g‖₁/r_g, the body's  Gamma(d+1) × uniform in the body
 *   linf   max_j |b_j|/r_j               the same, every column a group of its own
 *   mixed  Σ_g ω_g‖b_g‖₁ + t‖b_rest‖₂     l1 in one-hot blocks, l2 in the other columns
 *
 * gaussian noise has the norm √Σ_g ω_g²‖b_g‖₂² and the density ∝ exp(−β²‖b‖²/2): a χ variable of d
 * degrees of freedom times a direction, and independent normal coordinates.
 */
#pragma once

#include "random/noise_kind.h"

/* The kinds, simple ones first: the order in which `auto` tries them. NULL beyond the last. */
const noise_kind *noise_at(size_t i);
/* NULL for DPERM_NOISE_AUTO and where there is no such kind. */
const noise_kind *noise_kind_of(dperm_noise number);
const noise_kind *noise_named(const char *name);

/* The numbers of all copies. What is said of ‖b‖₂ below is of all of them together. */
size_t noise_size(const noise_plan *plan);

/* Root mean square of ‖b‖₂: exact up to rounding. noise_law.h has the mean and quantiles. */
double noise_rms_norm(const noise_plan *plan);
/* What of its square each column has on average, one number for each run of `body`, the rows' own:
 * exact up to rounding. */
void noise_column_shares(const noise_plan *plan, const noise_body *body, double *out);
/* A public bound, (k + √(2kt) + t)·reach/β rounded up for ρ ~ Gamma(k), and √(k + 2√(kt) +
 * 2t)·reach/β for χ_k, that ‖b‖₂ passes with
 * probability at most e^−t, and so does the norm of what noise_draw gives. t ≥ 0. Of m copies none
 * passes it but with m·e^−t; √m times it is the bound for all together. */
double noise_norm_limit(const noise_plan *plan, double t);

/* Fills b with noise_size numbers. */
void noise_draw(const noise_plan *plan, random_source *source, double *b);
/* How far they are from real ones: η = (64 + 4⌈log₂ k⌉)·2^−53, k the radius' shape. The draws b̂ can
 * be coupled with a real vector b of exactly the density above so that ‖b̂ − b‖₂ ≤ η‖b̂‖₂, and
 * |b̂_j − b_j| ≤ η|b̂_j| for each coordinate. b is what the same random bits and infinitely many
 * more give in exact arithmetic. The same holds for all copies together. For d ≤ 2^31 and plans in
 * range; each kind's file has its budget, and the event of probability below 2^−250 that is left
 * out. */
double noise_relative_error(const noise_plan *plan);
/* Whether β, and what a kind makes of it (β/r_g, βt), are in the range that the budgets need. */
bool noise_in_range(const noise_plan *plan);
