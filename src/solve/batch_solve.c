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

enum { POOL = 3 * BATCH_WIDTH };

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
  batch_lbfgs models[POOL];
  size_t numbers[POOL]; /* which of all models they are */
  size_t count;         /* so many */
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

/* ---- who is in the pool */

static void enter(pool *p, size_t place, double *work, size_t m) {
  const batch *b = p->shared->b;
  batch_lbfgs_begin(&p->models[place], b->p, &b->models[m], b->factor, work,
                    b->weights + m * b->p->x->cols, b->target[m]);
  p->numbers[place] = m;
}

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
  size_t work_size = batch_lbfgs_work_size(cols);
  p->shared = s;
  TRY(batch_pass_open(b->p, batch_lbfgs_owns(cols), &p->rows, err));
  TRY(memory_new(most * work_size, sizeof *p->works, &p->works, err));
  TRY(memory_new(cols * cols, sizeof *p->square, &p->square, err));
  for (size_t m = 0; p->count < most && (m = take(s, p->count)) < b->count; p->count++) {
    enter(p, p->count, p->works + p->count * work_size, m);
  }
  return DPERM_OK;
}

/* Models that are done make place for the list's next, or for the last of the pool. */
static void leave(pool *p) {
  const batch *b = p->shared->b;
  size_t cols = b->p->x->cols;
  for (size_t i = 0; i < p->count;) {
    batch_lbfgs *d = &p->models[i];
    if (!d->solved && !d->given_up) {
      i++;
      continue;
    }
    size_t m = p->numbers[i], next = take(p->shared, p->count - 1);
    if (d->solved) {
      b->certified[m] = d->certified;
      memcpy(b->weights + m * cols, d->f, cols * sizeof *d->f);
    }
    if (next < b->count) {
      enter(p, i, d->f, next);
    } else {
      *d = p->models[--p->count];
      p->numbers[i] = p->numbers[p->count];
    }
  }
}

/* ---- passes */

/* Up to BATCH_WIDTH models that want the same: Hessians when a pass can be filled with them, or
 * when nobody wants anything else. */
static size_t choose(pool *p, batch_lbfgs *chosen[BATCH_WIDTH], bool *hessian) {
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
  batch_lbfgs *chosen[BATCH_WIDTH];
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
    batch_lbfgs_hear(chosen[m], hessian ? p->square : NULL);
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
