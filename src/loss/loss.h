/* The loss seam inside the library: validation of what a caller passes, and the choice by name.
 * The losses themselves are one file each. */
#ifndef DPERM_LOSS_LOSS_H
#define DPERM_LOSS_LOSS_H

#include <stdbool.h>

#include "base/status.h"

/* A usable loss: an eval function, a name and parameter that a model file can hold,
 * finite constants above zero. Not a proof of the constants. */
dperm_status loss_validate(const dperm_loss *loss, dperm_error *err);

/* 0 < h ≤ 1e6 and not so small that 1/h loses the smooth piece in rounding (h ≥ 1e-9). */
dperm_status loss_validate_h(double h, dperm_error *err);

/* Which of the library's own losses this is, told by its code and constants, never by its name: a
 * custom loss that calls itself "logistic" must not get the logistic loss's privacy analysis. */
typedef enum loss_kind { LOSS_LOGISTIC, LOSS_HUBER, LOSS_SMOOTH_HINGE, LOSS_CUSTOM } loss_kind;
loss_kind loss_identify(const dperm_loss *loss);

/* Refuses a custom loss that has the name of one of the library's own: a model file names its loss,
 * and whoever verifies it would take the wrong constants. */
dperm_status loss_check_name(const dperm_loss *loss, dperm_error *err);

/* y·ℓ′(y z) at margins z + z_rest of twice the precision, labels y = ±1. For the library's own
 * losses the error is slope_error, as if z were exact. For a custom one the rest is ignored:
 * c·|z_rest| comes on top. */
void loss_slope_dd(const dperm_loss *loss, size_t count, const double *labels, const double *z,
                   const double *z_rest, double *slope);
/* Whether it does ignore the rest. */
bool loss_ignores_rest(const dperm_loss *loss);

/* The hinges' slopes as functions of the gap 1 − z. */
double huber_slope(double gap, double h);
double smooth_hinge_slope(double gap, double h);

#endif
