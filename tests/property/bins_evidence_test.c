/* What the records' choice between lines and bins rests on: replacing one record, whatever it is
 * replaced by, moves neither sum by more than its reach, nor does adding or removing one; and the
 * choice follows the law of the noise. Both over records that are made up to reach far: values at
 * the ends of their ranges, missing ones, categories that nobody listed, and either label. */
#include <math.h>
#include <string.h>

#include "privacy/guarantee.h"
#include "random/discrete_sampling.h"
#include "refine/bins_evidence.h"
#include "schema/resolve_bins.h"
#include "support.h"

enum { ROWS_MOST = 12, NUMBERS = 4, TRIALS = 400, CHOICES = 20000 };

static const char *const schemas[] = {
    /* no entry below zero, so rows are closer to each other */
    "{\"label\":{\"column\":\"y\",\"positive\":[\"1\"],\"negative\":[\"0\"]},\"intercept\":true,"
    "\"columns\":[{\"name\":\"a\",\"type\":\"numeric\",\"min\":0,\"max\":10},"
    "{\"name\":\"b\",\"type\":\"numeric\",\"min\":0,\"max\":5000},"
    "{\"name\":\"c\",\"type\":\"numeric\",\"min\":1,\"max\":90,\"transform\":\"log1p\"},"
    "{\"name\":\"d\",\"type\":\"numeric\",\"min\":0,\"max\":1,\"bins\":4}]}",
    /* without an intercept a row may be empty; entries of both signs */
    "{\"label\":{\"column\":\"y\",\"positive\":[\"1\"],\"negative\":[\"0\"]},"
    "\"columns\":[{\"name\":\"a\",\"type\":\"numeric\",\"min\":-10,\"max\":20},"
    "{\"name\":\"b\",\"type\":\"numeric\",\"min\":-900,\"max\":5000,\"weight\":3},"
    "{\"name\":\"c\",\"type\":\"numeric\",\"min\":1,\"max\":2,\"scale\":\"center\"},"
    "{\"name\":\"d\",\"type\":\"numeric\",\"min\":0,\"max\":1,\"bins\":4,\"line\":1}]}",
    /* bins, a line, missing values as levels of their own, and pairs of them */
    "{\"label\":{\"column\":\"y\",\"positive\":[\"1\"],\"negative\":[\"0\"]},"
    "\"on_missing\":\"category\",\"crosses\":[[\"d\",\"e\"]],"
    "\"columns\":[{\"name\":\"a\",\"type\":\"numeric\",\"min\":0,\"max\":10,\"weight\":7},"
    "{\"name\":\"b\",\"type\":\"numeric\",\"min\":0,\"max\":5000},"
    "{\"name\":\"c\",\"type\":\"numeric\",\"min\":0,\"max\":90},"
    "{\"name\":\"d\",\"type\":\"numeric\",\"min\":0,\"max\":1,\"bins\":\"auto\",\"line\":0.5},"
    "{\"name\":\"e\",\"type\":\"categorical\",\"values\":[\"0\",\"1\"]}]}",
    /* rows that are all divided by the same number; a category that is a row of zeros */
    "{\"label\":{\"column\":\"y\",\"positive\":[\"1\"],\"negative\":[\"0\"]},\"rows\":\"fixed\","
    "\"columns\":[{\"name\":\"a\",\"type\":\"numeric\",\"min\":-10,\"max\":20,\"weight\":5},"
    "{\"name\":\"b\",\"type\":\"numeric\",\"min\":-1,\"max\":5000,\"weight\":5},"
    "{\"name\":\"c\",\"type\":\"numeric\",\"min\":1,\"max\":2,\"scale\":\"center\",\"weight\":5},"
    "{\"name\":\"d\",\"type\":\"numeric\",\"min\":0,\"max\":1,\"bins\":[0.5],\"weight\":0.5},"
    "{\"name\":\"e\",\"type\":\"categorical\",\"values\":[\"0\",\"1\"],"
    "\"reference\":\"0\",\"weight\":0.5}]}"};

typedef struct table {
  size_t rows;
  double values[NUMBERS][ROWS_MOST]; /* NaN: missing */
  int32_t categories[ROWS_MOST];     /* of a fifth column, where there is one */
  int32_t labels[ROWS_MOST];
} table;

static dperm_data *rows_of(const dperm_schema *schema, const table *t) {
  static const char *const texts[] = {"0", "1"};
  static const char *const kinds[] = {"0", "1", "", "unheard of"};
  dperm_column columns[NUMBERS + 1];
  const dperm_column labels = {.codes = t->labels, .texts = texts, .text_count = 2};
  dperm_data *data = NULL;
  for (size_t c = 0; c < NUMBERS; c++) {
    columns[c] = (dperm_column){.numbers = t->values[c]};
  }
  columns[NUMBERS] = (dperm_column){.codes = t->categories, .texts = kinds, .text_count = 4};
  assert_ok(dperm_data_from_table(schema, t->rows, columns, &labels, &data, err));
  return data;
}

/* All that is summed up of the records under their schema with such bins. */
static evidence_sums sums_under(const dperm_data *data, bool all, size_t rows,
                                dperm_schema **schema) {
  evidence_sums out = {0};
  dperm_data view;
  assert_ok(schema_resolve(data->schema, all, rows, 1, schema, err));
  assert_ok(data_view_open(data, *schema, &view, err));
  assert_ok(evidence_sums_of(&view, NULL, 0, &out, err));
  data_view_close(&view);
  return out;
}

/* All that is counted, and what it adds up to. */
typedef struct counted {
  class_distance lines, bins;
  bins_evidence evidence;
} counted;

static counted counted_of(const dperm_schema *wide, const table *t, evidence_scope scope) {
  auto_data *data = rows_of(wide, t);
  auto_schema *plain = NULL, *fine = NULL, *coarse = NULL;
  evidence_sums lines = sums_under(data, false, 0, &plain),
                finest = sums_under(data, true, 0, &fine),
                coarsest = sums_under(data, true, 1, &coarse);
  counted out;
  fullest_bins fullest = {0};
  fullest_bins_add(&finest, plain, false, &fullest);
  fullest_bins_add(&coarsest, plain, true, &fullest);
  assert_ok(class_distance_of(&lines, &scope, &out.lines, err));
  assert_ok(class_distance_of(&coarsest, &scope, &out.bins, err));
  assert_int_equal(fullest.columns, 3); /* the fourth has bins of its own */
  out.evidence = bins_evidence_of(&fullest, t->rows, &scope, &out.lines, &out.bins);
  evidence_sums_clear(&lines);
  evidence_sums_clear(&finest);
  evidence_sums_clear(&coarsest);
  return out;
}

static void make_record(const dperm_schema *wide, random_source *source, table *t, size_t row) {
  for (size_t c = 0; c < NUMBERS; c++) {
    const schema_column *column = &wide->columns[c];
    uint64_t kind = random_below(source, 4);
    double part = (double)random_below(source, 1001) / 1000;
    t->values[c][row] = kind == 0   ? (double)NAN
                        : kind == 1 ? column->min
                        : kind == 2 ? column->max
                                    : column->min + part * (column->max - column->min);
  }
  t->categories[row] = (int32_t)random_below(source, 4);
  t->labels[row] = (int32_t)random_below(source, 2);
}

/* Whether a sum moved within its reach, which is public: by how much of it. */
static double moved(exact_sum a, exact_sum b) {
  int64_t by = llabs(a.value - b.value);
  assert_int_equal(a.reach, b.reach);
  assert_true(by <= a.reach);
  return (double)by / (double)a.reach;
}

/* The first record is replaced, or one more comes, from none on. In every other trial all others
 * are alike, which moves the classes the most. */
static void check_moves(bool adding, uint64_t seed) {
  random_source source = seeded(seed);
  for (size_t s = 0; s < sizeof schemas / sizeof *schemas; s++) {
    auto_schema *wide = NULL;
    double most[3] = {0};
    assert_ok(dperm_schema_parse(schemas[s], strlen(schemas[s]), "test", &wide, err));
    for (size_t trial = 0; trial < TRIALS; trial++) {
      const size_t like = !adding; /* the first of those that are alike */
      table t = {.rows = adding ? random_below(&source, ROWS_MOST)
                                : 2 + random_below(&source, ROWS_MOST - 1)};
      for (size_t i = 0; i < t.rows; i++) {
        make_record(wide, &source, &t, i);
        for (size_t c = 0; trial % 2 && i > like && c < NUMBERS; c++) {
          t.values[c][i] = t.values[c][like];
          t.categories[i] = t.categories[like];
          t.labels[i] = t.labels[like];
        }
      }
      const evidence_scope scope = {adding, adding ? (size_t)1 << 28 : t.rows};
      counted a = counted_of(wide, &t, scope);
      make_record(wide, &source, &t, adding ? t.rows++ : 0);
      counted b = counted_of(wide, &t, scope);
      most[0] = fmax(most[0], moved(a.evidence.crowding, b.evidence.crowding));
      most[1] = fmax(most[1], moved(a.lines.apart, b.lines.apart));
      most[2] = fmax(most[2], moved(a.bins.apart, b.bins.apart));
      (void)moved(a.evidence.separation, b.evidence.separation);
    }
    for (size_t i = 0; i < 3; i++) {
      assert_true(most[i] >= 0.6); /* or the test could not see a reach that is too small */
    }
  }
}

TEST(a_record_moves_no_sum_beyond_its_reach) {
  check_moves(false, 7);
}

TEST(an_added_record_moves_no_sum_beyond_its_reach) {
  check_moves(true, 9);
}

/* A row beyond the norm that the reach is made for ends it, though each of its entries is within;
 * so does one with two entries among the bins of a column. */
TEST(rows_that_the_reach_is_not_made_for_end_it) {
  const size_t starts[] = {0, 4, 8, 10};
  const uint32_t at[] = {0, 1, 2, 3, 0, 1, 2, 3, 4, 6};
  const double values[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.502, 0.1, 0.1};
  const double labels[] = {-1, 1, 1};
  static const struct {
    size_t first, rows;
    const char *trouble;
  } cases[] = {{0, 1, NULL}, {0, 2, "public bounds"}, {1, 1, "public bounds"}, {2, 1, "twice"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const size_t rows = cases[i].rows, first = cases[i].first;
    dperm_schema *wide = NULL;
    auto_data *data = NULL;
    evidence_sums sums = {0};
    class_distance out;
    assert_ok(dperm_schema_parse(schemas[1], strlen(schemas[1]), "test", &wide, err));
    assert_int_equal(dperm_schema_dims(wide), 8);
    assert_ok(
        dperm_data_from_csr(rows, 8, starts + first, at, values, labels + first, 2, &data, err));
    data->schema = wide;
    data->bounds = wide->bounds;
    if (cases[i].trouble) {
      assert_fails(evidence_sums_of(data, NULL, 0, &sums, err), DPERM_NUMERIC_ERROR,
                   cases[i].trouble);
    } else {
      const evidence_scope scope = {false, rows}, less = {true, rows - 1};
      assert_ok(evidence_sums_of(data, NULL, 0, &sums, err));
      assert_ok(class_distance_of(&sums, &scope, &out, err));
      assert_fails(class_distance_of(&sums, &less, &out, err), DPERM_NUMERIC_ERROR,
                   "more records than");
    }
    evidence_sums_clear(&sums);
  }
}

/* Lemma S: a sample's question has no more than its share. */
TEST(a_sample_may_spend_what_its_coins_allow) {
  for (size_t rows = 100; rows < (size_t)1 << 40; rows *= 3) {
    for (double epsilon = 1e-7; epsilon < 4; epsilon *= 1.9) {
      const evidence_sample sample = evidence_sample_for(rows, epsilon);
      if (sample.halvings == 0) {
        assert_true(sample.epsilon == epsilon);
        continue;
      }
      const long double q = ldexpl(1, -(int)sample.halvings);
      assert_true(log1pl(q * expm1l(sample.epsilon)) <= (long double)epsilon);
      assert_true(sample.epsilon > epsilon && sample.epsilon <= 0.25);
      assert_true(rows >> sample.halvings >> 13 > 0);
    }
  }
}

/* Every record, and every two of them, by coins of their own. Hoeffding at 1e-9 for all. */
TEST(a_sample_has_each_record_by_its_own_coins) {
  enum { RECORDS = 40, SAMPLES = 40000 };
  const evidence_sample sample = {.halvings = 2};
  const double off = sqrt(log(2 * 2 * RECORDS / 1e-9) / (2.0 * SAMPLES));
  double alone[RECORDS] = {0}, paired[RECORDS] = {0};
  random_source source = seeded(10);
  for (size_t s = 0; s < SAMPLES; s++) {
    size_t count = 0, *rows = NULL;
    assert_ok(evidence_draw(&sample, RECORDS, &source, &rows, &count, err));
    for (size_t i = 0; i < count; i++) {
      alone[rows[i]]++;
      paired[rows[i]] += i > 0 && rows[i - 1] + 1 == rows[i];
    }
    free(rows);
  }
  for (size_t i = 0; i < RECORDS; i++) {
    assert_true(fabs(alone[i] / SAMPLES - 0.25) <= off);
    assert_true(i == 0 || fabs(paired[i] / SAMPLES - 0.0625) <= off);
  }
}

/* P(value + Y > 0) for P(Y = y) ~ exp(−|y|·rate). */
static double above(int64_t value, double rate) {
  double q = exp(-rate);
  return value > 0 ? 1 - exp(-rate * (double)value) / (1 + q)
                   : exp(-rate * (double)(1 - value)) / (1 + q);
}

/* Hoeffding at 1e-9 for all of them, and the seed is fixed. */
TEST(the_choice_has_the_law_of_its_noise) {
  static const bins_evidence cases[] = {{{0, 60}, {0, 400000}},
                                        {{60, 60}, {400000, 400000}},
                                        {{-30, 60}, {900000, 400000}},
                                        {{300, 60}, {-200000, 400000}}};
  random_source source = seeded(8);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (double epsilon = 0.5; epsilon < 5; epsilon *= 3) {
      double share = ratio_value(ratio_below(epsilon_share(epsilon, 5))), yes = 0;
      double wanted =
          above(cases[i].crowding.value, share / (double)cases[i].crowding.reach) *
          above(cases[i].separation.value, 4 * share / (double)cases[i].separation.reach);
      for (size_t draw = 0; draw < CHOICES; draw++) {
        yes += bins_wanted(&cases[i], epsilon, &source);
      }
      assert_true(fabs(yes / CHOICES - wanted) <= sqrt(log(2 * 12 / 1e-9) / (2.0 * CHOICES)));
    }
  }
}
