/* Text without a terminator, and numbers from and to text, whatever locale the program has set. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A piece of somebody else's text. */
typedef struct slice {
  const char *start;
  size_t length;
} slice;

slice slice_of(const char *text);
bool slice_is(slice a, const char *text);
/* Without blanks (space, tab) at either end. */
slice slice_trim(slice s);

typedef enum number_result {
  NUMBER_OK,
  NUMBER_NOT_FINITE, /* nan, inf or infinity, in any case and with a sign */
  NUMBER_OVERFLOW,   /* a decimal number beyond the largest double; *out is ±infinity */
  NUMBER_MALFORMED
} number_result;

/* A whole slice as a decimal number, rounded to the nearest double. No hexadecimal, no blanks. */
number_result parse_double(slice s, double *out);
/* "e-6", as at the end of a number, or nothing (0); what is beyond a million is cut. Else false. */
bool parse_exponent(slice s, int *out);
/* A whole slice as digits only; false on anything else or past `limit`. */
bool parse_size(slice s, size_t limit, size_t *out);

enum { DOUBLE_TEXT_SIZE = 32 };
/* The shortest of %.15g, %.16g, %.17g that reads back to the same double, always with a '.' or an
 * exponent when `as_real`, so that JSON readers keep the type. Returns the length. */
size_t format_double(double value, bool as_real, char out[DOUBLE_TEXT_SIZE]);
