/* dperm encode: records in, an encoded file out, for data that are read often or outgrow memory. */
#include <dperm/bins.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "choices.h"
#include "handles.h"
#include "json_print.h"
#include "progress_bar.h"
#include "session.h"

static const char closing[] =
    "The encoded file holds the schema and takes the place of the records wherever --data is asked "
    "for: it is mapped rather than read, so it may be larger than memory, and gives the same "
    "model. It is as private as the records, and only its owner may read it.";

int run_encode(int argc, char **argv) {
  const char *data = NULL, *schema_path = NULL, *out = NULL, *format_text = NULL, *bins = "none";
  size_t dims = 0, rows = 0, planned_rows = 0;
  double epsilon = (double)NAN;
  bool json = false;
  argument table[] = {
      {"--data", ARGUMENT_INPUT, &data, true, "FILE", "the records"},
      {"--schema", ARGUMENT_INPUT, &schema_path, false, "FILE", "what is public about them (JSON)"},
      {"--out", ARGUMENT_OUTPUT, &out, true, "FILE", "where the encoded file goes"},
      {"--format", ARGUMENT_TEXT, &format_text, false, "csv|svmlight",
       "when the file's name does not tell"},
      {"--dims", ARGUMENT_COUNT, &dims, false, "D", "columns of svmlight data"},
      {"--bins", ARGUMENT_TEXT, &bins, false, choices(bins_name, 0),
       "numeric columns without \"bins\" (none); auto needs --rows and --epsilon"},
      {"--rows", ARGUMENT_COUNT, &planned_rows, false, "N",
       "for bins that follow from it: the rows that a fit will see; their public figure "
       "(--rows-about) "
       "where how many there are is private"},
      {"--epsilon", ARGUMENT_POSITIVE, &epsilon, false, "E", "and what it will have of epsilon"},
      {"--json", ARGUMENT_FLAG, &json, false, NULL, "what was done, for programs"},
  };
  dperm_format format = DPERM_FORMAT_AUTO;
  int all = 0;
  if (!arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing) ||
      !parse_format(format_text, &format) || !choose("--bins", bins, bins_name, 0, &all)) {
    return refused();
  }
  if (json && strcmp(out, "-") == 0) {
    return wrong_usage("--json and --out - both go to standard output");
  }
  dperm_error err;
  OWNED(dperm_schema_free_at) dperm_schema *given = NULL, *schema = NULL;
  dperm_resolve_options how;
  dperm_resolve_options_init(&how);
  how.rows = planned_rows;
  how.epsilon = epsilon;
  how.all_numeric = strcmp(bins, "auto") == 0;
  if (schema_path && dperm_schema_read(schema_path, &given, &err) != DPERM_OK) {
    return report_error(&err);
  }
  if (given && dperm_schema_unresolved(given, how.all_numeric) &&
      (planned_rows == 0 || isnan(epsilon))) {
    return wrong_usage("bins that follow from the number of rows and epsilon need --rows and "
                       "--epsilon here");
  }
  if (given && dperm_schema_resolve(given, &how, &schema, &err) != DPERM_OK) {
    return report_error(&err);
  }
  const dperm_source source = {.path = data, .format = format, .schema = schema, .dims = dims};
  if (dperm_encode_file(&source, out, progress_bar(), &rows, &err) != DPERM_OK) {
    return report_error(&err);
  }
  progress_bar_wipe();
  if (json) {
    printf("{\n");
    print_json_text("file", out, ",");
    print_json_count("rows", rows, "");
    printf("}\n");
  } else {
    note("%s: %zu rows, encoded; as private as the records",
         strcmp(out, "-") == 0 ? "standard output" : out, rows);
  }
  return 0;
}
