/* The guessing rules of a schema draft: round bounds, kinds of columns, the positive label. */
#include "support.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "draft/draft_scan.h"
#include "schema/identifier_name.h"

enum { LIMIT = 256 };

static void add(draft_column *column, const char *text) {
  size_t code = 0;
  assert_ok(draft_column_add(column, slice_of(text), SIZE_MAX, &code, err));
}

/* A column of these values, separated by blanks, `times` over. */
static draft_column column_of(const char *values, size_t times) {
  draft_column column;
  draft_column_init(&column, LIMIT);
  for (size_t i = 0; i < times; i++) {
    char work[1024];
    (void)snprintf(work, sizeof work, "%s", values);
    for (char *save = NULL, *word = strtok_r(work, " ", &save); word;
         word = strtok_r(NULL, " ", &save)) {
      add(&column, word);
    }
  }
  return column;
}

static void assert_kind(const char *values, size_t times, draft_kind kind) {
  draft_column column = column_of(values, times);
  draft_kind found = draft_judge(&column, "x");
  if (found != kind) {
    fail_msg("\"%s\" × %zu is judged %d, not %d", values, times, (int)found, (int)kind);
  }
  draft_column_clear(&column);
}

/* ---- round numbers */

TEST(round_numbers_lie_above) {
  assert_true(draft_round_up(90) == 100 && draft_round_up(99999) == 100000);
  assert_true(draft_round_up(17) == 20 && draft_round_up(12) == 15 && draft_round_up(20) == 30);
  assert_true(draft_round_up(0.06) == 0.08 && draft_round_up(0.25) == 0.3);
  for (int k = -90; k <= 90; k++) {
    char text[16];
    (void)snprintf(text, sizeof text, "1e%d", k);
    double power = strtod(text, NULL);
    assert_true(draft_round_up(power) == power); /* 1, 10 and 100 end scales */
    for (double m = 1.01; m < 10; m += 0.37) {
      double x = m * power, up = draft_round_up(x);
      assert_true(up > x && up <= 1.55 * x);
    }
  }
}

/* Round and not the extremes; symmetric across zero if both sides matter, centered far from it, and
 * logarithms for long tails. */
TEST(bounds_are_round) {
  static const struct {
    const char *values;
    double min, max;
    bool center, log1p;
  } cases[] = {
      {"17 30 45 90", 0, 100, false, false},
      {"1 50000 99999", 0, 100000, false, false},
      {"0 0.5 1", 0, 1, false, false},
      {"0 37 100", 0, 100, false, false},
      {"-5 -100.5", -150, 0, false, false},
      {"-3.2 0 2.9", -4, 4, true, false},
      {"-20 12 39", -40, 40, true, false},
      {"-1 500 900", -1, 1000, false, false},
      {"36.1 37 41", 35, 45, true, false},
      {"1950 1980 2010", 1900, 2050, true, false},
      {"150 175 200", 100, 250, true, false},
      {"-41 -37 -36.1", -45, -35, true, false},
      {"0 0 0 0 0 0 0 0 0 99999", 0, 100000, false, true},
      {"1500 1500 1600 1700 1500 1600 1700 1500 1600 990000", 1000, 1000000, true, true},
      {"100 150 160 170 150 160 170 150 160 99000", 10, 100000, true, true},
      {"0 0 0 0 0 0 0 0 0 0.9", 0, 1, false, false}, /* log1p is nearly a line there */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    draft_column column = column_of(cases[i].values, 1);
    draft_range range;
    assert_true(draft_range_of(&column.numbers, &range));
    if (range.min != cases[i].min || range.max != cases[i].max || range.center != cases[i].center ||
        range.log1p != cases[i].log1p) {
      fail_msg("\"%s\": [%.17g, %.17g] %d %d", cases[i].values, range.min, range.max, range.center,
               range.log1p);
    }
    draft_column_clear(&column);
  }
}

TEST(some_numbers_have_no_sensible_bounds) {
  static const char *const lists[] = {"1e400 1 2", "1e200 1 2", "1e-300 2e-300 3e-300",
                                      "1000000000000000 1000000000000001"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    draft_column column = column_of(lists[i], 1);
    draft_range range;
    assert_false(draft_range_of(&column.numbers, &range));
    draft_column_clear(&column);
  }
}

/* ---- kinds */

TEST(kinds_by_content) {
  assert_kind("", 0, DRAFT_EMPTY);
  assert_kind("a", 50, DRAFT_CONSTANT);
  assert_kind("1 1.0", 50, DRAFT_CONSTANT);
  assert_kind("0 1", 50, DRAFT_FLAG);
  assert_kind("-1 1", 50, DRAFT_FLAG);
  assert_kind("1 2", 50, DRAFT_CATEGORIES);
  assert_kind("1 2", 3, DRAFT_NUMBER); /* too few to know that there are only two */
  assert_kind("1 2 3 4 5", 20, DRAFT_NUMBER);
  assert_kind("1.5 2.5 -3", 20, DRAFT_NUMBER);
  assert_kind("red green blue", 20, DRAFT_CATEGORIES);
  assert_kind("00501 10001 94016", 20, DRAFT_CATEGORIES); /* codes, not numbers */
  assert_kind("1 2 unknown", 20, DRAFT_CATEGORIES);
  assert_kind("1e400 1 3", 20, DRAFT_EXTREME);
}

/* before1000after, before1001after, …; the number modulo `modulus`. */
static draft_column counted_up(const char *before, const char *after, size_t count,
                               size_t modulus) {
  draft_column column;
  draft_column_init(&column, LIMIT);
  for (size_t i = 1000; i < 1000 + count; i++) {
    char text[64];
    (void)snprintf(text, sizeof text, "%s%zu%s", before, i % modulus, after);
    add(&column, text);
  }
  return column;
}

static void assert_counted(const char *before, const char *after, size_t count, size_t modulus,
                           draft_kind kind) {
  draft_column column = counted_up(before, after, count, modulus);
  assert_int_equal(draft_judge(&column, "x"), kind);
  draft_column_clear(&column);
}

TEST(identifiers_are_found) {
  assert_counted("", "", 100, SIZE_MAX, DRAFT_IDENTIFIER);  /* rising whole numbers */
  assert_counted("", "", 2000, SIZE_MAX, DRAFT_IDENTIFIER); /* beyond what is counted */
  assert_counted("", ".5", 100, SIZE_MAX, DRAFT_NUMBER);
  assert_counted("u", "", 100, SIZE_MAX, DRAFT_IDENTIFIER);
  assert_counted("u", "", 10, SIZE_MAX, DRAFT_CATEGORIES); /* by chance */
  assert_kind("5 3 9 1 8 2 7 4 6 10 15 13 19 11 18 12 17 14 16 20", 1, DRAFT_NUMBER);
}

/* Numbers whose column is called like an identifier are codes, if they are few, and else ignored.
 */
TEST(identifiers_that_repeat_are_found_by_their_name) {
  static const char *const named[] = {"id",        "ID",     "patient_id", "PatientID",
                                      "patientId", "userid", "person nr.", "MRN",
                                      "case-no",   "custid"};
  static const char *const others[] = {"paid", "grid", "number", "covid", "age",
                                       "code", "idle", "no",     ""};
  for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
    draft_column column = counted_up("1", "", 3000, 900), few = counted_up("1", "", 3000, 40),
                 parts = counted_up("1", ".5", 3000, 900);
    assert_true(name_is_identifier(named[i]));
    assert_int_equal(draft_judge(&column, named[i]), DRAFT_NAMED);
    assert_int_equal(draft_judge(&few, named[i]), DRAFT_CATEGORIES);
    assert_int_equal(draft_judge(&parts, named[i]), DRAFT_NUMBER);
    draft_column_clear(&column);
    draft_column_clear(&few);
    draft_column_clear(&parts);
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    draft_column column = counted_up("1", "", 3000, 900);
    assert_false(name_is_identifier(others[i]));
    assert_int_equal(draft_judge(&column, others[i]), DRAFT_NUMBER);
    draft_column_clear(&column);
  }
}

TEST(many_texts) {
  assert_counted("2024-01-", "", 300, 28, DRAFT_MANY);
  assert_counted("", ",500", 300, 100, DRAFT_MANY);
  assert_counted("street ", "", 300, 100, DRAFT_MANY);
  assert_counted("street ", "", 3000, 200, DRAFT_MANY);
  assert_counted("street ", "", 3000, 40, DRAFT_CATEGORIES);
  draft_column column = column_of("short", 5);
  char text[DRAFT_TEXT_LIMIT + 2];
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = '\0';
  add(&column, text);
  assert_true(column.uncounted); /* free text */
  assert_int_equal(draft_judge(&column, "x"), DRAFT_MANY);
  draft_column_clear(&column);
}

/* 2,000 rows of a, b and c, and `rare` values that come once. */
static draft_kind kind_with_rare(size_t rare) {
  draft_column column = column_of("a a a b b b c c c c", 200);
  for (size_t i = 0; i < rare; i++) {
    char text[32];
    (void)snprintf(text, sizeof text, "rare%zu", i);
    add(&column, text);
  }
  draft_kind kind = draft_judge(&column, "x");
  draft_column_clear(&column);
  return kind;
}

TEST(many_rare_values_are_grouped) {
  assert_int_equal(kind_with_rare(9), DRAFT_CATEGORIES);
  assert_int_equal(kind_with_rare(10), DRAFT_GROUPS);
  assert_int_equal(kind_with_rare(150), DRAFT_GROUPS); /* over 50 values, but a few cover most */
  assert_int_equal(kind_with_rare(1000), DRAFT_MANY);  /* not even counted */
}

TEST(counting_is_bounded) {
  draft_column column = counted_up("u", "", 100000, SIZE_MAX);
  assert_true(column.uncounted && !column.tallies && !column.values.places);
  assert_true(column.filled == 100000 && column.different);
  draft_column_clear(&column);
}

TEST(skewness_is_the_third_moment) {
  draft_column column = column_of("1 2 3 4 100", 1);
  double mean = 22, m2 = 0, m3 = 0;
  static const double xs[] = {1, 2, 3, 4, 100};
  for (size_t i = 0; i < 5; i++) {
    m2 += (xs[i] - mean) * (xs[i] - mean) / 5;
    m3 += pow(xs[i] - mean, 3) / 5;
  }
  assert_close(draft_numbers_skewness(&column.numbers), m3 / pow(m2, 1.5), 1e-12);
  draft_column_clear(&column);
}

/* ---- labels */

TEST(custom_knows_yes_from_no) {
  static const struct {
    const char *first, *second;
    int custom;
  } pairs[] = {{"0", "1", 1},        {"1", "-1", -1},   {"Yes", "No", -1},
               {"FALSE", "TRUE", 1}, {"cat", "dog", 0}, {"no", "", 0}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    assert_int_equal(draft_custom_label(pairs[i].first, pairs[i].second), pairs[i].custom);
  }
}
