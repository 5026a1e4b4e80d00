/* Calls the caller's progress function, if there is one, which says whether to go on. */
#pragma once

#include <stdbool.h>
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

/* Whether the last call was more than `pause` seconds ago; if so, it is now. `*asked` is 0
 * before the first call, which only begins to count. */
static inline bool progress_due(double *asked, double pause) {
  double now = clock_seconds();
  bool due = *asked != 0 && now - *asked > pause;
  if (due || *asked == 0) {
    *asked = now;
  }
  return due;
}

/* The same twenty times a second at most, for loops whose number of rounds depends on the records.
 * `*asked` as above. */
static inline dperm_status progress_tick_seldom(const dperm_progress *progress, const char *stage,
                                                double *asked, dperm_error *err) {
  return progress_due(asked, 0.05) ? progress_tick(progress, stage, 0, 0, err) : DPERM_OK;
}
