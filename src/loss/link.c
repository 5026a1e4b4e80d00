/* Binary margins. Multiplication by ±1 is exact, so nothing here rounds. */
#include "loss/link.h"

enum { BLOCK = 512 }; /* margins at a time, on the stack */

static inline void each_times_label(size_t rows, size_t lanes, const double *labels,
                                    const double *from, double *to) {
  for (size_t i = 0; i < rows; i++) {
    for (size_t l = 0; l < lanes; l++) {
      to[i * lanes + l] = labels[i] * from[i * lanes + l];
    }
  }
}

/* One model has a loop of its own, which the compiler turns into vectors over rows. */
static void times_label(size_t rows, size_t lanes, const double *labels, const double *from,
                        double *to) {
  if (lanes == 1) {
    each_times_label(rows, 1, labels, from, to);
  } else {
    each_times_label(rows, lanes, labels, from, to);
  }
}

static double *after(double *results, size_t count) {
  return results ? results + count : NULL;
}

/* A block is whole rows, or a part of one row where there are more lanes than that. */
void link_eval(const dperm_loss *loss, size_t rows, size_t lanes, const double *labels,
               const double *scores, double *value, double *slope, double *curvature) {
  double margin[BLOCK];
  size_t wide = lanes < BLOCK ? lanes : BLOCK, tall = BLOCK / wide;
  for (size_t i = 0; i < rows; i += tall) {
    size_t count = rows - i < tall ? rows - i : tall;
    for (size_t l = 0; l < lanes; l += wide) {
      size_t across = lanes - l < wide ? lanes - l : wide, at = i * lanes + l;
      times_label(count, across, labels + i, scores + at, margin);
      loss->eval(loss, count * across, margin, after(value, at), after(slope, at),
                 after(curvature, at));
      if (slope) {
        times_label(count, across, labels + i, slope + at, slope + at);
      }
    }
  }
}

void link_slope_dd(const dperm_loss *loss, size_t rows, const double *labels, const double *scores,
                   const double *scores_rest, double *slope) {
  double margin[BLOCK], rest[BLOCK];
  for (size_t i = 0; i < rows; i += BLOCK) {
    size_t count = rows - i < BLOCK ? rows - i : BLOCK;
    times_label(count, 1, labels + i, scores + i, margin);
    times_label(count, 1, labels + i, scores_rest + i, rest);
    loss_slope_dd(loss, count, margin, rest, slope + i);
    times_label(count, 1, labels + i, slope + i, slope + i);
  }
}
