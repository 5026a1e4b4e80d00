/* dperm schema check: is this schema sound, and does this file fit it? (schema draft:
 * cmd_schema_draft.c.) */
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "ledger_guard.h"
#include "session.h"

static void print_classes(const dperm_schema *schema) {
  if (!dperm_schema_class_name(schema, 2)) {
    printf("  classes          %s (negative), %s (positive)\n", dperm_schema_class_name(schema, 0),
           dperm_schema_class_name(schema, 1));
    return;
  }
  printf("  classes          ");
  size_t count = 0;
  for (const char *name; (name = dperm_schema_class_name(schema, count)) != NULL; count++) {
    printf("%s%s", count ? ", " : "", name);
  }
  printf(" (%zu fits, one for each against the rest, of epsilon/%zu each)\n", count, count);
}

static void print_schema(const char *path, const dperm_schema *schema) {
  printf("%s: a sound schema\n", path);
  print_classes(schema);
  printf("  encoded columns  %zu\n", dperm_schema_dims(schema));
  printf("  norm of a row    at most %g; its absolute entries sum to at most %.4g\n",
         dperm_schema_norm_bound(schema), dperm_schema_norm1_bound(schema));
  if (dperm_schema_drops_rows(schema)) {
    printf("  missing values   drop the row: for public data only, a private fit refuses it\n");
  }
  printf("\n  %-24s %-12s %-16s %s\n", "column", "type", "encoded columns", "entry at most");
  for (size_t i = 0; i < dperm_schema_columns(schema); i++) {
    size_t width = dperm_schema_column_width(schema, i);
    const char *left_out = dperm_schema_column_reference(schema, i);
    printf("  %-24s %-12s %-16zu", dperm_schema_column_name(schema, i),
           dperm_schema_column_type(schema, i), width);
    if (width > 0) {
      printf(" %.4g", dperm_schema_column_bound(schema, i));
    }
    printf(left_out ? " (\"%s\" is left out)\n" : "\n", left_out);
  }
}

/* For the custodian: what the encoding changed, per column. */
static dperm_status print_unsafe(const dperm_schema *schema, const dperm_data *data,
                                 dperm_error *err) {
  fprintf(stderr,
          "warning: what follows depends on the records and is not private\n"
          "%-24s %10s %10s %10s\n",
          "column", "missing", "unknown", "clamped");
  for (size_t i = 0; i < dperm_schema_columns(schema); i++) {
    dperm_unsafe_column_counts counts;
    dperm_status status = dperm_unsafe_data_counts(data, i, &counts, err);
    if (status != DPERM_OK) {
      return status;
    }
    fprintf(stderr, "%-24s %10zu %10zu %10zu\n", dperm_schema_column_name(schema, i),
            counts.missing, counts.unknown, counts.clamped);
  }
  return DPERM_OK;
}

int run_schema(int argc, char **argv) {
  if (argc > 0 && strcmp(argv[0], "draft") == 0) {
    return run_schema_draft(argc, argv);
  }
  const char *action = NULL, *path = NULL, *data_path = NULL, *ledger = NULL;
  bool unsafe = false;
  argument table[] = {
      {"action", ARGUMENT_TEXT, &action, true, "check", "what to do", NULL, false},
      {"schema", ARGUMENT_INPUT, &path, true, "SCHEMA", "the schema (JSON)", NULL, false},
      {"--data", ARGUMENT_INPUT, &data_path, false, "FILE", "read and encode these CSV records too",
       NULL, false},
      {"--unsafe-diagnostics", ARGUMENT_FLAG, &unsafe, false, NULL,
       "with --data: print missing, unknown and clamped counts to stderr", NULL, false},
      ledger_guard_argument(&ledger),
  };
  int exit_status = 0;
  if (!arguments_parse("schema", table, sizeof table / sizeof *table, argc, argv,
                       "'dperm schema draft --help' explains how to draft one.", &exit_status)) {
    return exit_status;
  }
  if (strcmp(action, "check") != 0) {
    return wrong_usage("schema", "no action is called \"%.40s\"; use check or draft", action);
  }
  if (unsafe && !data_path) {
    return wrong_usage("schema", "--unsafe-diagnostics needs --data");
  }
  if (unsafe && !ledger_guard(ledger, &data_path, 1, &exit_status)) {
    return exit_status;
  }
  dperm_error err;
  dperm_schema *schema = NULL;
  dperm_data *data = NULL;
  dperm_status status = dperm_schema_read(path, &schema, &err);
  const dperm_source source = {.path = data_path, .format = DPERM_FORMAT_CSV, .schema = schema};
  if (status == DPERM_OK && data_path) {
    status = dperm_data_read(&source, session_progress(), &data, &err);
  }
  if (status == DPERM_OK && unsafe) {
    session_quiet();
    status = print_unsafe(schema, data, &err);
  }
  if (status != DPERM_OK) {
    exit_status = report_error(&err);
  } else {
    print_schema(path, schema);
    if (data) {
      printf("\n%s: %zu rows fit the schema\n", data_path, dperm_data_rows(data));
    }
  }
  dperm_data_free(data);
  dperm_schema_free(schema);
  return exit_status;
}
