/* How well scores tell two classes apart. */
#ifndef DPERM_MODEL_METRICS_H
#define DPERM_MODEL_METRICS_H

#include <stdbool.h>

#include "base/status.h"

/* `labels` are −1 or +1; a score above zero predicts +1. */
dperm_status metrics_of(const double *scores, const double *labels, size_t rows, bool probabilities,
                        dperm_metrics *out, dperm_error *err);

#endif
