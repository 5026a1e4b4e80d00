/* Checks of laws and bounds that no lower bound on ε would show at a bearable number of draws: the
 * noise and the lattice's noise against their laws, rows against their bound. */
#pragma once

#include "dperm/audit.h"
#include "random/noise.h"

/* Each fills, as an audit_function of audit.c, distance, limit, draws and confidence; the distance
 * is the worst of all tests. */
dperm_status law_check_noise(const dperm_audit_options *options, int unused,
                             dperm_audit_result *out, dperm_error *err);
dperm_status law_check_lattice(const dperm_audit_options *options, int unused,
                               dperm_audit_result *out, dperm_error *err);
dperm_status law_check_rows(const dperm_audit_options *options, int unused, dperm_audit_result *out,
                            dperm_error *err);

/* One plan of the noise seam: the largest distance between the draws' frequencies and the law, over
 * the norm and several directions: the whole law of l2 noise there, the signs of other kinds. */
dperm_status noise_distance(const noise_plan *plan, random_source *source, size_t draws,
                            double *distance, dperm_error *err);
