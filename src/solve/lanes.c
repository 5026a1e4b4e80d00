/* Room for passes, and what certificates need to know of them. */
#include "solve/lanes.h"

#include <stdlib.h>

#include "base/memory.h"

static bool by_entries(const matrix *x) {
  return x->kind->entries != NULL;
}

bool lanes_possible(const matrix *x) {
  return x->kind->entries || x->kind->block;
}

dperm_status lanes_open(const problem *p, bool hessians, lanes *out, dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t cols = p->x->cols, wide = cols * LANES, pairs = cols * (cols + 1) / 2;
  bool entries = by_entries(p->x);
  lanes l = {.p = p, .chunk = entries ? LANES_CHUNK : MATRIX_BLOCK};
  TRY_OR_DONE(memory_new(wide, sizeof *l.f, &l.f, err));
  TRY_OR_DONE(memory_new(wide, sizeof *l.gradient, &l.gradient, err));
  TRY_OR_DONE(memory_new(2 * wide, sizeof *l.sums, &l.sums, err));
  TRY_OR_DONE(memory_new(3 * l.chunk * LANES, sizeof *l.margin, &l.margin, err));
  l.slope = l.margin + l.chunk * LANES;
  l.curvature = l.slope + l.chunk * LANES;
  if (!entries) {
    TRY_OR_DONE(memory_new(p->x->room, sizeof *l.room, &l.room, err));
  }
  if (hessians && entries) {
    TRY_OR_DONE(memory_new(pairs * LANES, sizeof *l.hessian, &l.hessian, err));
    TRY_OR_DONE(memory_new(cols, sizeof *l.places, &l.places, err));
    for (size_t j = 1; j < cols; j++) { /* pair (i, j), i ≤ j, stands at places[i] + j */
      l.places[j] = l.places[j - 1] + cols - j;
    }
  } else if (hessians) {
    TRY_OR_DONE(memory_new(cols * wide, sizeof *l.hessian, &l.hessian, err));
    TRY_OR_DONE(memory_new(l.chunk * cols, sizeof *l.scaled, &l.scaled, err));
  }
  *out = l;
  return DPERM_OK;
done:
  lanes_close(&l);
  return status;
}

void lanes_close(lanes *l) {
  free(l->f);
  free(l->gradient);
  free(l->sums);
  free(l->hessian);
  free(l->places);
  free(l->margin);
  free(l->room);
  free(l->scaled);
  *l = (lanes){0};
}

void lanes_pass(lanes *l, bool hessian) {
  if (by_entries(l->p->x)) {
    lanes_pass_entries(l, hessian);
  } else {
    lanes_pass_blocks(l, hessian);
  }
}

void lanes_hessian(const lanes *l, size_t m, double *square) {
  size_t cols = l->p->x->cols;
  for (size_t i = 0; i < cols; i++) {
    for (size_t j = i; j < cols; j++) {
      square[i * cols + j] = (double)(by_entries(l->p->x)
                                          ? l->hessian[(l->places[i] + j) * LANES + m]
                                          : l->hessian[(m * cols + i) * cols + j]);
    }
  }
}

/* Folding a block costs cols additions: at most an eighth of the block's own. */
size_t lanes_block_rows(const matrix *x) {
  size_t rows = 8 * x->cols / (x->row_entries + 1);
  return (rows / LANES_CHUNK + 1) * LANES_CHUNK;
}

size_t lanes_row_depth(const matrix *x) {
  return by_entries(x) ? x->row_entries : x->cols;
}

size_t lanes_sum_depth(const matrix *x) {
  size_t rows = by_entries(x) ? lanes_block_rows(x) : MATRIX_BLOCK;
  size_t blocks = x->rows / rows + 1;
  return by_entries(x) ? rows + LANES_PILE + blocks / LANES_PILE + 3 : rows + blocks + 3;
}

/* A pass costs about two operations an entry and a dozen for the loss, a Hessian one a pair (of
 * floats, half as wide), its factor d³/3, both spread over the rows. */
double lanes_hessian_cost(const matrix *x) {
  double entries = (double)x->row_entries, d = (double)x->cols;
  double pass = 2 * entries + 12;
  return (entries * (entries + 1) / 4 + d * d * d / 12 / (double)x->rows) / pass;
}
