/* For fuzzers of model files: the bytes as they are, and, where they are an object, with the digest
 * that fits it, so that what stands behind that is reached too. */
#pragma once

#include "memory_file.h"

#include <string.h>

#include "model/model_file.h"

static void with_its_digest(const uint8_t *bytes, size_t length,
                            void (*take)(const void *bytes, size_t length)) {
  take(bytes, length);
  json_t *object = json_loadb((const char *)bytes, length, JSON_REJECT_DUPLICATES, NULL);
  char digest[DIGEST_TEXT_SIZE];
  if (json_is_object(object) && model_digest(object, digest, NULL) == DPERM_OK) {
    MUST(json_object_set_new(object, "digest", json_string(digest)) == 0);
    char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
    MUST(text != NULL);
    take(text, strlen(text));
    free(text);
  }
  json_decref(object);
}
