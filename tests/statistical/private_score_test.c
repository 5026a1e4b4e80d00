/* Private scores: what neighbours can change, the law of what is released, and intervals that cover
 * as often as they say. Seeds are fixed, so nothing here fails now and then; were they not, each
 * test of a frequency would raise a false alarm with probability below 1e-6 (five standard
 * deviations), of some dozen in all. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/owned.h"
#include "dperm/score.h"
#include "random/discrete_sampling.h"
#include "score/error_interval.h"
#include "support.h"

enum { ROWS = 200 };

/* A model of one weight that errs on the rows whose label is not the sign of x. */
static dperm_model *sign_model(const dperm_data *data) {
  dperm_model *model = model_without_noise(data, NULL);
  assert_true(dperm_model_weights(model)[0] > 0);
  return model;
}

/* `counts`: true positives, false positives, false negatives, true negatives. */
static dperm_data *rows_with(const size_t counts[4]) {
  double x[ROWS], labels[ROWS];
  static const double signs[4] = {1, 1, -1, -1}, truths[4] = {1, -1, 1, -1};
  dperm_data *data = NULL;
  size_t n = 0;
  for (int kind = 0; kind < 4; kind++) {
    for (size_t i = 0; i < counts[kind]; i++, n++) {
      x[n] = signs[kind] * 0.5;
      labels[n] = truths[kind];
    }
  }
  assert_ok(dperm_data_from_dense(n, 1, x, labels, 1, &data, err));
  return data;
}

typedef struct setting {
  dperm_data *data;
  dperm_model *model;
} setting;

static int begin(void **state) {
  static const size_t counts[4] = {80, 15, 25, 80};
  setting *s = calloc(1, sizeof *s);
  s->data = rows_with(counts);
  s->model = sign_model(s->data);
  *state = s;
  return 0;
}

static int end(void **state) {
  OWNED_MEMORY setting *s = *state;
  dperm_data_free(s->data);
  dperm_model_free(s->model);
  return 0;
}

static dperm_private_score scored(const setting *s, dperm_score_options *o) {
  dperm_private_score out;
  assert_ok(dperm_model_score_private(s->model, s->data, o, &out, err));
  return out;
}

/* For a public model, with coins of this seed (0: secure ones), for the caller to free. */
static dperm_score_options options_of(double epsilon, uint64_t seed) {
  dperm_score_options o = USUAL(dperm_score_options);
  o.public_model = true;
  o.epsilon = epsilon;
  assert_ok(seed ? dperm_random_seeded(seed, &o.random, err) : DPERM_OK);
  return o;
}

/* ---- the tail of the noise */

/* P(|Y| > t) added up term by term. */
static double tail_by_hand(double rate, int summands, int t) {
  enum { MOST = 400 };
  double q = exp(-rate), c = (1 - q) / (1 + q), inside = 0;
  for (int k = -t; k <= t; k++) {
    if (summands == 1) {
      inside += c * pow(q, abs(k));
    } else {
      for (int j = -MOST; j <= MOST; j++) {
        inside += c * c * pow(q, abs(j) + abs(k - j));
      }
    }
  }
  return 1 - inside;
}

TEST_WITH(the_reach_is_the_smallest_that_covers, begin, end) {
  static const double rates[] = {0.1, 0.35, 1, 3, 20};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    for (int summands = 1; summands <= 2; summands++) {
      double reach = noise_reach(rates[i], summands, 0.05);
      assert_true(tail_by_hand(rates[i], summands, (int)reach) <= 0.05 + 1e-9);
      assert_true(reach == 0 || tail_by_hand(rates[i], summands, (int)reach - 1) > 0.05 - 1e-9);
    }
  }
  assert_true(noise_reach(1e-9, 1, 0.05) > 2.9e9 && noise_reach(1e-9, 1, 0.05) < 3.1e9);
}

/* ---- coverage */

TEST_WITH(intervals_cover_the_rows_own_error_rate, begin, end) {
  const setting *s = *state;
  enum { RUNS = 20000 };
  static const double epsilons[] = {0.05, 0.5, 2};
  dperm_score_options o = options_of(1, 11);
  dperm_metrics exact;
  assert_ok(dperm_model_score(s->model, s->data, &exact, err));
  for (size_t e = 0; e < 6; e++) {
    for (int counts = 0; counts < 2; counts++) {
      o.counts = counts;
      size_t missed = 0, missed_baseline = 0;
      const int runs = e < 3 ? RUNS : RUNS / 4;
      double truth = 40.0 / ROWS, unlikely = 0;
      o.epsilon = epsilons[e % 3];
      o.neighbours = e < 3 ? DPERM_NEIGHBOURS_REPLACE : DPERM_NEIGHBOURS_ADD_REMOVE;
      for (int i = 0; i < runs; i++) {
        dperm_private_score p = scored(s, &o);
        missed += truth < p.low || truth > p.high;
        missed_baseline += exact.baseline < p.baseline_low || exact.baseline > p.baseline_high;
        assert_true(isnan(p.baseline_low) == !counts);
        assert_true(p.low >= 0 && p.low <= p.high && p.high <= 1);
        assert_true((isnan(p.error_rate) && e >= 3) ||
                    (p.low <= p.error_rate && p.error_rate <= p.high));
        assert_true(p.population_low <= p.low && p.population_high >= p.high);
      }
      /* At most 0.05 miss; not many fewer either, where the noise is fine enough to tell and one
       * count has it. */
      unlikely = 5 * sqrt(0.05 * 0.95 / runs);
      assert_true((double)missed / runs <= 0.05 + unlikely);
      assert_true((double)missed_baseline / runs <= 0.05 + unlikely);
      assert_true(e >= 3 || epsilons[e] > 0.5 || (double)missed / runs > 0.02);
    }
  }
  dperm_random_free(o.random);
}

/* Rows drawn from a population whose error probability is known. */
TEST_WITH(population_intervals_cover_where_the_rows_came_from, begin, end) {
  enum { RUNS = 20000, N = 300 };
  static const double truths[] = {0.01, 0.2, 0.5};
  random_source r;
  assert_ok(random_seeded(12, &r, err));
  for (size_t e = 0; e < 3; e++) {
    size_t missed = 0;
    for (int i = 0; i < RUNS; i++) {
      int64_t errors = 0;
      for (int j = 0; j < N; j++) {
        errors += random_unit(&r) < truths[e];
      }
      errors += random_discrete_laplace(&r, ratio_below(0.5));
      const noisy_counts noisy = {errors, 0, N, 0.5, 1};
      error_interval p = population_interval(&noisy);
      missed += truths[e] < p.low || truths[e] > p.high;
    }
    assert_true((double)missed / RUNS <= 0.05);
  }
}

/* The same where how many rows there are is private, few of them and many. */
TEST_WITH(population_intervals_cover_without_the_number_of_rows, begin, end) {
  enum { RUNS = 4000 };
  static const double truths[] = {0.01, 0.2, 0.5, 0.9};
  static const int sizes[] = {10, 300};
  random_source r;
  const ratio rate = ratio_below(0.5);
  assert_ok(random_seeded(15, &r, err));
  for (size_t e = 0; e < 8; e++) {
    size_t missed = 0, empty = 0;
    for (int i = 0; i < RUNS; i++) {
      noisy_counts noisy = {0, 0, 0, ratio_value(rate), 1};
      for (int j = 0; j < sizes[e % 2]; j++) {
        bool wrong = random_unit(&r) < truths[e / 2];
        noisy.errors += wrong;
        noisy.correct += !wrong;
      }
      noisy.errors += random_discrete_laplace(&r, rate);
      noisy.correct += random_discrete_laplace(&r, rate);
      error_interval p = population_interval(&noisy);
      missed += truths[e / 2] < p.low || truths[e / 2] > p.high;
      empty += isnan(noisy_rate(&noisy)) != 0;
      assert_true(p.low >= 0 && p.low < p.high && p.high <= 1);
    }
    assert_true((double)missed / RUNS <= 0.05);
    assert_true(sizes[e % 2] == 10 || empty == 0);
  }
}

/* At the ends: no rows at all, and counts that noise has pushed below zero. The reach is 7 here,
 * P(|Y| > 7) = 0.0227. */
TEST_WITH(intervals_of_nothing_say_nothing, begin, end) {
  static const struct {
    int64_t errors, correct;
    double low, rate, high;
  } list[] = {{0, 0, 0, (double)NAN, 1},
              {-50, -50, 0, (double)NAN, 1},
              {-50, 1, 0, 0, 1},
              {-50, 10, 0, 0, 0},
              {10, -50, 1, 1, 1},
              {1, -50, 0, 1, 1},
              {10, 10, 3.0 / 20, 0.5, 17.0 / 20}};
  assert_true(noise_reach(0.5, 1, 0.025) == 7);
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    const noisy_counts noisy = {list[i].errors, list[i].correct, 0, 0.5, 1};
    const error_interval sample = sample_interval(&noisy), all = population_interval(&noisy);
    double rate = noisy_rate(&noisy);
    assert_true(rate == list[i].rate || (isnan(rate) && isnan(list[i].rate)));
    assert_true(sample.low == list[i].low && sample.high == list[i].high);
    assert_true(all.low <= sample.low && all.high >= sample.high && all.low >= 0 && all.high <= 1);
  }
}

/* ---- the law of what is released */

/* Both counts of an added or removed record have noise of the whole rate, independent of each
 * other, and so have the four. */
TEST_WITH(added_records_are_counted_with_the_whole_rate, begin, end) {
  const setting *s = *state;
  enum { RUNS = 50000 };
  dperm_score_options o = options_of(2, 16);
  o.neighbours = DPERM_NEIGHBOURS_ADD_REMOVE;
  o.rows_per_person = 4;
  double q = exp(-0.5), variance = 2 * q / ((1 - q) * (1 - q));
  for (int counts = 0; counts < 2; counts++) {
    o.counts = counts;
    double errors = 0, correct = 0, both = 0, positives = 0;
    for (int i = 0; i < RUNS; i++) {
      dperm_private_score p = scored(s, &o);
      double y = (double)(p.errors - 40), z = (double)(p.correct - 160);
      errors += y * y / RUNS;
      correct += z * z / RUNS;
      both += y * z / RUNS;
      positives += o.counts ? pow((double)(p.true_positives - 80), 2) / RUNS : variance / RUNS;
      assert_int_equal(p.rows, 0);
    }
    double wanted = o.counts ? 2 * variance : variance, off = 5 * wanted * sqrt(5.0 / RUNS);
    assert_close(errors, wanted, off);
    assert_close(correct, wanted, off);
    assert_close(both, 0, 5 * wanted / sqrt(RUNS));
    assert_close(positives, variance, 5 * variance * sqrt(5.0 / RUNS));
  }
  dperm_random_free(o.random);
}

/* log P(y)/P'(y) of the released error count between neighbours, from many draws. */
TEST_WITH(the_count_follows_discrete_laplace, begin, end) {
  const setting *s = *state;
  enum { RUNS = 200000, WIDE = 6 };
  dperm_score_options o = options_of(1, 13);
  size_t seen[2 * WIDE + 1] = {0};
  for (int i = 0; i < RUNS; i++) {
    int64_t y = scored(s, &o).errors - 40;
    if (y >= -WIDE && y <= WIDE) {
      seen[y + WIDE]++;
    }
  }
  double q = exp(-1), c = (1 - q) / (1 + q);
  for (int y = -WIDE; y <= WIDE; y++) {
    double p = c * pow(q, abs(y)), got = (double)seen[y + WIDE] / RUNS;
    assert_close(got, p, 5 * sqrt(p * (1 - p) / RUNS));
  }
  dperm_random_free(o.random);
}

TEST_WITH(each_count_gets_half_and_a_person_a_share, begin, end) {
  const setting *s = *state;
  enum { RUNS = 50000 };
  dperm_score_options o = options_of(2, 14);
  double spread[2] = {0, 0};
  o.rows_per_person = 4;
  for (int i = 0; i < RUNS; i++) {
    o.counts = true;
    double y = (double)(scored(s, &o).true_positives - 80);
    o.counts = false;
    double z = (double)(scored(s, &o).errors - 40);
    spread[0] += y * y / RUNS;
    spread[1] += z * z / RUNS;
  }
  for (int i = 0; i < 2; i++) { /* the variance is 2q/(1-q)^2, its own error about sqrt(5/RUNS) */
    double q = exp(i ? -0.5 : -0.25), variance = 2 * q / ((1 - q) * (1 - q));
    assert_close(spread[i], variance, 5 * variance * sqrt(5.0 / RUNS));
  }
  dperm_random_free(o.random);
}

/* Every way to replace one record, counted at an epsilon that adds nothing: the error count moves
 * by at most one, the four counts together by at most two. */
TEST_WITH(a_record_moves_the_counts_by_two_at_most, begin, end) {
  const setting *s = *state;
  dperm_score_options o = options_of(1e5, 0);
  o.counts = true;
  for (int from = 0; from < 4; from++) {
    for (int to = 0; to < 4; to++) {
      size_t counts[4] = {80, 15, 25, 80};
      counts[from]--;
      counts[to]++;
      setting neighbour = {rows_with(counts), s->model};
      dperm_private_score a = scored(s, &o), b = scored(&neighbour, &o);
      int64_t moved = llabs(a.true_positives - b.true_positives) +
                      llabs(a.false_positives - b.false_positives) +
                      llabs(a.false_negatives - b.false_negatives) +
                      llabs(a.true_negatives - b.true_negatives);
      assert_int_equal(moved, from == to ? 0 : 2);
      assert_true(llabs(a.errors - b.errors) <= 1);
      dperm_data_free(neighbour.data);
    }
  }
}

/* ---- what is said and what is refused */

TEST_WITH(a_score_says_whether_it_is_private, begin, end) {
  const setting *s = *state;
  dperm_score_options o;
  dperm_private_score p;
  dperm_score_options_init(&o); /* without an epsilon */
  o.public_model = true;
  assert_fails(dperm_model_score_private(s->model, s->data, &o, &p, err), DPERM_INVALID_ARGUMENT,
               "epsilon");
  o.epsilon = 1000;
  p = scored(s, &o);
  assert_true(p.is_private && p.rows == ROWS && p.errors == 40);
  assert_true(p.low == 0.2 && p.high == 0.2 && p.error_rate == 0.2);
  assert_true(p.population_low < 0.2 && p.population_high > 0.2);
  assert_ok(dperm_random_seeded(1, &o.random, err));
  p = scored(s, &o);
  assert_false(p.is_private);
  dperm_random_free(o.random);
  o.random = NULL;
  static const double wrong[] = {0, -1, 1e6, 1e-13};
  for (size_t i = 0; i < 4; i++) {
    o.epsilon = wrong[i];
    assert_fails(dperm_model_score_private(s->model, s->data, &o, &p, err), DPERM_INVALID_ARGUMENT,
                 "epsilon");
  }
  o.epsilon = 1;
  o.rows_per_person = 0;
  assert_fails(dperm_model_score_private(s->model, s->data, &o, &p, err), DPERM_INVALID_ARGUMENT,
               "rows per person");
}
