/* The weights of a private fit are what its mechanism says: the noise is drawn again from the same
 * seed and taken out, and what is left is a minimizer by the reference's arithmetic. */
#include <math.h>
#include <stdlib.h>

#include "model/model.h"
#include "reference.h"

enum { ROWS = 400, DIMS = 6 };

/* Rows of norm at most `norm`, some of them of just that. */
static test_rows *rows_within(double norm) {
  OWNED(test_rows_free_at) test_rows *unit = test_rows_random(4, ROWS, DIMS, 0.6);
  double *x = calloc(ROWS * (size_t)DIMS, sizeof *x), *labels = calloc(ROWS, sizeof *labels);
  assert_true(x && labels);
  for (size_t i = 0; i < ROWS * (size_t)DIMS; i++) {
    x[i] = unit->x[i] * norm;
  }
  memcpy(labels, unit->labels, ROWS * sizeof *labels);
  return test_rows_of(ROWS, DIMS, x, labels);
}

/* A fit of the problem by this mechanism, analysis and noise. */
static dperm_model *train_problem(const test_problem *t, double norm, dperm_mechanism mechanism,
                                  dperm_analysis analysis, dperm_noise noise, uint64_t seed) {
  dperm_options options = USUAL(dperm_options);
  options.mechanism = mechanism;
  options.analysis = analysis;
  options.noise = noise;
  options.epsilon = 0.5;
  options.threads = 1; /* many small problems */
  options.loss = t->library_loss;
  options.regularizer = t->regularizer;
  options.lambda = t->lambda;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  dperm_model *model = NULL;
  assert_ok(dperm_data_from_dense(ROWS, DIMS, t->data->x, t->data->labels, norm, &data, err));
  for (size_t i = 0; i < ROWS; i++) { /* stored as given: no row was scaled */
    double row[DIMS];
    assert_ok(dperm_data_row(data, i, row, err));
    assert_memory_equal(row, t->data->x + i * DIMS, sizeof row);
  }
  assert_ok(dperm_random_seeded(seed, &options.random, err));
  assert_ok(dperm_train(data, &options, &model, err));
  dperm_random_free(options.random);
  return model;
}

/* The noise that a fit with this seed draws, and its weights without the noise of the release. */
static void draw_again(const dperm_model *model, uint64_t seed, double *b, double *unreleased) {
  const release_plan *r = &model->release;
  random_source source = seeded(seed);
  noise_draw(&model->plan.noise, &source, b);
  for (size_t j = 0; j < DIMS; j++) {
    wide_signed y = random_discrete_laplace_wide(
        &source, r->epsilon.num.over, (wide_integer)r->epsilon.num.under * r->sensitivity);
    unreleased[j] = model->weights[j] - ldexp((double)y, r->step_exponent);
  }
}

/* What rounding to the lattice may have moved. */
static double half_step(const dperm_model *model) {
  return ldexp(0.5, model->release.step_exponent) * sqrt(DIMS);
}

/* ∇J + Δf + b/n = 0 at the released weights, by the reference's arithmetic. */
static void check_objective_weights(test_problem *t, double norm, dperm_analysis analysis,
                                    dperm_noise noise) {
  double b[DIMS], f[DIMS];
  OWNED(dperm_model_free_at)
  dperm_model *model = train_problem(t, norm, DPERM_MECHANISM_OBJECTIVE, analysis, noise, 11);
  draw_again(model, 11, b, f);
  t->linear = b;
  for (size_t j = 0; j < DIMS; j++) {
    b[j] /= ROWS;
  }
  t->ridge = model->plan.delta_reg;
  double left = reference_gradient_norm(t, f);
  double hessian = t->library_loss.smoothness * norm * norm + (t->lambda + t->ridge) * 1e3;
  assert_true(left <= model->release.promised.gradient + hessian * half_step(model));
  t->ridge = 0; /* and it is the noise that makes it so */
  t->linear = NULL;
  assert_true(reference_gradient_norm(t, model->weights) > 1e-6);
}

/* weights − b is the minimizer without noise. */
static void check_output_weights(test_problem *t, double norm) {
  double b[DIMS], f[DIMS], length = 0;
  auto_model *model =
      train_problem(t, norm, DPERM_MECHANISM_OUTPUT, DPERM_ANALYSIS_TIGHT, DPERM_NOISE_AUTO, 12);
  draw_again(model, 12, b, f);
  for (size_t j = 0; j < DIMS; j++) {
    f[j] -= b[j];
    length = hypot(length, b[j]);
  }
  /* what the sum of weights and noise lost to rounding comes back times the Hessian */
  double hessian = t->library_loss.smoothness * norm * norm + t->lambda * 1e3;
  double left = reference_gradient_norm(t, f);
  assert_true(left <= model->release.promised.gradient + hessian * half_step(model) +
                          1e-15 * hessian * (1 + length));
  assert_true(left < 1e-3 * reference_gradient_norm(t, model->weights));
}

/* Every bound on rows, loss and regularizer. */
static void for_every_problem(uint64_t seed, void (*check)(test_problem *t, double norm)) {
  static const double norms[] = {0.2, 1.0, 5.0};
  for (size_t k = 0; k < 3; k++) {
    auto_rows *rows = rows_within(norms[k]);
    for (int loss = 0; loss < 3; loss++) {
      for (int kind = REF_RIDGE; kind <= REF_QUARTIC; kind++) {
        OWNED(test_problem_clear) test_problem t;
        test_problem_init(&t, seed, rows, (reference_loss)loss, 0.5, 0.02 * norms[k] * norms[k], 0,
                          (reference_regularizer)kind, false);
        check(&t, norms[k]);
      }
    }
  }
}

static void check_analyses_and_kinds_of_noise(test_problem *t, double norm) {
  const double lambda = t->lambda;
  for (dperm_noise noise = DPERM_NOISE_AUTO; noise <= DPERM_NOISE_LINF; noise++) {
    for (int way = 0; way < 4; way++) {
      t->lambda = way < 2 ? lambda : 0.01 * lambda; /* where Δ has to help */
      check_objective_weights(t, norm, way % 2 ? DPERM_ANALYSIS_PAPER : DPERM_ANALYSIS_TIGHT,
                              noise);
    }
  }
}

TEST(weights_minimize_the_perturbed_objective) {
  for_every_problem(5, check_analyses_and_kinds_of_noise);
}

TEST(weights_less_the_noise_are_the_minimizer_of_output_perturbation) {
  for_every_problem(6, check_output_weights);
}
