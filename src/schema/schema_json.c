/* Members by type, and where one is wrong. */
#include "schema/schema_json.h"

#include <string.h>

dperm_status schema_get_text(const json_document *doc, json_t *object, const char *key,
                             const char *fallback, const char **out, dperm_error *err) {
  const json_t *value = json_object_get(object, key);
  if (!value && fallback) {
    *out = fallback;
    return DPERM_OK;
  }
  if (!value) {
    return json_fail_at(doc, object, err, "\"%s\" is missing here; add it", key);
  }
  if (!json_is_string(value)) {
    return json_fail_at(doc, json_blamed(object, value), err, "\"%s\" must be a text in quotes",
                        key);
  }
  *out = json_string_value(value);
  return DPERM_OK;
}

dperm_status schema_get_bool(const json_document *doc, json_t *object, const char *key, bool *out,
                             dperm_error *err) {
  const json_t *value = json_object_get(object, key);
  if (value && !json_is_boolean(value)) {
    return json_fail_at(doc, json_blamed(object, value), err, "\"%s\" must be true or false", key);
  }
  *out = value ? json_is_true(value) : *out;
  return DPERM_OK;
}

dperm_status schema_get_number(const json_document *doc, json_t *object, const char *key,
                               const double *fallback, double *out, dperm_error *err) {
  const json_t *value = json_object_get(object, key);
  if (!value && fallback) {
    *out = *fallback;
    return DPERM_OK;
  }
  if (!value) {
    return json_fail_at(doc, object, err, "a numeric column needs \"%s\", known in public; add it",
                        key);
  }
  if (!json_is_number(value)) {
    return json_fail_at(doc, json_blamed(object, value), err, "\"%s\" must be a number", key);
  }
  *out = json_number_value(value);
  return DPERM_OK;
}

dperm_status schema_get_choice(const json_document *doc, json_t *object, const char *key,
                               const char *const *words, int *out, dperm_error *err) {
  const char *text = "";
  TRY(schema_get_text(doc, object, key, words[0], &text, err));
  for (int i = 0; words[i]; i++) {
    if (strcmp(words[i], text) == 0) {
      *out = i;
      return DPERM_OK;
    }
  }
  return json_fail_at(doc, json_object_get(object, key), err,
                      "\"%s\" cannot be \"%.64s\"; choose \"%s\"%s%s%s%s%s%s", key, text, words[0],
                      words[1] ? ", \"" : "", words[1] ? words[1] : "", words[1] ? "\"" : "",
                      words[1] && words[2] ? ", \"" : "", words[1] && words[2] ? words[2] : "",
                      words[1] && words[2] ? "\"" : "");
}

dperm_status schema_add_values(const json_document *doc, const json_t *owner, const json_t *list,
                               const char *key, int32_t first, int32_t step, lookup *table,
                               dperm_error *err) {
  if (!json_is_array(list) || json_array_size(list) == 0) {
    return json_fail_at(doc, list ? json_blamed(owner, list) : owner, err,
                        "\"%s\" must be a list of at least one text", key);
  }
  size_t i;
  json_t *element;
  json_array_foreach(list, i, element) {
    if (!json_is_string(element)) {
      return json_fail_at(doc, json_blamed(list, element), err,
                          "a value in \"%s\" must be a text in quotes", key);
    }
    bool added = false;
    slice text = {json_string_value(element), json_string_length(element)};
    TRY(lookup_add(table, text, first + (int32_t)i * step, &added, err));
    if (!added) {
      return json_fail_at(doc, element, err, "\"%.64s\" stands here a second time; keep one",
                          text.start);
    }
  }
  return DPERM_OK;
}
