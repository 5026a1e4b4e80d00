/* Asks the caller's progress function, if there is one, whether to go on. */
#ifndef DPERM_BASE_PROGRESS_H
#define DPERM_BASE_PROGRESS_H

#include "base/status.h"

static inline dperm_status progress_tick(const dperm_progress *progress, const char *stage,
                                         uint64_t done, uint64_t total, dperm_error *err) {
  if (progress && progress->tick && progress->tick(progress->context, stage, done, total) != 0) {
    FAIL(err, DPERM_CANCELLED, "stopped on request while %s; nothing was written", stage);
  }
  return DPERM_OK;
}

#endif
