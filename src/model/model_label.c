/* What a regression's file says of its label and its loss. */
#include <math.h>
#include <string.h>

#include "loss/loss.h"
#include "model/model_file.h"

bool model_read_quantile(const json_t *loss, dperm_model *model) {
  const json_t *stated = json_object_get(loss, "quantile");
  dperm_loss own;
  model->loss_quantile = stated ? json_number_value(stated) : (double)NAN;
  return !stated || (strcmp(model->loss, "quantile") == 0 && model->loss_quantile > 0 &&
                     model_loss(model, &own, NULL) == DPERM_OK);
}

bool model_read_label(const json_t *root, dperm_model *model) {
  const json_t *label = json_object_get(root, "label"), *min = json_object_get(label, "min"),
               *max = json_object_get(label, "max"), *classes = json_object_get(root, "classes");
  const label_range stated = {json_number_value(min), json_number_value(max)},
                    own = model->schema ? schema_label_range(model->schema) : stated;
  dperm_loss loss;
  model->range = stated;
  return json_is_number(min) && json_is_number(max) && json_object_size(label) == 2 &&
         label_range_check(stated, NULL) == DPERM_OK && own.min == stated.min &&
         own.max == stated.max && json_is_array(classes) && json_array_size(classes) == 0 &&
         model_loss(model, &loss, NULL) == DPERM_OK && loss_of_numbers(&loss) &&
         (!loss_is_count(&loss) || stated.min == 0);
}
