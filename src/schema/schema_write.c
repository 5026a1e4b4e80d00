/* A schema as a file, laid out as one would by hand: a column on a line. */
#include "base/json_text.h"
#include "schema/schema.h"

dperm_status dperm_schema_write(const dperm_schema *schema, const char *path, dperm_error *err) {
  output_file *file = NULL;
  TRY(output_open(path, &file, err));
  dperm_status status = json_write_flowing(schema->json, file, err);
  if (status != DPERM_OK) {
    output_discard(file);
    return status;
  }
  return output_commit(file, err);
}
