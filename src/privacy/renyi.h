/* Renyi divergences of releases, for ledgers that add them up at one order instead of epsilons
 * (docs/proofs/composition.md). Everything here is a function of public numbers and is rounded to
 * the safe side: costs up, budgets down, by a relative 1e-9 and an absolute 1e-12, which is far
 * more than the rounding errors of the formulas. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Corners of one length: `ratio`, ||u_c||/sigma, is how far a record's gradient moves noise. */
typedef struct gaussian_corner {
  double count, ratio;
} gaussian_corner;

enum { CURVE_CORNERS = 4, CURVE_FITS_MOST = 1000 }; /* a fit for each class */

/* What is known of a release beyond (epsilon, delta): `fits` fits with Gaussian noise, each on all
 * rows and with noise of its own, each with log-determinants within ±slack (0 for output
 * perturbation) and the corners' privacy profile, each released by a lattice at epsilon_num; and
 * something pure beside them. All of it is for one record, and so is what is released of records
 * that none of it sees: a record costs one or the other. fits = 0: nothing is known. */
typedef struct privacy_curve {
  size_t fits;
  double slack; /* K */
  double mean;  /* of what the determinants add to a loss of privacy, at most: far less than K where
                   much noise hides where a record's curvature is; 0: no more is known than K */
  gaussian_corner corners[CURVE_CORNERS];
  size_t corner_count;
  double epsilon_num; /* Laplace noise of the lattice, on each side of it */
  double pure;        /* epsilon of what is pure, 0 for nothing */
  double apart;       /* and of what is pure and sees the other records alone */
  double failure;     /* delta of the numerics as stated: at least twice the odds of a fit that is
                         not certified */
} privacy_curve;

/* False for numbers that mean nothing, and for corners that are not in order, the longest first. */
bool curve_is_sound(const privacy_curve *curve);

/* Whether a curve, which is sound, can be that of a release with this claim (composition.md, Lemma
 * C8): that some plan may have noise, lattice and failures like these. `adding`: of records added
 * and removed, where one slope moves. */
bool curve_fits_claim(const privacy_curve *curve, bool adding, double epsilon, double delta);

/* The divergence of order `order` > 1 of whatever is epsilon-private (Lemma C3): that of
 * randomized response, at most epsilon. */
double renyi_of_pure(double order, double epsilon);

/* That of the curve but for its failures (Lemmas C4 to C6); infinite where it is beyond doubles. */
double renyi_of_curve(double order, const privacy_curve *curve);

/* What order `order` leaves of a total epsilon once delta pays for the conversion (Lemma C2):
 * releases whose divergences add up to no more are (epsilon, delta)-private together. Negative or
 * zero where nothing is left. */
double renyi_budget(double order, double epsilon, double delta);

/* The order, of few digits, at which the most small releases fit into (epsilon, delta). */
double renyi_order_for(double epsilon, double delta);

enum { RENYI_ORDER_MOST = 10000 };
