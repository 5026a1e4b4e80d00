/* What rows add to the Hessian. With one score each that is the matrix's own Gram product. With k
 * scores it is k² blocks, one for each pair (a, b) of classes, of which those with a ≤ b are made:
 * for rows with few entries one Gram matrix after the other, for others all at once. */
#include "base/vector.h"
#include "loss/link.h"
#include "matrix/matrix_dense.h"
#include "solve/problem.h"

enum { PAIR_DOUBLES = 1 << 16 };

static double share_of(const problem *p, size_t row) {
  return p->shares ? p->shares[row] : 1.0;
}

void problem_weigh(const problem *p, const double *curvature, size_t from, size_t count,
                   double *v) {
  size_t k = link_scores(p->loss);
  for (size_t i = 0; k == 1 && i < count; i++) {
    v[i] *= curvature[from + i];
  }
  for (size_t i = from; k > 1 && i < from + count; i++, v += k) {
    const double *chance = curvature + i * k;
    double mean = vector_dot(chance, v, k), share = share_of(p, i);
    for (size_t c = 0; c < k; c++) {
      v[c] = share * chance[c] * (v[c] - mean);
    }
  }
}

/* The weight of a row in block (a, b), whose share of class a is `left`: w p_a. */
static double pair_weight(double left, const double *chance, size_t a, size_t b) {
  return left * ((a == b ? 1.0 : 0.0) - chance[b]);
}

/* Entry (i, j), i ≤ j, of block (a, b). The block is symmetric: of one beside the diagonal all is
 * filled, of one on it the upper triangle. */
static void place(const problem *p, size_t a, size_t b, size_t i, size_t j, double value,
                  double *h) {
  size_t cols = p->x->cols, size = problem_size(p);
  h[(a * cols + i) * size + b * cols + j] = value;
  if (a != b) {
    h[(a * cols + j) * size + b * cols + i] = value;
  }
}

static dperm_status gram_of_pairs(const problem *p, const double *curvature, double *h,
                                  dperm_error *err) {
  size_t k = link_scores(p->loss), cols = p->x->cols;
  double *w = NULL, *gram = NULL;
  OWNED(scratch_free) scratch work = {0};
  TRY(scratch_take_raw(&work, p->x->rows, sizeof *w, &w, err));
  TRY(scratch_take_raw(&work, cols * cols, sizeof *gram, &gram, err));
  for (size_t a = 0; a < k; a++) {
    for (size_t b = a; b < k; b++) {
      for (size_t i = 0; i < p->x->rows; i++) {
        w[i] = pair_weight(share_of(p, i) * curvature[i * k + a], curvature + i * k, a, b);
      }
      TRY(p->x->kind->gram(p->x, w, gram, err));
      for (size_t i = 0; i < cols; i++) {
        for (size_t j = i; j < cols; j++) {
          place(p, a, b, i, j, gram[i * cols + j], h);
        }
      }
    }
  }
  return DPERM_OK;
}

/* Products x_i x_j of columns, i ≤ j, by weights of blocks, a ≤ b. */
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
        double left = share_of(p, r) * chance[a];
        for (size_t b = a; b < k; b++) {
          *weight++ = pair_weight(left, chance, a, b);
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
  double *sums = NULL, *sum = NULL;
  OWNED(scratch_free) scratch work = {0};
  TRY(scratch_take_raw(&work, s.columns * s.classes, sizeof *sums, &sums, err));
  const stripe_sum how = {.size = s.columns * s.classes,
                          .work_size = cols + s.rows * (s.columns + s.classes),
                          .add = add_pairs,
                          .context = &s};
  TRY(stripes_sum(p->x, &how, sums, err));
  sum = sums;
  for (size_t i = 0; i < cols; i++) {
    for (size_t j = i; j < cols; j++) {
      for (size_t a = 0; a < k; a++) {
        for (size_t b = a; b < k; b++) {
          place(p, a, b, i, j, *sum++, h);
        }
      }
    }
  }
  return DPERM_OK;
}

bool problem_gram_is_dense(const problem *p) {
  return link_scores(p->loss) > 1 && 2 * p->x->row_entries > p->x->cols;
}

dperm_status problem_gram(const problem *p, const double *curvature, double *h, dperm_error *err) {
  return link_scores(p->loss) == 1  ? p->x->kind->gram(p->x, curvature, h, err)
         : problem_gram_is_dense(p) ? gram_at_once(p, curvature, h, err)
                                    : gram_of_pairs(p, curvature, h, err);
}

dperm_status problem_diagonal(const problem *p, const double *curvature, double *d,
                              dperm_error *err) {
  size_t k = link_scores(p->loss), cols = p->x->cols;
  double *tall = NULL, *turned = NULL;
  OWNED(scratch_free) scratch work = {0};
  if (k == 1) {
    return p->x->kind->gram_diagonal(p->x, curvature, 1, d, err);
  }
  TRY(scratch_take_raw(&work, p->x->rows * k, sizeof *tall, &tall, err));
  TRY(scratch_take_raw(&work, cols * k, sizeof *turned, &turned, err));
  for (size_t i = 0; i < p->x->rows && !cancel_poll_at(i, k); i++) {
    double share = share_of(p, i);
    for (size_t c = i * k; c < (i + 1) * k; c++) {
      tall[c] = share * curvature[c] * (1.0 - curvature[c]);
    }
  }
  TRY(p->x->kind->gram_diagonal(p->x, tall, k, turned, err));
  problem_transpose(turned, cols, k, d);
  return DPERM_OK;
}
