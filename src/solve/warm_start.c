/* Two savings over Newton's method on all rows, whose Gram matrices cost far more than gradients.
 *
 * - A start from a sample: every eighth row, or fewer, says where the minimizer is up to what
 *   sampling hides, and the sample is solved the same way, down to a few rows.
 * - A Hessian from the sample. It is right up to a share √(d/sample), d the number of directions
 * that the regularizer leaves free, so that with a quasi-Newton method (L-BFGS: Nocedal & Wright,
 *   algorithm 7.4) whose first matrix it is, each gradient brings one or two more digits. Its
 * inverse is applied by a Cholesky factor; where there are too many columns, by conjugate gradients
 * on the sample. (Its diagonal alone does not do: the first step fails more often than not.)
 *
 * Full steps only, and only while the gradient falls fast: what a smooth loss does near its
 * minimum. Anything else is left to Newton's iteration, which has its own proof. Rows of the sample
 * stand at even distances: the result depends on the rows alone. */
#include "solve/warm_start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "matrix/matrix_spread.h"
#include "solve/cholesky.h"
#include "solve/direction.h"

enum {
  PAIRS = 12,
  FEWEST_ROWS = 512, /* of a sample */
  PATIENCE = 3,      /* gradients in which the norm must fall … */
  MOST_STEPS = 100,
  SAMPLE_BYTES = 64 << 20
};
static const double enough = 0.3;   /* … to this share */
static const double roughly = 0.02; /* the error of a solution by conjugate gradients */

typedef struct quasi_newton {
  size_t cols;
  const problem *sample;
  const dperm_progress *progress;
  point at;       /* the sample's minimizer; its gradient is work space */
  double *factor; /* of the sample's Hessian there, or NULL */
  double *solved; /* without a factor: space for a solution */
  double *steps, *turns,
      *curvature; /* the last PAIRS steps, what the gradient did, their product */
  size_t pairs;   /* so far; the last ones count */
} quasi_newton;

static double dot(const double *a, const double *b, size_t count) {
  double sum[4] = {0, 0, 0, 0};
  for (size_t i = 0; i < count; i++) {
    sum[i % 4] += a[i] * b[i];
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void add_scaled(double *to, double factor, const double *from, size_t count) {
  for (size_t i = 0; i < count; i++) {
    to[i] += factor * from[i];
  }
}

/* d := H⁻¹ d for the sample's Hessian. */
static dperm_status solve_hessian(const quasi_newton *q, double *d, dperm_error *err) {
  if (q->factor) {
    cholesky_solve(q->factor, q->cols, d);
    return DPERM_OK;
  }
  const bool active = true;
  memcpy(q->at.gradient, d, q->cols * sizeof *d);
  TRY(direction_cg(q->sample, &q->at, &active, &roughly, q->progress, q->solved, err));
  for (size_t j = 0; j < q->cols; j++) {
    d[j] = -q->solved[j];
  }
  return DPERM_OK;
}

/* d := H⁻¹ d by the two loops. */
static dperm_status turn_gradient(const quasi_newton *q, double *d, dperm_error *err) {
  double share[PAIRS];
  size_t kept = q->pairs < PAIRS ? q->pairs : PAIRS;
  for (size_t i = 0; i < kept; i++) {
    size_t at = (q->pairs - 1 - i) % PAIRS;
    share[at] = dot(q->steps + at * q->cols, d, q->cols) / q->curvature[at];
    add_scaled(d, -share[at], q->turns + at * q->cols, q->cols);
  }
  TRY(solve_hessian(q, d, err));
  for (size_t i = 0; i < kept; i++) {
    size_t at = (q->pairs - kept + i) % PAIRS;
    double back = dot(q->turns + at * q->cols, d, q->cols) / q->curvature[at];
    add_scaled(d, share[at] - back, q->steps + at * q->cols, q->cols);
  }
  return DPERM_OK;
}

static void remember(quasi_newton *q, const point *before, const point *after) {
  size_t at = q->pairs % PAIRS;
  double *step = q->steps + at * q->cols, *turn = q->turns + at * q->cols;
  for (size_t j = 0; j < q->cols; j++) {
    step[j] = after->f[j] - before->f[j];
    turn[j] = after->gradient[j] - before->gradient[j];
  }
  q->curvature[at] = dot(step, turn, q->cols);
  q->pairs += q->curvature[at] > 0;
}

static double norm_of(const double *v, size_t count) {
  return sqrt(dot(v, v, count));
}

/* Steps on all rows while they pay. */
static dperm_status walk(const problem *p, const solver_options *options, quasi_newton *q,
                         point *here, point *there, dperm_error *err) {
  size_t cols = q->cols;
  double norm = norm_of(here->gradient, cols), past[PATIENCE];
  for (size_t step = 0; norm > options->tolerance && step < MOST_STEPS; step++) {
    if (step >= PATIENCE && !(norm <= enough * past[step % PATIENCE])) {
      return DPERM_OK;
    }
    past[step % PATIENCE] = norm;
    TRY(progress_tick(options->progress, "solving", 0, 0, err));
    memcpy(there->f, here->gradient, cols * sizeof *there->f);
    TRY(turn_gradient(q, there->f, err));
    for (size_t j = 0; j < cols; j++) {
      there->f[j] = here->f[j] - there->f[j];
    }
    /* All processes of a job go one way, also where their processors round differently. */
    TRY(ranks_share(p->x->spread, DPERM_OK, there->f, cols * sizeof *there->f, err));
    TRY(problem_try(p, there, err));
    double next = norm_of(there->gradient, cols);
    if (!(next < norm)) {
      return problem_evaluate(p, here, err); /* the two share space for slopes */
    }
    remember(q, here, there);
    point before = *here;
    *here = *there;
    *there = before;
    norm = next;
  }
  return DPERM_OK;
}

/* ---- the sample */

static size_t sample_rows(const problem *p, const solver_options *options) {
  bool factored = solver_uses_cholesky(p, options->method);
  size_t rows = rows_in_all(p->x), count = rows / 8, enough_for = 32 * p->x->cols;
  size_t fit = SAMPLE_BYTES / (p->x->row_entries + 1) / (sizeof(double) + sizeof(uint32_t));
  count = count < fit ? count : fit; /* also where the rows are a file larger than memory */
  if (p->x->row_entries > 64 && factored && count > enough_for) {
    count = enough_for; /* Gram matrices of long rows cost most */
  }
  return count < FEWEST_ROWS || (factored && count < 4 * p->x->cols) ? 0 : count;
}

typedef struct sample {
  problem p;
  matrix *x;
  double *labels, *shares;
} sample;

/* The sample's part of a number for each row. Of a job's processes each has its share of a sparse
 * sample, or all of a dense one. */
static dperm_status sample_numbers(const problem *p, const double *all, const size_t *rows,
                                   size_t count, const sample *s, double *out, dperm_error *err) {
  if (p->x->spread) {
    return s->x->spread ? spread_select_labels(p->x, all, rows, count, out, err)
                        : spread_everywhere(p->x, all, 1, rows, count, out, err);
  }
  for (size_t i = 0; i < count; i++) {
    out[i] = all[rows[i]];
  }
  return DPERM_OK;
}

/* `x` stays NULL where rows cannot be had one by one. */
static dperm_status take_sample(const problem *p, size_t count, sample *out, dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t *rows = NULL;
  *out = (sample){.p = *p};
  TRY_OR_DONE(memory_new(count, sizeof *rows, &rows, err));
  TRY_OR_DONE(memory_new(count, sizeof *out->labels, &out->labels, err));
  for (size_t i = 0; i < count; i++) {
    rows[i] = (size_t)((double)i * ((double)rows_in_all(p->x) / (double)count));
  }
  if (p->x->kind->select && p->x->kind->select(p->x, rows, count, &out->x, NULL) != DPERM_OK) {
    out->x = NULL;
  }
  if (out->x) {
    TRY_OR_DONE(sample_numbers(p, p->labels, rows, count, out, out->labels, err));
  }
  if (out->x && p->shares) {
    TRY_OR_DONE(memory_new(count, sizeof *out->shares, &out->shares, err));
    TRY_OR_DONE(sample_numbers(p, p->shares, rows, count, out, out->shares, err));
  }
  out->p.x = out->x;
  out->p.labels = out->labels;
  out->p.shares = out->shares;
done:
  free(rows);
  return status;
}

/* The sample's minimizer into f, as far as it means anything, and its Hessian there into q. */
static dperm_status solve_sample(const sample *s, const solver_options *options, double *f,
                                 scratch *work, quasi_newton *q, dperm_error *err) {
  const problem *p = &s->p;
  size_t cols = p->x->cols;
  solver_options rough = *options;
  solver_report report;
  rough.tolerance = fmax(options->tolerance, 0.1 * p->loss->lipschitz * p->norm_bound /
                                                 sqrt((double)rows_in_all(p->x)));
  TRY(solve(p, &rough, f, &report, err));
  TRY(point_take(p, work, NULL, &q->at, err));
  memcpy(q->at.f, f, cols * sizeof *f);
  TRY(problem_evaluate(p, &q->at, err));
  q->sample = p;
  if (!solver_uses_cholesky(p, options->method)) {
    return scratch_take(work, cols, sizeof *q->solved, &q->solved, err);
  }
  TRY(scratch_take(work, cols * cols, sizeof *q->factor, &q->factor, err));
  return hessian_factor(p, 0, &q->at, q->factor, err);
}

dperm_status warm_start(const problem *p, const solver_options *options, point *here, point *there,
                        dperm_error *err) {
  dperm_status status = DPERM_OK;
  bool easy = options->tolerance >= p->loss->lipschitz * p->norm_bound;
  size_t cols = p->x->cols, count = p->models == 1 && !easy ? sample_rows(p, options) : 0;
  quasi_newton q = {.cols = cols, .progress = options->progress};
  sample s = {.x = NULL};
  scratch work;
  scratch_init(&work);
  if (count > 0) {
    TRY_OR_DONE(take_sample(p, count, &s, err));
  }
  if (!s.x) {
    TRY_OR_DONE(problem_evaluate(p, here, err));
    goto done;
  }
  TRY_OR_DONE(scratch_take(&work, PAIRS * (2 * cols + 1), sizeof *q.steps, &q.steps, err));
  q.turns = q.steps + PAIRS * cols;
  q.curvature = q.turns + PAIRS * cols;
  TRY_OR_DONE(solve_sample(&s, options, here->f, &work, &q, err));
  TRY_OR_DONE(ranks_share(p->x->spread, DPERM_OK, here->f, cols * sizeof *here->f, err));
  TRY_OR_DONE(problem_evaluate(p, here, err));
  TRY_OR_DONE(walk(p, options, &q, here, there, err));
done:
  matrix_free(s.x);
  free(s.labels);
  free(s.shares);
  scratch_free(&work);
  return status;
}
