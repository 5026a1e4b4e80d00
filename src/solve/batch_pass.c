/* Two kinds of passes. Over rows of few entries, the inner loops are over the BATCH_WIDTH numbers
 * of a place. Dense rows go by blocks: no more than a block's rows stand behind a block's share of
 * the gradient, and blocks are added one by one. */
#include "solve/batch_pass.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "matrix/matrix_dense.h"

/* Sums over sparse rows: so many rows at a time, and so many blocks of rows on a pile. */
enum { CHUNK = 32, PILE = 16 };

static bool by_entries(const matrix *x) {
  return x->kind->views != NULL;
}

dperm_status batch_pass_open(const problem *p, batch_pass *l, dperm_error *err) {
  size_t wide = p->x->cols * BATCH_WIDTH;
  /* NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result) */
  size_t tall = (by_entries(p->x) ? CHUNK : MATRIX_BLOCK) * BATCH_WIDTH;
  *l = (batch_pass){.p = p};
  TRY(memory_new(4 * wide + 2 * tall + LANES, sizeof *l->f, &l->doubles, err));
  TRY(memory_new(p->x->work_size, sizeof *l->work, &l->work, err));
  l->f = (double *)l->doubles + (64 - (uintptr_t)l->doubles % 64) % 64 / sizeof *l->f;
  l->gradient = l->f + wide;
  l->sums = l->f + 2 * wide;
  l->score = l->f + 4 * wide;
  l->slope = l->score + tall;
  return DPERM_OK;
}

void batch_pass_close(batch_pass *l) {
  free(l->doubles);
  free(l->work);
}

/* ---- rows of few entries */

/* A few rows where they stand. */
typedef struct chunk {
  size_t count;
  row_view rows[CHUNK];
} chunk;

/* Short vectors, as in base/dispatch.h, where they stand: arrays of models' numbers begin at
 * multiples of their 64 bytes. */
typedef lanes half_lanes __attribute__((may_alias));

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

/* Folding a block costs cols additions: at most an eighth of the block's own. */
static size_t sparse_block_rows(const matrix *x) {
  size_t rows = 8 * x->cols / (x->row_entries + 1);
  return (rows / CHUNK + 1) * CHUNK;
}

static void pass_sparse(batch_pass *l) {
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
    problem_rows_eval(l->p, from, c.count, BATCH_WIDTH, l->score, NULL, l->slope, NULL);
    add_slopes(&c, l->slope, block);
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

static void pass_block(batch_pass *l, size_t from) {
  const problem *p = l->p;
  size_t cols = p->x->cols, left = p->x->rows - from;
  size_t count = left < MATRIX_BLOCK ? left : MATRIX_BLOCK;
  const double *rows = blocks_rows(p->x, from, count, l->work);
  if (!rows) { /* stopped: the caller of batch_pass_run looks */
    return;
  }
  memset(l->score, 0, count * BATCH_WIDTH * sizeof *l->score);
  gemm_nn(count, BATCH_WIDTH, cols, rows, cols, l->f, BATCH_WIDTH, l->score, BATCH_WIDTH);
  problem_rows_eval(p, from, count, BATCH_WIDTH, l->score, NULL, l->slope, NULL);
  memset(l->sums, 0, cols * BATCH_WIDTH * sizeof *l->sums);
  gemm_tn(cols, BATCH_WIDTH, count, rows, cols, l->slope, BATCH_WIDTH, l->sums, BATCH_WIDTH);
  vector_axpy(l->gradient, 1, l->sums, cols * BATCH_WIDTH);
}

/* ---- both */

void batch_pass_run(batch_pass *l) {
  const matrix *x = l->p->x;
  memset(l->gradient, 0, x->cols * BATCH_WIDTH * sizeof *l->gradient);
  if (by_entries(x)) {
    pass_sparse(l);
    return;
  }
  for (size_t from = 0; from < x->rows; from += MATRIX_BLOCK) {
    pass_block(l, from);
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
