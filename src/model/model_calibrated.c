/* The inverse temperature of a model's probabilities, as its file states it, and what choosing it
 * cost. */
#include "loss/loss.h"
#include "mechanism/temperature.h"
#include "model/model_file.h"

json_t *model_calibration_json(const dperm_model *model) {
  int place = TEMPERATURE_FIRST;
  while (place < TEMPERATURE_LAST &&
         temperature_at((size_t)(place - TEMPERATURE_FIRST)) != model->inverse_temperature) {
    place++;
  }
  return json_pack("{s:f, s:i, s:[i, i], s:f}", "inverse_temperature", model->inverse_temperature,
                   "quarter_octaves", place, "grid", TEMPERATURE_FIRST, TEMPERATURE_LAST, "epsilon",
                   model->claim.epsilon_calibrated);
}

/* Whether the number is of the grid, to the bit: as chosen. */
static bool on_grid(const json_t *stated, double value) {
  const json_t *place = json_object_get(stated, "quarter_octaves");
  const json_t *grid = json_object_get(stated, "grid");
  json_int_t at = json_integer_value(place);
  return json_is_integer(place) && at >= TEMPERATURE_FIRST && at <= TEMPERATURE_LAST &&
         json_integer_value(json_array_get(grid, 0)) == TEMPERATURE_FIRST &&
         json_integer_value(json_array_get(grid, 1)) == TEMPERATURE_LAST &&
         json_array_size(grid) == 2 && temperature_at((size_t)(at - TEMPERATURE_FIRST)) == value;
}

bool model_calibration_fits(const json_t *root, dperm_model *model) {
  const json_t *stated = json_object_get(root, "calibration");
  const json_t *value = json_object_get(stated, "inverse_temperature");
  const json_t *epsilon = json_object_get(stated, "epsilon");
  const loss_kind *kind = loss_kind_named(model->loss);
  model->inverse_temperature = 1;
  if (!stated) { /* files without one have no such key */
    return true;
  }
  model->inverse_temperature = json_number_value(value);
  model->claim.epsilon_calibrated = json_number_value(epsilon);
  return json_is_number(value) && on_grid(stated, model->inverse_temperature) &&
         json_is_number(epsilon) && model->claim.epsilon_calibrated > 0 &&
         model->claim.epsilon_calibrated < model->claim.epsilon && /* false without a mechanism */
         kind && kind->joint && (model->classes.count == 2 || model->joint);
}
