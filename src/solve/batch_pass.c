/* Space for passes, and what certificates need to know of them. */
#include "solve/batch_pass.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "matrix/matrix_dense.h"

static bool by_entries(const matrix *x) {
  return x->kind->views != NULL;
}

/* `count` numbers from a multiple of 64 bytes on; *raw is what to free. */
static dperm_status new_aligned(size_t count, size_t size, void *raw, void *out, dperm_error *err) {
  char *bytes = NULL;
  TRY(memory_new(count + 64 / size, size, &bytes, err));
  char *start = bytes + (64 - (uintptr_t)bytes % 64) % 64;
  memcpy(raw, &bytes, sizeof bytes);
  memcpy(out, &start, sizeof start);
  return DPERM_OK;
}

dperm_status batch_pass_open(const problem *p, bool hessians, batch_pass *l, dperm_error *err) {
  size_t cols = p->x->cols, wide = cols * BATCH_WIDTH, pairs = cols * (cols + 1) / 2;
  bool entries = by_entries(p->x);
  *l = (batch_pass){.p = p, .chunk = entries ? BATCH_CHUNK : MATRIX_BLOCK};
  size_t tall = l->chunk * BATCH_WIDTH;
  TRY(new_aligned(4 * wide + 3 * tall, sizeof *l->f, &l->doubles, &l->f, err));
  l->gradient = l->f + wide;
  l->sums = l->f + 2 * wide;
  l->score = l->f + 4 * wide;
  l->slope = l->score + tall;
  l->curvature = l->slope + tall;
  TRY(memory_new(p->x->work_size, sizeof *l->work, &l->work, err));
  if (!hessians) {
    return DPERM_OK;
  }
  TRY(new_aligned(entries ? pairs * BATCH_WIDTH : cols * wide, sizeof *l->hessian, &l->floats,
                  &l->hessian, err));
  if (!entries) {
    size_t spare = l->chunk * DENSE_TILE;
    return memory_new(cols * cols + spare, sizeof *l->square, &l->square, err);
  }
  TRY(memory_new(cols, sizeof *l->places, &l->places, err));
  for (size_t j = 1; j < cols; j++) { /* pair (i, j), i ≤ j, stands at places[i] + j */
    l->places[j] = l->places[j - 1] + cols - j;
  }
  return DPERM_OK;
}

void batch_pass_close(batch_pass *l) {
  free(l->doubles);
  free(l->floats);
  free(l->places);
  free(l->work);
  free(l->square);
}

void batch_pass_run(batch_pass *l, bool hessian) {
  if (by_entries(l->p->x)) {
    batch_pass_sparse(l, hessian);
  } else {
    batch_pass_dense(l, hessian);
  }
}

void batch_pass_hessian(const batch_pass *l, size_t m, double *square) {
  size_t cols = l->p->x->cols;
  for (size_t i = 0; i < cols; i++) {
    for (size_t j = i; j < cols; j++) {
      square[i * cols + j] =
          (double)(by_entries(l->p->x) ? l->hessian[(l->places[i] + j) * BATCH_WIDTH + m]
                                       : l->hessian[(m * cols + i) * cols + j]);
    }
  }
}

size_t batch_pass_row_depth(const matrix *x) {
  return by_entries(x) ? x->row_entries : x->cols;
}

size_t batch_pass_sum_depth(const matrix *x) {
  size_t rows = by_entries(x) ? batch_sparse_rows(x) : MATRIX_BLOCK;
  size_t blocks = x->rows / rows + 1;
  return by_entries(x) ? rows + BATCH_PILE + blocks / BATCH_PILE + 3 : rows + blocks + 3;
}

/* A pass costs about two operations an entry and a dozen for the loss, a Hessian one a pair (of
 * floats, half as wide), its factor d³/3, both spread over the rows. */
double batch_pass_hessian_cost(const matrix *x) {
  double entries = (double)x->row_entries, d = (double)x->cols;
  double pass = 2 * entries + 12;
  return (entries * (entries + 1) / 4 + d * d * d / 12 / (double)x->rows) / pass;
}
