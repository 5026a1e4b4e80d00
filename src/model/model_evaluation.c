/* An evaluation on records that a run held out, as a model's file states it: what the claim rests
 * on is read, the rest is for people and kept as it is (evaluate/evaluation.h). */
#include <math.h>

#include "data/held_out.h"
#include "model/model_file.h"

bool model_read_evaluation(const json_t *root, dperm_model *model) {
  json_t *stated = json_object_get(root, "evaluation");
  const json_t *share = json_object_get(stated, "share"), *rows = json_object_get(stated, "rows"),
               *epsilon = json_object_get(stated, "epsilon");
  const bool adding = model->claim.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  if (!stated || json_is_null(stated)) { /* files from before there were any have no such key */
    return true;
  }
  const double part = json_number_value(share), spent = json_number_value(epsilon);
  const size_t held = part > 0 && part < 1 ? held_out_rows(model->rows, part) : 0;
  const bool counted =
      adding ? json_is_null(rows)
             : json_is_integer(rows) && held > 0 && json_integer_value(rows) == (json_int_t)held;
  model->evaluation = json_incref(stated);
  model->claim.epsilon_evaluated = spent;
  return json_is_object(stated) && part > 0 && part < 1 && counted && json_is_number(epsilon) &&
         spent > 0 && spent <= model->claim.epsilon; /* false without a mechanism */
}
