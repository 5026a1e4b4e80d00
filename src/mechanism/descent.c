/* Noisy descent (descent_plan.h). */
#include <math.h>

#include "base/defect.h"
#include "base/memory.h"
#include "base/progress.h"
#include "loss/link.h"
#include "mechanism/delta_rule.h"
#include "mechanism/mechanism.h"
#include "random/discrete_sampling.h"
#include "solve/certify.h"

/* A step goes along a running mean. */
static const double momentum = 0.8;
/* Slopes are cut to a little less, and rounding does not bring them above C. */
static const double within = 1 - 1e-9;

/* ---- a step */

typedef struct cut_rows {
  const problem *p;
  double *slope; /* tall */
} cut_rows;

/* Slopes of rows, none longer than C. */
static void cut_turn(void *context, size_t from, size_t count, double *z) {
  const cut_rows *rows = context;
  size_t k = link_scores(rows->p->loss);
  double *slope = rows->slope + from * k, most = descent_clip * within;
  problem_rows_eval(rows->p, from, count, 1, z, NULL, slope, NULL);
  for (size_t i = 0; i < count; i++, slope += k, z += k) {
    double squares = 0;
    for (size_t c = 0; c < k; c++) {
      squares += slope[c] * slope[c];
    }
    double by = squares > most * most && !DEFECT("descent-uncut") ? most / sqrt(squares) : 1;
    for (size_t c = 0; c < k; c++) {
      z[c] = by * slope[c];
    }
  }
}

/* A sum on the grid, with its noise: what has been seen of the records from here on. */
static dperm_status blur(const descent_plan *plan, size_t size, random_source *source, double *sum,
                         dperm_error *err) {
  for (size_t j = 0; j < size; j++) {
    double place = rint(sum[j] / plan->grid);
    FAIL_IF(!(fabs(place) < 0x1p61), err, DPERM_NUMERIC_ERROR, /* nor a NaN */
            "a sum of gradients is beyond all that was certified; nothing is released");
    TRY(j % 4096 == 0 ? cancel_check(err) : DPERM_OK); /* a draw takes most of a microsecond */
    int64_t noise = random_discrete_gaussian(source) / (DEFECT("descent-quiet") ? 2 : 1);
    sum[j] = (double)((wide_signed)place + noise) * plan->grid;
  }
  return DPERM_OK;
}

/* The leader's, of which the other processes of a job are told. */
static dperm_status blur_shared(const privacy_plan *plan, ranks *spread, size_t size,
                                random_source *source, double *sum, dperm_error *err) {
  dperm_status status =
      ranks_lead(spread) ? blur(&plan->descent, size, source, sum, err) : DPERM_OK;
  return ranks_share(spread, status, sum, size * sizeof *sum, err);
}

static void keep_within(double furthest, size_t size, double *f) {
  double norm = norm_above(f, size), by = norm > furthest ? furthest / norm * within : 1;
  for (size_t j = 0; j < size; j++) {
    f[j] *= by;
  }
}

/* ---- all of them */

static dperm_status descend(const privacy_plan *plan, const problem *p, random_source *source,
                            double *mean, scratch *work, dperm_error *err) {
  size_t size = problem_size(p);
  double *f = NULL, *speed = NULL, *sum = NULL;
  cut_rows rows = {.p = p};
  TRY(scratch_take(work, size, sizeof *f, &f, err));
  TRY(scratch_take(work, size, sizeof *speed, &speed, err));
  TRY(scratch_take(work, size, sizeof *sum, &sum, err));
  TRY(scratch_take(work, p->x->rows * link_scores(p->loss), sizeof *rows.slope, &rows.slope, err));
  const double n = problem_divisor(p), rate = 1 / (plan->lambda * (double)plan->descent.steps);
  const size_t averaged = plan->descent.steps / 4; /* the last ones, whose mean is the result */
  memset(mean, 0, size * sizeof *mean);
  for (size_t t = 0; t < plan->descent.steps; t++) {
    TRY(problem_apply_both(p, f, cut_turn, &rows, sum, err));
    TRY(blur_shared(plan, p->x->spread, size, source, sum, err));
    for (size_t j = 0; j < size; j++) {
      speed[j] = momentum * speed[j] + (1 - momentum) * sum[j] / n;
      f[j] -= rate * speed[j];
    }
    keep_within(plan->descent.furthest, size, f);
    for (size_t j = 0; t + averaged >= plan->descent.steps && j < size; j++) {
      mean[j] += f[j] / (double)averaged;
    }
  }
  return DPERM_OK;
}

dperm_status noisy_descent(const privacy_plan *plan, const problem *base, const solver_options *how,
                           const promise *promised, random_source *sources, size_t count,
                           solution *out, solver_report *report, dperm_error *err) {
  size_t size = problem_size(base);
  *report = (solver_report){0};
  memset(out->rest, 0, count * size * sizeof *out->rest);
  for (size_t m = 0; m < count; m++) {
    OWNED(scratch_free) scratch work = {0};
    TRY(descend(plan, base, &sources[m], out->f + m * size, &work, err));
  }
  return DPERM_OK;
}
