/* Damped Newton. A full step is taken when it halves the smallest gradient
 * norm seen at such a step; that can happen only finitely often before the tolerance is met. Every
 * other step is one of the line search, which lowers the objective by a share of φ′(0)² that
 * strong convexity bounds from below, and those alone converge too. So does their mixture: between
 * two halvings only descent happens. Near the minimum the first rule is Newton's quadratic
 * convergence, on the gradient, down to the last digits. */
#include "solve/newton.h"

#include <math.h>
#include <string.h>

#include "base/progress.h"
#include "base/scratch.h"
#include "base/vector.h"
#include "solve/certify.h"
#include "solve/direction.h"
#include "solve/line_search.h"
#include "solve/row_sample.h"
#include "solve/warm_start.h"

enum {
  PATIENCE = 4, /* iterations without a better gradient before rounding is blamed */
  MOST_ITERATIONS = 2000
};

typedef struct iteration {
  const problem *p;
  const solver_options *options;
  point here, there;
  double *direction;
  double step;   /* the last one, as a share of `direction` */
  double norm;   /* ‖∇J‖ here */
  double halved; /* ‖∇J‖ at the last full step */
  double best;   /* the smallest ‖∇J‖ seen */
  size_t idle;   /* iterations since `best` fell by a tenth */
  solver_report *report;
} iteration;

/* Takes note of where it stands; whether it is done. */
static bool finished(iteration *n) {
  const problem *p = n->p;
  solver_report *report = n->report;
  double norm = vector_norm(n->here.gradient, problem_size(p));
  n->norm = norm;
  n->idle = norm < 0.9 * n->best ? 0 : n->idle + 1;
  n->best = fmin(norm, n->best);
  bool reached = norm <= n->options->tolerance;
  bool stands = report->iterations > 0 && n->step == 0; /* and would for ever */
  bool at_limit = (n->idle >= PATIENCE || stands) && norm <= 4 * rounding_limit(p, n->here.f);
  report->gradient_norm = norm;
  report->converged = reached || at_limit;
  return reached || at_limit || stands || report->iterations >= MOST_ITERATIONS;
}

/* there = here + step·direction. */
static void move(iteration *n, double step) {
  n->step = step;
  for (size_t j = 0; j < problem_size(n->p); j++) {
    n->there.f[j] = n->here.f[j] + step * n->direction[j];
  }
}

static dperm_status search_step(iteration *n, dperm_error *err) {
  const problem *p = n->p;
  double *q = n->there.z; /* X·direction, where nothing is asked of the full step any more */
  double step = 0;
  TRY(problem_scores(p, n->direction, q, err));
  TRY(line_search(p, &n->here, n->direction, q, &step, err));
  move(n, step);
  return problem_evaluate(p, &n->there, err);
}

static dperm_status iterate(iteration *n, dperm_error *err) {
  const problem *p = n->p;
  /* Superlinear convergence: Nocedal & Wright, 7.1; but against the smallest gradient seen. When a
   * row of a Huber loss has just begun to bend, its own gradient hides all others, and a residual
   * below a share of that one would only undo the last step, over and over. */
  double cg_tolerance = fmin(0.1, sqrt(n->best)) * (n->best / n->norm);
  TRY(newton_direction(p, n->options->method, &n->here, cg_tolerance, n->options->progress,
                       n->direction, err));
  move(n, 1);
  TRY(problem_try(p, &n->there, err));
  double norm = vector_norm(n->there.gradient, problem_size(p));
  if (isfinite(norm) && norm <= 0.5 * n->halved) {
    n->halved = norm;
  } else {
    TRY(search_step(n, err));
  }
  n->report->iterations++;
  point before = n->here;
  n->here = n->there;
  n->there = before;
  return DPERM_OK;
}

/* From here->f to an evaluated point: the minimizer of a sample, solved in the same manner down to
 * a few rows, and from there by a quasi-Newton method; or the start itself without a sample. */
static dperm_status begin(iteration *n, dperm_error *err) {
  OWNED(row_sample_free) row_sample sample = {.x = NULL};
  TRY(row_sample_take(n->p, n->options, &sample, err));
  if (!sample.x) {
    return problem_evaluate(n->p, &n->here, err);
  }
  solver_report report;
  solver_options rough = *n->options;
  rough.tolerance = row_sample_tolerance(&sample, n->options);
  TRY(solve(&sample.p, &rough, n->here.f, &report, err));
  return warm_start(n->p, &sample.p, n->options, &n->here, &n->there, err);
}

dperm_status solve(const problem *p, const solver_options *options, double *weights,
                   solver_report *report, dperm_error *err) {
  size_t cols = problem_size(p);
  iteration n = {.p = p, .options = options, .best = INFINITY, .report = report};
  OWNED(scratch_free) scratch work;
  scratch_init(&work);
  TRY(point_take(p, &work, NULL, &n.here, err));
  TRY(point_take(p, &work, &n.here, &n.there, err));
  TRY(scratch_take(&work, cols, sizeof *n.direction, &n.direction, err));
  memcpy(n.here.f, weights, cols * sizeof *weights);
  TRY(begin(&n, err));
  n.halved = vector_norm(n.here.gradient, cols);
  *report = (solver_report){0};
  TRY(progress_tick(options->progress, "solving", 0, 0, err));
  double asked = 0;
  while (!finished(&n)) {
    TRY(progress_tick_seldom(options->progress, "solving", &asked, err));
    TRY(iterate(&n, err));
  }
  memcpy(weights, n.here.f, cols * sizeof *weights);
  report->certified = certified_gradient(p, &n.here);
  return cancel_check(err);
}
