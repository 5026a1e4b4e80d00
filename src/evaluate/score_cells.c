/* See score_cells.h. Cells are found by halving, which begins with units of length 1 whose counts
 * stand out of their noise. How the records of an interval divide between its halves is taken from
 * the counts of steps as far as their noise allows, else as equal. An interval is halved while it
 * has more of either class than its share, or a part of that where it is still wide: cells are
 * short steps of the ROC curve, and of the log-odds wherever there are records. */
#include "evaluate/score_cells.h"

#include <math.h>
#include <stdbool.h>

#include "base/functions.h"

enum { CELLS_LEAST = 12, CELLS_MOST = 64, OF_A_SHARE = 8 };

size_t step_of_score(double score) {
  double step = ceil(score * STEPS_EACH) - 1 + STEPS_REACH * STEPS_EACH;
  return step > 0 ? step < SCORE_STEPS - 1 ? (size_t)step : SCORE_STEPS - 1 : 0;
}

double step_end(size_t step) {
  return ((double)step + 1) / STEPS_EACH - STEPS_REACH;
}

typedef struct halving {
  const step_counts *given;
  double share[2];                 /* of each class, that a cell is to have */
  double longest;                  /* a cell that has any records */
  double upto[2][SCORE_STEPS + 1]; /* sums of the counts of steps */
  double *ends;
  size_t count;
} halving;

static bool too_many(const halving *h, const double records[2], size_t steps) {
  const double part = (double)steps > h->longest * STEPS_EACH ? 1.0 / OF_A_SHARE : 1;
  return steps > 1 && (records[0] > part * h->share[0] || records[1] > part * h->share[1]);
}

/* Steps from, …, to − 1, which seem to have so many records of each class. */
static void halve(halving *h, size_t from, size_t to, const double records[2]) {
  const size_t middle = (from + to) / 2;
  double left[2], right[2];
  if (!too_many(h, records, to - from)) {
    h->ends[h->count++] = step_end(to - 1);
    return;
  }
  for (size_t y = 0; y < 2; y++) {
    /* how many more there are on the left: the mean, where so many could be either way */
    const double apart = 2 * h->upto[y][middle] - h->upto[y][from] - h->upto[y][to];
    const double noise = h->given->deviation * h->given->deviation * (double)(to - from);
    const double square = records[y] * records[y];
    const double more = square > 0 ? apart * square / (square + noise) : 0;
    left[y] = fmin(fmax((records[y] + more) / 2, 0), records[y]);
    right[y] = records[y] - left[y];
  }
  halve(h, from, middle, left);
  halve(h, middle, to, right);
}

static void halve_units(halving *h) {
  for (size_t u = 0; u < SCORE_UNITS; u++) {
    double records[2];
    for (size_t y = 0; y < 2; y++) {
      const double count = (double)h->given->units[y * SCORE_UNITS + u];
      records[y] = count > 2 * h->given->unit_deviation ? count : 0;
    }
    halve(h, u * STEPS_EACH, (u + 1) * STEPS_EACH, records);
  }
}

size_t cells_choose(const step_counts *given, double *ends) {
  /* More cells tell more of a curve, but add their noise to its area: errors of about 1/B² and
   * √B/(nε). */
  const double cells =
      fmin(fmax(math_pow(fmax(given->precision, 0) / 4, 0.4), CELLS_LEAST), CELLS_MOST);
  halving h = {.given = given, .longest = STEPS_REACH / cells, .ends = ends};
  for (size_t y = 0; y < 2; y++) {
    double all = 0;
    for (size_t u = 0; u < SCORE_UNITS; u++) {
      all += (double)given->units[y * SCORE_UNITS + u];
    }
    h.share[y] = fmax(all, given->unit_deviation) / cells;
    for (size_t i = 0; i < SCORE_STEPS; i++) {
      h.upto[y][i + 1] = h.upto[y][i] + (double)given->steps[y * SCORE_STEPS + i];
    }
  }
  halve_units(&h);
  return h.count;
}
