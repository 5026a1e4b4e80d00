/* "bins": "auto": how many bins and which cuts follow from rows, epsilon and the schema, and what
 * resolving changes. Schemas are written with ' for ". */
#include <float.h>
#include <math.h>

#include "dperm/bins.h"
#include "dperm/sweep.h"
#include "dperm/tune.h"
#include "schema/auto_bins.h"
#include "support.h"
#include "text_buffer.h"

/* ---- the rule */

static void bins_follow_from_rows_epsilon_and_columns(void **state) {
  (void)state;
  static const struct {
    size_t rows;
    double epsilon;
    size_t columns, equal, wide, whole;
  } cases[] = {{179, 1, 1, 4, 4, 4},
               {180, 1, 1, 4, 6, 4},
               {749, 1, 1, 4, 6, 4},
               {750, 1, 1, 8, 8, 4},
               {899, 1, 1, 8, 8, 4},
               {900, 1, 1, 8, 8, 16},
               {2999, 1, 1, 8, 8, 16},
               {3000, 1, 1, 16, 8, 16},
               {1, 1e-300, 5, 4, 4, 4},
               {SIZE_MAX, 1e300, 1, 16, 8, 16},
               {0, 1, 1, 16, 8, 16},
               {32561, 0.1, 14, 4, 6, 4},
               {32561, 1, 14, 8, 8, 16},
               {30000, 0.1, 23, 4, 4, 4},
               {3000, (double)NAN, 10, 16, 8, 16}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const bin_numbers paid = auto_bins_paid(cases[i].rows, cases[i].epsilon, cases[i].columns);
    assert_int_equal(paid.equal, cases[i].equal);
    assert_int_equal(paid.wide, cases[i].wide);
    assert_int_equal(paid.whole, cases[i].whole);
  }
}

static schema_column range(double min, double max) {
  return (schema_column){.type = COLUMN_NUMERIC, .min = min, .max = max};
}

static void columns_are_wide_from_250_on_if_zero_is_near(void **state) {
  (void)state;
  static const struct {
    double min, max;
    bool wide;
  } cases[] = {{0, 249.999, false},   {0, 250, true},         {0, 99999, true},
               {100, 1100, true},     {101, 1100, false},     {-250, 0, true},
               {-1100, -100, true},   {-1100, -101, false},   {-125, 125, true},
               {-124, 125, false},    {0, DBL_MAX, true},     {-DBL_MAX, DBL_MAX, true},
               {1e300, 2e300, false}, {0, DBL_MIN / 4, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const schema_column column = range(cases[i].min, cases[i].max);
    assert_int_equal(auto_bins_wide(&column), cases[i].wide);
  }
  schema_column logarithmic = range(0, 1e6);
  logarithmic.transform = TRANSFORM_LOG1P;
  assert_false(auto_bins_wide(&logarithmic));
}

static void cuts_halve_towards_zero(void **state) {
  (void)state;
  static const struct {
    double min, max;
    size_t bins, count;
    double cuts[WIDE_BINS_MOST];
  } cases[] = {
      {0, 1024, 4, 3, {128, 256, 512}},
      {0, 1024, 6, 5, {32, 64, 128, 256, 512}},
      {0, 1024, 8, 7, {8, 16, 32, 64, 128, 256, 512}},
      {0, 1024, 16, 7, {8, 16, 32, 64, 128, 256, 512}},
      {64, 1088, 4, 3, {192, 320, 576}},
      {-1024, 0, 4, 3, {-512, -256, -128}},
      {-1088, -64, 4, 3, {-576, -320, -192}},
      {-1024, 1024, 4, 3, {-512, 0, 512}},
      {-1024, 1024, 8, 7, {-512, -256, -128, 0, 128, 256, 512}},
      {-1000, 300, 8, 7, {-500, -250, -125, -62.5, 0, 75, 150}},
      {-1024, 1, 4, 3, {-512, -256, 0}},
      {-DBL_MAX, DBL_MAX, 4, 3, {-DBL_MAX / 2, 0, DBL_MAX / 2}},
      {-5e-324, 1e9, 4, 3, {0, 2.5e8, 5e8}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const schema_column column = range(cases[i].min, cases[i].max);
    double cuts[AUTO_BINS_MOST];
    assert_int_equal(auto_bins_cuts(&column, cases[i].bins, cuts), cases[i].count);
    for (size_t c = 0; c < cases[i].count; c++) {
      assert_true(cuts[c] == cases[i].cuts[c]);
    }
  }
}

static void cuts_lie_between_few_whole_numbers(void **state) {
  (void)state;
  static const struct {
    double min, max;
    size_t bins, count;
    double cuts[AUTO_BINS_MOST];
  } cases[] = {
      {-2, 9, 4, 3, {0.5, 3.5, 6.5}},
      {-2, 9, 8, 3, {0.5, 3.5, 6.5}},
      {-2, 9, 16, 11, {-1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5}},
      {1, 5, 4, 3, {1.5, 3.5, 4.5}},
      {1, 5, 8, 4, {1.5, 2.5, 3.5, 4.5}},
      {1, 16, 4, 3, {4.5, 8.5, 12.5}},
      {0, 16, 16, 0, {0}},
      {0, 1, 16, 0, {0}}, /* a rate */
      {1, 4, 16, 0, {0}},
      {0.5, 9.5, 16, 0, {0}},
      {0x1p51, 0x1p51 + 8, 16, 0, {0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const schema_column column = range(cases[i].min, cases[i].max);
    double cuts[AUTO_BINS_MOST];
    assert_int_equal(auto_bins_cuts(&column, cases[i].bins, cuts), cases[i].count);
    for (size_t c = 0; c < cases[i].count; c++) {
      assert_true(cuts[c] == cases[i].cuts[c]);
    }
  }
  schema_column logarithmic = range(0, 9);
  logarithmic.transform = TRANSFORM_LOG1P;
  assert_false(auto_bins_whole(&logarithmic));
}

/* ---- schemas */

static dperm_schema *parsed(const char *text) {
  static text_buffer json;
  dperm_schema *schema = NULL;
  json.length = 0;
  put(&json, "%s", text);
  for (char *c = json.bytes; (c = strchr(c, '\'')) != NULL;) {
    *c = '"';
  }
  assert_ok(dperm_schema_parse(json.bytes, json.length, "s.json", &schema, err));
  return schema;
}

#define SCHEMA(columns)                                                                            \
  "{'label': {'column': 'y', 'positive': ['1'], 'negative': ['0']}, 'columns': [" columns "]}"
#define NUMERIC(name, range, more) "{'name': '" name "', 'type': 'numeric', " range more "}"

static dperm_resolve_options options(size_t rows, double epsilon, bool all) {
  dperm_resolve_options how;
  dperm_resolve_options_init(&how);
  how.rows = rows;
  how.epsilon = epsilon;
  how.all_numeric = all;
  return how;
}

static dperm_schema *resolved(const char *text, size_t rows, double epsilon, bool all) {
  dperm_schema *schema = parsed(text), *out = NULL;
  const dperm_resolve_options how = options(rows, epsilon, all);
  assert_ok(dperm_schema_resolve(schema, &how, &out, err));
  dperm_schema_free(schema);
  assert_false(dperm_schema_unresolved(out, all));
  return out;
}

static void resolves(const char *text, size_t rows, double epsilon, bool all, size_t first,
                     size_t second) {
  dperm_schema *schema = resolved(text, rows, epsilon, all);
  assert_int_equal(dperm_schema_column_bins(schema, 0), first);
  assert_int_equal(dperm_schema_column_bins(schema, 1), second);
  dperm_schema_free(schema);
}

#define AGE(more) NUMERIC("age", "'min': 0, 'max': 100", more)
#define TWO(age, pay) SCHEMA(age ", " NUMERIC("pay", "'min': 0, 'max': 9999", pay))

static void only_auto_becomes_bins_unless_all_columns_shall(void **state) {
  (void)state;
  const double none = (double)NAN;
  resolves(TWO(AGE(", 'bins': 'auto'"), ""), 2000, 1, false, 8, 0);
  resolves(TWO(AGE(", 'bins': 'auto'"), ""), 6000, 1, false, 16, 0);
  resolves(TWO(AGE(""), ""), 6000, 1, false, 0, 0);
  resolves(TWO(AGE(""), ""), 6000, 1, true, 16, 8);
  resolves(TWO(AGE(", 'bins': 3"), ", 'bins': [5]"), 6000, 1, true, 3, 2);
  resolves(TWO(AGE(""), ", 'transform': 'log1p'"), 6000, 1, true, 16, 16);
  resolves(TWO(AGE(""), ""), 100, 1, true, 4, 4);
  resolves(TWO(AGE(""), ""), 400, 1, true, 4, 6);
  resolves(TWO(AGE(""), ""), 200, none, true, 8, 8); /* as at epsilon 10 */
  resolves(TWO(AGE(""), ""), 0, none, true, 16, 8);  /* the finest */
}

static void crosses_are_no_columns_of_the_rule(void **state) {
  (void)state;
  dperm_schema *schema = resolved("{'label': {'column': 'y', 'positive': ['1'], 'negative': ['0']},"
                                  "'crosses': [['a', 's']], 'columns': ["
                                  "{'name': 'a', 'type': 'numeric', 'min': 0, 'max': 1, 'line': 2, "
                                  "'bins': 'auto'}, {'name': 'no', 'type': 'ignore'},"
                                  "{'name': 's', 'type': 'categorical', 'values': ['F', 'M']}]}",
                                  2000, 1, false);
  assert_int_equal(dperm_schema_column_bins(schema, 0), 8);
  assert_true(dperm_schema_column_line(schema, 0) == 2);
  assert_int_equal(dperm_schema_cross_width(schema, 0), 16);
  dperm_schema_free(schema);
}

static void narrow_ranges_get_as_many_bins_as_doubles_can_tell_apart(void **state) {
  (void)state;
  resolves(SCHEMA(NUMERIC("a", "'min': 1, 'max': 1.0000000000000007", "") ", " AGE("")), 6000, 1,
           true, 2, 16);
  resolves(SCHEMA(NUMERIC("a", "'min': 1, 'max': 1.0000000000000002", "") ", " AGE("")), 6000, 1,
           true, 1, 16);
  resolves(SCHEMA(NUMERIC("a", "'min': 0, 'max': 2e-323", "") ", " AGE("")), 6000, 1, true, 4, 16);
  resolves(SCHEMA(NUMERIC("a", "'min': 1.2e307, 'max': 1.7e307", "") ", " AGE("")), 6000, 1, true,
           8, 16); /* sixteen times that is beyond every double */
}

static void resolving_twice_changes_nothing(void **state) {
  (void)state;
  dperm_schema *once = resolved(TWO(AGE(""), ""), 1200, 1, true), *twice = NULL;
  const dperm_resolve_options how = options(5, 0.1, true);
  assert_ok(dperm_schema_resolve(once, &how, &twice, err));
  assert_ptr_equal(once, twice);
  dperm_schema_free(once);
  dperm_schema_free(twice);
}

static void an_epsilon_that_is_none_is_refused(void **state) {
  (void)state;
  static const double wrong[] = {0, -1, (double)INFINITY};
  dperm_schema *schema = parsed(TWO(AGE(""), "")), *out = NULL;
  for (size_t i = 0; i < 3; i++) {
    const dperm_resolve_options how = options(5, wrong[i], true);
    assert_fails(dperm_schema_resolve(schema, &how, &out, err), DPERM_INVALID_ARGUMENT, "epsilon");
  }
  dperm_schema_free(schema);
}

/* ---- what each fit of a run has */

static void shares_are_those_of_the_fits(void **state) {
  (void)state;
  dperm_options one[3];
  dperm_tune_options tune;
  dperm_sweep_options sweep;
  size_t rows = 0;
  double epsilon = 0;
  for (size_t i = 0; i < 3; i++) {
    dperm_options_init(&one[i]);
    one[i].epsilon = 1;
  }
  dperm_tune_options_init(&tune);
  dperm_sweep_options_init(&sweep);
  assert_ok(dperm_train_share(100, 2, one, &rows, &epsilon, err));
  assert_true(rows == 100 && epsilon == 1);
  one[0].rows_per_person = 2;
  assert_ok(dperm_train_share(100, 4, one, &rows, &epsilon, err));
  assert_true(rows == 100 && epsilon == 0.125);
  one[0].rows_per_person = 1;
  assert_ok(dperm_tune_share(100, 2, one, 3, &tune, &rows, &epsilon, err));
  assert_true(rows == 25 && epsilon == 1);
  tune.method = DPERM_TUNE_STOPPING;
  assert_ok(dperm_tune_share(100, 2, one, 3, &tune, &rows, &epsilon, err));
  assert_true(rows == 90 && epsilon == 0.5);
  tune.method = DPERM_TUNE_PUBLIC;
  assert_ok(dperm_tune_share(100, 2, one, 3, &tune, &rows, &epsilon, err));
  assert_true(rows == 100 && epsilon == 1);
  assert_ok(dperm_sweep_share(101, 2, one, &sweep, &rows, &epsilon, err));
  assert_true(rows == 90 && epsilon == 1);
  one[0].mechanism = DPERM_MECHANISM_NONE;
  assert_ok(dperm_train_share(100, 2, one, &rows, &epsilon, err));
  assert_true(rows == 100 && isnan(epsilon));
  one[0].mechanism = DPERM_MECHANISM_OBJECTIVE;
  one[0].epsilon = (double)NAN;
  assert_fails(dperm_train_share(100, 2, one, &rows, &epsilon, err), DPERM_INVALID_ARGUMENT,
               "epsilon");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bins_follow_from_rows_epsilon_and_columns),
      cmocka_unit_test(columns_are_wide_from_250_on_if_zero_is_near),
      cmocka_unit_test(cuts_halve_towards_zero),
      cmocka_unit_test(cuts_lie_between_few_whole_numbers),
      cmocka_unit_test(only_auto_becomes_bins_unless_all_columns_shall),
      cmocka_unit_test(crosses_are_no_columns_of_the_rule),
      cmocka_unit_test(narrow_ranges_get_as_many_bins_as_doubles_can_tell_apart),
      cmocka_unit_test(resolving_twice_changes_nothing),
      cmocka_unit_test(an_epsilon_that_is_none_is_refused),
      cmocka_unit_test(shares_are_those_of_the_fits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
