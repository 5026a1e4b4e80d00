/* How every function of the library fails: a status goes up, one sentence goes into the caller's
 * dperm_error. Nothing here prints, exits or keeps state. */
#pragma once

#include "dperm.h"

/* Formats the sentence into `err` (may be NULL) and returns `status`. Control characters, as a
 * file name may hold them, become visible (dperm_text_visible): an error is one line. */
dperm_status error_set(dperm_error *err, dperm_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a last clause to the sentence, which loses of its end what would leave no space for it. */
void error_append(dperm_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Passes a failure on. */
#define TRY(expr)                                                                                  \
  do {                                                                                             \
    dperm_status try_status_ = (expr);                                                             \
    if (try_status_ != DPERM_OK) {                                                                 \
      return try_status_;                                                                          \
    }                                                                                              \
  } while (0)

/* Makes a failure. */
#define FAIL(err, code, ...)                                                                       \
  do {                                                                                             \
    (void)error_set((err), (code), __VA_ARGS__);                                                   \
    return (code);                                                                                 \
  } while (0)

/* Makes one where the condition holds. */
#define FAIL_IF(condition, err, code, ...)                                                         \
  do {                                                                                             \
    if (condition) {                                                                               \
      FAIL(err, code, __VA_ARGS__);                                                                \
    }                                                                                              \
  } while (0)

/* Returns the failure that a function makes. */
#define RETURN_IF(condition, failure)                                                              \
  do {                                                                                             \
    if (condition) {                                                                               \
      return (failure);                                                                            \
    }                                                                                              \
  } while (0)

/* The character at `s`, of `size` bytes, more than none, and its length in bytes; 0 for what is not
 * UTF-8: stray, overlong or cut sequences, halves of pairs, numbers beyond Unicode. */
size_t text_character(const char *s, size_t size, uint32_t *out);
