/* Damped Newton for k models in step. A full step is taken when it halves the smallest gradient
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

typedef struct batch {
  const problem *p;
  const solver_options *options;
  scratch *work;
  point here, there;
  double *direction; /* wide */
  double *step;      /* per model */
  double *cg_tolerance;
  double *norm;   /* ‖∇J‖ here */
  double *halved; /* ‖∇J‖ at the last full step */
  double *best;   /* the smallest ‖∇J‖ seen */
  size_t *idle;   /* iterations since `best` fell by a tenth */
  bool *active, *searching;
  solver_report *report;
} batch;

static dperm_status new_batch(const problem *p, batch *b, dperm_error *err) {
  size_t k = p->models;
  TRY(point_take(p, b->work, NULL, &b->here, err));
  TRY(point_take(p, b->work, &b->here, &b->there, err));
  TRY(scratch_take(b->work, p->x->cols * k, sizeof *b->direction, &b->direction, err));
  TRY(scratch_take(b->work, 5 * k, sizeof *b->step, &b->step, err));
  b->cg_tolerance = b->step + k;
  b->norm = b->step + 2 * k;
  b->halved = b->step + 3 * k;
  b->best = b->step + 4 * k;
  TRY(scratch_take(b->work, k, sizeof *b->idle, &b->idle, err));
  TRY(scratch_take(b->work, 2 * k, sizeof *b->active, &b->active, err));
  b->searching = b->active + k;
  return DPERM_OK;
}

/* Takes note of where each model stands and retires those that are done. */
static size_t retire(batch *b) {
  const problem *p = b->p;
  size_t left = 0;
  for (size_t m = 0; m < p->models; m++) {
    if (!b->active[m]) {
      continue;
    }
    double norm = vector_norm(b->here.gradient + m, p->x->cols, p->models);
    b->norm[m] = norm;
    b->idle[m] = norm < 0.9 * b->best[m] ? 0 : b->idle[m] + 1;
    b->best[m] = fmin(norm, b->best[m]);
    bool reached = norm <= b->options->tolerance;
    bool stands = b->report[m].iterations > 0 && b->step[m] == 0; /* and would for ever */
    bool at_limit =
        (b->idle[m] >= PATIENCE || stands) && norm <= 4 * rounding_limit(p, m, b->here.f);
    bool given_up = stands || b->report[m].iterations >= MOST_ITERATIONS;
    b->report[m].gradient_norm = norm;
    b->report[m].converged = reached || at_limit;
    b->active[m] = !(reached || at_limit || given_up);
    left += b->active[m];
  }
  return left;
}

static dperm_status find_direction(batch *b, dperm_error *err) {
  const problem *p = b->p;
  /* Superlinear convergence: Nocedal & Wright, 7.1; but against the smallest gradient seen. When a
   * row of a Huber loss has just begun to bend, its own gradient hides all others, and a residual
   * below a share of that one would only undo the last step, over and over. */
  for (size_t m = 0; m < p->models; m++) {
    b->cg_tolerance[m] = fmin(0.1, sqrt(b->best[m])) * (b->best[m] / b->norm[m]);
  }
  return newton_direction(p, b->options->method, &b->here, b->active, b->cg_tolerance,
                          b->options->progress, b->direction, err);
}

/* there = here + step·direction. */
static void move(batch *b) {
  size_t k = b->p->models, wide = b->p->x->cols * k;
  for (size_t i = 0; i < wide; i++) {
    b->there.f[i] = b->here.f[i] + b->step[i % k] * b->direction[i];
  }
}

/* Full steps where they halve the gradient; marks the models that need the line search. */
static dperm_status try_full_steps(batch *b, size_t *searching, dperm_error *err) {
  const problem *p = b->p;
  for (size_t m = 0; m < p->models; m++) {
    b->step[m] = b->active[m] ? 1.0 : 0.0;
  }
  move(b);
  TRY(problem_try(p, &b->there, err));
  *searching = 0;
  for (size_t m = 0; m < p->models; m++) {
    double norm = vector_norm(b->there.gradient + m, p->x->cols, p->models);
    b->searching[m] = b->active[m] && !(isfinite(norm) && norm <= 0.5 * b->halved[m]);
    *searching += b->searching[m];
    if (b->active[m] && !b->searching[m]) {
      b->halved[m] = norm;
    }
  }
  return DPERM_OK;
}

static dperm_status search_steps(batch *b, dperm_error *err) {
  const problem *p = b->p;
  double *q = b->there.z; /* X·direction, where nothing is asked of the full step any more */
  double *found = b->cg_tolerance; /* free after the direction */
  TRY(p->x->kind->apply(p->x, b->direction, p->models, q, err));
  TRY(line_search(p, &b->here, b->direction, q, b->searching, found, err));
  for (size_t m = 0; m < p->models; m++) {
    b->step[m] = b->searching[m] ? found[m] : b->step[m];
  }
  move(b);
  return problem_evaluate(p, &b->there, err);
}

static dperm_status iterate(batch *b, dperm_error *err) {
  size_t searching = 0;
  TRY(find_direction(b, err));
  TRY(try_full_steps(b, &searching, err));
  if (searching > 0) {
    TRY(search_steps(b, err));
  }
  for (size_t m = 0; m < b->p->models; m++) {
    b->report[m].iterations += b->active[m];
  }
  point before = b->here;
  b->here = b->there;
  b->there = before;
  return DPERM_OK;
}

/* From here->f to an evaluated point: the minimizer of a sample, solved in the same manner down to
 * a few rows, and from there by a quasi-Newton method; or the start itself without a sample. */
static dperm_status begin(batch *b, dperm_error *err) {
  dperm_status status = DPERM_OK;
  row_sample sample;
  solver_report report;
  TRY(row_sample_take(b->p, b->options, &sample, err));
  if (!sample.x) {
    return problem_evaluate(b->p, &b->here, err);
  }
  solver_options rough = *b->options;
  rough.tolerance = row_sample_tolerance(&sample, b->options);
  TRY_OR_DONE(solve(&sample.p, &rough, b->here.f, &report, err));
  TRY_OR_DONE(warm_start(b->p, &sample.p, b->options, &b->here, &b->there, err));
done:
  row_sample_free(&sample);
  return status;
}

dperm_status solve(const problem *p, const solver_options *options, double *weights,
                   solver_report *report, dperm_error *err) {
  dperm_status status = DPERM_OK;
  scratch work;
  batch b = {.p = p, .options = options, .work = &work, .report = report};
  size_t wide = p->x->cols * p->models;
  scratch_init(&work);
  TRY_OR_DONE(new_batch(p, &b, err));
  memcpy(b.here.f, weights, wide * sizeof *weights);
  TRY_OR_DONE(begin(&b, err));
  for (size_t m = 0; m < p->models; m++) {
    b.active[m] = true;
    b.halved[m] = vector_norm(b.here.gradient + m, p->x->cols, p->models);
    b.best[m] = INFINITY;
    report[m] = (solver_report){0};
  }
  TRY_OR_DONE(progress_tick(options->progress, "solving", 0, 0, err));
  double asked = 0;
  while (retire(&b) > 0) {
    TRY_OR_DONE(progress_tick_seldom(options->progress, "solving", &asked, err));
    TRY_OR_DONE(iterate(&b, err));
  }
  memcpy(weights, b.here.f, wide * sizeof *weights);
  for (size_t m = 0; m < p->models; m++) {
    report[m].certified = certified_gradient(p, m, &b.here);
  }
done:
  scratch_free(&work);
  return status;
}
