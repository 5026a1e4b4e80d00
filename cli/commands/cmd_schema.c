/* dperm schema: check one, draft one from public records, or import one from a data dictionary. */
#include <dperm/draft.h>
#include <dperm/unsafe.h>

#include "arguments/value_list.h"
#include "commands/charged_run.h"
#include "commands/commands.h"

/* What follows reads the library's description (docs/formats.md). */

static void print_classes(const json_t *schema) {
  const json_t *range = json_object_get(schema, "label");
  if (json_is_object(range)) {
    printf("  label            a number from %g to %g\n", report_number(range, "min"),
           report_number(range, "max"));
    return;
  }
  const json_t *classes = json_object_get(schema, "classes"), *name;
  size_t i, count = json_array_size(classes);
  if (count == 2) {
    printf("  classes          %s (negative), %s (positive)\n",
           visible(json_string_value(json_array_get(classes, 0))).text,
           visible(json_string_value(json_array_get(classes, 1))).text);
    return;
  }
  printf("  classes          ");
  json_array_foreach(classes, i, name) {
    printf("%s%s", i ? ", " : "", visible(json_string_value(name)).text);
  }
  printf(
      " (one joint fit with logistic loss; else %zu fits, one against the rest, at epsilon/%zu)\n",
      count, count);
}

/* "(4 bins, line 0.5)" behind a column's numbers. */
static void print_bins(const json_t *column) {
  double bins = report_number(column, "bins"), line = report_number(column, "line");
  if (report_text(column, "bins")) {
    printf(" (bins: chosen by the number of rows and epsilon; none until then)");
  } else if (bins > 0) {
    printf(" (%.0f bin%s", bins, bins > 1 ? "s" : "");
    if (line > 0) {
      printf(", line %g", line);
    }
    printf(")");
  }
}

static void print_schema(const char *path, const json_t *schema) {
  const json_t *c;
  size_t i;
  printf("%s: a valid schema\n", visible(path).text);
  print_classes(schema);
  printf("  encoded columns  %.0f\n", report_number(schema, "dims"));
  printf("  norm of a row    at most %g; its absolute entries sum to at most %.4g\n",
         report_number(schema, "norm"), report_number(schema, "norm1"));
  if (json_is_true(json_object_get(schema, "drops_rows"))) {
    printf("  missing values   drop the row: for public data only, private fits refuse it\n");
  }
  if (report_number(schema, "epsilon_refined") > 0) {
    printf("  refined          from records, for an epsilon of %g that models add to their own\n",
           report_number(schema, "epsilon_refined"));
  }
  printf("\n  %-24s %-12s %-16s %s\n", "column", "type", "encoded columns", "entry at most");
  json_array_foreach(json_object_get(schema, "columns"), i, c) {
    const char *left_out = report_text(c, "reference");
    printf("  %-24s %-12s %-16.0f", visible(report_text(c, "name")).text, report_text(c, "type"),
           report_number(c, "dims"));
    if (report_number(c, "dims") > 0) {
      printf(" %.4g", report_number(c, "bound"));
    }
    if (left_out) {
      printf(" (\"%s\" is left out)", visible(left_out).text);
    }
    print_bins(c);
    printf("\n");
  }
  json_array_foreach(json_object_get(schema, "crosses"), i, c) {
    const json_t *pair = json_object_get(c, "columns");
    printf("  %s*%s: pairs, %.0f encoded columns, entry at most %.4g%s\n",
           visible(json_string_value(json_array_get(pair, 0))).text,
           visible(json_string_value(json_array_get(pair, 1))).text, report_number(c, "dims"),
           report_number(c, "bound"),
           json_is_true(json_object_get(c, "after_fit")) ? " (a model's own: no fit takes it)"
                                                         : "");
  }
}

/* For the custodian: what the encoding changed, per column. */
static dperm_status print_unsafe(const json_t *schema, const dperm_data *data, dperm_error *err) {
  dperm_unsafe_column_counts counts;
  const json_t *c;
  size_t i;
  TRY(dperm_unsafe_data_counts(data, 0, &counts, err));
  fprintf(stderr,
          "warning: what follows depends on the records and is not private\n"
          "%-24s %10s %10s %10s\n",
          "column", "missing", "unknown", "clamped");
  json_array_foreach(json_object_get(schema, "columns"), i, c) {
    TRY(dperm_unsafe_data_counts(data, i, &counts, err));
    fprintf(stderr, "%-24s %10zu %10zu %10zu\n", visible(report_text(c, "name")).text,
            counts.missing, counts.unknown, counts.clamped);
  }
  return DPERM_OK;
}

static dperm_status check(const char *path, const char *data_path, bool unsafe, bool json,
                          dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  char *text = NULL;
  TRY(dperm_schema_read(path, &schema, err));
  if (data_path) {
    const dperm_source source = {.path = data_path, .schema = schema};
    TRY(dperm_data_read(&source, progress_bar(), &data, err));
  }
  progress_bar_wipe();
  TRY(dperm_schema_describe(schema, &text, err));
  json_auto_t *described = parsed_report(text);
  if (unsafe) {
    TRY(print_unsafe(described, data, err));
  }
  report_remarks(described);
  if (json) {
    json_t *report = json_pack("{s:o}", "schema", json_words(path));
    (void)json_object_update(report, described);
    (void)json_object_set_new(report, "data", json_words(data_path));
    (void)json_object_set_new(report, "rows",
                              data ? json_integer((json_int_t)dperm_data_rows(data)) : json_null());
    report_print(report);
    return DPERM_OK;
  }
  print_schema(path, described);
  if (data) {
    size_t rows = dperm_data_rows(data);
    printf("\n%s: %zu row%s the schema\n", visible(data_path).text, rows,
           rows == 1 ? " fits" : "s fit");
  }
  return DPERM_OK;
}

/* ---- draft and import */

/* A dperm_remark: a line on stderr. */
static void print_remark(void *context, const char *line) {
  note("remark: %s", line);
}

/* One byte, or the word "tab", which is hard to type. */
static dperm_status read_separator(const char *text, char *out, dperm_error *err) {
  bool tab = strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0;
  RETURN_IF(!tab && strlen(text) != 1,
            wrong_usage(err, "--separator must be one byte or tab, not \"%.40s\"", text));
  *out = *(tab ? "\t" : text);
  return DPERM_OK;
}

static dperm_status run_schema_draft(int argc, char **argv, dperm_error *err) {
  const char *data_path = NULL, *out_path = NULL, *separator = NULL;
  const char *positive = NULL, *missing = NULL, *ledger = NULL;
  bool header = false, no_header = false, force = false;
  dperm_draft_options options;
  dperm_draft_options_init(&options);
  argument table[] = {
      {"--public-data", ARGUMENT_INPUT, &data_path, true, "FILE", "public CSV records with labels"},
      {"--label", ARGUMENT_TEXT, &options.label, false, "COLUMN",
       "column of the label (default: the last)"},
      {"--positive", ARGUMENT_TEXT, &positive, false, "V[,V...]",
       "values of the positive class (default: the conventional one, or the rarer of two)"},
      {"--header", ARGUMENT_FLAG, &header, false, NULL, "the first line names the columns"},
      {"--no-header", ARGUMENT_FLAG, &no_header, false, NULL,
       "the first line is a record; columns become column1, ... (default: guessed)"},
      {"--separator", ARGUMENT_TEXT, &separator, false, "C",
       "byte between fields, or \"tab\" (default: guessed)"},
      {"--missing", ARGUMENT_TEXT, &missing, false, "T[,T...]",
       "texts that stand for a missing value (default: the usual ones)"},
      {"--out", ARGUMENT_OUTPUT, &out_path, false, "FILE",
       "file to write the schema to (default: standard output)"},
      ledger_guard_argument(&ledger),
      shared_argument("--force", &force),
  };
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv,
                      "Guesses types, bounds, categories and classes from records that you declare "
                      "public: last year's open file, a published sample, made-up rows. Never use "
                      "the records to be protected: a schema made from them would reveal them. "
                      "Remarks on stderr say what to check. docs/formats.md has the rules.",
                      err));
  RETURN_IF(header && no_header, wrong_usage(err, "--header and --no-header exclude each other"));
  options.header = header ? 1 : no_header ? 0 : -1;
  TRY(separator ? read_separator(separator, &options.separator, err) : DPERM_OK);
  TRY(ledger_guard(ledger, &data_path, 1, err));
  OWNED_MEMORY const char **positives =
      positive ? split_texts(positive, &options.positive_count) : NULL;
  OWNED_MEMORY const char **markers = missing ? split_texts(missing, &options.missing_count) : NULL;
  RETURN_IF((positive && !positives) || (missing && !markers), out_of_memory(err));
  options.positive = positives;
  options.missing = markers;
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  TRY(dperm_schema_draft(data_path, NULL, 0, &options, progress_bar(), print_remark, NULL, &schema,
                         err));
  progress_bar_wipe();
  return dperm_schema_write(schema, out_path, err);
}

static dperm_status run_schema_import(int argc, char **argv, dperm_error *err) {
  const char *path = NULL, *out_path = NULL, *positive = NULL;
  bool force = false;
  dperm_import_options options;
  dperm_import_options_init(&options);
  argument table[] = {
      {"dictionary", ARGUMENT_INPUT, &path, true, "DICTIONARY",
       "a Frictionless table schema, resource or package, or CSVW metadata (JSON)"},
      {"--label", ARGUMENT_TEXT, &options.label, true, "COLUMN", "column of the label"},
      {"--positive", ARGUMENT_TEXT, &positive, false, "V[,V...]",
       "values of the positive class (default: the conventional one, such as yes, true or 1, or "
       "else the second of two)"},
      {"--format", ARGUMENT_CHOICE, &options.dictionary, false, NULL,
       "format of the dictionary; auto recognizes it by its keys (default: auto)", GROUP_USUAL,
       dictionary_name},
      {"--table", ARGUMENT_TEXT, &options.table, false, "NAME",
       "which of several tables: a resource's name or path, or a table's url"},
      {"--out", ARGUMENT_OUTPUT, &out_path, false, "FILE",
       "file to write the schema to (default: standard output)"},
      shared_argument("--force", &force),
  };
  TRY(arguments_parse(
      table, sizeof table / sizeof *table, argc, argv,
      "Makes a schema from the ranges, lists of values and missing values in a data dictionary. No "
      "record is read and nothing is guessed: columns about which the dictionary says too little, "
      "such as numbers without a range, are ignored, and remarks on stderr say what is needed. The "
      "dictionary must be public knowledge: ranges computed from the records to be protected would "
      "reveal them. docs/formats.md has the rules.",
      err));
  OWNED_MEMORY const char **positives =
      positive ? split_texts(positive, &options.positive_count) : NULL;
  RETURN_IF(positive && !positives, out_of_memory(err));
  options.positive = positives;
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  TRY(dperm_schema_import(path, NULL, 0, &options, print_remark, NULL, &schema, err));
  return dperm_schema_write(schema, out_path, err);
}

/* ---- the command */

static dperm_status run_schema_check(int argc, char **argv, dperm_error *err) {
  const char *path = NULL, *data_path = NULL, *ledger = NULL;
  bool unsafe = false, json = false;
  argument table[] = {
      {"schema", ARGUMENT_INPUT, &path, true, "SCHEMA", "the schema (JSON)"},
      {"--data", ARGUMENT_INPUT, &data_path, false, "FILE",
       "records that must fit the schema: CSV, or encoded with it"},
      {"--unsafe-diagnostics", ARGUMENT_FLAG, &unsafe, false, NULL,
       "with --data: count missing, unknown and clamped values on stderr, which is not private"},
      shared_argument("--json", &json),
      ledger_guard_argument(&ledger),
  };
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv, NULL, err));
  RETURN_IF(unsafe && !data_path, wrong_usage(err, "--unsafe-diagnostics needs --data"));
  TRY(unsafe ? ledger_guard(ledger, &data_path, 1, err) : DPERM_OK);
  return check(path, data_path, unsafe, json, err);
}

const command schema_actions[] = {
    {"check", "check a schema, and whether records fit it", run_schema_check, false, NULL},
    {"draft", "draft a schema from public records", run_schema_draft, false, NULL},
    {"import", "make a schema from a data dictionary", run_schema_import, false, NULL},
    {0},
};
