/* An evaluation on records that a run held out, as a model's file states it: what the claim rests
 * on is read, the rest is for people and kept as it is (evaluate/evaluation.h), but nothing that no
 * evaluation has. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/held_out.h"
#include "model/model_file.h"

/* The members of an object, by the name that it is one of itself; of all others, which are figures,
 * the last. */
static const struct {
  const char *of, *members;
} shapes[] = {
    {"evaluation",
     " finding epsilon rows_per_person neighbours intervals confidence rows errors false_positives "
     "false_negatives error_rate baseline difference auc log_loss precision recall roc calibration "
     "groups cells share rmse mae r2 pinball at_or_below sums "},
    {"baseline", " class error_rate low high mean rmse median mae quantile pinball "},
    {"roc", " threshold false_positive_rate true_positive_rate low high precision "},
    {"calibration", " predicted observed low high records "},
    {"groups", " column rates "},
    {"rates",
     " name records error_rate positive_rate false_positive_rate false_negative_rate counts "},
    {"sums", " around clamped_at around_clamped_at counts sums "},
    {"cells", " classes ends by counts noise_sd "},
    {NULL, " value low high "},
};

static bool is_member(const char *members, const char *key) {
  const size_t length = strlen(key);
  const char *at = strstr(members, key);
  if (!*key || strchr(key, ' ')) {
    return false;
  }
  while (at && (at[-1] != ' ' || at[length] != ' ')) {
    at = strstr(at + 1, key);
  }
  return at;
}

/* One that it should not have; `name` is what the value is called. */
static const char *unknown_member(const json_t *value, const char *name) {
  const char *unknown = NULL, *key;
  const json_t *item;
  size_t i, shape = 0;
  while (shapes[shape].of && strcmp(shapes[shape].of, name) != 0) {
    shape++;
  }
  json_array_foreach(value, i, item) {
    unknown = unknown ? unknown : unknown_member(item, name);
  }
  json_object_foreach((json_t *)value, key, item) {
    unknown = unknown                                  ? unknown
              : !is_member(shapes[shape].members, key) ? key
                                                       : unknown_member(item, key);
  }
  return unknown;
}

bool model_read_evaluation(const json_t *root, dperm_model *model, char *doubt, size_t size) {
  json_t *stated = json_object_get(root, "evaluation");
  const json_t *share = json_object_get(stated, "share"), *rows = json_object_get(stated, "rows"),
               *epsilon = json_object_get(stated, "epsilon");
  const bool adding = model->claim.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  const char *unknown = unknown_member(stated, "evaluation");
  (void)(unknown ? snprintf(doubt, size,
                            "its evaluation has a member \"%.64s\" that this dperm does not know",
                            unknown)
                 : snprintf(doubt, size, "its evaluation is not clear"));
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
  return !unknown && json_is_object(stated) && part > 0 && part < 1 && counted &&
         json_is_number(epsilon) && spent > 0 &&
         spent <= model->claim.epsilon; /* false without a mechanism */
}
