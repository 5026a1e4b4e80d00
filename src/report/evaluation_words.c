/* See evaluation_words.h. Every word follows from the model's file. */
#include "report/evaluation_words.h"

#include <stdio.h>

static double number_at(const json_t *object, const char *key) {
  return json_number_value(json_object_get(object, key));
}

void evaluation_words(report *p, const dperm_model *model) {
  const json_t *e = model->evaluation;
  const char *finding = json_string_value(json_object_get(e, "finding"));
  char records[64];
  if (!e) {
    return;
  }
  (void)snprintf(records, sizeof records, "%.0f records", number_at(e, "rows"));
  report_add(p, REPORT_HEADING, "How good the model is");
  report_add(p, REPORT_TEXT,
             "Of the records a share of %g, drawn at random apart from what they say, was kept "
             "from everything but one evaluation. On these (%s) %s. The figures carry noise of "
             "their own, at ε = %.6g for each of these records, which the model was not shown: so "
             "the budget above covers both, and is not their sum. Which records these were stays "
             "with the custodian.",
             number_at(e, "share"),
             json_is_null(json_object_get(e, "rows")) ? "their number is private" : records,
             finding ? finding : "nothing is stated", model->claim.epsilon_evaluated);
}
