/* See sized_calls.h. */
#include "sized_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "dperm/audit.h"
#include "dperm/ledger.h"
#include "dperm/output.h"
#include "dperm/refine.h"
#include "dperm/score.h"
#include "dperm/sweep.h"
#include "support.h"

/* dperm_record_reader */
static dperm_status read_again(void *context, const dperm_schema *as, dperm_data **out,
                               dperm_error *err) {
  const dperm_source source = {.path = context, .schema = as};
  return dperm_data_read(&source, NULL, out, err);
}

dperm_status sized_train_refined(const dperm_schema *schema, const char *csv, const void *given,
                                 dperm_error *err) {
  dperm_model *made = NULL;
  dperm_status status =
      dperm_train_refined(schema, read_again, (void *)csv, given, 0.5, 0, &made, err);
  dperm_model_free(made);
  return status;
}

/* Of one column. */
static dperm_schema *small_schema(dperm_error *err) {
  static const char text[] =
      "{\"label\": {\"column\": \"y\", \"classes\": [\"a\", \"b\"]}, \"columns\": [{\"name\": "
      "\"x\", \"type\": \"numeric\", \"min\": 0, \"max\": 1}]}";
  dperm_schema *small = NULL;
  assert_int_equal(dperm_schema_parse(text, strlen(text), "schema", &small, err), DPERM_OK);
  return small;
}

/* Two rows; the first look is at the options. */
dperm_status sized_train_refined_table(const void *given, dperm_error *err) {
  static const char *const texts[] = {"a", "b"};
  static const double x[] = {0, 1};
  static const int32_t y[] = {0, 1};
  const dperm_column column = {.numbers = x}, label = {.codes = y, .texts = texts, .text_count = 2};
  dperm_schema *small = small_schema(err);
  dperm_model *made = NULL;
  dperm_status status =
      dperm_train_refined_table(small, 2, &column, &label, 0, given, 0.5, 0, &made, err);
  dperm_model_free(made);
  dperm_schema_free(small);
  return status;
}

dperm_status sized_refine(const dperm_schema *schema, const char *csv, const void *given,
                          dperm_error *err) {
  dperm_schema *cells = NULL, *made = NULL;
  dperm_data *counted = NULL;
  assert_int_equal(dperm_refine_cells(schema, &cells, err), DPERM_OK);
  assert_int_equal(read_again((void *)csv, cells, &counted, err), DPERM_OK);
  dperm_status status = dperm_refine(schema, counted, given, &made, err);
  dperm_schema_free(made);
  dperm_data_free(counted);
  dperm_schema_free(cells);
  return status;
}

dperm_status sized_reserve_refined(const dperm_schema *schema, const char *csv, const void *given,
                                   dperm_error *err) {
  char *path = file_with_text("");
  dperm_schema *cells = NULL;
  dperm_data *counted = NULL;
  dperm_output *output = NULL;
  assert_int_equal(dperm_refine_cells(schema, &cells, err), DPERM_OK);
  assert_int_equal(read_again((void *)csv, cells, &counted, err), DPERM_OK);
  assert_int_equal(dperm_output_open(path, &output, err), DPERM_OK);
  dperm_status status = dperm_output_reserve_refined(output, counted, schema, given, 1, err);
  dperm_output_free(output);
  dperm_data_free(counted);
  dperm_schema_free(cells);
  file_remove(path);
  return status;
}

dperm_status sized_train_refined_cost(const void *given, dperm_error *err) {
  dperm_schema *small = small_schema(err);
  double counts = 0, answer = 0;
  dperm_status status = dperm_train_refined_cost(small, 100, given, 0.5, 0, &counts, &answer, err);
  dperm_schema_free(small);
  return status;
}

void *sized_sound_budget(size_t size) {
  dperm_ledger_budget *budget = calloc(1, size + 64);
  assert_non_null(budget);
  dperm_ledger_budget_init_sized(budget, size);
  budget->epsilon = "1";
  return budget;
}

dperm_status sized_budget(const void *given, dperm_error *err) {
  char folder[200], path[220];
  folder_new("dperm-sized", folder, sizeof folder);
  (void)snprintf(path, sizeof path, "%s/ledger", folder);
  dperm_status status = dperm_ledger_create(path, "people", given, err);
  (void)unlink(path);
  (void)rmdir(folder);
  return status;
}

size_t sized_grown(const char *kind) {
#define GROWN(type, last)                                                                          \
  { #type, offsetof(type, last) + sizeof(((type *)0)->last) }
  static const struct {
    const char *kind;
    size_t end;
  } list[] = {GROWN(dperm_options, calibrate), GROWN(dperm_score_options, reserved),
              GROWN(dperm_refine_options, rows_about), GROWN(dperm_audit_options, delta)};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    if (strcmp(list[i].kind, kind) == 0) {
      return list[i].end;
    }
  }
  return 0;
}
