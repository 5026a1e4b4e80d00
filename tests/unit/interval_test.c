/* The arithmetic of the verifier: the bound on a loss's epsilon is above what margins show, and not
 * by much; an interval that says nothing satisfies no comparison. */
#include <math.h>

#include "right_models.h"
#include "support.h"
#include "verify/noise_bound.h"

/* The upper end is above what many margins show, and not by much. */
TEST(the_bound_is_tight_and_above) {
  for (int i = 0; i < 300; i++) {
    double a = pow(10, -3 + (i % 10) * 0.4), kappa = pow(10, -3 + (i / 10) * 0.2);
    const model_kind k = {i % 2 ? LOGISTIC : SMOOTH_HINGE, TIGHT, NONE, MEMORY, NOISE_L2};
    const loss_facts facts = {known_loss_find(i % 2 ? "logistic" : "smooth-hinge"), interval_of(1),
                              interval_of(right_smoothness(k))};
    const interval cost = epsilon_bound(&facts, false, interval_of(kappa), interval_of(a));
    double seen = (double)right_cost(k, (long double)kappa, (long double)a);
    assert_true(interval_upper(cost) >= seen * (1 - 1e-15));
    assert_true(interval_upper(cost) <= seen * (1 + 1e-12));
    assert_true(interval_upper(cost) - interval_lower(cost) <= 1e-15 * seen);
  }
}

/* What says nothing must satisfy no comparison: divisions by what may be zero, overflow. */
TEST(the_whole_line_proves_nothing) {
  const interval one = interval_of(1), zero = interval_of(0), nothing = interval_div(one, zero);
  assert_false(interval_at_most(nothing, one) || interval_at_most(one, nothing));
  assert_false(interval_at_most(zero, interval_mul(nothing, zero)));
  assert_false(interval_at_most(zero, interval_mul(zero, nothing)));
  assert_false(interval_at_most(zero, interval_add(one, nothing)));
  assert_false(interval_at_most(zero, interval_max(one, nothing)));
  assert_false(interval_above_zero(interval_log1p(interval_of(-1))));
  assert_false(interval_above_zero(interval_sqrt(interval_of(-1))));
  assert_false(interval_at_most(zero, interval_exp(interval_of(1e300))));
  assert_false(interval_at_most(zero, interval_of((double)NAN)));
  assert_true(interval_at_most(zero, one));
}

/* Both ends of a product, whatever the signs; a divisor that may be zero says nothing. */
TEST(signs_are_taken_into_account) {
  const interval across =
      interval_sub(interval_of(0), interval_div(interval_of(1), interval_of(3)));
  const interval below = interval_mul(across, interval_of(3)); /* around -1, with 1/3 inexact */
  assert_true(interval_lower(below) <= -1 && interval_upper(below) >= -1);
  assert_true(interval_upper(interval_mul(below, below)) >= 1);
  assert_true(interval_above_zero(interval_mul(below, below)));
  const interval slack = interval_add(below, interval_of(1)); /* may be zero, or of either sign */
  assert_false(interval_above_zero(slack) || interval_above_zero(interval_sub(slack, slack)));
  assert_true(isinf(interval_upper(interval_div(interval_of(1), slack))));
  assert_true(isinf(interval_lower(interval_div(interval_of(1), interval_of(-2)))));
}
