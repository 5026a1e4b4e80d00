/* See fit_share.h. The guarantee divides epsilon; nothing here does. Classes that are learned
 * jointly share rows, not epsilon; that each has a part of the rows alone is much the same to bins.
 */
#include "pipeline/fit_share.h"

#include <math.h>

#include "dperm/bins.h"
#include "mechanism/given_options.h"
#include "pipeline/options.h"

dperm_status fit_share_claim(const dperm_options *o, size_t classes, rounds_kind rounds,
                             guarantee *out, dperm_error *err) {
  if (o->mechanism == DPERM_MECHANISM_NONE) {
    *out = guarantee_of_nothing();
    return DPERM_OK;
  }
  if (!(o->epsilon > 0 && isfinite(o->epsilon))) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "epsilon = %g; it must be positive and finite", o->epsilon);
  }
  TRY(check_rows_per_person(o->rows_per_person, err));
  const private_run run = {.epsilon = o->epsilon,
                           .delta = o->delta,
                           .rows_per_person = o->rows_per_person,
                           .classes = classes,
                           .rounds = rounds,
                           .calibrated = options_calibrated(o),
                           .rounds_mean = 1};
  *out = guarantee_of_run(&run);
  return DPERM_OK;
}

dperm_status fit_share_epsilon(const dperm_options *o, size_t classes, rounds_kind rounds,
                               double *out, dperm_error *err) {
  guarantee claim;
  TRY(fit_share_claim(o, classes, rounds, &claim, err));
  *out = claim.epsilon_class;
  return DPERM_OK;
}

dperm_status dperm_train_share(size_t rows, size_t classes, const dperm_options *given,
                               size_t *fit_rows, double *fit_epsilon, dperm_error *err) {
  dperm_options options;
  TRY(given_options(given, &options, err));
  TRY(fit_share_epsilon(&options, classes, ROUNDS_NONE, fit_epsilon, err));
  *fit_rows = options.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? options.rows_about : rows;
  return DPERM_OK;
}
