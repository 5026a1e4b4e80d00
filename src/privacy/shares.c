/* See shares.h. */
#include "privacy/shares.h"

#include <math.h>
#include <stddef.h>

const share_kind share_kinds[SHARE_COUNT] = {
    [SHARE_SCHEMA] = {.option = "refine", .figure = "epsilon_refined"},
    [SHARE_CALIBRATION] = {.option = "calibrate",
                           .option_at = offsetof(dperm_options, calibrate),
                           .does = "calibrate probabilities",
                           .figure = "epsilon_calibrated",
                           .file = "calibration",
                           .value = "inverse_temperature",
                           .without = 1,
                           .statement = "to calibrate the model's probabilities: those of its "
                                        "scores times "},
    [SHARE_PAIRS] = {.option = "pairs",
                     .option_at = offsetof(dperm_options, pairs),
                     .usual = true,
                     .does = "look for pairs of columns",
                     .figure = "epsilon_pairs",
                     .file = "pairs",
                     .value = "pair",
                     .without = NAN,
                     .statement = "for what two columns say only together, a table of cells: "},
    [SHARE_INTERVALS] = {.option = "intervals",
                         .option_at = offsetof(dperm_options, intervals),
                         .does = "make intervals",
                         .figure = "epsilon_intervals",
                         .file = "intervals",
                         .without = NAN,
                         .statement = "for confidence intervals of the slopes"},
};

double share_given(const dperm_options *options, share_id share) {
  return *(const double *)(const void *)((const char *)options + share_kinds[share].option_at);
}
