/* Selectors and rounds against their exact laws. The probabilities of permute-and-flip are computed
 * here by recursion over the subsets of candidates still in play, those of the exponential
 * mechanism by their formula; frequencies at 200,000 draws raise a false alarm with probability at
 * most 1e-6 a check (frequencies.h). On the exact probabilities the tests also check the privacy
 * claim itself, and that permute-and-flip is never worse. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "frequencies.h"
#include "mechanism/selection.h"

enum { DRAWS = 200000, MOST = 10 };

/* ---- exact probabilities */

static size_t least_of(const size_t *z, size_t m) {
  size_t least = z[0];
  for (size_t i = 1; i < m; i++) {
    least = z[i] < least ? z[i] : least;
  }
  return least;
}

static void exact_exponential(const size_t *z, size_t m, double epsilon, long double *p) {
  long double sum = 0;
  for (size_t i = 0; i < m; i++) {
    p[i] = expl(-(long double)epsilon * (long double)(z[i] - least_of(z, m)) / 2);
    sum += p[i];
  }
  for (size_t i = 0; i < m; i++) {
    p[i] /= sum;
  }
}

/* reach[S] is the probability that exactly the candidates outside S have been visited, and refused:
 * the next is uniform in S, accepted with exp(−ε(z − z_min)/2). */
static void exact_permute_and_flip(const size_t *z, size_t m, double epsilon, long double *p) {
  static long double reach[1 << MOST];
  size_t all = ((size_t)1 << m) - 1;
  for (size_t s = 0; s <= all; s++) {
    reach[s] = s == all;
  }
  for (size_t i = 0; i < m; i++) {
    p[i] = 0;
  }
  for (size_t s = all; s > 0; s--) {
    for (size_t i = 0; i < m; i++) {
      if (s >> i & 1) {
        long double visit = reach[s] / (long double)__builtin_popcountll(s);
        long double accept = expl(-(long double)epsilon * (long double)(z[i] - least_of(z, m)) / 2);
        p[i] += visit * accept;
        reach[s & ~((size_t)1 << i)] += visit * (1 - accept);
      }
    }
  }
}

typedef void exact_law(const size_t *z, size_t m, double epsilon, long double *p);

/* ---- frequencies */

typedef struct case_of {
  double epsilon;
  size_t m, z[MOST];
} case_of;

static const case_of cases[] = {
    {1, 1, {5}},
    {1, 2, {0, 0}},
    {1, 3, {0, 1, 2}},
    {0.1, 5, {100, 110, 105, 130, 100}},
    {0.5, 4, {7, 7, 9, 20}},
    {10, 3, {50, 51, 50}},
    {10, 4, {3, 2, 2, 4}},
    {10, 5, {0, 5000, 1, 9000, 4000}},
    {0.001, 5, {3000, 1000, 4000, 2500, 1500}},
    {0.01, 6, {12345, 12400, 12345, 14000, 13000, 12500}},
    {100, 3, {1, 0, 1000000}},
    {1e-9, 3, {0, 1, 2}},
    {2, 10, {3, 3, 3, 3, 3, 3, 3, 3, 3, 4}},
    {0.3, 10, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}},
    {1e-6, 3, {(size_t)1 << 40, ((size_t)1 << 40) + 1000000, ((size_t)1 << 40) + 3000000}},
};
enum { CASES = sizeof cases / sizeof *cases };

static size_t exponential(random_source *r, const size_t *z, size_t m, ratio epsilon) {
  return select_exponential(r, z, m, epsilon, 1);
}

static size_t permute_and_flip(random_source *r, const size_t *z, size_t m, ratio epsilon) {
  size_t work[MOST];
  return select_permute_and_flip(r, z, m, epsilon, 1, work);
}

static const struct {
  const char *name;
  size_t (*select)(random_source *r, const size_t *z, size_t m, ratio epsilon);
  exact_law *law;
} selectors[] = {{"exponential", exponential, exact_exponential},
                 {"permute-and-flip", permute_and_flip, exact_permute_and_flip}};

TEST(frequencies_match_their_exact_probabilities) {
  for (size_t i = 0; i < 2 * CASES; i++) {
    const case_of *c = &cases[i / 2];
    random_source r = seeded(31 + i);
    uint64_t counts[MOST] = {0};
    char what[100];
    long double exact[MOST];
    double p[MOST];
    for (int k = 0; k < DRAWS; k++) {
      counts[selectors[i % 2].select(&r, c->z, c->m, ratio_below(c->epsilon))]++;
    }
    selectors[i % 2].law(c->z, c->m, ratio_value(ratio_below(c->epsilon)), exact);
    for (size_t k = 0; k < c->m; k++) {
      p[k] = (double)exact[k];
    }
    (void)snprintf(what, sizeof what, "%s, case %zu", selectors[i % 2].name, i / 2);
    assert_frequencies(what, counts, p, c->m);
  }
}

/* ---- the exact laws themselves */

static void random_scores(random_source *r, size_t *m, size_t *z, double *epsilon) {
  static const uint64_t spans[] = {2, 4, 20, 300};
  uint64_t span = spans[random_below(r, 4)];
  *m = 1 + (size_t)random_below(r, 7);
  *epsilon = exp(log(0.01) + random_unit(r) * log(1000));
  for (size_t i = 0; i < *m; i++) {
    z[i] = (size_t)random_below(r, span) + 1;
  }
}

/* One record moves each score by at most 1: every such move of every score vector tried, for up to
 * five candidates all 3^m of them. */
static void check_neighbours(const size_t *z, size_t m, double epsilon, exact_law *law,
                             long double *worst) {
  long double p[MOST], q[MOST];
  size_t moves = 1, other[MOST];
  law(z, m, epsilon, p);
  for (size_t i = 0; i < m; i++) {
    moves *= 3;
  }
  for (size_t move = 0; move < moves; move++) {
    for (size_t i = 0, rest = move; i < m; i++, rest /= 3) {
      other[i] = z[i] + rest % 3 - 1;
    }
    law(other, m, epsilon, q);
    for (size_t i = 0; i < m; i++) {
      long double loss = fabsl(logl(p[i] / q[i])) / (long double)epsilon;
      *worst = loss > *worst ? loss : *worst;
    }
  }
}

TEST(selectors_are_private_at_exactly_epsilon) {
  for (int l = 0; l < 2; l++) {
    exact_law *law = selectors[l].law;
    random_source r = seeded(34);
    long double worst = 0;
    for (int round = 0; round < 400; round++) {
      size_t m = 0, z[MOST];
      double epsilon = 0;
      random_scores(&r, &m, z, &epsilon);
      check_neighbours(z, m > 5 ? 5 : m, epsilon, law, &worst);
    }
    check_neighbours((const size_t[]){9, 9, 9, 9, 9, 9}, 6, 0.05, law, &worst);
    check_neighbours((const size_t[]){5000, 1, 5000}, 3, 1.0, law, &worst);
    check_neighbours((const size_t[]){1, 40, 40, 40}, 4, 10, law, &worst);
    assert_true(worst <= 1 + 1e-12L);
    assert_true(worst >= 0.99L); /* the search is not blind */
  }
}

static long double mean_errors(const size_t *z, size_t m, const long double *p) {
  long double sum = 0, all = 0;
  for (size_t i = 0; i < m; i++) {
    sum += p[i] * (long double)z[i];
    all += p[i];
  }
  assert_close((double)all, 1, 1e-15);
  return sum;
}

/* The probabilities of both sum to one, too. */
TEST(permute_and_flip_is_never_worse_in_expected_errors) {
  random_source r = seeded(35);
  size_t better = 0;
  for (int round = 0; round < 5000; round++) {
    size_t m = 0, z[MOST];
    double epsilon = 0;
    long double a[MOST], b[MOST];
    random_scores(&r, &m, z, &epsilon);
    exact_exponential(z, m, epsilon, a);
    exact_permute_and_flip(z, m, epsilon, b);
    long double old_way = mean_errors(z, m, a), new_way = mean_errors(z, m, b);
    assert_true(new_way <= old_way * (1 + 1e-15L));
    better += new_way < old_way * (1 - 1e-6L);
  }
  assert_true(better > 1000);
}

/* ---- the bound */

/* Exactly, on every score vector tried; the worst ones have all others at one distance. */
TEST(the_selection_bound_holds_for_both_laws) {
  random_source r = seeded(36);
  for (int round = 0; round < 3000; round++) {
    static const double deltas[] = {0.5, 0.1, 0.05, 0.001};
    size_t m = 0, z[MOST], far = (size_t)random_below(&r, 400);
    double epsilon = 0, delta = deltas[random_below(&r, 4)];
    random_scores(&r, &m, z, &epsilon);
    for (size_t i = 0; round % 2 && i < m; i++) {
      z[i] = i ? 1 + far : 1;
    }
    double bound = selection_bound(m, epsilon, delta);
    assert_true(bound >= 0);
    for (size_t l = 0; l < 2; l++) {
      long double p[MOST], beyond = 0;
      selectors[l].law(z, m, epsilon, p);
      for (size_t i = 0; i < m; i++) {
        beyond += (double)(z[i] - least_of(z, m)) > bound ? p[i] : 0;
      }
      assert_true(beyond <= delta * (1 + 1e-12));
    }
  }
}

/* And on draws: ten candidates just beyond the bound are chosen at most δ of the time, up to five
 * standard deviations (a false alarm below 1e-6). */
TEST(the_selection_bound_holds_on_draws) {
  random_source r = seeded(37);
  const double epsilon = 0.25, delta = 0.05;
  size_t bound = (size_t)floor(selection_bound(MOST, epsilon, delta)), z[MOST], bad = 0;
  for (size_t i = 0; i < MOST; i++) {
    z[i] = i ? 30 + bound + 1 : 30;
  }
  for (int i = 0; i < DRAWS; i++) {
    bad += permute_and_flip(&r, z, MOST, ratio_below(epsilon)) != 0;
  }
  assert_true((double)bad <= DRAWS * delta + 5 * sqrt(DRAWS * delta * (1 - delta)));
  assert_true(bad > 0);
}

TEST(one_candidate_has_no_excess_and_the_formula_is_as_printed) {
  assert_true(selection_bound(1, 0.1, 0.05) == 0);
  assert_close(selection_bound(5, 0.1, 0.05), 2 / 0.1 * log(4 / 0.05), 1e-12);
  assert_close(selection_bound(2, 10, 0.05), 0.2 * log(20), 1e-12);
}

/* ---- how many rounds */

enum { ROUNDS_MOST = 300 };

typedef double round_law(double parameter, int k);

static double geometric_law(double mean, int k) {
  return 1 / mean * pow(1 - 1 / mean, k - 1);
}

static double logarithmic_law(double p, int k) {
  return -pow(p, k) / k / log1p(-p);
}

static void check_rounds(const char *name, uint64_t (*draw)(random_source *, ratio), round_law *law,
                         double parameter, uint64_t seed) {
  random_source r = seeded(seed);
  ratio given = ratio_below(parameter);
  uint64_t counts[ROUNDS_MOST + 1] = {0};
  double p[ROUNDS_MOST + 1], rest = 1;
  for (int i = 0; i < DRAWS; i++) {
    uint64_t k = draw(&r, given);
    assert_true(k >= 1);
    counts[k <= ROUNDS_MOST ? k - 1 : ROUNDS_MOST]++;
  }
  for (int k = 1; k <= ROUNDS_MOST; k++) {
    p[k - 1] = law(ratio_value(given), k);
    rest -= p[k - 1];
  }
  p[ROUNDS_MOST] = fmax(rest, 0);
  assert_frequencies(name, counts, p, ROUNDS_MOST + 1);
}

TEST(rounds_have_their_law) {
  static const double means[] = {1, 1.0001, 1.5, 3, 15, 60, 200};
  static const double p[] = {1e-6, 0.1, 0.5, 0.9, 0.99, 0.995};
  for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
    check_rounds("geometric", rounds_geometric, geometric_law, means[i], 40 + i);
  }
  for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
    check_rounds("logarithmic", rounds_logarithmic, logarithmic_law, p[i], 50 + i);
  }
}

TEST(the_logarithmic_parameter_gives_the_mean) {
  static const double means[] = {1.0001, 1.01, 1.5, 2, 3, 6, 15, 100, 1000, 75000};
  for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
    double p = logarithmic_parameter(means[i]);
    assert_true(p > 0 && p < 1);
    long double mean = 0, power = p, front = -1 / log1pl(-(long double)p);
    for (long k = 1; power > 1e-25L && k < 100000000; k++) {
      mean += power * front; /* k·P(K = k) */
      power *= p;
    }
    assert_close((double)mean / means[i], 1, 1e-9);
  }
  assert_true(logarithmic_parameter(1e6) < 1);
  assert_true(logarithmic_parameter(nextafter(1, 2)) >= 0);
}

/* The mean of the draws themselves: variance m·(1/(1−p) − m), five standard deviations. */
TEST(drawn_rounds_have_the_mean_asked_for) {
  static const double means[] = {1.5, 3, 15};
  for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
    random_source r = seeded(60 + i);
    double p = logarithmic_parameter(means[i]), sum = 0;
    for (int k = 0; k < DRAWS; k++) {
      sum += (double)rounds_logarithmic(&r, ratio_below(p));
    }
    double spread = sqrt(means[i] * (1 / (1 - p) - means[i]) / DRAWS);
    assert_close(sum / DRAWS, means[i], 5.5 * spread + 1e-4);
  }
}

/* A mean of a million rounds takes millions of coins, not their square. */
TEST(a_large_mean_is_drawn_in_reasonable_time) {
  random_source r = seeded(70);
  ratio gamma = ratio_below(1 - logarithmic_parameter(1e5));
  uint64_t largest = 0;
  for (int i = 0; i < 20; i++) {
    uint64_t k = rounds_logarithmic(&r, (ratio){gamma.under - gamma.over, gamma.under});
    largest = k > largest ? k : largest;
  }
  assert_true(largest > 1000);
}
