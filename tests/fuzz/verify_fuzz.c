/* Any bytes as a model to verify, once as they are and once, if they are a JSON object, with a
 * digest that fits. Lines stay printable, the verdict is that of the lines, and nothing else
 * happens. */
#include "model_digest.h"

#include "dperm/verify.h"

static void see(void *context, dperm_finding finding, const char *line) {
  int *failed = context;
  MUST(line[0] != '\0');
  for (const char *c = line; *c; c++) {
    MUST(*c >= 0x20 && *c <= 0x7e);
  }
  *failed += finding == DPERM_FINDING_FAILS;
}

static void verify(const void *bytes, size_t length) {
  memory_file file = memory_file_with(bytes, length);
  dperm_error error = {DPERM_OK, ""};
  bool holds = true;
  int failed = 0;
  dperm_status status = dperm_model_verify(file.path, NULL, 0, NULL, see, &failed, &holds, &error);
  if (status == DPERM_OK) {
    MUST(holds == (failed == 0));
  } else {
    MUST(holds && error.message[0] != '\0' && !strchr(error.message, '\n'));
  }
  memory_file_close(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  with_its_digest(bytes, length, verify);
  return 0;
}
