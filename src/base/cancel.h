/* Cancellation in the middle of a long pass over rows. The pass polls between pieces of its work;
 * only the thread that called the library may call `tick`, the others read the answer. Once
 * stopped, a token stays so: every pass under it fails from then on, and no result of a pass that
 * is not complete is used. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/status.h"

typedef struct cancel_token {
  const dperm_progress *progress;
  const char *stage;
  pthread_t caller; /* the thread that may poll */
  double asked;     /* when it last did, for progress_due */
  double pause;     /* seconds between two polls at least: their number may depend on the records */
  atomic_bool stopped;
} cancel_token;

/* On the caller's thread. `progress` may be NULL; it and `stage` must outlive the token. */
void cancel_begin(cancel_token *w, const dperm_progress *progress, const char *stage);

/* Whether to stop, by the polls so far. `w` may be NULL in all that follows: never. */
static inline bool cancel_requested(const cancel_token *w) {
  return w && atomic_load(&w->stopped);
}

/* The same; the caller's thread polls if it is time. */
bool cancel_poll(cancel_token *w);

/* For step i of a loop whose steps handle `size` numbers each: cancel_poll every some ten thousand
 * numbers, so that short steps do not pay for the clock. */
static inline bool cancel_poll_at(cancel_token *w, size_t i, size_t size) {
  const size_t piece = 65536;
  return w && (i + 1) * size / piece != i * size / piece && cancel_poll(w);
}

/* Fails where it has stopped: to be called before any result of a pass is used. */
dperm_status cancel_check(const cancel_token *w, dperm_error *err);
