/* The length of a vector that comes number by number, from above: at least √Σx², rounding included,
 * and 0 only for zeros. No hypot: its last bit is the C library's, and the newest one's symbol
 * would keep a program from older systems. */
#pragma once

#include <math.h>
#include <stddef.h>

typedef struct norm_sum {
  double squares, peak;
  size_t count;
} norm_sum;

static inline void norm_add(norm_sum *s, double x) {
  s->peak = fmax(s->peak, fabs(x));
  s->squares += x * x;
  s->count++;
}

/* n squares and n sums round, the root and the slack itself. Where squares under- or overflow, √n
 * times the largest; a NaN stays in the sum. */
static inline double norm_upper(const norm_sum *s) {
  double slack = 1 + ((double)s->count + 8) * 0x1p-53;
  return s->squares > 0x1p-800 && s->squares < 0x1p1000 ? sqrt(s->squares) * slack
         : isnan(s->squares)                            ? s->squares
                                                        : sqrt((double)s->count) * s->peak * slack;
}
