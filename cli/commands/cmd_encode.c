/* dperm encode: records in, an encoded file out, for data that are read often or outgrow memory. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arguments/arguments.h"
#include "arguments/choices.h"
#include "commands/commands.h"
#include "output/handles.h"
#include "output/json_report.h"
#include "output/message.h"
#include "output/progress_bar.h"

static const char closing[] =
    "The encoded file holds the schema and takes the place of the records wherever --data is asked "
    "for: it is mapped rather than read, so it may be larger than memory, and gives the same "
    "model, also under a schema with other bins. It is as private as the records, and only its "
    "owner may read it.";

int run_encode(int argc, char **argv) {
  const char *data = NULL, *schema_path = NULL, *out = NULL, *format_text = NULL,
             *neighbours = "replace";
  size_t dims = 0, rows = 0;
  bool json = false;
  argument table[] = {
      {"--data", ARGUMENT_INPUT, &data, true, "FILE", "the records"},
      {"--schema", ARGUMENT_INPUT, &schema_path, false, "FILE", "what is public about them (JSON)"},
      {"--out", ARGUMENT_OUTPUT, &out, true, "FILE", "where the encoded file goes"},
      {"--format", ARGUMENT_TEXT, &format_text, false, "csv|svmlight",
       "when the file's name does not tell"},
      {"--dims", ARGUMENT_COUNT, &dims, false, "D", "columns of svmlight data"},
      {"--neighbours", ARGUMENT_TEXT, &neighbours, false, choices(neighbours_name, 0),
       "of the fit (replace): with add-remove a file without any records is encoded too"},
      {"--json", ARGUMENT_FLAG, &json, false, NULL, "what was done, for programs"},
  };
  dperm_format format = DPERM_FORMAT_AUTO;
  int compared = 0;
  if (!arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing) ||
      !parse_format(format_text, &format) ||
      !choose("--neighbours", neighbours, neighbours_name, 0, &compared)) {
    return refused();
  }
  if (json && strcmp(out, "-") == 0) {
    return wrong_usage("--json and --out - both go to standard output");
  }
  dperm_error err;
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  if (schema_path && dperm_schema_read(schema_path, &schema, &err) != DPERM_OK) {
    return report_error(&err);
  }
  const dperm_source source = {.path = data,
                               .format = format,
                               .schema = schema,
                               .dims = dims,
                               .may_be_empty = compared == DPERM_NEIGHBOURS_ADD_REMOVE};
  if (dperm_encode_file(&source, out, progress_bar(), &rows, &err) != DPERM_OK) {
    return report_error(&err);
  }
  progress_bar_wipe();
  if (json) {
    report_print(json_pack("{s:o, s:I}", "file", json_words(out), "rows", (json_int_t)rows));
  } else {
    note("%s: %zu rows, encoded; as private as the records",
         strcmp(out, "-") == 0 ? "standard output" : out, rows);
  }
  return 0;
}
