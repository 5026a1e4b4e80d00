/* dperm score: how often a model errs on labelled records that the user calls public. */
#include <stdio.h>

#include "session.h"

int run_score(int argc, char **argv) {
  const char *model_path = NULL, *data = NULL, *format_text = NULL;
  argument table[] = {
      {"--model", ARGUMENT_TEXT, &model_path, true, "FILE", "a model that dperm train wrote", NULL,
       false},
      {"--data", ARGUMENT_TEXT, &data, true, "FILE", "labelled records that are public", NULL,
       false},
      {"--format", ARGUMENT_TEXT, &format_text, false, "csv|svmlight",
       "when the file's name does not tell", NULL, false},
  };
  int exit_status = 0;
  dperm_format format;
  if (!arguments_parse("score", table, sizeof table / sizeof *table, argc, argv,
                       "The counts are exact, so they are not private: score on public data only.",
                       &exit_status) ||
      !parse_format("score", format_text, &format, &exit_status)) {
    return exit_status;
  }
  const char *const inputs[] = {data, model_path};
  if (!paths_agree("score", NULL, inputs, 2, &exit_status)) {
    return exit_status;
  }
  dperm_error err;
  dperm_model *model = NULL;
  dperm_metrics m;
  const dperm_source source = {.path = data, .format = format};
  dperm_status status = dperm_model_read(model_path, &model, &err);
  if (status == DPERM_OK) {
    status = dperm_score_file(model, &source, session_progress(), &m, &err);
  }
  dperm_model_free(model);
  if (status != DPERM_OK) {
    return report_error(&err);
  }
  printf("{\n  \"rows\": %zu,\n  \"errors\": %zu,\n", m.rows, m.errors);
  print_json_number("error_rate", m.error_rate, ",");
  printf("  \"false_positives\": %zu,\n  \"false_negatives\": %zu,\n", m.false_positives,
         m.false_negatives);
  print_json_number("auc", m.auc, ",");
  print_json_number("log_loss", m.log_loss, "");
  printf("}\n");
  return 0;
}
