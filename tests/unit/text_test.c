/* Slices, and numbers from and to text: against the C library on many random spellings, on the
 * malformed ones that files hold, and under a locale that writes a comma. */
#include "support.h"

#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double double_of(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static size_t below(random_source *source, size_t limit) {
  return (size_t)(random_bits(source) % limit);
}

/* ---- slices */

TEST(slices_compare_by_content) {
  assert_true(slice_is((slice){"abcd", 3}, "abc"));
  assert_false(slice_is(slice_of("abc"), "abd"));
  assert_false(slice_is(slice_of("abc"), "ab"));
  assert_true(slice_is((slice){NULL, 0}, ""));
  assert_true(slice_is((slice){"a\0b", 1}, "a"));
  assert_false(slice_is((slice){"a\0b", 3}, "a"));
}

TEST(trim_takes_blanks_and_tabs_only) {
  assert_true(slice_is(slice_trim(slice_of(" \t a b\t ")), "a b"));
  assert_true(slice_is(slice_trim(slice_of("\n a \r")), "\n a \r"));
  assert_int_equal(slice_trim(slice_of(" \t ")).length, 0);
  assert_int_equal(slice_trim(slice_of("")).length, 0);
}

/* ---- from text */

/* parse_double gives the bits that strtod gives. The slice is followed by a digit, so that a
 * reader past its end would be noticed. */
static void same_as_libc(const char *text) {
  size_t length = strlen(text);
  char *padded = malloc(length + 2);
  assert_non_null(padded);
  memcpy(padded, text, length);
  memcpy(padded + length, "7", 2);
  double expected = strtod(text, NULL), got = 12345;
  number_result result = parse_double((slice){padded, length}, &got);
  free(padded);
  number_result wanted = isinf(expected) ? NUMBER_OVERFLOW : NUMBER_OK;
  if (result != wanted || bits_of(got) != bits_of(expected)) {
    fail_msg("\"%.80s\" gives %.17g (%d), not %.17g (%d)", text, got, (int)result, expected,
             (int)wanted);
  }
}

static void random_digits(random_source *source, char **at, size_t count) {
  for (size_t i = 0; i < count; i++) {
    *(*at)++ = (char)('0' + below(source, 10));
  }
}

TEST(decimal_numbers_round_as_libc) {
  random_source source = seeded(1);
  char text[2048];
  for (int i = 0; i < 200000; i++) {
    char *at = text;
    if (below(&source, 3) == 0) {
      *at++ = below(&source, 2) ? '-' : '+';
    }
    size_t longest = below(&source, 100) == 0 ? 900 : below(&source, 4) == 0 ? 40 : 18;
    size_t whole = below(&source, longest), part = below(&source, longest);
    random_digits(&source, &at, whole);
    if (part > 0 || whole == 0 || below(&source, 4) == 0) {
      *at++ = '.';
      random_digits(&source, &at, part + (whole == 0));
    }
    if (below(&source, 2)) {
      int range = below(&source, 3) == 0 ? 400 : 30;
      at += sprintf(at, "%c%s%d", below(&source, 2) ? 'e' : 'E', below(&source, 2) ? "" : "-",
                    (int)below(&source, (size_t)range));
    }
    *at = '\0';
    same_as_libc(text);
  }
}

TEST(printed_doubles_read_back_from_any_precision) {
  random_source source = seeded(2);
  char text[400];
  for (int i = 0; i < 100000; i++) {
    double value = double_of(random_bits(&source));
    if (i % 4 == 0) { /* subnormal */
      value = double_of(random_bits(&source) & UINT64_C(0x800fffffffffffff));
    }
    if (isfinite(value)) {
      (void)snprintf(text, sizeof text, "%.*e", (int)below(&source, 30), value);
      same_as_libc(text);
      (void)snprintf(text, sizeof text, "%.*g", 1 + (int)below(&source, 20), value);
      same_as_libc(text);
    }
  }
}

TEST(corners_of_the_direct_conversion_are_exact) {
  char texts[] =
      "0 -0 -0.0e5 000000000000000000000000000001 0.000000000000000000000000000000001 "
      "9007199254740992 9007199254740993 9007199254740992e22 9007199254740991e-22 "
      "9007199254740993e1 1e22 1e23 1e-22 1e-23 123456789012345678 9999999999999999999 "
      "18446744073709551615 18446744073709551616 99999999999999999999 0.99999999999999999999 "
      "5. .5 +.5e+1 1E5 2.2250738585072011e-308 2.2250738585072014e-308 4.9e-324 "
      "2.4703282292062327208e-324 2.4703282292062328e-324 1e-400 1.7976931348623157e308 "
      "1.7976931348623159e308 1e999 -1e999 0e999999999999999999999 1e-999999999999999999999 "
      "1e0000000000000000000000000000000000000002";
  for (char *text = strtok(texts, " "); text; text = strtok(NULL, " ")) {
    same_as_libc(text);
  }
}

/* A fraction of very many zeros against an exponent of very many digits: neither may wrap round
 * or be cut so that the two seem to cancel. */
TEST(very_long_zeros_and_exponents_do_not_cancel_wrongly) {
  static const char *const tails[] = {"1",          "1e99998",  "1e99999",
                                      "1e100000",   "1e100001", "1e1000001",
                                      "1e99999999", "1e-99999", "1e-1000001"};
  for (size_t zeros = 99990; zeros < 100010; zeros++) {
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
      OWNED_MEMORY char *text = malloc(zeros + 64);
      assert_non_null(text);
      text[0] = '.';
      memset(text + 1, '0', zeros);
      strcpy(text + 1 + zeros, tails[i]);
      same_as_libc(text);
    }
  }
}

TEST(malformed_numbers_are_refused) {
  static const char *const texts[] = {
      "",      "-",      "+",    ".",     "-.",  "e5",  ".e5",   "1e",        "1e+",
      "1e-",   "0x10",   "0X1p", "1 ",    " 1",  "1,5", "1.5.",  "1..5",      "1e5.0",
      "1e5e5", "--1",    "+-1",  "1-",    "1f",  "1d5", "1_000", "1'0",       "na",
      "nane",  "nan(1)", "in",   "infin", "\t1", "1\n", "1\r",   "infinityx", "−1",
      "½",     "1e 5",   "#1",   "NULL",  "1L"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double value = 0;
    if (parse_double(slice_of(texts[i]), &value) != NUMBER_MALFORMED) {
      fail_msg("\"%s\" passes as a number", texts[i]);
    }
  }
  double value = 0;
  assert_int_equal(parse_double((slice){"1\0", 2}, &value), NUMBER_MALFORMED);
  assert_int_equal(parse_double((slice){"1.5", 1}, &value), NUMBER_OK);
  assert_true(value == 1.0);
}

TEST(nan_and_infinity_are_told_apart_from_nonsense) {
  static const char *const texts[] = {"nan",  "NaN",  "-nan",     "+NAN",      "inf",
                                      "-Inf", "+INF", "infinity", "-Infinity", "INFINITY"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double value = 0;
    assert_int_equal(parse_double(slice_of(texts[i]), &value), NUMBER_NOT_FINITE);
  }
}

TEST(sizes_are_digits_up_to_a_limit) {
  size_t value = 0;
  assert_true(parse_size(slice_of("0"), 0, &value));
  assert_int_equal(value, 0);
  assert_false(parse_size(slice_of("1"), 0, &value));
  assert_true(parse_size(slice_of("0012"), 12, &value));
  assert_int_equal(value, 12);
  assert_false(parse_size(slice_of("13"), 12, &value));
  assert_false(parse_size(slice_of("100"), 12, &value));
  assert_true(parse_size(slice_of("9"), 12, &value));
  assert_true(parse_size(slice_of("18446744073709551615"), SIZE_MAX, &value));
  assert_true(value == SIZE_MAX);
  assert_false(parse_size(slice_of("18446744073709551616"), SIZE_MAX, &value));
  assert_false(parse_size(slice_of("99999999999999999999999"), SIZE_MAX, &value));
  static const char *const texts[] = {"", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "a"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_false(parse_size(slice_of(texts[i]), SIZE_MAX, &value));
  }
}

TEST(sizes_obey_every_small_limit) {
  char text[16];
  for (size_t limit = 0; limit < 130; limit++) {
    for (size_t n = 0; n < 1400; n++) {
      size_t value = SIZE_MAX;
      (void)snprintf(text, sizeof text, "%zu", n);
      assert_int_equal(parse_size(slice_of(text), limit, &value), n <= limit);
      assert_true(n > limit || value == n);
    }
  }
}

/* ---- to text */

TEST(formatted_doubles_read_back_to_the_same_bits) {
  random_source source = seeded(3);
  for (int i = 0; i < 300000; i++) {
    double value = double_of(random_bits(&source));
    if (i % 8 == 0) {
      value = double_of(random_bits(&source) & UINT64_C(0x800fffffffffffff));
    } else if (i % 8 == 1) {
      value = (double)(int64_t)random_bits(&source) / 1024;
    }
    if (!isfinite(value)) {
      continue;
    }
    char text[DOUBLE_TEXT_SIZE];
    size_t length = format_double(value, i % 2 != 0, text);
    assert_int_equal(length, strlen(text));
    assert_true(bits_of(strtod(text, NULL)) == bits_of(value));
    double back = 0;
    assert_int_equal(parse_double((slice){text, length}, &back), NUMBER_OK);
    assert_true(bits_of(back) == bits_of(value));
    assert_true(i % 2 == 0 || strpbrk(text, ".e"));
  }
}

TEST(formatted_doubles_are_short) {
  char text[DOUBLE_TEXT_SIZE];
  assert_int_equal(format_double(0.1, false, text), 3);
  assert_string_equal(text, "0.1");
  assert_int_equal(format_double(1, false, text), 1);
  assert_string_equal(text, "1");
  assert_int_equal(format_double(1, true, text), 3);
  assert_string_equal(text, "1.0");
  (void)format_double(-0.0, true, text);
  assert_string_equal(text, "-0.0");
  (void)format_double(1e300, true, text);
  assert_string_equal(text, "1e+300");
  (void)format_double(0.1 + 0.2, true, text);
  assert_string_equal(text, "0.30000000000000004");
  (void)format_double(-DBL_MAX, true, text);
  assert_string_equal(text, "-1.7976931348623157e+308");
}

/* ---- locale */

static bool set_comma_locale(void) {
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8",
                                      "de_DE",       "fr_FR",      "nb_NO.UTF-8", "ru_RU.UTF-8"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (setlocale(LC_ALL, names[i]) && localeconv()->decimal_point[0] == ',') {
      return true;
    }
  }
  return false;
}

TEST(locale_changes_nothing) {
  bool comma = set_comma_locale();
  double quick = 0, slow = 0, bad = 0;
  char text[DOUBLE_TEXT_SIZE];
  number_result quick_result = parse_double(slice_of("1.5"), &quick);
  number_result slow_result = parse_double(slice_of("1.500000000000000000000000001e-40"), &slow);
  number_result bad_result = parse_double(slice_of("1,5"), &bad);
  (void)format_double(1.5, true, text);
  char after[8];
  (void)snprintf(after, sizeof after, "%.1f", 0.5);
  (void)setlocale(LC_ALL, "C");
  assert_int_equal(quick_result, NUMBER_OK);
  assert_int_equal(slow_result, NUMBER_OK);
  assert_int_equal(bad_result, NUMBER_MALFORMED);
  assert_true(quick == 1.5 && slow == 1.5e-40);
  assert_string_equal(text, "1.5");
  assert_string_equal(after, comma ? "0,5" : "0.5"); /* the caller's locale is left as it was */
}

TEST(hidden_characters_become_visible) {
  static const char *const cases[][2] = {
      {"plain, \"quoted\" \\ text", "plain, \"quoted\" \\ text"},
      {"\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"},
      {"a\nb\rc\td\x7f", "a\\x0ab\\x0dc\\x09d\\x7f"},
      {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
      {"\xc2\x9b"
       "31m\xc2\x85",
       "\\u009b31m\\u0085"}, /* C1 */
      {"\x9b"
       "31m",
       "\\x9b31m"}, /* the same in latin1 */
      {"\xe2\x80\xae"
       "evil\xe2\x80\xa8",
       "\\u202eevil\\u2028"}, /* direction, line end */
      {"\xff\xfe", "\\xff\\xfe"},
      {"\xc0\x9b \xe0\x80\x9b", "\\xc0\\x9b \\xe0\\x80\\x9b"}, /* overlong */
      {"\xed\xa0\x80 \xf4\x90\x80\x80", "\\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80"},
      {"cut \xe2\x82", "cut \\xe2\\x82"},
      {"", ""},
  };
  char out[128], again[128];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    dperm_text_visible(cases[i][0], out, sizeof out);
    assert_string_equal(out, cases[i][1]);
    dperm_text_visible(out, again, sizeof again);
    assert_string_equal(again, out);
  }
  dperm_text_visible("ab\x1b"
                     "c",
                     out, 6); /* nothing is cut in its middle */
  assert_string_equal(out, "ab");
  dperm_text_visible("ab", out, 1);
  assert_string_equal(out, "");
}
