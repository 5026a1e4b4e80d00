/* "bins": "auto": how many bins and which cuts follow from rows, epsilon and the schema, and what
 * resolving changes. Schemas are written with ' for ". */
#include <float.h>
#include <math.h>
#include <unistd.h>

#include "dperm/sweep.h"
#include "dperm/tune.h"
#include "model/model.h"
#include "schema/auto_bins.h"
#include "schema/resolve_bins.h"
#include "support.h"

/* ---- the rule */

TEST(bins_follow_from_rows_epsilon_and_columns) {
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

TEST(columns_are_wide_from_250_on_if_zero_is_near) {
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

/* Of wide columns towards zero, of few whole numbers between all of them or four parts. */
TEST(cuts_halve_or_lie_between_whole_numbers) {
  static const struct {
    double min, max;
    size_t bins, count;
    double cuts[AUTO_BINS_MOST];
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
}

TEST(logarithms_are_not_counted) {
  schema_column logarithmic = range(0, 9);
  logarithmic.transform = TRANSFORM_LOG1P;
  assert_false(auto_bins_whole(&logarithmic));
}

/* ---- schemas */

#define SCHEMA(columns)                                                                            \
  "{'label': {'column': 'y', 'positive': ['1'], 'negative': ['0']}, 'columns': [" columns "]}"
#define NUMERIC(name, range, more) "{'name': '" name "', 'type': 'numeric', " range more "}"

static dperm_schema *resolved(const char *text, size_t rows, double epsilon, bool all) {
  dperm_schema *schema = schema_quoted(text), *out = NULL;
  assert_ok(schema_resolve(schema, all, rows, epsilon, &out, err));
  dperm_schema_free(schema);
  assert_false(schema_unresolved(out, all));
  return out;
}

static void resolves(const char *text, size_t rows, double epsilon, bool all, size_t first,
                     size_t second) {
  auto_schema *schema = resolved(text, rows, epsilon, all);
  assert_int_equal(column_bins(&schema->columns[0]), first);
  assert_int_equal(column_bins(&schema->columns[1]), second);
}

#define AGE(more) NUMERIC("age", "'min': 0, 'max': 100", more)
#define TWO(age, pay) SCHEMA(age ", " NUMERIC("pay", "'min': 0, 'max': 9999", pay))

TEST(only_auto_becomes_bins_unless_all_columns_shall) {
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

TEST(crosses_are_no_columns_of_the_rule) {
  auto_schema *schema = resolved("{'label': {'column': 'y', 'positive': ['1'], 'negative': ['0']},"
                                 "'crosses': [['a', 's']], 'columns': ["
                                 "{'name': 'a', 'type': 'numeric', 'min': 0, 'max': 1, 'line': 2, "
                                 "'bins': 'auto'}, {'name': 'no', 'type': 'ignore'},"
                                 "{'name': 's', 'type': 'categorical', 'values': ['F', 'M']}]}",
                                 2000, 1, false);
  assert_int_equal(column_bins(&schema->columns[0]), 8);
  assert_true(schema->columns[0].line == 2);
  assert_int_equal(schema->crosses[0].width, 16);
}

TEST(narrow_ranges_get_as_many_bins_as_doubles_can_tell_apart) {
  resolves(SCHEMA(NUMERIC("a", "'min': 1, 'max': 1.0000000000000007", "") ", " AGE("")), 6000, 1,
           true, 2, 16);
  resolves(SCHEMA(NUMERIC("a", "'min': 1, 'max': 1.0000000000000002", "") ", " AGE("")), 6000, 1,
           true, 1, 16);
  resolves(SCHEMA(NUMERIC("a", "'min': 0, 'max': 2e-323", "") ", " AGE("")), 6000, 1, true, 4, 16);
  resolves(SCHEMA(NUMERIC("a", "'min': 1.2e307, 'max': 1.7e307", "") ", " AGE("")), 6000, 1, true,
           8, 16); /* sixteen times that is beyond every double */
}

TEST(resolving_twice_changes_nothing) {
  auto_schema *once = resolved(TWO(AGE(""), ""), 1200, 1, true), *twice = NULL;
  assert_ok(schema_resolve(once, true, 5, 0.1, &twice, err));
  assert_ptr_equal(once, twice);
}

/* ---- what each fit of a run has */

enum {
  RECORDS = 3000
}; /* of one column: eight bins from 750 of them on at epsilon 1, or sixteen */

static dperm_data *records_of(const dperm_schema *schema, double shift) {
  static double x[RECORDS];
  static int32_t y[RECORDS];
  static const char *const sides[] = {"0", "1"};
  dperm_data *data = NULL;
  for (int32_t i = 0; i < RECORDS; i++) {
    x[i] = i % 97 + shift;
    y[i] = x[i] > 20 && x[i] < 60;
  }
  const dperm_column column = {.numbers = x}, label = {.codes = y, .texts = sides, .text_count = 2};
  assert_ok(dperm_data_from_table(schema, RECORDS, &column, &label, &data, err));
  return data;
}

static dperm_options at_one(dperm_bins bins) {
  dperm_options o = options_for(1);
  o.lambda = 0.01;
  o.threads = 1;
  o.bins = bins;
  return o;
}

static size_t bins_trained(const dperm_data *data, dperm_options o) {
  auto_model *model = NULL;
  assert_ok(dperm_train(data, &o, &model, err));
  size_t bins = column_bins(&model->schema->columns[0]);
  return bins;
}

static size_t bins_tuned(const dperm_data *data, const dperm_data *known, dperm_bins bins,
                         dperm_tune_method method) {
  dperm_options three[3] = {at_one(bins), at_one(bins), at_one(bins)};
  dperm_tune_options how = USUAL(dperm_tune_options);
  auto_model *model = NULL;
  how.method = method;
  how.public_data = method == DPERM_TUNE_PUBLIC ? known : NULL;
  three[1].lambda = 0.02;
  three[2].lambda = 0.03;
  assert_ok(dperm_tune(data, three, 3, &how, &model, err));
  size_t found = column_bins(&model->schema->columns[0]);
  return found;
}

typedef struct swept {
  size_t dims[4];
  double error[4];
} swept;

static void see_cell(void *context, const dperm_sweep_cell *cell) {
  swept *seen = context;
  seen->dims[cell->index] = cell->dims;
  seen->error[cell->index] = cell->error_mean;
}

/* A schema that says "auto", and one that says nothing where options say it. */
TEST(bins_are_those_that_each_fit_can_pay_for) {
  for (int said = 0; said < 2; said++) {
    const dperm_bins bins = said ? DPERM_BINS_NONE : DPERM_BINS_AUTO;
    auto_schema *schema = schema_quoted(said ? SCHEMA(AGE(", 'bins': 'auto'")) : SCHEMA(AGE("")));
    auto_data *data = records_of(schema, 0), *others = records_of(schema, 0.5), *few = NULL;
    size_t some[1000];
    swept seen = {0};
    const size_t *dims = seen.dims;
    for (size_t i = 0; i < 1000; i++) {
      some[i] = i;
    }
    assert_ok(dperm_data_select(data, some, 1000, &few, err));
    dperm_options o = at_one(bins);
    assert_int_equal(bins_trained(data, o), 16);
    assert_int_equal(bins_trained(few, o), 8);
    o.rows_per_person = 2;
    assert_int_equal(bins_trained(data, o), 8);
    o = at_one(bins);
    o.calibrate = 0.5;
    assert_int_equal(bins_trained(data, o), 8);
    o = at_one(bins);
    o.neighbours = DPERM_NEIGHBOURS_ADD_REMOVE; /* by the figure, not by the records */
    o.rows_about = 700;
    assert_int_equal(bins_trained(data, o), 4);
    o = at_one(bins);
    o.epsilon = (double)NAN;
    o.mechanism = DPERM_MECHANISM_NONE;
    assert_int_equal(bins_trained(few, o), 16);                             /* as at 10 */
    assert_int_equal(bins_tuned(data, NULL, bins, DPERM_TUNE_SPLIT), 8);    /* of 750 */
    assert_int_equal(bins_tuned(data, NULL, bins, DPERM_TUNE_STOPPING), 8); /* at 0.5 */
    assert_int_equal(bins_tuned(data, others, bins, DPERM_TUNE_PUBLIC), 16);
    dperm_sweep_options how = USUAL(dperm_sweep_options);
    dperm_options cells[4] = {at_one(bins), at_one(bins), at_one(DPERM_BINS_ASK), o};
    how.draws = 1;
    cells[1].epsilon = 10;
    assert_ok(dperm_sweep(data, cells, 4, &how, see_cell, &seen, err)); /* of 2700 */
    assert_true(dims[0] == 8 && dims[1] == 16 && dims[2] == (said ? 8 : 0) && dims[3] == 16);
    how.test_data = few;
    assert_ok(dperm_sweep(data, cells, 4, &how, see_cell, &seen, err)); /* of all */
    assert_true(dims[0] == 16 && dims[1] == 16 && dims[2] == (said ? 16 : 0) && dims[3] == 16);
  }
}

/* Their number for each column would be read for columns that nobody counted. */
TEST(numbers_for_columns_wait_for_bins) {
  const double weights[2] = {1, 1};
  const char *words = "bins are still to be chosen";
  for (int said = 0; said < 2; said++) {
    auto_schema *schema = schema_quoted(said ? SCHEMA(AGE(", 'bins': 'auto'")) : SCHEMA(AGE("")));
    auto_data *data = records_of(schema, 0);
    dperm_options o[2] = {at_one(DPERM_BINS_AUTO), at_one(DPERM_BINS_AUTO)};
    dperm_tune_options tune_how = USUAL(dperm_tune_options);
    dperm_sweep_options sweep_how = USUAL(dperm_sweep_options);
    dperm_model *model = NULL;
    dperm_plan plan;
    swept seen = {0};
    for (int prior = 0; prior < 2; prior++) {
      o[1].regularizer =
          (dperm_regularizer){.weights = prior ? NULL : weights, .prior = prior ? weights : NULL};
      assert_fails(dperm_train(data, &o[1], &model, err), DPERM_INVALID_ARGUMENT, words);
      assert_fails(dperm_tune(data, o, 2, &tune_how, &model, err), DPERM_INVALID_ARGUMENT, words);
      assert_fails(dperm_sweep(data, o, 2, &sweep_how, see_cell, &seen, err),
                   DPERM_INVALID_ARGUMENT, words);
      assert_fails(dperm_plan_for_schema(RECORDS, schema, &o[1], &plan, err),
                   DPERM_INVALID_ARGUMENT, words);
    }
    o[1].bins = DPERM_BINS_NONE;
    if (!said) { /* one line */
      assert_ok(dperm_train(data, &o[1], &model, err));
      dperm_model_free(model);
    }
  }
}

/* Cells of one sweep whose columns are not as many, each with directions of its own. */
TEST(kernels_take_the_columns_that_each_cell_has) {
  auto_schema *schema = schema_quoted(SCHEMA(AGE(", 'bins': 'auto'")));
  auto_data *data = records_of(schema, 0);
  dperm_options cells[2] = {at_one(DPERM_BINS_ASK), at_one(DPERM_BINS_ASK)};
  dperm_sweep_options how = USUAL(dperm_sweep_options);
  swept both = {0}, alone = {0};
  how.folds = 2;
  how.draws = 1;
  for (int i = 0; i < 2; i++) {
    cells[i].kernel = (dperm_kernel){.kind = DPERM_KERNEL_GAUSSIAN, .gamma = 1, .features = 8};
    cells[i].epsilon = i ? 10 : 0.1; /* four bins, and sixteen */
  }
  assert_ok(dperm_sweep(data, cells, 2, &how, see_cell, &both, err));
  for (size_t i = 0; i < 2; i++) {
    assert_ok(dperm_sweep(data, &cells[i], 1, &how, see_cell, &alone, err));
    assert_true(both.dims[i] == 8 && both.error[i] == alone.error[0]);
  }
}

/* Without noise nothing else tells the two sweeps apart. */
TEST(the_journal_of_other_bins_is_refused) {
  auto_schema *schema = schema_quoted(SCHEMA(AGE("")));
  auto_data *data = records_of(schema, 0);
  dperm_options cell = at_one(DPERM_BINS_NONE);
  dperm_sweep_options how = USUAL(dperm_sweep_options);
  swept seen = {0};
  auto_file *path = file_with_text("");
  assert_int_equal(unlink(path), 0);
  how.folds = 2;
  how.journal = path;
  cell.mechanism = DPERM_MECHANISM_NONE;
  assert_ok(dperm_sweep(data, &cell, 1, &how, see_cell, &seen, err));
  assert_ok(dperm_sweep(data, &cell, 1, &how, see_cell, &seen, err));
  cell.bins = DPERM_BINS_AUTO;
  assert_fails(dperm_sweep(data, &cell, 1, &how, see_cell, &seen, err), DPERM_INVALID_DATA,
               "not a journal of this sweep");
}

/* They cannot get the bins of the others. */
TEST(rows_to_test_on_that_are_no_records_are_refused) {
  auto_schema *schema = schema_quoted(SCHEMA(AGE("")));
  auto_data *data = records_of(schema, 0), *rows = NULL;
  const double values[] = {0, 1}, labels[] = {-1, 1};
  const dperm_options cell = at_one(DPERM_BINS_AUTO);
  dperm_sweep_options how = USUAL(dperm_sweep_options);
  swept seen = {0};
  assert_ok(dperm_data_from_dense(2, 1, values, labels, 1, &rows, err));
  how.test_data = rows;
  assert_fails(dperm_sweep(data, &cell, 1, &how, see_cell, &seen, err), DPERM_INVALID_DATA,
               "the rows to test on");
  how.test_data = data;
  assert_fails(dperm_sweep(rows, &cell, 1, &how, see_cell, &seen, err), DPERM_INVALID_DATA,
               "the rows to test on");
}
