/* The noise of a refinement: every count of every column has discrete Laplace noise of the rate
 * that the claim calls for, independent of the others. The distance of Kolmogorov and Smirnov is
 * bounded for every law and number of draws (Dvoretzky, Kiefer & Wolfowitz, Massart), here at 1e-9
 * for all tests together; the seed is fixed besides, so nothing here fails now and then. */
#include <math.h>
#include <stdlib.h>

#include "random/discrete_sampling.h"
#include "refine/refine_counts.h"
#include "support.h"

enum { COLUMNS = 5, CELLS = 40, DRAWS = 4000 };

typedef struct histograms {
  int64_t counts[COLUMNS][CELLS];
  cell_counts columns[COLUMNS];
  refine_counts all;
} histograms;

static void fill(histograms *h) {
  h->all = (refine_counts){.count = COLUMNS, .columns = h->columns};
  for (size_t i = 0; i < COLUMNS; i++) {
    for (size_t c = 0; c < CELLS; c++) {
      h->counts[i][c] = (int64_t)(c % 3 == 0 ? 0 : 100 * c); /* empty cells are noisy, too */
    }
    h->columns[i] = (cell_counts){.column = i, .cells = CELLS, .counts = h->counts[i]};
  }
}

/* P(Y ≤ y) of P(y) ∝ q^|y|. */
static double law(double y, double rate) {
  double q = exp(-rate);
  return y >= 0 ? 1 - exp(-rate * (y + 1)) / (1 + q) : exp(rate * y) / (1 + q);
}

static int compare(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static double distance(double *sample, size_t count, double rate) {
  double most = 0, n = (double)count;
  qsort(sample, count, sizeof *sample, compare);
  for (size_t from = 0, to = 0; from < count; from = to) {
    for (to = from + 1; to < count && sample[to] == sample[from]; to++) {
    }
    most = fmax(most, fabs((double)from / n - law(sample[from] - 1, rate)));
    most = fmax(most, fabs((double)to / n - law(sample[from], rate)));
  }
  return most;
}

TEST(every_count_has_the_noise_of_the_claim) {
  static const struct {
    double epsilon;
    size_t rows;
  } claims[] = {{0.08, 1}, {1, 1}, {1, 3}, {20, 1}};
  double limit = sqrt(log(2.0 * 4 * COLUMNS * 3 / 1e-9) / (2.0 * DRAWS));
  for (size_t k = 0; k < sizeof claims / sizeof *claims; k++) {
    const guarantee g = guarantee_of_histograms(claims[k].epsilon, claims[k].rows, COLUMNS,
                                                DPERM_NEIGHBOURS_REPLACE);
    double rate = claims[k].epsilon / (double)(claims[k].rows * 2 * COLUMNS);
    static double noise[COLUMNS][3][DRAWS]; /* of the first, the middle and the last cell */
    static const size_t places[3] = {0, CELLS / 2, CELLS - 1};
    double across = 0;
    random_source source;
    assert_ok(random_seeded(40 + k, &source, err));
    for (size_t d = 0; d < DRAWS; d++) {
      static histograms exact, noisy;
      fill(&exact);
      fill(&noisy);
      refine_blur(&noisy.all, &g, &source);
      for (size_t i = 0; i < COLUMNS; i++) {
        for (size_t p = 0; p < 3; p++) {
          noise[i][p][d] = (double)(noisy.counts[i][places[p]] - exact.counts[i][places[p]]);
        }
        across += (noise[i][0][d] > 0) == (noise[i][2][d] > 0);
      }
    }
    assert_ok(random_check(&source, err));
    /* signs of two counts agree as often as those of independent ones do */
    double up = 1 - law(0, rate), alike = up * up + (1 - up) * (1 - up), n = DRAWS * COLUMNS;
    assert_true(fabs(across / n - alike) <= sqrt(log(2e9) / (2 * n)));
    for (size_t i = 0; i < COLUMNS; i++) {
      for (size_t p = 0; p < 3; p++) {
        double off = distance(noise[i][p], DRAWS, rate);
        if (off > limit) {
          fail_msg("epsilon %g: column %zu, place %zu is off by %g of %g", claims[k].epsilon, i, p,
                   off, limit);
        }
      }
    }
  }
}

/* The rate is never above what exact rationals allow: 2 k' p times it is at most epsilon. */
TEST(the_rate_is_rounded_to_the_safe_side) {
  random_source r;
  assert_ok(random_seeded(9, &r, err));
  for (int i = 0; i < 20000; i++) {
    double epsilon = exp(-7 + 9 * random_unit(&r));
    size_t columns = 1 + (size_t)random_below(&r, 300), rows = 1 + (size_t)random_below(&r, 9);
    const guarantee g = guarantee_of_histograms(epsilon, rows, columns, DPERM_NEIGHBOURS_REPLACE);
    ratio rate = ratio_below(g.epsilon_class);
    long double all = (long double)rate.over / (long double)rate.under * 2.0L *
                      (long double)columns * (long double)rows;
    assert_true(all <= (long double)epsilon && all >= (long double)epsilon * (1 - 3e-6L));
  }
}
