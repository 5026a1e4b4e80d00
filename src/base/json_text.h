/* JSON for people: messages with line and column, keys checked against a list, numbers written so
 * that they read back to the same doubles in their shortest form. Parsing itself is jansson's. */
#pragma once

#include <jansson.h>

#include "base/file_write.h"
#include "base/status.h"

/* A parsed text that remembers where it came from, for the position in messages about a value. */
typedef struct json_document {
  const char *name; /* of the file, for messages */
  const char *text; /* as parsed, behind a byte-order mark; outlives the document */
  size_t length;
  dperm_status blame; /* the status of errors found in it */
  json_t *root;
  char *owned; /* the text, if the maker of the document must free it; or NULL */
} json_document;

/* On failure doc->root is NULL. */
dperm_status json_document_parse(json_document *doc, dperm_error *err);
void json_document_free(json_document *doc);

/* Fails at the place of `value` in the document: "name:line:col: " and the sentence. */
dperm_status json_fail_at(const json_document *doc, const json_t *value, dperm_error *err,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));
#define JSON_FAIL_IF(condition, ...) RETURN_IF(condition, json_fail_at(__VA_ARGS__))

/* Whose place to name for a wrong `value`: true, false and null are one object each in jansson, so
 * theirs is that of the object or list around them. */
const json_t *json_blamed(const json_t *owner, const json_t *value);

/* Every key of `object` is in the NULL-terminated list; `what` names the object ("a column"). */
dperm_status json_check_keys(const json_document *doc, json_t *object, const char *const *allowed,
                             const char *what, dperm_error *err);

/* Appends an item, which the array owns from then on. Without memory for it, or where it is NULL,
 * `*array` is freed and becomes NULL, and stays so. */
void json_append(json_t **array, json_t *item);

/* The same for a line of text, visible (dperm_text_visible), as names in it may hold anything. */
void json_append_line(json_t **array, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for a member of an object. */
void json_set(json_t **object, const char *key, json_t *value);

/* A member that is a text, NULL where there is none. */
const char *json_text_at(const json_t *object, const char *key);
/* A number, null where it is not finite; a count. */
json_t *json_figure(double value);
json_t *json_count(size_t count);
/* A result as text, for dperm_text_free; takes over `value`, which is NULL for want of memory. */
dperm_status json_give(json_t *value, char **text, dperm_error *err);

/* Writes with two spaces of indentation; arrays of numbers flow over lines of 100 characters. With
 * `flowing`, objects that hold only texts, numbers and lists of them do so too, as a schema's
 * columns are written by hand. */
dperm_status json_write(const json_t *value, bool flowing, output_file *out, dperm_error *err);
