/* The names of origins in a model file. */
#ifndef DPERM_MODEL_MODEL_FILE_H
#define DPERM_MODEL_MODEL_FILE_H

#define MODEL_FORMAT_NAME "dperm-model/"
enum { MODEL_FORMAT_NUMBER = 1, DIGEST_TEXT_SIZE = 65 };

#include <jansson.h>

#include "model/model.h"

extern const char *const model_origin_names[3];

/* BLAKE2b-256 of the object without its "digest", in a canonical form that does not depend on
 * blanks or the order of keys: finds a file that was damaged on the way. It is no signature. */
dperm_status model_digest(const json_t *object, char out[DIGEST_TEXT_SIZE], dperm_error *err);

#endif
