/* Slopes at margins of twice the precision. A margin's rest is at most u|z|. For the logistic loss
 * the second term of Taylor's series takes it in: what is left, z²u²|ℓ‴|/2, is far below u², as
 * z²|ℓ‴| < 1. The hinges are functions of the gap 1 − z, which is formed in twice the precision and
 * rounded once: near their corners, where the slope turns fast, the gap is small and so is its
 * rounding error. */
#include "base/double_double.h"
#include "loss/loss.h"

bool loss_ignores_rest(const dperm_loss *loss) {
  return loss_identify(loss) == LOSS_CUSTOM;
}

static double gap_of(double label, double z, double rest) {
  double_double one_minus = two_sum(1.0, -(label * z));
  return one_minus.hi + (one_minus.lo - label * rest);
}

static void slope_at_rounded(const dperm_loss *loss, size_t count, const double *labels,
                             const double *z, const double *z_rest, double *slope) {
  bool correct = !loss_ignores_rest(loss);
  for (size_t i = 0; i < count; i++) {
    double margin = labels[i] * z[i], s = 0, a = 0;
    loss->eval(loss, 1, &margin, NULL, &s, &a);
    slope[i] = labels[i] * s + (correct ? a * z_rest[i] : 0.0);
  }
}

void loss_slope_dd(const dperm_loss *loss, size_t count, const double *labels, const double *z,
                   const double *z_rest, double *slope) {
  double h = loss->parameter;
  switch (loss_identify(loss)) {
  case LOSS_HUBER:
    for (size_t i = 0; i < count; i++) {
      slope[i] = labels[i] * huber_slope(gap_of(labels[i], z[i], z_rest[i]), h);
    }
    return;
  case LOSS_SMOOTH_HINGE:
    for (size_t i = 0; i < count; i++) {
      slope[i] = labels[i] * smooth_hinge_slope(gap_of(labels[i], z[i], z_rest[i]), h);
    }
    return;
  case LOSS_LOGISTIC:
  case LOSS_CUSTOM:
    slope_at_rounded(loss, count, labels, z, z_rest, slope);
    return;
  }
}
