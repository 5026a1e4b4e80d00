/* Slices and numbers. Decimal numbers of up to 19 digits with a small exponent are converted
 * directly, which is exact when the digits fit in 53 bits and the power of ten is at most 10^22
 * (both are then exact doubles and one rounded operation joins them: Clinger 1990). All others go
 * to the C library under the "C" locale, which rounds correctly. */
#define _GNU_SOURCE
#include "base/text.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "base/memory.h"

slice slice_of(const char *text) {
  return (slice){text, strlen(text)};
}

bool slice_is(slice a, const char *text) {
  return a.length == strlen(text) && (a.length == 0 || memcmp(a.start, text, a.length) == 0);
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
  char small[64] = "", *text = small;
  OWNED_MEMORY char *large = NULL;
  locale_t locale = get_c_locale();
  if (s.length < sizeof small) {
    memcpy(small, s.start, s.length);
  } else {
    (void)memory_copy_text(s.start, s.length, &large, NULL);
    text = large;
  }
  if (!text || !locale) {
    return NUMBER_MALFORMED;
  }
  *out = strtod_l(text, NULL, locale);
  return isinf(*out) ? NUMBER_OVERFLOW : NUMBER_OK;
}

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool parse_exponent(slice s, int *out) {
  *out = 0;
  if (s.length == 0) {
    return true;
  }
  bool down = s.length > 1 && s.start[1] == '-', up = s.length > 1 && s.start[1] == '+';
  const char *at = s.start + 1 + (down || up), *end = s.start + s.length;
  if ((*s.start != 'e' && *s.start != 'E') || at == end) {
    return false;
  }
  for (; at < end && is_digit(*at); at++) {
    *out = *out < 100000 ? *out * 10 + (*at - '0') : *out;
  }
  *out = down ? -*out : *out;
  return at == end;
}

/* Behind some digits, of which no more than 19 count: then their number is not exact. */
static const char *take_digits(const char *at, const char *end, uint64_t *number) {
  for (; at < end && is_digit(*at); at++) {
    *number = *number * 10 + (uint64_t)(*at - '0');
  }
  return at;
}

number_result parse_double(slice s, double *out) {
  const char *first = s.start, *end = s.start + s.length;
  bool negative = first < end && *first == '-';
  first += negative || (first < end && *first == '+');
  uint64_t digits = 0;
  const char *point = take_digits(first, end, &digits);
  const char *at = point < end && *point == '.' ? take_digits(point + 1, end, &digits) : point;
  size_t decimals = at > point ? (size_t)(at - point) - 1 : 0;
  size_t count = (size_t)(point - first) + decimals;
  if (count == 0 && (is_word(first, end, "nan") || is_word(first, end, "inf") ||
                     is_word(first, end, "infinity"))) {
    return NUMBER_NOT_FINITE;
  }
  int exponent = 0;
  if (count == 0 || (at < end && !parse_exponent((slice){at, (size_t)(end - at)}, &exponent))) {
    return NUMBER_MALFORMED;
  }
  if (count > 19 || digits > (UINT64_C(1) << 53) || abs(exponent - (int)decimals) > 22) {
    return parse_with_libc(s, out);
  }
  int scale = exponent - (int)decimals;
  double value = (double)digits;
  value = scale < 0 ? value / powers[-scale] : scale > 0 ? value * powers[scale] : value;
  *out = negative ? -value : value;
  return NUMBER_OK;
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
