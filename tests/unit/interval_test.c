/* The arithmetic of the verifier: the bound on a loss's epsilon is above what margins show, and not
 * by much; an interval that says nothing satisfies no comparison. */
#include <math.h>

#include "right_models.h"
#include "support.h"
#include "verify/epsilon_bound.h"

/* The upper end is above what many margins show, and not by much. */
static void the_bound_is_tight_and_above(void **state) {
  (void)state;
  for (int i = 0; i < 300; i++) {
    double a = pow(10, -3 + (i % 10) * 0.4), kappa = pow(10, -3 + (i / 10) * 0.2);
    const model_kind k = {i % 2 ? LOGISTIC : SMOOTH_HINGE, TIGHT, NONE, MEMORY, NOISE_L2};
    interval_arena work;
    interval_arena_open(&work);
    const loss_facts facts = {known_loss_find(i % 2 ? "logistic" : "smooth-hinge"),
                              interval_of(&work, 1), interval_of(&work, right_smoothness(k))};
    const interval *cost =
        epsilon_bound(&work, &facts, interval_of(&work, kappa), interval_of(&work, a));
    double seen = (double)right_cost(k, (long double)kappa, (long double)a);
    assert_true(interval_upper(cost) >= seen * (1 - 1e-15));
    assert_true(interval_upper(cost) <= seen * (1 + 1e-12));
    assert_true(interval_upper(cost) - interval_lower(cost) <= 1e-15 * seen);
    interval_arena_close(&work);
  }
}

/* What says nothing must satisfy no comparison: full buffers, divisions by what may be zero. */
static void the_whole_line_proves_nothing(void **state) {
  (void)state;
  interval_arena work;
  interval_arena_open(&work);
  const interval *one = interval_of(&work, 1), *zero = interval_of(&work, 0);
  const interval *nothing = interval_div(&work, one, zero);
  assert_false(interval_at_most(nothing, one) || interval_at_most(one, nothing));
  assert_false(interval_at_most(zero, interval_mul(&work, nothing, zero)));
  assert_false(interval_above_zero(interval_log1p(&work, interval_of(&work, -1))));
  assert_false(interval_at_most(zero, interval_exp(&work, interval_of(&work, 1e300))));
  assert_false(interval_at_most(zero, interval_of(&work, (double)NAN)));
  for (int i = 0; i < INTERVAL_CAPACITY; i++) {
    (void)interval_of(&work, i);
  }
  const interval *spare = interval_add(&work, one, one);
  assert_false(interval_at_most(one, spare) || interval_at_most(spare, one));
  assert_true(interval_at_most(zero, one));
  interval_arena_close(&work);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_bound_is_tight_and_above),
      cmocka_unit_test(the_whole_line_proves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
