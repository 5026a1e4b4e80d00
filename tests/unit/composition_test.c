/* Ledgers whose charges add up by one Renyi order: what is admitted, refused, shown and verified,
 * and fifty small Gaussian releases against an independent composition of their privacy losses. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "dperm/verify.h"
#include "ledger/chain.h"
#include "ledgers.h"

static dperm_status charge_curve(const char *path, const char *dataset, double epsilon,
                                 double delta, const privacy_curve *curve, dperm_charge *out,
                                 dperm_error *err) {
  return charge_with_curve(path, dataset, epsilon, delta, curve, 7, out, err);
}

/* ---- what is shown */

typedef struct shown {
  char composition[16];
  double order, total, spent, left, delta_spent, delta_left, plain, delta_plain;
} shown;

static void see_dataset(void *context, const dperm_ledger_dataset *d) {
  shown *s = context;
  if (strcmp(d->name, "r") == 0) {
    (void)snprintf(s->composition, sizeof s->composition, "%s", d->composition);
    s->order = d->order;
    s->total = strtod(d->epsilon_total, NULL);
    s->spent = strtod(d->epsilon_spent, NULL);
    s->left = strtod(d->epsilon_left, NULL);
    s->delta_spent = strtod(d->delta_spent, NULL);
    s->delta_left = strtod(d->delta_left, NULL);
    s->plain = strtod(d->epsilon_plain, NULL);
    s->delta_plain = strtod(d->delta_plain, NULL);
  }
}

static shown show(const ledger_home *home) {
  shown s = {.order = -1};
  auto_ledger *ledger = opened(home);
  assert_ok(dperm_ledger_datasets(ledger, see_dataset, &s, err));
  return s;
}

/* ---- tests */

LEDGER_TEST(costs_add_up_by_the_order_that_was_fixed) {
  dperm_charge made;
  assert_ok(ledger_create_order(home->path, "r", "2", "1e-6", 13, err));
  shown s = show(home);
  double budget = renyi_budget(13, 2, 0.999 * 0.5e-6);
  assert_string_equal(s.composition, "renyi");
  assert_true(s.order == 13 && s.total == 2 && s.spent == 0 && s.plain == 0);
  assert_close(s.left, budget, 3e-9);
  assert_close(s.delta_left, 0.5e-6, 1e-20);
  assert_ok(charge_curve(home->path, "r", 0.1, 1e-8, &small_curve, &made, err));
  assert_ok(charge_curve(home->path, "r", 0.1, 1e-8, NULL, &made, err));
  s = show(home);
  double costs = renyi_of_curve(13, &small_curve) + renyi_of_pure(13, 0.1);
  assert_close(s.left, budget - costs, 3e-9);
  assert_close(s.spent, 2 - budget + costs, 3e-9);
  assert_close(s.plain, 0.2, 1e-15);
  assert_close(s.delta_plain, 2e-8, 1e-20);
  /* only what has no curve takes its delta; failures of numerics count a thousand e^2 times */
  double failures = 1000 * exp(2) * 8e-44;
  assert_close(s.delta_left, 0.5e-6 - 1e-8 - failures, 1e-20);
  assert_close(strtod(made.epsilon_left, NULL), s.left, 1e-12);
  assert_string_equal(made.epsilon, "0.1");
  assert_string_equal(verdict_of(home->path, NULL).first, "");
}

LEDGER_TEST(what_passes_the_budget_is_refused) {
  dperm_charge made;
  dperm_status status = DPERM_OK;
  int taken = 0;
  assert_ok(ledger_create_order(home->path, "r", "2", "1e-6", 13, err));
  double budget = renyi_budget(13, 2, 0.999 * 0.5e-6), each = renyi_of_pure(13, 0.5);
  for (; status == DPERM_OK && taken < 100; taken += status == DPERM_OK) {
    dperm_error e = {0};
    status = charge_curve(home->path, "r", 0.5, 1e-9, NULL, &made, &e);
    assert_true(status == DPERM_OK || strstr(e.message, "by its Renyi order, and this run needs"));
  }
  assert_true(status == DPERM_OVER_BUDGET && taken == (int)floor(budget / each));
  assert_true(taken > 0 && show(home).left < each);
}

LEDGER_TEST(delta_is_a_limit_of_its_own) {
  dperm_charge made;
  assert_ok(ledger_create_order(home->path, "r", "5", "1e-6", 0, err));
  for (int i = 0; i < 5; i++) {
    assert_ok(charge_curve(home->path, "r", 0.01, 1e-7, NULL, &made, err));
  }
  assert_fails(charge_curve(home->path, "r", 0.01, 1e-9, NULL, &made, err), DPERM_OVER_BUDGET,
               "has delta 0 left of 0.000001 by its Renyi order");
  privacy_curve broken = small_curve;
  assert_ok(charge_curve(home->path, "r", 0.01, 0, NULL, &made, err));
  assert_fails(charge_curve(home->path, "r", 0.1, 1e-8, &small_curve, &made, err),
               DPERM_OVER_BUDGET, "delta 0 left");
  broken.corners[0].ratio = (double)NAN; /* nothing is known of it then */
  assert_fails(charge_curve(home->path, "r", 0.1, 1e-7, &broken, &made, err), DPERM_OVER_BUDGET,
               "delta 0 left");
}

/* e^100 times the failures of numerics are more than any delta; the claim's own is not. */
LEDGER_TEST(a_total_that_failures_would_use_up_counts_by_the_claim) {
  dperm_charge made;
  assert_ok(ledger_create_order(home->path, "r", "100", "1e-2", 8, err));
  assert_ok(charge_curve(home->path, "r", 0.1, 1e-8, &small_curve, &made, err));
  shown s = show(home);
  assert_close(s.delta_left, 0.5e-2 - 1e-8, 1e-15);
  assert_close(s.left, renyi_budget(8, 100, 0.999 * 0.5e-2) - renyi_of_pure(8, 0.1), 1e-7);
  assert_string_equal(verdict_of(home->path, NULL).first, "");
}

LEDGER_TEST(budgets_that_no_order_can_keep_are_refused) {
  assert_fails(ledger_create_order(home->path, "r", "2", NULL, 13, err), DPERM_INVALID_ARGUMENT,
               "needs a total delta");
  assert_fails(ledger_create_order(home->path, "r", "2", "0", 13, err), DPERM_INVALID_ARGUMENT,
               "a total delta above 0");
  assert_fails(ledger_create_order(home->path, "r", "2", "1", 13, err), DPERM_INVALID_ARGUMENT,
               "below 1");
  assert_fails(ledger_create_order(home->path, "r", "101", "1e-6", 13, err), DPERM_INVALID_ARGUMENT,
               "at most 100");
  assert_fails(
      ledger_create_order(home->path, "r", "0.2", "1e-6", 3, err), DPERM_INVALID_ARGUMENT,
      "order 3 leaves nothing of a total epsilon of 0.2 at that delta (the best order is ");
  assert_fails(ledger_create_order(home->path, "r", "0.0001", "1e-9", 0, err),
               DPERM_INVALID_ARGUMENT, "leaves nothing of a total epsilon");
  assert_fails(ledger_create_order(home->path, "r", "2", "1e-6", 1, err), DPERM_INVALID_ARGUMENT,
               "a Renyi order of 1; give one from 1.1");
  assert_fails(ledger_create_order(home->path, "r", "2", "1e-6", (double)NAN, err),
               DPERM_INVALID_ARGUMENT, "a Renyi order of");
  dperm_ledger_budget budget = USUAL(dperm_ledger_budget);
  budget.epsilon = "1";
  budget.order = 8;
  assert_fails(dperm_ledger_create(home->path, "r", &budget, err), DPERM_INVALID_ARGUMENT,
               "for Renyi composition");
  budget.composition = (dperm_composition)9;
  assert_fails(dperm_ledger_create(home->path, "r", &budget, err), DPERM_INVALID_ARGUMENT,
               "no composition 9");
}

static void see_terms(void *context, const dperm_ledger_entry *e) {
  (void)snprintf(context, TERMS_SIZE, "%s", e->terms);
}

LEDGER_TEST(plain_ledgers_keep_the_curve_and_charge_the_claim) {
  dperm_charge made;
  char terms[TERMS_SIZE] = "";
  assert_ok(ledger_create(home->path, "r", "1", "1e-6", 1, err));
  assert_ok(charge_curve(home->path, "r", 0.1, 1e-8, &small_curve, &made, err));
  shown s = show(home);
  assert_string_equal(s.composition, "plain");
  assert_true(s.order == 0 && s.plain == s.spent);
  assert_close(s.left, 0.9, 1e-15);
  assert_close(s.delta_left, 9.9e-7, 1e-20);
  dperm_ledger *ledger = opened(home);
  assert_ok(dperm_ledger_entries(ledger, "r", see_terms, terms, err));
  dperm_ledger_free(ledger);
  assert_string_equal(terms,
                      "fits=1 slack=0.001 corners=1:0.022,2:0.011 num=0.0001 pure=0 failure=8e-44");
}

/* ---- terms as text */

static record_terms any_terms(random_source *r) {
  record_terms t = {.renyi = random_bits(r) % 4 == 0};
  if (t.renyi) {
    t.order = 1.1 + 100 * random_unit(r);
    (void)amount_of_double(random_unit(r), &t.budget);
  }
  t.refined = random_bits(r) % 4 ? 0 : random_unit(r);
  if (random_bits(r) % 2) {
    t.curve = (privacy_curve){.fits = 1 + random_bits(r) % 30,
                              .slack = 0.5 + random_unit(r) / 2,
                              .mean = random_bits(r) % 2 ? random_unit(r) / 2 : 0,
                              .corner_count = 1 + random_bits(r) % CURVE_CORNERS,
                              .epsilon_num = random_unit(r) / 1000,
                              .pure = random_bits(r) % 2 ? random_unit(r) : 0,
                              .failure = random_unit(r) * 1e-43};
    double ratio = 1; /* the longest first */
    for (size_t i = 0; i < t.curve.corner_count; i++) {
      ratio *= random_unit(r);
      t.curve.corners[i] = (gaussian_corner){(double)(1 + random_bits(r) % 625), ratio};
    }
  }
  t.priced = random_bits(r) % 2;
  if (t.priced) {
    (void)amount_of_double(random_unit(r) * 1e-40, &t.cost.delta);
    (void)amount_of_double(random_unit(r), &t.cost.epsilon);
  }
  return t;
}

TEST(terms_are_read_as_they_were_written_and_no_others) {
  random_source r = seeded(71);
  size_t refused = 0;
  for (int i = 0; i < 20000; i++) {
    const record_terms t = any_terms(&r);
    record_terms back;
    char text[TERMS_SIZE], again[TERMS_SIZE];
    terms_write(&t, text);
    assert_true(strlen(text) + 1 < TERMS_SIZE && terms_parse(text, &back));
    assert_memory_equal(&t.curve, &back.curve, sizeof t.curve);
    assert_memory_equal(&t.cost, &back.cost, sizeof t.cost);
    assert_true(t.refined == back.refined);
    assert_true(t.order == back.order && t.renyi == back.renyi && t.priced == back.priced);
    size_t length = strlen(text);
    if (length > 0) { /* a character turned, or the end cut off */
      size_t at = random_bits(&r) % length;
      text[at] = (char)(i % 2 ? "0123456789.,:= e-abcdfgmnoprstu"[random_bits(&r) % 31] : '\0');
    }
    bool taken = terms_parse(text, &back);
    refused += !taken;
    if (taken) {
      terms_write(&back, again);
      assert_string_equal(text, again);
    }
  }
  assert_true(refused > 5000);
}

/* ---- records that state other numbers, with digests that fit */

/* The last record again with other terms, as somebody would write it who knows the format. */
static void forge(const ledger_home *home, int64_t id, const char *terms) {
  dperm_ledger *ledger = opened(home), *held = NULL;
  record r;
  char sql[TERMS_SIZE + 300];
  assert_ok(store_begin(ledger, true, &held, err));
  assert_ok(record_read(ledger, id, &r, err));
  assert_true(r.kind[0]);
  (void)snprintf(r.terms, sizeof r.terms, "%s", terms);
  record_digest(&r, r.digest);
  (void)snprintf(sql, sizeof sql,
                 "UPDATE records SET terms = '%s', digest = '%s' WHERE id = %lld;"
                 "UPDATE ledger SET head = '%s'",
                 terms, r.digest, (long long)id, r.digest);
  assert_ok(store_run(ledger, sql, err)); /* no trigger runs in a connection of the library */
  assert_ok(store_commit(&held, err));
  dperm_ledger_free(ledger);
}

LEDGER_TEST(forged_terms_are_found) {
  dperm_charge made;
  static const char curve[] = "fits=1 slack=0.001 corners=1:0.022,2:0.011 num=0.0001 pure=0 ";
  static const struct {
    const char *end, *cost;
  } cases[] = {
      {"failure=8e-44", ""},                                 /* no price */
      {"failure=8e-44", " cost=0.0001 cost_delta=1e-30"},    /* not as amounts are written */
      {"failure=8e-44", " cost=0.0001 cost_delta=0.1"},      /* too cheap */
      {"failure=8e-44", " cost=0.01 cost_delta=0"},          /* without the failures */
      {"failure=-1", " cost=0.01 cost_delta=0.1"},           /* no curve at all */
      {"failure=8e-44", " cost=0.01  cost_delta=0.1"},       /* two blanks */
      {"failure=8e-44", " cost=0.01 cost_delta=0.1 more=1"}, /* more than there is */
      {"failure=8.0e-44", " cost=0.01 cost_delta=0.1"},      /* another way to write it */
  };
  char terms[TERMS_SIZE];
  assert_ok(ledger_create_order(home->path, "r", "2", "0.9", 13, err));
  assert_ok(charge_curve(home->path, "r", 0.1, 1e-8, &small_curve, &made, err));
  (void)snprintf(terms, sizeof terms, "%sfailure=8e-44 cost=0.01 cost_delta=0.1", curve);
  forge(home, 3, terms); /* more than it costs is nobody's harm */
  assert_string_equal(verdict_of(home->path, NULL).first, "");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    (void)snprintf(terms, sizeof terms, "%s%s%s", curve, cases[i].end, cases[i].cost);
    forge(home, 3, terms);
    assert_string_equal(verdict_of(home->path, NULL).first,
                        "record 3: does not cost what it should");
    assert_fails(charge_curve(home->path, "r", 0.1, 1e-8, &small_curve, &made, err),
                 DPERM_INVALID_LEDGER, "damaged ledger");
  }
}

LEDGER_TEST(forged_budgets_are_found) {
  static const char *const wrong[] = {"composition=renyi order=13 budget=1.99",
                                      "composition=renyi order=1 budget=0.1",
                                      "composition=zcdp order=13 budget=0.1",
                                      "composition=renyi order=13",
                                      "composition=renyi order=13 budget=0.1 cost=0 cost_delta=0",
                                      "composition=renyi order=13.0 budget=0.1",
                                      "composition=renyi order=nan budget=0.1",
                                      "fits=1 slack=0 corners=1:1 num=0 pure=0 failure=0"};
  assert_ok(ledger_create_order(home->path, "r", "2", "1e-6", 13, err));
  forge(home, 2, "composition=renyi order=13 budget=0.1"); /* less than there is */
  assert_string_equal(verdict_of(home->path, NULL).first, "");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    forge(home, 2, wrong[i]);
    assert_string_equal(verdict_of(home->path, NULL).first,
                        "record 2: does not open a data set as it should");
  }
}

/* A plain charge in a ledger that counts by an order, and one with a price where sums are plain. */
LEDGER_TEST(a_charge_of_the_other_reading_is_found) {
  dperm_charge made;
  assert_ok(charge_curve(home->path, "people", 0.1, 0, NULL, &made, err));
  forge(home, 2, "cost=0.000001 cost_delta=0");
  assert_string_equal(verdict_of(home->path, NULL).first, "record 2: does not cost what it should");
}

/* ---- fifty releases */

static double normal(double x) {
  return erfc(-x / sqrt(2)) / 2;
}

static double delta_gaussian(double epsilon, double m) {
  return normal(m / 2 - epsilon / m) - exp(epsilon) * normal(-m / 2 - epsilon / m);
}

/* The LR/sigma at which objective perturbation is (epsilon, delta)-private by its corners. */
static double calibrated(double epsilon, double slack, double delta) {
  double low = 1e-9, high = 1;
  for (int i = 0; i < 200; i++) {
    double m = sqrt(low * high), left = epsilon - slack;
    bool over = delta_gaussian(left, 2 * m) + 2 * delta_gaussian(left, m) > delta;
    *(over ? &high : &low) = m;
  }
  return low;
}

/* Losses of privacy on a grid: `mass` of P at (i − MIDDLE)·step. */
enum { MIDDLE = 3000, CELLS = 2 * MIDDLE + 1 };
static const double step = 1e-3;

/* What the corners give at a distance of K, and with the mean of the determinants (composition.md,
 * C5). */
static double corners_at(double t, double m) {
  return delta_gaussian(t, 2 * m) + 2 * delta_gaussian(t, m);
}

static double profile(double t, double slack, double m) {
  double mean = m / sqrt(2 * 3.14159265358979324) * exp(slack) * slack / expm1(slack);
  double by_mean = corners_at(t, m) + fmin(mean, slack);
  return fmin(1, t < slack ? by_mean : fmin(by_mean, corners_at(t - slack, m)));
}

static double slope_between(const double *s, const double *e, int i, int j) {
  return (e[j] - e[i]) / (s[j] - s[i]);
}

/* The law of losses that no pair with this profile is worse than. A hockey stick is convex in s =
 * e^t, so it lies below the convex hull of what bounds it; the mass of Q at a loss is the change of
 * the hull's slope there. */
static void profile_losses(double slack, double m, double *mass) {
  static double s[CELLS], e[CELLS];
  static int hull[CELLS];
  int count = 0;
  for (int i = 0; i < CELLS; i++) {
    double t = (i - MIDDLE) * step; /* below 0 by symmetry: E_{e^t} = 1 − e^t + e^t·E_{e^−t} */
    s[i] = exp(t);
    e[i] = t >= 0 ? profile(t, slack, m) : 1 - s[i] + s[i] * profile(-t, slack, m);
    while (count > 1 && slope_between(s, e, hull[count - 2], hull[count - 1]) >=
                            slope_between(s, e, hull[count - 1], i)) {
      count--;
    }
    hull[count++] = i;
  }
  memset(mass, 0, CELLS * sizeof *mass);
  double whole = 0;
  for (int k = 1; k < count - 1; k++) {
    int i = hull[k];
    mass[i] = s[i] * (slope_between(s, e, i, hull[k + 1]) - slope_between(s, e, hull[k - 1], i));
    whole += mass[i];
  }
  assert_close(whole, 1, 1e-6); /* a law */
}

static void convolve(const double *a, const double *b, double *out) {
  memset(out, 0, CELLS * sizeof *out);
  for (int i = 0; i < CELLS; i++) {
    if (a[i] < 1e-25) {
      continue;
    }
    for (int j = 0; j < CELLS; j++) {
      int at = i + j - MIDDLE;
      out[at < 0 ? 0 : at >= CELLS ? CELLS - 1 : at] += a[i] * b[j];
    }
  }
}

static double delta_of_losses(const double *mass, double epsilon) {
  double sum = 0;
  for (int i = 0; i < CELLS; i++) {
    double loss = (i - MIDDLE) * step;
    sum += loss > epsilon ? mass[i] * -expm1(epsilon - loss) : 0;
  }
  return sum;
}

/* Of fifty such releases, at this delta. */
static double composed_epsilon(double slack, double m, double delta) {
  static double one[CELLS], sum[CELLS], other[CELLS];
  profile_losses(slack, m, one);
  memcpy(sum, one, sizeof one);
  for (int bit = 16; bit > 0; bit >>= 1) { /* 50 = 110010b, from the second digit on */
    convolve(sum, sum, other);
    memcpy(sum, other, sizeof sum);
    if (50 & bit) {
      convolve(sum, one, other);
      memcpy(sum, other, sizeof sum);
    }
  }
  double low = 0, high = 2.9;
  for (int i = 0; i < 100; i++) {
    double middle = (low + high) / 2;
    *(delta_of_losses(sum, middle) > delta ? &low : &high) = middle;
  }
  return high;
}

/* What logistic loss has at λ = 200, and Huber's and the smoothed hinge at the automatic Λ of
 * 20,000 rows of two columns: K, LR/σ. */
LEDGER_TEST(fifty_releases_of_a_tenth_cost_less_than_two) {
  static const double slacks[] = {0.00124922, 0.05607170, 0.06710980};
  static const char *const totals[] = {"2", "1"};
  double num = 1e-4;
  for (int i = 0; i < 6; i++) {
    double slack = slacks[i / 2], m = calibrated(0.1 - 2 * num, slack, 1e-8);
    double mean = m / sqrt(2 * 3.14159265358979324) * exp(slack) * slack / expm1(slack);
    const privacy_curve curve = {.fits = 1,
                                 .slack = slack,
                                 .mean = fmin(mean * (1 + 1e-9), slack),
                                 .corners = {{1, 2 * m}, {2, m}},
                                 .corner_count = 2,
                                 .epsilon_num = num,
                                 .failure = 8e-44};
    double truth = composed_epsilon(slack, m, 1e-6);
    dperm_charge made;
    (void)unlink(home->path);
    assert_ok(ledger_create_order(home->path, "r", totals[i % 2], "1e-6", 0, err));
    for (int j = 0; j < 50; j++) {
      assert_ok(charge_curve(home->path, "r", 0.1, 1e-8, &curve, &made, err));
    }
    shown s = show(home);
    assert_close(s.plain, 5, 1e-12);
    assert_true(s.spent < 1.2 && s.spent < s.total);
    /* never below the exact composition of the profile, not far above it */
    print_message("# K = %g, total %s: spent %g by order %g, composed exactly %g\n", slack,
                  totals[i % 2], s.spent, s.order, truth);
    assert_true(s.spent > truth && s.spent < 2.2 * truth);
  }
}
