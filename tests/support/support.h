/* What the C tests share: cmocka with its includes in order, small assertions, temporary files,
 * reproducible random numbers. */
#ifndef DPERM_TESTS_SUPPORT_H
#define DPERM_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/owned.h"
#include "dperm.h"
#include "dperm/ledger.h"
#include "dperm/plan.h"
#include "dperm/random.h"
#include "random/random_source.h"

/* A test, which needs no list: TEST(name) { … }. The second form has a setup and a teardown. They
 * run in the order in which they stand, by the main function of test_main.c. */
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, setup, teardown)                                                           \
  static void name(void **state);                                                                  \
  __attribute__((constructor)) static void add_##name(void) {                                      \
    test_add((struct CMUnitTest){#name, name, setup, teardown, NULL});                             \
  }                                                                                                \
  static void name(void **state)
void test_add(struct CMUnitTest test);
/* A test of what its setup makes: TEST_OF(name, begin, end, home *h) { ... } */
#define TEST_OF(name, setup, teardown, parameter)                                                  \
  static void name(parameter);                                                                     \
  static void run_##name(void **state) {                                                           \
    name(*state);                                                                                  \
  }                                                                                                \
  __attribute__((constructor)) static void add_##name(void) {                                      \
    test_add((struct CMUnitTest){#name, run_##name, setup, teardown, NULL});                       \
  }                                                                                                \
  static void name(parameter)
/* What is made before all tests of a file, and freed after them. */
#define TEST_GROUP(setup, teardown)                                                                \
  __attribute__((constructor)) static void add_group(void) {                                       \
    test_group(setup, teardown);                                                                   \
  }
void test_group(CMFixtureFunction setup, CMFixtureFunction teardown);
/* For TEST_GROUP: all tests of the file on one thread. */
int one_thread_begin(void **state), one_thread_end(void **state);

/* Fails with the library's message. */
#define assert_ok(call)                                                                            \
  do {                                                                                             \
    dperm_error ok_error_ = {DPERM_OK, "(no message)"};                                            \
    dperm_error *err = &ok_error_;                                                                 \
    dperm_status ok_status_ = (call);                                                              \
    if (ok_status_ != DPERM_OK) {                                                                  \
      fail_msg("%s: %s", #call, ok_error_.message);                                                \
    }                                                                                              \
  } while (0)

/* The call (which uses `err`) fails with this status, and the message holds this text. */
#define assert_fails(call, expected, text)                                                         \
  do {                                                                                             \
    dperm_error fails_error_ = {DPERM_OK, ""};                                                     \
    dperm_error *err = &fails_error_;                                                              \
    assert_int_equal((call), (expected));                                                          \
    if (!strstr(fails_error_.message, (text))) {                                                   \
      fail_msg("\"%s\" is not in \"%s\"", (text), fails_error_.message);                           \
    }                                                                                              \
  } while (0)

/* |a − b| ≤ tolerance, with both printed when not. */
void assert_close(double a, double b, double tolerance);

random_source seeded(uint64_t seed);
/* The usual options with this epsilon. */
dperm_options options_for(double epsilon);
/* Of any of the structs with options. */
#define USUAL(type)                                                                                \
  __extension__({                                                                                  \
    type usual_;                                                                                   \
    type##_init(&usual_);                                                                          \
    usual_;                                                                                        \
  })

/* A row has these numbers; two data sets have the same rows and labels, to the bit. */
void assert_row(const dperm_data *data, size_t row, const double *expected);
#define ROW(...) ((const double[]){__VA_ARGS__})
void assert_same_rows(const dperm_data *a, const dperm_data *b);
/* A fit without a mechanism; `loss` NULL for the usual one. */
dperm_model *model_without_noise(const dperm_data *data, const char *loss);

/* How often something random is tried: `quick` times in `make test`, `full` times in `make
 * test-full`, which sets DPERM_LONG. */
size_t repetitions(size_t quick, size_t full);

/* What belongs to a block, and is freed at its end: auto_data *data = NULL; */
#define AUTO_TYPE(type, release)                                                                   \
  static inline void release##_at_end(type **variable) {                                           \
    release(*variable);                                                                            \
  }
#define AUTO(release) __attribute__((cleanup(release##_at_end)))
#define auto_data AUTO(dperm_data_free) dperm_data
#define auto_model AUTO(dperm_model_free) dperm_model
#define auto_schema AUTO(dperm_schema_free) dperm_schema
#define auto_ledger AUTO(dperm_ledger_free) dperm_ledger
#define auto_random AUTO(dperm_random_free) dperm_random
#define auto_file AUTO(file_remove) char
AUTO_TYPE(dperm_data, dperm_data_free)
AUTO_TYPE(dperm_model, dperm_model_free)
AUTO_TYPE(dperm_schema, dperm_schema_free)
AUTO_TYPE(dperm_ledger, dperm_ledger_free)
AUTO_TYPE(dperm_random, dperm_random_free)

/* JSON is written with ' for ", to keep it readable: the text with " again, good until the next
 * call. A schema, called s.json, from such a text; and the refusal of one, with these words. */
const char *json_quoted(const char *text);
dperm_schema *schema_quoted(const char *text);
void schema_refused(const char *text, const char *words);

/* Writes bytes to a new temporary file and returns its path, to be given to file_remove. */
char *file_with(const char *bytes, size_t length);
char *file_with_text(const char *text);
void file_remove(char *path);
AUTO_TYPE(char, file_remove)

/* Makes a new folder of this name with a random end, under TMPDIR or /tmp; the caller removes it.
 */
void folder_new(const char *name, char *out, size_t size);

#endif
