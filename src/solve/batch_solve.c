/* Threads take models from one list, a pool of them at a time. A pass serves models of the pool
 * that want the same, gradients or Hessians too; who is done makes space for the next. */
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
#include "solve/batch_lbfgs.h"
#include "solve/batch_pass.h"
#include "solve/direction.h"

enum { POOL = 3 * BATCH_WIDTH, MOST_OWN_COLUMNS = 512 };

/* What the threads share. */
typedef struct many {
  const problem *p;
  const double *factor, *target;
  const dperm_progress *progress;
  double *weights, *certified;
  double cost;
  size_t workers;
  pthread_mutex_t lock; /* of `next` */
  size_t next;          /* the first model that nobody has taken */
  atomic_bool failed;
  dperm_error first; /* why, of the thread that failed first */
} many;

typedef struct pool {
  many *shared;
  batch_pass rows;
  batch_lbfgs models[POOL];
  size_t numbers[POOL]; /* which of all models they are */
  size_t seats[POOL];   /* the places of those that are in it, */
  size_t count;         /* so many; then the empty ones */
  double *works, *square;
  size_t work_size; /* of a model */
} pool;

bool batch_possible(const problem *p) {
  return !p->x->spread && batch_pass_possible(p->x); /* passes are over the rows that are here */
}

static bool own_factors(const problem *p) {
  return p->x->cols <= MOST_OWN_COLUMNS;
}

static dperm_status pool_open(many *shared, pool *out, dperm_error *err) {
  const problem *p = shared->p;
  *out = (pool){.shared = shared, .work_size = batch_lbfgs_work_size(p->x->cols, own_factors(p))};
  size_t seats = p->models < POOL ? p->models : POOL;
  TRY(batch_pass_open(p, own_factors(p), &out->rows, err));
  TRY(memory_new(seats * out->work_size, sizeof *out->works, &out->works, err));
  return memory_new(p->x->cols * p->x->cols, sizeof *out->square, &out->square, err);
}

static void pool_close(pool *p) {
  batch_pass_close(&p->rows);
  free(p->works);
  free(p->square);
}

/* ---- who is in the pool */

static void enter(pool *p, size_t seat, size_t m) {
  const many *s = p->shared;
  size_t cols = s->p->x->cols;
  double *work = p->works + seat * p->work_size;
  memset(work, 0, batch_lbfgs_work_size(cols, false) * sizeof *work);
  batch_lbfgs_begin(&p->models[seat], s->p, m, s->factor, own_factors(s->p), work,
                    s->weights + m * cols, s->target[m], s->cost);
  p->numbers[seat] = m;
}

/* The next model from the list, p->models if there is none. A thread takes no more than its share
 * of what is left, so that none waits for another with a full pool. */
static size_t take(many *s, size_t held) {
  pthread_mutex_lock(&s->lock);
  size_t left = s->p->models - s->next, share = left / s->workers + 1;
  size_t m = left > 0 && (held < BATCH_WIDTH || held < share) ? s->next++ : s->p->models;
  pthread_mutex_unlock(&s->lock);
  return m;
}

static void fill(pool *p) {
  size_t most = p->shared->p->models;
  for (size_t m = 0; p->count < POOL && (m = take(p->shared, p->count)) < most; p->count++) {
    p->seats[p->count] = p->count;
    enter(p, p->count, m);
  }
}

/* Seats whose model is done go to the list's next, or are closed up. */
static void leave(pool *p) {
  many *s = p->shared;
  size_t cols = s->p->x->cols;
  for (size_t i = 0; i < p->count;) {
    size_t seat = p->seats[i];
    batch_lbfgs *d = &p->models[seat];
    if (!d->solved && !d->given_up) {
      i++;
      continue;
    }
    size_t m = p->numbers[seat], next = take(s, p->count - 1);
    s->certified[m] = d->solved ? d->certified : (double)INFINITY;
    if (d->solved) {
      memcpy(s->weights + m * cols, d->f, cols * sizeof *d->f);
    }
    if (next < s->p->models) {
      enter(p, seat, next);
      continue;
    }
    p->seats[i] = p->seats[--p->count];
    p->seats[p->count] = seat;
  }
}

/* ---- passes */

/* Up to BATCH_WIDTH seats that want the same: Hessians when a pass can be filled with them, or when
 * nobody wants anything else. */
static size_t choose(const pool *p, size_t seats[BATCH_WIDTH], bool *hessian) {
  size_t wanting = 0, count = 0;
  for (size_t i = 0; i < p->count; i++) {
    wanting += p->models[p->seats[i]].wants_hessian;
  }
  *hessian = wanting >= BATCH_WIDTH || (wanting > 0 && wanting == p->count);
  for (size_t i = 0; i < p->count && count < BATCH_WIDTH; i++) {
    if (p->models[p->seats[i]].wants_hessian == *hessian) {
      seats[count++] = p->seats[i];
    }
  }
  return count;
}

static dperm_status pass(pool *p, dperm_error *err) {
  batch_pass *l = &p->rows;
  size_t cols = l->p->x->cols, seats[BATCH_WIDTH];
  double row_depth = (double)batch_pass_row_depth(l->p->x);
  double sum_depth = (double)batch_pass_sum_depth(l->p->x);
  bool hessian = false;
  size_t count = choose(p, seats, &hessian);
  memset(l->f, 0, cols * BATCH_WIDTH * sizeof *l->f);
  for (size_t m = 0; m < count; m++) {
    const double *trial = p->models[seats[m]].trial;
    for (size_t j = 0; j < cols; j++) {
      l->f[j * BATCH_WIDTH + m] = trial[j];
    }
  }
  batch_pass_run(l, hessian);
  TRY(cancel_check(l->p->x->cancel, err)); /* before a sum that is not whole is heard */
  for (size_t m = 0; m < count; m++) {
    batch_lbfgs *d = &p->models[seats[m]];
    for (size_t j = 0; j < cols; j++) {
      d->trial_gradient[j] = l->gradient[j * BATCH_WIDTH + m];
    }
    if (hessian) {
      batch_pass_hessian(l, m, p->square);
    }
    batch_lbfgs_hear(d, hessian ? p->square : NULL, row_depth, sum_depth);
  }
  return DPERM_OK;
}

/* Models until none is left. Only the caller's own thread may call its progress. */
static dperm_status solve_some(many *shared, bool caller, pool *own, dperm_error *err) {
  TRY(arithmetic_check(err)); /* of this thread; certificates rest on it */
  TRY(pool_open(shared, own, err));
  for (fill(own); own->count > 0 && !atomic_load(&shared->failed); leave(own)) {
    if (caller) {
      TRY(progress_tick(shared->progress, "solving", 0, 0, err));
    }
    TRY(pass(own, err));
  }
  return DPERM_OK;
}

/* One thread's part. */
static void work(void *context, size_t piece, size_t worker) {
  many *shared = context;
  dperm_error err = {0};
  pool *own = NULL;
  (void)piece;
  dperm_status status = memory_new(1, sizeof *own, &own, &err);
  if (status == DPERM_OK) {
    status = solve_some(shared, worker == 0, own, &err);
    pool_close(own);
    free(own);
  }
  if (status != DPERM_OK && !atomic_exchange(&shared->failed, true)) {
    shared->first = err;
    shared->first.status = status;
  }
}

dperm_status batch_solve(const problem *p, const double *factor, const double *target,
                         const dperm_progress *progress, double *weights, double *certified,
                         dperm_error *err) {
  many shared = {.p = p,
                 .factor = factor,
                 .target = target,
                 .progress = progress,
                 .weights = weights,
                 .certified = certified,
                 .cost = batch_pass_hessian_cost(p->x),
                 .workers = p->models > BATCH_WIDTH ? pool_workers() : 1,
                 .lock = PTHREAD_MUTEX_INITIALIZER};
  for (size_t m = 0; m < p->models; m++) {
    certified[m] = INFINITY;
  }
  /* Also where the other threads leave nothing for the caller's own. */
  TRY(progress_tick(progress, "solving", 0, 0, err));
  pool_run_cancellable(shared.workers, work, &shared, p->x->cancel);
  if (atomic_load(&shared.failed)) {
    FAIL(err, shared.first.status, "%s", shared.first.message);
  }
  return DPERM_OK;
}

dperm_status batch_factor(const problem *p, const double *f, double *factor, dperm_error *err) {
  dperm_status status = DPERM_OK;
  problem one = *p;
  point at;
  scratch work;
  scratch_init(&work);
  one.models = 1;
  TRY_OR_DONE(point_take(&one, &work, NULL, &at, err));
  memcpy(at.f, f, p->x->cols * sizeof *f);
  TRY_OR_DONE(problem_evaluate(&one, &at, err));
  TRY_OR_DONE(hessian_factor(&one, 0, &at, factor, err));
done:
  scratch_free(&work);
  return status;
}
