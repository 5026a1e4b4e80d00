/* The three losses: values against the paper's formulas in long double, slopes and curvatures
 * against difference quotients, and the constants L and c, on which privacy rests: attained, and
 * never passed by any double. */
#include <float.h>
#include <math.h>

#include "loss/loss.h"
#include "reference.h"

static const double widths[] = {1e-9, 1e-6, 1e-3, 0.05, 0.1, 0.5, 1.0, 3.0, 1e3, 1e6};
enum { WIDTHS = sizeof widths / sizeof *widths };

typedef struct answer {
  double value, slope, curvature;
} answer;

static answer ask(const dperm_loss *loss, double z) {
  answer a;
  loss->eval(loss, 1, &z, &a.value, &a.slope, &a.curvature);
  return a;
}

typedef void check(reference_loss kind, double h, const dperm_loss *loss);

static void for_every_loss(check *what) {
  for (int kind = 0; kind < 3; kind++) {
    for (size_t w = 0; w < (kind == REF_LOGISTIC ? 1 : WIDTHS); w++) {
      double h = kind == REF_LOGISTIC ? 1.0 : widths[w];
      dperm_loss loss = library_loss((reference_loss)kind, h);
      what((reference_loss)kind, h, &loss);
    }
  }
}

/* ---- the formulas */

static bool at_a_kink(reference_loss kind, double h, double z, double reach) {
  return kind == REF_HUBER && fabs(fabs(1 - z) - h) <= reach;
}

static void check_formula(reference_loss kind, double h, const dperm_loss *loss) {
  random_source r;
  assert_ok(random_seeded(1, &r, err));
  for (int i = 0; i < 20000; i++) {
    double v = i < 8000 ? i * 1e-3 - 4 : 3 * random_normal(&r);
    double z = i % 3 == 2 ? 40 * v : 1 + h * v;
    long double exact[3];
    reference_eval(kind, h, z, exact);
    answer a = ask(loss, z);
    const double u = 0x1p-53;
    assert_close(a.value, (double)exact[0], 8 * u * (h + fabs(1 - z) + 1e-3));
    assert_close(a.slope, (double)exact[1], 8 * u);
    if (!at_a_kink(kind, h, z, 1e-12 * (h + 1))) {
      assert_close(a.curvature, (double)exact[2], 16 * u * loss->smoothness);
    }
  }
}

static void values_follow_the_papers_formulas(void **state) {
  (void)state;
  for_every_loss(check_formula);
}

/* Relative accuracy in the tail, where 1 + e^−z has long rounded to 1. */
static void logistic_keeps_its_digits_far_out(void **state) {
  (void)state;
  dperm_loss loss = dperm_loss_logistic();
  for (double z = 1; z < 700; z *= 1.07) {
    long double exact[3];
    reference_eval(REF_LOGISTIC, 1, z, exact);
    answer a = ask(&loss, z);
    assert_close(a.value, (double)exact[0], 1e-15 * (double)exact[0]);
    assert_close(a.slope, (double)exact[1], -1e-15 * (double)exact[1]);
    assert_close(a.curvature, (double)exact[2], 1e-15 * (double)exact[2]);
  }
}

static void huber_is_the_hinge_outside_its_bend(void **state) {
  (void)state;
  for (size_t w = 0; w < WIDTHS; w++) {
    double h = widths[w];
    dperm_loss loss = library_loss(REF_HUBER, h);
    answer left = ask(&loss, 1 - 2 * h), right = ask(&loss, 1 + 2 * h);
    assert_true(left.value == 1 - (1 - 2 * h) && left.slope == -1 && left.curvature == 0);
    assert_true(right.value == 0 && right.slope == 0 && right.curvature == 0);
  }
}

/* ---- derivatives */

static void check_differences(reference_loss kind, double h, const dperm_loss *loss) {
  for (int i = -4000; i <= 4000; i++) {
    double z = 1 + h * (i * 1e-3 + 1e-4), reach = 1e-3 * h;
    if (at_a_kink(kind, h, z, 1.01 * reach)) {
      continue;
    }
    double low = z - reach, high = z + reach;
    answer below = ask(loss, low), at = ask(loss, z), above = ask(loss, high);
    assert_close(at.slope, (above.value - below.value) / (high - low), 1e-5);
    /* The smoothed hinge's curvature has corners where the bend ends. */
    bool corner = kind == REF_SMOOTH_HINGE && fabs(fabs(1 - z) - h) <= 1.01 * reach;
    assert_close(at.curvature, (above.slope - below.slope) / (high - low),
                 (corner ? 1e-3 : 1e-5) * loss->smoothness);
  }
}

static void slope_and_curvature_are_the_derivatives(void **state) {
  (void)state;
  for_every_loss(check_differences);
}

/* ---- the constants */

typedef struct extremes {
  double slope, curvature;
} extremes;

static void take(const dperm_loss *loss, double z, extremes *most) {
  answer a = ask(loss, z);
  if (!(isfinite(a.value) && a.value >= 0 && a.slope <= 0 && -a.slope <= loss->lipschitz &&
        a.curvature >= 0 && a.curvature <= loss->smoothness)) {
    fail_msg("%s, h %g, at z = %.17g: value %g, slope %.17g, curvature %.17g (c %.17g)", loss->name,
             loss->parameter, z, a.value, a.slope, a.curvature, loss->smoothness);
  }
  most->slope = fmax(most->slope, -a.slope);
  most->curvature = fmax(most->curvature, a.curvature);
}

/* Every double within 2000 of a place. */
static void take_around(const dperm_loss *loss, double place, extremes *most) {
  double up = place, down = place;
  for (int i = 0; i < 2000; i++) {
    take(loss, up, most);
    take(loss, down, most);
    up = nextafter(up, DBL_MAX);
    down = nextafter(down, -DBL_MAX);
  }
}

static void check_constants(reference_loss kind, double h, const dperm_loss *loss) {
  extremes most = {0, 0};
  random_source r;
  assert_ok(random_seeded(2, &r, err));
  assert_true(loss->lipschitz == 1);
  assert_close(loss->smoothness,
               kind == REF_LOGISTIC ? 0.25
               : kind == REF_HUBER  ? 0.5 / h
                                    : 0.75 / h,
               1e-15 * loss->smoothness);
  for (int i = -50000; i <= 50000; i++) {
    take(loss, 1 + h * i * 4e-5, &most);
    take(loss, i * 1e-3, &most);
  }
  for (int i = 0; i < 100000; i++) {
    uint64_t bits = random_bits(&r);
    double z;
    memcpy(&z, &bits, sizeof z);
    if (isfinite(z) && fabs(z) <= 1e308) {
      take(loss, z, &most);
    }
    take(loss, 1 + h * random_normal(&r), &most);
  }
  const double places[] = {0, 1, -1, 1 - h, 1 + h, 1 - h / 2, 1 + h / 2, -h, h, 1e-300, -1e-300};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    take_around(loss, places[i], &most);
  }
  for (double z = DBL_MIN / 4; z <= 1e308; z *= 7) {
    take(loss, z, &most);
    take(loss, -z, &most);
  }
  take(loss, -1e308, &most);
  take(loss, 1e308, &most);
  assert_true(most.slope >= loss->lipschitz * (1 - 1e-9));
  assert_true(most.curvature >= loss->smoothness * (1 - 1e-9));
}

static void constants_are_attained_and_never_passed(void **state) {
  (void)state;
  for_every_loss(check_constants);
}

/* ---- the interface */

static void each_output_may_be_left_out(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    dperm_loss loss = library_loss((reference_loss)kind, 0.5);
    const double z[4] = {-2, 0.7, 1.2, 9};
    double all[3][4], some[3][4];
    loss.eval(&loss, 4, z, all[0], all[1], all[2]);
    for (int wanted = 0; wanted < 8; wanted++) {
      memset(some, 0x55, sizeof some);
      loss.eval(&loss, 4, z, wanted & 1 ? some[0] : NULL, wanted & 2 ? some[1] : NULL,
                wanted & 4 ? some[2] : NULL);
      for (int which = 0; which < 3; which++) {
        if (wanted >> which & 1) {
          assert_memory_equal(some[which], all[which], sizeof all[which]);
        }
      }
    }
    loss.eval(&loss, 0, NULL, NULL, NULL, NULL);
  }
}

/* The certificate's refinement asks for one slope at a time, the solver for many: the same number,
 * also at the ends of the bend, for any count, and the bits behind the last stay as they were. */
static void check_many(reference_loss kind, double h, const dperm_loss *loss) {
  const double places[] = {1 - h,
                           1 + h,
                           1,
                           nextafter(1 - h, 9e9),
                           nextafter(1 + h, -9e9),
                           0,
                           -7,
                           9,
                           1 - h / 3,
                           1 + h / 7,
                           1e300,
                           -1e300,
                           INFINITY,
                           -INFINITY,
                           1 + h / 2};
  enum { MANY = sizeof places / sizeof *places };
  double slope[MANY + 1], curvature[MANY + 1];
  for (size_t count = 1; count <= MANY; count++) {
    slope[count] = curvature[count] = 77;
    loss->eval(loss, count, places, NULL, slope, curvature);
    assert_true(slope[count] == 77 && curvature[count] == 77);
    for (size_t i = 0; i < count; i++) {
      answer alone = ask(loss, places[i]);
      assert_true(alone.slope == slope[i] && alone.curvature == curvature[i]);
      double gap = 1 - places[i];
      assert_false(gap < -h && signbit(slope[i]) && kind != REF_LOGISTIC);
    }
  }
}

static void many_at_once_are_as_one_by_one(void **state) {
  (void)state;
  for_every_loss(check_many);
}

static void nan_margins_are_not_hidden(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    dperm_loss loss = library_loss((reference_loss)kind, 0.5);
    answer a = ask(&loss, (double)NAN);
    assert_true(isnan(a.value) && isnan(a.slope));
  }
}

static void losses_are_found_by_name(void **state) {
  (void)state;
  dperm_loss loss;
  assert_ok(dperm_loss_by_name("logistic", (double)NAN, &loss, err));
  assert_string_equal(loss.name, "logistic");
  assert_true(isnan(loss.parameter));
  assert_ok(dperm_loss_by_name("huber", 0.25, &loss, err));
  assert_string_equal(loss.name, "huber");
  assert_true(loss.parameter == 0.25 && loss.smoothness == 2);
  assert_ok(dperm_loss_by_name("smooth-hinge", 0.25, &loss, err));
  assert_string_equal(loss.name, "smooth-hinge");
  assert_true(loss.parameter == 0.25 && loss.smoothness == 3);
}

static void unknown_names_are_refused_with_the_list(void **state) {
  (void)state;
  dperm_loss loss = {.name = "untouched"};
  assert_fails(dperm_loss_by_name("hinge", 1, &loss, err), DPERM_INVALID_ARGUMENT,
               "logistic, huber or smooth-hinge");
  assert_fails(dperm_loss_by_name("", 1, &loss, err), DPERM_INVALID_ARGUMENT, "no loss is called");
  assert_fails(dperm_loss_by_name("Logistic", 1, &loss, err), DPERM_INVALID_ARGUMENT, "Logistic");
  assert_string_equal(loss.name, "untouched");
}

static void widths_without_sense_are_refused(void **state) {
  (void)state;
  const double bad[] = {0, -0.5, 1e-10, 1e7, (double)NAN, (double)INFINITY, -(double)INFINITY};
  dperm_loss loss = {.name = "untouched"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_fails(dperm_loss_huber(bad[i], &loss, err), DPERM_INVALID_ARGUMENT, "h = ");
    assert_fails(dperm_loss_smooth_hinge(bad[i], &loss, err), DPERM_INVALID_ARGUMENT, "h = ");
    assert_fails(dperm_loss_by_name("huber", bad[i], &loss, err), DPERM_INVALID_ARGUMENT, "h = ");
  }
  assert_string_equal(loss.name, "untouched");
  assert_int_equal(dperm_loss_huber(0, &loss, NULL), DPERM_INVALID_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_follow_the_papers_formulas),
      cmocka_unit_test(logistic_keeps_its_digits_far_out),
      cmocka_unit_test(huber_is_the_hinge_outside_its_bend),
      cmocka_unit_test(slope_and_curvature_are_the_derivatives),
      cmocka_unit_test(constants_are_attained_and_never_passed),
      cmocka_unit_test(each_output_may_be_left_out),
      cmocka_unit_test(many_at_once_are_as_one_by_one),
      cmocka_unit_test(nan_margins_are_not_hidden),
      cmocka_unit_test(losses_are_found_by_name),
      cmocka_unit_test(unknown_names_are_refused_with_the_list),
      cmocka_unit_test(widths_without_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
