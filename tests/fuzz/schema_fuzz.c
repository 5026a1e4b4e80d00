/* Any bytes as a schema. What is accepted can be asked about in full, parses again from its own
 * JSON to the same layout, and encodes a file; what is refused is refused in one line. */
#include "memory_file.h"

#include <stdlib.h>
#include <string.h>

#include "dperm/refine.h"
#include "schema/schema.h"

static void ask_everything(const dperm_schema *schema) {
  size_t dims = dperm_schema_dims(schema), width = 0;
  MUST(dims > 0 && dperm_schema_norm_bound(schema) == 1.0);
  for (size_t c = 0; c < dperm_schema_columns(schema); c++) {
    MUST(dperm_schema_column_name(schema, c) && dperm_schema_column_type(schema, c));
    width += dperm_schema_column_width(schema, c);
  }
  for (size_t i = 0; i < dperm_schema_crosses(schema); i++) {
    MUST(dperm_schema_cross_column(schema, i, 1) < dperm_schema_columns(schema));
    width += dperm_schema_cross_width(schema, i);
  }
  MUST(width == dims || width + 1 == dims);
  for (size_t i = 0; i < dims && i < 1000; i++) {
    char name[40];
    MUST(dperm_schema_feature_name(schema, i, name, sizeof name) >= strlen(name));
  }
  MUST(dperm_schema_class_name(schema, 0) && dperm_schema_class_name(schema, 1));
  MUST(schema->min_divisor > 0 && schema->max_norm > 0);
}

/* The same bytes as data: mostly refused, never fatal. */
static void encode_something(const dperm_schema *schema, const uint8_t *bytes, size_t length) {
  memory_file file = memory_file_with(bytes, length);
  const dperm_source source = {.path = file.path, .format = DPERM_FORMAT_CSV, .schema = schema};
  dperm_data *data = NULL;
  if (dperm_data_read(&source, NULL, &data, NULL) == DPERM_OK) {
    MUST(dperm_data_dims(data) == dperm_schema_dims(schema));
  }
  dperm_data_free(data);
  memory_file_close(&file);
}

/* Whatever schema was accepted has cells, unless it was refined already or drops rows. */
static void count_in_cells(const dperm_schema *schema, const uint8_t *bytes, size_t length) {
  dperm_schema *cells = NULL;
  bool never = schema->refined.epsilon > 0 || dperm_schema_drops_rows(schema);
  MUST((dperm_refine_cells(schema, &cells, NULL) == DPERM_OK) == !never);
  if (cells) {
    ask_everything(cells);
    encode_something(cells, bytes, length);
  }
  dperm_schema_free(cells);
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
  count_in_cells(schema, bytes, length);
  dperm_schema_free(again);
  dperm_schema_free(schema);
  return 0;
}
