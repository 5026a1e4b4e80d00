/* Threads take models from one list, as many at a time as a pass has room for; who is done makes
 * space for the next.
 *
 * A model is solved by limited-memory BFGS over the Cholesky factor that all share. It says where
 * to look next and is told the gradient there. Steps of full length are taken unless they
 * overshoot: the derivative along the direction must not come out as more than half of what it was
 * with the other sign. With a convex objective that is all that can go wrong far away; near the
 * minimum nothing does. There is no proof of convergence here and none is needed: a model that
 * takes too long is given up. */
#include "solve/batch_solve.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/thread_pool.h"
#include "base/vector.h"
#include "solve/batch_pass.h"
#include "solve/certify.h"
#include "solve/direction.h"

enum { MOST_PASSES = 80 };

/* ---- one model */

typedef struct batch_model {
  const batch *b;
  size_t number;                  /* which of all models it is */
  problem one;                    /* the problem with its linear term */
  double *f, *gradient;           /* where it stands */
  double *trial, *trial_gradient; /* where it wants to know */
  double *direction;
  lbfgs memory;
  size_t passes;
  double slope, length; /* dᵀ∇J where it stands, and the step that is tried */
  bool begun;           /* it stands somewhere */
  bool solved, given_up;
  double certified;
} batch_model;

/* Doubles that a model needs. */
static size_t model_work_size(size_t cols) {
  return 5 * cols + lbfgs_work_size(cols);
}

/* Model m from its start. */
static void model_begin(batch_model *d, const batch *b, size_t m, double *work) {
  size_t cols = b->p->x->cols;
  *d = (batch_model){.b = b,
                     .number = m,
                     .one = *b->p,
                     .f = work,
                     .gradient = work + cols,
                     .trial = work + 2 * cols,
                     .trial_gradient = work + 3 * cols,
                     .direction = work + 4 * cols};
  d->one.model.linear = b->linear + m * cols;
  lbfgs_begin(&d->memory, cols, work + 5 * cols);
  memcpy(d->trial, b->weights + m * cols, cols * sizeof *d->trial);
}

/* d := H₀⁻¹ d by the factor. */
static dperm_status solve_factor(void *context, double *d, dperm_error *err) {
  const batch *b = ((const batch_model *)context)->b;
  (void)err;
  cholesky_solve(b->factor, b->p->x->cols, d);
  return DPERM_OK;
}

static void place_trial(batch_model *d) {
  for (size_t j = 0; j < d->one.x->cols; j++) {
    d->trial[j] = d->f[j] + d->length * d->direction[j];
  }
}

/* Stand at the trial. */
static void move(batch_model *d) {
  size_t size = d->one.x->cols * sizeof *d->f;
  if (d->begun) {
    lbfgs_add(&d->memory, d->f, d->trial, d->gradient, d->trial_gradient);
  }
  memcpy(d->f, d->trial, size);
  memcpy(d->gradient, d->trial_gradient, size);
  d->begun = true;
}

static bool certify_here(batch_model *d) {
  double norm = norm_above(d->gradient, d->one.x->cols), target = d->b->target[d->number];
  if (!(norm <= target)) {
    return false;
  }
  evaluation here = evaluation_at(&d->one, d->f, NULL, NULL);
  here.row_depth = (double)batch_pass_row_depth(d->one.x);
  here.depth = (double)batch_pass_sum_depth(d->one.x);
  d->certified = norm + evaluation_error(&here, IN_DOUBLES);
  return d->certified <= target;
}

/* The trial's gradient is known: d->trial_gradient has the sum over rows. Either it is solved, or
 * given up, or there is a new trial. */
static void model_hear(batch_model *d) {
  size_t cols = d->one.x->cols;
  double *gradient = d->trial_gradient;
  bool known = problem_add_penalty(&d->one, true, d->trial, gradient, NULL) == DPERM_OK;
  double norm = known ? vector_norm(gradient, cols) : NAN;
  double slope = vector_dot(d->direction, gradient, cols);
  bool overshot = d->begun && !(isfinite(norm) && slope <= -0.5 * d->slope);
  if (++d->passes > MOST_PASSES || (!d->begun && !isfinite(norm))) {
    d->given_up = true;
    return;
  }
  if (overshot) {
    double share = isfinite(slope) ? d->slope / (d->slope - slope) : 0;
    d->length *= fmin(0.7, fmax(0.1, share));
    place_trial(d);
    return;
  }
  move(d);
  d->solved = certify_here(d);
  if (d->solved) {
    return;
  }
  for (size_t j = 0; j < cols; j++) {
    d->direction[j] = -d->gradient[j];
  }
  (void)lbfgs_solve(&d->memory, solve_factor, d, d->direction, NULL);
  d->slope = vector_dot(d->direction, d->gradient, cols);
  d->given_up = !(d->slope < 0); /* not a number, or lost to rounding */
  d->length = 1;
  place_trial(d);
}

/* ---- a thread's models */

/* What the threads share. */
typedef struct many {
  const batch *b;
  atomic_size_t next; /* the first model that nobody has taken */
  atomic_bool failed;
  dperm_error first; /* why, of the thread that failed first */
} many;

typedef struct pool {
  many *shared;
  batch_pass rows;
  batch_model models[BATCH_WIDTH];
  size_t count; /* so many of them */
  double *works;
} pool;

static void pool_free(pool *p) {
  if (p) {
    batch_pass_close(&p->rows);
    free(p->works);
    free(p);
  }
}
OWNED_HANDLE(pool, pool_free)

static dperm_status fill(many *s, pool *p, dperm_error *err) {
  const batch *b = s->b;
  size_t work_size = model_work_size(b->p->x->cols), m = 0;
  p->shared = s;
  TRY(batch_pass_open(b->p, &p->rows, err));
  TRY(memory_new(BATCH_WIDTH * work_size, sizeof *p->works, &p->works, err));
  while (p->count < BATCH_WIDTH && (m = atomic_fetch_add(&s->next, 1)) < b->count) {
    model_begin(&p->models[p->count], b, m, p->works + p->count * work_size);
    p->count++;
  }
  return DPERM_OK;
}

/* Models that are done make place for the list's next, or for the last of the pool. */
static void leave(pool *p) {
  const batch *b = p->shared->b;
  size_t cols = b->p->x->cols;
  for (size_t i = 0; i < p->count;) {
    batch_model *d = &p->models[i];
    if (!d->solved && !d->given_up) {
      i++;
      continue;
    }
    size_t m = d->number, next = atomic_fetch_add(&p->shared->next, 1);
    if (d->solved) {
      b->certified[m] = d->certified;
      memcpy(b->weights + m * cols, d->f, cols * sizeof *d->f);
    }
    if (next < b->count) {
      model_begin(d, b, next, d->f);
    } else {
      *d = p->models[--p->count];
    }
  }
}

static dperm_status pass(pool *p, dperm_error *err) {
  batch_pass *l = &p->rows;
  size_t cols = l->p->x->cols;
  memset(l->f, 0, cols * BATCH_WIDTH * sizeof *l->f);
  for (size_t m = 0; m < p->count; m++) {
    for (size_t j = 0; j < cols; j++) {
      l->f[j * BATCH_WIDTH + m] = p->models[m].trial[j];
    }
  }
  if (!cancel_poll()) {
    batch_pass_run(l);
  }
  TRY(cancel_check(err)); /* before a sum that is not whole is heard */
  for (size_t m = 0; m < p->count; m++) {
    for (size_t j = 0; j < cols; j++) {
      p->models[m].trial_gradient[j] = l->gradient[j * BATCH_WIDTH + m];
    }
    model_hear(&p->models[m]);
  }
  return DPERM_OK;
}

/* Models until none is left. */
static dperm_status solve_some(many *shared, dperm_error *err) {
  OWNED(pool_free_at) pool *own = NULL;
  TRY(arithmetic_check(err)); /* of this thread; certificates rest on it */
  TRY(memory_new(1, sizeof *own, &own, err));
  TRY(fill(shared, own, err));
  for (; own->count > 0 && !atomic_load(&shared->failed); leave(own)) {
    TRY(pass(own, err));
  }
  return DPERM_OK;
}

/* One thread's part. */
static void work(void *context, size_t piece, size_t worker) {
  many *shared = context;
  dperm_error err = {0};
  (void)piece;
  (void)worker;
  dperm_status status = solve_some(shared, &err);
  if (status != DPERM_OK && !atomic_exchange(&shared->failed, true)) {
    shared->first = err;
    shared->first.status = status;
  }
}

dperm_status batch_solve(const batch *b, dperm_error *err) {
  many shared = {.b = b};
  for (size_t m = 0; m < b->count; m++) {
    b->certified[m] = INFINITY;
  }
  pool_run(b->count > BATCH_WIDTH ? pool_workers() : 1, work, &shared);
  if (atomic_load(&shared.failed)) {
    FAIL(err, shared.first.status, "%s", shared.first.message);
  }
  return DPERM_OK;
}
