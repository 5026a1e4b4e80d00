/* What losses share around their own arithmetic: slopes and curvatures of many margins, eight at
 * once, and e^x for eight x ≤ 0 with the same bits on every processor.
 *
 * With k = the integer next to x/log 2 and r = x − k·log 2, |r| ≤ 0.3468, e^x = 2^k·e^r. Its error,
 * in units of u = 2^−53, absolute and with e^r in [0.706, 1.415]:
 *
 * - k·H is exact (H = the first 33 bits of log 2, |k| < 2^11), and so is x − k·H: both are
 * multiples of 2^−54 where k ≠ 0 (then |x| > 0.34), and the difference is below ½ and 2^−54 times
 * 53 bits. k·T, T = the next 53 bits, is below 2^−23, so that its rounding and T's do not count; r
 * itself is rounded once more: 0.35u/2. Together less than 0.2u in r, 0.3u in e^r.
 * - Taylor's series to r^13 leaves out less than r^14/14!·1.03 < 5·10^−18 < 0.05u.
 * - e^r = 1 + (r + r²·p), p = ½ + r/6 + …: p is within a relative 2.4u (Horner's rule: each term's
 *   two roundings weigh at most a third of the one before), r² within 1u, so r²·p ≤ 0.068 is
 *   within 4.5u of itself, 0.31u; the sum r + r²p ≤ 0.42 rounds by 0.25u; 1 + … by 1u at most (half
 * a unit of [1, 2); half of that below 1).
 *
 * In all less than 2u absolute, a relative 2.8u, and below −708, where 0 stands for less than
 * 4·10^−308, that: within the 4u that are taken for granted. */
#pragma once

#include "base/dispatch.h"
#include "base/functions.h"
#include "loss/loss.h"

/* Of eight margins z + rest; `rest` NULL for none. Inlined into the loop, so that it is compiled
 * for each width of vector units. */
typedef void eight_slopes(const dperm_loss *loss, const double *z, const double *rest,
                          double *slope, double *curvature);

/* There is work space of our own for the last margins, and for what the caller does not want. */
LANE_INLINE void loss_simd(eight_slopes *slopes_of, const dperm_loss *loss, size_t count,
                           const double *z, const double *rest, double *slope, double *curvature) {
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
    slopes_of(loss, from, low, s, a);
    if (left < LANES && slope) {
      memcpy(slope + i, s, left * sizeof *s);
    }
    if (left < LANES && curvature) {
      memcpy(curvature + i, a, left * sizeof *a);
    }
  }
}

/* The functions that a loss_kind has of its eight slopes, and of its value at a margin. */
#define LOSS_FUNCTIONS(slopes, eval, slopes_of, value_of)                                          \
  FOR_EACH_WIDTH                                                                                   \
  static void slopes(const dperm_loss *loss, size_t count, const double *z, const double *rest,    \
                     double *slope, double *curvature) {                                           \
    loss_simd(slopes_of, loss, count, z, rest, slope, curvature);                                  \
  }                                                                                                \
  static void eval(const dperm_loss *loss, size_t count, const double *z, double *value,           \
                   double *slope, double *curvature) {                                             \
    if (slope || curvature) {                                                                      \
      slopes(loss, count, z, NULL, slope, curvature);                                              \
    }                                                                                              \
    for (size_t i = 0; value && i < count; i++) {                                                  \
      value[i] = value_of(loss, z[i]);                                                             \
    }                                                                                              \
  }

/* e^x for x ≤ 0, in place; a NaN stays one. */
LANE_INLINE void exp_lanes(lanes *at) {
  const double log2_head = 0x1.62e42fefp-1, log2_tail = 0x1.473de6af278edp-34;
  const double inverse_log2 = 0x1.71547652b82fep+0, shift = 0x1.8p52;
  lanes x = *at, zero = {0};
  lane_bits tiny = x < -708.0;
  x = LANES_CHOOSE(tiny, zero - 708.0, x);
  lanes shifted = x * inverse_log2 + shift, k = shifted - shift;
  lanes r = (x - k * log2_head) - k * log2_tail;
  lanes p = r * inverse_factorials[11] + inverse_factorials[10];
  for (int i = 9; i >= 0; i--) {
    p = p * r + inverse_factorials[i];
  }
  lanes e = 1.0 + (r + (r * r) * p);
  lane_bits power = ((lane_bits)shifted + 1023) << 52; /* 2^k: the low bits of `shifted` are k */
  e *= (lanes)power;
  *at = LANES_CHOOSE(tiny, zero, e);
}
