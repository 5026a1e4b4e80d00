/* Newton's method on all rows spends its time on Gram matrices, which cost far more than gradients.
 * A sample saves them. Its minimizer is the start, right up to what sampling hides. Its Hessian is
 * right up to a share √(d/sample), d the number of directions that the regularizer leaves free: as
 * the initial matrix of L-BFGS it brings one or two more digits a gradient. Its inverse is applied
 * by a Cholesky factor; where there are too many columns, by conjugate gradients on the sample.
 * (Its diagonal alone does not do: the first step fails more often than not.)
 *
 * Full steps only, and only while the gradient falls fast: what a smooth loss does near its
 * minimum. Anything else is left to Newton's iteration, which has its own proof. */
#include <math.h>

#include "base/memory.h"
#include "base/vector.h"
#include "matrix/matrix.h"
#include "solve/direction.h"

enum {
  FEWEST_ROWS = 512,
  SAMPLE_BYTES = 64 << 20,
  PATIENCE = 3, /* gradients in which the norm must fall … */
  MOST_STEPS = 100
};
static const double enough = 0.3;   /* … to this share */
static const double roughly = 0.02; /* the error of a solution by conjugate gradients */

/* ---- the sample: every eighth row or fewer, at even distances, as a problem of its own */

typedef struct row_sample {
  problem p;
  matrix *x; /* NULL: there is no sample */
  double *labels, *shares;
} row_sample;

static size_t sample_rows(const problem *p, const solver_options *options) {
  bool factored = direction_uses_cholesky(p, options->method);
  size_t rows = rows_in_all(p->x), count = rows / 8, cols = problem_size(p), enough_for = 32 * cols;
  size_t fit = SAMPLE_BYTES / (p->x->row_entries + 1) / (sizeof(double) + sizeof(uint32_t));
  count = count < fit ? count : fit; /* also where the rows are a file larger than memory */
  if (p->x->row_entries > 64 && factored && count > enough_for) {
    count = enough_for; /* Gram matrices of long rows cost most */
  }
  return count < FEWEST_ROWS || (factored && count < 4 * cols) ? 0 : count;
}

/* The sample's part of a number for each row. Of a job's processes each has its share of a sparse
 * sample, or all of a dense one. */
static dperm_status sample_numbers(const problem *p, const double *all, const size_t *rows,
                                   size_t count, const row_sample *s, double **out,
                                   dperm_error *err) {
  TRY(memory_new(count, sizeof **out, out, err));
  return p->x->spread && !s->x->spread ? spread_everywhere(p->x, all, 1, rows, count, *out, err)
                                       : tall_select(p->x, all, rows, count, *out, err);
}

/* None where nothing is gained: few rows, an easy tolerance, no single rows from a matrix. */
static dperm_status row_sample_take(const problem *p, const solver_options *options,
                                    row_sample *out, dperm_error *err) {
  bool easy = options->tolerance >= problem_crowd(p) * p->loss->lipschitz * p->norm_bound;
  size_t count = !easy && p->x->kind->select ? sample_rows(p, options) : 0;
  OWNED_MEMORY size_t *rows = NULL;
  if (count == 0) {
    return DPERM_OK;
  }
  TRY(memory_new(count, sizeof *rows, &rows, err));
  for (size_t i = 0; i < count; i++) {
    rows[i] = (size_t)((double)i * ((double)rows_in_all(p->x) / (double)count));
  }
  if (p->x->kind->select(p->x, rows, count, &out->x, NULL) != DPERM_OK) {
    out->x = NULL;
    return DPERM_OK;
  }
  TRY(sample_numbers(p, p->labels, rows, count, out, &out->labels, err));
  if (p->shares) {
    TRY(sample_numbers(p, p->shares, rows, count, out, &out->shares, err));
  }
  out->p = *p;
  out->p.x = out->x;
  out->p.labels = out->labels;
  out->p.divisor = p->divisor * ((double)count / (double)rows_in_all(p->x)); /* as many rows each */
  out->p.shares = out->shares;
  return DPERM_OK;
}

static void row_sample_free(row_sample *s) {
  matrix_free(s->x);
  free(s->labels);
  free(s->shares);
}

/* ---- steps on all rows */

/* The sample's Hessian. */
typedef struct initial_matrix {
  const problem *sample;
  double *factor; /* at the sample's minimizer; or NULL, and */
  point at;       /* the minimizer, its gradient being work space */
} initial_matrix;

/* d := H⁻¹ d for the sample's Hessian. */
static dperm_status solve_hessian(void *context, double *d, dperm_error *err) {
  const initial_matrix *q = context;
  size_t cols = problem_size(q->sample);
  if (q->factor) {
    cholesky_solve(q->factor, cols, d);
    return DPERM_OK;
  }
  memcpy(q->at.gradient, d, cols * sizeof *d);
  TRY(direction_cg(q->sample, &q->at, roughly, d, err));
  for (size_t j = 0; j < cols; j++) {
    d[j] = -d[j];
  }
  return DPERM_OK;
}

/* Steps on all rows while they pay. */
static dperm_status walk(const problem *p, const solver_options *options, initial_matrix *initial,
                         lbfgs *q, point *here, point *there, dperm_error *err) {
  size_t cols = problem_size(p);
  double norm = vector_norm(here->gradient, cols), past[PATIENCE];
  for (size_t step = 0; norm > options->tolerance && step < MOST_STEPS; step++) {
    if (step >= PATIENCE && !(norm <= enough * past[step % PATIENCE])) {
      return DPERM_OK;
    }
    past[step % PATIENCE] = norm;
    memcpy(there->f, here->gradient, cols * sizeof *there->f);
    TRY(lbfgs_solve(q, solve_hessian, initial, there->f, err));
    for (size_t j = 0; j < cols; j++) {
      there->f[j] = here->f[j] - there->f[j];
    }
    /* All processes of a job go one way, also where their processors round differently. */
    TRY(ranks_share(p->x->spread, DPERM_OK, there->f, cols * sizeof *there->f, err));
    TRY(problem_evaluate(p, true, there, err));
    double next = vector_norm(there->gradient, cols);
    if (!(next < norm)) {
      return problem_evaluate(p, false, here, err); /* the two share space for slopes */
    }
    lbfgs_add(q, here->f, there->f, here->gradient, there->gradient);
    point before = *here;
    *here = *there;
    *there = before;
    norm = next;
  }
  return DPERM_OK;
}

static dperm_status set_hessian(initial_matrix *q, solver_method method, const double *f,
                                scratch *work, dperm_error *err) {
  const problem *sample = q->sample;
  size_t cols = problem_size(sample);
  if (direction_uses_cholesky(sample, method)) {
    TRY(scratch_take(work, cols * cols, sizeof *q->factor, &q->factor, err));
    return hessian_factor(sample, f, q->factor, err);
  }
  TRY(point_take(sample, work, NULL, &q->at, err));
  memcpy(q->at.f, f, cols * sizeof *f);
  return problem_evaluate(sample, false, &q->at, err);
}

/* A sample is solved in the same manner, down to a few rows, as far as that means anything. */
static dperm_status warm_start(const problem *p, const solver_options *options, point *here,
                               point *there, dperm_error *err) {
  OWNED(row_sample_free) row_sample sample = {.x = NULL};
  OWNED(scratch_free) scratch work = {0};
  TRY(row_sample_take(p, options, &sample, err));
  if (!sample.x) {
    return problem_evaluate(p, false, here, err);
  }
  size_t cols = problem_size(p);
  solver_report report;
  solver_options rough = *options;
  rough.tolerance = fmax(rough.tolerance, 0.1 * problem_crowd(&sample.p) * p->loss->lipschitz *
                                              p->norm_bound / sqrt((double)rows_in_all(sample.x)));
  TRY(solve(&sample.p, &rough, here->f, &report, err));
  initial_matrix initial = {.sample = &sample.p};
  lbfgs q;
  double *pairs = NULL;
  TRY(scratch_take(&work, lbfgs_work_size(cols), sizeof *pairs, &pairs, err));
  lbfgs_begin(&q, cols, pairs);
  TRY(set_hessian(&initial, options->method, here->f, &work, err));
  TRY(ranks_share(p->x->spread, DPERM_OK, here->f, cols * sizeof *here->f, err));
  TRY(problem_evaluate(p, false, here, err));
  return walk(p, options, &initial, &q, here, there, err);
}

dperm_status solve(const problem *p, const solver_options *options, double *weights,
                   solver_report *report, dperm_error *err) {
  size_t cols = problem_size(p);
  point here, there;
  OWNED(scratch_free) scratch work = {0};
  TRY(point_take(p, &work, NULL, &here, err));
  TRY(point_take(p, &work, &here, &there, err));
  memcpy(here.f, weights, cols * sizeof *weights);
  TRY(warm_start(p, options, &here, &there, err));
  TRY(newton(p, options, &here, &there, report, err));
  memcpy(weights, here.f, cols * sizeof *weights);
  return DPERM_OK;
}
