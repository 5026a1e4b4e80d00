/* Asks the caller's progress function, if there is one, whether to go on. */
#ifndef DPERM_BASE_PROGRESS_H
#define DPERM_BASE_PROGRESS_H

#include <time.h>

#include "base/status.h"

static inline dperm_status progress_tick(const dperm_progress *progress, const char *stage,
                                         uint64_t done, uint64_t total, dperm_error *err) {
  if (progress && progress->tick && progress->tick(progress->context, stage, done, total) != 0) {
    FAIL(err, DPERM_CANCELLED, "stopped on request while %s; nothing was written", stage);
  }
  return DPERM_OK;
}

/* The same twenty times a second at most, for loops whose number of rounds is nobody's business.
 * `*asked` is 0 before the first call. */
static inline dperm_status progress_tick_seldom(const dperm_progress *progress, const char *stage,
                                                double *asked, dperm_error *err) {
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  double now = (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
  if (*asked == 0) {
    *asked = now;
  }
  if (now - *asked > 0.05) {
    *asked = now;
    return progress_tick(progress, stage, 0, 0, err);
  }
  return DPERM_OK;
}

#endif
