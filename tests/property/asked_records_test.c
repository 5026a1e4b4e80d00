/* What the records are asked for the default: replacing one record, whatever it is replaced by,
 * moves no score of a shape by more than its reach, nor does adding or removing one, and the
 * lengths of numbers are counted once each; and the answers follow the laws of their noise. Over
 * records that are made up to reach far: values at the ends of their ranges, missing ones,
 * categories that nobody listed, and either label. */
#include <math.h>
#include <string.h>

#include "mechanism/selection.h"
#include "privacy/guarantee.h"
#include "random/discrete_sampling.h"
#include "refine/column_shape.h"
#include "refine/number_scale.h"
#include "schema/resolve_bins.h"
#include "support.h"

enum { ROWS_MOST = 12, NUMBERS = 4, TRIALS = 400, CHOICES = 20000 };

static const char *const schemas[] = {
    /* ranges that begin at zero, and a logarithm */
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

/* All that is counted, and what it adds up to. */
typedef struct counted {
  exact_sum shape, picked; /* the latter from scores that are not below 0 */
  range_score ranges;
  int64_t scores[NUMBERS];
  uint64_t longer[LENGTHS];
} counted;

static counted counted_of(const dperm_schema *wide, const table *t, dperm_neighbours neighbours) {
  auto_data *data = rows_of(wide, t);
  auto_schema *plain = NULL, *cells = NULL, *binned = NULL;
  dperm_data view;
  record_tally tally = {0};
  refine_counts counts = {0};
  counted out;
  line_lengths lengths;
  assert_ok(schema_resolve(wide, false, 100, 1, &plain, err));
  assert_ok(schema_resolve(plain, true, 100, 1, &binned, err));
  assert_ok(refine_cell_schema(plain, true, &cells, err));
  refine_numbers numbers = refine_numbers_of(plain, true, 100, 1);
  assert_int_equal(numbers.counted, 3); /* the fourth has bins of its own */
  numbers.grid = 64;
  lengths.of = plain;
  scale_lengths(3, 4, 2, 1000, lengths.squares);
  for (size_t i = 0; i < LENGTHS; i++) {
    lengths.squares[i] /= pow(cells->min_divisor, 2);
  }
  assert_ok(data_view_open(data, cells, &view, err));
  assert_ok(record_tally_of(&view, NULL, 0, &lengths, &tally, err));
  assert_int_equal(tally.rows, t->rows);
  assert_ok(refine_counts_new(plain, cells, &numbers, &counts, err));
  out.ranges.bins = binned;
  assert_ok(
      shape_statistic(&counts, plain, &tally, neighbours, NULL, &out.ranges, &out.shape, err));
  assert_ok(
      shape_statistic(&counts, plain, &tally, neighbours, out.scores, NULL, &out.picked, err));
  memcpy(out.longer, tally_longer(&tally), sizeof out.longer);
  refine_counts_clear(&counts);
  record_tally_clear(&tally);
  data_view_close(&view);
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

/* Whether the score moved within its reach, which is public: by how much of it; and no count of
 * lengths by more than one, or, with one more record, down. */
static double moved(const counted *a, const counted *b, bool adding) {
  int64_t by = llabs(a->shape.value - b->shape.value);
  assert_int_equal(a->shape.reach, b->shape.reach);
  assert_true(by <= a->shape.reach);
  assert_true(llabs(a->ranges.lost - b->ranges.lost) <= 3 * a->shape.reach);
  assert_true(llabs(a->ranges.told - b->ranges.told) <= a->shape.reach);
  assert_true(a->ranges.lost <= 3 * a->ranges.told); /* flat curves are among those flat in bins */
  assert_true(a->picked.value == (a->shape.value > 0 ? a->shape.value : 0));
  for (size_t j = 0; j < 3; j++) {
    assert_true(llabs(a->scores[j] - b->scores[j]) <= a->shape.reach);
    assert_true(a->scores[j] >= 0 && a->scores[j] <= a->picked.value);
  }
  for (size_t i = 0; i < LENGTHS; i++) {
    int64_t more = (int64_t)(b->longer[i] - a->longer[i]);
    assert_true(more <= 1 && more >= (adding ? 0 : -1));
    assert_true(i == 0 || b->longer[i] >= b->longer[i - 1]);
  }
  return (double)by / (double)a->shape.reach;
}

/* The first record is replaced, or one more comes, from none on. In every other trial all others
 * are alike, which moves the score the most. */
static void check_moves(bool adding, uint64_t seed) {
  const dperm_neighbours kind = adding ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE;
  random_source source = seeded(seed);
  double most = 0;
  for (size_t s = 0; s < sizeof schemas / sizeof *schemas; s++) {
    auto_schema *wide = NULL;
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
      counted a = counted_of(wide, &t, kind);
      make_record(wide, &source, &t, adding ? t.rows++ : 0);
      counted b = counted_of(wide, &t, kind);
      most = fmax(most, moved(&a, &b, adding));
    }
  }
  assert_true(most >= 0.3);
}

TEST(a_record_moves_no_score_beyond_its_reach) {
  check_moves(false, 7);
}

TEST(an_added_record_moves_no_score_beyond_its_reach) {
  check_moves(true, 9);
}

/* The score alone, over cells that hold many: where the reach is nearly reached. */
TEST(no_counts_of_cells_move_further) {
  enum { CELLS = 6 };
  const double middles[CELLS] = {-0.9, -0.5, -0.1, 0.2, 0.6, 0.9};
  random_source source = seeded(12);
  const double cuts[2] = {-0.3, 0.4};
  int64_t most = 0, most_flat = 0;
  double room[3 * CELLS];
  for (size_t trial = 0; trial < 20000; trial++) {
    uint64_t counts[2 * CELLS];
    for (size_t c = 0; c < 2 * CELLS; c++) {
      uint64_t some = random_below(&source, 3);
      counts[c] = random_below(&source, some == 0 ? 2 : some == 1 ? 20 : 3000);
    }
    int64_t before = shape_score(counts, counts + CELLS, middles, CELLS, INT64_MIN, room);
    int64_t above = before + (int64_t)random_below(&source, 600) - 300;
    int64_t stopped = shape_score(counts, counts + CELLS, middles, CELLS, above, room);
    assert_true(before > above ? stopped == before : stopped <= above);
    int64_t flat = flat_score(counts, counts + CELLS, middles, CELLS, cuts, 3, room);
    counts[random_below(&source, 2 * CELLS)]++;
    flat = flat_score(counts, counts + CELLS, middles, CELLS, cuts, 3, room) - flat;
    assert_true(flat >= -592 && flat <= 506);
    most_flat = llabs(flat) > most_flat ? llabs(flat) : most_flat;
    int64_t by = shape_score(counts, counts + CELLS, middles, CELLS, INT64_MIN, room) - before;
    assert_true(by >= -592 && by <= 506);
    most = llabs(by) > most ? llabs(by) : most;
  }
  assert_true(most >= 450 && most_flat >= 450); /* or no test could see a reach that is too small */
}

/* ---- every curve of docs/proofs/bins.md, one after the other */

static double height_at(int which, double z) {
  double steps = floor(fmin(fabs(z) * 32, 1023)), at = (steps + 0.5) / 32;
  double gentle = at / sqrt(1 + at * at), tight = at / sqrt(sqrt(1 + at * at * at * at));
  double height = rint(250 * (which == 0 ? gentle : (gentle + tight) / 2));
  return z < 0 ? -height : height;
}

typedef struct reference {
  const uint64_t *negative, *positive;
  const double *middles;
  size_t cells;
  double least;
} reference;

/* A curve and its mirror image; flat with a slope of 0. */
static void try_curve(reference *r, int which, double slope, double offset, double flat) {
  double sums[2] = {0, 0};
  for (size_t c = 0; c < r->cells; c++) {
    double n = (double)(r->negative[c] + r->positive[c]);
    double s = 256 * ((double)r->positive[c] - (double)r->negative[c]);
    double t = slope > 0 ? height_at(which, slope * (r->middles[c] - offset)) : flat;
    sums[0] += fabs(s - t * n);
    sums[1] += fabs(s + t * n);
  }
  r->least = fmin(r->least, fmin(sums[0], sums[1]));
}

static int64_t reference_score(reference *r) {
  double roots = 0;
  r->least = INFINITY;
  for (size_t c = 0; c < r->cells; c++) {
    roots += floor(205 * sqrt((double)(r->negative[c] + r->positive[c])));
  }
  for (int level = 0; level <= 250; level += 2) {
    try_curve(r, 0, 0, 0, level);
  }
  for (int which = 0; which < 2; which++) {
    double slope = 0.25;
    for (int k = 0; k < 24; k++, slope *= 1.35) {
      try_curve(r, which, slope, 1.5, 0);
      try_curve(r, which, slope, -1.5, 0);
      for (size_t c = 0; c < r->cells; c++) {
        double at = r->middles[c], next = c + 1 < r->cells ? r->middles[c + 1] : 1;
        try_curve(r, which, slope, (at + next) / 2, 0);
        for (int z = which == 1 && slope >= 4 ? -20 : 0; z <= (which == 1 && slope >= 4 ? 20 : 0);
             z++) {
          double away = abs(z) * 0.08 / slope;
          try_curve(r, which, slope, z < 0 ? at - away : at + away, 0);
        }
      }
    }
  }
  return (int64_t)(r->least - roots);
}

/* What is skipped could not have been the nearest. */
TEST(no_curve_is_nearer_than_the_one_found) {
  enum { CELLS = 10 };
  random_source source = seeded(31);
  double room[3 * CELLS], middles[CELLS];
  for (size_t trial = 0; trial < 1500; trial++) {
    const size_t cells = 2 + random_below(&source, CELLS - 1);
    const double at = (double)random_below(&source, 200) / 100 - 1;
    const double steep = exp((double)random_below(&source, 700) / 100 - 1);
    uint64_t counts[2 * CELLS];
    double middle = -1;
    for (size_t c = 0; c < cells; c++) {
      uint64_t all = random_below(&source, trial % 5 == 0 ? 2000 : trial % 5 < 3 ? 30 : 6);
      middle += (double)(1 + random_below(&source, 1000)) / 1001 * 2 / (double)cells;
      middles[c] = fmin(middle, 1);
      double share = trial % 3 == 0   ? 1 / (1 + exp(-steep * (middles[c] - at)))
                     : trial % 3 == 1 ? (double)(middles[c] > at)
                                      : (double)random_below(&source, 100) / 100;
      counts[cells + c] = (uint64_t)((double)all * share);
      counts[c] = all - counts[cells + c];
    }
    reference r = {counts, counts + cells, middles, cells, 0};
    assert_int_equal(shape_score(counts, counts + cells, middles, cells, INT64_MIN, room),
                     reference_score(&r));
  }
}

/* A logistic law of any steepness leaves next to nothing; a band leaves most of it. */
TEST(a_line_has_no_shape_and_a_band_has_one) {
  enum { CELLS = 64, EACH = 1000 };
  double middles[CELLS], room[3 * CELLS];
  uint64_t negative[CELLS], positive[CELLS];
  for (double slope = 0.5; slope < 200; slope *= 1.7) {
    for (double offset = -0.9; offset < 1; offset += 0.3) {
      for (size_t c = 0; c < CELLS; c++) {
        middles[c] = ((double)c + 0.5) / (CELLS / 2) - 1;
        double p = 1 / (1 + exp(-slope * (middles[c] - offset)));
        positive[c] = (uint64_t)(EACH * p);
        negative[c] = EACH - positive[c];
      }
      assert_true(shape_score(negative, positive, middles, CELLS, INT64_MIN, room) <
                  (int64_t)(256 * 0.03 * CELLS * EACH));
    }
  }
  for (size_t c = 0; c < CELLS; c++) {
    positive[c] = c > 20 && c < 40 ? EACH : 0;
    negative[c] = EACH - positive[c];
  }
  assert_true(shape_score(negative, positive, middles, CELLS, INT64_MIN, room) >
              (int64_t)(256 * 0.4 * CELLS * EACH));
}

/* Lemma S: a sample's question has no more than its share. */
TEST(a_sample_may_spend_what_its_coins_allow) {
  for (size_t rows = 100; rows < (size_t)1 << 40; rows *= 3) {
    for (double epsilon = 1e-7; epsilon < 4; epsilon *= 1.9) {
      const record_sample sample = record_sample_for(rows, epsilon);
      const double asked = sample_epsilon(&sample, epsilon);
      if (sample.halvings == 0) {
        assert_true(asked == epsilon);
        continue;
      }
      const long double q = ldexpl(1, -(int)sample.halvings);
      assert_true(log1pl(q * expm1l(asked)) <= (long double)epsilon);
      assert_true(asked > epsilon && asked <= 0.5);
      assert_true(rows >> sample.halvings >> 14 > 0);
      for (double more = epsilon; more < 8; more *= 2) { /* and counts may come on top */
        assert_true(log1pl(q * expm1l(sample_epsilon(&sample, more))) <= (long double)more);
      }
    }
  }
}

/* Every record, and every two of them, by coins of their own. Hoeffding at 1e-9 for all. */
TEST(a_sample_has_each_record_by_its_own_coins) {
  enum { RECORDS = 40, SAMPLES = 40000 };
  const record_sample sample = {.halvings = 2};
  const double off = sqrt(log(2 * 2 * RECORDS / 1e-9) / (2.0 * SAMPLES));
  double alone[RECORDS] = {0}, paired[RECORDS] = {0};
  random_source source = seeded(10);
  for (size_t s = 0; s < SAMPLES; s++) {
    size_t count = 0, *rows = NULL;
    assert_ok(record_sample_draw(&sample, RECORDS, &source, &rows, &count, err));
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
TEST(the_answer_has_the_law_of_its_noise) {
  const int64_t reach = 1098;
  random_source source = seeded(8);
  for (double epsilon = 0.5; epsilon < 5; epsilon *= 3) {
    const double rate = ratio_value(ratio_below(epsilon)) / (double)reach;
    const int64_t bar = (int64_t)shape_bar(reach, 5000, epsilon);
    for (int64_t off = -3000; off <= 3000; off += 1500) {
      const exact_sum shape = {bar + off, reach};
      double yes = 0;
      for (size_t draw = 0; draw < CHOICES; draw++) {
        yes += shape_found(&shape, 5000, epsilon, &source);
      }
      assert_true(fabs(yes / CHOICES - above(off, rate)) <=
                  sqrt(log(2 * 15 / 1e-9) / (2.0 * CHOICES)));
    }
  }
}

/* As far from zero as three scores may be moved, e^ε as often or as seldom. */
TEST(whether_ranges_suffice_has_the_law_of_its_noise) {
  const int64_t reach = 1098, most = 6144; /* 3·.08·256, of 100 records */
  random_source source = seeded(9);
  for (double epsilon = 0.5; epsilon < 5; epsilon *= 3) {
    const double rate = ratio_value(ratio_below(epsilon)) / (double)(3 * reach);
    for (int64_t off = -3000; off <= 3000; off += 1500) {
      const range_score few = {NULL, most - off, INT64_C(1) << 40},
                        half = {NULL, -30000, off - 20000};
      double yes = 0, also = 0;
      for (size_t draw = 0; draw < CHOICES; draw++) {
        yes += ranges_found(&few, reach, 100, epsilon, &source);
        also += ranges_found(&half, reach, 100, epsilon, &source);
      }
      const double wide = sqrt(log(2 * 30 / 1e-9) / (2.0 * CHOICES));
      assert_true(fabs(yes / CHOICES - above(off, rate)) <= wide);
      assert_true(fabs(also / CHOICES - above(off, rate)) <= wide);
    }
  }
}

/* A shape that bins of the range follow, and one that is all within one of them. */
TEST(bins_lose_what_they_do_not_part) {
  enum { CELLS = 64, EACH = 100 };
  const double cuts[3] = {-0.5, 0, 0.5};
  double middles[CELLS], room[3 * CELLS];
  uint64_t negative[CELLS], positive[CELLS];
  for (size_t narrow = 0; narrow < 2; narrow++) {
    for (size_t c = 0; c < CELLS; c++) {
      middles[c] = ((double)c + 0.5) / (CELLS / 2) - 1;
      positive[c] = (narrow ? c >= 20 && c < 28 : c >= 16 && c < 32) ? EACH : 0;
      negative[c] = EACH - positive[c];
    }
    const int64_t told = flat_score(negative, positive, middles, CELLS, NULL, 1, room),
                  lost = flat_score(negative, positive, middles, CELLS, cuts, 4, room);
    assert_true(narrow ? lost == told : lost < 0);
  }
}

/* At a large epsilon the weight is the one whose interval has the median, from either end on. */
TEST(the_scale_is_that_of_the_median_record) {
  random_source source = seeded(11);
  for (size_t columns = 1; columns < 200; columns *= 3) {
    double lengths[LENGTHS];
    scale_lengths(columns, columns + 2, 2, 1000, lengths);
    for (size_t wanted = 0; wanted < SCALES; wanted++) {
      double norm =
          sqrt(lengths[wanted < LENGTHS ? wanted : LENGTHS - 1]) * (wanted < LENGTHS ? 1.2 : 0.5);
      uint64_t longer[LENGTHS];
      for (size_t i = 0; i < LENGTHS; i++) { /* 60 of 100 have this norm, 20 none, 20 a large one */
        longer[i] = 20 + (norm * norm >= lengths[i] ? 60 : 0);
      }
      assert_int_equal(select_crossing(&source, longer, LENGTHS, 100,
                                       (share_of_all){1, SCALE_PARTS}, DPERM_NEIGHBOURS_REPLACE,
                                       1000),
                       wanted);
    }
  }
}

/* At a large epsilon the columns that have a shape are chosen, up to as many as there may be, and
 * no other; the first whatever its score. At a tiny one each is as likely to be the first. */
TEST(columns_with_a_shape_are_chosen) {
  enum { COLUMNS = 6, REACH = 1000, DRAWS = 3000 };
  const int64_t scores[COLUMNS] = {100, 90000, 0, 400000, 200000, 30};
  random_source source = seeded(41);
  size_t first[COLUMNS] = {0};
  for (size_t most = 1; most <= 4; most++) {
    bool picked[COLUMNS] = {false};
    assert_ok(shape_pick(scores, COLUMNS, REACH, 100, most, 1, &source, picked, err));
    assert_true(picked[3] && picked[4] == (most > 1) && picked[1] == (most > 2));
    assert_true(!picked[0] && !picked[2] && !picked[5]);
  }
  assert_true(shape_many(scores, COLUMNS, REACH, 100, 1, &source));
  assert_false(shape_many(scores, COLUMNS, REACH, 60000, 1, &source)); /* below its bar */
  for (size_t i = 0; i < DRAWS; i++) {
    bool picked[COLUMNS] = {false};
    assert_ok(shape_pick(scores, COLUMNS, REACH, 100, 1, 1e-9, &source, picked, err));
    for (size_t j = 0; j < COLUMNS; j++) {
      first[j] += picked[j];
    }
  }
  for (size_t j = 0; j < COLUMNS; j++) { /* 500 each on average; one deviation is 20 */
    assert_in_range(first[j], 400, 600);
  }
}
