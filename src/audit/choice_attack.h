/* Attacks on private choices: the selectors alone, where the worst counts are known, and tuning as
 * a whole, where the released model is what the attacker sees. */
#pragma once

#include "audit/attack.h"
#include "dperm/tune.h"
#include "random/discrete_sampling.h"

/* Two candidates. One record moves an error from the second candidate to the first. */
typedef struct selector_target {
  dperm_selector selector;
  ratio epsilon;
  size_t errors[2][2]; /* of each data set, of each candidate */
} selector_target;

selector_target selector_target_make(dperm_selector selector, double epsilon);
attack selector_attack(const selector_target *target);

typedef struct tune_target tune_target;

dperm_status tune_target_new(dperm_tune_method method, dperm_rounds rounds, double epsilon,
                             tune_target **out, dperm_error *err);
void tune_target_free(tune_target *target);
attack tune_target_attack(const tune_target *target);
