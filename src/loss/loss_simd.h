/* Slopes and curvatures of many margins, eight at once: what the losses of this folder share around
 * their own arithmetic. */
#pragma once

#include "base/dispatch.h"
#include "loss/loss.h"

/* Of eight margins z + rest; `rest` NULL for none, `h` is the loss's parameter. Inlined into the
 * loop, so that it is compiled for each width of vector units. */
typedef void eight_slopes(double h, const double *z, const double *rest, double *slope,
                          double *curvature);

/* There is work space of our own for the margins at the end, and for what the caller does not want.
 */
LANE_INLINE void loss_simd(eight_slopes *slopes_of, double h, size_t count, const double *z,
                           const double *rest, double *slope, double *curvature) {
  double spare[4][LANES] = {{0}};
  for (size_t i = 0; i < count; i += LANES) {
    size_t left = count - i < LANES ? count - i : LANES;
    const double *from = z + i, *low = rest ? rest + i : NULL;
    double *s = slope && left == LANES ? slope + i : spare[0];
    double *a = curvature && left == LANES ? curvature + i : spare[1];
    if (left < LANES) {
      from = memcpy(spare[2], from, left * sizeof *z);
      low = low ? memcpy(spare[3], low, left * sizeof *z) : NULL;
    }
    slopes_of(h, from, low, s, a);
    if (left < LANES && slope) {
      memcpy(slope + i, s, left * sizeof *s);
    }
    if (left < LANES && curvature) {
      memcpy(curvature + i, a, left * sizeof *a);
    }
  }
}
