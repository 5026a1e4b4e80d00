/* dperm_loss_check: accepts the losses of the library and honest custom ones, and refutes each
 * kind of wrong declaration with a message that says which. */
#include <math.h>

#include "reference.h"

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

/* ---- custom losses: two honest ones, then wrong ones */

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

/* Reports a curvature within c, but its slope rises faster. */
static void modest_about_curvature(double z, double *value, double *slope, double *curvature) {
  scaled_logistic(z, value, slope, curvature);
  *curvature = fmin(*curvature, 1);
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

TEST(custom_losses_pass_or_are_refuted_for_what_is_wrong) {
  static const struct {
    void (*at)(double z, double *value, double *slope, double *curvature);
    double lipschitz, smoothness;
    const char *words; /* NULL: honest */
  } cases[] = {{scaled_logistic, 6, 3, NULL},
               {scaled_logistic, 60, 30, NULL}, /* generous constants are no lie */
               {pseudo_huber, 1, 1, NULL},
               {scaled_logistic, 5.999, 3, "beyond its L"},
               {scaled_logistic, 6, 2.99, "beyond its c"},
               {modest_about_curvature, 6, 1, "its slope rises at a rate"},
               {half_the_slope, 6, 3, "not the derivative"},
               {slope_of_the_wrong_sign, 6, 3, "slope"},
               {sine, 1, 1, "convex"},
               {hidden_sine, 1, 1, "convex"},
               {hinge, 1, 0.1, "a kink"},
               {hinge, 1, 1, "a kink"},
               {hinge, 1, 1e3, "a kink"},
               {absolute, 1, 0.1, "a kink"},
               {absolute, 1, 1, "a kink"},
               {absolute, 1, 1e3, "a kink"},
               {naive_logistic, 1, 0.25, "not finite"},
               {nowhere, 1, 1, "near z = 0: it is not finite"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    loss_formula context = {cases[i].at};
    const dperm_loss loss = {
        "custom", (double)NAN, cases[i].lipschitz, cases[i].smoothness, formula_eval, &context, 0};
    if (cases[i].words) {
      assert_fails(dperm_loss_check(&loss, err), DPERM_INVALID_ARGUMENT, cases[i].words);
    } else {
      assert_ok(dperm_loss_check(&loss, err));
    }
  }
}

TEST(too_small_constants_of_the_librarys_losses_are_refuted) {
  for (int kind = 0; kind < 3; kind++) {
    dperm_loss loss = library_loss((reference_loss)kind, 0.5);
    loss.lipschitz = 0.999;
    assert_fails(dperm_loss_check(&loss, err), DPERM_INVALID_ARGUMENT, "beyond its L");
    loss = library_loss((reference_loss)kind, 0.5);
    loss.smoothness *= 0.99;
    assert_fails(dperm_loss_check(&loss, err), DPERM_INVALID_ARGUMENT, "beyond its c");
  }
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
