/* Any bytes as public records to draft a schema from; the first byte chooses the options. What is
 * drafted fits the records that it came from; what is refused is refused in one line; every remark
 * is one line. */
#include "memory_file.h"

#include <string.h>

#include "dperm.h"
#include "dperm/draft.h"

static void look_at(void *context, const char *line) {
  (void)context;
  MUST(line[0] != '\0' && !strchr(line, '\n'));
}

/* Bits of the choice: header told or not, a separator, a label, its positive side, markers. */
static dperm_draft_options options_of(uint8_t choice) {
  static const char *const positive[] = {"p", "1"}, *const missing[] = {"-", ""};
  dperm_draft_options options;
  dperm_draft_options_init(&options);
  options.header = choice % 3 - 1;
  options.separator = ",;\t\0"[choice / 3 % 4];
  options.label = choice & 0x10 ? "y" : choice & 0x20 ? "column1" : NULL;
  options.positive = choice & 0x40 ? positive : NULL;
  options.positive_count = choice & 0x40 ? 2 : 0;
  options.missing = choice & 0x80 ? missing : NULL;
  options.missing_count = choice & 0x80 ? 2 : 0;
  return options;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  if (length < 1) {
    return 0;
  }
  dperm_error error = {DPERM_OK, ""};
  dperm_schema *schema = NULL;
  dperm_data *data = NULL;
  dperm_draft_options options = options_of(bytes[0]);
  memory_file file = memory_file_with(bytes + 1, length - 1);
  if (dperm_schema_draft(file.path, NULL, 0, &options, NULL, look_at, NULL, &schema, &error) ==
      DPERM_OK) {
    const dperm_source source = {.path = file.path, .format = DPERM_FORMAT_CSV, .schema = schema};
    MUST(dperm_data_read(&source, NULL, &data, &error) == DPERM_OK);
    MUST(dperm_data_rows(data) > 0);
    MUST(dperm_schema_write(schema, "/dev/null", &error) == DPERM_OK);
  } else {
    MUST(!schema && error.message[0] != '\0' && !strchr(error.message, '\n'));
  }
  dperm_data_free(data);
  dperm_schema_free(schema);
  memory_file_close(&file);
  return 0;
}
