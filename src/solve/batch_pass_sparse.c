/* Rows of few entries. The inner loops are over the BATCH_WIDTH numbers of a place. */
#include <string.h>

#include "base/vector.h"
#include "solve/batch_pass.h"

/* A few rows where they stand. */
typedef struct chunk {
  size_t count;
  row_view rows[BATCH_CHUNK];
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
size_t batch_sparse_rows(const matrix *x) {
  size_t rows = 8 * x->cols / (x->row_entries + 1);
  return (rows / BATCH_CHUNK + 1) * BATCH_CHUNK;
}

void batch_pass_sparse(batch_pass *l, bool hessian) {
  const matrix *x = l->p->x;
  size_t wide = x->cols * BATCH_WIDTH, block_rows = batch_sparse_rows(x), blocks = 0;
  double *pile = l->sums, *block = l->sums + wide;
  size_t numbers = x->row_entries * BATCH_CHUNK * BATCH_WIDTH;
  chunk c;
  memset(l->gradient, 0, wide * sizeof *l->gradient);
  memset(l->sums, 0, 2 * wide * sizeof *l->sums);
  if (hessian) {
    memset(l->hessian, 0, x->cols * (x->cols + 1) / 2 * BATCH_WIDTH * sizeof *l->hessian);
  }
  for (size_t from = 0; from < x->rows; from += BATCH_CHUNK) {
    if (cancel_poll_at(from / BATCH_CHUNK, numbers)) {
      return;
    }
    size_t left = x->rows - from;
    c.count = left < BATCH_CHUNK ? left : BATCH_CHUNK;
    x->kind->views(x, from, c.count, l->work, c.rows);
    make_scores(&c, l->f, l->score);
    problem_rows_eval(l->p, from, c.count, BATCH_WIDTH, l->score, NULL, l->slope,
                      hessian ? l->curvature : NULL);
    add_slopes(&c, l->slope, block);
    if (hessian) {
      add_curvatures(&c, l->curvature, l->places, l->hessian);
    }
    if ((from + BATCH_CHUNK) % block_rows == 0) {
      vector_fold(pile, block, wide);
      if (++blocks % BATCH_PILE == 0) {
        vector_fold(l->gradient, pile, wide);
      }
    }
  }
  vector_fold(pile, block, wide);
  vector_fold(l->gradient, pile, wide);
}
