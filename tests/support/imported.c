/* See imported.h. */
#include "imported.h"

#include <stdio.h>
#include <stdlib.h>

#include "dperm/draft.h"
#include "schema/schema.h"

static char remarks[DICTIONARY_TEXT_SIZE];

static void collect(void *context, const char *line) {
  (void)context;
  assert_null(strchr(line, '\n'));
  size_t used = strlen(remarks);
  (void)snprintf(remarks + used, sizeof remarks - used, "%s\n", line);
}

dperm_status import_text(const char *text, const char *label, const char *positive,
                         dperm_schema **out, dperm_error *err) {
  const char *content = json_quoted(text);
  dperm_import_options options = USUAL(dperm_import_options);
  options.label = label;
  options.positive = positive ? &positive : NULL;
  options.positive_count = positive != NULL;
  remarks[0] = '\0';
  return dperm_schema_import("dictionary", content, strlen(content), &options, collect, NULL, out,
                             err);
}

void member_is(const char *text, const char *positive, const char *key, const char *expected) {
  dperm_schema *schema = NULL;
  assert_ok(import_text(text, "y", positive, &schema, err));
  const json_t *member = json_object_get(schema->json, key);
  member = strcmp(key, "columns") == 0 ? json_array_get(member, 0) : member;
  if (strcmp(key, "columns") == 0) { /* every column has one; sources_say_which_dictionary */
    assert_non_null(json_object_get(member, "source")                              ? member
                    : json_string_value(json_object_get(member, "type"))[0] == 'i' ? member
                                                                                   : NULL);
    (void)json_object_del((json_t *)member, "source");
  }
  char *found = json_dumps(member, JSON_ENCODE_ANY);
  assert_string_equal(found ? found : "(none)", json_quoted(expected));
  free(found);
  dperm_schema_free(schema);
}

void remarked(const char *words) {
  if (!strstr(remarks, words)) {
    fail_msg("\"%s\" is not in\n%s", words, remarks);
  }
}

void not_remarked(const char *words) {
  assert_null(strstr(remarks, words));
}

void import_refuses(const char *text, const char *positive, const char *words) {
  dperm_schema *schema = NULL;
  dperm_error error = {DPERM_OK, ""};
  dperm_status status = import_text(text, "y", positive, &schema, &error);
  assert_true(status == DPERM_INVALID_SCHEMA || status == DPERM_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, words));
  assert_null(schema);
  assert_string_equal(remarks, "");
}
