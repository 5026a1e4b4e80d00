/* See explain_words.h. */
#include "report/explain_words.h"

#include "base/json_text.h"

static void say(json_t **list, const char *sentence) {
  json_append(list, json_string(sentence));
}

/* Whether rows may be longer than what all are divided by, so that they are divided by more. */
static bool rows_shrink(const dperm_schema *schema) {
  return schema && schema->rows == ROWS_CLIP && schema->max_norm > schema->min_divisor;
}

json_t *explain_assumed(const dperm_model *model) {
  json_t *list = json_array();
  if (!model->map && rows_shrink(model->schema)) {
    say(&list, "Effects have their full size. A record with large numbers is shortened, and all of "
               "its effects with it.");
  }
  if (!model->map && label_range_known(model->range)) {
    say(&list, model_of_counts(model)
                   ? "Effects are added to the logarithm of the mean, which without any is 2 below "
                     "that of the largest count: by an effect of 0.7 the mean doubles."
                   : "Effects are in the label's unit, and are added to the middle of its range.");
  }
  if (model->map || model->plan.mechanism == DPERM_MECHANISM_NONE) {
    return list;
  }
  if (model->plan.mechanism == DPERM_MECHANISM_OUTPUT) {
    say(&list, "The noise was added to the finished weights, so its size is known exactly.");
    return list;
  }
  say(&list, "The size of the noise is estimated, from public numbers and the released weights. "
             "Nothing that stands out is proved by that; what is beyond the noise exceeds all of "
             "it, whatever the records are, in 95 of 100 fits.");
  say(&list, "Each of k categories, and each of fewer than five cells, is taken to hold at least "
             "1/k\xc2\xb2 of the records, each of more cells about 1/k. One that holds less may "
             "stand out by noise alone; beside each is what it must hold.");
  if (!model->schema) {
    say(&list, "Columns are taken not to add up to a constant, as the values of a category do when "
               "each has a column of 0 and 1: their effects may be noise although they stand out. "
               "A schema with categories knows better.");
  }
  say(&list, "Of a straight line a part of its mean square is taken to be left beside the "
             "intercept: values that hardly vary within their range may stand out by noise "
             "alone.");
  return list;
}

json_t *explain_not_examined(const dperm_model *model) {
  json_t *list = json_array();
  if (model->map) {
    say(&list, "The weights: a kernel spreads every column over all of them, so no weight belongs "
               "to a column, and there is nothing to show.");
    return list;
  }
  if (model->plan.mechanism == DPERM_MECHANISM_NONE) {
    say(&list, "Noise: there was none, and the model is not private.");
  }
  say(&list, model->released[SHARE_INTERVALS]
                 ? "Chance in the records themselves (sampling error), but in the intervals."
                 : "Chance in the records themselves (sampling error): with other people from the "
                   "same population effects would differ.");
  say(&list, model->plan.mechanism == DPERM_MECHANISM_OUTPUT
                 ? "Columns that say the same: they share an effect between them."
                 : "Columns that say the same: they share an effect between them, and the noise in "
                   "each of their weights is larger than it seems.");
  say(&list, "Causes: an effect is what the model adds for a value, beside all other columns, not "
             "what would happen if the value were changed. The penalty has shrunk it.");
  if (model->schema && model->schema->after_fit > 0) {
    say(&list, "The pair of columns that was added after the fit: its table has noise of its own, "
               "and was added because it is more than that noise gives once in 23 tables.");
  }
  if (json_is_object(model->selection)) {
    say(&list, "The choice among candidate settings.");
  }
  return list;
}
