/* Threads take models from one list, a pool of them at a time. A pass serves models of the pool
 * that want the same, gradients or Hessians too; who is done makes space for the next.
 *
 * A model is solved by limited-memory BFGS over a Cholesky factor of the Hessian at some earlier
 * point. It says where to look next, is told the gradient there, and asks for a new Hessian when
 * the old one has become the slower way. Steps of full length are taken unless they overshoot: the
 * derivative along the direction must not come out as more than half of what it was with the other
 * sign. With a convex objective that is all that can go wrong far away; near the minimum nothing
 * does. There is no proof of convergence here and none is needed: a model that takes too long is
 * given up. */
#include "solve/batch_solve.h"

#include <math.h>
#include <pthread.h>
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

enum { POOL = 3 * BATCH_WIDTH, MOST_PASSES = 80, STEPS_AFTER_HESSIAN = 3, MOST_OWN_COLUMNS = 512 };

/* ---- one model */

typedef struct batch_model {
  problem one;                    /* the problem with this model */
  size_t number;                  /* which of all models it is */
  double target;                  /* for the certified gradient */
  const double *factor;           /* in use: shared or own */
  double *own;                    /* space for its own; NULL where there are too many columns */
  double *f, *gradient;           /* where it stands */
  double *trial, *trial_gradient; /* where it wants to know */
  double *direction;
  lbfgs memory;
  size_t passes;
  double norm, slope, length; /* ‖∇J‖ and dᵀ∇J where it stands, and the step that is tried */
  bool begun;                 /* it stands somewhere */
  bool wants_hessian;         /* with the trial's gradient */
  bool solved, given_up;
  double certified;
} batch_model;

/* Whether models make factors of their own. */
static bool owns_factor(size_t cols) {
  return cols <= MOST_OWN_COLUMNS;
}

/* Doubles that a model needs. */
static size_t model_work_size(size_t cols) {
  return 5 * cols + lbfgs_work_size(cols) + (owns_factor(cols) ? cols * cols : 0);
}

/* Model m from its start; with the shared factor, or with one of its own at once. */
static void model_begin(batch_model *d, const batch *b, size_t m, double *work) {
  size_t cols = b->p->x->cols;
  bool owns = owns_factor(cols);
  *d = (batch_model){.one = *b->p,
                     .number = m,
                     .factor = b->factor,
                     .f = work,
                     .gradient = work + cols,
                     .trial = work + 2 * cols,
                     .trial_gradient = work + 3 * cols,
                     .direction = work + 4 * cols,
                     .own = owns ? work + 5 * cols + lbfgs_work_size(cols) : NULL,
                     .wants_hessian = !b->factor,
                     .given_up = !b->factor && !owns,
                     .target = b->target[m]};
  d->one.model = b->models[m];
  lbfgs_begin(&d->memory, cols, work + 5 * cols);
  memcpy(d->trial, b->weights + m * cols, cols * sizeof *d->trial);
}

/* d := H₀⁻¹ d by the factor. */
static dperm_status solve_factor(void *context, double *d, dperm_error *err) {
  const batch_model *model = context;
  (void)err;
  cholesky_solve(model->factor, model->one.x->cols, d);
  return DPERM_OK;
}

/* Σ ℓ″ x xᵀ becomes the factor of ∇²J where it stands; false where there is none. */
static bool factor_hessian(const batch_model *d, double *h) {
  size_t cols = d->one.x->cols;
  for (size_t j = 0; j < cols; j++) {
    h[j * cols + j] *= 1 + 1e-5; /* sums of floats may come out a little less than they are */
  }
  return hessian_of_gram(&d->one, d->f, h, NULL) == DPERM_OK && cholesky_factor(h, cols);
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
  double norm = norm_above(d->gradient, d->one.x->cols);
  if (!(norm <= d->target)) {
    return false;
  }
  evaluation here = evaluation_at(&d->one, d->f, NULL, NULL);
  here.row_depth = (double)batch_pass_row_depth(d->one.x);
  here.depth = (double)batch_pass_sum_depth(d->one.x);
  d->certified = norm + evaluation_error(&here, IN_DOUBLES);
  return d->certified <= d->target;
}

/* Whether going on at this pace costs more than a new Hessian and the few steps it takes then. */
static bool hessian_pays(const batch_model *d, double before) {
  double pace = d->norm / before;
  double left = pace < 1 ? log(d->target / d->norm) / log(pace) : INFINITY;
  return d->own && left > batch_pass_hessian_cost(d->one.x) + STEPS_AFTER_HESSIAN;
}

/* The trial's gradient is known: d->trial_gradient has the sum over rows, and `hessian` the upper
 * triangle of theirs if it was wanted, else NULL. Either it is solved, or given up, or there is a
 * new trial. */
static void model_hear(batch_model *d, double *hessian) {
  size_t cols = d->one.x->cols;
  double before = d->norm;
  d->passes++;
  double *gradient = d->trial_gradient;
  bool known = problem_add_penalty(&d->one, true, d->trial, gradient, NULL) == DPERM_OK;
  double norm = known ? vector_norm(gradient, cols) : NAN;
  double slope = vector_dot(d->direction, gradient, cols);
  bool overshot = d->begun && !(isfinite(norm) && slope <= -0.5 * d->slope);
  if (d->passes > MOST_PASSES || (!d->begun && !isfinite(norm))) {
    d->given_up = true;
    return;
  }
  if (overshot) {
    double share = isfinite(slope) ? d->slope / (d->slope - slope) : 0;
    d->length *= fmin(0.7, fmax(0.1, share));
    d->wants_hessian = d->own != NULL; /* the old one is no good here */
    place_trial(d);
    return;
  }
  bool first = !d->begun;
  move(d);
  d->norm = norm;
  d->solved = certify_here(d);
  if (d->solved) {
    return;
  }
  if (hessian && factor_hessian(d, hessian)) {
    memcpy(d->own, hessian, cols * cols * sizeof *hessian);
    d->factor = d->own;
    d->memory.pairs = 0;
  }
  d->wants_hessian = !first && !hessian && hessian_pays(d, before);
  if (d->factor) {
    for (size_t j = 0; j < cols; j++) {
      d->direction[j] = -d->gradient[j];
    }
    (void)lbfgs_solve(&d->memory, solve_factor, d, d->direction, NULL);
    d->slope = vector_dot(d->direction, d->gradient, cols);
  }
  if (!d->factor || !(d->slope < 0)) { /* not a number, or lost to rounding */
    d->given_up = true;
    return;
  }
  d->length = 1;
  place_trial(d);
}

/* ---- the pool */

/* What the threads share. */
typedef struct many {
  const batch *b;
  size_t workers;
  pthread_mutex_t lock; /* of `next` */
  size_t next;          /* the first model that nobody has taken */
  atomic_bool failed;
  dperm_error first; /* why, of the thread that failed first */
} many;

typedef struct pool {
  many *shared;
  batch_pass rows;
  batch_model models[POOL];
  size_t count; /* so many of them */
  double *works, *square;
} pool;

static void pool_free(pool *p) {
  if (p) {
    batch_pass_close(&p->rows);
    free(p->works);
    free(p->square);
    free(p);
  }
}
OWNED_HANDLE(pool, pool_free)

/* The next model from the list, b->count if there is none. A thread takes no more than its share
 * of what is left, so that none waits for another with a full pool. */
static size_t take(many *s, size_t held) {
  pthread_mutex_lock(&s->lock);
  size_t left = s->b->count - s->next, share = left / s->workers + 1;
  size_t m = left > 0 && (held < BATCH_WIDTH || held < share) ? s->next++ : s->b->count;
  pthread_mutex_unlock(&s->lock);
  return m;
}

static dperm_status fill(many *s, pool *p, dperm_error *err) {
  const batch *b = s->b;
  size_t cols = b->p->x->cols, most = b->count < POOL ? b->count : POOL;
  size_t work_size = model_work_size(cols);
  p->shared = s;
  TRY(batch_pass_open(b->p, owns_factor(cols), &p->rows, err));
  TRY(memory_new(most * work_size, sizeof *p->works, &p->works, err));
  TRY(memory_new(cols * cols, sizeof *p->square, &p->square, err));
  for (size_t m = 0; p->count < most && (m = take(s, p->count)) < b->count; p->count++) {
    model_begin(&p->models[p->count], b, m, p->works + p->count * work_size);
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
    size_t m = d->number, next = take(p->shared, p->count - 1);
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

/* ---- passes */

/* Up to BATCH_WIDTH models that want the same: Hessians when a pass can be filled with them, or
 * when nobody wants anything else. */
static size_t choose(pool *p, batch_model *chosen[BATCH_WIDTH], bool *hessian) {
  size_t wanting = 0, count = 0;
  for (size_t i = 0; i < p->count; i++) {
    wanting += p->models[i].wants_hessian;
  }
  *hessian = wanting >= BATCH_WIDTH || (wanting > 0 && wanting == p->count);
  for (size_t i = 0; i < p->count && count < BATCH_WIDTH; i++) {
    if (p->models[i].wants_hessian == *hessian) {
      chosen[count++] = &p->models[i];
    }
  }
  return count;
}

static dperm_status pass(pool *p, dperm_error *err) {
  batch_pass *l = &p->rows;
  batch_model *chosen[BATCH_WIDTH];
  const matrix *x = l->p->x;
  bool hessian = false;
  size_t cols = x->cols, count = choose(p, chosen, &hessian);
  memset(l->f, 0, cols * BATCH_WIDTH * sizeof *l->f);
  for (size_t m = 0; m < count; m++) {
    for (size_t j = 0; j < cols; j++) {
      l->f[j * BATCH_WIDTH + m] = chosen[m]->trial[j];
    }
  }
  batch_pass_run(l, hessian);
  TRY(cancel_check(err)); /* before a sum that is not whole is heard */
  for (size_t m = 0; m < count; m++) {
    for (size_t j = 0; j < cols; j++) {
      chosen[m]->trial_gradient[j] = l->gradient[j * BATCH_WIDTH + m];
    }
    if (hessian) {
      batch_pass_hessian(l, m, p->square);
    }
    model_hear(chosen[m], hessian ? p->square : NULL);
  }
  return DPERM_OK;
}

/* Models until none is left. Only the caller's own thread may call its progress. */
static dperm_status solve_some(many *shared, bool caller, dperm_error *err) {
  OWNED(pool_free_at) pool *own = NULL;
  TRY(arithmetic_check(err)); /* of this thread; certificates rest on it */
  TRY(memory_new(1, sizeof *own, &own, err));
  TRY(fill(shared, own, err));
  for (; own->count > 0 && !atomic_load(&shared->failed); leave(own)) {
    if (caller) {
      TRY(progress_tick(shared->b->progress, "solving", 0, 0, err));
    }
    TRY(pass(own, err));
  }
  return DPERM_OK;
}

/* One thread's part. */
static void work(void *context, size_t piece, size_t worker) {
  many *shared = context;
  dperm_error err = {0};
  (void)piece;
  dperm_status status = solve_some(shared, worker == 0, &err);
  if (status != DPERM_OK && !atomic_exchange(&shared->failed, true)) {
    shared->first = err;
    shared->first.status = status;
  }
}

dperm_status batch_solve(const batch *b, dperm_error *err) {
  many shared = {.b = b,
                 .workers = b->count > BATCH_WIDTH ? pool_workers() : 1,
                 .lock = PTHREAD_MUTEX_INITIALIZER};
  for (size_t m = 0; m < b->count; m++) {
    b->certified[m] = INFINITY;
  }
  /* Also where the other threads leave nothing for the caller's own. */
  TRY(progress_tick(b->progress, "solving", 0, 0, err));
  pool_run(shared.workers, work, &shared);
  if (atomic_load(&shared.failed)) {
    FAIL(err, shared.first.status, "%s", shared.first.message);
  }
  return DPERM_OK;
}
