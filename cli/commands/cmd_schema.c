/* dperm schema check: is this schema sound, and does this file fit it? (schema draft
 * and schema import: cmd_schema_draft.c, cmd_schema_import.c.) */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arguments/arguments.h"
#include "commands/commands.h"
#include "commands/ledger_settings.h"
#include "output/handles.h"
#include "output/json_report.h"
#include "output/message.h"
#include "output/progress_bar.h"
#include <dperm/unsafe.h>

/* What follows reads the library's description (docs/formats.md). */

static void print_classes(const json_t *schema) {
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
      " (one fit of all by logistic regression; else %zu, each against the rest, of epsilon/%zu)\n",
      count, count);
}

/* "(4 bins, line 0.5)" behind a column's numbers. */
static void print_bins(const json_t *column) {
  double bins = report_number(column, "bins"), line = report_number(column, "line");
  if (report_text(column, "bins")) {
    printf(" (bins: chosen for the number of rows and epsilon; until then as without)");
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
  printf("%s: a sound schema\n", visible(path).text);
  print_classes(schema);
  printf("  encoded columns  %.0f\n", report_number(schema, "dims"));
  printf("  norm of a row    at most %g; its absolute entries sum to at most %.4g\n",
         report_number(schema, "norm"), report_number(schema, "norm1"));
  if (json_is_true(json_object_get(schema, "drops_rows"))) {
    printf("  missing values   drop the row: for public data only, a private fit refuses it\n");
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
    printf("  %s*%s: pairs, %.0f encoded columns, entry at most %.4g\n",
           visible(json_string_value(json_array_get(pair, 0))).text,
           visible(json_string_value(json_array_get(pair, 1))).text, report_number(c, "dims"),
           report_number(c, "bound"));
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
  json_auto_t *described = report_of(text);
  if (unsafe) {
    TRY(print_unsafe(described, data, err));
  }
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
    printf("\n%s: %zu rows fit the schema\n", visible(data_path).text, dperm_data_rows(data));
  }
  return DPERM_OK;
}

int run_schema(int argc, char **argv) {
  if (argc > 0 && strcmp(argv[0], "draft") == 0) {
    return run_schema_draft(argc, argv);
  }
  if (argc > 0 && strcmp(argv[0], "import") == 0) {
    return run_schema_import(argc, argv);
  }
  const char *action = NULL, *path = NULL, *data_path = NULL, *ledger = NULL;
  bool unsafe = false, json = false;
  argument table[] = {
      {"action", ARGUMENT_TEXT, &action, true, "check", "what to do"},
      {"schema", ARGUMENT_INPUT, &path, true, "SCHEMA", "the schema (JSON)"},
      {"--data", ARGUMENT_INPUT, &data_path, false, "FILE",
       "read and encode these CSV records too; or encoded ones: were they under this schema?"},
      {"--unsafe-diagnostics", ARGUMENT_FLAG, &unsafe, false, NULL,
       "with --data: print missing, unknown and clamped counts to stderr"},
      {"--json", ARGUMENT_FLAG, &json, false, NULL, "for programs"},
      ledger_guard_argument(&ledger),
  };
  if (!arguments_parse(table, sizeof table / sizeof *table, argc, argv,
                       "Or: dperm schema draft --public-data FILE [options]; 'dperm help schema "
                       "draft' explains it.\n"
                       "Or: dperm schema import DICTIONARY --label COLUMN [options]; 'dperm help "
                       "schema import' explains it.")) {
    return refused();
  }
  if (unsafe && !data_path) {
    return wrong_usage("--unsafe-diagnostics needs --data");
  }
  if (unsafe && !ledger_guard(ledger, &data_path, 1)) {
    return refused();
  }
  dperm_error err;
  return check(path, data_path, unsafe, json, &err) == DPERM_OK ? 0 : report_error(&err);
}
