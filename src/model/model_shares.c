/* What the shares of epsilon after a fit released: objects of a model's file, and their meaning for
 * the model. A model that was just made and one that was read take the same way. */
#include <math.h>

#include "base/memory.h"
#include "loss/loss.h"
#include "mechanism/temperature.h"
#include "model/model_file.h"

/* One of the public grid, to the bit: as chosen; of a loss that has probabilities. */
static bool take_calibration(const json_t *stated, dperm_model *model) {
  const json_t *place = json_object_get(stated, "quarter_octaves");
  const json_t *grid = json_object_get(stated, "grid");
  const json_t *value = json_object_get(stated, "inverse_temperature");
  const loss_kind *kind = loss_kind_named(model->loss);
  json_int_t at = json_integer_value(place);
  model->inverse_temperature = json_number_value(value);
  return json_is_integer(place) && at >= TEMPERATURE_FIRST && at <= TEMPERATURE_LAST &&
         json_integer_value(json_array_get(grid, 0)) == TEMPERATURE_FIRST &&
         json_integer_value(json_array_get(grid, 1)) == TEMPERATURE_LAST &&
         json_array_size(grid) == 2 && json_is_number(value) &&
         temperature_at((size_t)(at - TEMPERATURE_FIRST)) == model->inverse_temperature && kind &&
         kind->joint && (model->classes.count == 2 || model->joint);
}

/* Whether an object is what the share can release; what the library uses of it goes into the
 * model. */
static bool (*const takers[SHARE_COUNT])(const json_t *stated, dperm_model *model) = {
    [SHARE_CALIBRATION] = take_calibration,
};

dperm_status model_take_share(dperm_model *model, share_id share, json_t *released,
                              dperm_error *err) {
  if (!released) {
    FAIL(err, DPERM_OUT_OF_MEMORY, "out of memory while stating what a share of epsilon released");
  }
  if (!takers[share](released, model)) {
    FAIL(err, DPERM_NUMERIC_ERROR, "what %s would release is not sound; nothing is released",
         share_kinds[share].option);
  }
  json_decref(model->released[share]);
  model->released[share] = json_incref(released);
  return DPERM_OK;
}

double model_share_value(const dperm_model *model, share_id share) {
  const json_t *released = model->released[share];
  return released ? json_number_value(json_object_get(released, share_kinds[share].value))
                  : share_kinds[share].without;
}

json_t *model_share_json(const dperm_model *model, share_id share) {
  json_t *object = json_object();
  const char *key;
  json_t *member;
  json_object_foreach(model->released[share], key, member) {
    json_set(&object, key, json_incref(member));
  }
  json_set(&object, "epsilon", json_real(model->claim.shares[share]));
  return object;
}

const share_kind *model_read_shares(const json_t *root, dperm_model *model) {
  model->inverse_temperature = 1;
  for (int s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    json_t *stated = json_object_get(root, share_kinds[s].file);
    const json_t *epsilon = json_object_get(stated, "epsilon");
    double *share = &model->claim.shares[s];
    if (!stated) { /* files without one have no such key */
      continue;
    }
    *share = json_number_value(epsilon);
    bool counted = json_is_number(epsilon) && *share > 0 &&
                   *share < model->claim.epsilon; /* false without a mechanism */
    if (!counted || model_take_share(model, s, stated, NULL) != DPERM_OK) {
      return &share_kinds[s];
    }
  }
  return NULL;
}
