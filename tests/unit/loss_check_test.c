/* dperm_loss_check: accepts the losses of the library and honest custom ones, and refutes each
 * kind of wrong declaration with a message that says which. */
#include <math.h>

#include "reference.h"

/* A custom loss from a formula: context is a function of one margin. */
typedef void formula(double z, double *value, double *slope, double *curvature);
typedef struct custom {
  formula *at;
} custom;

static void custom_eval(const dperm_loss *loss, size_t count, const double *z, double *value,
                        double *slope, double *curvature) {
  for (size_t i = 0; i < count; i++) {
    double l, s, a;
    ((const custom *)loss->context)->at(z[i], &l, &s, &a);
    if (value) {
      value[i] = l;
    }
    if (slope) {
      slope[i] = s;
    }
    if (curvature) {
      curvature[i] = a;
    }
  }
}

#define assert_refuted(formula_of_z, L, c, text)                                                   \
  do {                                                                                             \
    custom custom_ = {formula_of_z};                                                               \
    dperm_loss loss_ = {"custom", (double)NAN, L, c, custom_eval, &custom_, 0};                    \
    assert_fails(dperm_loss_check(&loss_, err), DPERM_INVALID_ARGUMENT, text);                     \
  } while (0)

#define assert_accepted(formula_of_z, L, c)                                                        \
  do {                                                                                             \
    custom custom_ = {formula_of_z};                                                               \
    dperm_loss loss_ = {"custom", (double)NAN, L, c, custom_eval, &custom_, 0};                    \
    assert_ok(dperm_loss_check(&loss_, err));                                                      \
  } while (0)

TEST(the_librarys_losses_pass) {
  dperm_loss loss = dperm_loss_logistic();
  assert_ok(dperm_loss_check(&loss, err));
  for (double h = 1e-9; h < 2e6; h *= 3.1) {
    double width = fmin(h, 1e6);
    loss = library_loss(REF_HUBER, width);
    assert_ok(dperm_loss_check(&loss, err));
    loss = library_loss(REF_SMOOTH_HINGE, width);
    assert_ok(dperm_loss_check(&loss, err));
  }
}

/* ---- honest custom losses */

/* 3·log(1 + e^(−2z)): L = 6, c = 3. */
static void scaled_logistic(double z, double *value, double *slope, double *curvature) {
  double e = exp(-2 * fabs(z)), q = 1 / (1 + e);
  *value = 3 * (log1p(e) + (z < 0 ? -2 * z : 0));
  *slope = -6 * (z >= 0 ? e * q : q);
  *curvature = 12 * e * q * q;
}

/* √(1 + z²): L = 1, c = 1. */
static void pseudo_huber(double z, double *value, double *slope, double *curvature) {
  double root = hypot(1, z);
  *value = root;
  *slope = z / root;
  *curvature = 1 / root / root / root;
}

TEST(honest_custom_losses_pass) {
  assert_accepted(scaled_logistic, 6, 3);
  assert_accepted(scaled_logistic, 60, 30); /* generous constants are no lie */
  assert_accepted(pseudo_huber, 1, 1);
}

/* ---- wrong ones */

TEST(too_small_an_l_is_refuted) {
  assert_refuted(scaled_logistic, 5.999, 3, "beyond its L");
  for (int kind = 0; kind < 3; kind++) {
    dperm_loss loss = library_loss((reference_loss)kind, 0.5);
    loss.lipschitz = 0.999;
    assert_fails(dperm_loss_check(&loss, err), DPERM_INVALID_ARGUMENT, "beyond its L");
  }
}

TEST(too_small_a_c_is_refuted) {
  assert_refuted(scaled_logistic, 6, 2.99, "beyond its c");
  for (int kind = 0; kind < 3; kind++) {
    dperm_loss loss = library_loss((reference_loss)kind, 0.5);
    loss.smoothness *= 0.99;
    assert_fails(dperm_loss_check(&loss, err), DPERM_INVALID_ARGUMENT, "beyond its c");
  }
}

/* Reports a curvature within c, but its slope rises faster. */
static void modest_about_curvature(double z, double *value, double *slope, double *curvature) {
  scaled_logistic(z, value, slope, curvature);
  *curvature = fmin(*curvature, 1);
}

TEST(a_curvature_below_the_truth_does_not_hide_it) {
  assert_refuted(modest_about_curvature, 6, 1, "its slope rises at rate");
}

static void half_the_slope(double z, double *value, double *slope, double *curvature) {
  scaled_logistic(z, value, slope, curvature);
  *slope *= 0.5;
  *curvature *= 0.5;
}

static void slope_of_the_wrong_sign(double z, double *value, double *slope, double *curvature) {
  scaled_logistic(z, value, slope, curvature);
  *slope = -*slope;
}

TEST(a_slope_that_is_not_the_derivative_is_refuted) {
  assert_refuted(half_the_slope, 6, 3, "not the derivative");
  assert_refuted(slope_of_the_wrong_sign, 6, 3, "slope");
}

/* Ramp loss, smoothed: falls, then flat, then the other way round. */
static void sine(double z, double *value, double *slope, double *curvature) {
  *value = sin(z);
  *slope = cos(z);
  *curvature = -sin(z);
}

static void hidden_sine(double z, double *value, double *slope, double *curvature) {
  sine(z, value, slope, curvature);
  *curvature = fabs(*curvature);
}

TEST(a_loss_that_is_not_convex_is_refuted) {
  assert_refuted(sine, 1, 1, "convex");
  assert_refuted(hidden_sine, 1, 1, "convex");
}

static void hinge(double z, double *value, double *slope, double *curvature) {
  *value = fmax(0, 1 - z);
  *slope = z < 1 ? -1 : 0;
  *curvature = 0;
}

static void absolute(double z, double *value, double *slope, double *curvature) {
  *value = fabs(z);
  *slope = (z > 0) - (z < 0);
  *curvature = 0;
}

TEST(a_kink_is_refuted_whatever_the_declared_c) {
  for (double c = 0.1; c < 1e4; c *= 10) {
    assert_refuted(hinge, 1, c, "a kink");
    assert_refuted(absolute, 1, c, "a kink");
  }
}

static void naive_logistic(double z, double *value, double *slope, double *curvature) {
  double e = exp(-z);
  *value = log(1 + e);
  *slope = -e / (1 + e); /* infinity over infinity, far left */
  *curvature = e / (1 + e) / (1 + e);
}

static void nowhere(double z, double *value, double *slope, double *curvature) {
  *value = z == 0 ? (double)NAN : 0;
  *slope = *curvature = 0;
}

TEST(overflow_and_nan_are_refuted) {
  assert_refuted(naive_logistic, 1, 0.25, "not finite");
  assert_refuted(nowhere, 1, 1, "not finite at z = 0");
}

TEST(unusable_structs_are_refused) {
  const double bad[] = {0, -1, (double)NAN, (double)INFINITY};
  for (size_t i = 0; i < 4; i++) {
    dperm_loss loss = dperm_loss_logistic();
    loss.lipschitz = bad[i];
    assert_fails(dperm_loss_check(&loss, err), DPERM_INVALID_ARGUMENT, "declares L");
    loss = dperm_loss_logistic();
    loss.smoothness = bad[i];
    assert_fails(dperm_loss_check(&loss, err), DPERM_INVALID_ARGUMENT, "declares c");
  }
  dperm_loss loss = dperm_loss_logistic();
  loss.eval = NULL;
  assert_fails(dperm_loss_check(&loss, err), DPERM_INVALID_ARGUMENT, "no eval");
  loss = dperm_loss_logistic();
  loss.name = NULL;
  assert_fails(dperm_loss_check(&loss, err), DPERM_INVALID_ARGUMENT, "no name");
}
