/* What a kind of noise consists of: one file with an entry of this table each. random/noise.h is
 * for everybody else.
 *
 * A kind is a norm ‖·‖_K and the law of a radius ρ: b = (ρ/β)·U, with a direction U independent of
 * ρ. For pure ε the density is ∝ exp(−β‖b‖_K) and ρ a gamma variable (privacy.md 4 and 5). Gaussian
 * noise has a χ variable, and its guarantee a δ (docs/proofs/gaussian.md). Members that may be NULL
 * say what that means. */
#pragma once

#include <dperm.h>

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

/* The kinds; noise.c has the table. */
extern const noise_kind noise_l2, noise_l1, noise_group, noise_linf, noise_mixed, noise_gaussian;

/* What a scale must keep to, for the error budgets: between 2^−660 and 2^660. */
bool noise_scale_in_range(double beta);

/* To the nearest number of eight bits: weights, which files state. */
double noise_eight_bits(double x);

/* Standard normal coordinates, each within a relative 11.3·2^−53 (noise_l2.c). */
void noise_draw_normals(random_source *source, size_t count, double *x);
/* l2 noise in some of the columns: density ∝ exp(−β‖b‖₂). */
void noise_draw_sphere(random_source *source, size_t dims, double beta, double *b);
