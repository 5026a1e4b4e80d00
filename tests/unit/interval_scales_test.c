/* Draws of scales: a number's variance has the law of quadrature, however much noise is in it, its
 * correlations follow, and the curvature that a value's own records lose is the loss's. */
#include "intervals/interval_scales.h"

#include <math.h>

#include "intervals/correlations.h"
#include "support.h"

enum { NUMBER, BIT, FIRST, SECOND, COLUMNS };

typedef struct example {
  interval_group groups[3];
  interval_design design;
  interval_law law;
} example;

static void open_example(example *e) {
  *e = (example){.design = {.group_count = 3, .columns = COLUMNS, .logistic = true},
                 .groups = {{INTERVAL_NUMBER, NUMBER, 1, 0, 1, -1},
                            {INTERVAL_BIT, BIT, 1, 1, 1, 0},
                            {INTERVAL_BLOCK, FIRST, 2, 2, 1, 0}}};
  e->design.groups = e->groups;
  assert_ok(interval_law_new(&e->design, &e->law, err));
  e->law.h0 = 0.2;
  for (size_t j = 0; j < COLUMNS; j++) {
    e->design.group_of[j] = j < FIRST ? j : 2;
    e->law.scale[j] = e->law.variance[j] = 0.02;
    e->law.doubt[j] = 0.001;
  }
  e->law.rest[FIRST] = 0.3;
  e->law.rest_doubt[FIRST] = 0.01;
}

/* The part of a number's law below `cut`, with log v from `least` to `most`. */
static double part_below(double cut, double seen, double doubt, double least, double most) {
  enum { PARTS = 100000 };
  double below = 0, all = 0;
  for (int i = 0; i < PARTS; i++) {
    const double v = least * pow(most / least, (i + 0.5) / PARTS),
                 p = exp(-(v - seen) * (v - seen) / (2 * doubt * doubt));
    all += p;
    below += v < cut ? p : 0;
  }
  return below / all;
}

/* 40,000 draws: .01 is four deviations, and the steps of the grid are within it. */
TEST(a_number_has_the_law_of_quadrature) {
  static const double cases[][2] = {
      {0.02, 1e-5}, {0.02, 0.001}, {0.02, 0.008}, {0.02, 0.04}, {1e-4, 0.01}};
  enum { DRAWS = 40000 };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const double seen = cases[k][0], doubt = cases[k][1];
    double scale[COLUMNS], rest[COLUMNS], by[COLUMNS];
    size_t below[3] = {0};
    example e;
    random_source source;
    open_example(&e);
    e.law.scale[NUMBER] = e.law.variance[NUMBER] = seen;
    e.law.doubt[NUMBER] = doubt;
    assert_ok(random_seeded(k + 1, &source, err));
    for (size_t i = 0; i < DRAWS; i++) {
      interval_scales_draw(&e.law, &source, scale, rest, by);
      assert_true(scale[NUMBER] > 0 && scale[NUMBER] <= 0.2);
      assert_close(by[NUMBER] * by[NUMBER] * scale[NUMBER], seen, 1e-12);
      for (int c = 0; c < 3; c++) {
        below[c] += scale[NUMBER] < seen + (c - 1) * fmin(doubt, seen / 2);
      }
    }
    const double least = fmin(4e-4 * 0.2, seen / 2), most = fmin(0.2, seen + 5 * doubt);
    for (int c = 0; c < 3; c++) {
      const double wanted =
          part_below(seen + (c - 1) * fmin(doubt, seen / 2), seen, doubt, least, most);
      assert_close((double)below[c] / DRAWS, wanted, 0.02);
    }
    interval_law_free(&e.law);
  }
}

TEST(bits_and_values_are_near_what_was_released) {
  double scale[COLUMNS], rest[COLUMNS], by[COLUMNS];
  example e;
  random_source source;
  open_example(&e);
  assert_ok(random_seeded(1, &source, err));
  for (size_t i = 0; i < 1000; i++) {
    interval_scales_draw(&e.law, &source, scale, rest, by);
    for (size_t j = BIT; j < COLUMNS; j++) {
      assert_close(scale[j], 0.02, 0.008); /* six deviations */
      assert_true(by[j] == 1);
    }
    assert_close(rest[FIRST], 0.3, 0.08);
  }
  interval_law_free(&e.law);
}

/* A smaller variance makes what was released of its pairs larger, with its noise, each time from
 * what was released. */
TEST(correlations_follow_the_scales) {
  const double by[COLUMNS] = {3, 1, 1, 1}, none[COLUMNS] = {1, 1, 1, 1};
  example e;
  correlations c;
  open_example(&e);
  for (size_t i = 0; i < COLUMNS * COLUMNS; i++) {
    e.law.pair[i] = i % (COLUMNS + 1) == 0 ? 1 : 0.1;
    e.law.pair_noise[i] = 0.05;
  }
  assert_ok(correlations_open(&e.law, &c, err));
  for (int round = 0; round < 2; round++) {
    correlations_rescale(&c, by);
    for (size_t k = 0; k < c.count; k++) {
      const double times = c.pairs[k].at / COLUMNS == NUMBER ? 3 : 1;
      assert_close(c.pairs[k].rho, 0.1 * times, 1e-12);
      assert_close(sqrt(c.pairs[k].variance), 0.05 * times, 1e-12);
    }
  }
  correlations_rescale(&c, none);
  assert_close(c.pairs[0].rho, 0.1, 1e-12);
  correlations_close(&c);
  interval_law_free(&e.law);
}

static double curvature(double score) {
  return 1 / (2 + exp(score) + exp(-score));
}

TEST(a_value_loses_the_curvature_of_its_way) {
  static const double cases[][2] = {{0, 1}, {2, 1.5}, {2, -1.5}, {-3, 0.4}, {1, 0}, {40, 1}};
  example e;
  open_example(&e);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const double score = fmin(cases[k][0], 15), step = fmax(fabs(cases[k][1]), 1e-3);
    double sum = 0;
    for (int i = 0; i < 1000; i++) {
      sum += curvature(score + copysign(step, cases[k][1]) * (i + 0.5) / 1000) / 1000;
    }
    const double left = interval_curvature_left(&e.law, BIT, cases[k][0], cases[k][1]);
    assert_close(left / (sum / curvature(score)), 1, 1e-4);
    assert_true(interval_curvature_left(&e.law, NUMBER, cases[k][0], cases[k][1]) == 1);
  }
  assert_close(interval_curvature_left(&e.law, FIRST, 1, 9),
               interval_curvature_left(&e.law, FIRST, 1, 2), 1e-12);
  e.design.logistic = false;
  assert_true(interval_curvature_left(&e.law, BIT, 2, 1) == 1);
  interval_law_free(&e.law);
}
