/* Any bytes as a CSV file: first split into fields, then encoded under one of a few schemas. The
 * first byte chooses the schema. Whatever the bytes, fields lie in the record's memory, rows lie
 * within norm 1, and an error is one line. */
#include "memory_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dperm.h"
#include "read/csv.h"

#define LABEL "\"label\":{\"column\":\"y\",\"positive\":[\"p\"],\"negative\":\"*\"}"
#define COLUMNS                                                                                    \
  "\"columns\":[{\"name\":\"a\",\"type\":\"numeric\",\"min\":-1,\"max\":9,\"weight\":3},"          \
  "{\"name\":\"b\",\"type\":\"categorical\",\"values\":[\"u\",\"v\"]},"                            \
  "{\"name\":\"y\",\"type\":\"label\"}]"

#define BINS                                                                                       \
  "\"columns\":[{\"name\":\"a\",\"type\":\"numeric\",\"min\":-1,\"max\":9,\"bins\":[0,1,4],"       \
  "\"line\":2},{\"name\":\"b\",\"type\":\"categorical\",\"values\":[\"u\",\"v\"]},"                \
  "{\"name\":\"y\",\"type\":\"label\"}],\"crosses\":[[\"b\",\"a\"]]"

static const char *const schemas[] = {
    "{" LABEL "," COLUMNS "}", "{\"header\":false,\"intercept\":true," LABEL "," COLUMNS "}",
    "{\"header\":false,\"on_missing\":\"drop\",\"comment\":\"#\"," LABEL "," COLUMNS "}",
    "{\"header\":false,\"on_missing\":\"category\",\"separator\":\";\",\"rows\":\"fixed\"," LABEL
    "," BINS "}",
    "{\"separator\":\"\\t\",\"missing\":[],\"comment\":\"##\"," LABEL "," COLUMNS "}"};
enum { SCHEMAS = sizeof schemas / sizeof *schemas };

static void check_error(dperm_status status, const dperm_error *error) {
  MUST(status == DPERM_OK ||
       (error->status == status && error->message[0] != '\0' && !strchr(error->message, '\n')));
}

static void split(const char *path, char separator, const char *comment) {
  csv_reader reader;
  dperm_error error = {DPERM_OK, ""};
  dperm_status status = csv_open(path, NULL, separator, comment, NULL, false, &reader, &error);
  check_error(status, &error);
  if (status != DPERM_OK) {
    return;
  }
  size_t line = 0, sum = 0;
  for (;;) {
    bool found = false;
    status = csv_next(&reader, &found, &error);
    check_error(status, &error);
    if (status != DPERM_OK || !found) {
      break;
    }
    MUST(reader.line > line && reader.field_count > 0);
    line = reader.line;
    for (size_t i = 0; i < reader.field_count; i++) {
      const csv_field *field = &reader.fields[i];
      MUST(field->offset <= reader.record_length);
      for (size_t c = 0; c < field->text.length; c++) { /* touch every byte */
        sum += (unsigned char)field->text.start[c];
        MUST(field->text.start[c] != '\0');
      }
    }
  }
  MUST(sum < SIZE_MAX);
  csv_close(&reader);
}

static void encode(const char *path, const char *text) {
  dperm_schema *schema = NULL;
  dperm_data *data = NULL;
  dperm_error error = {DPERM_OK, ""};
  MUST(dperm_schema_parse(text, strlen(text), "schema", &schema, &error) == DPERM_OK);
  const dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
  dperm_status status = dperm_data_read(&source, NULL, &data, &error);
  check_error(status, &error);
  for (size_t i = 0; data && i < dperm_data_rows(data); i++) {
    double row[32], sum = 0;
    MUST(dperm_data_dims(data) <= 32 && dperm_data_row(data, i, row, NULL) == DPERM_OK);
    for (size_t j = 0; j < dperm_data_dims(data); j++) {
      sum += row[j] * row[j];
    }
    MUST(sum <= 1 + 1e-12 && fabs(dperm_data_labels(data)[i]) == 1);
  }
  dperm_data_free(data);
  dperm_schema_free(schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  if (length < 1) {
    return 0;
  }
  size_t choice = bytes[0] % SCHEMAS;
  memory_file file = memory_file_with(bytes + 1, length - 1);
  split(file.path, ",,,;\t"[choice], choice == 2 ? "#" : choice == 4 ? "##" : NULL);
  encode(file.path, schemas[choice]);
  memory_file_close(&file);
  return 0;
}
