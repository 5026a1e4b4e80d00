/* Attacks on fits: the pipeline's own, prepared once for each data set of a worst pair and run
 * again and again. */
#pragma once

#include "audit/attack.h"
#include "audit/worst_pair.h"

typedef struct fit_target fit_target;
extern const size_t fit_usual_draws;

/* `draws` as in worst_pair_make. The attack uses the target, which outlives it. */
dperm_status fit_target_new(pair_kind kind, const char *loss, double epsilon, size_t draws,
                            fit_target **out, dperm_error *err);
void fit_target_free(fit_target *target);
attack fit_target_attack(const fit_target *target);
