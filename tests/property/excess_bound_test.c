/* The planner's promises about accuracy, on real fits: the minimizer is no longer than the bound
 * says, and with the noise at its 0.95 quantile or below the objective is no further above its
 * minimum than the excess says, for every loss, mechanism and kind of regularizer. */
#include <math.h>
#include <stdlib.h>

#include "model/model.h"
#include "reference.h"
#include "statistics.h"

enum { ROWS = 60, DIMS = 4 };

static double norm_of(const double *v) {
  double norm = 0;
  for (size_t j = 0; j < DIMS; j++) {
    norm = hypot(norm, v[j]);
  }
  return norm;
}

static dperm_model *fit(const dperm_data *data, dperm_options options, dperm_mechanism mechanism) {
  dperm_model *model = NULL;
  options.mechanism = mechanism;
  assert_ok(dperm_train(data, &options, &model, err));
  return model;
}

/* Noise below its quantile never costs more than the excess of that quantile; the other draws may.
 */
static void check_bounds(test_problem *t, double norm, dperm_mechanism mechanism, double epsilon) {
  dperm_plan plan;
  auto_data *data = NULL;
  dperm_options options = options_for(epsilon);
  options.mechanism = mechanism;
  options.threads = 1; /* many small problems */
  options.lambda = t->lambda;
  options.loss = t->library_loss;
  options.regularizer = t->regularizer;
  assert_ok(dperm_data_from_dense(ROWS, DIMS, t->data->x, t->data->labels, norm, &data, err));
  assert_ok(dperm_plan_make(ROWS, DIMS, norm, &options, &plan, err));
  auto_model *best = fit(data, options, DPERM_MECHANISM_NONE);
  if (!(norm_of(best->weights) <= plan.solution_norm_bound * (1 + 1e-9))) {
    fail_msg("loss %d, regularizer %d: a solution of length %g, bound %g", (int)t->loss,
             (int)t->kind, norm_of(best->weights), plan.solution_norm_bound);
  }
  double least = (double)reference_objective(t, best->weights, NULL);
  for (uint64_t seed = 0; seed < 6; seed++) {
    random_source source = seeded(seed);
    double b[DIMS];
    assert_ok(dperm_random_seeded(seed, &options.random, err));
    dperm_model *model = fit(data, options, mechanism);
    noise_draw(&model->plan.noise, &source, b);
    double excess = (double)reference_objective(t, model->weights, NULL) - least;
    bool usual = norm_of(b) <= plan.noise_norm_q95;
    if (usual && !(excess <= plan.excess_objective_q95 * (1 + 1e-9) + 1e-9)) {
      fail_msg("loss %d, regularizer %d, mechanism %d: excess %g, bound %g", (int)t->loss,
               (int)t->kind, (int)mechanism, excess, plan.excess_objective_q95);
    }
    dperm_model_free(model);
    dperm_random_free(options.random);
  }
}

static void check_kind(reference_regularizer kind) {
  random_source r = seeded(40 + (uint64_t)kind);
  auto_rows *rows = test_rows_random(3, ROWS, DIMS, 0.8);
  const int rounds = (int)repetitions(12, 30);
  for (int round = 0; round < rounds; round++) {
    test_problem t;
    test_problem_init(&t, random_bits(&r), rows, (reference_loss)(round % 3), 0.5,
                      random_scale(&r, 1e-3, 10), 0, kind, false);
    check_bounds(&t, 1, round & 1 ? DPERM_MECHANISM_OUTPUT : DPERM_MECHANISM_OBJECTIVE,
                 random_scale(&r, 0.1, 10));
    test_problem_clear(&t);
  }
}

TEST(bounds_hold_for_ridge) {
  check_kind(REF_RIDGE);
}
TEST(bounds_hold_for_weighted_ridge) {
  check_kind(REF_WEIGHTED);
}
TEST(bounds_hold_towards_a_prior) {
  check_kind(REF_PRIOR);
  check_kind(REF_WEIGHTED_PRIOR);
}
TEST(bounds_hold_for_a_custom_regularizer) {
  check_kind(REF_QUARTIC);
}
