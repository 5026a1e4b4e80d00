/* See score_cells.h. Cells are found by halving: intervals of length 1 are there in any case, and
 * one is halved while noisy counts show, beyond what noise does by itself, that it has more of
 * either class than its share, or any records at all where it is still wide. So cells are short
 * steps of the ROC curve, and of the log-odds wherever there are records. */
#include "evaluate/score_cells.h"

#include <math.h>
#include <stdbool.h>

enum { CELLS_LEAST = 8, CELLS_MOST = 64 };

size_t step_of_score(double score) {
  double step = ceil(score * STEPS_EACH) - 1 + STEPS_REACH * STEPS_EACH;
  return step > 0 ? step < SCORE_STEPS - 1 ? (size_t)step : SCORE_STEPS - 1 : 0;
}

double step_end(size_t step) {
  return ((double)step + 1) / STEPS_EACH - STEPS_REACH;
}

/* Sums of both classes' counts up to each step. */
typedef struct halving {
  const step_counts *given;
  double shares;  /* how many cells each class is to have, about */
  double longest; /* a cell where there are records */
  double upto[2][SCORE_STEPS + 1];
  double *ends;
  size_t count;
} halving;

/* Whether a cell of steps from, …, to − 1 has too many records. */
static bool too_many(const halving *h, size_t from, size_t to) {
  const size_t steps = to - from;
  const double noise = 2 * h->given->deviation * sqrt((double)steps);
  const bool wide = (double)steps > h->longest * STEPS_EACH;
  bool many = false;
  for (size_t y = 0; y < 2; y++) {
    const double share = wide ? 0 : h->upto[y][SCORE_STEPS] / h->shares;
    many = many || h->upto[y][to] - h->upto[y][from] > fmax(noise, share);
  }
  return many;
}

static void halve(halving *h, size_t from, size_t to) {
  if (to - from > STEPS_EACH || (to - from > 1 && too_many(h, from, to))) {
    size_t middle = (from + to) / 2;
    halve(h, from, middle);
    halve(h, middle, to);
  } else {
    h->ends[h->count++] = step_end(to - 1);
  }
}

size_t cells_choose(const step_counts *given, double *ends) {
  if (!given) {
    for (size_t i = 0; i < SCORE_STEPS; i++) {
      ends[i] = step_end(i);
    }
    return SCORE_STEPS;
  }
  /* More cells tell more of a curve, but add their noise to its area: errors of about 1/B² and
   * √B/(nε). */
  const double cells = pow(fmax(given->precision, 0) / 4, 0.4);
  halving h = {.given = given, .shares = fmin(fmax(cells, CELLS_LEAST), CELLS_MOST), .ends = ends};
  h.longest = STEPS_REACH / h.shares;
  for (size_t y = 0; y < 2; y++) {
    for (size_t i = 0; i < SCORE_STEPS; i++) {
      h.upto[y][i + 1] = h.upto[y][i] + (double)given->counts[y * SCORE_STEPS + i];
    }
  }
  halve(&h, 0, SCORE_STEPS);
  return h.count;
}
