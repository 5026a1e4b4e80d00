/* What each fit of a run has, in public numbers: rows, and epsilon. "auto" bins follow from these.
 */
#pragma once

#include "dperm.h"
#include "privacy/guarantee.h"

/* What a run would claim, and with it the shares of one fit; nothing without a mechanism. */
dperm_status fit_share_claim(const dperm_options *options, size_t classes, rounds_kind rounds,
                             guarantee *out, dperm_error *err);
/* What is left of epsilon for one fit: less for a person's rows, rounds and classes. NaN without a
 * mechanism. */
dperm_status fit_share_epsilon(const dperm_options *options, size_t classes, rounds_kind rounds,
                               double *out, dperm_error *err);
