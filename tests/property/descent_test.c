/* Noisy descent (docs/proofs/descent.md): what a plan promises of a step, what one record does to a
 * sum, and the additions that its rounding is bounded by. */
#include <math.h>
#include <string.h>

#include "any_numbers.h"
#include "data/dataset.h"
#include "loss/link.h"
#include "mechanism/delta_rule.h"
#include "mechanism/mechanism.h"
#include "random/discrete_sampling.h"
#include "solve/certify.h"
#include "support.h"

/* S and μ anew, in more precision; and the claim at that μ. */
TEST(a_plan_has_the_noise_that_its_steps_need) {
  random_source r = seeded(81);
  int tried = 0;
  for (int i = 0; i < 400; i++) {
    const dperm_loss loss = softmax_loss(3 + random_bits(&r) % 60);
    public_numbers g = gaussian_numbers(&r, &loss, 1 + (size_t)(random_bits(&r) % 300));
    bool adding = i % 2 == 0;
    privacy_plan plan;
    g.mechanism = DPERM_MECHANISM_DESCENT;
    g.lambda = g.delta_reg = (double)NAN;
    g.neighbours = adding ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE;
    g.rows_most = (size_t)1 << 28;
    if (privacy_plan_make(&g, &plan, NULL) != DPERM_OK) {
      continue; /* noise that rounding would be seen through */
    }
    const long double s = 0x1p26L, range = (adding ? 1 : 2) * 0.7L * g.bounds.norm2;
    const long double weights = (long double)(g.dims * softmax_classes(&loss));
    const descent_terms terms = {.loss = &loss,
                                 .rows_most = adding ? g.rows_most : g.rows,
                                 .dims = g.dims,
                                 .norm = g.bounds.norm2,
                                 .shared = g.shared,
                                 .gradients = adding ? 1 : 2};
    const long double error = descent_sum_error(&terms, plan.descent.furthest);
    const long double apart = (range + 2 * error) / plan.descent.grid + sqrtl(weights);
    const long double mu = sqrtl((long double)plan.descent.steps) * apart / sqrtl(s * s - 64);
    assert_true(mu <= range * plan.noise.beta);
    assert_true(mu >= range * plan.noise.beta * 0.95L); /* what rounding takes beside */
    assert_true(delta_gaussian(g.epsilon_core, (double)mu) <= g.delta_core);
    assert_true(plan.lambda >= descent_lambda_least(g.bounds.norm2) && plan.delta_reg == 0);
    assert_true(plan.descent.steps >= DESCENT_STEPS_LEAST &&
                plan.descent.steps <= DESCENT_STEPS_MOST);
    assert_true(plan.noise.copies == 1 && plan.noise.dims == (size_t)weights);
    tried++;
  }
  assert_true(tried > 200);
}

/* Where so many rows could show through the noise that it is not to be had, auto takes a pure kind,
 * and who asks for gaussian noise is told. */
TEST(too_many_rows_have_pure_noise) {
  random_source r = seeded(83);
  const dperm_loss loss = softmax_loss(26);
  public_numbers g = gaussian_numbers(&r, &loss, 1000);
  privacy_plan plan;
  g.mechanism = DPERM_MECHANISM_DESCENT;
  g.lambda = g.delta_reg = (double)NAN;
  g.rows = (size_t)1 << 36;
  assert_fails(privacy_plan_make(&g, &plan, err), DPERM_UNSUPPORTED, "rounding could be seen");
  g.noise = DPERM_NOISE_AUTO;
  assert_ok(privacy_plan_make(&g, &plan, err));
  assert_true(plan.mechanism == DPERM_MECHANISM_OBJECTIVE && !plan_spends_delta(&plan));
}

/* The weights of a descent so slow that they stay at zero: the same noise, and what the record of
 * this share adds to it. */
static void descend_slowly(const dperm_data *data, double share, double *out) {
  const dperm_loss loss = softmax_loss(3);
  const dperm_regularizer plain = {0};
  const double shares[2] = {share, 1}, labels[2] = {0, 1};
  const problem p = {.x = data->x,
                     .labels = labels,
                     .shares = shares,
                     .norm_bound = 1,
                     .loss = &loss,
                     .regularizer = &plain};
  const privacy_plan plan = {.mechanism = DPERM_MECHANISM_DESCENT,
                             .lambda = 1e9,
                             .descent = {.steps = 60, .grid = 0x1p-30, .furthest = 1000}};
  random_source source = seeded(5);
  double rest[3];
  solution found = {out, rest};
  solver_report report;
  assert_int_equal(noisy_descent(&plan, &p, NULL, NULL, &source, 1, &found, &report, NULL),
                   DPERM_OK);
}

/* At weights of zero a slope is (−2, 1, 1)/3, 0.82 long: a whole record's is cut to 0.7, half a
 * one's is not. */
TEST(a_record_moves_a_sum_by_the_clip_at_most) {
  const double x[2] = {1, 0}, labels[2] = {-1, 1};
  double none[3], half[3], whole[3];
  dperm_data *data = NULL;
  assert_int_equal(dperm_data_from_dense(2, 1, x, labels, 1, &data, NULL), DPERM_OK);
  descend_slowly(data, 0, none);
  descend_slowly(data, 0.5, half);
  descend_slowly(data, 1, whole);
  for (int c = 0; c < 3; c++) {
    assert_close((whole[c] - none[c]) / (half[c] - none[c]), 0.7 / (sqrt(2.0 / 3) / 2), 1e-5);
  }
  assert_true(whole[0] > none[0] && whole[1] < none[1] && fabs(none[0]) > 0);
  dperm_data_free(data);
}

/* Whatever the rows are, and for every number of them up to the most. */
TEST(additions_are_no_more_than_counted) {
  random_source r = seeded(82);
  for (int i = 0; i < 60; i++) {
    size_t rows = 1 + random_bits(&r) % 30000, cols = 1 + random_bits(&r) % 40;
    size_t k = 3 + random_bits(&r) % 30, most = rows + random_bits(&r) % 40000;
    double *x = calloc(rows * cols, sizeof *x), *labels = calloc(rows, sizeof *labels);
    size_t *starts = calloc(rows + 1, sizeof *starts);
    uint32_t *columns = calloc(rows * cols, sizeof *columns);
    assert_true(x && labels && starts && columns);
    for (size_t j = 0; j < rows; j++) {
      labels[j] = j % 2 ? 1 : -1;
      size_t entries = random_bits(&r) % (cols + 1);
      for (size_t c = 0; c < entries; c++) {
        columns[starts[j] + c] = (uint32_t)c;
        x[starts[j] + c] = 0.01;
      }
      starts[j + 1] = starts[j] + entries;
    }
    dperm_data *data = NULL;
    assert_int_equal(
        i % 2 ? dperm_data_from_dense(rows, cols, x, labels, 10, &data, NULL)
              : dperm_data_from_csr(rows, cols, starts, columns, x, labels, 10, &data, NULL),
        DPERM_OK);
    evaluation e = {0};
    evaluation_side_by_side(&e, data->x, k);
    assert_true(e.depth <= sum_depth_most(most, cols, k));
    assert_true(e.row_depth <= (double)cols + 2);
    dperm_data_free(data);
    free(x);
    free(labels);
    free(starts);
    free(columns);
  }
}
