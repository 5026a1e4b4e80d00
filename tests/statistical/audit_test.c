/* The audit's statistics: bounds come near the claims of sound mechanisms and do not pass them,
 * unsound ones are refuted, and seeds and threads behave. Seeds are fixed; what chance could do is
 * stated where it could. */
#include <math.h>
#include <stdlib.h>

#include "base/owned.h"
#include "dperm/audit.h"
#include "random/random_source.h"
#include "statistics.h"

/* ---- the library's own audits */

static dperm_audit_result run(const char *mechanism, const char *variant, double epsilon,
                              size_t draws, uint64_t seed, int threads) {
  dperm_audit_options o;
  dperm_audit_result r;
  dperm_audit_options_init(&o);
  o.mechanism = mechanism;
  o.variant = variant;
  o.epsilon = epsilon;
  o.draws = draws;
  o.seed = &seed;
  o.threads = threads;
  assert_ok(dperm_audit_run(&o, &r, err));
  return r;
}

TEST(bounds_come_near_the_claim_and_not_beyond) {
  static const struct {
    const char *mechanism, *variant;
    double least; /* of the claim, at this many draws a side and an epsilon of 1 and 3 */
    size_t draws;
  } cases[] = {{"output", "huber", 0.9, 40000},
               {"output", "logistic", 0.75, 40000},
               {"objective", "huber", 0.9, 40000},
               {"objective", "smooth-hinge", 0.9, 40000},
               {"objective", "logistic", 0.7, 40000},
               {"jacobian", "huber", 0.75, 40000},
               {"jacobian", "smooth-hinge", 0.75, 40000},
               {"jacobian", "logistic", 0.5, 40000},
               {"objective", "quantile", 0.9, 20000},
               {"jacobian", "log-cosh", 0.75, 20000},
               {"gaussian-objective", "log-cosh", 0.5, 20000},
               {"add-gaussian-objective", "log-cosh", 0.5, 20000},
               {"add-output", "huber", 0.85, 40000},
               {"add-objective", "huber", 0.85, 40000},
               {"add-objective", "logistic", 0.8, 40000},
               {"gaussian-output", "huber", 0.75, 40000},
               {"gaussian-objective", "huber", 0.75, 40000},
               {"gaussian-objective", "smooth-hinge", 0.7, 40000},
               {"gaussian-objective", "logistic", 0.7, 40000},
               {"elliptic", NULL, 0.7, 20000},
               {"joint", "objective", 0.35, 5000},
               {"joint", "output", 0.3, 10000},
               {"gaussian-joint", "output", 0.45, 20000},
               {"gaussian-joint", "descent", 0.25, 2000}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const char *mechanism = cases[c].mechanism, *variant = cases[c].variant;
    for (int e = 1; e <= 3; e += 2) {
      dperm_audit_result r = run(mechanism, variant, e, cases[c].draws, 11, 0);
      if (!(r.holds && r.epsilon_lower_bound >= cases[c].least * e && r.epsilon_lower_bound <= e)) {
        fail_msg("%s, %s: %g of %d", mechanism, variant ? variant : "", r.epsilon_lower_bound, e);
      }
      assert_true(r.draws == cases[c].draws && r.confidence == 0.998);
    }
  }
}

/* A sound build is refuted with probability at most 0.002 a run, in truth far less: both bounds
 * would have to fail together. Over DPERM_AUDIT_RUNS runs (make test-full: 100), not once. */
TEST(bounds_never_pass_the_claim_over_repeated_runs) {
  static const struct {
    const char *mechanism, *variant;
    bool slow; /* a fifth of the runs, a tenth of the draws */
  } cases[] = {{"output", NULL, false},
               {"objective", NULL, false},
               {"jacobian", NULL, false},
               {"add-output", NULL, false},
               {"add-objective", NULL, false},
               {"gaussian-output", NULL, false},
               {"gaussian-objective", NULL, false},
               {"elliptic", NULL, true},
               {"joint", "objective", true},
               {"joint", "output", true},
               {"gaussian-joint", "output", true}};
  const char *asked = getenv("DPERM_AUDIT_RUNS"), *each = getenv("DPERM_AUDIT_DRAWS");
  uint64_t runs = asked ? strtoull(asked, NULL, 10) : 5;
  size_t draws = each ? (size_t)strtoull(each, NULL, 10) : 10000;
  for (uint64_t seed = 1; seed <= runs; seed++) {
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
      if (cases[c].slow && seed % 5 != 0) {
        continue;
      }
      dperm_audit_result r = run(cases[c].mechanism, cases[c].variant, 1,
                                 cases[c].slow ? draws / 10 : draws, 1000 + seed, 0);
      if (!r.holds) {
        fail_msg("%s: %g at seed %llu", cases[c].mechanism, r.epsilon_lower_bound,
                 (unsigned long long)(1000 + seed));
      }
    }
  }
}

TEST(choices_and_laws_are_audited_too) {
  assert_true(run("selector", "permute-and-flip", 1, 40000, 3, 0).epsilon_lower_bound > 0.9);
  assert_true(run("selector", "exponential", 1, 100000, 3, 0).epsilon_lower_bound > 0.7);
  static const char *const others[] = {"shape",    "intercept", "selector", "split",
                                       "stopping", "noise",     "lattice",  "rows"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    dperm_audit_result r = run(others[i], NULL, 1, 2000, 4, 0);
    assert_true(r.holds);
    assert_true(isnan(r.epsilon_lower_bound) == (i > 4));
  }
  static const char *const kinds[] = {"l2", "l1", "group", "linf", "mixed"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    dperm_audit_result r = run("noise", kinds[i], 1, 20000, 4, 0);
    assert_string_equal(r.variant, kinds[i]);
    assert_true(r.holds && r.distance > 0 && r.distance <= r.limit && r.limit < 0.025);
  }
}

TEST(a_seed_gives_the_same_result_for_any_number_of_threads) {
  double once = run("jacobian", "huber", 1, 6000, 5, 1).epsilon_lower_bound;
  assert_true(once > 0);
  assert_true(run("jacobian", "huber", 1, 6000, 5, 2).epsilon_lower_bound == once);
  assert_true(run("jacobian", "huber", 1, 6000, 5, 3).epsilon_lower_bound == once);
  assert_true(run("jacobian", "huber", 1, 6000, 6, 2).epsilon_lower_bound != once);
}

/* ---- anybody's mechanism */

/* `dims` numbers: Laplace noise around ±1/2 on the first, with this scale; nothing on the others.
 */
static double *laplace_outcomes(random_source *r, size_t count, size_t dims, double place,
                                double scale) {
  double *out = calloc(count * dims, sizeof *out);
  assert_non_null(out);
  for (size_t i = 0; i < count; i++) {
    double noise = random_exponential(r) - random_exponential(r);
    out[i * dims] = place + scale * noise;
    for (size_t j = 1; j < dims; j++) {
      out[i * dims + j] = random_normal(r);
    }
  }
  return out;
}

static dperm_audit_result audit_laplace(size_t dims, double scale, double delta) {
  enum { COUNT = 40000 };
  random_source r;
  dperm_audit_result result;
  assert_ok(random_seeded(21, &r, err));
  OWNED_MEMORY double *first = laplace_outcomes(&r, COUNT, dims, 0.5, scale);
  OWNED_MEMORY double *second = laplace_outcomes(&r, COUNT, dims, -0.5, scale);
  assert_ok(dperm_audit_outcomes(first, second, COUNT, dims, 1, delta, &result, err));
  return result;
}

TEST(outcomes_of_a_laplace_mechanism_are_judged) {
  dperm_audit_result right = audit_laplace(1, 1, 0), wrong = audit_laplace(1, 0.7071, 0);
  assert_true(right.holds && right.epsilon_lower_bound > 0.93);
  assert_true(!wrong.holds && wrong.epsilon_lower_bound > 1.3);
  assert_true(audit_laplace(3, 1, 0).epsilon_lower_bound > 0.8);
  assert_true(audit_laplace(1, 0.7071, 0.2).epsilon_lower_bound < 1); /* a delta forgives */
  assert_true(right.draws == 36000 && right.confidence == 0.998);
}

TEST(outcomes_that_say_nothing_give_zero) {
  double same[200];
  dperm_audit_result r;
  for (size_t i = 0; i < 200; i++) {
    same[i] = 3;
  }
  assert_ok(dperm_audit_outcomes(same, same, 200, 1, 1, 0, &r, err));
  assert_true(r.epsilon_lower_bound == 0 && r.holds);
}

TEST(wrong_requests_are_refused) {
  double numbers[200] = {0};
  dperm_audit_result r;
  dperm_audit_options o;
  assert_fails(dperm_audit_outcomes(numbers, numbers, 99, 1, 1, 0, &r, err), DPERM_INVALID_ARGUMENT,
               "at least 100");
  assert_fails(dperm_audit_outcomes(numbers, numbers, 200, 1, 1, 1, &r, err),
               DPERM_INVALID_ARGUMENT, "a delta of at least 0 and below 1");
  numbers[150] = NAN;
  assert_fails(dperm_audit_outcomes(numbers, numbers, 200, 1, 1, 0, &r, err), DPERM_INVALID_DATA,
               "outcome 151");
  dperm_audit_options_init(&o);
  o.mechanism = "magic";
  assert_fails(dperm_audit_run(&o, &r, err), DPERM_INVALID_ARGUMENT,
               "no audit is called \"magic\"");
  o.mechanism = "output";
  o.variant = "hinge";
  assert_fails(dperm_audit_run(&o, &r, err), DPERM_INVALID_ARGUMENT,
               "no audit is called \"output hinge\"");
  o.variant = NULL;
  o.epsilon = 50;
  assert_fails(dperm_audit_run(&o, &r, err), DPERM_INVALID_ARGUMENT, "between 0.001 and 20");
  o.epsilon = 1;
  o.delta = 1e-3;
  assert_fails(dperm_audit_run(&o, &r, err), DPERM_INVALID_ARGUMENT, "audits of gaussian noise");
  const double bad[] = {-0.1, 1, NAN, INFINITY};
  o.mechanism = "gaussian-output";
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    o.delta = bad[i];
    assert_fails(dperm_audit_run(&o, &r, err), DPERM_INVALID_ARGUMENT, "above 0 and below 1");
  }
  const char *mechanism, *variant;
  assert_int_equal(dperm_audit_case(1000, &mechanism, &variant), 0);
}

static bool stop_at_once(void *context, const char *stage, uint64_t done, uint64_t total) {
  (void)context;
  assert_string_equal(stage, "auditing");
  assert_true(done <= total);
  return true;
}

TEST(an_audit_can_be_stopped) {
  dperm_audit_result r;
  dperm_audit_options o = USUAL(dperm_audit_options);
  o.progress.tick = stop_at_once;
  o.threads = 1;
  assert_fails(dperm_audit_run(&o, &r, err), DPERM_CANCELLED, "stopped on request");
}
