/* Members by type, and where one is wrong. */
#include <stdio.h>
#include <string.h>

#include "schema/schema_parse.h"

enum {
  TEXT = 1 << JSON_STRING,
  NUMBER = 1 << JSON_INTEGER | 1 << JSON_REAL,
  BOOLEAN = 1 << JSON_TRUE | 1 << JSON_FALSE
};

/* The member; NULL if there is none and it may be missing. */
static dperm_status get(const json_document *doc, json_t *object, const char *key, int type,
                        bool needed, const json_t **out, dperm_error *err) {
  *out = json_object_get(object, key);
  JSON_FAIL_IF(!*out && needed, doc, object, err,
               type == NUMBER ? "a numeric column needs \"%s\", known in public; add it"
                              : "\"%s\" is missing here; add it",
               key);
  JSON_FAIL_IF(*out && !(type >> json_typeof(*out) & 1), doc, json_blamed(object, *out), err,
               "\"%s\" must be %s", key,
               type == TEXT     ? "a text in quotes"
               : type == NUMBER ? "a number"
                                : "true or false");
  return DPERM_OK;
}

dperm_status schema_get_text(const json_document *doc, json_t *object, const char *key,
                             const char *fallback, const char **out, dperm_error *err) {
  const json_t *value = NULL;
  TRY(get(doc, object, key, TEXT, !fallback, &value, err));
  *out = value ? json_string_value(value) : fallback;
  return DPERM_OK;
}

dperm_status schema_get_bool(const json_document *doc, json_t *object, const char *key, bool *out,
                             dperm_error *err) {
  const json_t *value = NULL;
  TRY(get(doc, object, key, BOOLEAN, false, &value, err));
  *out = value ? json_is_true(value) : *out;
  return DPERM_OK;
}

dperm_status schema_get_number(const json_document *doc, json_t *object, const char *key,
                               const double *fallback, double *out, dperm_error *err) {
  const json_t *value = NULL;
  TRY(get(doc, object, key, NUMBER, !fallback, &value, err));
  *out = value ? json_number_value(value) : *fallback;
  return DPERM_OK;
}

dperm_status schema_get_weight(const json_document *doc, json_t *object, const char *key,
                               double fallback, double *out, dperm_error *err) {
  TRY(schema_get_number(doc, object, key, &fallback, out, err));
  JSON_FAIL_IF(!(*out >= 1e-6 && *out <= WEIGHT_MOST), doc, json_object_get(object, key), err,
               "\"%s\" must be between 1e-6 and 1e6", key);
  return DPERM_OK;
}

dperm_status schema_get_choice(const json_document *doc, json_t *object, const char *key,
                               const char *const *words, int *out, dperm_error *err) {
  const char *text = "";
  TRY(schema_get_text(doc, object, key, words[0], &text, err));
  char known[128] = "";
  size_t used = 0;
  for (int i = 0; words[i] && used < sizeof known; i++) {
    if (strcmp(words[i], text) == 0) {
      *out = i;
      return DPERM_OK;
    }
    used +=
        (size_t)snprintf(known + used, sizeof known - used, "%s\"%s\"", i ? ", " : "", words[i]);
  }
  return json_fail_at(doc, json_object_get(object, key), err,
                      "\"%s\" cannot be \"%.64s\"; choose %s", key, text, known);
}

dperm_status schema_add_values(const json_document *doc, const json_t *owner, const json_t *list,
                               const char *key, int32_t first, int32_t step, lookup *table,
                               dperm_error *err) {
  JSON_FAIL_IF(!json_is_array(list) || json_array_size(list) == 0, doc,
               list ? json_blamed(owner, list) : owner, err,
               "\"%s\" must be a list of at least one text", key);
  size_t i;
  json_t *element;
  json_array_foreach(list, i, element) {
    JSON_FAIL_IF(!json_is_string(element), doc, json_blamed(list, element), err,
                 "a value in \"%s\" must be a text in quotes", key);
    bool added = false;
    slice text = {json_string_value(element), json_string_length(element)};
    TRY(lookup_add(table, text, first + (int32_t)i * step, &added, err));
    JSON_FAIL_IF(!added, doc, element, err, "\"%.64s\" stands here a second time; keep one",
                 text.start);
  }
  return DPERM_OK;
}

dperm_status json_made(json_t *made, json_t **out, dperm_error *err) {
  *out = made;
  return made ? DPERM_OK
              : error_set(err, DPERM_OUT_OF_MEMORY, "out of memory while making a schema");
}

dperm_status json_put(json_t *object, const char *key, json_t *made, dperm_error *err) {
  bool put = json_object_set_new(object, key, made) == 0;
  return json_made(put ? made : NULL, &made, err);
}
