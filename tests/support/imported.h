/* Schemas that come of data dictionaries, for tests: texts are written with ' for ", to keep them
 * readable. */
#ifndef DPERM_TESTS_IMPORTED_H
#define DPERM_TESTS_IMPORTED_H

#include "support.h"

enum { DICTIONARY_TEXT_SIZE = 16384 };

/* `positive` is one label, or NULL. */
dperm_status import_text(const char *text, const char *label, const char *positive,
                         dperm_schema **out, dperm_error *err);

/* A member of the schema that comes of a dictionary whose label is y, as one line of JSON; of
 * "columns" the first. */
void member_is(const char *text, const char *positive, const char *key, const char *expected);

/* The last import made a remark with these words, or not. */
void remarked(const char *words);
void not_remarked(const char *words);

/* The dictionary is refused with these words, and without a remark. */
void import_refuses(const char *text, const char *positive, const char *words);

/* A label at the end of a list of fields. */
#define Y_FIELD ", {'name': 'y', 'type': 'boolean'}]}"
#define NUMERIC(low, high)                                                                         \
  "{'name': 'a', 'type': 'numeric', 'min': " low ", 'max': " high ", 'scale': 'max'}"
#define VALUES(list) "{'name': 'a', 'type': 'categorical', 'values': [" list "]}"

#endif
