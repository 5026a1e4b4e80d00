/* See verdict.h. */
#include "verdict.h"

#include <stdio.h>
#include <stdlib.h>

#include "dperm/verify.h"
#include "model/model_file.h"
#include "support.h"

static void note_line(void *context, dperm_finding finding, const char *line) {
  verdict *v = context;
  for (const char *c = line; *c; c++) {
    assert_true(*c >= 0x20 && *c <= 0x7e);
  }
  v->lines++;
  v->remarks += finding == DPERM_FINDING_REMARK;
  if (finding == DPERM_FINDING_FAILS) {
    if (!v->first[0]) {
      (void)snprintf(v->first, sizeof v->first, "%.*s", (int)strcspn(line, ":"), line);
    }
    size_t used = strlen(v->all);
    (void)snprintf(v->all + used, sizeof v->all - used, "%s\n", line);
  }
}

verdict verdict_on(json_t *model, bool as_is) {
  char digest[DIGEST_TEXT_SIZE];
  verdict v = {0};
  if (!as_is) {
    assert_ok(model_digest(model, digest, err));
    assert_int_equal(json_object_set_new(model, "digest", json_string(digest)), 0);
  }
  char *text = json_dumps(model, JSON_COMPACT | JSON_REAL_PRECISION(17));
  char *path = file_with_text(text);
  assert_ok(dperm_model_verify(path, NULL, 0, NULL, note_line, &v, &v.holds, err));
  assert_int_equal(v.holds, v.first[0] == '\0');
  dperm_model *read = NULL;
  dperm_error refused;
  bool usable = dperm_model_read(path, &read, &refused) == DPERM_OK;
  if (v.holds && !usable) { /* what predict refuses has no claim that holds */
    fail_msg("verified, but: %s", refused.message);
  }
  dperm_model_free(read);
  file_remove(path);
  free(text);
  return v;
}

static json_t *owner_of(json_t *root, const char *path, const char **key) {
  const char *dot = strchr(path, '.');
  if (!dot) {
    *key = path;
    return root;
  }
  char name[64];
  (void)snprintf(name, sizeof name, "%.*s", (int)(dot - path), path);
  json_t *next = json_is_array(root) ? json_array_get(root, (size_t)strtoul(name, NULL, 10))
                                     : json_object_get(root, name);
  assert_non_null(next);
  return owner_of(next, dot + 1, key);
}

void change_field(json_t *root, const char *path, const char *change) {
  const char *key = NULL;
  json_t *owner = owner_of(root, path, &key), *new = NULL;
  size_t place = (size_t)strtoul(key, NULL, 10);
  bool list = json_is_array(owner), last = list && *key == '+';
  json_t *old = list ? json_array_get(owner, place) : json_object_get(owner, key);
  if (strcmp(change, "-") == 0) {
    assert_int_equal(list ? json_array_remove(owner, place) : json_object_del(owner, key), 0);
    return;
  }
  double number = json_number_value(old);
  if (change[0] == '*') {
    new = json_real(number * strtod(change + 1, NULL));
  } else if (change[0] == '+' && json_is_integer(old)) {
    new = json_integer(json_integer_value(old) + strtoll(change + 1, NULL, 10));
  } else {
    new = json_loads(change, JSON_DECODE_ANY, NULL);
  }
  assert_int_equal(last   ? json_array_append_new(owner, new)
                   : list ? json_array_set_new(owner, place, new)
                          : json_object_set_new(owner, key, new),
                   0);
}
