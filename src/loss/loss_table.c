/* The library's own losses, by index, by name and by recognition: the one file that lists them. And
 * the check of what a caller passes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "loss/link.h"
#include "loss/loss.h"

/* One file each. */
extern const loss_kind loss_logistic;
extern const loss_kind loss_huber;
extern const loss_kind loss_smooth_hinge;

/* In the order of help and messages. */
static const loss_kind *const kinds[] = {
    &loss_logistic,
    &loss_huber,
    &loss_smooth_hinge,
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* All that are recognized: softmax has no name that a caller could ask for. */
static const loss_kind *own_kind(size_t i) {
  return i < KINDS ? kinds[i] : i == KINDS ? &loss_softmax : NULL;
}

dperm_status loss_make(const loss_kind *kind, double h, dperm_loss *out, dperm_error *err) {
  bool has_h = kind->h_most > 0;
  FAIL_IF(has_h && !(h >= kind->h_least && h <= kind->h_most), err, DPERM_INVALID_ARGUMENT,
          "h = %g is out of range; choose it between %g and %g", h, kind->h_least, kind->h_most);
  *out = kind->constants(h);
  out->name = kind->name;
  out->parameter = has_h ? h : (double)NAN;
  out->eval = kind->eval;
  return DPERM_OK;
}

const loss_kind *loss_kind_named(const char *name) {
  size_t i = 0;
  while (i < KINDS && strcmp(kinds[i]->name, name) != 0) {
    i++;
  }
  return i < KINDS ? kinds[i] : NULL;
}

/* All that the claim rests on, the name included: a model file says it, and whoever verifies the
 * file takes the constants from it. */
static bool same_loss(const dperm_loss *a, const dperm_loss *b) {
  bool same_h = a->parameter == b->parameter || (isnan(a->parameter) && isnan(b->parameter));
  return a->name && strcmp(a->name, b->name) == 0 && same_h && a->lipschitz == b->lipschitz &&
         a->smoothness == b->smoothness && a->slope_error == b->slope_error;
}

const loss_kind *loss_kind_of(const dperm_loss *loss) {
  dperm_loss own;
  for (size_t i = 0; own_kind(i); i++) {
    if (loss->eval == own_kind(i)->eval &&
        loss_make(own_kind(i), loss->parameter, &own, NULL) == DPERM_OK && same_loss(loss, &own)) {
      return own_kind(i);
    }
  }
  return NULL;
}

void loss_slope_dd(const dperm_loss *loss, size_t count, const double *z, const double *z_rest,
                   double *slope) {
  const loss_kind *kind = loss_kind_of(loss);
  if (kind) {
    kind->slopes(loss->parameter, count, z, z_rest, slope, NULL);
  } else {
    loss->eval(loss, count, z, NULL, slope, NULL);
  }
}

dperm_status loss_validate(const dperm_loss *loss, dperm_error *err) {
  FAIL_IF(!loss->eval || !loss->name, err, DPERM_INVALID_ARGUMENT,
          "the loss has no name or no eval function; set both");
  for (const char *c = loss->name; *c; c++) {
    FAIL_IF(*c < 0x20 || *c > 0x7e, err, DPERM_INVALID_ARGUMENT,
            "the loss's name goes into the model file; use printable ASCII only");
  }
  FAIL_IF(isinf(loss->parameter), err, DPERM_INVALID_ARGUMENT,
          "loss %s has an infinite parameter; give a finite one, or NaN for none", loss->name);
  const struct {
    double value;
    const char *name, *rule;
    bool positive;
  } constants[] = {
      {loss->lipschitz, "L", "the bound on |slope| must be positive and finite", true},
      {loss->smoothness, "c",
       "the bound on curvature must be positive and finite (smooth the loss if it has a kink)",
       true},
      {loss->slope_error, "slope_error", "give a finite bound, or 0 if none is known", false}};
  for (size_t i = 0; i < 3; i++) {
    double value = constants[i].value;
    FAIL_IF(!(value > 0 || (value == 0 && !constants[i].positive)) || isinf(value), err,
            DPERM_INVALID_ARGUMENT, "loss %s declares %s = %g; %s", loss->name, constants[i].name,
            value, constants[i].rule);
  }
  return DPERM_OK;
}

dperm_status loss_check_name(const dperm_loss *loss, dperm_error *err) {
  FAIL_IF(loss_kind_named(loss->name) && !loss_kind_of(loss), err, DPERM_INVALID_ARGUMENT,
          "the loss is called \"%s\" but is not the library's loss of that name, or its constants "
          "were changed; give it another name",
          loss->name);
  return DPERM_OK;
}

const char *dperm_loss_name(size_t index) {
  return index < KINDS ? kinds[index]->name : NULL;
}

dperm_status dperm_loss_by_name(const char *name, double h, dperm_loss *out, dperm_error *err) {
  const loss_kind *kind = loss_kind_named(name);
  if (kind) {
    return loss_make(kind, h, out, err);
  }
  char names[256] = "";
  for (size_t i = 0, used = 0; i < KINDS && used < sizeof names; i++) {
    const char *before = i == 0 ? "" : i + 1 < KINDS ? ", " : " or ";
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", before, kinds[i]->name);
  }
  FAIL(err, DPERM_INVALID_ARGUMENT, "no loss is called \"%.64s\"; choose %s", name, names);
}
