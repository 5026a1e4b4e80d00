/* dperm_loss_check: an attempt to refute a loss's declared constants. It looks at the values, not
 * at the formulas: difference quotients of ℓ and of ℓ′ over a net of points that is fine around
 * zero and one, where hinges bend, and reaches far out. A kink shows as a difference quotient of
 * the slope above c at the smallest spacing; a wrong L or c as a slope or curvature above it. */
#include <math.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/vector.h"
#include "loss/loss.h"

/* Slack for rounding in the loss's own arithmetic: of its answers, and of a dozen operations. */
static const double slack = 1e-9, rounding = 4e-15;

typedef struct points {
  size_t count;
  double *z, *value, *slope, *curvature;
} points;

/* Symmetric geometric nets around −1, 0, 1 and an even grid on [−50, 50]. */
static void place_points(points *p) {
  static const double centres[] = {-1.0, 0.0, 1.0};
  size_t n = 0;
  for (size_t c = 0; c < 3; c++) {
    for (double step = 1e-4; step < 1e6; step *= 1.1) {
      p->z[n++] = centres[c] - step;
      p->z[n++] = centres[c] + step;
    }
  }
  for (int i = -20000; i <= 20000; i++) {
    p->z[n++] = i / 400.0;
  }
  vector_sort(p->z, n);
  p->count = n;
}

/* What is wrong at a point, or NULL. */
static const char *wrong_at(const dperm_loss *loss, const points *p, size_t i) {
  double l = p->value[i], s = p->slope[i], a = p->curvature[i];
  return !isfinite(l) || !isfinite(s) || !isfinite(a) ? "it is not finite"
         : fabs(s) > loss->lipschitz * (1 + slack)    ? "its slope is beyond its L"
         : a > loss->smoothness * (1 + slack)         ? "its curvature is beyond its c"
         : a < 0 ? "its curvature is negative, so it is not convex"
                 : NULL;
}

/* Or between it and the next: there the difference quotient of a convex smooth ℓ lies between the
 * two slopes, and that of ℓ′ in [0, c]. */
static const char *wrong_behind(const dperm_loss *loss, const points *p, size_t i) {
  double z = p->z[i], gap = p->z[i + 1] - z;
  if (gap < 1e-7) {
    return NULL;
  }
  double scale = fabs(p->value[i]) + fabs(p->value[i + 1]) + fabs(z) + 1.0;
  double noise = rounding * scale / gap + slack;
  double rise = (p->value[i + 1] - p->value[i]) / gap;
  double slope_noise = rounding * (loss->lipschitz + loss->smoothness * fabs(z)) / gap + slack;
  double bend = (p->slope[i + 1] - p->slope[i]) / gap;
  return rise < p->slope[i] - noise || rise > p->slope[i + 1] + noise
             ? "its slope is not the derivative of a convex value"
         : bend < -slope_noise ? "its slope falls, so it is not convex"
         : bend > loss->smoothness * (1 + slack) + slope_noise
             ? "its slope rises at a rate beyond its c (a kink, or c is wrong)"
             : NULL;
}

dperm_status dperm_loss_check(const dperm_loss *loss, dperm_error *err) {
  OWNED_MEMORY double *work = NULL;
  const size_t capacity = 48000;
  TRY(loss_validate(loss, err));
  TRY(memory_new(4 * capacity, sizeof *work, &work, err));
  points p = {0, work, work + capacity, work + 2 * capacity, work + 3 * capacity};
  place_points(&p);
  loss->eval(loss, p.count, p.z, p.value, p.slope, p.curvature);
  for (size_t i = 0; i < p.count; i++) {
    const char *wrong = wrong_at(loss, &p, i);
    wrong = wrong || i + 1 == p.count ? wrong : wrong_behind(loss, &p, i);
    FAIL_IF(wrong, err, DPERM_INVALID_ARGUMENT,
            "loss %s near z = %g: %s (slope %.17g, curvature %.17g; L = %g, c = %g)", loss->name,
            p.z[i], wrong, p.slope[i], p.curvature[i], loss->lipschitz, loss->smoothness);
  }
  return DPERM_OK;
}
