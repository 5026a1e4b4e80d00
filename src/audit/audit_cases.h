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

/* Attacks on joint fits of three classes, by a joint_kind and what comes with it (joint_attack.c),
 * and on gaussian noise that the columns have different shares of (ellipse_attack.c). */
audit_function audit_joint, audit_ellipse;

/* Attacks on the noisy counts of a refinement, by a dperm_neighbours (refine_attack.c), and on the
 * choice between lines and bins (bins_attack.c). */
audit_function audit_refine, audit_bins;

/* Attacks on the choice of a temperature, by a dperm_neighbours (temperature_attack.c). */
audit_function audit_temperature;

/* Attacks on private scores (score_attack.c), by these flags. */
enum { SCORE_COUNTS = 1, SCORE_ADDED = 2 };
audit_function audit_score;

/* Checks of laws and bounds that no lower bound on ε would show at a bearable number of draws: the
 * noise and the lattice's noise against their laws, rows against their bound (law_check.c). */
audit_function audit_noise, audit_lattice, audit_rows;
