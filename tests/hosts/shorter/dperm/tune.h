/* Frozen, as ../dperm.h is. */
#ifndef DPERM_TUNE_H
#define DPERM_TUNE_H

#include "dperm.h"

typedef struct dperm_tune_options {
  size_t size;
  int method, selector, rounds;
  double rounds_mean;
  double holdout;
  const dperm_data *public_data;
} dperm_tune_options;
static inline void dperm_tune_options_init(dperm_tune_options *options) {
  dperm_init(DPERM_OPTIONS_TUNE, options, sizeof *options);
}
dperm_status dperm_tune(const dperm_data *data, const dperm_options *candidates, size_t count,
                        const dperm_tune_options *how, dperm_model **out, dperm_error *err);

#endif
