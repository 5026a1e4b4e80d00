/* A pair of columns and its table: what records add and how far one can move it
 * (docs/proofs/pairs.md), the choice, what cells add to scores. */
#include "mechanism/pair_table.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "dperm/plan.h"
#include "reference.h"

enum { SOME = 64 };

static const dperm_neighbours both[] = {DPERM_NEIGHBOURS_REPLACE, DPERM_NEIGHBOURS_ADD_REMOVE};

static void residuals(const dperm_loss *loss, size_t rows, const double *scores,
                      const double *labels, const double *shares, int32_t *slopes,
                      int32_t *curvatures) {
  double room[4 * SOME];
  pair_residuals(loss, rows, scores, labels, shares, room, slopes, curvatures);
}

/* Whatever scores and shares there are; and each alone is what it is among others. */
TEST(a_record_adds_what_it_adds_alone_and_never_too_much) {
  static const double odd[] = {0, 1e-310, 1e300, -1e308, INFINITY, -INFINITY, NAN};
  random_source r;
  assert_ok(random_seeded(5, &r, err));
  for (size_t round = 0; round < repetitions(300, 3000); round++) {
    dperm_loss loss;
    double scores[SOME], labels[SOME], shares[SOME];
    int32_t slopes[SOME], curvatures[SOME], slope, curvature;
    assert_ok(dperm_loss_by_name(dperm_loss_name(round % 3), 0.1 + random_unit(&r), &loss, err));
    for (size_t i = 0; i < SOME; i++) {
      scores[i] = i % 4 ? 20 * (random_unit(&r) - 0.5) : odd[random_below(&r, 7)];
      labels[i] = random_below(&r, 2) ? 1 : -1;
      shares[i] = random_unit(&r);
    }
    residuals(&loss, SOME, scores, labels, round % 2 ? shares : NULL, slopes, curvatures);
    for (size_t i = 0; i < SOME; i++) {
      assert_in_range(abs(slopes[i]), 0, PAIR_SLOPE);
      assert_in_range(curvatures[i], 0, PAIR_CURVATURE);
      assert_true(slopes[i] * (int)labels[i] >= 0); /* towards its own class */
      residuals(&loss, 1, scores + i, labels + i, round % 2 ? shares + i : NULL, &slope,
                &curvature);
      assert_int_equal(slope, slopes[i]);
      assert_int_equal(curvature, curvatures[i]);
    }
  }
}

TEST(residuals_are_slopes_and_curvatures) {
  const dperm_loss loss = dperm_loss_logistic();
  const double scores[] = {0, 1, -2}, labels[] = {1, 1, -1}, shares[] = {1, 0.5, 1};
  int32_t slopes[3], curvatures[3];
  residuals(&loss, 3, scores, labels, shares, slopes, curvatures);
  for (size_t i = 0; i < 3; i++) {
    double s = 1 / (1 + exp(labels[i] * scores[i]));
    assert_close(slopes[i], labels[i] * shares[i] * s * PAIR_SLOPE, 0.5 + 1e-9);
    assert_close(curvatures[i], shares[i] * 4 * s * (1 - s) * PAIR_CURVATURE, 0.5 + 1e-9);
  }
}

/* Of three pairs the one with the longest sums, whatever their signs, is chosen at a large epsilon;
 * at a tiny one each is, about as often as any other. */
TEST(the_pair_with_the_longest_sums_is_chosen) {
  int64_t sums[3 * PAIR_CELLS] = {0};
  size_t costs[3], order[3], chosen[3] = {0};
  random_source r;
  assert_ok(random_seeded(6, &r, err));
  sums[0] = 300 * PAIR_SLOPE;
  sums[PAIR_CELLS] = -200 * PAIR_SLOPE;
  sums[PAIR_CELLS + 7] = 200 * PAIR_SLOPE;
  sums[3 * PAIR_CELLS - 1] = -390 * PAIR_SLOPE;
  for (size_t i = 0; i < 300; i++) {
    assert_int_equal(pair_choose(&r, sums, 3, both[i % 2], 50, costs, order), 1);
    chosen[pair_choose(&r, sums, 3, both[i % 2], 1e-9, costs, order)]++;
  }
  for (size_t p = 0; p < 3; p++) { /* each 100 on average; 8.2 is one deviation */
    assert_in_range(chosen[p], 50, 150);
  }
}

/* Noise of the stated scale in every cell: its mean size is s for each of the two kinds of sums. */
TEST(every_sum_of_the_table_has_its_noise) {
  enum { DRAWS = 4000 };
  random_source r;
  assert_ok(random_seeded(7, &r, err));
  for (size_t n = 0; n < 2; n++) {
    const double epsilon = 0.5, scale = (n ? 1280 : 2560) / epsilon;
    double slopes[PAIR_CELLS] = {0}, curvatures[PAIR_CELLS] = {0};
    for (size_t i = 0; i < DRAWS; i++) {
      cell_sums sums = {{0}, {0}};
      pair_blur(&r, &sums, both[n], epsilon);
      for (size_t c = 0; c < PAIR_CELLS; c++) {
        slopes[c] += fabs((double)sums.slope[c]) / DRAWS / scale;
        curvatures[c] += fabs((double)sums.curvature[c]) / DRAWS / scale;
      }
    }
    for (size_t c = 0; c < PAIR_CELLS; c++) { /* deviation 1/63; seeds are fixed */
      assert_close(slopes[c], 1, 0.08);
      assert_close(curvatures[c], 1, 0.08);
    }
  }
}

TEST(cells_add_steps_that_noise_did_not_make) {
  const dperm_loss loss = dperm_loss_logistic();
  const double epsilon = 1, scale = 2560.0 / PAIR_SLOPE / epsilon;
  const size_t parts[2] = {2, 3};
  double offsets[PAIR_CELLS];
  cell_sums noisy = {{0}, {0}};
  for (size_t c = 0; c < PAIR_CELLS; c++) {
    noisy.curvature[c] = 1000 * PAIR_CURVATURE;
    noisy.slope[c] = (int64_t)(1.5 * scale * PAIR_SLOPE); /* which noise makes */
  }
  pair_offsets(&noisy, parts, &loss, DPERM_NEIGHBOURS_REPLACE, epsilon, offsets);
  for (size_t c = 0; c < PAIR_CELLS; c++) {
    assert_true(offsets[c] == 0);
  }
  noisy.slope[PAIR_PARTS + 2] = -100 * PAIR_SLOPE;
  noisy.slope[1] = 1000000 * (int64_t)PAIR_SLOPE;
  noisy.curvature[0] = INT64_MIN / 2;
  pair_offsets(&noisy, parts, &loss, DPERM_NEIGHBOURS_REPLACE, epsilon, offsets);
  for (size_t c = 0; c < PAIR_CELLS; c++) {
    const double part = 1 - 4 * pow(scale / 100, 2), step = part * -100 / (250 + scale / 2 + 0.25);
    assert_close(offsets[c], c == 1 ? 2 : c == PAIR_PARTS + 2 ? step : 0, 0.5 / 1024 + 1e-12);
    assert_true(fmod(offsets[c] * 1024, 1) == 0);
  }
}

/* What a plan says that pairs have of epsilon. */
static double planned(const dperm_plan_rows *of, const dperm_options *options) {
  char *report = NULL;
  json_error_t trouble;
  assert_ok(dperm_plan_report(of, options, &report, err));
  json_auto_t *json = json_loads(report, 0, &trouble);
  dperm_text_free(report);
  return json_number_value(json_object_get(json, "epsilon_pairs"));
}

/* Nobody promises that another's loss makes of a margin the same bits among any others. */
TEST(a_loss_of_the_callers_own_has_no_pairs) {
  static const char text[] =
      "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": [\"0\"]}, "
      "\"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 1}, "
      "{\"name\": \"b\", \"type\": \"numeric\", \"min\": 0, \"max\": 1}]}";
  auto_schema *schema = NULL;
  dperm_options options;
  char *report = NULL;
  assert_ok(dperm_schema_parse(text, sizeof text - 1, "schema", &schema, err));
  const dperm_plan_rows of = {.rows = 100000, .schema = schema};
  dperm_options_init(&options);
  options.epsilon = 1;
  assert_close(planned(&of, &options), 0.018, 1e-12);
  options.loss.name = "own";
  options.loss.eval = scaled_eval;
  options.loss.context = &(double){1};
  assert_true(planned(&of, &options) == 0);
  options.pairs = 0.1;
  assert_fails(dperm_plan_report(&of, &options, &report, err), DPERM_INVALID_ARGUMENT,
               "with a loss of dperm's own; leave pairs out");
}
