/* How long a record of a CSV file may be: its length alone decides, not the records around it. */
#include "support.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "read/csv.h"

/* Some record of the file is refused, at `place` ("2:5") and with these words. */
static void refuses(const char *bytes, size_t length, const char *place, const char *words) {
  char *path = file_with(bytes, length), expected[4200];
  (void)snprintf(expected, sizeof expected, "%s:%s: ", path, place);
  csv_reader reader;
  bool found = true;
  dperm_error error = {DPERM_OK, ""};
  assert_ok(csv_open(path, ',', NULL, NULL, false, &reader, err));
  while (found && csv_next(&reader, &found, &error) == DPERM_OK) {
  }
  assert_int_equal(error.status, DPERM_INVALID_DATA);
  assert_non_null(strstr(error.message, expected));
  assert_non_null(strstr(error.message, words));
  csv_close(&reader);
  file_remove(path);
}

static void endless_records_are_refused(void **state) {
  (void)state;
  size_t length = (size_t)4 * RECORD_LIMIT; /* further than a reader looks */
  char *text = malloc(length);
  assert_non_null(text);
  memset(text, 'x', length);
  memcpy(text, "a\n", 2);
  refuses(text, length, "2:1", "this is not a CSV file");
  text[5] = '"';
  text[4] = ',';
  refuses(text, length, "2:4", "at most 16777216 bytes"); /* it may be closed further on */
  text[length - 2] = '"';
  refuses(text, length, "2:4", "a field in quotes that is too long");
  free(text);
}

/* Wherever a window happens to end, with more threads further on: the length alone decides. */
static void the_longest_record_does_not_depend_on_the_window(void **state) {
  (void)state;
  for (size_t before = 0; before < 3; before++) {
    size_t start = 2 + before * 300000, length = start + RECORD_LIMIT + 2;
    char *text = malloc(length);
    assert_non_null(text);
    memset(text, 'x', length);
    for (size_t i = 1; i < start; i += 2) {
      text[i] = '\n';
    }
    char place[32];
    (void)snprintf(place, sizeof place, "%zu:1", start / 2 + 1);
    text[length - 1] = '\n';
    refuses(text, length, place, "a record of over 16777216 bytes");
    text[start] = text[length - 2] = '"';
    refuses(text, length, place, "a field in quotes that is too long");
    text[length - 3] = '"';
    text[length - 2] = '\n'; /* as long as one may be */
    char *path = file_with(text, length - 1);
    csv_reader reader;
    bool found = true;
    assert_ok(csv_open(path, ',', NULL, NULL, false, &reader, err));
    for (size_t i = 0; i <= start / 2; i++) {
      assert_ok(csv_next(&reader, &found, err));
      assert_true(found);
    }
    assert_int_equal(reader.fields[0].text.length, RECORD_LIMIT - 2);
    csv_close(&reader);
    file_remove(path);
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(endless_records_are_refused),
      cmocka_unit_test(the_longest_record_does_not_depend_on_the_window),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
