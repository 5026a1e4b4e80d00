/* dperm predict: a model and records in, one prediction a line out. */

#include "commands/commands.h"

dperm_status run_predict(int argc, char **argv, dperm_error *err) {
  const char *model_path = NULL, *data = NULL, *out = NULL;
  dperm_format format = DPERM_FORMAT_AUTO;
  argument table[] = {
      shared_argument("--model", &model_path),
      {"--data", ARGUMENT_INPUT, &data, true, "FILE", "records, with or without labels"},
      {"--out", ARGUMENT_OUTPUT, &out, false, "FILE",
       "file to write the CSV to (default: standard output)"},
      shared_argument("--format", &format),
  };
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv,
                      "Writes prediction,score,probability, one line per record in the order of "
                      "the file. Only logistic models give a probability: of the second class if "
                      "there are two, else of the predicted class.",
                      err));
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  const dperm_source source = {.path = data, .format = format};
  TRY(dperm_model_read(model_path, &model, err));
  return dperm_predict_file(model, &source, out, progress_bar(), err);
}
