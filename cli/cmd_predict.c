/* dperm predict: a model and records in, one prediction a line out. */
#include "arguments.h"
#include "session.h"

int run_predict(int argc, char **argv) {
  const char *model_path = NULL, *data = NULL, *out = NULL, *format_text = NULL;
  argument table[] = {
      {"--model", ARGUMENT_INPUT, &model_path, true, "FILE", "a model that dperm train wrote", NULL,
       false},
      {"--data", ARGUMENT_INPUT, &data, true, "FILE", "records, with or without labels", NULL,
       false},
      {"--out", ARGUMENT_OUTPUT, &out, false, "FILE", "where the CSV goes (default: stdout)", NULL,
       false},
      {"--format", ARGUMENT_TEXT, &format_text, false, "csv|svmlight|encoded",
       "when the file's name does not tell", NULL, false},
  };
  int exit_status = 0;
  dperm_format format;
  if (!arguments_parse("predict", table, sizeof table / sizeof *table, argc, argv,
                       "Writes prediction,score,probability, one line per record in the order of "
                       "the file.\nThe probability of the second class is given by logistic models "
                       "only.",
                       &exit_status) ||
      !parse_format("predict", format_text, &format, &exit_status)) {
    return exit_status;
  }
  dperm_error err;
  dperm_model *model = NULL;
  const dperm_source source = {.path = data, .format = format};
  dperm_status status = dperm_model_read(model_path, &model, &err);
  if (status == DPERM_OK) {
    status = dperm_predict_file(model, &source, out, session_progress(), &err);
  }
  exit_status = status == DPERM_OK ? 0 : report_error(&err);
  dperm_model_free(model);
  return exit_status;
}
