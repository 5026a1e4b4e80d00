/* See schema_cost.h. */
#include "run/schema_cost.h"

#include <string.h>

dperm_status schema_state_cost(const dperm_schema *made, double epsilon, const guarantee *claim,
                               const dperm_charge *charge, ranks *spread, dperm_schema **out,
                               dperm_error *err) {
  schema_refined cost = {.epsilon = epsilon,
                         .rows_per_person = claim->rows_per_person,
                         .neighbours = claim->neighbours,
                         .is_private = guarantee_is_private(claim)};
  struct {
    uint64_t entry;
    char receipt[DPERM_DIGEST_SIZE];
  } paid = {.entry = charge->entry};
  memcpy(paid.receipt, charge->digest, sizeof paid.receipt);
  TRY(ranks_share(spread, DPERM_OK, &paid, sizeof paid, err)); /* the leader paid */
  cost.entry = paid.entry;
  memcpy(cost.receipt, paid.receipt, sizeof cost.receipt);
  return schema_state_refined(made, &cost, out, err);
}
