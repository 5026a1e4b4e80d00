/* See cancel.h. */
#include "base/cancel.h"

#include "base/progress.h"

void cancel_begin(cancel_token *w, const dperm_progress *progress, const char *stage) {
  *w =
      (cancel_token){.progress = progress, .stage = stage, .caller = pthread_self(), .pause = 0.05};
  atomic_init(&w->stopped, false);
  (void)progress_due(&w->asked, w->pause); /* begins to count */
}

bool cancel_poll(cancel_token *w) {
  if (!w || atomic_load(&w->stopped)) {
    return w != NULL;
  }
  if (w->progress && w->progress->tick && pthread_equal(w->caller, pthread_self()) &&
      progress_due(&w->asked, w->pause) &&
      progress_tick(w->progress, w->stage, 0, 0, NULL) != DPERM_OK) {
    atomic_store(&w->stopped, true);
  }
  return atomic_load(&w->stopped);
}

dperm_status cancel_check(const cancel_token *w, dperm_error *err) {
  if (cancel_requested(w)) {
    return progress_cancelled(w->stage, err);
  }
  return DPERM_OK;
}
