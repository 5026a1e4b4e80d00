/* Any bytes as a model file, once as they are and once, if they are a JSON object, with a digest
 * that fits, so that what lies behind the digest is reached. */
#include "model_digest.h"

#include <math.h>
#include <string.h>

#include "dperm/explain.h"

static void use(const dperm_model *model) {
  size_t dims = dperm_model_dims(model);
  const double *weights = dperm_model_weights(model);
  MUST(dims > 0 && weights);
  for (size_t j = 0; j < dims; j++) {
    MUST(isfinite(weights[j]));
  }
  MUST(dperm_model_class_name(model, 0) && dperm_model_class_name(model, 1));
  const dperm_schema *schema = dperm_model_schema(model);
  MUST(!schema || dperm_schema_dims(schema) == dims);
  char *text = NULL;
  MUST(dperm_model_explain(model, &text, NULL) == DPERM_OK && strstr(text, "not_examined"));
  dperm_text_free(text);
}

static void read_model(const void *bytes, size_t length) {
  memory_file file = memory_file_with(bytes, length);
  dperm_model *model = NULL;
  dperm_error error = {DPERM_OK, ""};
  dperm_status status = dperm_model_read(file.path, &model, &error);
  if (status == DPERM_OK) {
    use(model);
  } else {
    MUST(!model && error.message[0] != '\0' && !strchr(error.message, '\n'));
  }
  dperm_model_free(model);
  memory_file_close(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  with_its_digest(bytes, length, read_model);
  return 0;
}
