/* The price of gaussian noise: δ as a function of A = R_K/σ = β·R_K, for a given ε
 * (docs/proofs/gaussian.md),
 *
 *   δ(ε) ≤ Σ_c count_c·δ_G(ε − slack_c; length_c·A),
 *   δ_G(ε; μ) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ),
 *
 * c over the corners of a box that the slopes of the replaced records lie in. A mechanism is a list
 * of corners; evaluation and inversion are the same for all. Everything here is public. */
#pragma once

#include "base/status.h"

/* So many corners at which the noise of neighbours is shifted by at most length·R_K, and the
 * Jacobians differ by a factor of at most e^slack. */
typedef struct delta_corner {
  double count, length, slack;
} delta_corner;

enum { DELTA_CORNERS_MOST = 4 };

typedef struct delta_corners {
  size_t count;
  delta_corner at[DELTA_CORNERS_MOST];
} delta_corners;

/* Objective perturbation of a loss, κ = R₂²/λ (gaussian.md 2 and 3). The slack of the library's own
 * losses is a line over the slope: for an ε a tangent that is good there, flat for ε = 0; any is
 * valid. Of a record that is added or removed one slope moves. */
delta_corners delta_corners_objective(const dperm_loss *loss, dperm_neighbours neighbours,
                                      double kappa, double epsilon);
/* Output perturbation, A = β·R₂/(nΛ), of a loss with this L, and noisy descent, A = β·R₂, of slopes
 * that are cut to it: the sensitivity alone (gaussian.md 1, descent.md). */
delta_corners delta_corners_shift(double lipschitz, dperm_neighbours neighbours);
extern const double descent_clip;
/* That of a mechanism. */
delta_corners delta_corners_of(dperm_mechanism mechanism, const dperm_loss *loss,
                               dperm_neighbours neighbours, double kappa, double epsilon);

/* At least δ_G(ε; μ), ε ≥ 0 and μ ≥ 0: within a relative 2e-9, or 1e-13/μ where μ is tiny. */
double delta_gaussian(double epsilon, double mu);
/* At least the sum over the corners; 1 where some slack is above ε. */
double delta_of(const delta_corners *corners, double epsilon, double a);
/* The largest A, rounded down, with delta_of ≤ delta; 0 if there is none above 0. 0 < delta < 1. */
double delta_invert(const delta_corners *corners, double epsilon, double delta);
/* The same for objective perturbation, by the better of the flat line of slack and the tangent. */
double delta_invert_objective(const dperm_loss *loss, dperm_neighbours neighbours, double kappa,
                              double epsilon, double delta);
