/* From public numbers to a noise plan. The signature makes it plain: nothing here can see a record,
 * so nothing that is chosen here costs privacy. */
#pragma once

#include "mechanism/descent_plan.h"
#include "privacy/composition.h"
#include "privacy/renyi.h"
#include "random/noise.h"
#include "random/row_bounds.h"

typedef struct public_numbers {
  size_t rows; /* n, or the public figure near it where n is private: */
  dperm_neighbours neighbours;
  uint64_t rows_most;     /* if how many there are is private, no more than this */
  size_t person_rows;     /* records of a person, at most, that count as one together; or 0 */
  size_t dims;            /* d, of each of the vectors that softmax has as many of as classes */
  row_bounds bounds;      /* R₂, R₁ and r_g, for every row */
  const dperm_loss *loss; /* with its constants L and c */
  bool shared;            /* rows have shares, at most 1: L and c bound them all the same */
  double epsilon;         /* as asked */
  double epsilon_core;    /* what the release leaves of it for the noise (release/numerics.h) */
  double delta_core;      /* and of delta, for gaussian noise; 0: pure noise only */
  noise_way way;          /* what gaussian noise must keep within; reach 0: epsilon and delta say */
  dperm_mechanism mechanism;
  dperm_analysis analysis;
  dperm_noise noise;    /* or the one with the least rms norm */
  double lambda;        /* Λ; NaN to choose it */
  double delta_reg;     /* Δ; NaN to choose it */
  bool intervals;       /* Λ is to leave as much of ε to the noise as intervals are best with */
  double norm_guess;    /* F, a guess of ‖f*‖; NaN for the bound */
  double pull;          /* ‖∇N(0)‖: 0 for ridge, not for a prior */
  double stiffness;     /* by how much N_j″ may pass 1: 0 for ridge, infinite where unknown */
  bool custom_penalty;  /* N is not the library's own, and */
  double penalty_error; /* its slope is computed within this relative error */
  double bound, rms; /* privacy_plan_make's own, 0 before: R_K and rms‖b‖₂ for β = 1 of the kind */
} public_numbers;

/* All that a mechanism needs to know, and all that a model states of it. */
typedef struct privacy_plan {
  dperm_mechanism mechanism;
  dperm_analysis analysis;
  dperm_neighbours neighbours;
  double divisor;           /* of sums over rows: a public number, or 0 for theirs */
  double epsilon;           /* the mechanism's own, without what the release costs */
  double lambda, delta_reg; /* Λ, Δ; Λ_t is their sum */
  double kappa;             /* R₂²/(nΛ_t) of objective perturbation; else 1, and has no part */
  noise_plan noise;
  descent_plan descent; /* zeros for any other mechanism */
} privacy_plan;

/* Whether the number of rows is private: n itself, or n counts persons, and their records' is. */
bool rows_hidden(const public_numbers *given);

/* DPERM_MECHANISM_NONE gives a plan without noise. Fails where no noise gives this ε. */
dperm_status privacy_plan_make(const public_numbers *given, privacy_plan *out, dperm_error *err);

/* Whether its noise spends a delta: gaussian, and not none at all. */
bool plan_spends_delta(const privacy_plan *plan);

/* F, a bound on ‖argmin J‖: min(LR/Λ, √(2ℓ(0)/Λ)) for ridge (docs/proofs/planning.md). With
 * G = ‖∇N(0)‖ strong convexity gives Λ‖f*‖ ≤ ‖∇J(0)‖ ≤ LR + ΛG, and J(f*) ≤ J(0) for a loss ≥ 0
 * gives ½‖f*‖² − G‖f*‖ ≤ ℓ(0)/Λ. Of a residual ℓ(0) is the most that a label can make it. */
double solution_norm_bound(const public_numbers *given, double lambda);

/* A bound on how much larger the model's mean loss is than that of any model of the typical length
 * (the user's guess, or 10/R₂), with noise of this norm: what the noise costs, and the
 * regularization that holds it (docs/proofs/planning.md). */
double excess_loss(const public_numbers *given, const privacy_plan *plan, double noise_norm);

/* What noise alone offers a model of the typical length, rms‖b‖·F/n, relative to the most that data
 * can, ℓ(0). For output perturbation, rms‖b‖ relative to the length of the weights that it is added
 * to: F, or the bound on them if that is smaller. */
double noise_to_signal(const public_numbers *given, const privacy_plan *plan);

/* A bound on the objective's excess from noise of this norm, ‖b‖₂ (docs/proofs/planning.md). */
double excess_objective(const public_numbers *given, const privacy_plan *plan, double noise_norm);

/* ---- plan_curve.c: what a plan's noise tells a ledger beyond (ε, δ), the numbers that its Renyi
 * divergence follows from (docs/proofs/composition.md, C5) */

/* Of one fit, for its own neighbours and one record, without what its release and numerics add;
 * fits = 0 for noise that is pure: then ε says it all. */
privacy_curve plan_curve(const public_numbers *given, const privacy_plan *plan);

/* A curve that covers those of all plans with gaussian noise that keep within a way (C10). */
privacy_curve way_curve(const public_numbers *given, const noise_way *way);

/* Whether a release that was priced by `paid` may have this one: nothing is claimed by fits = 0. */
bool curve_covers(const privacy_curve *paid, const privacy_curve *curve);

/* ---- what stands between a mechanism and the release of its result */

/* What the release relies on, promised from public numbers before any work (release/numerics.h). */
typedef struct promise {
  double gradient;   /* the certified gradient, with what the noise's own error adds to it */
  double noise_norm; /* ‖b‖₂; longer noise is refused, with probability e^−100 */
} promise;

/* Within (promise.gradient)/Λ_t of what the mechanism would have given in real numbers: f + rest,
 * the rest too small for doubles to hold it. Not to be seen by anybody. */
typedef struct solution {
  double *f, *rest; /* dims numbers each; those of several solutions one after the other */
} solution;
