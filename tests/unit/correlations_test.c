/* Draws of correlations: of two columns their law is known by quadrature, of many the inverse stays
 * one, and two that were released as nearly the same stay unsure. */
#include "intervals/correlations.h"

#include <math.h>

#include "base/vector.h"
#include "support.h"

enum { MOST = 12 };

typedef struct example {
  interval_group groups[MOST];
  interval_design design;
  interval_law law;
} example;

/* Numbers, each a group; correlations are 0, with this noise. */
static void open_example(example *e, size_t d, double noise) {
  *e = (example){.design = {.group_count = d, .columns = d}};
  e->design.groups = e->groups;
  for (size_t j = 0; j < d; j++) {
    e->groups[j] = (interval_group){INTERVAL_NUMBER, j, 1, j, 1, -1};
    e->design.group_of[j] = j;
  }
  assert_ok(interval_law_new(&e->design, &e->law, err));
  for (size_t j = 0; j < d; j++) {
    e->law.variance[j] = 1;
  }
  for (size_t i = 0; i < d * d; i++) {
    const bool own = i % (d + 1) == 0;
    e->law.pair[i] = own;
    e->law.pair_noise[i] = own ? 0 : noise;
  }
}

static void set_pair(example *e, size_t j, size_t l, double rho, double noise) {
  const size_t d = e->law.d;
  e->law.pair[j * d + l] = e->law.pair[l * d + j] = rho;
  e->law.pair_noise[j * d + l] = e->law.pair_noise[l * d + j] = noise;
}

/* The density of one correlation x of two columns, with its spread summed over the grid of ratios
 * that correlations.c has, but for a constant. */
static double density(double x, double rho, double noise, double strong) {
  double sum = 0;
  for (int i = 0; i < 40; i++) {
    const double t = 0.01 * pow(60, i / 39.0);
    const double near = exp(-x * x / (2 * t * t)) / (t * sqrt(2 * 3.141592653589793));
    sum += ((1 - strong) * near + strong / 2) * t / (t * t + 0.01);
  }
  return sum * pow(1 - x * x, 2) * exp(-(x - rho) * (x - rho) / (2 * noise * noise));
}

/* The share below `cut`. */
static double share_below(double cut, double rho, double noise, double strong) {
  double below = 0, all = 0;
  for (int i = 0; i < 20000; i++) {
    const double x = -1 + (i + 0.5) / 10000, p = density(x, rho, noise, strong);
    all += p;
    below += x < cut ? p : 0;
  }
  return below / all;
}

/* Of 20,000 draws that depend on each other, so three in a hundred is beyond any chance. */
TEST(two_columns_have_the_law_of_quadrature) {
  static const double cases[][2] = {{0, 0.3}, {0.5, 0.25}, {0.9, 0.1}, {1.4, 0.4}, {-0.2, 0.05}};
  enum { DRAWS = 20000, CUTS = 5 };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    example e;
    correlations c;
    random_source source;
    size_t below[CUTS] = {0};
    open_example(&e, 2, 1);
    set_pair(&e, 0, 1, cases[k][0], cases[k][1]);
    assert_ok(correlations_open(&e.law, &c, err));
    assert_ok(random_seeded(k + 1, &source, err));
    for (size_t i = 0; i < DRAWS; i++) {
      correlations_sweep(&c, &source);
      for (size_t cut = 0; cut < CUTS; cut++) {
        below[cut] += c.matrix[1] < -0.3 + 0.3 * (double)cut;
      }
    }
    for (size_t cut = 0; cut < CUTS; cut++) {
      const double wanted =
          share_below(-0.3 + 0.3 * (double)cut, cases[k][0], cases[k][1], c.strong);
      assert_close((double)below[cut] / DRAWS, wanted, 0.03);
    }
    correlations_close(&c);
    interval_law_free(&e.law);
  }
}

/* Also where what was released is no correlation at all, as under much noise. */
TEST(the_inverse_is_one_whatever_was_released) {
  static const double noises[] = {0.02, 0.4, 3};
  for (size_t k = 0; k < sizeof noises / sizeof *noises; k++) {
    example e;
    correlations c;
    random_source source;
    assert_ok(random_seeded(9 + k, &source, err));
    open_example(&e, MOST, noises[k]);
    for (size_t j = 0; j < MOST; j++) {
      for (size_t l = j + 1; l < MOST; l++) {
        set_pair(&e, j, l, 0.3 + noises[k] * random_normal(&source), noises[k]);
      }
    }
    assert_ok(correlations_open(&e.law, &c, err));
    for (size_t sweep = 0; sweep < 50; sweep++) {
      correlations_sweep(&c, &source);
      for (size_t j = 0; j < MOST; j++) {
        for (size_t l = 0; l < MOST; l++) {
          double sum = 0, squared = 0;
          for (size_t i = 0; i < MOST; i++) {
            sum += c.matrix[j * MOST + i] * c.inverse[i < l ? i * MOST + l : l * MOST + i];
            squared += c.root[j * MOST + i] * c.root[l * MOST + i];
          }
          assert_close(sum, j == l ? 1 : 0, 1e-6);
          const double own = c.inverse[j < l ? j * MOST + l : l * MOST + j];
          assert_close(squared, own, 1e-9 * fabs(own));
        }
      }
    }
    correlations_close(&c);
    interval_law_free(&e.law);
  }
}

/* Nearly the same, and the noise could hide how nearly: the variance of a slope varies by much. */
TEST(columns_that_noise_makes_alike_stay_unsure) {
  enum { DRAWS = 500 };
  double own[DRAWS];
  example e;
  correlations c;
  random_source source;
  open_example(&e, 4, 0.05);
  set_pair(&e, 1, 2, 0.97, 0.1);
  assert_ok(correlations_open(&e.law, &c, err));
  assert_ok(random_seeded(3, &source, err));
  for (size_t i = 0; i < DRAWS; i++) {
    correlations_sweep(&c, &source);
    own[i] = c.inverse[1 * 4 + 1];
  }
  vector_sort(own, DRAWS);
  assert_true(own[DRAWS / 2] > 2 && own[DRAWS * 9 / 10] > 2 * own[DRAWS / 10]);
  correlations_close(&c);
  interval_law_free(&e.law);
}
