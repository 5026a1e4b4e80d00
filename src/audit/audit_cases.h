/* What the table of audits in audit.c is made of: functions that run one each. */
#pragma once

#include "dperm/audit.h"

/* `options` has the variant; `detail` is the case's own. Fills bound or distance and limit,
 * confidence and draws of `out`. */
typedef dperm_status audit_function(const dperm_audit_options *options, int detail,
                                    dperm_audit_result *out, dperm_error *err);

/* Attacks on fits, by a pair_kind (fit_attack.c), on selectors alone, by a dperm_selector, and on
 * tuning as a whole, by SPLIT or a dperm_rounds (choice_attack.c). */
enum { SPLIT = -1 };
extern const char *const audit_usual_loss;
audit_function audit_fit, audit_selector, audit_tuning;

/* Attacks on the noisy counts of a refinement (refine_attack.c), and on the choice between lines
 * and bins (bins_attack.c). */
audit_function audit_refine, audit_bins;

/* Checks of laws and bounds that no lower bound on ε would show at a bearable number of draws: the
 * noise and the lattice's noise against their laws, rows against their bound (law_check.c). */
audit_function audit_noise, audit_lattice, audit_rows;
