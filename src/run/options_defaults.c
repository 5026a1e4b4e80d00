/* The defaults of dperm_options, and a program's options over them. */
#include "run/options_defaults.h"

#include <math.h>

#include "base/sized.h"

/* A program may know no unsafe_diagnostics: an older header that leaves them out is what
 * tests/hosts/old_header has, so that there is one before the first promise. */
static const sized_struct options_struct = SIZED_STRUCT(dperm_options, progress);

static dperm_options defaults(void) {
  return (dperm_options){
      .size = sizeof(dperm_options),
      .mechanism = DPERM_MECHANISM_OBJECTIVE,
      .epsilon = (double)NAN,
      .analysis = DPERM_ANALYSIS_TIGHT,
      .delta_reg = (double)NAN,
      .norm_guess = (double)NAN,
      .loss = dperm_loss_logistic(),
      .lambda = (double)NAN,
      .rows_per_person = 1,
      .gradient_tolerance = 1e-10,
  };
}

void dperm_options_init_sized(dperm_options *options, size_t size) {
  const dperm_options usual = defaults();
  sized_init(&options_struct, &usual, options, size);
}

dperm_status given_options(const dperm_options *given, dperm_options *out, dperm_error *err) {
  *out = defaults();
  return sized_take(&options_struct, given, out, err);
}

dperm_status given_options_all(const dperm_options *given, size_t count, dperm_options **out,
                               dperm_error *err) {
  const dperm_options usual = defaults();
  return sized_take_all(&options_struct, given, count, &usual, out, err);
}
