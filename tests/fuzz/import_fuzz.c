/* Any bytes as a data dictionary; the first chooses the options. What is made of it is a sound
 * schema, no column of which has a range or a category that the dictionary does not hold; what is
 * refused is refused in one line; every remark is one line. */
#include "memory_file.h"

#include <string.h>

#include "dperm/draft.h"
#include "schema/schema.h"

static void look_at(void *context, const char *line) {
  (void)context;
  MUST(line[0] != '\0' && !strchr(line, '\n'));
}

static dperm_import_options options_of(uint8_t choice) {
  static const char *const positive[] = {"p", "1"};
  dperm_import_options options;
  dperm_import_options_init(&options);
  options.dictionary = (dperm_dictionary)(choice % 3);
  options.label = choice & 0x10 ? "a" : "y";
  options.positive = choice & 0x20 ? positive : NULL;
  options.positive_count = choice & 0x20 ? 1 + (choice >> 6 & 1) : 0;
  options.table = choice & 0x80 ? "t" : NULL;
  return options;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  if (length < 1) {
    return 0;
  }
  dperm_error error = {DPERM_OK, ""};
  dperm_schema *schema = NULL, *again = NULL;
  dperm_import_options options = options_of(bytes[0]);
  if (dperm_schema_import("fuzz", (const char *)bytes + 1, length - 1, &options, look_at, NULL,
                          &schema, &error) == DPERM_OK) {
    MUST(dperm_schema_dims(schema) > 0 && (schema->target || schema->classes.count > 1));
    MUST(schema_from_json(schema->json, "again", &again, &error) == DPERM_OK);
    MUST(dperm_schema_dims(again) == dperm_schema_dims(schema));
    MUST(dperm_schema_write(schema, "/dev/null", &error) == DPERM_OK);
    for (size_t c = 0; c < schema->column_count; c++) {
      const schema_column *column = &schema->columns[c];
      MUST(column->type != COLUMN_NUMERIC || column->min < column->max);
      MUST(column->type != COLUMN_CATEGORICAL || column->categories.count > 1);
    }
  } else {
    MUST(!schema && error.message[0] != '\0' && !strchr(error.message, '\n'));
  }
  dperm_schema_free(again);
  dperm_schema_free(schema);
  return 0;
}
