/* Orthogonal directions by fast rotations: their law (Kolmogorov–Smirnov with Massart's bound, a
 * false alarm below 1e-7 a check if the seeds were not fixed), that they are orthogonal, how well
 * they estimate the kernel beside those of QR and independent ones, and what they cost. That they
 * never change is in hadamard_model_test.c. */
#include <math.h>
#include <stdlib.h>

#include "fast_features.h"
#include "random/random_source.h"
#include "reference.h"
#include "run/fit.h"

static hadamard_directions *directions_of(uint64_t seed, double scale, size_t d, size_t count) {
  hadamard_directions *h = NULL;
  random_source r = seeded(seed);
  assert_ok(hadamard_directions_new(&r, scale, d, count, NULL, &h, err));
  return h;
}

static double *new_doubles(size_t doubles) {
  double *work = calloc(doubles, sizeof *work);
  assert_non_null(work);
  return work;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* P(sup |F_n − F| > t) ≤ 2 exp(−2nt²) (Massart), here 1e-7. */
static void check_law(double *sample, size_t n, double (*law)(double x, size_t k), size_t k,
                      double slack) {
  double most = 0;
  qsort(sample, n, sizeof *sample, ascending);
  for (size_t i = 0; i < n; i++) {
    double p = law(sample[i], k);
    most = fmax(most, fmax(p - (double)i / (double)n, (double)(i + 1) / (double)n - p));
  }
  assert_true(most < slack + sqrt(log(2e7) / (2 * (double)n)));
}

static double normal_law(double x, size_t k) {
  return 0.5 * erfc(-x / sqrt(2));
}

/* P(χ_k ≤ x): with t = x²/2, 1 − e^−t Σ t^i/i! over i < k/2 for even k, and the same with halves
 * for odd ones. */
static double chi_law(double x, size_t k) {
  double t = x * x / 2, log_term = k % 2 ? -t + 0.5 * log(t) - lgamma(1.5) : -t;
  double above = k % 2 ? erfc(sqrt(t)) : 0;
  for (size_t i = 0; 2 * i + 1 < k; i++) {
    above += exp(log_term);
    log_term += log(t) - log((double)i + (k % 2 ? 1.5 : 1));
  }
  return 1 - above;
}

TEST(lengths_have_the_law_of_gaussian_vectors) {
  enum { DRAWS = 100000 };
  static const size_t sizes[] = {2, 3, 64, 65, 1000};
  static double sample[DRAWS];
  for (size_t c = 0; c < 5; c++) {
    random_source r = seeded(20 + c);
    for (size_t i = 0; i < DRAWS; i++) {
      sample[i] = random_chi(&r, sizes[c]);
    }
    check_law(sample, DRAWS, chi_law, sizes[c], 0);
  }
}

/* Sizes with one rotation, several of them, and several pieces. */
static const struct {
  size_t d, count;
} shapes[] = {{64, 64}, {64, 3}, {100, 70}, {127, 300}, {300, 64}, {450, 90}, {1000, 5}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Angles with a fixed x of length 1, from many maps: x a single entry, two entries, and all alike,
 * which are the hardest cases for a Hadamard matrix. One angle of each map has the law of a normal
 * variable but for a lattice: entries of Q are sums of products of signs, which a power of two n
 * makes equal to 0 in 2.5/n of all cases. The kernel does not see it: the means over all angles of
 * cos and of squares and fourth powers are right, within six standard deviations of independent
 * ones. */
TEST(directions_have_the_law_of_gaussian_vectors) {
  enum { MAPS_MOST = 20000 };
  static double sample[3][MAPS_MOST], x[3][1000], angles[300];
  const size_t maps = repetitions(MAPS_MOST / 2, MAPS_MOST);
  for (size_t c = 0; c < 5; c++) {
    size_t d = shapes[c].d, count = shapes[c].count;
    double *work = new_doubles(hadamard_work_size(d, count)), total = (double)(count * maps);
    double cosines[3] = {0}, squares[3] = {0}, fourths[3] = {0};
    memset(x, 0, sizeof x);
    x[0][d / 3] = 1;
    x[1][0] = x[1][d - 1] = sqrt(0.5);
    for (size_t j = 0; j < d; j++) {
      x[2][j] = 1 / sqrt((double)d);
    }
    for (size_t m = 0; m < maps; m++) {
      OWNED(hadamard_directions_free_at) hadamard_directions *h = directions_of(m + 1, 1, d, count);
      for (size_t k = 0; k < 3; k++) {
        hadamard_angles(h, d, NULL, x[k], angles, work);
        sample[k][m] = angles[m % count];
        for (size_t r = 0; r < count; r++) {
          double square = angles[r] * angles[r];
          cosines[k] += cos(angles[r]) / total;
          squares[k] += square / total;
          fourths[k] += square * square / total;
        }
      }
    }
    for (size_t k = 0; k < 3; k++) {
      check_law(sample[k], maps, normal_law, 0, 1.5 / 64);
      assert_close(cosines[k], exp(-0.5), 6 * sqrt(0.2 / total)); /* the variances of one: */
      assert_close(squares[k], 1, 6 * sqrt(2 / total));
      assert_close(fourths[k], 3, 6 * sqrt(96 / total));
    }
    free(work);
  }
}

/* Those of one rotation; their lengths are χ_d, within seven standard deviations. */
TEST(directions_are_orthogonal_and_as_long_as_gaussian_vectors) {
  for (size_t c = 0; c < SHAPES; c++) {
    size_t d = shapes[c].d, count = shapes[c].count;
    OWNED(hadamard_directions_free_at) hadamard_directions *h = directions_of(30 + c, 2, d, count);
    OWNED_MEMORY double *all = new_doubles(count * d),
                        *work = new_doubles(hadamard_work_size(d, count));
    for (size_t r = 0; r < count; r++) {
      hadamard_direction(h, r, all + r * d, work);
    }
    for (size_t a = 0; a < count; a++) {
      double square = 0;
      for (size_t i = 0; i < d; i++) {
        square += all[a * d + i] * all[a * d + i] / 4;
      }
      assert_close(sqrt(square), sqrt((double)d), 7 * sqrt(0.5));
      for (size_t b = a + 1; b < count && b / d == a / d; b++) {
        double dot = 0;
        for (size_t i = 0; i < d; i++) {
          dot += all[a * d + i] * all[b * d + i];
        }
        assert_true(fabs(dot) < 1e-12 * (double)d);
      }
    }
  }
}

/* Angles are products with the directions, the same bits from a sparse row and from a dense one. */
TEST(angles_are_products_with_the_directions) {
  for (size_t c = 0; c < SHAPES; c++) {
    size_t d = shapes[c].d, count = shapes[c].count, entries = 0;
    OWNED(hadamard_directions_free_at)
    hadamard_directions *h = directions_of(40 + c, 0.5, d, count);
    OWNED_MEMORY double *work = new_doubles(hadamard_work_size(d, count)), *row = new_doubles(d),
                        *values = new_doubles(d);
    OWNED_MEMORY double *dense = new_doubles(count), *sparse = new_doubles(count),
                        *direction = new_doubles(d);
    uint32_t columns[1000];
    random_source r = seeded(50 + c);
    for (size_t j = 0; j < d; j++) {
      if (random_bits(&r) % 64 == 0) {
        columns[entries] = (uint32_t)j;
        row[j] = values[entries++] = random_normal(&r);
      }
    }
    hadamard_angles(h, d, NULL, row, dense, work);
    hadamard_angles(h, entries, columns, values, sparse, work);
    assert_memory_equal(dense, sparse, count * sizeof *dense);
    for (size_t k = 0; k < count; k++) {
      double sum = 0;
      hadamard_direction(h, k, direction, work);
      for (size_t j = 0; j < d; j++) {
        sum += direction[j] * row[j];
      }
      assert_close(dense[k], sum, 1e-12 * sqrt((double)d));
    }
  }
}

/* ---- the kernel */

enum { PAIRS = 20 };

/* Mean square error of the kernel's estimate at gaps of length 1, over maps and gaps. */
static double mean_square(feature_kind kind, size_t d, size_t count, size_t entries, size_t maps) {
  double sum = 0, *gaps = new_doubles(PAIRS * d), *angles = new_doubles(count);
  random_source r = seeded(60);
  for (size_t p = 0; p < PAIRS; p++) {
    double *gap = gaps + p * d, square = 0;
    for (size_t k = 0; k < entries; k++) {
      gap[entries < d ? random_bits(&r) % d : k] = random_normal(&r);
    }
    for (size_t j = 0; j < d; j++) {
      square += gap[j] * gap[j];
    }
    for (size_t j = 0; j < d; j++) {
      gap[j] /= sqrt(square);
    }
  }
  for (uint64_t seed = 1; seed <= maps; seed++) {
    const dperm_kernel kernel = {DPERM_KERNEL_GAUSSIAN, 0.5, 2 * count, 0, seed};
    OWNED(feature_map_free_at) feature_map *map = NULL;
    assert_ok(feature_map_draw(&kernel, kind, d, NULL, &map, err));
    for (size_t p = 0; p < PAIRS; p++) {
      double error = -exp(-0.5);
      memset(angles, 0, count * sizeof *angles);
      for (size_t j = 0; j < d; j++) {
        for (size_t k = 0; gaps[p * d + j] != 0 && k < count; k++) {
          angles[k] += gaps[p * d + j] * map->directions[j * count + k];
        }
      }
      for (size_t k = 0; k < count; k++) {
        error += cos(angles[k]) / (double)count;
      }
      sum += error * error;
    }
  }
  free(gaps);
  free(angles);
  return sum / (double)(PAIRS * maps);
}

/* As QR's within a seventh, and a fraction of the independent ones'. A mean over so many maps has a
 * standard error of two percent (docs/performance.md has the figures): seven of the difference's,
 * 1e-11 a comparison if the seeds were not fixed. */
TEST(the_kernel_is_estimated_as_well_as_by_qr) {
  static const struct {
    size_t d, count, entries;
    double share; /* of the independent ones' */
  } cases[] = {{64, 64, 64, 0.2}, {100, 100, 100, 0.2}, {100, 100, 2, 0.2}, {127, 200, 127, 0.7}};
  enum { MAPS = 300 };
  for (size_t c = 0; c < 4; c++) {
    size_t d = cases[c].d, count = cases[c].count, entries = cases[c].entries;
    double fast = mean_square(FEATURES_HADAMARD, d, count, entries, MAPS);
    double qr = mean_square(FEATURES_ORTHOGONAL, d, count, entries, MAPS);
    double independent = mean_square(FEATURES_IID, d, count, entries, MAPS);
    assert_true(fast < 1.15 * qr);
    assert_true(fast < cases[c].share * independent);
  }
}

/* ---- cost */

/* d = D = 10^4: 775 MB by QR, 400 MB for independent ones. */
TEST(memory_grows_with_columns_plus_features) {
  enum { MANY = 10000 };
  const dperm_kernel kernel = {DPERM_KERNEL_GAUSSIAN, 1, MANY, 0, 1};
  OWNED(feature_map_free_at) feature_map *map = NULL;
  assert_true(feature_map_bytes(FEATURES_HADAMARD, MANY, MANY) < 32.0 * (MANY + MANY));
  assert_ok(feature_map_new(&kernel, MANY, NULL, &map, err));
  assert_true(map->kind == FEATURES_HADAMARD && !map->directions);
  auto_rows *t = test_rows_random(70, 30, MANY, 0.01);
  OWNED(matrix_free_at) matrix *x = NULL;
  auto_data *data = NULL;
  assert_ok(features_new(map, t->sparse, &x, err));
  assert_true(x->work_size <=
              (size_t)MATRIX_BLOCK * 3 * MANY / 2 + 3 * MANY + t->sparse->work_size);
  dperm_options options = USUAL(dperm_options);
  options.kernel = kernel;
  assert_ok(dperm_data_from_dense(30, MANY, t->x, t->labels, 1, &data, err));
  assert_true(fit_memory_model(data, &options) < 1e6);
  options.kernel.independent = 1;
  assert_true(fit_memory_model(data, &options) > 4e8);
}

/* Rows over dense and over sparse ones, where directions are not written out: norm 1, the same
 * features. */
TEST(rows_of_many_features_have_norm_one) {
  enum { COLS = 3000, D = 6000, ROWS = 9 };
  static double row[D], other[D];
  const dperm_kernel kernel = {DPERM_KERNEL_GAUSSIAN, 50, D, 0, 2};
  OWNED(test_rows_free_at) test_rows *t = test_rows_random(71, ROWS, COLS, 0.02);
  OWNED(feature_map_free_at) feature_map *map = NULL;
  OWNED(matrix_free_at) matrix *dense = NULL, *sparse = NULL;
  assert_ok(feature_map_new(&kernel, COLS, NULL, &map, err));
  assert_true(!map->directions);
  assert_ok(features_new(map, t->dense, &dense, err));
  assert_ok(features_new(map, t->sparse, &sparse, err));
  for (size_t i = 0; i < ROWS; i++) {
    long double squares = 0;
    dense->kind->row(dense, i, row);
    sparse->kind->row(sparse, i, other);
    assert_memory_equal(row, other, sizeof row);
    for (size_t j = 0; j < D; j++) {
      squares += (long double)row[j] * row[j];
    }
    assert_true(sqrtl(squares) <= FEATURES_NORM && squares > 1 - 0x1p-40L);
  }
}

/* ---- a caller who wants to stop */

typedef struct patience {
  size_t calls, most;
} patience;

static bool tick(void *context, const char *stage, uint64_t done, uint64_t total) {
  patience *p = context;
  assert_string_equal(stage, "drawing directions");
  return ++p->calls > p->most;
}

/* However far it is: each kind asks often, and gives everything back. */
TEST(drawing_stops_on_request) {
  static const struct {
    feature_kind kind;
    size_t d, features, asks;
  } cases[] = {{FEATURES_IID, 2000, 1000, 15},         /* 10^6 numbers */
               {FEATURES_ORTHOGONAL, 20, 1000, 500},   /* each direction */
               {FEATURES_HADAMARD, 1000, 1000, 60},    /* written out, eight at a time */
               {FEATURES_HADAMARD, 100, 200000, 1000}, /* each rotation */
               {FEATURES_HADAMARD, 300000, 60, 4600}}; /* each piece */
  for (size_t c = 0; c < 5; c++) {
    const dperm_kernel kernel = {DPERM_KERNEL_GAUSSIAN, 1, cases[c].features, 0, 1};
    patience p = {.most = SIZE_MAX};
    dperm_progress progress = {tick, &p};
    OWNED(feature_map_free_at) feature_map *map = NULL;
    assert_ok(feature_map_draw(&kernel, cases[c].kind, cases[c].d, &progress, &map, err));
    assert_true(p.calls >= cases[c].asks);
    const size_t stops[] = {0, p.calls / 2, p.calls - 1};
    for (size_t s = 0; s < 3; s++) {
      p = (patience){.most = stops[s]};
      feature_map_free(TAKE(map));
      assert_fails(feature_map_draw(&kernel, cases[c].kind, cases[c].d, &progress, &map, err),
                   DPERM_CANCELLED, "stopped on request while drawing directions");
      assert_null(map);
    }
  }
}
