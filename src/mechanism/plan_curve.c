/* plan_curve of privacy_plan.h. */
#include "mechanism/privacy_plan.h"

#include <math.h>

#include "base/defect.h"
#include "base/functions.h"
#include "loss/loss.h"
#include "mechanism/delta_rule.h"

static const double up = 1 + 1e-12; /* more than all rounding of a quotient or two */

/* ||u_c||/σ is length·A, A = β·R_K; β·R₂/(nΛ) for output perturbation, β·R₂ for descent
 * (gaussian.md 1 and 2, descent.md). */
static double corner_scale(const public_numbers *g, const privacy_plan *plan) {
  bool objective = plan->mechanism == DPERM_MECHANISM_OBJECTIVE;
  double row = objective ? plan->noise.kind->row_bound(&g->bounds, g->dims) : g->bounds.norm2;
  bool output = plan->mechanism == DPERM_MECHANISM_OUTPUT;
  return plan->noise.beta * row / (output ? (double)g->rows * plan->lambda : 1);
}

/* E max ⟨v, B⟩ over the slopes v that a record's score may have, B normal (composition.md, C5):
 * E B₊ and E|B| of slopes of one sign and of both. */
static double steepest_mean(const dperm_loss *loss) {
  const double density = 0.39894228040143268; /* at 0 */
  return loss->lipschitz * density * (loss_both_signs(loss) ? 2 : 1);
}

/* The mean of the determinants' logarithm, A·E max ⟨v, B⟩·(1 + κc)·log(1 + κc)/(κc). */
static double mean_slack(const dperm_loss *loss, double kappa, double scale) {
  double most = kappa * loss->smoothness;
  return scale * steepest_mean(loss) * (1 + most) * math_log1p(most) / most * (1 + 1e-9);
}

/* Of noise whose corners are `scale` long for each unit of length, with κ = R₂²/λ: the flat line of
 * slack, K = log(1 + κc), since for a divergence its largest value counts. */
static privacy_curve curve_at(const public_numbers *g, double kappa, double scale) {
  privacy_curve curve = {.fits = 1};
  const delta_corners corners = delta_corners_of(g->mechanism, g->loss, g->neighbours, kappa, 0);
  for (size_t i = 0; i < corners.count; i++) {
    const delta_corner *c = &corners.at[i];
    curve.slack = fmax(curve.slack, c->slack);
    if (c->length > 0) {
      curve.corners[curve.corner_count++] = (gaussian_corner){c->count, c->length * scale};
    }
  }
  if (curve.slack > 0) {
    curve.mean = fmin(mean_slack(g->loss, kappa, scale), curve.slack);
  }
  return curve;
}

privacy_curve plan_curve(const public_numbers *g, const privacy_plan *plan) {
  double lambda = (double)g->rows * (plan->lambda + plan->delta_reg), norm = g->bounds.norm2;
  double scale = corner_scale(g, plan) * (DEFECT("curve-short") ? 0.98 : up);
  return plan_spends_delta(plan) ? curve_at(g, norm * norm / lambda * up, scale)
                                 : (privacy_curve){.fits = 0};
}

privacy_curve way_curve(const public_numbers *g, const noise_way *way) {
  return curve_at(g, way->kappa * up, way->reach * (DEFECT("way-short") ? 0.98 : up));
}

bool curve_covers(const privacy_curve *paid, const privacy_curve *curve) {
  bool covers =
      paid->fits == 0 ||
      (paid->fits == curve->fits && paid->corner_count == curve->corner_count &&
       curve->slack <= paid->slack &&
       (paid->mean == 0 || (curve->mean > 0 && curve->mean <= paid->mean) || curve->slack == 0) &&
       curve->epsilon_num <= paid->epsilon_num && curve->failure <= paid->failure &&
       curve->pure <= paid->pure && curve->apart <= paid->apart);
  for (size_t i = 0; covers && paid->fits > 0 && i < paid->corner_count; i++) {
    covers = curve->corners[i].count == paid->corners[i].count &&
             curve->corners[i].ratio <= paid->corners[i].ratio;
  }
  return covers;
}
