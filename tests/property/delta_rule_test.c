/* The price of gaussian noise (docs/proofs/gaussian.md) against MPFR: δ_G is never below the exact
 * value and hardly above it, from δ near 1 down to 1e-300; the inverse never costs more than δ,
 * and no larger A would do; the tangents that the slack of a loss is taken from lie above
 * log(1 + κ·ℓ″) at every margin. */
#include <math.h>
#include <mpfr.h>

#include "loss/loss.h"
#include "mechanism/delta_rule.h"
#include "statistics.h"
#include "verify/noise_bound.h"

enum { BITS = 300 };

/* Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), as the textbook has it. */
static double exact_delta(double epsilon, double mu) {
  mpfr_t ratio, half, left, right, root;
  mpfr_inits2(BITS, ratio, half, left, right, root, (mpfr_ptr)NULL);
  mpfr_set_d(ratio, epsilon, MPFR_RNDN);
  mpfr_div_d(ratio, ratio, mu, MPFR_RNDN);
  mpfr_set_d(half, mu / 2, MPFR_RNDN);
  mpfr_sqrt_ui(root, 2, MPFR_RNDN);
  mpfr_sub(left, ratio, half, MPFR_RNDN);
  mpfr_div(left, left, root, MPFR_RNDN);
  mpfr_erfc(left, left, MPFR_RNDN);
  mpfr_add(right, ratio, half, MPFR_RNDN);
  mpfr_div(right, right, root, MPFR_RNDN);
  mpfr_erfc(right, right, MPFR_RNDN);
  mpfr_set_d(ratio, epsilon, MPFR_RNDN);
  mpfr_exp(ratio, ratio, MPFR_RNDN);
  mpfr_mul(right, right, ratio, MPFR_RNDN);
  mpfr_sub(left, left, right, MPFR_RNDN);
  mpfr_div_ui(left, left, 2, MPFR_RNDN);
  double out = mpfr_get_d(left, MPFR_RNDU);
  mpfr_clears(ratio, half, left, right, root, (mpfr_ptr)NULL);
  return out;
}

static void check_delta(double epsilon, double mu) {
  double exact = exact_delta(epsilon, mu), rule = delta_gaussian(epsilon, mu);
  double near = fmax(2e-9, 1e-12 * (1 + epsilon / mu) / mu);
  if (!(rule >= exact && (rule <= exact * (1 + near) || rule < 1e-307))) {
    fail_msg("epsilon = %g, mu = %g: %.17g for %.17g", epsilon, mu, rule, exact);
  }
}

TEST(delta_is_never_below_the_exact_one_and_close) {
  random_source r = seeded(1);
  for (size_t i = 0; i < repetitions(500, 50000); i++) {
    double epsilon = exp(log(1e-9) + random_unit(&r) * log(1e11));
    double wide = 0.02 + 30 * random_unit(&r); /* about x of δ = ½e^{−x²}(…) */
    check_delta(epsilon, i % 2 ? epsilon / wide : exp((random_unit(&r) - 0.5) * 20));
  }
  check_delta(0, 1e-6);
  check_delta(0, 3);
  assert_true(delta_gaussian(1, 0) == 0);
}

/* 1 − δ is the odds that two normal variables cannot be told apart, in another form: the integral
 * of the density φ(ε/m − m/2) over m from 0 to μ (gaussian.md 1). */
TEST(delta_is_the_integral_of_its_derivative) {
  for (double mu = 0.1; mu < 5; mu *= 2) {
    double sum = 0;
    enum { STEPS = 20000 };
    for (int i = 0; i < STEPS; i++) {
      double m = mu * (i + 0.5) / STEPS, h = 0.7 / m - m / 2;
      sum += exp(-h * h / 2) / sqrt(2 * 3.14159265358979324) * mu / STEPS;
    }
    assert_close(delta_gaussian(0.7, mu) / sum, 1, 1e-6);
  }
}

/* ---- inversion */

static void check_inverse(const delta_corners *c, double epsilon, double delta) {
  double a = delta_invert(c, epsilon, delta);
  if (delta_of(c, epsilon, 0) > delta) {
    assert_true(a == 0);
    return;
  }
  if (!(a > 0 && delta_of(c, epsilon, a) <= delta &&
        delta_of(c, epsilon, a * (1 + 1e-7)) > delta)) {
    fail_msg("epsilon = %g, delta = %g: A = %.17g costs %.17g", epsilon, delta, a,
             delta_of(c, epsilon, a));
  }
}

TEST(the_inverse_is_the_largest_that_is_allowed) {
  random_source r = seeded(2);
  const dperm_loss logistic = dperm_loss_logistic();
  dperm_loss huber;
  assert_ok(dperm_loss_huber(0.5, &huber, err));
  for (size_t i = 0; i < repetitions(2000, 50000); i++) {
    double epsilon = exp(log(1e-6) + random_unit(&r) * log(3e7));
    double delta = exp(-0.1 - 90 * random_unit(&r));
    double kappa = epsilon * exp(4 * random_unit(&r) - 3);
    const delta_corners c =
        i % 3 == 0   ? delta_corners_shift(logistic.lipschitz, DPERM_NEIGHBOURS_REPLACE)
        : i % 3 == 1 ? delta_corners_objective(&logistic, DPERM_NEIGHBOURS_REPLACE, kappa, epsilon)
                     : delta_corners_objective(&huber, DPERM_NEIGHBOURS_REPLACE, kappa, epsilon);
    check_inverse(&c, epsilon, delta);
  }
}

/* Figures that were derived before the code was written: σ = 1/A for R = 1. */
TEST(known_figures_come_out) {
  const dperm_loss logistic = dperm_loss_logistic();
  const delta_corners objective =
      delta_corners_objective(&logistic, DPERM_NEIGHBOURS_REPLACE, 1 / 40.0, 0.1);
  assert_close(1 / delta_invert(&objective, 0.1, 1e-6), 72.6097, 1e-3);
  const delta_corners output = delta_corners_shift(logistic.lipschitz, DPERM_NEIGHBOURS_REPLACE);
  /* Balle & Wang's analytic Gaussian for ε = 1, δ = 1e-5 and sensitivity 1: 3.730632 */
  assert_close(0.5 / delta_invert(&output, 1, 1e-5), 3.730632, 1e-5);
}

/* ---- slack */

/* The line over s between its ends, at the slope of a margin, is not below log(1 + κ·ℓ″) there;
 * also of a record that counts for a share of one. */
static void check_tangent(const dperm_loss *loss, double kappa, double place) {
  const loss_kind *kind = loss_kind_of(loss);
  double zero = 0, steepest = 0, h = loss->parameter;
  kind->tangent(loss, kappa, place, &zero, &steepest);
  assert_true(zero >= steepest && steepest >= 0);
  for (int i = -400; i <= 400; i++) {
    double z = isnan(h)        ? sinh(i / 80.0)
               : kind->numbers ? h * sinh(i / 80.0)
                               : 1 - 1.01 * h * i / 400,
           slope = 0, curvature = 0;
    loss->eval(loss, 1, &z, NULL, &slope, &curvature);
    for (double share = 1; share > 0.01; share /= 3) {
      double s = share * fabs(slope);
      double line = zero + (steepest - zero) * s / loss->lipschitz,
             truth = log1p(kappa * share * curvature);
      if (!(line >= truth - 1e-15)) {
        fail_msg("%s: kappa = %g, place %g, z = %g: %g below %g", loss->name, kappa, place, z, line,
                 truth);
      }
    }
  }
}

TEST(tangents_stay_above_the_slack) {
  const dperm_loss logistic = dperm_loss_logistic();
  dperm_loss hinge, cosh, median, tail;
  assert_ok(dperm_loss_smooth_hinge(0.3, &hinge, err));
  assert_ok(dperm_loss_by_name("log-cosh", 0.2, &cosh, err));
  assert_ok(dperm_loss_by_name("quantile", 0.2, &median, err));
  assert_ok(dperm_loss_quantile(0.1, 0.2, &tail, err));
  for (double kappa = 1e-6; kappa < 100; kappa *= 7) {
    for (int i = 0; i <= 20; i++) {
      check_tangent(&logistic, kappa, i / 20.0);
      check_tangent(&hinge, kappa, i / 20.5);
      check_tangent(&cosh, kappa, i / 20.0);
      check_tangent(&median, kappa, i / 20.0);
      check_tangent(&tail, kappa, i / 20.0);
    }
  }
}

/* The line that is chosen is hardly worse than the best of all: within 4 percent of A (5 of slopes
 * of both signs), and never behind the flat one. */
static void check_line(const dperm_loss *loss, double kappa, double epsilon, double delta) {
  double best = 0, flat = 0;
  double a = delta_invert_objective(loss, DPERM_NEIGHBOURS_REPLACE, kappa, epsilon, delta);
  for (int i = 0; i <= 30; i++) {
    double zero = 0, steepest = 0, l = loss->lipschitz;
    loss_kind_of(loss)->tangent(loss, kappa, i / 30.0, &zero, &steepest);
    const delta_corners
        one = {4, {{1, 2 * l, steepest}, {1, l, steepest}, {1, l, zero}, {1, 0, zero}}},
        two = {3, {{2, 2 * l, steepest}, {2, sqrt(2) * l, steepest}, {2, l, zero}}},
        c = loss_both_signs(loss) ? two : one;
    double here = delta_invert(&c, epsilon, delta);
    best = fmax(best, here);
    flat = i == 0 ? here : flat;
  }
  const double near = loss_both_signs(loss) ? 0.95 : 0.96;
  if (!(a >= near * best && a >= flat * (1 - 1e-9))) {
    fail_msg("%s: kappa = %g, epsilon = %g, delta = %g: A = %g, flat %g, best %g", loss->name,
             kappa, epsilon, delta, a, flat, best);
  }
}

TEST(the_chosen_line_is_a_good_one) {
  dperm_loss losses[4] = {dperm_loss_logistic()};
  assert_ok(dperm_loss_smooth_hinge(0.5, &losses[1], err));
  assert_ok(dperm_loss_by_name("log-cosh", 0.1, &losses[2], err));
  assert_ok(dperm_loss_quantile(0.3, 0.1, &losses[3], err));
  for (int i = 0; i < 4; i++) {
    for (double delta = 1e-2; delta > 1e-13; delta /= 1000) {
      for (double epsilon = 0.001; epsilon < 9; epsilon *= 2.7) {
        for (double share = 0.001; share < 0.97; share *= 1.7) { /* K of epsilon */
          check_line(&losses[i], expm1(share * epsilon) / losses[i].smoothness, epsilon, delta);
        }
      }
    }
  }
}

/* In code of its own verify proves what was planned, of every loss that it knows; its line may be a
 * better one. */
TEST(verify_proves_the_noise_that_the_rule_allows) {
  random_source r = seeded(3);
  double least = 1;
  for (size_t i = 0; i < repetitions(60, 1000); i++) {
    const char *name = dperm_loss_name(i % 6);
    const bool adding = i / 6 % 2;
    const double epsilon = exp(log(0.01) + random_unit(&r) * log(500)),
                 delta = exp(-2 - 40 * random_unit(&r)), h = exp(-4 * random_unit(&r));
    dperm_loss loss;
    assert_ok(i % 12 == 5 ? dperm_loss_quantile(0.2, h, &loss, err)
                          : dperm_loss_by_name(name, h, &loss, err));
    const double kappa = expm1(epsilon * random_unit(&r)) / loss.smoothness;
    const dperm_neighbours kind = adding ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE;
    const double a = delta_invert_objective(&loss, kind, kappa, epsilon, delta);
    const loss_facts facts = {known_loss_find(name), interval_of(loss.lipschitz),
                              interval_of(loss.smoothness)};
    noise_proof proofs[PROOFS_MOST];
    const size_t count = proofs_of_loss(&facts, adding, interval_of(kappa), interval_of(epsilon),
                                        interval_of(a), proofs);
    double proved = 1;
    for (size_t k = 0; k < count; k++) {
      proved = fmin(proved, interval_upper(delta_of_proof(interval_of(epsilon), &proofs[k])));
    }
    if (!(a > 0 && proved <= delta && proved >= delta / 30)) {
      fail_msg("%s, kappa = %g, epsilon = %g, delta = %g: A = %g, proved %g", name, kappa, epsilon,
               delta, a, proved);
    }
    least = fmin(least, proved / delta);
  }
  print_message("# verify proves down to %.3f of delta\n", least);
}
