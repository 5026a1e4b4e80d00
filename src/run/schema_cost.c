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
  json_auto_t *json = json_deep_copy(made->json);
  if (!json || json_object_set_new(json, "refined", schema_refined_json(&cost)) != 0) {
    FAIL(err, DPERM_OUT_OF_MEMORY, "out of memory while making a schema");
  }
  return schema_from_json(json, "the refined schema", out, err);
}
