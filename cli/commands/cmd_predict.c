/* dperm predict: a model and records in, one prediction a line out. */

#include <math.h>

#include "commands/commands.h"
#include "output/atomic_file.h"

/* The records of the CSV that was written: lines but for those in quotes, and the header. NaN where
 * it cannot be read again, as with a pipe. */
static double count_rows(const char *path) {
  OWNED_STREAM FILE *file = atomic_file_plain(path) ? fopen(path, "r") : NULL;
  bool quoted = false;
  size_t lines = 0;
  for (int c; file && (c = getc(file)) != EOF;) {
    quoted = quoted != (c == '"');
    lines += c == '\n' && !quoted;
  }
  return file && !ferror(file) && lines > 0 ? (double)(lines - 1) : (double)NAN;
}

dperm_status run_predict(int argc, char **argv, dperm_error *err) {
  bool json = false;
  const char *model_path = NULL, *data = NULL, *out = NULL;
  dperm_format format = DPERM_FORMAT_AUTO;
  argument table[] = {
      shared_argument("--model", &model_path),
      {"--data", ARGUMENT_INPUT, &data, true, "FILE", "records, with or without labels"},
      {"--out", ARGUMENT_OUTPUT, &out, false, "FILE",
       "file to write the CSV to (default: standard output)"},
      shared_argument("--format", &format),
      {"--json", ARGUMENT_FLAG, &json, false, NULL, "with --out: print what was done as JSON",
       GROUP_OUTPUT},
  };
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv,
                      "Writes prediction,score,probability, one line per record in the order of "
                      "the file. Only logistic models give a probability: of the second class if "
                      "there are two, else of the predicted class.",
                      err));
  if (json && (!out || strcmp(out, "-") == 0)) {
    return wrong_usage(err, "--json goes with --out FILE: both use standard output");
  }
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  const dperm_source source = {.path = data, .format = format};
  TRY(dperm_model_read(model_path, &model, err));
  TRY(dperm_predict_file(model, &source, out, progress_bar(), err));
  progress_bar_wipe();
  if (json) {
    report_print(
        json_pack("{s:o, s:o}", "file", json_words(out), "rows", report_figure(count_rows(out))));
  }
  return DPERM_OK;
}
