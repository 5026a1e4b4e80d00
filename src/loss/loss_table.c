/* The library's own losses, by name and by recognition. The one file that knows them all. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "loss/loss.h"

/* All that the claim rests on, the name included: a model file says it, and whoever verifies the
 * file takes the constants from it. */
static bool same_loss(const dperm_loss *a, const dperm_loss *b) {
  bool same_h = a->parameter == b->parameter || (isnan(a->parameter) && isnan(b->parameter));
  return a->eval == b->eval && a->name && strcmp(a->name, b->name) == 0 && same_h &&
         a->lipschitz == b->lipschitz && a->smoothness == b->smoothness &&
         a->slope_error == b->slope_error;
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

dperm_status loss_check_name(const dperm_loss *loss, dperm_error *err) {
  dperm_loss own;
  bool taken = dperm_loss_by_name(loss->name, 0.5, &own, NULL) == DPERM_OK;
  if (taken && loss_identify(loss) == LOSS_CUSTOM) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "the loss is called \"%s\" but is not the library's loss of that name, or its constants "
         "were changed; give it another name",
         loss->name);
  }
  return DPERM_OK;
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
