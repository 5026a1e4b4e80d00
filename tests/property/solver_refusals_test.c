/* Problems that have no minimum to find: the solver refuses them, or ends without a claim. */
#include <math.h>

#include "reference.h"
#include "solve/certify.h"

/* `change` makes a problem that the solver refuses. */
static void check_refused(void (*change)(test_problem *t), dperm_status status, const char *text) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(26, 20, 3, 1.0);
  OWNED(test_problem_clear) test_problem t;
  test_problem_init(&t, 11, data, REF_LOGISTIC, 1, 0.1, 0, REF_RIDGE, false);
  change(&t);
  problem p = problem_for(&t, data->dense);
  const solver_options how = {.tolerance = 1e-10};
  solver_report report;
  double f[3] = {0};
  assert_fails(solve(&p, &how, f, &report, err), status, text);
}

static void nan_at(double z, double *value, double *slope, double *curvature) {
  *value = *slope = *curvature = z * (double)NAN;
}

static void answer_nan(test_problem *t) {
  static loss_formula formula = {nan_at};
  t->library_loss.eval = formula_eval;
  t->library_loss.context = &formula;
}

TEST(a_loss_that_answers_nan_is_a_numeric_error) {
  check_refused(answer_nan, DPERM_NUMERIC_ERROR, "not finite");
}

static void weak_eval(void *context, size_t j, double f, double *value, double *slope,
                      double *curvature) {
  *value = 0.25 * f * f;
  *slope = 0.5 * f;
  *curvature = 0.5;
}

static void bend_less(test_problem *t) {
  t->regularizer.eval = weak_eval;
}

TEST(a_regularizer_that_is_not_strongly_convex_is_refused) {
  check_refused(bend_less, DPERM_INVALID_ARGUMENT, "strongly convex");
}

/* A slope that is not the derivative of anything convex: no minimum to reach. The solver must end
 * and must not claim that it converged. */
static void wild_at(double z, double *value, double *slope, double *curvature) {
  *value = 0;
  *slope = sin(1e3 * z) > 0 ? -1.0 : 1.0;
  *curvature = 0.25;
}

TEST(a_wild_loss_ends_without_a_claim) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(28, 20, 3, 1.0);
  for (int way = 0; way < 4; way++) {
    OWNED(test_problem_clear) test_problem t;
    test_problem_init(&t, 11, data, REF_LOGISTIC, 1, 0.1, 0, REF_RIDGE, true);
    t.library_loss.eval = formula_eval;
    t.library_loss.context = &(loss_formula){wild_at};
    problem p = problem_for(&t, way & 1 ? data->sparse : data->dense);
    const solver_options how = {.method = way & 2 ? SOLVER_CG : SOLVER_CHOLESKY,
                                .tolerance = 1e-10};
    solver_report report;
    double f[3] = {0};
    assert_ok(solve(&p, &how, f, &report, err));
    assert_false(report.converged);
    assert_true(report.gradient_norm > 1e-10);
  }
}
