/* Only the library's own losses, recognized by their code and constants and not by a name that a
 * caller may choose, use a supremum of their own (loss_kind); any other loss falls back on its
 * declared constants, 2AL + log(1 + κc), or AL + log(1 + κc). Results are raised by a relative
 * 1e-12 against rounding, so an inverse errs towards more noise. */
#include "mechanism/epsilon_rule.h"

#include <math.h>

#include "base/defect.h"
#include "base/functions.h"
#include "loss/link.h"

static const double guard = 1.0 + 1e-12;

double neighbours_gradients(dperm_neighbours neighbours) {
  return neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? 1 : 2;
}

static double slope_sum(const loss_kind *kind, const dperm_loss *loss) {
  bool several = kind && kind->slope_sum > 0;
  return several ? kind->slope_sum / (DEFECT("joint-half") ? 2 : 1) : loss->lipschitz;
}

double epsilon_slope_sum(const dperm_loss *loss) {
  return slope_sum(loss_kind_of(loss), loss);
}

/* Of a loss of this kind, which is looked up once for all steps of an inversion. */
static double epsilon_of_kind(const loss_kind *kind, const dperm_loss *loss,
                              dperm_neighbours neighbours, double kappa, double a) {
  double steepest = a * slope_sum(kind, loss);
  double sup = kind && kind->supremum ? kind->supremum(loss, kappa, a)
                                      : steepest + math_log1p(kappa * loss->smoothness);
  return guard * (neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? sup : steepest + sup);
}

double epsilon_of(const dperm_loss *loss, dperm_neighbours neighbours, double kappa, double a) {
  return epsilon_of_kind(loss_kind_of(loss), loss, neighbours, kappa, a);
}

/* ε(0) is log(1 + κc), or (k−1)·log(1 + κ/k) for softmax. */
double epsilon_most_kappa(const dperm_loss *loss, double epsilon) {
  double k = (double)softmax_classes(loss);
  return k > 0 ? k * loss->smoothness * math_expm1(epsilon / (k - 1)) : math_expm1(epsilon);
}

double epsilon_invert(const dperm_loss *loss, dperm_neighbours neighbours, double kappa,
                      double epsilon) {
  const loss_kind *kind = loss_kind_of(loss);
  double low = 0, high = epsilon / (neighbours_gradients(neighbours) * slope_sum(kind, loss));
  if (!(epsilon_of_kind(kind, loss, neighbours, kappa, 0) < epsilon)) {
    return 0;
  }
  for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
    double middle = 0.5 * (low + high);
    bool fits = epsilon_of_kind(kind, loss, neighbours, kappa, middle) <= epsilon;
    *(fits ? &low : &high) = middle;
  }
  return low;
}

/* Divisions and products are off by a unit in the last place, a thousandth of what is allowed for
 * (`guard`, and `down` of privacy_plan.c). */
double epsilon_of_persons(const dperm_loss *loss, dperm_neighbours neighbours, size_t records,
                          double kappa, double a) {
  double k = (double)records;
  return k * epsilon_of(loss, neighbours, kappa / k, a / k);
}

double epsilon_most_kappa_persons(const dperm_loss *loss, size_t records, double epsilon) {
  double k = (double)records;
  return k * epsilon_most_kappa(loss, epsilon / k);
}

double epsilon_invert_persons(const dperm_loss *loss, dperm_neighbours neighbours, size_t records,
                              double kappa, double epsilon) {
  double k = (double)records;
  return k * epsilon_invert(loss, neighbours, kappa / k, epsilon / k);
}
