/* dperm schema check: is this schema sound, and does this file fit it? (schema draft
 * and schema import: cmd_schema_draft.c, cmd_schema_import.c.) */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "dperm/refine.h"
#include "dperm/unsafe.h"
#include "handles.h"
#include "json_print.h"
#include "ledger_settings.h"
#include "progress_bar.h"
#include "session.h"

static void print_classes(const dperm_schema *schema) {
  if (!dperm_schema_class_name(schema, 2)) {
    printf("  classes          %s (negative), %s (positive)\n",
           visible(dperm_schema_class_name(schema, 0)).text,
           visible(dperm_schema_class_name(schema, 1)).text);
    return;
  }
  printf("  classes          ");
  size_t count = 0;
  for (const char *name; (name = dperm_schema_class_name(schema, count)) != NULL; count++) {
    printf("%s%s", count ? ", " : "", visible(name).text);
  }
  printf(
      " (one fit of all by logistic regression; else %zu, each against the rest, of epsilon/%zu)\n",
      count, count);
}

/* "(4 bins, line 0.5)" behind a column's numbers. */
static void print_bins(const dperm_schema *schema, size_t column) {
  size_t bins = dperm_schema_column_bins(schema, column);
  double line = dperm_schema_column_line(schema, column);
  if (dperm_schema_column_bins_auto(schema, column)) {
    printf(" (bins: chosen for the number of rows and epsilon; until then as without)");
  } else if (bins > 0) {
    printf(" (%zu bin%s", bins, bins > 1 ? "s" : "");
    if (line > 0) {
      printf(", line %g", line);
    }
    printf(")");
  }
}

static void print_schema(const char *path, const dperm_schema *schema) {
  printf("%s: a sound schema\n", visible(path).text);
  print_classes(schema);
  printf("  encoded columns  %zu\n", dperm_schema_dims(schema));
  printf("  norm of a row    at most %g; its absolute entries sum to at most %.4g\n",
         dperm_schema_norm_bound(schema), dperm_schema_norm1_bound(schema));
  if (dperm_schema_drops_rows(schema)) {
    printf("  missing values   drop the row: for public data only, a private fit refuses it\n");
  }
  if (dperm_schema_refined_epsilon(schema) > 0) {
    printf("  refined          from records, for an epsilon of %g that models add to their own\n",
           dperm_schema_refined_epsilon(schema));
  }
  printf("\n  %-24s %-12s %-16s %s\n", "column", "type", "encoded columns", "entry at most");
  for (size_t i = 0; i < dperm_schema_columns(schema); i++) {
    size_t width = dperm_schema_column_width(schema, i);
    const char *left_out = dperm_schema_column_reference(schema, i);
    printf("  %-24s %-12s %-16zu", visible(dperm_schema_column_name(schema, i)).text,
           dperm_schema_column_type(schema, i), width);
    if (width > 0) {
      printf(" %.4g", dperm_schema_column_bound(schema, i));
    }
    if (left_out) {
      printf(" (\"%s\" is left out)", visible(left_out).text);
    }
    print_bins(schema, i);
    printf("\n");
  }
  for (size_t i = 0; i < dperm_schema_crosses(schema); i++) {
    const char *first = dperm_schema_column_name(schema, dperm_schema_cross_column(schema, i, 0));
    const char *second = dperm_schema_column_name(schema, dperm_schema_cross_column(schema, i, 1));
    printf("  %s*%s: pairs, %zu encoded columns, entry at most %.4g\n", visible(first).text,
           visible(second).text, dperm_schema_cross_width(schema, i),
           dperm_schema_cross_bound(schema, i));
  }
}

/* For the custodian: what the encoding changed, per column. */
static dperm_status print_unsafe(const dperm_schema *schema, const dperm_data *data,
                                 dperm_error *err) {
  dperm_unsafe_column_counts counts;
  TRY(dperm_unsafe_data_counts(data, 0, &counts, err));
  fprintf(stderr,
          "warning: what follows depends on the records and is not private\n"
          "%-24s %10s %10s %10s\n",
          "column", "missing", "unknown", "clamped");
  for (size_t i = 0; i < dperm_schema_columns(schema); i++) {
    TRY(dperm_unsafe_data_counts(data, i, &counts, err));
    fprintf(stderr, "%-24s %10zu %10zu %10zu\n", visible(dperm_schema_column_name(schema, i)).text,
            counts.missing, counts.unknown, counts.clamped);
  }
  return DPERM_OK;
}

static void print_json(const char *path, const dperm_schema *schema, const char *data_path,
                       const dperm_data *data) {
  printf("{\n");
  print_json_text("schema", path, ",");
  printf("  \"classes\": [");
  for (size_t i = 0; dperm_schema_class_name(schema, i); i++) {
    printf(i ? ", " : "");
    json_quote(stdout, dperm_schema_class_name(schema, i));
  }
  printf("],\n");
  print_json_count("dims", dperm_schema_dims(schema), ",");
  print_json_number("norm", dperm_schema_norm_bound(schema), ",");
  print_json_number("norm1", dperm_schema_norm1_bound(schema), ",");
  print_json_flag("drops_rows", dperm_schema_drops_rows(schema), ",");
  printf("  \"columns\": [");
  for (size_t i = 0; i < dperm_schema_columns(schema); i++) {
    printf("%s\n    {\"name\": ", i ? "," : "");
    json_quote(stdout, dperm_schema_column_name(schema, i));
    printf(", \"type\": \"%s\", \"dims\": %zu, \"bound\": %.17g, \"reference\": ",
           dperm_schema_column_type(schema, i), dperm_schema_column_width(schema, i),
           dperm_schema_column_bound(schema, i));
    json_quote(stdout, dperm_schema_column_reference(schema, i));
    if (dperm_schema_column_bins_auto(schema, i)) {
      printf(", \"bins\": \"auto\"");
    } else {
      printf(", \"bins\": %zu", dperm_schema_column_bins(schema, i));
    }
    printf(", \"line\": %.17g}", dperm_schema_column_line(schema, i));
  }
  printf("\n  ],\n  \"crosses\": [");
  for (size_t i = 0; i < dperm_schema_crosses(schema); i++) {
    printf("%s\n    {\"columns\": [", i ? "," : "");
    json_quote(stdout, dperm_schema_column_name(schema, dperm_schema_cross_column(schema, i, 0)));
    printf(", ");
    json_quote(stdout, dperm_schema_column_name(schema, dperm_schema_cross_column(schema, i, 1)));
    printf("], \"dims\": %zu, \"bound\": %.17g}", dperm_schema_cross_width(schema, i),
           dperm_schema_cross_bound(schema, i));
  }
  printf("%s],\n", dperm_schema_crosses(schema) > 0 ? "\n  " : "");
  print_json_text("data", data_path, ",");
  print_json_number("rows", data ? (double)dperm_data_rows(data) : (double)NAN, "");
  printf("}\n");
}

static dperm_status check(const char *path, const char *data_path, bool unsafe, bool json,
                          dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  TRY(dperm_schema_read(path, &schema, err));
  if (data_path) {
    const dperm_source source = {.path = data_path, .schema = schema};
    TRY(dperm_data_read(&source, progress_bar(), &data, err));
  }
  progress_bar_wipe();
  if (unsafe) {
    TRY(print_unsafe(schema, data, err));
  }
  if (json) {
    print_json(path, schema, data_path, data);
    return DPERM_OK;
  }
  print_schema(path, schema);
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
