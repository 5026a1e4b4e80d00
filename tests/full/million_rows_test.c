/* The release's theorem on a million rows, where sums are long and Λ may be tiny: every loss, both
 * mechanisms, Λ from 1e-10. The candidate must be within τ of the minimizer that 200-bit arithmetic
 * finds for the same noise. Argument: the number of rows, 10^6 unless told. */
#include <math.h>
#include <stdlib.h>

#include "exact_fit.h"

enum { COLS = 8 };

static size_t rows = 1000000;
static test_rows *data;

static int make_rows(void **state) {
  data = test_rows_random(1, rows, COLS, 1.0);
  return 0;
}

static int free_rows(void **state) {
  test_rows_free(data);
  return 0;
}

static void check(reference_loss loss, double h, dperm_mechanism kind, double lambda, int way) {
  test_problem t;
  test_problem_init(&t, 1, data, loss, h, lambda, 0, REF_RIDGE, false);
  problem base = problem_for(&t, way % 2 ? data->sparse : data->dense);
  exact_fit fit = exact_fit_run(&base, loss, h, kind, lambda, 1.0, 17 + (uint64_t)way);
  print_message("# %s, %s, lambda %g, %s: distance/allowed %.3g, certified/promised %.3g, %.2f s\n",
                t.library_loss.name, kind == DPERM_MECHANISM_OUTPUT ? "output" : "objective",
                lambda, base.x->kind->name, fit.distance / fit.allowed,
                fit.certified / fit.release.promised.gradient, fit.seconds);
  if (!(fit.distance <= fit.allowed)) {
    fail_msg("%g from the minimizer (unsure %g), allowed %g", fit.distance, fit.unsure,
             fit.allowed);
  }
  test_problem_clear(&t);
}

/* From a smallest Λ, by way of 1e-6, to 1e-3. */
static void check_loss(reference_loss loss, double h, int smallest) {
  static const double lambdas[] = {1e-10, 1e-6, 1e-3};
  for (int i = smallest; i < 3; i++) {
    check(loss, h, DPERM_MECHANISM_OBJECTIVE, lambdas[i], 2 * i);
    check(loss, h, DPERM_MECHANISM_OUTPUT, lambdas[i], 2 * i + 1);
  }
}

static void logistic_candidates_are_within_tau(void **state) {
  check_loss(REF_LOGISTIC, (double)NAN, 0);
}

static void huber_candidates_are_within_tau(void **state) {
  check_loss(REF_HUBER, 0.1, 0);
}

static void narrow_huber_candidates_are_within_tau(void **state) {
  check_loss(REF_HUBER, 1e-6, 1); /* at 1e-10 refinement takes very long */
}

static void smooth_hinge_candidates_are_within_tau(void **state) {
  check_loss(REF_SMOOTH_HINGE, 0.5, 0);
}

int main(int argc, char **argv) {
  rows = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : rows;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(logistic_candidates_are_within_tau),
      cmocka_unit_test(huber_candidates_are_within_tau),
      cmocka_unit_test(narrow_huber_candidates_are_within_tau),
      cmocka_unit_test(smooth_hinge_candidates_are_within_tau),
  };
  return cmocka_run_group_tests(tests, make_rows, free_rows);
}
