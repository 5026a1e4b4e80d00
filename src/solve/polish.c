/* From f, along a direction d of descent (Newton's, else the gradient itself), to f + t·d for t =
 * 1, ½, ¼, … Two rules accept a step:
 * A. the certified gradient is at most half of what it was at the last such step, or the start;
 * B. along d the objective still falls at the new place, beyond what its error E could feign:
 *    dᵀĝ ≤ −2E‖d‖. By convexity it has fallen all the way, by at least t·E‖d‖.
 * A happens finitely often above the target. Between two of them every step lowers the objective by
 * at least a fixed amount, and it is bounded below; so the target is reached. That some t is
 * accepted: for d = −ĝ every t ≤ 1/(4M) is, M the largest curvature, while ‖ĝ‖ ≥ 6E. Newton's
 * direction gets a limited number of tries, so that bad ones cannot hold up the other.
 *
 * A loss with a tiny h is all but a kink, and Newton's direction is good up to the next kink only.
 * A walk that has not ended soon therefore tries another way to make one step of kind A: it follows
 * the minimizer while h shrinks from the size of the scores, where the loss is a parabola to all
 * rows, down to what it is. */
#include <math.h>

#include "base/double_double.h"
#include "base/memory.h"
#include "base/progress.h"
#include "loss/link.h"
#include "solve/certify.h"
#include "solve/direction.h"

enum {
  NEWTON_TRIES = 100, /* up to the next kink may be 1e-13 of the way */
  WALK_STEPS = 64,    /* after so many the path of h is tried, once */
  PATH_STEPS = 64     /* for one h of it */
};
static const double path_ratio = 4;    /* of one h to the next */
static const double path_share = 1e-3; /* of one row's gradient: near enough for the next h */

/* A place, and the gradient there with what it is known to be off by. */
typedef struct place {
  double *f, *f_rest;               /* wide */
  double *gradient, *gradient_rest; /* wide, one behind the other */
  double *z, *z_rest, *slope;       /* tall */
  double norm, error;
} place;

/* The true gradient is at most this long. */
static double certified(const place *at) {
  return at->norm + at->error;
}

static place place_in(double *wide, double *tall, const problem *p) {
  size_t cols = problem_size(p), rows = p->x->rows * link_scores(p->loss);
  return (place){.f = wide,
                 .f_rest = wide + cols,
                 .gradient = wide + 2 * cols,
                 .gradient_rest = wide + 3 * cols,
                 .z = tall,
                 .z_rest = tall + rows,
                 .slope = tall + 2 * rows};
}

typedef struct walk {
  const problem *p;
  place here, there;
  double *direction; /* wide */
  double *kept;      /* twice wide: f and its rest, while another way is tried */
} walk;

/* ---- the gradient */

/* What breaks its word could hold up the walk for ever: an infinite or missing slope at a finite
 * margin, where |ℓ′| ≤ L, or at an f where N_j″ ≤ most_curvature leaves N_j′ finite. */
static dperm_status check_slope(bool fine, dperm_error *err) {
  FAIL_IF(!fine, err, DPERM_NUMERIC_ERROR,
          "a custom loss or regularizer has a slope that is not a finite number, against what it "
          "declares; nothing is released");
  return DPERM_OK;
}

/* N_j′ in twice the precision for the library's own, at the high half for a custom one. */
static dperm_status penalty_slope(const dperm_regularizer *r, size_t j, double_double f,
                                  double_double *out, dperm_error *err) {
  double value, slope, curvature;
  if (!r->eval) {
    double_double away = dd_add(f, (double_double){r->prior ? -r->prior[j] : 0.0, 0});
    *out = dd_scale(away, r->weights ? r->weights[j] : 1.0);
    return DPERM_OK;
  }
  TRY(regularizer_eval(r, j, f.hi, &value, &slope, &curvature, err));
  TRY(check_slope(isfinite(slope) || r->most_curvature * fabs(f.hi) >= 0x1p1000, err));
  *out = (double_double){slope, 0};
  return DPERM_OK;
}

/* Products by one vector after the other, between which the k numbers of a row stand together. */
static dperm_status sum_rows(const problem *p, place *at, dperm_error *err) {
  size_t rows = p->x->rows, cols = p->x->cols, k = link_scores(p->loss);
  OWNED_MEMORY double *one = NULL, *sum = NULL;
  TRY(memory_new(2 * rows, sizeof *one, &one, err));
  TRY(memory_new(2 * cols, sizeof *sum, &sum, err));
  for (size_t c = 0; c < k; c++) {
    TRY(matrix_apply_dd(p->x, at->f + c * cols, at->f_rest + c * cols, one, one + rows, err));
    for (size_t i = 0; i < rows; i++) {
      at->z[i * k + c] = one[i];
      at->z_rest[i * k + c] = one[rows + i];
    }
  }
  problem_slopes_dd(p, at->z, at->z_rest, at->slope);
  TRY(cancel_check(err));
  for (size_t i = 0; i < rows * k; i++) {
    TRY(check_slope(isfinite(at->slope[i]) || !isfinite(at->z[i]) || !isfinite(at->z_rest[i]),
                    err));
  }
  for (size_t c = 0; c < k; c++) {
    for (size_t i = 0; i < rows; i++) {
      one[i] = at->slope[i * k + c];
    }
    TRY(matrix_apply_transposed_dd(p->x, one, sum, err));
    memcpy(at->gradient + c * cols, sum, cols * sizeof *sum);
    memcpy(at->gradient_rest + c * cols, sum + cols, cols * sizeof *sum);
  }
  return DPERM_OK;
}

static dperm_status evaluate(const problem *p, place *at, dperm_error *err) {
  const problem_model *model = &p->model;
  size_t size = problem_size(p);
  double n = problem_divisor(p);
  TRY(sum_rows(p, at, err));
  for (size_t j = 0; j < size; j++) {
    double_double f = {at->f[j], at->f_rest[j]}, slope;
    TRY(penalty_slope(p->regularizer, j % p->x->cols, f, &slope, err));
    double_double g = dd_divide((double_double){at->gradient[j], at->gradient_rest[j]}, n);
    g = dd_add(g, dd_scale(slope, model->lambda));
    g = dd_add(g, dd_scale(f, model->ridge));
    g = dd_add(g, (double_double){model->linear ? model->linear[j] : 0.0, 0});
    at->gradient[j] = g.hi;
    at->gradient_rest[j] = g.lo;
  }
  const evaluation e = evaluation_at(p, at->f, at->slope);
  at->norm = norm_above(at->gradient, size);
  at->error = evaluation_error(&e, IN_DD);
  return cancel_check(err); /* a sum that was stopped has left it infinite */
}

/* ---- directions */

static dperm_status find_direction(walk *w, solver_method method, dperm_error *err) {
  const problem *p = w->p;
  /* In place of the slopes, for which nobody asks between two gradients; and at the doubles nearby,
   * since any positive curvature will do. */
  problem_curvatures(p, w->here.z, w->here.slope);
  const point at = {
      .f = w->here.f, .z = w->here.z, .curvature = w->here.slope, .gradient = w->here.gradient};
  return newton_direction(p, method, &at, 1e-4, w->direction, err);
}

/* At least the Hessian's largest eigenvalue: cR²·problem_crowd, and the rest's diagonal. */
static dperm_status largest_curvature(const walk *w, double *out, dperm_error *err) {
  const problem *p = w->p;
  double penalty = 0, here = 0;
  for (size_t j = 0; j < problem_size(p); j++) {
    TRY(problem_penalty_curvature(p, j, w->here.f[j], &here, err));
    penalty = fmax(penalty, here);
  }
  *out = problem_crowd(p) * p->loss->smoothness * p->norm_bound * p->norm_bound + penalty;
  return DPERM_OK;
}

/* ---- steps */

static void step_to_there(walk *w, double t) {
  for (size_t j = 0; j < problem_size(w->p); j++) {
    double_double f =
        dd_add((double_double){w->here.f[j], w->here.f_rest[j]}, two_product(t, w->direction[j]));
    w->there.f[j] = f.hi;
    w->there.f_rest[j] = f.lo;
  }
}

/* dᵀĝ there. */
static double slope_there(const walk *w) {
  double_double sum = {0, 0};
  for (size_t j = 0; j < problem_size(w->p); j++) {
    double_double g = {w->there.gradient[j], w->there.gradient_rest[j]};
    sum = dd_add(sum, dd_scale(g, w->direction[j]));
  }
  return sum.hi;
}

/* Tries t, t/2, … along w->direction; *moved tells whether `there` was accepted. */
static dperm_status descend(walk *w, double t, int tries, double *halved, bool *moved,
                            dperm_error *err) {
  double length = norm_above(w->direction, problem_size(w->p));
  *moved = false;
  for (; tries > 0 && t > 0 && length > 0 && isfinite(length); tries--, t /= 2) {
    step_to_there(w, t);
    TRY(evaluate(w->p, &w->there, err));
    if (!isfinite(w->there.norm)) {
      continue;
    }
    bool halves = certified(&w->there) <= *halved / 2;
    if (halves || slope_there(w) <= -2 * w->there.error * length) {
      *halved = halves ? certified(&w->there) : *halved;
      *moved = true;
      return DPERM_OK;
    }
  }
  return DPERM_OK;
}

static dperm_status take_step(walk *w, solver_method method, double *halved, dperm_error *err) {
  const problem *p = w->p;
  bool moved = false;
  double bend = 0;
  TRY(largest_curvature(w, &bend, err));
  /* A Newton step is no shorter than gradient/curvature: one that is has been lost to rounding. */
  if (find_direction(w, method, NULL) == DPERM_OK &&
      norm_above(w->direction, problem_size(p)) >= w->here.norm / bend / 2) {
    TRY(descend(w, 1.0, NEWTON_TRIES, halved, &moved, err));
  }
  if (!moved) {
    for (size_t j = 0; j < problem_size(p); j++) {
      w->direction[j] = -w->here.gradient[j];
    }
    TRY(descend(w, 1 / bend, INT32_MAX, halved, &moved, err));
  }
  FAIL_IF(!moved, err, DPERM_NUMERIC_ERROR,
          "the objective falls in no direction and is not at its minimum; check a custom loss or "
          "regularizer and the errors it declares");
  place before = w->here;
  w->here = w->there;
  w->there = before;
  return DPERM_OK;
}

/* ---- the path of h */

/* From here to near the minimizer with another loss; that it is not quite there costs nothing but
 * time. Above 8E a step is found, as above the target. */
static dperm_status solve_for(walk *w, const dperm_loss *loss, const solver_options *options,
                              dperm_error *err) {
  const problem *given = w->p;
  problem other = *given;
  double near = path_share * loss->lipschitz * given->norm_bound / problem_divisor(given);
  other.loss = loss;
  w->p = &other;
  dperm_status status = evaluate(w->p, &w->here, err);
  double halved = certified(&w->here);
  for (int step = 0; status == DPERM_OK && step < PATH_STEPS; step++) {
    if (!(certified(&w->here) > fmax(near, 8 * w->here.error))) {
      break;
    }
    status = take_step(w, options->method, &halved, err);
  }
  w->p = given;
  return status;
}

/* Where the path ends is taken if rule A does; else the walk goes on from where it was. */
static dperm_status follow_path(walk *w, const solver_options *options, double *halved,
                                dperm_error *err) {
  const problem *p = w->p;
  const loss_kind *kind = loss_kind_of(p->loss);
  size_t cols = problem_size(p), size = cols * sizeof *w->kept;
  if (!kind || !kind->corner) {
    return DPERM_OK;
  }
  memcpy(w->kept, w->here.f, size);
  memcpy(w->kept + cols, w->here.f_rest, size);
  dperm_loss smoother;
  double last = p->loss->parameter, first = norm_above(w->here.f, cols) * p->norm_bound;
  for (double h = fmin(first, kind->h_most); h > last; h /= path_ratio) {
    TRY(loss_with_h(p->loss, h, &smoother, err));
    TRY(solve_for(w, &smoother, options, err));
  }
  TRY(solve_for(w, p->loss, options, err));
  if (certified(&w->here) <= *halved / 2) {
    *halved = certified(&w->here);
    return DPERM_OK;
  }
  memcpy(w->here.f, w->kept, size);
  memcpy(w->here.f_rest, w->kept + cols, size);
  return evaluate(p, &w->here, err);
}

/* ---- all of it */

/* Starts at f if the gradient there is known to be no longer than at zero, so that all that follows
 * stays within known bounds; else at zero. */
static dperm_status choose_start(walk *w, const double *f, const double *rest, dperm_error *err) {
  size_t size = problem_size(w->p) * sizeof *f;
  TRY(evaluate(w->p, &w->here, err)); /* at zero: fresh memory */
  memcpy(w->there.f, f, size);
  memcpy(w->there.f_rest, rest, size);
  TRY(evaluate(w->p, &w->there, err));
  if (certified(&w->there) <= certified(&w->here)) {
    place zero = w->here;
    w->here = w->there;
    w->there = zero;
  }
  return DPERM_OK;
}

dperm_status polish(const problem *p, double target, const solver_options *options, double *f,
                    double *rest, solver_report *report, dperm_error *err) {
  size_t cols = problem_size(p), rows = p->x->rows * link_scores(p->loss);
  OWNED_MEMORY double *wide = NULL, *tall = NULL;
  TRY(memory_new(11 * cols, sizeof *wide, &wide, err));
  TRY(memory_new(4 * rows, sizeof *tall, &tall, err));
  walk w = {.p = p, .direction = wide + 8 * cols, .kept = wide + 9 * cols};
  w.here = place_in(wide, tall, p);
  w.there = place_in(wide + 4 * cols, tall, p);
  w.there.z = tall + 3 * rows; /* z_rest and slope are used only while the gradient is made */
  TRY(choose_start(&w, f, rest, err));
  double halved = certified(&w.here);
  size_t steps = 0;
  while (!(certified(&w.here) <= target)) {
    FAIL_IF(!isfinite(w.here.norm) || !isfinite(w.here.error), err, DPERM_NUMERIC_ERROR,
            "the gradient is not a finite number, so nothing is released; the loss, the "
            "regularizer or the rows hold something that is not one");
    TRY(take_step(&w, options->method, &halved, err));
    report->iterations++;
    if (++steps == WALK_STEPS) {
      TRY(follow_path(&w, options, &halved, err));
    }
  }
  report->gradient_norm = w.here.norm;
  report->certified = certified(&w.here);
  report->converged = true;
  memcpy(f, w.here.f, cols * sizeof *f);
  memcpy(rest, w.here.f_rest, cols * sizeof *rest);
  return DPERM_OK;
}
