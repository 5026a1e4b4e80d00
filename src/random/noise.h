/* The noise seam: a plan from public numbers, and draws from it. A kind of noise, one entry of the
 * table in noise.c, is a norm ‖·‖_K and the law of a radius ρ: b = (ρ/β)·U, with a direction U that
 * is independent of ρ. For pure ε the density is ∝ exp(−β‖b‖_K) (privacy.md 4 and 5):
 *
 *   l2     ‖b‖₂                          Gamma(d) × uniform on the sphere
 *   l1     ‖b‖₁                          independent Laplace(1/β) coordinates
 *   group  max_g ‖b_g‖₁/r_g, the body's  Gamma(d+1) × uniform in the body
 *   linf   max_j |b_j|/r_j               the same, every column a group of its own
 *   mixed  Σ_g ω_g‖b_g‖₁ + t‖b_rest‖₂     l1 in one-hot blocks, l2 in the other columns
 *
 * gaussian noise has the norm √Σ_g ω_g²‖b_g‖₂² and the density ∝ exp(−β²‖b‖²/2), so a χ variable of
 * d degrees of freedom and independent normal coordinates; its guarantee has a δ
 * (docs/proofs/gaussian.md). */
#pragma once

#include "random/random_source.h"
#include "random/row_bounds.h"

typedef struct noise_kind noise_kind;

typedef struct noise_plan {
  const noise_kind *kind;
  size_t dims;
  double beta;
  noise_body body; /* of `dims` columns, for kinds that are shaped by one */
  size_t copies;   /* so many independent vectors of `dims` numbers, one after the other; 0 is 1 */
} noise_plan;

/* The kinds, simple ones first: the order in which `auto` tries them. NULL beyond the last. */
const noise_kind *noise_at(size_t i);
/* NULL for DPERM_NOISE_AUTO and where there is no such kind. */
const noise_kind *noise_kind_of(dperm_noise number);
const noise_kind *noise_named(const char *name);

/* The numbers of all copies. What is said of ‖b‖₂ below is of all of them together. */
size_t noise_size(const noise_plan *plan);

/* Root mean square of ‖b‖₂: exact up to rounding. */
double noise_rms_norm(const noise_plan *plan);
/* For people and planners: the mean of ‖b‖₂, and what it is below half of the time and but for 5
 * percent. Exact for l2 noise and one vector; else means are within 0.5 percent, quantiles within 1
 * (2 and 4 for bodies with a few very long sides at 41 columns, less exact at thousands):
 * tests/statistical/noise_conformance_test.c. */
typedef struct noise_figures {
  double mean, q50, q95;
} noise_figures;
noise_figures noise_figures_of(const noise_plan *plan);
/* What of its square each column has on average, one number for each run of `body`, the rows' own:
 * exact up to rounding. */
void noise_column_shares(const noise_plan *plan, const noise_body *body, double *out);
/* Root mean square of each coordinate of one vector b, `dims` numbers: exact up to rounding. The
 * plan's body is of all columns. */
void noise_coordinate_rms(const noise_plan *plan, double *out);
/* A public bound, (k + √(2kt) + t)·reach/β rounded up for ρ ~ Gamma(k), and √(k + 2√(kt) +
 * 2t)·reach/β for χ_k, that ‖b‖₂ passes with probability at most e^−t, and so does the norm of what
 * noise_draw gives. t ≥ 0. Of m copies none passes it but with m·e^−t; √m times it is the bound for
 * all together. */
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

/* ---- what a kind consists of. Members that may be NULL say what that means */

/* The law of the radius, of a whole shape k. */
typedef struct radius_law {
  double (*mean)(double k);
  double (*mean_square)(double k);
  double (*limit)(double k, double t); /* passed with probability at most e^−t */
  double (*tail)(double k, double x);  /* P(ρ > x) */
} radius_law;

extern const radius_law radius_gamma; /* Gamma(k, 1) */
extern const radius_law radius_chi;   /* χ_k */

struct noise_kind {
  const char *name; /* as options and model files have it */
  dperm_noise number;
  const radius_law *radius;
  size_t extra;     /* ρ has shape d + extra: 1 for U uniform in a body, 0 for ‖U‖_K = 1 */
  bool needs_delta; /* no pure ε: it is planned by δ(ε) (mechanism/delta_rule.h) */
  bool output;      /* output perturbation may use it, in the norm ‖·‖₂ */

  /* R_K: ‖x‖_K ≤ R_K for every row, rounded up; 0 where the bounds give none. */
  double (*row_bound)(const row_bounds *bounds, size_t dims);
  double (*norm)(const noise_plan *plan, const double *b); /* ‖b‖_K, up to rounding */
  double (*mean_square)(const noise_plan *plan); /* E‖U‖₂², up to rounding; NULL: ‖U‖₂ = 1 */
  /* What a column of each run of the body has of that, in any unit. NULL: all have the same. */
  void (*column_squares)(const noise_plan *plan, double *out);
  double (*reach)(const noise_plan *plan); /* ‖U‖₂ ≤ this, rounded up; NULL: 1 */
  void (*draw)(const noise_plan *plan, random_source *source, double *b);
  /* Whether the scales that the kind makes of β are in range (noise_in_range). NULL: β alone. */
  bool (*in_range)(const noise_plan *plan);
  /* A public number that the law needs beside β, as files state it ("noise_weight"), NaN where it
   * needs none. NULL: none. */
  double (*weight)(const noise_plan *plan);
  /* One more for each block of several columns, or for each group ("noise_weights"): for each run
   * of the body what its groups have, NaN for a run of which files state none. NULL: none. */
  void (*weights)(const noise_plan *plan, double *out);
  /* The law of files that name this kind without noise_weights. NULL: none has. */
  const noise_kind *before;
};

extern const noise_kind noise_l2, noise_l1, noise_group, noise_linf, noise_mixed, noise_gaussian;

/* What a scale must keep to, for the error budgets: between 2^−660 and 2^660. */
bool noise_scale_in_range(double beta);
/* To the nearest number of eight bits: weights, which files state. */
double noise_eight_bits(double x);
/* Standard normal coordinates, each within a relative 11.3·2^−53 (noise_l1_l2.c). */
void noise_draw_normals(random_source *source, size_t count, double *x);
/* l2 noise in some of the columns: density ∝ exp(−β‖b‖₂). */
void noise_draw_sphere(random_source *source, size_t dims, double beta, double *b);
