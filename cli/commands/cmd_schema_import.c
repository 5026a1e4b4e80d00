/* dperm schema import: a schema from a data dictionary, with remarks on what it leaves open. */
#include <string.h>

#include "arguments/arguments.h"
#include "arguments/choices.h"
#include "commands/commands.h"
#include "commands/schema_command.h"
#include "output/handles.h"
#include "output/json_report.h"
#include "output/message.h"
#include <dperm/draft.h>

static void print_summary(const json_t *schema, const char *out_path, size_t remarks) {
  static const char *const types[] = {"numeric", "categorical", "ignore"};
  size_t counts[3] = {0}, i;
  const json_t *column;
  json_array_foreach(json_object_get(schema, "columns"), i, column) {
    for (size_t t = 0; t < 3; t++) {
      counts[t] += strcmp(report_text(column, "type"), types[t]) == 0;
    }
  }
  note("%s: %zu numeric and %zu categorical columns, %zu ignored, %zu classes; %zu remarks: read "
       "them, then 'dperm schema check'",
       out_path && strcmp(out_path, "-") != 0 ? visible(out_path).text : "the schema", counts[0],
       counts[1], counts[2], json_array_size(json_object_get(schema, "classes")), remarks);
}

static dperm_status import(const char *path, const dperm_import_options *options,
                           const char *out_path, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  char *text = NULL;
  size_t remarks = 0;
  TRY(dperm_schema_import(path, options, print_remark, &remarks, &schema, err));
  TRY(dperm_schema_write(schema, out_path, err));
  TRY(dperm_schema_describe(schema, &text, err));
  json_auto_t *described = report_of(text);
  print_summary(described, out_path, remarks);
  return DPERM_OK;
}

int run_schema_import(int argc, char **argv) {
  const char *action = NULL, *path = NULL, *out_path = NULL, *positive = NULL, *format = NULL;
  int kind = 0;
  dperm_import_options options;
  dperm_import_options_init(&options);
  argument table[] = {
      {"action", ARGUMENT_TEXT, &action, true, "import", "what to do"},
      {"dictionary", ARGUMENT_INPUT, &path, true, "DICTIONARY",
       "a Frictionless table schema, resource or package, or CSVW metadata (JSON)"},
      {"--label", ARGUMENT_TEXT, &options.label, true, "COLUMN", "the label's"},
      {"--positive", ARGUMENT_TEXT, &positive, false, "V[,V...]",
       "labels of the positive class (default: of two, by custom or the second)"},
      {"--format", ARGUMENT_TEXT, &format, false, choices(dictionary_name, 0),
       "of the dictionary; auto (default) goes by its keys"},
      {"--table", ARGUMENT_TEXT, &options.table, false, "NAME",
       "one of several: a resource's name or path, a table's url"},
      {"--out", ARGUMENT_OUTPUT, &out_path, false, "FILE", "the schema (default: standard output)"},
  };
  usage_of("schema import");
  if (!arguments_parse(
          table, sizeof table / sizeof *table, argc, argv,
          "Makes a schema of the ranges, lists of values and missing values in a data dictionary. "
          "No record is read and nothing is guessed: columns of which the dictionary says too "
          "little, such as numbers without a range, are ignored, and remarks on stderr say what "
          "is needed. The dictionary must say what is known in public: ranges counted from the "
          "records to be protected would betray them. docs/formats.md has the rules.")) {
    return refused();
  }
  if (format && !choose("--format", format, dictionary_name, 0, &kind)) {
    return refused();
  }
  OWNED_MEMORY const char **positives =
      positive ? split_texts(positive, &options.positive_count) : NULL;
  if (positive && !positives) {
    return complain_of_memory();
  }
  options.positive = positives;
  options.dictionary = (dperm_dictionary)kind;
  dperm_error err;
  return import(path, &options, out_path, &err) == DPERM_OK ? 0 : report_error(&err);
}
