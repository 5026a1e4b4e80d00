/* Ridge, weighted ridge, ridge towards a prior, custom. */
#include "loss/loss.h"

#include <math.h>
#include <stdbool.h>

/* Strong convexity by the slope itself, not by the curvature alone that the caller says it has. */
static dperm_status check_custom(const dperm_regularizer *r, size_t j, dperm_error *err) {
  static const double points[] = {-1e4, -100, -10, -3, -1, -0.3, -0.01, 0,
                                  0.01, 0.3,  1,   3,  10, 100,  1e4};
  double before = 0;
  for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
    double value = 0, slope = 0, curvature = 0;
    r->eval(r->context, j, points[i], &value, &slope, &curvature);
    double gap = i > 0 ? points[i] - points[i - 1] : 0;
    bool both = i > 0 && isfinite(slope) && isfinite(before); /* it may overflow far out */
    FAIL_IF(both && slope - before < gap * (1 - 1e-9), err, DPERM_INVALID_ARGUMENT,
            "the slope of the custom regularizer rises by %g from f[%zu] = %g to %g; it must be "
            "1-strongly convex",
            slope - before, j, points[i - 1], points[i]);
    FAIL_IF(isfinite(slope) && !(curvature >= 1.0), err, DPERM_INVALID_ARGUMENT,
            "the custom regularizer gives a curvature of %g at f[%zu] = %g; it must be 1-strongly "
            "convex, and eval must fill all three numbers",
            curvature, j, points[i]);
    before = slope;
  }
  return DPERM_OK;
}

dperm_status regularizer_validate(const dperm_regularizer *r, size_t dims, dperm_error *err) {
  FAIL_IF(r->eval && (r->weights || r->prior), err, DPERM_INVALID_ARGUMENT,
          "a custom regularizer takes no weights and no prior; fold them into its eval function");
  FAIL_IF(
      r->eval && !(r->slope_error >= 0 && r->slope_error <= 0.25 && r->most_curvature >= 0 &&
                   isfinite(r->most_curvature)),
      err, DPERM_INVALID_ARGUMENT,
      "the custom regularizer declares slope_error = %g and most_curvature = %g; give a relative "
      "error of at most 0.25 and a finite bound, or 0 for what is not known",
      r->slope_error, r->most_curvature);
  for (size_t j = 0; r->eval && j < dims; j++) {
    TRY(check_custom(r, j, err));
  }
  for (size_t j = 0; (r->weights || r->prior) && j < dims; j++) {
    FAIL_IF(r->weights && !(r->weights[j] >= 1.0 && isfinite(r->weights[j])), err,
            DPERM_INVALID_ARGUMENT,
            "regularizer weight %zu is %g; weights must be at least 1 (raise lambda instead)", j,
            r->weights[j]);
    FAIL_IF(r->prior && !isfinite(r->prior[j]), err, DPERM_INVALID_ARGUMENT,
            "prior %zu is not finite; give finite numbers", j);
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
  *value = *slope = *curvature = 0; /* what eval does not fill */
  r->eval(r->context, j, f, value, slope, curvature);
  /* No NaN: a trial step may overflow. Where is not said: the solver's steps depend on records. */
  FAIL_IF(*curvature < 1.0, err, DPERM_INVALID_ARGUMENT,
          "the custom regularizer has a curvature below 1 somewhere; it must be 1-strongly convex: "
          "check its eval over all numbers");
  return DPERM_OK;
}

bool evaluation_declared(const dperm_loss *loss, const dperm_regularizer *regularizer) {
  return loss->slope_error > 0 &&
         (!regularizer->eval || (regularizer->slope_error > 0 && regularizer->most_curvature >= 1));
}
