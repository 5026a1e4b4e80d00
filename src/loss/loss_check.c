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

static dperm_status check_point(const dperm_loss *loss, const points *p, size_t i,
                                dperm_error *err) {
  double z = p->z[i], l = p->value[i], s = p->slope[i], a = p->curvature[i];
  if (!isfinite(l) || !isfinite(s) || !isfinite(a)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "loss %s is not finite at z = %g", loss->name, z);
  }
  if (fabs(s) > loss->lipschitz * (1 + slack)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "loss %s has slope %.17g at z = %g, beyond its L = %g",
         loss->name, s, z, loss->lipschitz);
  }
  if (a > loss->smoothness * (1 + slack)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "loss %s has curvature %.17g at z = %g, beyond its c = %g",
         loss->name, a, z, loss->smoothness);
  }
  if (a < 0) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "loss %s has negative curvature at z = %g: it is not convex",
         loss->name, z);
  }
  return DPERM_OK;
}

/* Between neighbours of a convex smooth function, the difference quotient of ℓ lies between the
 * two slopes, and that of ℓ′ in [0, c]. */
static dperm_status check_pair(const dperm_loss *loss, const points *p, size_t i,
                               dperm_error *err) {
  double z = p->z[i], gap = p->z[i + 1] - z;
  if (gap < 1e-7) {
    return DPERM_OK;
  }
  double scale = fabs(p->value[i]) + fabs(p->value[i + 1]) + fabs(z) + 1.0;
  double noise = rounding * scale / gap + slack;
  double rise = (p->value[i + 1] - p->value[i]) / gap;
  if (rise < p->slope[i] - noise || rise > p->slope[i + 1] + noise) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "loss %s near z = %g: its slope is not the derivative of a convex value", loss->name, z);
  }
  double slope_noise = rounding * (loss->lipschitz + loss->smoothness * fabs(z)) / gap + slack;
  double bend = (p->slope[i + 1] - p->slope[i]) / gap;
  if (bend < -slope_noise) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "loss %s near z = %g: its slope falls, so it is not convex",
         loss->name, z);
  }
  if (bend > loss->smoothness * (1 + slack) + slope_noise) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "loss %s near z = %g: its slope rises at rate %g, beyond its c = %g (a kink, or c is "
         "wrong)",
         loss->name, z, bend, loss->smoothness);
  }
  return DPERM_OK;
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
    TRY(check_point(loss, &p, i, err));
    if (i + 1 < p.count) {
      TRY(check_pair(loss, &p, i, err));
    }
  }
  return DPERM_OK;
}
