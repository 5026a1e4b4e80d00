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
  dperm_options options = USUAL(dperm_options);
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

/* ---- rows and models */

enum { DIMS_MOST = 4096 };

void assert_row(const dperm_data *data, size_t row, const double *expected) {
  static double values[DIMS_MOST];
  size_t dims = dperm_data_dims(data);
  assert_true(dims <= DIMS_MOST);
  assert_ok(dperm_data_row(data, row, values, err));
  for (size_t j = 0; j < dims; j++) {
    if (values[j] != expected[j]) {
      fail_msg("entry %zu of row %zu is %a (%.17g), not %a (%.17g)", j, row, values[j], values[j],
               expected[j], expected[j]);
    }
  }
}

void assert_same_rows(const dperm_data *a, const dperm_data *b) {
  static double row[DIMS_MOST], other[DIMS_MOST];
  size_t rows = dperm_data_rows(a), dims = dperm_data_dims(a);
  assert_int_equal(rows, dperm_data_rows(b));
  assert_int_equal(dims, dperm_data_dims(b));
  assert_true(dims <= DIMS_MOST);
  assert_memory_equal(dperm_data_labels(a), dperm_data_labels(b), rows * sizeof *row);
  for (size_t i = 0; i < rows; i++) {
    assert_ok(dperm_data_row(a, i, row, err));
    assert_ok(dperm_data_row(b, i, other, err));
    assert_memory_equal(row, other, dims * sizeof *row);
  }
}

dperm_model *model_without_noise(const dperm_data *data, const char *loss) {
  dperm_model *model = NULL;
  dperm_options options = USUAL(dperm_options);
  options.mechanism = DPERM_MECHANISM_NONE;
  assert_ok(loss ? dperm_loss_by_name(loss, 0.5, &options.loss, err) : DPERM_OK);
  assert_ok(dperm_train(data, &options, &model, err));
  return model;
}
