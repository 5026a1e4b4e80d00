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
#include "dperm/plan.h"
#include "dperm/random.h"
#include "random/random_source.h"

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

/* How often something random is tried: `quick` times in `make test`, `full` times in `make
 * test-full`, which sets DPERM_LONG. */
size_t repetitions(size_t quick, size_t full);

/* Writes bytes to a new temporary file and returns its path, to be given to file_remove. */
char *file_with(const char *bytes, size_t length);
char *file_with_text(const char *text);
void file_remove(char *path);
OWNED_HANDLE(char, file_remove)

/* Makes a new folder of this name with a random end, under TMPDIR or /tmp; the caller removes it.
 */
void folder_new(const char *name, char *out, size_t size);

#endif
