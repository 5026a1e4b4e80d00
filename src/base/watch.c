/* See watch.h. */
#include "base/watch.h"

#include "base/progress.h"

void watch_begin(stop_watch *w, const dperm_progress *progress, const char *stage) {
  *w = (stop_watch){.progress = progress, .stage = stage, .caller = pthread_self(), .pause = 0.05};
  atomic_init(&w->stopped, false);
  (void)progress_due(&w->asked, w->pause); /* begins to count */
}

bool watch_stops(stop_watch *w) {
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

dperm_status watch_check(const stop_watch *w, dperm_error *err) {
  if (watch_stopped(w)) {
    return progress_cancelled(w->stage, err);
  }
  return DPERM_OK;
}
