/* Products with k right-hand sides, and loops over rows with k scores. Rows are cut into fixed
 * blocks whose sums are added in order, as everywhere. */
#include "solve/coupled.h"

#include <math.h>
#include <string.h>

#include "base/thread_pool.h"
#include "base/vector.h"
#include "loss/link.h"
#include "matrix/gemm_block.h"

enum { BLOCK = 128, STRIPE_DOUBLES = 1 << 21, PAIR_DOUBLES = 1 << 16 };

/* to = fromᵀ, where `from` has `rows` rows of `cols` numbers. */
static void transpose(const double *from, size_t rows, size_t cols, double *to) {
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < cols; j++) {
      to[j * rows + i] = from[i * cols + j];
    }
  }
}

dperm_status coupled_apply(const problem *p, const double *f, double *z, dperm_error *err) {
  size_t k = link_scores(p->loss), cols = p->x->cols;
  double *wide = NULL;
  OWNED(scratch_free) scratch work;
  scratch_init(&work);
  TRY(scratch_take_raw(&work, cols * k, sizeof *wide, &wide, err));
  transpose(f, k, cols, wide);
  return matrix_apply(p->x, wide, k, z, err);
}

dperm_status coupled_apply_both(const problem *p, const double *f, matrix_turn *turn, void *context,
                                double *g, dperm_error *err) {
  size_t k = link_scores(p->loss), cols = p->x->cols;
  double *wide = NULL, *sum = NULL;
  OWNED(scratch_free) scratch work;
  scratch_init(&work);
  TRY(scratch_take_raw(&work, cols * k, sizeof *wide, &wide, err));
  TRY(scratch_take_raw(&work, cols * k, sizeof *sum, &sum, err));
  transpose(f, k, cols, wide);
  TRY(matrix_apply_both(p->x, wide, k, turn, context, sum, err));
  transpose(sum, cols, k, g);
  return DPERM_OK;
}

/* ---- rows by themselves */

/* What is made of blocks of rows: all are tall. */
typedef struct rows_job {
  const problem *p;
  const double *from, *low;
  double *to;
} rows_job;

/* None where it was stopped: the pass that comes next fails. */
static size_t block_count(const problem *p, size_t from) {
  size_t left = p->x->rows - from;
  return cancel_poll() ? 0 : left < BLOCK ? left : BLOCK;
}

static void run_rows(rows_job *job, pool_piece *block) {
  pool_run((job->p->x->rows + BLOCK - 1) / BLOCK, block, job);
}

static void slope_block(void *context, size_t block, size_t worker) {
  const rows_job *job = context;
  const problem *p = job->p;
  size_t from = block * BLOCK, at = from * link_scores(p->loss);
  (void)worker;
  problem_rows_slope_dd(p, from, block_count(p, from), job->from + at, job->low + at, job->to + at);
}

void coupled_slopes_dd(const problem *p, const double *z, const double *z_rest, double *slope) {
  rows_job job = {p, z, z_rest, slope};
  run_rows(&job, slope_block);
}

/* ---- sums of numbers */

typedef struct line_sum {
  const problem *p;
  const double *z, *q;
  double t;
} line_sum;

static void add_losses(const void *context, size_t from, size_t to, double *total, double *work) {
  const line_sum *at = context;
  size_t k = link_scores(at->p->loss);
  (void)work;
  for (; from < to && !cancel_poll_at(from / BLOCK, BLOCK * k); from += BLOCK) {
    size_t count = to - from < BLOCK ? to - from : BLOCK;
    double value[BLOCK], sum = 0;
    problem_rows_eval(at->p, from, count, 1, at->z + from * k, value, NULL, NULL);
    for (size_t i = 0; i < count; i++) {
      sum += value[i];
    }
    *total += sum;
  }
}

dperm_status coupled_losses(const problem *p, const double *z, double *sum, dperm_error *err) {
  const line_sum at = {.p = p, .z = z};
  const stripe_sum how = {.size = 1, .add = add_losses, .context = &at};
  return stripes_sum(p->x, &how, sum, err);
}

static double share_of(const problem *p, size_t row) {
  return p->shares ? p->shares[row] : 1.0;
}

/* `work`: scores, slopes and probabilities of a block. */
static void add_along(const void *context, size_t from, size_t to, double *total, double *work) {
  const line_sum *at = context;
  const problem *p = at->p;
  size_t k = link_scores(p->loss);
  double *score = work, *slope = score + BLOCK * k, *chance = slope + BLOCK * k;
  for (; from < to && !cancel_poll_at(from / BLOCK, BLOCK * k); from += BLOCK) {
    size_t count = to - from < BLOCK ? to - from : BLOCK;
    const double *z = at->z + from * k, *q = at->q + from * k;
    double first = 0, second = 0;
    for (size_t i = 0; i < count * k; i++) {
      score[i] = z[i] + at->t * q[i];
    }
    problem_rows_eval(p, from, count, 1, score, NULL, slope, chance);
    for (size_t i = 0; i < count; i++) {
      double mean = 0, spread = 0;
      for (size_t c = i * k; c < (i + 1) * k; c++) {
        first += slope[c] * q[c];
        mean += chance[c] * q[c];
      }
      for (size_t c = i * k; c < (i + 1) * k; c++) {
        spread += chance[c] * (q[c] - mean) * (q[c] - mean);
      }
      second += share_of(p, from + i) * spread;
    }
    total[0] += first;
    total[1] += second;
  }
}

dperm_status coupled_along(const problem *p, const double *z, const double *q, double t,
                           double sums[2], dperm_error *err) {
  const line_sum line = {p, z, q, t};
  const stripe_sum how = {.size = 2,
                          .work_size = 3 * (size_t)BLOCK * link_scores(p->loss),
                          .add = add_along,
                          .context = &line};
  return stripes_sum(p->x, &how, sums, err);
}

static void add_norms(const void *context, size_t from, size_t to, double *total, double *work) {
  const line_sum *at = context;
  size_t k = link_scores(at->p->loss);
  (void)work;
  for (; from < to; from += STRIPE_UNIT) { /* certify.c says why by blocks */
    size_t end = to - from < STRIPE_UNIT ? to : from + STRIPE_UNIT;
    double sum = 0;
    for (size_t i = from; i < end; i++) {
      double squares = 0;
      for (size_t c = i * k; c < (i + 1) * k; c++) {
        squares += at->z[c] * at->z[c];
      }
      sum += sqrt(squares);
    }
    *total += sum;
  }
}

dperm_status coupled_slope_sum(const problem *p, const double *slope, double *sum,
                               dperm_error *err) {
  const line_sum at = {.p = p, .z = slope};
  const stripe_sum how = {.size = 1, .add = add_norms, .context = &at};
  return stripes_sum(p->x, &how, sum, err);
}

/* ---- the Hessian's part of the rows */

void coupled_weigh(const problem *p, const double *curvature, size_t from, size_t count,
                   double *v) {
  size_t k = link_scores(p->loss);
  for (size_t i = from; i < from + count; i++, v += k) {
    const double *chance = curvature + i * k;
    double mean = vector_dot(chance, v, k), share = share_of(p, i);
    for (size_t c = 0; c < k; c++) {
      v[c] = share * chance[c] * (v[c] - mean);
    }
  }
}

/* The weights of rows in block (a, b) of the Hessian. */
static void pair_weights(const problem *p, const double *curvature, size_t a, size_t b, double *w) {
  size_t k = link_scores(p->loss);
  for (size_t i = 0; i < p->x->rows; i++) {
    const double *chance = curvature + i * k;
    w[i] = share_of(p, i) * chance[a] * ((a == b ? 1.0 : 0.0) - chance[b]);
  }
}

/* The block is symmetric: of a block beside the diagonal all is filled, of one on it the upper
 * triangle. */
static void place_block(const double *gram, size_t cols, size_t a, size_t b, size_t size,
                        double *h) {
  for (size_t i = 0; i < cols; i++) {
    for (size_t j = i; j < cols; j++) {
      h[(a * cols + i) * size + b * cols + j] = gram[i * cols + j];
      if (a != b) {
        h[(a * cols + j) * size + b * cols + i] = gram[i * cols + j];
      }
    }
  }
}

/* For rows with few entries: the Gram matrix of one block after the other. */
static dperm_status gram_of_pairs(const problem *p, const double *curvature, double *h,
                                  dperm_error *err) {
  size_t k = link_scores(p->loss), cols = p->x->cols;
  double *w = NULL, *gram = NULL;
  OWNED(scratch_free) scratch work;
  scratch_init(&work);
  TRY(scratch_take_raw(&work, p->x->rows, sizeof *w, &w, err));
  TRY(scratch_take_raw(&work, cols * cols, sizeof *gram, &gram, err));
  for (size_t a = 0; a < k; a++) {
    for (size_t b = a; b < k; b++) {
      pair_weights(p, curvature, a, b, w);
      TRY(p->x->kind->gram(p->x, w, gram, err));
      place_block(gram, cols, a, b, k * cols, h);
    }
  }
  return DPERM_OK;
}

/* For others all blocks at once: products x_i x_j of columns, i ≤ j, by weights of blocks, a ≤ b.
 */
typedef struct pair_sum {
  const problem *p;
  const double *curvature;
  size_t columns, classes; /* pairs of them */
  size_t rows;             /* at a time */
} pair_sum;

/* `work`: a row, the products of some rows, their weights. */
static void add_pairs(const void *context, size_t from, size_t to, double *total, double *work) {
  const pair_sum *s = context;
  const problem *p = s->p;
  size_t k = link_scores(p->loss), cols = p->x->cols;
  double *row = work, *products = row + cols, *weights = products + s->rows * s->columns;
  for (; from < to && !cancel_poll(); from += s->rows) {
    size_t count = to - from < s->rows ? to - from : s->rows;
    double *product = products, *weight = weights;
    for (size_t r = from; r < from + count; r++) {
      const double *chance = s->curvature + r * k;
      p->x->kind->row(p->x, r, row);
      for (size_t i = 0; i < cols; i++) {
        for (size_t j = i; j < cols; j++) {
          *product++ = row[i] * row[j];
        }
      }
      for (size_t a = 0; a < k; a++) {
        double share = share_of(p, r) * chance[a];
        for (size_t b = a; b < k; b++) {
          *weight++ = share * ((a == b ? 1.0 : 0.0) - chance[b]);
        }
      }
    }
    gemm_tn(s->columns, s->classes, count, products, s->columns, weights, s->classes, total,
            s->classes);
  }
}

static dperm_status gram_at_once(const problem *p, const double *curvature, double *h,
                                 dperm_error *err) {
  size_t k = link_scores(p->loss), cols = p->x->cols;
  pair_sum s = {p, curvature, cols * (cols + 1) / 2, k * (k + 1) / 2, 0};
  s.rows = 1 + PAIR_DOUBLES / (s.columns + s.classes);
  double *sums = NULL, *gram = NULL;
  OWNED(scratch_free) scratch work;
  scratch_init(&work);
  TRY(scratch_take_raw(&work, s.columns * s.classes, sizeof *sums, &sums, err));
  TRY(scratch_take_raw(&work, cols * cols, sizeof *gram, &gram, err));
  const stripe_sum how = {.size = s.columns * s.classes,
                          .work_size = cols + s.rows * (s.columns + s.classes),
                          .add = add_pairs,
                          .context = &s};
  TRY(stripes_sum(p->x, &how, sums, err));
  for (size_t a = 0, pair = 0; a < k; a++) {
    for (size_t b = a; b < k; b++, pair++) {
      for (size_t i = 0, at = 0; i < cols; i++) {
        for (size_t j = i; j < cols; j++, at++) {
          gram[i * cols + j] = sums[at * s.classes + pair];
        }
      }
      place_block(gram, cols, a, b, k * cols, h);
    }
  }
  return DPERM_OK;
}

bool coupled_is_dense(const problem *p) {
  return 2 * p->x->row_entries > p->x->cols;
}

dperm_status coupled_gram(const problem *p, const double *curvature, double *h, dperm_error *err) {
  return coupled_is_dense(p) ? gram_at_once(p, curvature, h, err)
                             : gram_of_pairs(p, curvature, h, err);
}

/* w p(1 − p) for each class of each row. */
static void diagonal_block(void *context, size_t block, size_t worker) {
  const rows_job *job = context;
  size_t k = link_scores(job->p->loss), from = block * BLOCK,
         end = from + block_count(job->p, from);
  (void)worker;
  for (size_t i = from; i < end; i++) {
    const double *chance = job->from + i * k;
    double share = share_of(job->p, i);
    for (size_t c = 0; c < k; c++) {
      job->to[i * k + c] = share * chance[c] * (1.0 - chance[c]);
    }
  }
}

dperm_status coupled_diagonal(const problem *p, const double *curvature, double *d,
                              dperm_error *err) {
  size_t k = link_scores(p->loss), cols = p->x->cols;
  double *tall = NULL, *wide = NULL;
  OWNED(scratch_free) scratch work;
  scratch_init(&work);
  TRY(scratch_take_raw(&work, p->x->rows * k, sizeof *tall, &tall, err));
  TRY(scratch_take_raw(&work, cols * k, sizeof *wide, &wide, err));
  rows_job job = {.p = p, .from = curvature, .to = tall};
  run_rows(&job, diagonal_block);
  TRY(p->x->kind->gram_diagonal(p->x, tall, k, wide, err));
  transpose(wide, cols, k, d);
  return DPERM_OK;
}

/* ---- depths */

/* Entries are added one after the other. */
size_t coupled_row_depth(const problem *p) {
  return p->x->row_entries + 2;
}

/* Blocks of dense rows are added one after the other, too. Sums of more doubles may be cut into
 * fewer stripes, at most STRIPES_MOST times longer ones. */
size_t coupled_sum_depth(const problem *p) {
  size_t one = p->x->sum_depth + MATRIX_BLOCK, doubles = p->x->cols * link_scores(p->loss);
  return 3 * doubles <= STRIPE_DOUBLES ? one : STRIPES_MOST * one;
}
