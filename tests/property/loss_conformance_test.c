/* What every loss of the table must keep (src/loss/loss.h): values and derivatives against MPFR,
 * slopes within slope_error at doubles and at double-doubles, L and c attained and never passed by
 * any double, many margins as one by one, the price ε(A) and verify's own bound against a search
 * over margins, probabilities. A loss is tried at every h of a list within its bounds.
 * DPERM_LOSS=name tries that one alone. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/worst_pair.h"
#include "base/double_double.h"
#include "loss/link.h"
#include "loss_reference.h"
#include "mechanism/epsilon_rule.h"
#include "statistics.h"
#include "support.h"
#include "verify/noise_bound.h"

static const double unit = 0x1p-53;

typedef struct trial {
  const loss_kind *kind;
  reference_value *reference;
  dperm_loss loss;
  double h, scale; /* h is 1 for a loss without; scale: the width of its bend, at most 1 */
  double centre;   /* of the bend: a margin of 1, or no residual */
} trial;

typedef void check(const trial *t, random_source *r);

static void for_every_width(trial t, double quantile, check *what) {
  static const double widths[] = {1e-9, 2.3e-9, 1e-6, 1e-4, 0.5, 1.0 / 3, 0.1,
                                  1e-3, 1.7,    1,    30,   1e3, 1e4,     1e6};
  bool has_h = t.kind->h_most > 0;
  for (size_t w = 0; w < (has_h ? sizeof widths / sizeof *widths : 1); w++) {
    random_source r;
    t.h = has_h ? widths[w] : 1;
    t.scale = fmin(1, t.h);
    t.centre = t.kind->numbers ? 0 : 1;
    bool tried = !t.kind->numbers || w % 3 == 0 || repetitions(0, 1); /* 1e-4, 0.1, 1 and 1e4 */
    if (!has_h || (tried && t.h >= t.kind->h_least && t.h <= t.kind->h_most)) {
      assert_ok(random_seeded(7 + w, &r, err));
      assert_ok(t.kind->quantile ? dperm_loss_quantile(quantile, t.h, &t.loss, err)
                                 : dperm_loss_by_name(t.kind->name, t.h, &t.loss, err));
      what(&t, &r);
    }
  }
}

static void for_every_loss(check *what) {
  static const double quantiles[] = {0.5, 0.1, 0.999};
  const char *only = getenv("DPERM_LOSS");
  for (size_t i = 0; dperm_loss_name(i); i++) {
    if (only && strcmp(only, dperm_loss_name(i)) != 0) {
      continue;
    }
    const loss_kind *kind = loss_kind_named(dperm_loss_name(i));
    assert_non_null(kind);
    for (size_t q = 0; q < (kind->quantile ? 3 : 1); q++) {
      char name[64];
      (void)snprintf(name, sizeof name, q == 0 ? "%s" : "%s %g", kind->name, quantiles[q]);
      const trial t = {.kind = kind, .reference = loss_reference(name)};
      assert_non_null(t.reference); /* add its formula to tests/support/loss_reference.c */
      for_every_width(t, quantiles[q], what);
    }
  }
}

typedef struct answer {
  double value, slope, curvature;
} answer;

static answer ask(const dperm_loss *loss, double z) {
  answer a;
  loss->eval(loss, 1, &z, &a.value, &a.slope, &a.curvature);
  return a;
}

/* ---- margins to try: of any size up to 2^300, about zero, about the centre at the width of the
 * bend, and a few units in the last place or very little beside its ends and its middle */

static double any_margin(const trial *t, random_source *r, int i) {
  double sign = random_bits(r) >> 63 ? -1 : 1;
  double corner = t->centre + t->h * ((double)(random_bits(r) % 3) - 1);
  switch (i % 7) {
  case 0:
    return sign * ldexp(1 + random_unit(r), (int)(random_bits(r) % 1301) - 1000);
  case 1:
    return 2 * random_unit(r) - 1;
  case 2:
    return 1600 * random_unit(r) - 800;
  case 3:
    return corner + sign * t->h * ldexp(1 + random_unit(r), -(int)(random_bits(r) % 60));
  case 4:
    for (uint64_t steps = random_bits(r) % 40; steps > 0; steps--) {
      corner = nextafter(corner, sign * INFINITY);
    }
    return corner;
  case 5:
    return 80 * random_unit(r) - 40;
  default: /* all over the bend, and a little beyond */
    return t->centre + (t->kind->numbers ? 5 : 1.01) * t->h * (2 * random_unit(r) - 1);
  }
}

/* ---- values and derivatives */

static void check_formula(const trial *t, random_source *r) {
  for (int i = 0; i < (int)repetitions(500, 1500); i++) {
    double z = any_margin(t, r, i), c = t->loss.smoothness;
    loss_exact exact = loss_exact_at(t->reference, t->h, t->scale, z, 0);
    answer a = ask(&t->loss, z);
    double near = fmin(exact.before, exact.after), far = fmax(exact.before, exact.after);
    /* Rounding of 1 − z is u, and turns ℓ″ by a part of c/h of it; a jump of ℓ″ is met if either
     * side, or a unit beside, is. */
    double turn = 16 * unit * c * (1 + 1 / t->scale);
    assert_close(a.value, exact.value, 16 * unit * (t->h + fabs(t->centre - z) + exact.value));
    assert_close(a.slope, exact.slope, t->loss.slope_error);
    bool corner = fabs(fabs(t->centre - z) - t->h) <= 4 * unit * (1 + t->h);
    if (!(a.curvature >= near - turn && a.curvature <= far + turn) && !corner) {
      fail_msg("%s, h = %g: curvature %.17g at %a, not %.17g to %.17g", t->loss.name, t->h,
               a.curvature, z, near, far);
    }
  }
}

TEST(values_slopes_and_curvatures_follow_the_formula) {
  for_every_loss(check_formula);
}

/* A sample proves nothing about the points between; so what is seen must keep a fifth away from
 * what is declared. */
static void check_slope_error(const trial *t, random_source *r) {
  double worst[2] = {0, 0}, declared = t->loss.slope_error;
  for (int i = 0; i < (int)repetitions(1500, 6000); i++) {
    double z = any_margin(t, r, i), slope = 0, refined = 0;
    double rest = i % 3 ? z * unit * (2 * random_unit(r) - 1) : 0;
    t->loss.eval(&t->loss, 1, &z, NULL, &slope, NULL);
    loss_slope_dd(&t->loss, 1, &z, &rest, &refined);
    double plain = loss_slope_distance(t->reference, t->h, t->scale, z, 0, slope);
    double precise = loss_slope_distance(t->reference, t->h, t->scale, z, rest, refined);
    worst[0] = fmax(worst[0], plain);
    worst[1] = fmax(worst[1], precise);
    if (!(fmax(plain, precise) <= 0.8 * declared)) {
      fail_msg("%s, h = %g: %g and %g units at %a + %a, of %g declared", t->loss.name, t->h,
               plain / unit, precise / unit, z, rest, declared / unit);
    }
  }
  print_message("# %s, h = %g: %.3f u in doubles, %.3f u at twice the precision, %g u declared\n",
                t->loss.name, t->h, worst[0] / unit, worst[1] / unit, declared / unit);
}

TEST(slopes_are_within_their_error_at_doubles_and_double_doubles) {
  for_every_loss(check_slope_error);
}

/* A residual is z + rest − y, and its rounding is what solve/certify.c says of it. */
static void check_residuals(const trial *t, random_source *r) {
  double worst[2] = {0, 0};
  for (int i = 0; i < (int)repetitions(300, 3000) && t->kind->numbers; i++) {
    const double y = i % 5   ? 2 * random_unit(r) - 1
                     : i % 2 ? 1
                             : -1,
                 z = i % 3 ? any_margin(t, r, i) * (i % 2 ? 1 : 0x1p-12) : y + any_margin(t, r, i),
                 rest = z * unit * (2 * random_unit(r) - 1);
    double slope = 0, refined = 0;
    link_eval(&t->loss, 1, 1, &y, &z, NULL, &slope, NULL);
    link_slope_dd(&t->loss, 1, &y, &z, &rest, &refined);
    const double share = t->kind->counts ? (1 + y) / 2 : 0;
    const double_double whole = two_sum(z, t->kind->counts ? -link_count_offset : -y);
    const double plain = loss_slope_distance(t->reference, t->h, t->scale, whole.hi, whole.lo,
                                             slope + share),
                 precise = loss_slope_distance(t->reference, t->h, t->scale, whole.hi,
                                               whole.lo + rest, refined + share);
    const double moved =
        unit * t->loss.smoothness * (fabs(z) + (t->kind->counts ? link_count_offset : 1));
    worst[0] = fmax(worst[0], plain / (t->loss.slope_error + moved));
    worst[1] = fmax(worst[1], precise / t->loss.slope_error);
  }
  if (t->kind->numbers) {
    print_message("# %s, h = %g: %.3f of the error in doubles, %.3f at twice the precision\n",
                  t->loss.name, t->h, worst[0], worst[1]);
  }
  assert_true(worst[0] <= 0.9 && worst[1] <= 0.8);
}

TEST(residuals_are_rounded_as_little_as_certificates_take_them_to_be) {
  for_every_loss(check_residuals);
}

/* ---- the constants, on which privacy rests */

static void take(const trial *t, double z, answer *most) {
  answer a = ask(&t->loss, z);
  if (!(isfinite(a.value) && a.value >= 0 && fabs(a.slope) <= t->loss.lipschitz &&
        a.curvature >= 0 && a.curvature <= t->loss.smoothness)) {
    fail_msg("%s, h = %g, at z = %.17g: value %g, slope %.17g, curvature %.17g (c %.17g)",
             t->loss.name, t->h, z, a.value, a.slope, a.curvature, t->loss.smoothness);
  }
  most->slope = fmax(most->slope, fabs(a.slope));
  most->curvature = fmax(most->curvature, a.curvature);
}

static void check_constants(const trial *t, random_source *r) {
  answer most = {0, 0, 0};
  double h = t->h;
  const double places[] = {0,         1,  -1, 1 - h,  1 + h,   1 - h / 2,
                           1 + h / 2, -h, h,  1e-300, -1e-300, 40 * h};
  for (int i = -20000; i <= 20000; i++) {
    take(t, t->centre + h * i * 1e-4, &most);
    take(t, i * 2.5e-3, &most);
  }
  for (int i = 0; i < 40000; i++) {
    take(t, any_margin(t, r, i), &most);
  }
  for (double z = DBL_MIN / 4; z <= 1e308; z *= 7) {
    take(t, z, &most);
    take(t, -z, &most);
  }
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) { /* every double near a place */
    double up = places[i], down = up;
    for (int k = 0; k < 1000; k++) {
      take(t, up, &most);
      take(t, down, &most);
      up = nextafter(up, DBL_MAX);
      down = nextafter(down, -DBL_MAX);
    }
  }
  take(t, -1e308, &most);
  take(t, 1e308, &most);
  assert_true(most.slope >= t->loss.lipschitz * (1 - 1e-9));
  assert_true(most.curvature >= t->loss.smoothness * (1 - 1e-6));
}

TEST(constants_are_attained_and_never_passed) {
  for_every_loss(check_constants);
}

static void check_not_refuted(const trial *t, random_source *r) {
  assert_ok(dperm_loss_check(&t->loss, err));
}

TEST(the_check_of_constants_passes) {
  for_every_loss(check_not_refuted);
}

/* ---- the interface */

/* The same bits for any count, with any result left out; what is behind the last stays. */
static void check_many(const trial *t, random_source *r) {
  enum { MANY = 19 };
  double z[MANY] = {t->centre - t->h, t->centre + t->h, 1, 0, INFINITY, -INFINITY, 1e300,
                    -1e300,           (double)NAN};
  double all[3][MANY + 1], some[3][MANY + 1];
  for (int i = 9; i < MANY; i++) {
    z[i] = any_margin(t, r, i);
  }
  for (size_t count = 0; count <= MANY; count++) {
    t->loss.eval(&t->loss, count, z, all[0], all[1], all[2]);
    for (size_t i = 0; i < count; i++) {
      answer alone = ask(&t->loss, z[i]);
      const double one[3] = {alone.value, alone.slope, alone.curvature};
      for (int which = 0; which < 3; which++) {
        assert_memory_equal(&one[which], &all[which][i], sizeof *one);
      }
      assert_true(isnan(alone.slope) == isnan(z[i]) && isnan(alone.value) == isnan(z[i]));
    }
    for (int wanted = 0; wanted < 8; wanted++) {
      memset(some, 0x55, sizeof some);
      t->loss.eval(&t->loss, count, z, wanted & 1 ? some[0] : NULL, wanted & 2 ? some[1] : NULL,
                   wanted & 4 ? some[2] : NULL);
      for (int which = 0; which < 3; which++) {
        const unsigned char *last = (const unsigned char *)&some[which][count];
        assert_true(last[0] == 0x55 && last[7] == 0x55);
        assert_true(!(wanted >> which & 1) ||
                    memcmp(some[which], all[which], count * sizeof(double)) == 0);
      }
    }
  }
}

TEST(many_margins_are_as_one_by_one) {
  for_every_loss(check_many);
}

static void check_name(const trial *t, random_source *r) {
  assert_string_equal(t->loss.name, t->kind->name);
  assert_true(t->kind->h_most > 0 ? t->loss.parameter == t->h : isnan(t->loss.parameter));
  assert_ptr_equal(loss_kind_of(&t->loss), t->kind);
  assert_true(loss_of_numbers(&t->loss) == t->kind->numbers);
  assert_true(loss_is_count(&t->loss) == t->kind->counts);
  for (int which = 0; which < 5 + t->kind->quantile; which++) { /* changed, it is another loss */
    dperm_loss other = t->loss;
    double *const numbers[] = {&other.parameter, &other.lipschitz, &other.smoothness,
                               &other.slope_error};
    other.name = which == 4 ? "another" : other.name;
    other.context = which == 5 ? NULL : other.context;
    if (which < 4) {
      *numbers[which] = isnan(*numbers[which]) ? 1 : 1.5 * *numbers[which];
    }
    assert_null(loss_kind_of(&other));
    assert_false(loss_of_numbers(&other)); /* nor of a residual then, which is rounded */
    assert_true(loss_both_signs(&other));
  }
  if (t->kind->h_most > 0) {
    const double bad[] = {
        0, -0.5, t->kind->h_least / 2, t->kind->h_most * 2, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
      dperm_loss loss = {.name = "untouched"};
      assert_fails(dperm_loss_by_name(t->kind->name, bad[i], &loss, err), DPERM_INVALID_ARGUMENT,
                   "h = ");
      assert_string_equal(loss.name, "untouched");
    }
    dperm_loss usual;
    assert_ok(dperm_loss_by_name(t->kind->name, (double)NAN, &usual, err));
    assert_true(usual.parameter == t->kind->h_usual * loss_h_share(&usual));
  }
}

TEST(a_loss_is_found_by_name_and_recognized_by_all_it_has) {
  for_every_loss(check_name);
}

TEST(unknown_names_are_refused_with_the_list) {
  dperm_loss loss = {.name = "untouched"};
  for (size_t i = 0; dperm_loss_name(i); i++) {
    assert_fails(dperm_loss_by_name("hinge", 1, &loss, err), DPERM_INVALID_ARGUMENT,
                 dperm_loss_name(i));
  }
  assert_fails(dperm_loss_by_name("", 1, &loss, err), DPERM_INVALID_ARGUMENT, "no loss is called");
  assert_fails(dperm_loss_by_name("Logistic", 1, &loss, err), DPERM_INVALID_ARGUMENT, "Logistic");
  assert_string_equal(loss.name, "untouched");
}

/* ---- the price of objective perturbation */

/* A·L + max over margins of A·s + log(1 + κa), by the loss's own answers. */
static double searched_epsilon(const trial *t, double kappa, double a) {
  double best = 0;
  for (int i = -600; i <= 600; i++) {
    const double z[2] = {t->centre - t->h * i / 400,
                         (t->kind->numbers ? t->h : 1) * sinh(7.3 * i / 600)};
    for (int k = 0; k < 2; k++) {
      answer at = ask(&t->loss, z[k]);
      best = fmax(best, a * fabs(at.slope) + log1p(kappa * at.curvature));
    }
  }
  return a * t->loss.lipschitz + best;
}

/* Every other trial is of anything that a plan may ask for: A from below what bisection ends at,
 * and κc up to where its logarithm alone is the largest ε. */
static void check_price(const trial *t, random_source *r) {
  const known_loss *known = known_loss_find(t->kind->name);
  assert_non_null(known); /* add it to the table of src/verify/noise_bound.c */
  assert_true(known->has_h == (t->kind->h_most > 0) && known->numbers == t->kind->numbers);
  const double tau = loss_quantile(&t->loss);
  const interval one = interval_of(1), own = interval_of(tau),
                 lipschitz = t->kind->quantile ? interval_max(own, interval_sub(one, own))
                                               : interval_of(known->lipschitz);
  assert_true(interval_at_most(lipschitz, interval_of(t->loss.lipschitz)) &&
              interval_near(interval_of(t->loss.lipschitz), lipschitz, 0x1p-52));
  for (int i = 0; i < 60; i++) {
    bool any = i % 2;
    double kappa =
        any ? random_scale(r, 1e-250, 1e43) / t->loss.smoothness : random_scale(r, 1e-6, 1e3);
    double a = i % 9 ? random_scale(r, any ? 1e-70 : 1e-8, any ? 50 : 10) : 0;
    double searched = searched_epsilon(t, kappa, a),
           rule = epsilon_of(&t->loss, DPERM_NEIGHBOURS_REPLACE, kappa, a);
    double constants = 2 * a * t->loss.lipschitz + log1p(kappa * t->loss.smoothness);
    const loss_facts facts = {known, lipschitz,
                              interval_div(interval_of(known->smoothness), interval_of(t->h))};
    double proved =
        interval_upper(epsilon_bound(&facts, false, interval_of(kappa), interval_of(a)));
    /* No margin costs more; the library's number is proved, and close to the least. */
    if (!(rule >= searched && proved >= searched * (1 - 1e-14) && proved <= rule &&
          rule <= constants * (1 + 1e-11) && rule <= proved * (1 + 1e-11))) {
      fail_msg("%s, h = %g, kappa = %g, A = %g: rule %.17g, search %.17g, proved %.17g",
               t->loss.name, t->h, kappa, a, rule, searched, proved);
    }
  }
}

TEST(the_price_covers_every_margin_and_verify_proves_it) {
  for_every_loss(check_price);
}

/* ---- what models and audits need */

static void check_probability(const trial *t, random_source *r) {
  double before = 0;
  if (!t->kind->probability) {
    return;
  }
  for (int i = -3000; i <= 3000; i++) {
    double z = 0.01 * i, p = t->kind->probability(z);
    assert_true(p > 0 && p < 1 && p >= before);
    assert_close(p + t->kind->probability(-z), 1, 4 * unit);
    assert_close(-log(p), ask(&t->loss, z).value, 1e-14 * (1 + fabs(z)));
    before = p;
  }
  for (int i = 0; i < 1000; i++) {
    double p = t->kind->probability(any_margin(t, r, i));
    assert_true(p >= 0 && p <= 1);
  }
}

TEST(probabilities_rise_and_are_those_of_the_loss) {
  for_every_loss(check_probability);
}

/* The worst pair that is known for it comes within a factor of two of the claim. */
TEST(every_loss_is_audited) {
  for (size_t i = 0; dperm_loss_name(i); i++) {
    static const int kinds[] = {PAIR_OUTPUT, PAIR_OBJECTIVE, PAIR_JACOBIAN, PAIR_WEIGHTS};
    const bool numbers = loss_kind_named(dperm_loss_name(i))->numbers; /* without weights */
    for (size_t k = 0; k < (numbers ? 3 : 4); k++) {
      worst_pair pair;
      assert_ok(worst_pair_make(kinds[k], dperm_loss_name(i), 1, 0, 40000, &pair, err));
      double ratio = fmax(fabs(pair_log_ratio(&pair, pair.minimizer[0])),
                          fabs(pair_log_ratio(&pair, pair.minimizer[1])));
      assert_true(ratio <= 1 + 1e-9 && ratio >= 0.5);
    }
  }
}

/* ---- what single losses promise beyond */

/* Relative accuracy in the tail, where 1 + e^−z has long rounded to 1. */
TEST(logistic_keeps_its_digits_far_out) {
  dperm_loss loss = dperm_loss_logistic();
  reference_value *reference = loss_reference("logistic");
  random_source r = seeded(11);
  for (int i = 0; i < 5000; i++) {
    /* Beside the halves of log 2, where the reduction of the exponent changes over, too. */
    double turn = 0.34657359027997264 * (double)(random_bits(&r) % 2042);
    double z =
        i % 2 ? 1 + 700 * random_unit(&r) : fmin(700, 1 + fabs(turn + 1e-9 * random_unit(&r)));
    loss_exact exact = loss_exact_at(reference, 1, 1, z, 0);
    answer a = ask(&loss, z);
    assert_close(a.value, exact.value, 1e-15 * exact.value);
    assert_close(a.slope, exact.slope, -7.2 * unit * exact.slope); /* of the 9 in logistic.c */
    assert_close(a.curvature, exact.after, 2e-15 * exact.after);
  }
}

TEST(hinges_are_hinges_outside_their_bend) {
  static const char *const names[] = {"huber", "smooth-hinge"};
  for (int i = 0; i < 2; i++) {
    for (double h = 1e-9; h < 1e6; h *= 30) {
      dperm_loss loss;
      assert_ok(dperm_loss_by_name(names[i], h, &loss, err));
      answer left = ask(&loss, 1 - 2 * h), right = ask(&loss, 1 + 2 * h);
      assert_true(left.value == 1 - (1 - 2 * h) && left.slope == -1 && left.curvature == 0);
      assert_true(right.value == 0 && right.slope == 0 && right.curvature == 0);
      assert_false(signbit(right.slope));
    }
  }
}
