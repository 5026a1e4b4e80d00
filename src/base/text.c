/* Slices and numbers. Decimal numbers of up to 19 digits with a small exponent are converted
 * directly, which is exact when the digits fit in 53 bits and the power of ten is at most 10^22
 * (both are then exact doubles and one rounded operation joins them: Clinger 1990). All others go
 * to the C library under the "C" locale, which rounds correctly. */
#define _GNU_SOURCE
#include "base/text.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/owned.h"

slice slice_of(const char *text) {
  return (slice){text, strlen(text)};
}

bool slice_equal(slice a, slice b) {
  return a.length == b.length && (a.length == 0 || memcmp(a.start, b.start, a.length) == 0);
}

bool slice_is(slice a, const char *text) {
  return slice_equal(a, slice_of(text));
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

slice slice_trim(slice s) {
  while (s.length && is_blank(s.start[0])) {
    s.start++;
    s.length--;
  }
  while (s.length && is_blank(s.start[s.length - 1])) {
    s.length--;
  }
  return s;
}

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void) {
  c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static locale_t get_c_locale(void) {
  pthread_once(&c_locale_once, make_c_locale);
  return c_locale;
}

static bool is_word(const char *at, const char *end, const char *word) {
  for (; *word; word++, at++) {
    if (at == end || (*at | 0x20) != *word) {
      return false;
    }
  }
  return at == end;
}

/* The slow way, for a slice already known to be a well-formed decimal number. */
static number_result parse_with_libc(slice s, double *out) {
  char small[64];
  bool fits = s.length < sizeof small;
  OWNED_MEMORY char *large = fits ? NULL : malloc(s.length + 1);
  char *text = fits ? small : large;
  locale_t locale = get_c_locale();
  if (!text || !locale) {
    return NUMBER_MALFORMED;
  }
  memcpy(text, s.start, s.length);
  text[s.length] = '\0';
  *out = strtod_l(text, NULL, locale);
  return isinf(*out) ? NUMBER_OVERFLOW : NUMBER_OK;
}

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* A few digits and perhaps a point among them, as most numbers are; false for all others. */
static bool parse_plain(slice s, double *out) {
  uint64_t digits = 0;
  size_t i = 0, decimals = 0;
  if (s.length == 0 || s.length > 15) {
    return false;
  }
  for (; i < s.length && is_digit(s.start[i]); i++) {
    digits = digits * 10 + (uint64_t)(s.start[i] - '0');
  }
  if (i < s.length) {
    if (s.start[i] != '.' || s.length == 1) {
      return false;
    }
    for (i++; i < s.length && is_digit(s.start[i]); i++, decimals++) {
      digits = digits * 10 + (uint64_t)(s.start[i] - '0');
    }
  }
  *out = decimals ? (double)digits / powers[decimals] : (double)digits;
  return i == s.length;
}

number_result parse_double(slice s, double *out) {
  if (parse_plain(s, out)) {
    return NUMBER_OK;
  }
  const char *at = s.start, *end = s.start + s.length;
  bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) {
    at++;
  }
  if (is_word(at, end, "nan") || is_word(at, end, "inf") || is_word(at, end, "infinity")) {
    return NUMBER_NOT_FINITE;
  }
  uint64_t digits = 0;
  int kept = 0, scale = 0; /* value = digits × 10^scale while all digits were kept */
  bool any = false, exact = true, point = false;
  for (; at < end && (is_digit(*at) || (*at == '.' && !point)); at++) {
    if (*at == '.') {
      point = true;
      continue;
    }
    any = true;
    exact = exact && kept < 19;
    if (kept < 19) {
      digits = digits * 10 + (uint64_t)(*at - '0');
      kept += digits != 0;
      scale -= point;
    }
  }
  if (!any) {
    return NUMBER_MALFORMED;
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    at++;
    bool down = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) {
      at++;
    }
    if (at == end) {
      return NUMBER_MALFORMED;
    }
    int exponent = 0;
    for (; at < end && is_digit(*at); at++) {
      exponent = exponent < 100000 ? exponent * 10 + (*at - '0') : exponent;
    }
    exact = exact && exponent < 100000; /* not cut, so that it may be weighed against scale */
    scale += down ? -exponent : exponent;
  }
  if (at != end) {
    return NUMBER_MALFORMED;
  }
  if (exact && digits <= (UINT64_C(1) << 53) && scale >= -22 && scale <= 22) {
    double value = (double)digits;
    value = scale < 0 ? value / powers[-scale] : value * powers[scale];
    *out = negative ? -value : value;
    return NUMBER_OK;
  }
  return parse_with_libc(s, out);
}

bool parse_size(slice s, size_t limit, size_t *out) {
  size_t value = 0;
  for (size_t i = 0; i < s.length; i++) {
    if (!is_digit(s.start[i])) {
      return false;
    }
    size_t digit = (size_t)(s.start[i] - '0');
    if (digit > limit || value > (limit - digit) / 10) {
      return false;
    }
    value = value * 10 + digit;
  }
  *out = value;
  return s.length > 0;
}

size_t format_double(double value, bool as_real, char out[DOUBLE_TEXT_SIZE]) {
  locale_t locale = get_c_locale();
  locale_t before = locale ? uselocale(locale) : (locale_t)0;
  int length = 0;
  for (int digits = 15; digits <= 17; digits++) {
    length = snprintf(out, DOUBLE_TEXT_SIZE, "%.*g", digits, value);
    if (strtod(out, NULL) == value) {
      break;
    }
  }
  if (before) {
    uselocale(before);
  }
  if (as_real && isfinite(value) && !strpbrk(out, ".e")) {
    memcpy(out + length, ".0", 3);
    length += 2;
  }
  return (size_t)length;
}
