/* The checksum of a model file. */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "model/model_file.h"

const char *const model_origin_names[3] = {"schema", "svmlight", "memory"};

dperm_status model_digest(const json_t *object, char out[DIGEST_TEXT_SIZE], dperm_error *err) {
  unsigned char hash[32];
  json_t *copy = json_copy((json_t *)object);
  if (copy) {
    (void)json_object_del(copy, "digest");
  }
  char *text =
      copy ? json_dumps(copy, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(copy);
  if (!text) {
    FAIL(err, DPERM_OUT_OF_MEMORY, "out of memory while digesting a model");
  }
  (void)crypto_generichash(hash, sizeof hash, (const unsigned char *)text, strlen(text), NULL, 0);
  free(text);
  (void)sodium_bin2hex(out, DIGEST_TEXT_SIZE, hash, sizeof hash);
  return DPERM_OK;
}
