/* Any bytes as a schema. What is accepted can be asked about in full, parses again from its own
 * JSON to the same layout, and encodes a file; what is refused is refused in one line. */
#include "memory_file.h"

#include <stdlib.h>
#include <string.h>

#include "refine/refine_counts.h"
#include "schema/resolve_bins.h"

static void ask_everything(const dperm_schema *schema) {
  size_t dims = dperm_schema_dims(schema), width = 0;
  MUST(dims > 0 && dperm_schema_norm_bound(schema) == 1.0);
  for (size_t c = 0; c < schema->column_count; c++) {
    MUST(schema->columns[c].name && schema->columns[c].type <= COLUMN_LABEL);
    width += schema->columns[c].width;
  }
  for (size_t i = 0; i < schema->cross_count; i++) {
    MUST(schema->crosses[i].columns[1] < schema->column_count);
    width += schema->crosses[i].width;
  }
  MUST(width == dims || width + 1 == dims);
  for (size_t i = 0; i < dims && i < 1000; i++) {
    char name[40];
    MUST(dperm_schema_feature_name(schema, i, name, sizeof name) >= strlen(name));
  }
  MUST(dperm_schema_class_name(schema, 0) && dperm_schema_class_name(schema, 1));
  MUST(schema->min_divisor > 0 && schema->max_norm > 0);
}

/* Whatever records were read under one, the schemas that a fit makes of it go with them. */
static void look_through(const dperm_data *data, dperm_schema *made) {
  dperm_data view = {0};
  dperm_error error = {DPERM_OK, ""};
  ask_everything(made);
  if (data) {
    MUST(data_view_open(data, made, &view, &error) == DPERM_OK);
    MUST(dperm_data_rows(&view) == dperm_data_rows(data));
    MUST(dperm_data_dims(&view) == dperm_schema_dims(made));
    data_view_close(&view);
  }
  dperm_schema_free(made);
}

/* The same bytes as data: mostly refused, never fatal. */
static void encode_something(const dperm_schema *schema, const uint8_t *bytes, size_t length) {
  memory_file file = memory_file_with(bytes, length);
  const dperm_source source = {.path = file.path, .format = DPERM_FORMAT_CSV, .schema = schema};
  dperm_schema *made = NULL;
  dperm_data *data = NULL;
  if (dperm_data_read(&source, NULL, &data, NULL) == DPERM_OK) {
    MUST(dperm_data_dims(data) == dperm_schema_dims(schema));
  }
  for (int all = 0; all < 2; all++) { /* with the finest bins, and with few */
    if (schema_resolve(schema, all, (size_t)all, 1, &made, NULL) == DPERM_OK) {
      look_through(data, made);
    }
  }
  /* There are cells, unless it was refined already, drops rows or is a model's own; of numbers, if
   * it has some. */
  bool never =
      schema->refined.epsilon > 0 || schema->on_missing == MISSING_DROP || schema->after_fit > 0;
  for (int numbers = 0; numbers < (schema_asked_columns(schema) > 0 ? 2 : 1); numbers++) {
    MUST((refine_cell_schema(schema, numbers, &made, NULL) == DPERM_OK) == !never);
    if (!never) {
      look_through(data, made);
    }
  }
  dperm_data_free(data);
  memory_file_close(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  dperm_schema *schema = NULL, *again = NULL;
  dperm_error error = {DPERM_OK, ""};
  char *exact = malloc(length ? length : 1); /* no byte behind the last */
  MUST(exact != NULL);
  memcpy(exact, bytes, length);
  dperm_status status = dperm_schema_parse(exact, length, "schema", &schema, &error);
  free(exact);
  if (status != DPERM_OK) {
    MUST(!schema && error.message[0] != '\0' && !strchr(error.message, '\n'));
    return 0;
  }
  ask_everything(schema);
  MUST(schema_from_json(schema->json, "again", &again, &error) == DPERM_OK);
  MUST(dperm_schema_dims(again) == dperm_schema_dims(schema));
  MUST(again->min_divisor == schema->min_divisor);
  encode_something(schema, bytes, length);
  dperm_schema_free(again);
  dperm_schema_free(schema);
  return 0;
}
