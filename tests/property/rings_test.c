/* What kernels are for: two rings that a linear model cannot tell apart, and random features can,
 * in private. 20,000 rows, 200 gaussian features, γ = 4, objective perturbation with the Huber loss
 * and Λ chosen from public numbers; judged on fresh rings. Seeds are fixed. */
#include "dperm/random.h"
#include "dperm/score.h"
#include "rings.h"

enum { ROWS = 20000, FRESH = 10000 };

static double test_error(const dperm_data *train, const dperm_data *fresh, double epsilon,
                         dperm_kernel kernel, uint64_t seed) {
  dperm_options options;
  auto_model *model = NULL;
  dperm_metrics metrics;
  dperm_options_init(&options);
  options.epsilon = epsilon;
  options.kernel = kernel;
  assert_ok(dperm_loss_huber(0.5, &options.loss, err));
  assert_ok(dperm_random_seeded(seed, &options.random, err));
  assert_ok(dperm_train(train, &options, &model, err));
  assert_ok(dperm_model_score(model, fresh, &metrics, err));
  dperm_random_free(options.random);
  return metrics.error_rate;
}

typedef struct sets {
  dperm_data *train, *fresh;
} sets;

static int make_sets(void **state) {
  static sets s;
  s = (sets){rings(ROWS, 1), rings(FRESH, 2)};
  *state = &s;
  return 0;
}

static int free_sets(void **state) {
  sets *s = *state;
  dperm_data_free(s->train);
  dperm_data_free(s->fresh);
  return 0;
}

TEST(a_linear_model_cannot_tell_rings_apart) {
  const sets *s = *state;
  assert_true(test_error(s->train, s->fresh, 1, (dperm_kernel){0}, 3) > 0.4);
}

static void check_gaussian(const sets *s, double epsilon, uint64_t fits, double limit) {
  for (uint64_t seed = 1; seed <= fits; seed++) {
    const dperm_kernel kernel = {DPERM_KERNEL_GAUSSIAN, 4, 200, 0, 0};
    double error = test_error(s->train, s->fresh, epsilon, kernel, 10 * seed);
    if (!(error < limit)) {
      fail_msg("error %g at epsilon %g, seed %u", error, epsilon, (unsigned)seed);
    }
  }
}

TEST(gaussian_features_tell_rings_apart_at_epsilon_one) {
  check_gaussian(*state, 1, 1, 0.01);
}

TEST(gaussian_features_tell_rings_apart_at_epsilon_a_tenth) {
  check_gaussian(*state, 0.1, 2, 0.05);
}

/* Fewer rows and features suffice to see that they work. */
TEST(independent_directions_and_the_other_kernels_do_it_too) {
  const sets *s = *state;
  static const dperm_kernel kernels[] = {{DPERM_KERNEL_GAUSSIAN, 4, 60, 1, 7},
                                         {DPERM_KERNEL_LAPLACIAN, 2, 60, 0, 7},
                                         {DPERM_KERNEL_CAUCHY, 2, 60, 0, 7}};
  auto_data *small = rings(5000, 3);
  for (size_t k = 0; k < 3; k++) {
    assert_true(test_error(small, s->fresh, 1, kernels[k], 4) < 0.05);
  }
}

TEST_GROUP(make_sets, free_sets)
