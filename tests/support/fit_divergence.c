/* See fit_divergence.h. The minimizer f and the noise are one to one, b = −(y·x·ℓ′ + λf), so its
 * density is that of b times λ + x²·ℓ″. */
#include "fit_divergence.h"

#include <math.h>

typedef struct slopes {
  double value, curvature; /* −ℓ′ and ℓ″ */
} slopes;

static slopes slopes_at(const fit_pair *p, double z) {
  double s = p->huber ? fmin(1, fmax(0, 0.5 + (1 - z))) : 1 / (1 + exp(z));
  return (slopes){s, p->huber ? (s > 0 && s < 1 ? 1 : 0) : s * (1 - s)};
}

/* Of label y = ±1, or of no record (0). */
static double log_density(const fit_pair *p, double f, int y) {
  slopes s = slopes_at(p, y * p->norm * f);
  double b = y * p->norm * s.value - p->lambda * f;
  double turned = p->lambda + (y ? p->norm * p->norm * s.curvature : 0);
  return -b * b / (2 * p->sigma * p->sigma) + log(turned / p->sigma) - 0.91893853320467274178;
}

/* By the midpoint rule between the kinks of Huber's loss. */
double fit_divergence(const fit_pair *p, double order) {
  enum { STEPS = 8000 };
  double reach = (14 * p->sigma + (3 * order + 3) * p->norm) / p->lambda, sum = 0;
  double parts[] = {-reach, -1.5 / p->norm, -0.5 / p->norm, 0.5 / p->norm, 1.5 / p->norm, reach};
  int other = p->against_nothing ? 0 : -1, first = p->reversed ? other : 1;
  int second = p->reversed ? 1 : other;
  for (int i = 0; i < 5; i++) {
    double low = fmax(parts[i], -reach), high = fmin(parts[i + 1], reach);
    double step = (high - low) / STEPS;
    for (int j = 0; j < STEPS && step > 0; j++) {
      double f = low + (j + 0.5) * step;
      sum += step * exp(order * log_density(p, f, first) + (1 - order) * log_density(p, f, second));
    }
  }
  return log(sum) / (order - 1);
}
