/* How well scores tell classes apart. */
#pragma once

#include "base/sized.h"
#include "dperm/score.h"

extern const sized_struct metrics_struct; /* dperm_metrics */

/* Of two classes `labels` are −1 or +1, and a score above zero predicts +1; of more they are
 * indexes, each row has a score for each class, and the largest predicts. `log_loss` is the loss
 * that is the −log of a probability, NULL where there is none (model_log_loss), of scores times
 * `by`, the model's inverse temperature. */
dperm_status metrics_of(size_t classes, const double *scores, const double *labels, size_t rows,
                        const dperm_loss *log_loss, double by, dperm_metrics *out,
                        dperm_error *err);
