/* See temperature.h; lemmas are those of docs/proofs/calibration.md. */
#include "mechanism/temperature.h"

#include <math.h>

#include "base/defect.h"
#include "loss/link.h"
#include "mechanism/selection.h"

double temperature_at(size_t j) {
  static const double roots[4] = {1, 0x1.306fe0a31b715p+0, 0x1.6a09e667f3bcdp+0,
                                  0x1.ae89f995ad3adp+0};
  return ldexp(roots[j % 4], (int)(j / 4) + TEMPERATURE_FIRST / 4);
}

/* ---- what the records say */

size_t temperature_room(size_t classes) {
  return (size_t)TEMPERATURE_ROWS * (3 * classes + 1);
}

/* Scores below the largest, so that nothing overflows on the way; of two classes (0, s). */
static void below_largest(size_t classes, const double *scores, double *below) {
  double top = classes > 2 ? scores[0] : fmax(scores[0], 0);
  for (size_t c = 1; classes > 2 && c < classes; c++) {
    top = fmax(top, scores[c]);
  }
  for (size_t c = 0; c < classes; c++) {
    below[c] = (classes > 2 ? scores[c] : c == 1 ? scores[0] : 0) - top;
  }
}

/* (z_y − Σ p z)/(max z − min z), from −1 to 1; 0 where all are equal or one is no double. */
static double excess(size_t classes, size_t label, const double *below, const double *p) {
  double mean = 0, least = 0;
  for (size_t c = 0; c < classes; c++) {
    mean += p[c] * below[c];
    least = fmin(least, below[c]);
  }
  double value = (below[label] - mean) / -least;
  return isfinite(value) ? value : 0;
}

/* Held within ±1 whatever the rounding before it did: the noise is made for that (Lemma T1). */
static int64_t rounded(double value) {
  return (int64_t)rint(TEMPERATURE_UNIT * fmin(fmax(value, -1), 1));
}

void temperature_add(size_t classes, size_t rows, const double *scores, const double *labels,
                     const double *row_weights, double *room, int64_t sums[TEMPERATURES]) {
  size_t all = rows * classes, wide = classes > 2 ? classes : 1;
  double *below = room, *scaled = below + all, *p = scaled + all, *own = p + all;
  for (size_t i = 0; i < rows; i++) {
    below_largest(classes, scores + i * wide, below + i * classes);
    own[i] = classes > 2 ? labels[i] : labels[i] > 0;
  }
  for (size_t j = 0; j < TEMPERATURES; j++) {
    double b = temperature_at(j);
    for (size_t i = 0; i < all; i++) {
      scaled[i] = b * below[i];
    }
    softmax_rows(classes, rows, own, scaled, NULL, NULL, NULL, p);
    for (size_t i = 0; i < rows; i++) {
      double value = excess(classes, (size_t)own[i], below + i * classes, p + i * classes);
      sums[j] += rounded(row_weights ? row_weights[i] * value : value);
    }
  }
}

/* ---- the choice */

/* A record that is replaced takes its own number from a sum and adds another's (Lemma T1). */
static uint64_t sensitivity_for(dperm_neighbours neighbours) {
  bool one = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE || DEFECT("temperature-half");
  return (one ? 1 : 2) * (uint64_t)TEMPERATURE_UNIT;
}

uint64_t temperature_handicap(size_t j, dperm_neighbours neighbours, double epsilon) {
  size_t one = -TEMPERATURE_FIRST, steps = j > one ? j - one : one - j;
  return steps * (uint64_t)ceil((double)sensitivity_for(neighbours) / epsilon);
}

size_t temperature_choose(random_source *source, const int64_t sums[TEMPERATURES],
                          dperm_neighbours neighbours, double epsilon) {
  uint64_t costs[TEMPERATURES];
  size_t order[TEMPERATURES];
  for (size_t j = 0; j < TEMPERATURES; j++) {
    costs[j] = (uint64_t)(sums[j] < 0 ? -sums[j] : sums[j]);
    costs[j] += temperature_handicap(j, neighbours, epsilon);
  }
  return select_permute_and_flip(source, costs, TEMPERATURES, ratio_below(epsilon),
                                 sensitivity_for(neighbours), order);
}
