/* See label_width.h. A record is in one cell, so it moves the largest of some counts by one at
 * most, however many places a width has. */
#include "refine/label_width.h"

#include <math.h>

#include "base/memory.h"
#include "refine/record_tally.h"

enum { LABEL_CELLS = 1 << (WIDTHS + 1) };

/* Chosen by experiments/regression, on sets that are named there: with half the noise, where
 * records are added or removed, a wider parabola pays. */
static const double h_most = 0.25, h_most_added = 0.4;

static size_t cell_of(double label) {
  const double cell = floor((label + 1) * (LABEL_CELLS / 2.0));
  return cell < LABEL_CELLS ? (size_t)cell : LABEL_CELLS - 1;
}

/* The fullest of the places of this width. */
static uint64_t fullest(const uint64_t *cells, size_t width) {
  const size_t across = (size_t)LABEL_CELLS >> (width + 1);
  uint64_t most = 0;
  for (size_t from = 0; from + across <= LABEL_CELLS; from += across / 2) {
    uint64_t sum = 0;
    for (size_t i = from; i < from + across; i++) {
      sum += cells[i];
    }
    most = sum > most ? sum : most;
  }
  return most;
}

dperm_status label_widths_of(const dperm_data *data, const size_t *drawn, size_t count,
                             uint64_t apart[WIDTHS], size_t *rows, dperm_error *err) {
  OWNED_MEMORY uint64_t *cells = NULL;
  const matrix *x = data->x;
  const size_t *here = drawn, own = drawn ? record_sample_here(x, &here, count) : x->rows;
  dperm_status status = memory_new(LABEL_CELLS, sizeof *cells, &cells, err);
  for (size_t i = 0; status == DPERM_OK && i < own; i++) {
    cells[cell_of(data->labels[drawn ? here[i] - (x->spread ? x->first : 0) : i])]++;
  }
  TRY(ranks_add(x->spread, status, cells, LABEL_CELLS, err));
  *rows = drawn ? count : rows_in_all(x);
  for (size_t i = 0; i < WIDTHS; i++) {
    apart[i] = *rows - fullest(cells, i);
  }
  return DPERM_OK;
}

double label_width_h(size_t width, dperm_neighbours neighbours) {
  return ldexp(neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? h_most_added : h_most, -(int)width);
}
