/* The error of one evaluation. Write u = 2^−53 for the unit of doubles, v for that of the
 * arithmetic used (u, or DD_UNIT). m additions behind a margin, N behind a sum over rows.
 *
 * - Margins: |ẑ_i − x_iᵀf| ≤ γ_{m+1} Σ|x_ij f_j| ≤ γ_{m+1} R‖f‖, in any order of the sum, fused or
 *   not. A residual z − y, |y| ≤ 1, is rounded once more: v(R‖f‖ + 1); of a count z − 2.
 * - Slopes: |ŝ_i − ℓ′(z_i)| ≤ c·|ẑ_i − z_i| + slope_error. A row's share w_i ≤ 1 only makes both
 *   terms smaller (they are left as they are), and its product is rounded once more, always in
 *   doubles: u|ŝ_i|.
 * - Sums: Σ x_i ŝ_i is off by at most γ_{N+1} Σ|ŝ_i| |x_i|, in norm γ_{N+1} R·Σ|ŝ_i|. All sums
 *   over n rows are divided by D: the rows' number, or a public one (docs/proofs/neighbours.md),
 *   and slope_error counts n/D times.
 * - Penalty: /D, times Λ, times Δ and three additions: at most five roundings of each part. A
 *   quadratic N_j′ = w(f−p) is within 2v of itself, a custom one within the share e that it
 *   declares, e/(1−e) of what it computes, at the high half of f only.
 * - Linear: b/n was rounded once in doubles before.
 *
 * With softmax all of this holds for the k scores and slopes of a row as vectors, f and gradients
 * as matrices, in the l2 (Frobenius) norm: scores are off by γ_{m+1} R‖f‖, Diag(p) − ppᵀ turns
 * slopes by at most c = ½ of that, and Σ |x_i||ŝ_i|ᵀ is at most Σ ‖x_i‖‖ŝ_i‖ long
 * (docs/proofs/softmax.md).
 *
 * γ_k = kv/(1−kv); the factor `second_order` covers the 1/(1−kv) and the rounding of these formulas
 * themselves, as long as kv ≤ 1e-7, and more is refused. Underflow adds less than 2^−900. */
#include "solve/certify.h"

#include <math.h>

#include "base/double_double.h"
#include "base/norm_upper.h"
#include "loss/link.h"

enum { BLOCK = STRIPE_UNIT, WIDE_DOUBLES = 1 << 21 };
/* Sums of one number a row go by blocks of STRIPE_UNIT = 2^9 rows in
 * stripes of a sixteenth of all n: 2^9 + n/2^13 additions and a few, a relative error of at most
 * 2^−20.9 for n ≤ 2^45, which second_order covers. Memory ends long before, and more is refused;
 * records whose number is private are 2^40 at most. */
_Static_assert(STRIPE_UNIT == 1 << 9 && STRIPES_MOST == 16, "the bound on sums over rows");
static const double most_rows_summed = 0x1p45;

static const double unit = 0x1p-53, second_order = 1 + 1e-6, longest = 1e-7;

double evaluation_error(const evaluation *e, precision how) {
  double v = how == IN_DOUBLES ? unit : DD_UNIT;
  double additions = how == IN_DOUBLES ? e->depth : e->rows;
  double margins = ((how == IN_DOUBLES ? e->row_depth : e->entries) + 2) * v,
         sums = (additions + 6) * v;
  if (!(margins <= longest && sums <= longest)) {
    return INFINITY;
  }
  if (how == IN_DD && !loss_kind_of(e->loss)) {
    margins += unit;
  }
  double beside = loss_is_residual(e->loss) ? 1 : loss_is_count(e->loss) ? 2 : 0;
  double labels = beside > 0 ? v * (e->norm * e->f + beside) : 0;
  double slopes = e->curvature * (margins * e->norm * e->f + labels) +
                  e->crowd * e->loss->slope_error + (e->shared ? unit * e->slope : 0.0);
  double penalty = (e->penalty_error / (1 - e->penalty_error) + 8 * v) * e->penalty;
  if (how == IN_DD) {
    penalty += unit * e->penalty_curvature * e->f;
  }
  return second_order * (e->norm * (slopes + sums * e->slope) + e->lambda * penalty +
                         6 * v * e->ridge * e->f + (6 * v + 2 * unit) * e->linear) +
         0x1p-900;
}

double norm_above(const double *v, size_t count) {
  norm_sum sum = {0};
  for (size_t j = 0; j < count; j++) {
    norm_add(&sum, v[j]);
  }
  return norm_upper(&sum);
}

typedef struct slope_rows {
  const problem *p;
  const double *slope; /* tall */
} slope_rows;

/* Σ of the slopes' l2 norms. */
static void add_slopes(const void *context, size_t from, size_t to, double *total, double *work) {
  const slope_rows *rows = context;
  size_t k = link_scores(rows->p->loss);
  for (; from < to; from += BLOCK) {
    size_t end = to - from < BLOCK ? to : from + BLOCK;
    double sum = 0;
    for (size_t i = from; i < end; i++) {
      double squares = 0;
      for (size_t c = i * k; k > 1 && c < (i + 1) * k; c++) {
        squares += rows->slope[c] * rows->slope[c];
      }
      sum += k > 1 ? sqrt(squares) : fabs(rows->slope[i]);
    }
    *total += sum;
  }
}

/* Infinite where it cannot be had (the processes of a job, memory), which ends the job soon, or
 * where its own rounding is not covered. */
static double slope_sum(const problem *p, const double *slope) {
  double sum = 0;
  const slope_rows rows = {p, slope};
  const stripe_sum how = {.size = 1, .add = add_slopes, .context = &rows};
  dperm_status status = stripes_sum(p->x, &how, &sum, NULL);
  bool covered = (double)rows_in_all(p->x) <= most_rows_summed;
  return status == DPERM_OK && covered ? sum : (double)INFINITY;
}

/* The matrix's own numbers are for one f. With several, entries of a row are added one after the
 * other, and so are blocks of dense rows; and sums of more doubles may be cut into fewer stripes,
 * at most STRIPES_MOST times longer ones. */
static size_t depth_of_several(size_t depth, size_t cols, size_t k) {
  size_t several = depth + MATRIX_BLOCK;
  return k == 1 ? depth : 3 * cols * k <= WIDE_DOUBLES ? several : STRIPES_MOST * several;
}

void evaluation_side_by_side(evaluation *e, const matrix *x, size_t k) {
  e->row_depth = (double)(k > 1 ? x->row_entries + 2 : x->row_depth);
  e->depth = (double)depth_of_several(x->sum_depth, x->cols, k);
}

/* Dense rows are added in blocks of MATRIX_BLOCK, sparse ones in blocks of 16 to 4·cols, and 16 of
 * these together: a stripe has at most as many sums of either kind. */
double sum_depth_most(uint64_t rows, size_t cols, size_t k) {
  size_t stripe = (size_t)(rows / stripe_count(rows, 3 * cols)) + (size_t)3 * STRIPE_UNIT;
  return (double)depth_of_several(stripe / MATRIX_BLOCK + 4 * cols + 128, cols, k);
}

evaluation evaluation_at(const problem *p, const double *f, const double *slope) {
  const dperm_regularizer *r = p->regularizer;
  double divisor = problem_divisor(p), crowd = problem_crowd(p);
  norm_sum penalty = {0};
  size_t size = problem_size(p);
  for (size_t j = 0; j < size; j++) {
    double value, n_slope, curvature;
    bool fine =
        regularizer_eval(r, j % p->x->cols, f[j], &value, &n_slope, &curvature, NULL) == DPERM_OK;
    norm_add(&penalty, fine ? n_slope : (double)NAN);
  }
  double norm = norm_above(f, size);
  evaluation e = {.loss = p->loss,
                  .curvature = crowd * p->loss->smoothness,
                  .rows = (double)rows_in_all(p->x),
                  .crowd = crowd,
                  .entries = (double)p->x->row_entries,
                  .norm = p->norm_bound,
                  .slope = slope ? slope_sum(p, slope) / divisor
                                 : crowd * (p->loss->lipschitz + p->loss->slope_error),
                  .shared = p->shares != NULL,
                  .lambda = p->model.lambda,
                  .ridge = p->model.ridge,
                  .f = norm,
                  .penalty = norm_upper(&penalty),
                  .linear = p->model.linear ? norm_above(p->model.linear, size) : 0.0,
                  .penalty_error = r->eval ? r->slope_error : 0.0,
                  .penalty_curvature = r->eval ? r->most_curvature : 0.0};
  evaluation_side_by_side(&e, p->x, link_scores(p->loss));
  return e;
}

double certified_gradient(const problem *p, const point *at) {
  const evaluation here = evaluation_at(p, at->f, at->slope);
  return norm_above(at->gradient, problem_size(p)) + evaluation_error(&here, IN_DOUBLES);
}

double rounding_limit(const problem *p, const double *f) {
  const evaluation here = evaluation_at(p, f, NULL);
  norm_sum bend = {0}; /* (N_j″ f_j)_j */
  for (size_t j = 0; j < problem_size(p); j++) {
    double value, slope, curvature;
    (void)regularizer_eval(p->regularizer, j % p->x->cols, f[j], &value, &slope, &curvature, NULL);
    norm_add(&bend, curvature * f[j]);
  }
  double r = p->norm_bound;
  return evaluation_error(&here, IN_DOUBLES) +
         unit * (here.crowd * p->loss->smoothness * r * r * here.f +
                 here.lambda * norm_upper(&bend) + here.ridge * here.f);
}
