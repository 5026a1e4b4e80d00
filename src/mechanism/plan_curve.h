/* What a plan's noise tells a ledger beyond (ε, δ): the numbers that its Renyi divergence follows
 * from (docs/proofs/composition.md, C5). Public, like the plan. */
#pragma once

#include "mechanism/privacy_plan.h"
#include "privacy/renyi.h"

/* Of one fit, for its own neighbours and one record, without what its release and numerics add;
 * fits = 0 for noise that is pure: then ε says it all. */
privacy_curve plan_curve(const public_numbers *given, const privacy_plan *plan);

/* Whether a release that was priced by `paid` may have this one: nothing is claimed by fits = 0. */
bool curve_covers(const privacy_curve *paid, const privacy_curve *curve);
