/* Slopes and curvatures of many margins, eight at once: what the losses of this folder share around
 * their own arithmetic. */
#ifndef DPERM_LOSS_LOSS_SIMD_H
#define DPERM_LOSS_LOSS_SIMD_H

#include <stddef.h>

#include "base/dispatch.h"

/* Of eight margins; `h` is the loss's parameter. Inlined into the loop, so that it is compiled for
 * each width of vector units. */
typedef void eight_slopes(double h, const double *margins, double *slope, double *curvature);

/* Either result may be NULL. There is work space of our own for the margins at the end, and for
 * what the caller does not want. */
LANE_INLINE void loss_simd(eight_slopes *slopes_of, double h, size_t count, const double *z,
                           double *slope, double *curvature) {
  double spare[3 * LANES] = {0};
  for (size_t i = 0; i < count; i += LANES) {
    size_t left = count - i < LANES ? count - i : LANES;
    const double *from = z + i;
    if (left < LANES) {
      memcpy(spare, z + i, left * sizeof *z);
      from = spare;
    }
    double *s = slope && left == LANES ? slope + i : spare + LANES;
    double *a = curvature && left == LANES ? curvature + i : spare + (size_t)2 * LANES;
    slopes_of(h, from, s, a);
    if (left < LANES && slope) {
      memcpy(slope + i, s, left * sizeof *s);
    }
    if (left < LANES && curvature) {
      memcpy(curvature + i, a, left * sizeof *a);
    }
  }
}

#endif
