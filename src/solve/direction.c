/* The choice between a Cholesky factor and conjugate gradients, from public sizes alone; and both.
 *
 * Where rounding makes the factorization fail (curvatures that differ by sixteen powers of ten),
 * the diagonal is raised until it goes through: the direction is then shorter but still one of
 * descent. Conjugate gradients have the Hessian's diagonal as preconditioner; each iteration is one
 * product with X and one with Xᵀ. Started at zero and stopped at any iteration, the result is a
 * direction of descent (Nocedal & Wright, 7.1). */
#include "solve/direction.h"

#include <math.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/vector.h"
#include "loss/link.h"
#include "matrix/matrix_dense.h"

enum {
  CHOLESKY_SURE_COLUMNS = 256, /* up to these a factor costs next to nothing */
  CHOLESKY_MOST_COLUMNS = 1024,
  /* With more the weights of k²/2 blocks alone cost more than all products of conjugate gradients:
   * 1,000 classes with one column take 800 times as long for the blocks as for a product. */
  CHOLESKY_MOST_CLASSES = 128
};

/* What the two cost for one direction, in multiplications of a sparse row. Products of dense rows
 * cost a quarter of that (they wait for memory), their Gram matrices a sixteenth. Rows with several
 * scores have their weights made beside: one for each pair of classes in a Gram matrix, one for
 * each class in a product. Conjugate gradients take at most about √κ/2 iterations a factor of e, κ
 * the condition number; six of those is what a Newton step needs on average. Of k scores a typical
 * curvature is 1/k, since all of them sum to less than 1. */
static bool factor_is_cheaper(const problem *p) {
  double k = (double)link_scores(p->loss), all = (double)problem_size(p); /* of k² blocks, half */
  double rows = (double)rows_in_all(p->x), entries = (double)p->x->row_entries;
  bool sparse = p->x->kind->views != NULL && !problem_gram_is_dense(p);
  double r = p->norm_bound, weight = k > 1 ? 8 : 0, bend = k > 1 ? 1 / k : p->loss->smoothness;
  double kappa = problem_crowd(p) * bend * r * r / (p->model.lambda + p->model.ridge) + 1;
  double products = fmin(3 * sqrt(kappa), 2 * all);
  double factor = k * (k + 1) / 2 * rows * (entries * entries / (sparse ? 2 : 32) + weight) +
                  all * all * (all / 12 + 16);
  bool stored = !p->x->kind->views && p->x->work_size == 0; /* and not made anew in every product */
  return factor <= products * k * rows * (2 * entries / (stored ? 4 : 1) + weight);
}

bool direction_uses_cholesky(const problem *p, solver_method method) {
  if (method != SOLVER_AUTO) {
    return method == SOLVER_CHOLESKY;
  }
  size_t cols = problem_size(p);
  bool sure = cols == p->x->cols && cols <= CHOLESKY_SURE_COLUMNS;
  bool possible = cols <= CHOLESKY_MOST_COLUMNS && link_scores(p->loss) <= CHOLESKY_MOST_CLASSES;
  return sure || (possible && factor_is_cheaper(p));
}

/* ---- a factor, by panels of rows. A panel is factored row by row, and what it takes from the rows
 * below is one product, by tiles of columns so that little is computed below the diagonal. The
 * product's left side, −Uᵀ of the panel, stands in the triangle that is not used. */

enum { PANEL = 32, TILE = 96 };

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Rows from, …, to − 1 of U, and −Uᵀ beside them for the rows below. */
FOR_EACH_WIDTH
static int factor_panel(double *h, size_t n, size_t from, size_t to) {
  for (size_t i = from; i < to; i++) {
    double *row = h + i * n, pivot = row[i];
    if (!(pivot > 0 && pivot < INFINITY)) {
      return 0;
    }
    double root = sqrt(pivot);
    row[i] = root;
    for (size_t j = i + 1; j < n; j++) {
      row[j] /= root;
    }
    for (size_t l = i + 1; l < to; l++) {
      const double share = -row[l];
      lanes_axpys(h + l * n + l, 0, 1, &share, row + l, n - l);
    }
  }
  for (size_t j = to; j < n; j++) {
    for (size_t i = from; i < to; i++) {
      h[j * n + i] = -h[i * n + j];
    }
  }
  return 1;
}

bool cholesky_factor(double *h, size_t n) {
  for (size_t from = 0; from < n; from += PANEL) {
    size_t to = smaller(n, from + PANEL);
    if (!factor_panel(h, n, from, to)) {
      return false;
    }
    for (size_t left = to; left < n; left += TILE) {
      size_t wide = smaller(TILE, n - left);
      gemm_nn(left + wide - to, wide, to - from, h + to * n + from, n, h + from * n + left, n,
              h + to * n + left, n);
    }
  }
  return true;
}

void cholesky_solve(const double *u, size_t n, double *x) {
  for (size_t i = 0; i < n; i++) { /* Uᵀ y = x */
    x[i] /= u[i * n + i];
    vector_axpy(x + i + 1, -x[i], u + i * n + i + 1, n - i - 1);
  }
  for (size_t i = n; i-- > 0;) { /* U x = y */
    x[i] = (x[i] - vector_dot(u + i * n + i + 1, x + i + 1, n - i - 1)) / u[i * n + i];
  }
}

/* ---- by a factor */

/* h is symmetric with the upper triangle set. */
static dperm_status factor_raised(const double *h, double *factor, size_t cols, dperm_error *err) {
  double peak = 0;
  for (size_t j = 0; j < cols; j++) {
    peak = fmax(peak, h[j * cols + j]);
  }
  for (double raise = 0; raise<1e6; raise = raise> 0 ? 100 * raise : 1e-14) {
    memcpy(factor, h, cols * cols * sizeof *factor);
    for (size_t j = 0; j < cols; j++) {
      factor[j * cols + j] += raise * peak;
    }
    if (cholesky_factor(factor, cols)) {
      return DPERM_OK;
    }
  }
  FAIL(err, DPERM_NUMERIC_ERROR, "the Hessian is not positive definite; check a custom loss");
}

static dperm_status factor_at(const problem *p, const point *at, double *factor, dperm_error *err) {
  size_t cols = problem_size(p);
  double *h = NULL, n = problem_divisor(p), penalty = 0;
  OWNED(scratch_free) scratch work = {0};
  TRY(scratch_take(&work, cols * cols, sizeof *h, &h, err));
  TRY(problem_gram(p, at->curvature, h, err));
  for (size_t i = 0; i < cols; i++) {
    TRY(problem_penalty_curvature(p, i, at->f[i], &penalty, err));
    for (size_t j = i; j < cols; j++) {
      h[i * cols + j] /= n;
    }
    h[i * cols + i] += penalty;
  }
  return factor_raised(h, factor, cols, err);
}

dperm_status hessian_factor(const problem *p, const double *f, double *factor, dperm_error *err) {
  point at;
  OWNED(scratch_free) scratch work = {0};
  TRY(point_take(p, &work, NULL, &at, err));
  memcpy(at.f, f, problem_size(p) * sizeof *f);
  TRY(problem_evaluate(p, false, &at, err));
  return factor_at(p, &at, factor, err);
}

static dperm_status direction_cholesky(const problem *p, const point *at, double *direction,
                                       dperm_error *err) {
  size_t cols = problem_size(p);
  double *factor = NULL;
  OWNED(scratch_free) scratch work = {0};
  TRY(scratch_take(&work, cols * cols, sizeof *factor, &factor, err));
  TRY(factor_at(p, at, factor, err));
  for (size_t j = 0; j < cols; j++) {
    direction[j] = -at->gradient[j];
  }
  cholesky_solve(factor, cols, direction);
  return DPERM_OK;
}

/* ---- by conjugate gradients */

typedef struct linear_system {
  const problem *p;
  const point *at;
  double *penalty;                   /* the penalty's own Hessian, diagonal */
  double *preconditioner;            /* the whole Hessian's diagonal */
  double *residual, *step, *product; /* cols each */
  double rho, goal;                  /* residualᵀ M⁻¹ residual; the norm to reach */
} linear_system;

static void weigh(void *context, size_t from, size_t count, double *z) {
  const linear_system *s = context;
  problem_weigh(s->p, s->at->curvature, from, count, z);
}

/* product = ∇²J · step. */
static dperm_status multiply(linear_system *s, dperm_error *err) {
  TRY(problem_apply_both(s->p, s->step, weigh, s, s->product, err));
  for (size_t j = 0; j < problem_size(s->p); j++) {
    s->product[j] = s->product[j] / problem_divisor(s->p) + s->penalty[j] * s->step[j];
  }
  return DPERM_OK;
}

static dperm_status prepare(linear_system *s, double tolerance, dperm_error *err) {
  size_t cols = problem_size(s->p);
  TRY(problem_diagonal(s->p, s->at->curvature, s->preconditioner, err));
  for (size_t j = 0; j < cols; j++) {
    TRY(problem_penalty_curvature(s->p, j, s->at->f[j], &s->penalty[j], err));
    s->preconditioner[j] = s->preconditioner[j] / problem_divisor(s->p) + s->penalty[j];
    s->residual[j] = -s->at->gradient[j];
    s->step[j] = s->residual[j] / s->preconditioner[j];
  }
  s->rho = vector_dot(s->residual, s->step, cols);
  s->goal = tolerance * vector_norm(s->residual, cols);
  return DPERM_OK;
}

/* One step; whether there is another. */
static bool advance(linear_system *s, double *direction) {
  size_t cols = problem_size(s->p);
  double bend = vector_dot(s->step, s->product, cols);
  double alpha = bend > 0 ? s->rho / bend : 0.0, rho = 0;
  for (size_t j = 0; j < cols; j++) {
    direction[j] += alpha * s->step[j];
    s->residual[j] -= alpha * s->product[j];
    rho += s->residual[j] * s->residual[j] / s->preconditioner[j];
  }
  double beta = rho / s->rho;
  for (size_t j = 0; j < cols; j++) {
    s->step[j] = s->residual[j] / s->preconditioner[j] + beta * s->step[j];
  }
  s->rho = rho;
  return alpha > 0 && vector_norm(s->residual, cols) > s->goal && rho > 0;
}

dperm_status direction_cg(const problem *p, const point *at, double tolerance, double *direction,
                          dperm_error *err) {
  size_t cols = problem_size(p), most = 10 * cols + 50 < 2000 ? 10 * cols + 50 : 2000;
  OWNED_MEMORY double *work = NULL;
  TRY(memory_new(5 * cols, sizeof *work, &work, err));
  linear_system s = {.p = p,
                     .at = at,
                     .penalty = work,
                     .preconditioner = work + cols,
                     .residual = work + 2 * cols,
                     .step = work + 3 * cols,
                     .product = work + 4 * cols};
  memset(direction, 0, cols * sizeof *direction);
  TRY(prepare(&s, tolerance, err));
  bool going = true;
  for (size_t i = 0; going && i < most; i++) {
    TRY(multiply(&s, err));
    going = advance(&s, direction);
  }
  return DPERM_OK;
}

dperm_status newton_direction(const problem *p, solver_method method, const point *at,
                              double tolerance, double *direction, dperm_error *err) {
  TRY(direction_uses_cholesky(p, method) ? direction_cholesky(p, at, direction, err)
                                         : direction_cg(p, at, tolerance, direction, err));
  /* All processes of a job take one direction, also where their processors round differently. */
  return ranks_share(p->x->spread, DPERM_OK, direction, problem_size(p) * sizeof *direction, err);
}

/* ---- limited-memory BFGS */

size_t lbfgs_work_size(size_t cols) {
  return 2 * (size_t)LBFGS_PAIRS * cols;
}

void lbfgs_begin(lbfgs *q, size_t cols, double *work) {
  *q = (lbfgs){.cols = cols, .steps = work, .turns = work + (size_t)LBFGS_PAIRS * cols};
}

void lbfgs_add(lbfgs *q, const double *before, const double *after, const double *gradient_before,
               const double *gradient_after) {
  size_t cols = q->cols, at = q->pairs % LBFGS_PAIRS;
  double *step = q->steps + at * cols, *turn = q->turns + at * cols;
  for (size_t j = 0; j < cols; j++) {
    step[j] = after[j] - before[j];
    turn[j] = gradient_after[j] - gradient_before[j];
  }
  q->curvature[at] = vector_dot(step, turn, cols);
  q->pairs += q->curvature[at] > 1e-10 * vector_norm(step, cols) * vector_norm(turn, cols) ? 1 : 0;
}

/* The two loops over the pairs, with the initial matrix between them. */
dperm_status lbfgs_solve(const lbfgs *q, lbfgs_initial *initial, void *context, double *d,
                         dperm_error *err) {
  size_t cols = q->cols, from = q->pairs > LBFGS_PAIRS ? q->pairs - LBFGS_PAIRS : 0;
  double share[LBFGS_PAIRS];
  for (size_t i = q->pairs; i-- > from;) {
    size_t at = i % LBFGS_PAIRS;
    share[at] = vector_dot(q->steps + at * cols, d, cols) / q->curvature[at];
    vector_axpy(d, -share[at], q->turns + at * cols, cols);
  }
  TRY(initial(context, d, err));
  for (size_t i = from; i < q->pairs; i++) {
    size_t at = i % LBFGS_PAIRS;
    double back = vector_dot(q->turns + at * cols, d, cols) / q->curvature[at];
    vector_axpy(d, share[at] - back, q->steps + at * cols, cols);
  }
  return DPERM_OK;
}
