/* The statement of what a schema cost the records that it was made from. */
#pragma once

#include "data/dataset.h"
#include "dperm/ledger.h"
#include "privacy/guarantee.h"

/* `made` with the statement: epsilon for the unit of `claim`, which says whether it is private, and
 * the leader's charge. On every process of a job. */
dperm_status schema_state_cost(const dperm_schema *made, double epsilon, const guarantee *claim,
                               const dperm_charge *charge, ranks *spread, dperm_schema **out,
                               dperm_error *err);
