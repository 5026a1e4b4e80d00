/* What all losses share. */
#include "loss/loss.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

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
  return DPERM_OK;
}

dperm_status loss_validate_h(double h, dperm_error *err) {
  if (!(h >= 1e-9 && h <= 1e6)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "h = %g is out of range; choose it between 1e-9 and 1e6", h);
  }
  return DPERM_OK;
}

static bool same_loss(const dperm_loss *a, const dperm_loss *b) {
  return a->eval == b->eval && a->lipschitz == b->lipschitz && a->smoothness == b->smoothness;
}

loss_kind loss_identify(const dperm_loss *loss) {
  dperm_loss own = dperm_loss_logistic();
  if (same_loss(loss, &own)) {
    return LOSS_LOGISTIC;
  }
  if (dperm_loss_huber(loss->parameter, &own, NULL) == DPERM_OK && same_loss(loss, &own)) {
    return LOSS_HUBER;
  }
  if (dperm_loss_smooth_hinge(loss->parameter, &own, NULL) == DPERM_OK && same_loss(loss, &own)) {
    return LOSS_SMOOTH_HINGE;
  }
  return LOSS_CUSTOM;
}

dperm_status dperm_loss_by_name(const char *name, double h, dperm_loss *out, dperm_error *err) {
  if (strcmp(name, "logistic") == 0) {
    *out = dperm_loss_logistic();
    return DPERM_OK;
  }
  if (strcmp(name, "huber") == 0) {
    return dperm_loss_huber(h, out, err);
  }
  if (strcmp(name, "smooth-hinge") == 0) {
    return dperm_loss_smooth_hinge(h, out, err);
  }
  FAIL(err, DPERM_INVALID_ARGUMENT,
       "no loss is called \"%.64s\"; choose logistic, huber or smooth-hinge", name);
}
