/* dperm_model_verify: the file is read once, tried as every user of a model reads it (src/model),
 * and its claim is derived again (src/verify), which shares no code with that. So no file passes
 * here that predict refuses. */
#include <string.h>

#include "model/model_file.h"
#include "verify/verify.h"

/* The reader's sentence without the name of the file. */
static const char *sentence(const json_document *doc, const dperm_error *refused) {
  size_t name = strlen(doc->name);
  bool named = strncmp(refused->message, doc->name, name) == 0 && refused->message[name] == ':';
  const char *rest = refused->message + (named ? name + 1 : 0);
  return rest + strspn(rest, " ");
}

dperm_status dperm_model_verify(const char *path, dperm_verify_line *line, void *context,
                                int *holds, dperm_error *err) {
  OWNED(model_document_free) json_document doc = {0};
  dperm_error refused;
  TRY(model_document_read(path, &doc, err));
  dperm_status found = model_check_document(&doc, &refused);
  if (found == DPERM_OUT_OF_MEMORY) { /* says nothing about the file */
    FAIL(err, found, "%s", refused.message);
  }
  return verify_document(&doc, found == DPERM_OK ? NULL : sentence(&doc, &refused), line, context,
                         holds, err);
}
