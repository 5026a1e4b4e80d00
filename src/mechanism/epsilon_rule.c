/* The sup over the margin for each loss. Only the library's own losses, recognized by their code
 * and constants and not by a name that a caller may choose, use a rule of their own; any other loss
 * falls back on its declared constants, 2AL + log(1 + κc). Results are raised by a relative 1e-12
 * against rounding, so an inverse errs towards more noise. */
#include "mechanism/epsilon_rule.h"

#include <math.h>

#include "loss/loss.h"

static const double guard = 1.0 + 1e-12;

/* sup_s A·s + log(1 + κ s(1−s)) over s ∈ [0, 1]. If A ≥ κ the slope is nonnegative up to s = 1.
 * Else the stationary point, in a form that does not cancel for small A. */
static double logistic_sup(double kappa, double a) {
  if (a >= kappa) {
    return a;
  }
  double root = sqrt((a - 2) * (a - 2) + 4 * a * (a + kappa) / kappa);
  double s = fmin(1.0, 2 * (a + kappa) / (kappa * (2 - a + root)));
  return a * s + log1p(kappa * s * (1 - s));
}

/* sup over u ∈ [0, 1] of g(u) = A(2+3u−u³)/4 + log(1 + κ·3(1−u²)/(4h)). g is concave there: its
 * slope ¾A(1−u²) − κ(3u/2h)/(1 + κ·3(1−u²)/(4h)) falls from 3A/4 to below zero. For u < 0 both
 * terms rise. At the end of the bisection the bracket is one unit wide, and g is flat there. */
static double smooth_hinge_sup(double kappa, double h, double a) {
  double low = 0, high = 1, k = 3 * kappa / (4 * h);
  for (int i = 0; i < 54; i++) { /* down to one unit of 1 */
    double u = 0.5 * (low + high);
    double slope = 0.75 * a * (1 - u * u) - 2 * k * u / (1 + k * (1 - u * u));
    if (slope > 0) {
      low = u;
    } else {
      high = u;
    }
  }
  return a * (2 + 3 * low - low * low * low) / 4 + log1p(k * (1 - low) * (1 + low));
}

double epsilon_of(const dperm_loss *loss, double kappa, double a) {
  double sup = 0;
  switch (loss_identify(loss)) {
  case LOSS_LOGISTIC:
    sup = logistic_sup(kappa, a);
    break;
  case LOSS_SMOOTH_HINGE:
    sup = smooth_hinge_sup(kappa, loss->parameter, a);
    break;
  case LOSS_HUBER: /* slope 1 and curvature 1/(2h) meet at z = 1 − h: nothing to gain */
  case LOSS_CUSTOM:
    sup = a * loss->lipschitz + log1p(kappa * loss->smoothness);
    break;
  }
  return guard * (a * loss->lipschitz + sup);
}

double epsilon_invert(const dperm_loss *loss, double kappa, double epsilon) {
  double low = 0, high = epsilon / (2 * loss->lipschitz);
  if (!(epsilon_of(loss, kappa, 0) < epsilon)) {
    return 0;
  }
  for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
    double middle = 0.5 * (low + high);
    if (epsilon_of(loss, kappa, middle) <= epsilon) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}
