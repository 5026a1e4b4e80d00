/* What all losses share: construction, and the check of what a caller passes. */
#include "loss/loss.h"

#include <math.h>

dperm_status loss_make(const loss_kind *kind, double h, dperm_loss *out, dperm_error *err) {
  bool has_h = kind->h_most > 0;
  if (has_h && !(h >= kind->h_least && h <= kind->h_most)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "h = %g is out of range; choose it between %g and %g", h,
         kind->h_least, kind->h_most);
  }
  *out = kind->constants(h);
  out->name = kind->name;
  out->parameter = has_h ? h : (double)NAN;
  out->eval = kind->eval;
  return DPERM_OK;
}

dperm_status loss_validate(const dperm_loss *loss, dperm_error *err) {
  if (!loss->eval || !loss->name) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "the loss has no name or no eval function; set both");
  }
  for (const char *c = loss->name; *c; c++) {
    if (*c < 0x20 || *c > 0x7e) {
      FAIL(err, DPERM_INVALID_ARGUMENT,
           "the loss's name goes into the model file; use printable ASCII only");
    }
  }
  if (isinf(loss->parameter)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "loss %s has an infinite parameter; give a finite one, or NaN for none", loss->name);
  }
  if (!(loss->lipschitz > 0) || isinf(loss->lipschitz)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "loss %s declares L = %g; the bound on |slope| must be positive and finite", loss->name,
         loss->lipschitz);
  }
  if (!(loss->smoothness > 0) || isinf(loss->smoothness)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "loss %s declares c = %g; the bound on curvature must be positive and finite "
         "(smooth the loss if it has a kink)",
         loss->name, loss->smoothness);
  }
  if (!(loss->slope_error >= 0) || isinf(loss->slope_error)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "loss %s declares a slope_error of %g; give a finite bound, or 0 if none is known",
         loss->name, loss->slope_error);
  }
  return DPERM_OK;
}
