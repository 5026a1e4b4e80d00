/* How a model's classes were learned, as its file says it, and the noise that follows. */
#include <string.h>

#include "loss/loss.h"
#include "model/model_file.h"

static bool is_way(const char *name, dperm_multiclass way) {
  return name && strcmp(name, dperm_multiclass_name(way)) == 0;
}

/* Files from before classes could be learned jointly do not say. */
bool model_multiclass_fits(const json_t *root, dperm_model *model) {
  const json_t *stated = json_object_get(root, "multiclass");
  const char *name = json_string_value(stated);
  const loss_kind *kind = loss_kind_named(model->loss);
  model->joint = is_way(name, DPERM_MULTICLASS_JOINT);
  bool known = model->joint || is_way(name, DPERM_MULTICLASS_ONE_VS_REST);
  return (!stated || (known && model->classes.count > 2)) &&
         (!model->joint || (kind && kind->joint));
}

/* As mechanism/privacy_plan.c makes it: a vector for each class, or one for all weights. */
void model_shape_noise(dperm_model *model) {
  noise_plan *noise = &model->plan.noise;
  bool objective = model->plan.mechanism == DPERM_MECHANISM_OBJECTIVE;
  noise->copies = model->joint && objective ? model->classes.count : 1;
  noise->dims = model->joint && !objective ? model->classes.count * model->dims : model->dims;
}
