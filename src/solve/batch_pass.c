/* Two kinds of passes. Over rows of few entries, the inner loops are over the BATCH_WIDTH numbers
 * of a place. Dense rows go by blocks: no more than a block's rows stand behind a block's share of
 * the gradient, and blocks are added one by one. */
#include "solve/batch_pass.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "matrix/gemm_block.h"
#include "matrix/matrix_dense.h"

/* Sums over sparse rows: so many rows at a time, and so many blocks of rows on a pile. */
enum { CHUNK = 32, PILE = 16 };

static bool by_entries(const matrix *x) {
  return x->kind->views != NULL;
}

/* Floats of the lanes' Hessians: pairs of columns side by side, or squares one after the other. */
static size_t hessian_size(const matrix *x) {
  return (by_entries(x) ? x->cols * (x->cols + 1) / 2 : x->cols * x->cols) * BATCH_WIDTH;
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
  size_t cols = p->x->cols, wide = cols * BATCH_WIDTH;
  bool entries = by_entries(p->x);
  *l = (batch_pass){.p = p, .chunk = entries ? CHUNK : MATRIX_BLOCK};
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
  TRY(new_aligned(hessian_size(p->x), sizeof *l->hessian, &l->floats, &l->hessian, err));
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

/* ---- rows of few entries */

/* A few rows where they stand. */
typedef struct chunk {
  size_t count;
  row_view rows[CHUNK];
} chunk;

/* Short vectors as GCC and clang have them on every processor; HALF of the lanes in doubles, all of
 * them in floats, 64 bytes each. All arrays of lanes begin at multiples of that. */
enum { HALF = BATCH_WIDTH / 2 };
typedef double half_lanes __attribute__((vector_size(HALF * sizeof(double)), may_alias));
typedef float all_lanes __attribute__((vector_size(BATCH_WIDTH * sizeof(float)), may_alias));

/* z_i = F x_i, one row after the other. */
FOR_EACH_WIDTH
static void make_scores(const chunk *c, const double *f, double *z) {
  half_lanes *out = (half_lanes *)z;
  for (size_t i = 0; i < c->count; i++) {
    half_lanes low = {0}, high = {0};
    for (size_t e = 0; e < c->rows[i].count; e++) {
      const half_lanes *fj = (const half_lanes *)(f + (size_t)c->rows[i].columns[e] * BATCH_WIDTH);
      low += c->rows[i].values[e] * fj[0];
      high += c->rows[i].values[e] * fj[1];
    }
    *out++ = low;
    *out++ = high;
  }
}

/* g += Σ x_i s_iᵀ. */
FOR_EACH_WIDTH
static void add_slopes(const chunk *c, const double *s, double *g) {
  const half_lanes *in = (const half_lanes *)s;
  for (size_t i = 0; i < c->count; i++) {
    half_lanes low = *in++, high = *in++;
    for (size_t e = 0; e < c->rows[i].count; e++) {
      half_lanes *gj = (half_lanes *)(g + (size_t)c->rows[i].columns[e] * BATCH_WIDTH);
      gj[0] += c->rows[i].values[e] * low;
      gj[1] += c->rows[i].values[e] * high;
    }
  }
}

/* h += Σ a_i x_i x_iᵀ, the pairs of columns in order. */
FOR_EACH_WIDTH
static void add_curvatures(const chunk *c, const double *a, const size_t *places, float *h) {
  for (size_t i = 0; i < c->count; i++, a += BATCH_WIDTH) {
    all_lanes here;
    for (size_t l = 0; l < BATCH_WIDTH; l++) {
      here[l] = (float)a[l];
    }
    for (size_t e = 0; e < c->rows[i].count; e++) {
      float *from = h + places[c->rows[i].columns[e]] * BATCH_WIDTH;
      all_lanes w = here * (float)c->rows[i].values[e];
      for (size_t o = e; o < c->rows[i].count; o++) {
        all_lanes *at = (all_lanes *)(from + (size_t)c->rows[i].columns[o] * BATCH_WIDTH);
        *at += (float)c->rows[i].values[o] * w;
      }
    }
  }
}

/* Folding a block costs cols additions: at most an eighth of the block's own. */
static size_t sparse_block_rows(const matrix *x) {
  size_t rows = 8 * x->cols / (x->row_entries + 1);
  return (rows / CHUNK + 1) * CHUNK;
}

static void pass_sparse(batch_pass *l, bool hessian) {
  const matrix *x = l->p->x;
  size_t wide = x->cols * BATCH_WIDTH, block_rows = sparse_block_rows(x), blocks = 0;
  double *pile = l->sums, *block = l->sums + wide;
  size_t numbers = x->row_entries * CHUNK * BATCH_WIDTH;
  chunk c;
  memset(l->sums, 0, 2 * wide * sizeof *l->sums);
  for (size_t from = 0; from < x->rows; from += CHUNK) {
    if (cancel_poll_at(from / CHUNK, numbers)) {
      return;
    }
    size_t left = x->rows - from;
    c.count = left < CHUNK ? left : CHUNK;
    x->kind->views(x, from, c.count, l->work, c.rows);
    make_scores(&c, l->f, l->score);
    problem_rows_eval(l->p, from, c.count, BATCH_WIDTH, l->score, NULL, l->slope,
                      hessian ? l->curvature : NULL);
    add_slopes(&c, l->slope, block);
    if (hessian) {
      add_curvatures(&c, l->curvature, l->places, l->hessian);
    }
    if ((from + CHUNK) % block_rows == 0) {
      vector_fold(pile, block, wide);
      if (++blocks % PILE == 0) {
        vector_fold(l->gradient, pile, wide);
      }
    }
  }
  vector_fold(pile, block, wide);
  vector_fold(l->gradient, pile, wide);
}

/* ---- dense rows */

/* A block's share is made in doubles. */
static void add_hessian(batch_pass *l, size_t m, const double *rows, size_t count) {
  size_t cols = l->p->x->cols;
  double *share = l->square, *spare = l->square + cols * cols;
  float *to = l->hessian + m * cols * cols;
  memset(share, 0, cols * cols * sizeof *share);
  dense_rows_gram(rows, count, cols, l->curvature + m, BATCH_WIDTH, share, spare);
  for (size_t i = 0; i < cols * cols; i++) {
    to[i] += (float)share[i];
  }
}

static void pass_block(batch_pass *l, size_t from, bool hessian) {
  const problem *p = l->p;
  size_t cols = p->x->cols, left = p->x->rows - from;
  size_t count = left < MATRIX_BLOCK ? left : MATRIX_BLOCK;
  const double *rows = blocks_rows(p->x, from, count, l->work);
  if (!rows) { /* stopped: the caller of batch_pass_run looks */
    return;
  }
  memset(l->score, 0, count * BATCH_WIDTH * sizeof *l->score);
  gemm_nn(count, BATCH_WIDTH, cols, rows, cols, l->f, BATCH_WIDTH, l->score, BATCH_WIDTH);
  problem_rows_eval(p, from, count, BATCH_WIDTH, l->score, NULL, l->slope,
                    hessian ? l->curvature : NULL);
  memset(l->sums, 0, cols * BATCH_WIDTH * sizeof *l->sums);
  gemm_tn(cols, BATCH_WIDTH, count, rows, cols, l->slope, BATCH_WIDTH, l->sums, BATCH_WIDTH);
  vector_axpy(l->gradient, 1, l->sums, cols * BATCH_WIDTH);
  for (size_t m = 0; hessian && m < BATCH_WIDTH; m++) {
    add_hessian(l, m, rows, count);
  }
}

/* ---- both */

void batch_pass_run(batch_pass *l, bool hessian) {
  const matrix *x = l->p->x;
  memset(l->gradient, 0, x->cols * BATCH_WIDTH * sizeof *l->gradient);
  if (hessian) {
    memset(l->hessian, 0, hessian_size(x) * sizeof *l->hessian);
  }
  if (by_entries(x)) {
    pass_sparse(l, hessian);
    return;
  }
  for (size_t from = 0; from < x->rows; from += MATRIX_BLOCK) {
    pass_block(l, from, hessian);
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
  size_t rows = by_entries(x) ? sparse_block_rows(x) : MATRIX_BLOCK;
  size_t blocks = x->rows / rows + 1;
  return by_entries(x) ? rows + PILE + blocks / PILE + 3 : rows + blocks + 3;
}

/* A pass costs about two operations an entry and a dozen for the loss, a Hessian one a pair (of
 * floats, half as wide), its factor d³/3, both spread over the rows. */
double batch_pass_hessian_cost(const matrix *x) {
  double entries = (double)x->row_entries, d = (double)x->cols;
  double pass = 2 * entries + 12;
  return (entries * (entries + 1) / 4 + d * d * d / 12 / (double)x->rows) / pass;
}
