/* The cost of a refined schema, as a model's file states it beside the schema itself. */
#include "model/model_file.h"

/* All of epsilon was charged, or no less than the rest of it where another entry paid for the
 * refinement; sums are rounded to decimals of 50 bits. */
bool model_refined_fits(const json_t *privacy, dperm_model *model) {
  static const schema_refined none = {0};
  const schema_refined *refined = model->schema ? &model->schema->refined : &none;
  const json_t *stated = json_object_get(privacy, "epsilon_refined");
  const json_t *charged = json_object_get(privacy, "epsilon_charged");
  guarantee *claim = &model->claim;
  bool noisy = model->plan.mechanism != DPERM_MECHANISM_NONE;
  claim->epsilon_charged = claim->epsilon;
  if (!noisy || (refined->epsilon == 0 && !stated)) {
    return true;
  }
  claim->shares[SHARE_SCHEMA] = refined->epsilon;
  claim->epsilon_charged = json_number_value(charged);
  return refined->epsilon > 0 && json_is_number(stated) &&
         json_number_value(stated) == refined->epsilon && json_is_number(charged) &&
         claim->epsilon_charged > 0 && claim->epsilon_charged <= claim->epsilon &&
         claim->epsilon_charged >= claim->epsilon * (1 - 0x1p-40) - refined->epsilon &&
         claim->rows_per_person == refined->rows_per_person &&
         claim->neighbours == refined->neighbours &&
         (refined->is_private || !guarantee_is_private(claim));
}
