/* One pool for the process, started when first needed. A job is open from its start until the
 * caller finds no piece left. A thread enters it only while it is open, under the lock, and the
 * caller returns when the last one has left. A thread that wakes too late finds it closed. */
#define _GNU_SOURCE
#include "base/thread_pool.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "base/arithmetic.h"
#include "base/progress.h"
#include "base/text.h"

/* ---- how many: the environment and the processors are looked at once, when they are first needed,
 * since a program may change its environment while other threads are in the library */

enum { MOST_THREADS = 4096 };

static _Thread_local int requested; /* 0 for none */
static int usual;                   /* what a thread without a request has */

static void find_usual(void) {
  const char *text = getenv("DPERM_THREADS");
  size_t threads = 0;
  bool given = text && parse_size(slice_of(text), MOST_THREADS, &threads) && threads > 0;
  cpu_set_t set; /* fails on machines with more than it holds */
  usual = given                                         ? (int)threads
          : sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                        : CPU_SETSIZE;
}

int threads_allowed(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, find_usual);
  return requested ? requested : usual;
}

thread_scope threads_enter(int threads) {
  thread_scope scope = {requested};
  requested = threads > 0 ? threads : requested;
  return scope;
}

void threads_leave(const thread_scope *scope) {
  requested = scope->before;
}

/* ---- the pool */

/* SPINS take some tens of microseconds in all: the passes of a solver follow each other in less. */
enum { MOST_WORKERS = 256, SPINS = 400, POLL_NANOSECONDS = 60000000 };

typedef struct job {
  pool_piece *piece;
  void *context;
  size_t pieces;
  size_t workers;
  fenv_t arithmetic;  /* the caller's */
  cancel_token *stop; /* too */
} job;

static struct pool {
  pthread_mutex_t owner; /* held by the caller of the job under way */
  pthread_mutex_t lock;  /* of all below but the atomics */
  pthread_cond_t opened, left;
  job job;
  bool open;
  bool ending;        /* threads shall return */
  bool spoilt;        /* a piece changed the floating-point environment … */
  fenv_t left_behind; /* … to this */
  size_t threads;     /* started: these */
  pthread_t started[MOST_WORKERS];
  atomic_size_t jobs;   /* opened so far */
  atomic_size_t next;   /* the piece to be taken next */
  atomic_size_t inside; /* threads in the job, without the caller; set under the lock */
} pool = {.owner = PTHREAD_MUTEX_INITIALIZER,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .opened = PTHREAD_COND_INITIALIZER,
          .left = PTHREAD_COND_INITIALIZER};

static _Thread_local bool in_job; /* this thread runs pieces of one */

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void take_pieces(const job *j, size_t worker) {
  size_t piece;
  in_job = true;
  while ((piece = atomic_fetch_add(&pool.next, 1)) < j->pieces) {
    j->piece(j->context, piece, worker);
  }
  in_job = false;
}

static void *serve(void *number) {
  const size_t worker = (size_t)(uintptr_t)number;
  size_t seen = 0;
  for (;;) {
    for (int spin = 0; spin < SPINS && atomic_load(&pool.jobs) == seen; spin++) {
      pause_briefly();
    }
    pthread_mutex_lock(&pool.lock);
    while (atomic_load(&pool.jobs) == seen) {
      pthread_cond_wait(&pool.opened, &pool.lock);
    }
    seen = atomic_load(&pool.jobs);
    if (pool.ending) {
      pthread_mutex_unlock(&pool.lock);
      return NULL;
    }
    if (pool.open && worker < pool.job.workers) {
      const job mine = pool.job;
      pool.inside++;
      pthread_mutex_unlock(&pool.lock);
      (void)fesetenv(&mine.arithmetic);
      cancel_follow(mine.stop);
      take_pieces(&mine, worker);
      pthread_mutex_lock(&pool.lock);
      if (!arithmetic_sound()) {
        pool.spoilt = fegetenv(&pool.left_behind) == 0;
      }
      pool.inside--;
      pthread_cond_signal(&pool.left);
    }
    pthread_mutex_unlock(&pool.lock);
  }
}

/* A child has none of the threads, and perhaps locks that one of them held. */
static void forget_threads(void) {
  pthread_mutex_init(&pool.owner, NULL);
  pthread_mutex_init(&pool.lock, NULL);
  pthread_cond_init(&pool.opened, NULL);
  pthread_cond_init(&pool.left, NULL);
  pool.open = pool.ending = false;
  pool.threads = 0;
  atomic_store(&pool.jobs, 0);
  atomic_store(&pool.inside, 0);
}

static void watch_forks(void) {
  (void)pthread_atfork(NULL, NULL, forget_threads);
}

/* Threads up to number `workers` − 1, without signals: those are the caller's. What cannot be
 * started is done without. */
static void start_threads(size_t workers) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, watch_forks);
  while (pool.threads + 1 < workers) {
    sigset_t all, before;
    sigfillset(&all);
    (void)sigdelset(&all, SIGBUS); /* a mapped file was truncated: for the thread that reads it */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&pool.started[pool.threads], NULL, serve,
                                (void *)(uintptr_t)(pool.threads + 1));
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) {
      return;
    }
    pool.threads++;
  }
}

size_t pool_workers(void) {
  int threads = in_job ? 1 : threads_allowed();
  return threads > MOST_WORKERS ? MOST_WORKERS : (size_t)threads;
}

/* Until all have left, with the lock held, but for the time of a poll. */
static void wait_for_others(void) {
  while (pool.inside > 0) {
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += POLL_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (!cancel_current()) {
      pthread_cond_wait(&pool.left, &pool.lock);
    } else if (pthread_cond_timedwait(&pool.left, &pool.lock, &until) != 0) {
      pthread_mutex_unlock(&pool.lock);
      (void)cancel_poll();
      pthread_mutex_lock(&pool.lock);
    }
  }
}

void pool_run(size_t pieces, pool_piece *piece, void *context) {
  size_t workers = pool_workers();
  workers = workers < pieces ? workers : pieces;
  if (workers < 2 || pthread_mutex_trylock(&pool.owner) != 0) {
    for (size_t i = 0; i < pieces; i++) {
      piece(context, i, 0);
    }
    return;
  }
  job mine = {.piece = piece,
              .context = context,
              .pieces = pieces,
              .workers = workers,
              .stop = cancel_current()};
  (void)fegetenv(&mine.arithmetic);
  pthread_mutex_lock(&pool.lock);
  start_threads(workers);
  pool.job = mine;
  pool.open = true;
  atomic_store(&pool.next, 0);
  atomic_fetch_add(&pool.jobs, 1);
  pthread_cond_broadcast(&pool.opened);
  pthread_mutex_unlock(&pool.lock);
  take_pieces(&mine, 0);
  for (int spin = 0; spin < SPINS && atomic_load(&pool.inside) > 0; spin++) {
    pause_briefly();
  }
  pthread_mutex_lock(&pool.lock);
  pool.open = false;
  wait_for_others();
  if (pool.spoilt) { /* for the caller's own check to see */
    (void)fesetenv(&pool.left_behind);
    pool.spoilt = false;
  }
  pthread_mutex_unlock(&pool.lock);
  pthread_mutex_unlock(&pool.owner);
}

void dperm_threads_end(void) {
  if (in_job || pthread_mutex_trylock(&pool.owner) != 0) {
    return; /* a job is under way: its threads stay */
  }
  pthread_mutex_lock(&pool.lock);
  pool.ending = true;
  atomic_fetch_add(&pool.jobs, 1); /* wakes those that poll */
  pthread_cond_broadcast(&pool.opened);
  pthread_mutex_unlock(&pool.lock);
  while (pool.threads > 0) {
    (void)pthread_join(pool.started[--pool.threads], NULL);
  }
  pool.ending = false;
  pthread_mutex_unlock(&pool.owner);
}
