/* See evaluation_figures.h. A figure is a ratio of weighted sums of counts (figures.h): here are
 * the weights. */
#include "evaluate/evaluation_figures.h"

#include <math.h>

#include "base/functions.h"
#include "base/memory.h"
#include "base/owned.h"
#include "evaluate/score_cells.h"

enum { BINS = 10 };

bool cell_is_wrong(const model_evaluation *e, size_t class, size_t cell) {
  return e->edges                             ? (cell >= e->zero) != (class == 1)
         : e->table.cells == e->table.classes ? cell != class
                                              : cell == 1;
}

double cell_middle(const model_evaluation *e, size_t cell, double *length) {
  const double low = cell > 0 ? e->edges[cell - 1] : -STEPS_REACH,
               high = cell + 1 < e->table.cells ? e->edges[cell] : STEPS_REACH;
  *length = high - low;
  return (low + high) / 2;
}

static bool in_range(const cell_range *r, size_t class, size_t cell) {
  return (r->class == ANY_CLASS || r->class == class) && cell >= r->from && cell < r->to;
}

figure share_figure(const count_table *t, cell_range over, cell_range under, double *work) {
  const size_t size = t->classes * t->cells;
  for (size_t i = 0; i < size; i++) {
    work[i] = in_range(&over, i / t->cells, i % t->cells);
    work[size + i] = in_range(&under, i / t->cells, i % t->cells);
  }
  return ratio_figure(&(count_ratio){t, work, work + size, true, 0, 1});
}

double records_in(const count_table *t, size_t from, size_t to) {
  double sum = 0;
  for (size_t c = from; c < to; c++) {
    sum += (double)(t->counts[c] + t->counts[t->cells + c]);
  }
  return sum;
}

size_t calibration_end(const model_evaluation *e, size_t from) {
  const count_table *t = &e->table;
  const double all = records_in(t, 0, t->cells);
  for (size_t to = from + 1; to < t->cells; to++) {
    const double least = fmax(all / BINS, 4 * sqrt(2 * t->variance * (double)(to - from)));
    /* and never so that too few are left for another */
    if (records_in(t, from, to) >= least && all - records_in(t, 0, to) >= least) {
      return to;
    }
  }
  return t->cells;
}

/* −log P(class) in a cell: at its middle, less what a smooth density's curvature adds to that
 * (Sheppard's correction, ℓ″·length²/24). */
static double cell_loss(const model_evaluation *e, size_t class, size_t cell) {
  double length = 0;
  const double middle = cell_middle(e, cell, &length), margin = class == 1 ? middle : -middle;
  const double miss = 1 / (1 + math_exp(margin));
  const double loss =
      margin > 0 ? math_log1p(math_exp(-margin)) : math_log1p(math_exp(margin)) - margin;
  return loss - miss * (1 - miss) * length * length / 24;
}

static size_t most_frequent(const count_table *t) {
  double most = -INFINITY;
  size_t best = 0;
  for (size_t y = 0; y < t->classes; y++) {
    double count = 0;
    for (size_t c = 0; c < t->cells; c++) {
      count += (double)t->counts[y * t->cells + c];
    }
    best = count > most ? y : best;
    most = fmax(most, count);
  }
  return best;
}

static const figure no_figure = {(double)NAN, (double)NAN, (double)NAN};

dperm_status evaluation_figures(model_evaluation *e, dperm_error *err) {
  const count_table *t = &e->table;
  const size_t size = t->classes * t->cells;
  OWNED_MEMORY double *work = NULL;
  TRY(memory_new(4 * size, sizeof *work, &work, err));
  double *wrong = work, *other = work + size, *apart = work + 2 * size, *loss = work + 3 * size;
  e->baseline_class = most_frequent(t);
  for (size_t class = 0, i = 0; class < t->classes; class ++) {
    for (size_t cell = 0; cell < t->cells; cell++, i++) {
      wrong[i] = cell_is_wrong(e, class, cell);
      other[i] = class != e->baseline_class;
      apart[i] = wrong[i] - other[i];
      loss[i] = e->log_odds ? cell_loss(e, class, cell) : 0;
    }
  }
  e->error = ratio_figure(&(count_ratio){t, wrong, NULL, true, 0, 1});
  e->baseline = ratio_figure(&(count_ratio){t, other, NULL, true, 0, 1});
  e->difference = ratio_figure(&(count_ratio){t, apart, NULL, false, -1, 1});
  e->log_loss = e->log_odds ? ratio_figure(&(count_ratio){t, loss, NULL, false, 0, STEPS_REACH + 1})
                            : no_figure;
  e->auc = e->edges ? auc_figure(t) : no_figure;
  e->precision = e->recall = no_figure;
  if (e->edges) {
    const cell_range hits = {1, e->zero, t->cells};
    e->precision = share_figure(t, hits, (cell_range){ANY_CLASS, e->zero, t->cells}, work);
    e->recall = share_figure(t, hits, (cell_range){1, 0, t->cells}, work);
  }
  return DPERM_OK;
}
