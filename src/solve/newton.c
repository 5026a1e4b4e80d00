/* Damped Newton. A full step is taken when it halves the smallest gradient
 * norm seen at such a step; that can happen only finitely often before the tolerance is met. Every
 * other step is one of the line search, which lowers the objective by a share of φ′(0)² that
 * strong convexity bounds from below, and those alone converge too. So does their mixture: between
 * two halvings only descent happens. Near the minimum the first rule is Newton's quadratic
 * convergence, on the gradient, down to the last digits. */
#include "solve/solver.h"

#include <math.h>
#include <string.h>

#include "base/progress.h"
#include "base/vector.h"
#include "solve/certify.h"
#include "solve/direction.h"

enum {
  PATIENCE = 4, /* iterations without a better gradient before rounding is blamed */
  MOST_ITERATIONS = 2000,
  MOST_EVALUATIONS = 200 /* of a line search */
};

/* ---- steps along a direction, found by the derivative alone: near the minimum the objective
 * stalls at the square root of the rounding error, its derivative does not.
 *
 * φ′ is continuous and nondecreasing with φ′(0) < 0 and, as J is strongly convex, positive far
 * out. A bracket [low, high] with φ′(low) ≤ 0 < φ′(high) shrinks around the root: by Newton's step
 * on φ′ where that falls well inside, else by the middle (while low = 0 by a factor that squares
 * itself, since the step may be wrong by hundreds of powers of ten, then by geometric means). */

typedef struct bracket {
  double low, high;    /* high = INFINITY until one is found */
  double slope_at_low; /* φ′(low) ≤ 0 */
  double wanted;       /* φ′(0)/10 */
  double shrink;       /* the next factor on high while low = 0 */
} bracket;

/* Where to look next, given φ′ and φ″ at the last place looked at. */
static double next_step(bracket *b, double t, double first, double second) {
  double newton = second > 0 ? t - first / second : INFINITY;
  if (isinf(b->high)) {
    return fmin(fmax(newton, 2 * t), 1e3 * t);
  }
  double width = b->high - b->low;
  if (newton > b->low + 0.01 * width && newton < b->high - 0.01 * width) {
    return newton;
  }
  if (b->low == 0) {
    double next = fmax(b->shrink * b->high, 1e-301);
    b->shrink *= b->shrink;
    return next;
  }
  return b->high > 4 * b->low ? sqrt(b->low) * sqrt(b->high) : 0.5 * (b->low + b->high);
}

/* Takes in φ′(t), where what is not a number counts as too far out; true when low is good enough,
 * or cannot be told from high. */
static bool narrow(bracket *b, double t, double first) {
  if (first <= 0) {
    b->low = t;
    b->slope_at_low = first;
  } else {
    b->high = t;
  }
  return b->slope_at_low >= b->wanted || b->high - b->low <= 4e-16 * b->high || b->high < 1e-300;
}

/* A step t ≥ 0 with φ′(0)/10 ≤ φ′(t) ≤ 0, so that the objective falls by at least (1−0.01)
 * φ′(0)²/(2M), M the largest curvature on the way; t = 0 only if rounding hides every descent. `q`
 * is X·direction. */
static dperm_status line_search(const problem *p, const point *at, const double *direction,
                                const double *q, double *t, dperm_error *err) {
  double first = 0, second = 0, step = 1;
  TRY(problem_along(p, at, direction, q, 0, &first, &second, err));
  bracket b = {0, INFINITY, first, first / 10, 0.03};
  for (int tries = 0; b.slope_at_low < 0 && tries < MOST_EVALUATIONS; tries++) {
    TRY(problem_along(p, at, direction, q, step, &first, &second, err));
    if (narrow(&b, step, first)) {
      break;
    }
    step = next_step(&b, step, first, second);
  }
  *t = b.low;
  return DPERM_OK;
}

/* ---- the iteration */

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
  return problem_evaluate(p, false, &n->there, err);
}

static dperm_status iterate(iteration *n, dperm_error *err) {
  const problem *p = n->p;
  /* Superlinear convergence: Nocedal & Wright, 7.1; but against the smallest gradient seen. When a
   * row of a Huber loss has just begun to bend, its own gradient hides all others, and a residual
   * below a share of that one would only undo the last step, over and over. */
  double cg_tolerance = fmin(0.1, sqrt(n->best)) * (n->best / n->norm);
  TRY(newton_direction(p, n->options->method, &n->here, cg_tolerance, n->direction, err));
  move(n, 1);
  TRY(problem_evaluate(p, true, &n->there, err));
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

dperm_status newton(const problem *p, const solver_options *options, point *here, point *there,
                    solver_report *report, dperm_error *err) {
  size_t cols = problem_size(p);
  iteration n = {.p = p,
                 .options = options,
                 .best = INFINITY,
                 .report = report,
                 .here = *here,
                 .there = *there};
  OWNED(scratch_free) scratch work = {0};
  TRY(scratch_take(&work, cols, sizeof *n.direction, &n.direction, err));
  n.halved = vector_norm(n.here.gradient, cols);
  *report = (solver_report){0};
  while (!finished(&n)) {
    TRY(iterate(&n, err));
  }
  *here = n.here;
  *there = n.there;
  report->certified = certified_gradient(p, here);
  return cancel_check(err);
}
