/* Whether to go on: the caller's progress function, if there is one, is told of steps and may say
 * to stop; a token carries that into the middle of a long pass over rows (progress.c). */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/status.h"

static inline dperm_status progress_cancelled(const char *stage, dperm_error *err) {
  FAIL(err, DPERM_CANCELLED, "stopped on request while %s; nothing was written", stage);
}

static inline dperm_status progress_tick(const dperm_progress *progress, const char *stage,
                                         uint64_t done, uint64_t total, dperm_error *err) {
  if (progress && progress->tick && progress->tick(progress->context, stage, done, total) != 0) {
    return progress_cancelled(stage, err);
  }
  return DPERM_OK;
}

static inline double clock_seconds(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- tokens. A pass polls between pieces of its work; only the thread that called the library may
 * call `tick`, the others read the answer. Once stopped, a token stays so: every pass under it
 * fails from then on, and no result of a pass that is not complete is used.
 *
 * A token is that of the thread which began it and of all who work for that thread
 * (base/thread_pool.h): rows that several calls share need not know of any. */

typedef struct cancel_token cancel_token;
struct cancel_token {
  const dperm_progress *progress;
  const char *stage;
  pthread_t caller; /* the thread that may poll */
  double asked;     /* when it last did */
  double pause;     /* seconds between two polls at least: their number may depend on the records */
  atomic_bool stopped;
  cancel_token *before; /* this thread's until then */
};

/* This thread's token until cancel_end, which `progress` (or NULL) and `stage` must outlive. */
void cancel_begin(cancel_token *w, const dperm_progress *progress, const char *stage);
void cancel_end(const cancel_token *w);

/* This thread's token, NULL for none: then all that follows says to go on. */
cancel_token *cancel_current(void);
/* For a thread that works for another, whose token is `w`. */
void cancel_follow(cancel_token *w);

/* Whether to stop, by the polls so far. */
bool cancel_requested(void);

/* The same; the caller's thread polls if it is time. */
bool cancel_poll(void);

/* For step i of a loop whose steps handle `size` numbers each: cancel_poll every some ten thousand
 * numbers, so that short steps do not pay for the clock. */
static inline bool cancel_poll_at(size_t i, size_t size) {
  const size_t piece = 65536;
  return (i + 1) * size / piece != i * size / piece && cancel_poll();
}

/* Fails where it has stopped: to be called before any result of a pass is used. */
dperm_status cancel_check(dperm_error *err);
