/* See fit_divergence.h. The minimizer f and the noise are one to one, b = −(y·x·ℓ′ + λf), so its
 * density is that of b times λ + x²·ℓ″. */
#include "fit_divergence.h"

#include <math.h>

typedef struct slopes {
  double value, curvature; /* −ℓ′ and ℓ″ */
} slopes;

double fit_smoothness(fit_loss loss) {
  return loss == FIT_LOGISTIC ? 0.25 : loss == FIT_HUBER ? 1 : loss == FIT_SMOOTH_HINGE ? 1.5 : 2;
}

/* At a margin, or at y times a residual: their losses are even. */
static slopes slopes_at(const fit_pair *p, double z) {
  double u = fmin(1, fmax(-1, 2 * (1 - z))), s = 1 / (1 + exp(z)); /* u = (1 − z)/h */
  double t = tanh(2 * (1 - z));
  switch (p->loss) {
  case FIT_HUBER:
    return (slopes){(1 + u) / 2, fabs(u) < 1 ? 1 : 0};
  case FIT_SMOOTH_HINGE:
    return (slopes){(2 + 3 * u - u * u * u) / 4, 1.5 * (1 - u * u)};
  case FIT_LOG_COSH:
    return (slopes){t, 2 * (1 - t * t)};
  case FIT_HUBER_REGRESSION:
    return (slopes){u, fabs(u) < 1 ? 2 : 0};
  default:
    return (slopes){s, s * (1 - s)};
  }
}

/* The curvature of all but the record, and the slope up to f. */
static slopes others_at(const fit_pair *p, double f) {
  double low = 0.5 / p->norm, high = 1.5 / p->norm;
  double beyond = f > high ? f - high : f < low ? f - low : 0;
  return (slopes){p->lambda * (f - p->prior) + p->wall * beyond,
                  p->lambda + (beyond != 0 ? p->wall : 0)};
}

/* Of label y = ±1, or of no record (0). */
static double log_density(const fit_pair *p, double f, int y) {
  slopes s = slopes_at(p, y * p->norm * f), others = others_at(p, f);
  double b = y * p->norm * s.value - others.value;
  double turned = others.curvature + (y ? p->norm * p->norm * s.curvature : 0);
  return -b * b / (2 * p->sigma * p->sigma) + log(turned / p->sigma) - 0.91893853320467274178;
}

/* By the midpoint rule between the kinks of hinges. */
typedef double integrand(const fit_pair *p, double order, double f);

static double integrate(const fit_pair *p, double order, integrand *value) {
  enum { STEPS = 8000 };
  double reach = (14 * p->sigma + (3 * order + 3) * p->norm) / p->lambda, sum = 0;
  double far = (14 * p->sigma + (3 * order + 3) * p->norm) / (p->lambda + p->wall) + 2 / p->norm;
  reach = p->wall > 0 ? fmin(reach + fabs(p->prior), far) : reach + fabs(p->prior);
  double parts[] = {-reach, -1.5 / p->norm, -0.5 / p->norm, 0.5 / p->norm, 1.5 / p->norm, reach};
  for (int i = 0; i < 5; i++) {
    double low = fmax(parts[i], -reach), high = fmin(parts[i + 1], reach);
    double step = (high - low) / STEPS;
    for (int j = 0; j < STEPS && step > 0; j++) {
      sum += step * value(p, order, low + (j + 0.5) * step);
    }
  }
  return sum;
}

static double power_ratio(const fit_pair *p, double order, double f) {
  int other = p->against_nothing ? 0 : -1, first = p->reversed ? other : 1;
  int second = p->reversed ? 1 : other;
  return exp(order * log_density(p, f, first) + (1 - order) * log_density(p, f, second));
}

double fit_divergence(const fit_pair *p, double order) {
  return log(integrate(p, order, power_ratio)) / (order - 1);
}

static double slack_there(const fit_pair *p, double order, double f) {
  (void)order;
  double curved = p->norm * p->norm * slopes_at(p, p->norm * f).curvature;
  return exp(log_density(p, f, 1)) * log1p(curved / others_at(p, f).curvature);
}

static double density(const fit_pair *p, double order, double f) {
  (void)order;
  return exp(log_density(p, f, 1));
}

double fit_mean_slack(const fit_pair *p, double *mass) {
  *mass = integrate(p, 2, density);
  return integrate(p, 2, slack_there);
}
