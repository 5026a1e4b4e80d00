/* See support.h. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/thread_pool.h"

void assert_close(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) {
    fail_msg("%.17g and %.17g differ by %g, more than %g", a, b, fabs(a - b), tolerance);
  }
}

size_t repetitions(size_t quick, size_t full) {
  return getenv("DPERM_LONG") ? full : quick;
}

/* TMPDIR/NAME-XXXXXX */
static void place_for(const char *name, char *out, size_t size) {
  const char *folder = getenv("TMPDIR");
  int length = snprintf(out, size, "%s/%s-XXXXXX", folder && *folder ? folder : "/tmp", name);
  assert_true(length > 0 && (size_t)length < size);
}

char *file_with(const char *bytes, size_t length) {
  char *path = malloc(4096);
  assert_non_null(path);
  place_for("dperm-test", path, 4096);
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, bytes, length), (ssize_t)length);
  close(fd);
  return path;
}

char *file_with_text(const char *text) {
  return file_with(text, strlen(text));
}

void file_remove(char *path) {
  unlink(path);
  free(path);
}

void folder_new(const char *name, char *out, size_t size) {
  place_for(name, out, size);
  assert_non_null(mkdtemp(out));
}

const char *json_quoted(const char *text) {
  static char quoted[16384];
  size_t length = strlen(text);
  assert_true(length < sizeof quoted);
  for (size_t i = 0; i <= length; i++) {
    quoted[i] = text[i] == '\'' ? '"' : text[i];
  }
  return quoted;
}

dperm_schema *schema_quoted(const char *text) {
  const char *json = json_quoted(text);
  dperm_schema *schema = NULL;
  assert_ok(dperm_schema_parse(json, strlen(json), "s.json", &schema, err));
  return schema;
}

void schema_refused(const char *text, const char *words) {
  const char *json = json_quoted(text);
  dperm_schema *schema = NULL;
  assert_fails(dperm_schema_parse(json, strlen(json), "s.json", &schema, err), DPERM_INVALID_SCHEMA,
               words);
  assert_null(schema);
}

dperm_options options_for(double epsilon) {
  dperm_options options;
  dperm_options_init(&options);
  options.epsilon = epsilon;
  return options;
}

static thread_scope scope;

int one_thread_begin(void **state) {
  scope = threads_enter(1);
  return 0;
}

int one_thread_end(void **state) {
  threads_leave(&scope);
  return 0;
}

random_source seeded(uint64_t seed) {
  random_source r;
  assert_ok(random_seeded(seed, &r, err));
  return r;
}
