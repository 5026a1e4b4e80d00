/* Tokens of cancellation. */
#include "base/progress.h"

static _Thread_local cancel_token *current;

void cancel_begin(cancel_token *w, const dperm_progress *progress, const char *stage) {
  *w = (cancel_token){.progress = progress,
                      .stage = stage,
                      .caller = pthread_self(),
                      .asked = clock_seconds(),
                      .pause = 0.05,
                      .before = current};
  atomic_init(&w->stopped, false);
  current = w;
}

void cancel_end(const cancel_token *w) {
  current = w->before;
}

cancel_token *cancel_current(void) {
  return current;
}

void cancel_follow(cancel_token *w) {
  current = w;
}

bool cancel_requested(void) {
  return current && atomic_load(&current->stopped);
}

bool cancel_poll(void) {
  cancel_token *w = current;
  if (!w || atomic_load(&w->stopped)) {
    return w != NULL;
  }
  if (w->progress && w->progress->tick && pthread_equal(w->caller, pthread_self()) &&
      clock_seconds() - w->asked > w->pause) {
    w->asked = clock_seconds();
    atomic_store(&w->stopped, progress_tick(w->progress, w->stage, 0, 0, NULL) != DPERM_OK);
  }
  return atomic_load(&w->stopped);
}

dperm_status cancel_check(dperm_error *err) {
  return cancel_requested() ? progress_cancelled(current->stage, err) : DPERM_OK;
}
