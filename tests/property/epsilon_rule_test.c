/* The price of objective perturbation, ε(A) = A·L + sup_z [A·s(z) + log(1 + κ·a(z))], and without
 * the first A·L where records are added and removed, against a
 * search for that supremum over the margin with nothing but the loss's own slope and curvature; and
 * its inverse: never more than ε, never less than could be had. */
#include <math.h>
#include <stdlib.h>

#include "loss/loss.h"
#include "mechanism/epsilon_rule.h"
#include "reference.h"
#include "statistics.h"

static const double widths[] = {1e-9, 1e-3, 0.1, 0.5, 1.0, 20.0};
enum { WIDTHS = 6 };

/* ---- the supremum by search */

/* A·s + log(1 + κa) at one margin, as the loss answers. */
static long double price_at(const dperm_loss *loss, double kappa, double a, double z) {
  double slope = 0, curvature = 0;
  loss->eval(loss, 1, &z, NULL, &slope, &curvature);
  return a * fabsl((long double)slope) + log1pl((long double)kappa * curvature);
}

/* Where the loss bends: t ∈ [−1, 1] to margins that cover the curved piece of a hinge and its ends,
 * or all of a logistic loss, finely around zero and far out. */
static double margin_at(const dperm_loss *loss, double t) {
  return isnan(loss->parameter) ? sinh(7.3 * t) : 1 - 1.25 * loss->parameter * t;
}

static long double searched_epsilon(const dperm_loss *loss, double kappa, double a) {
  enum { STEPS = 800 };
  long double best = 0;
  double at = 0;
  for (int i = -STEPS; i <= STEPS; i++) { /* u = ±1 are points of the grid */
    double t = (double)i / STEPS;
    long double price = price_at(loss, kappa, a, margin_at(loss, t));
    if (price > best) {
      best = price;
      at = t;
    }
  }
  double low = fmax(-1, at - 1.0 / STEPS), high = fmin(1, at + 1.0 / STEPS);
  for (int i = 0; i < 80; i++) {
    double third = (high - low) / 3, left = low + third, right = high - third;
    long double here = price_at(loss, kappa, a, margin_at(loss, left));
    long double there = price_at(loss, kappa, a, margin_at(loss, right));
    best = fmaxl(best, fmaxl(here, there));
    if (here < there) {
      low = left;
    } else {
      high = right;
    }
  }
  if (!isnan(loss->parameter)) { /* the kinks, whichever way the margin rounds */
    for (int side = -1; side <= 1; side += 2) {
      double kink = 1 + side * loss->parameter;
      best = fmaxl(best, price_at(loss, kappa, a, kink));
      best = fmaxl(best, price_at(loss, kappa, a, nextafter(kink, 1)));
    }
  }
  return (long double)a * loss->lipschitz + best;
}

/* The rule covers the search, and is no dearer than what the search can see: a margin near 1 has a
 * spacing of 2^−53, which is 2^−53/h of the curved piece. */
static void check_rule(const dperm_loss *loss, double kappa, double a) {
  long double searched = searched_epsilon(loss, kappa, a);
  double rule = epsilon_of(loss, DPERM_NEIGHBOURS_REPLACE, kappa, a);
  double fine = isnan(loss->parameter) ? 1e-9 : fmax(1e-9, 1e-15 / loss->parameter);
  if (!(rule >= searched && rule <= searched * (1 + fmin(fine, 1e-6)))) {
    fail_msg("%s h = %g, kappa = %g, A = %g: rule %.17g, search %.17Lg", loss->name,
             loss->parameter, kappa, a, rule, searched);
  }
  /* one gradient moves, not two: the supremum alone, and never less than s = L costs by itself */
  double adding = epsilon_of(loss, DPERM_NEIGHBOURS_ADD_REMOVE, kappa, a);
  long double alone = searched - (long double)a * loss->lipschitz;
  if (!(adding >= alone && adding <= alone * (1 + fmin(2 * fine, 1e-6)) &&
        adding >= a * loss->lipschitz)) {
    fail_msg("%s h = %g, kappa = %g, A = %g, a record added: rule %.17g, search %.17Lg", loss->name,
             loss->parameter, kappa, a, adding, alone);
  }
}

static void check_rule_everywhere(const dperm_loss *loss) {
  for (double kappa = 1e-6; kappa < 2e3; kappa *= 10) {
    for (double a = 1e-8; a < 11; a *= 10) {
      check_rule(loss, kappa, a);
    }
    check_rule(loss, kappa, 0);
    for (double factor = 0.5; factor < 2.1; factor *= 1.09) { /* around A = κ */
      check_rule(loss, kappa, fmin(10, kappa * factor));
    }
  }
}

TEST(logistic_rule_is_the_supremum_over_margins) {
  const dperm_loss loss = dperm_loss_logistic();
  assert_ptr_equal(loss_kind_of(&loss), loss_kind_named("logistic"));
  check_rule_everywhere(&loss);
}

TEST(huber_rule_is_the_supremum_over_margins) {
  for (size_t i = 0; i < WIDTHS; i++) {
    const dperm_loss loss = library_loss(REF_HUBER, widths[i]);
    assert_ptr_equal(loss_kind_of(&loss), loss_kind_named("huber"));
    check_rule_everywhere(&loss);
  }
}

TEST(smooth_hinge_rule_is_the_supremum_over_margins) {
  for (size_t i = 0; i < WIDTHS; i++) {
    const dperm_loss loss = library_loss(REF_SMOOTH_HINGE, widths[i]);
    assert_ptr_equal(loss_kind_of(&loss), loss_kind_named("smooth-hinge"));
    check_rule_everywhere(&loss);
  }
}

TEST(logistic_rule_has_no_slack_above_kappa) {
  const dperm_loss loss = dperm_loss_logistic();
  for (double kappa = 1e-9; kappa < 10; kappa *= 3) {
    for (double a = kappa; a < 40; a *= 4) {
      assert_close(epsilon_of(&loss, DPERM_NEIGHBOURS_REPLACE, kappa, a), 2 * a, 2e-11 * a);
      assert_close(epsilon_of(&loss, DPERM_NEIGHBOURS_ADD_REMOVE, kappa, a), a, 2e-11 * a);
    }
  }
}

/* ---- losses that are not the library's own */

/* 3·ℓ(2z) of a logistic ℓ: L = 6, c = 3. */
static void scaled_at(double z, double *value, double *slope, double *curvature) {
  const dperm_loss own = dperm_loss_logistic();
  const double twice = 2 * z;
  own.eval(&own, 1, &twice, value, slope, curvature);
  *value *= 3;
  *slope *= 6;
  *curvature *= 12;
}

static loss_formula scaled_formula = {scaled_at};

static const dperm_loss scaled = {.name = "scaled",
                                  .parameter = (double)NAN,
                                  .lipschitz = 6,
                                  .smoothness = 3,
                                  .eval = formula_eval,
                                  .context = &scaled_formula};

static void check_fallback(const dperm_loss *loss) {
  assert_null(loss_kind_of(loss));
  for (double kappa = 1e-6; kappa < 2e3; kappa *= 10) {
    for (double a = 1e-8; a < 11; a *= 10) {
      long double declared =
          2 * (long double)a * loss->lipschitz + log1pl((long double)kappa * loss->smoothness);
      double rule = epsilon_of(loss, DPERM_NEIGHBOURS_REPLACE, kappa, a);
      assert_true(rule >= declared && rule <= declared * (1 + 1e-11L));
      assert_true(rule >= searched_epsilon(loss, kappa, a));
    }
  }
}

TEST(a_custom_loss_pays_by_its_declared_constants) {
  check_fallback(&scaled);
}

TEST(a_name_does_not_buy_a_better_rule) {
  dperm_loss impostor = scaled;
  impostor.name = "logistic";
  check_fallback(&impostor);
  impostor.lipschitz = 1; /* nor do the constants; this one lies, and loss_check says so */
  impostor.smoothness = 0.25;
  assert_null(loss_kind_of(&impostor));
  assert_fails(dperm_loss_check(&impostor, err), DPERM_INVALID_ARGUMENT, "beyond its L");
  assert_true(epsilon_of(&impostor, DPERM_NEIGHBOURS_REPLACE, 0.1, 1) >= 2 + log1p(0.1 * 0.25));
  dperm_loss altered = library_loss(REF_HUBER, 0.5); /* own code, other constants */
  altered.smoothness = 2;
  check_fallback(&altered);
  altered = library_loss(REF_SMOOTH_HINGE, 0.5);
  altered.parameter = 0.75; /* declares more curvature than h = 0.75 has */
  check_fallback(&altered);
  altered = dperm_loss_logistic();
  altered.lipschitz = 2;
  check_fallback(&altered);
}

/* ---- the inverse */

static dperm_loss any_loss(random_source *r) {
  uint64_t which = random_bits(r) % 4;
  double h = random_scale(r, 1e-3, 30);
  return which == 3 ? scaled : library_loss((reference_loss)which, h);
}

TEST(the_inverse_never_spends_more_and_leaves_nothing) {
  random_source r = seeded(1);
  size_t feasible = 0;
  for (int round = 0; round < 20000; round++) {
    const dperm_loss loss = any_loss(&r);
    double kappa = random_scale(&r, 1e-7, 1e4) / loss.smoothness;
    double epsilon = random_scale(&r, 1e-9, 100);
    dperm_neighbours whom = (dperm_neighbours)(round % 2);
    double a = epsilon_invert(&loss, whom, kappa, epsilon);
    assert_true(a >= 0 && a <= epsilon / ((whom ? 1 : 2) * loss.lipschitz));
    if (a == 0) {
      assert_true(log1p(kappa * loss.smoothness) > epsilon * (1 - 1e-11));
      continue;
    }
    feasible++;
    assert_true(epsilon_of(&loss, whom, kappa, a) <= epsilon);
    /* one part in 10⁹ more of A would be too much, where ε can be told apart at all */
    double more = a * (1 + 1e-9) + 1e-14 * epsilon / loss.lipschitz;
    assert_true(epsilon_of(&loss, whom, kappa, more) > epsilon);
  }
  assert_true(feasible > 5000 && feasible < 19000);
}

TEST(more_epsilon_or_more_regularization_never_means_more_noise) {
  random_source r = seeded(2);
  for (int round = 0; round < 300; round++) {
    const dperm_loss loss = any_loss(&r);
    double epsilon = random_scale(&r, 1e-6, 20), before = 0;
    for (double kappa = 1e4 / loss.smoothness; kappa > 1e-7 / loss.smoothness; kappa /= 2) {
      double a = epsilon_invert(&loss, DPERM_NEIGHBOURS_REPLACE, kappa, epsilon);
      assert_true(a >= before * (1 - 1e-14));
      before = a;
    }
    double kappa = random_scale(&r, 1e-6, 1e3) / loss.smoothness;
    before = 0;
    for (epsilon = 1e-8; epsilon < 100; epsilon *= 1.7) {
      double a = epsilon_invert(&loss, DPERM_NEIGHBOURS_REPLACE, kappa, epsilon);
      assert_true(a >= before);
      before = a;
    }
  }
}

/* λ > cR²/(e^ε − 1), to nine digits; at equality nothing is left for noise. */
TEST(there_is_an_answer_exactly_where_the_jacobian_leaves_slack) {
  random_source r = seeded(3);
  for (int round = 0; round < 2000; round++) {
    const dperm_loss loss = any_loss(&r);
    double epsilon = random_scale(&r, 1e-9, 100), edge = expm1(epsilon) / loss.smoothness;
    assert_true(epsilon_invert(&loss, DPERM_NEIGHBOURS_REPLACE, edge, epsilon) == 0);
    assert_true(epsilon_invert(&loss, DPERM_NEIGHBOURS_REPLACE, edge * (1 + 1e-9), epsilon) == 0);
    assert_true(epsilon_invert(&loss, DPERM_NEIGHBOURS_REPLACE, edge * 1e9, epsilon) == 0);
    /* for a large ε the edge moves e^ε times slower than ε */
    double inside = epsilon < 1 ? 1 - 1e-9 : 1 - 1e-9 * epsilon;
    assert_true(epsilon_invert(&loss, DPERM_NEIGHBOURS_REPLACE, edge * inside, epsilon) > 0);
  }
  const dperm_loss loss = dperm_loss_logistic();
  assert_true(epsilon_invert(&loss, DPERM_NEIGHBOURS_REPLACE, (double)INFINITY, 1) == 0);
  assert_true(epsilon_invert(&loss, DPERM_NEIGHBOURS_REPLACE, (double)NAN, 1) == 0);
  assert_true(epsilon_invert(&loss, DPERM_NEIGHBOURS_REPLACE, 1e-3, 0) == 0);
  assert_true(epsilon_invert(&loss, DPERM_NEIGHBOURS_REPLACE, 1e-3, -1) == 0);
  assert_true(epsilon_invert(&loss, DPERM_NEIGHBOURS_REPLACE, 1e-3, (double)NAN) == 0);
}
