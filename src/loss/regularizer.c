/* Ridge, weighted ridge, ridge towards a prior, custom. */
#include "loss/regularizer.h"

#include <math.h>

dperm_status regularizer_validate(const dperm_regularizer *r, size_t dims, dperm_error *err) {
  if (r->eval && (r->weights || r->prior)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "a custom regularizer takes no weights and no prior; fold them into its eval function");
  }
  for (size_t j = 0; j < dims; j++) {
    if (r->weights && !(r->weights[j] >= 1.0 && isfinite(r->weights[j]))) {
      FAIL(err, DPERM_INVALID_ARGUMENT,
           "regularizer weight %zu is %g; weights must be at least 1 (raise lambda instead)", j,
           r->weights[j]);
    }
    if (r->prior && !isfinite(r->prior[j])) {
      FAIL(err, DPERM_INVALID_ARGUMENT, "prior %zu is not finite; give finite numbers", j);
    }
  }
  return DPERM_OK;
}

dperm_status regularizer_eval(const dperm_regularizer *r, size_t j, double f, double *value,
                              double *slope, double *curvature, dperm_error *err) {
  if (!r->eval) {
    double weight = r->weights ? r->weights[j] : 1.0;
    double away = f - (r->prior ? r->prior[j] : 0.0);
    *value = 0.5 * weight * away * away;
    *slope = weight * away;
    *curvature = weight;
    return DPERM_OK;
  }
  r->eval(r->context, j, f, value, slope, curvature);
  if (*curvature < 1.0) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "the custom regularizer has curvature %g < 1 at f[%zu] = %g; it must be 1-strongly convex",
         *curvature, j, f);
  }
  return DPERM_OK;
}
