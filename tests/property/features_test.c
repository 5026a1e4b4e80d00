/* Random features: the laws of their directions (Kolmogorov–Smirnov with Massart's bound, a false
 * alarm below 1e-6 a check), their norm in exact arithmetic, how fast and with how little variance
 * they approach their kernels, and that directions come from the public seed alone. The matrix
 * operations themselves are in tests/unit/matrix_conformance_test.c. Seeds are fixed. */
#include <math.h>
#include <stdlib.h>

#include "base/thread_pool.h"
#include "exact_norm.h"
#include "kernel/features.h"
#include "model/model.h"
#include "reference.h"

static feature_map *map_of(dperm_kernel_kind name, double gamma, size_t features, int independent,
                           uint64_t seed, size_t inputs) {
  const dperm_kernel kernel = {name, gamma, features, independent, seed};
  feature_map *map = NULL;
  assert_ok(feature_map_new(&kernel, inputs, NULL, &map, err));
  return map;
}

static const dperm_kernel_kind kernels[] = {DPERM_KERNEL_GAUSSIAN, DPERM_KERNEL_LAPLACIAN,
                                            DPERM_KERNEL_CAUCHY};

/* k(x, y), written out from its definition. */
static double kernel_value(dperm_kernel_kind name, double gamma, const double *x, const double *y,
                           size_t d) {
  double squares = 0, sizes = 0, product = 1;
  for (size_t j = 0; j < d; j++) {
    double gap = fabs(x[j] - y[j]);
    squares += gap * gap;
    sizes += gap;
    product /= 1 + gamma * gamma * gap * gap;
  }
  return name == DPERM_KERNEL_GAUSSIAN    ? exp(-gamma * squares)
         : name == DPERM_KERNEL_LAPLACIAN ? exp(-gamma * sizes)
                                          : product;
}

/* ---- rows */

TEST(features_are_cosines_then_sines_of_the_directions) {
  enum { D = 24, COLS = 5, ROWS = 300 };
  OWNED(test_rows_free_at) test_rows *t = test_rows_random(3, ROWS, COLS, 0.7);
  for (size_t k = 0; k < 3; k++) {
    OWNED(feature_map_free_at) feature_map *map = map_of(kernels[k], 1.5, D, 0, 9, COLS);
    const matrix *inner[] = {t->dense, t->sparse};
    for (size_t m = 0; m < 2; m++) {
      OWNED(matrix_free_at) matrix *x = NULL;
      double row[D];
      assert_ok(features_new(map, inner[m], &x, err));
      for (size_t i = 0; i < ROWS; i += 7) {
        x->kind->row(x, i, row);
        for (size_t r = 0; r < D / 2; r++) {
          long double angle = 0, size = 0;
          for (size_t j = 0; j < COLS; j++) {
            long double term = (long double)t->x[i * COLS + j] * map->directions[j * (D / 2) + r];
            angle += term;
            size += fabsl(term);
          }
          double near = 1e-15 * (1 + (double)size);
          assert_close(row[r], (double)(sqrtl(2.0L / D) * cosl(angle)), near);
          assert_close(row[D / 2 + r], (double)(sqrtl(2.0L / D) * sinl(angle)), near);
        }
      }
    }
  }
}

/* Over sparse rows, as files give them, a record has the same bits wherever it stands. */
TEST(features_over_sparse_rows_do_not_depend_on_their_place) {
  enum { D = 30, COLS = 9, ROWS = 700 };
  OWNED(test_rows_free_at) test_rows *t = test_rows_random(4, ROWS, COLS, 0.4);
  OWNED(feature_map_free_at) feature_map *map = map_of(DPERM_KERNEL_GAUSSIAN, 2, D, 0, 1, COLS);
  OWNED(matrix_free_at) matrix *x = NULL, *part = NULL;
  size_t chosen[ROWS];
  double a[D], b[D];
  for (size_t i = 0; i < ROWS; i++) {
    chosen[i] = ROWS - 1 - i;
  }
  assert_ok(features_new(map, t->sparse, &x, err));
  assert_ok(x->kind->select(x, chosen, ROWS - 13, &part, err));
  for (size_t i = 0; i < ROWS - 13; i++) {
    x->kind->row(x, chosen[i], a);
    part->kind->row(part, i, b);
    assert_memory_equal(a, b, sizeof a);
  }
}

/* ---- the norm, exactly */

static void check_norms(const matrix *x, double *row) {
  for (size_t i = 0; i < x->rows; i += 1 + x->rows / 40) {
    x->kind->row(x, i, row);
    assert_true(compare_norm(row, x->cols, FEATURES_NORM) <= 0);
    assert_true(compare_norm(row, x->cols, 1 - 0x1p-40) >= 0);
  }
}

/* Every number of pairs up to 300 and some large ones, all kernels, γ from tiny to absurd, rows of
 * zeros among them: the rounding of √(1/half) is different for each. */
TEST(every_row_has_norm_one_up_to_two_to_the_minus_48) {
  enum { COLS = 6, LARGEST = 20000 };
  static double row[LARGEST];
  static const double gammas[] = {1e-12, 0.01, 1, 40, 1e8, 1e100};
  OWNED(test_rows_free_at) test_rows *t = test_rows_random(5, 40, COLS, 0.5);
  for (size_t half = 1; half <= LARGEST / 2; half = half < 300 ? half + 1 : half * 3 / 2) {
    size_t g = half % 6;
    OWNED(feature_map_free_at)
    feature_map *map = map_of(kernels[half % 3], gammas[g], 2 * half, 0, half, COLS);
    OWNED(matrix_free_at) matrix *x = NULL;
    assert_ok(features_new(map, half % 2 ? t->dense : t->sparse, &x, err));
    check_norms(x, row);
  }
}

/* ---- approximation */

enum { PAIRS = 100, DIMS = 8 };

typedef struct pairs {
  test_rows *t; /* 2·PAIRS rows */
  double exact[PAIRS];
} pairs;

static pairs pairs_for(dperm_kernel_kind name, double gamma, uint64_t seed) {
  pairs p = {.t = test_rows_random(seed, 2 * PAIRS, DIMS, 1)};
  for (size_t i = 0; i < PAIRS; i++) {
    const double *x = p.t->x + 2 * i * DIMS;
    p.exact[i] = kernel_value(name, gamma, x, x + DIMS, DIMS);
  }
  return p;
}

/* k̂ − k for each pair. */
static void estimate(const pairs *p, const feature_map *map, double *gaps) {
  OWNED(matrix_free_at) matrix *x = NULL;
  assert_ok(features_new(map, p->t->dense, &x, err));
  OWNED_MEMORY double *work = calloc(x->work_size, sizeof *work);
  assert_non_null(work);
  const double *rows = x->kind->block(x, 0, 2 * PAIRS, work);
  for (size_t i = 0; i < PAIRS; i++) {
    double sum = 0;
    for (size_t j = 0; j < x->cols; j++) {
      sum += rows[2 * i * x->cols + j] * rows[(2 * i + 1) * x->cols + j];
    }
    gaps[i] = sum - p->exact[i];
  }
}

/* The largest gap, averaged over a few seeds, at D = 64, …, 4096: the slope of its logarithm is
 * −1/2. */
TEST(the_largest_error_falls_like_one_over_the_root_of_d) {
  enum { SEEDS = 12, STEPS = 7 };
  for (size_t k = 0; k < 3; k++) {
    pairs p = pairs_for(kernels[k], 1.0, 6);
    double xs = 0, ys = 0, xx = 0, xy = 0;
    for (size_t step = 0; step < STEPS; step++) {
      size_t features = (size_t)64 << step;
      double mean = 0, gaps[PAIRS];
      for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        OWNED(feature_map_free_at)
        feature_map *map = map_of(kernels[k], 1.0, features, 0, 100 * step + seed, DIMS);
        double most = 0;
        estimate(&p, map, gaps);
        for (size_t i = 0; i < PAIRS; i++) {
          most = fmax(most, fabs(gaps[i]));
        }
        mean += most / SEEDS;
      }
      double x = log((double)features), y = log(mean);
      assert_true(mean < 6 / sqrt((double)features));
      xs += x / STEPS;
      ys += y / STEPS;
      xx += x * x / STEPS;
      xy += x * y / STEPS;
    }
    assert_close((xy - xs * ys) / (xx - xs * xs), -0.5, 0.08);
    test_rows_free(p.t);
  }
}

/* Mean square of the gaps over many maps. */
static double mean_square(const pairs *p, dperm_kernel_kind name, double gamma, size_t features,
                          int independent, size_t maps) {
  double sum = 0, gaps[PAIRS];
  for (uint64_t seed = 1; seed <= maps; seed++) {
    OWNED(feature_map_free_at)
    feature_map *map = map_of(name, gamma, features, independent, seed, DIMS);
    estimate(p, map, gaps);
    for (size_t i = 0; i < PAIRS; i++) {
      sum += gaps[i] * gaps[i];
    }
  }
  return sum / (double)(PAIRS * maps);
}

/* The paper's features √(2/D)·cos(ωᵀx + ψ), D directions with a uniform phase each. */
static double mean_square_of_phases(const pairs *p, double gamma, size_t features, size_t maps) {
  double sum = 0;
  random_source r = seeded(77);
  for (size_t m = 0; m < maps; m++) {
    double estimates[PAIRS] = {0};
    for (size_t f = 0; f < features; f++) {
      double omega[DIMS], psi = 6.283185307179586 * random_unit(&r);
      for (size_t j = 0; j < DIMS; j++) {
        omega[j] = sqrt(2 * gamma) * random_normal(&r);
      }
      for (size_t i = 0; i < PAIRS; i++) {
        const double *x = p->t->x + 2 * i * DIMS;
        double a = psi, b = psi;
        for (size_t j = 0; j < DIMS; j++) {
          a += omega[j] * x[j];
          b += omega[j] * x[DIMS + j];
        }
        estimates[i] += 2 / (double)features * cos(a) * cos(b);
      }
    }
    for (size_t i = 0; i < PAIRS; i++) {
      sum += (estimates[i] - p->exact[i]) * (estimates[i] - p->exact[i]);
    }
  }
  return sum / (double)(PAIRS * maps);
}

TEST(pairs_have_less_variance_than_phases) {
  for (double gamma = 0.25; gamma <= 1; gamma *= 2) {
    pairs p = pairs_for(DPERM_KERNEL_GAUSSIAN, gamma, 7);
    double paired = mean_square(&p, DPERM_KERNEL_GAUSSIAN, gamma, 32, 1, 400);
    double phases = mean_square_of_phases(&p, gamma, 32, 400);
    assert_true(paired < 0.8 * phases);
    test_rows_free(p.t);
  }
}

TEST(orthogonal_directions_have_less_variance_than_independent_ones) {
  for (double gamma = 0.25; gamma <= 1; gamma *= 2) {
    pairs p = pairs_for(DPERM_KERNEL_GAUSSIAN, gamma, 8);
    double orthogonal = mean_square(&p, DPERM_KERNEL_GAUSSIAN, gamma, 32, 0, 800);
    double independent = mean_square(&p, DPERM_KERNEL_GAUSSIAN, gamma, 32, 1, 800);
    assert_true(orthogonal < 0.85 * independent);
    test_rows_free(p.t);
  }
}

TEST(features_estimate_their_kernels_without_bias) {
  enum { MAPS = 1500, D = 64 };
  for (size_t k = 0; k < 4; k++) {
    dperm_kernel_kind name = kernels[k % 3];
    pairs p = pairs_for(name, 0.8, 9);
    double sum[PAIRS] = {0}, gaps[PAIRS];
    for (uint64_t seed = 1; seed <= MAPS; seed++) {
      OWNED(feature_map_free_at) feature_map *map = map_of(name, 0.8, D, k == 3, seed, DIMS);
      estimate(&p, map, gaps);
      for (size_t i = 0; i < PAIRS; i++) {
        sum[i] += gaps[i] / MAPS;
      }
    }
    /* a map's estimate has variance at most 2/D: six standard deviations, 1e-7 over all pairs */
    for (size_t i = 0; i < PAIRS; i++) {
      assert_close(sum[i], 0, 6 * sqrt(2.0 / D / MAPS));
    }
    test_rows_free(p.t);
  }
}

/* ---- the directions */

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double entry_law(dperm_kernel_kind name, double gamma, double x) {
  switch (name) {
  case DPERM_KERNEL_LAPLACIAN:
    return 0.5 + atan(x / gamma) / 3.141592653589793;
  case DPERM_KERNEL_CAUCHY:
    return x < 0 ? 0.5 * exp(x / gamma) : 1 - 0.5 * exp(-x / gamma);
  default:
    return 0.5 * erfc(-x / sqrt(2 * 2 * gamma));
  }
}

/* P(sup |F_n − F| > t) ≤ 2 exp(−2nt²) (Massart), here 1e-7. */
static void check_law(double *sample, size_t n, dperm_kernel_kind name, double gamma) {
  double most = 0;
  qsort(sample, n, sizeof *sample, ascending);
  for (size_t i = 0; i < n; i++) {
    double p = entry_law(name, gamma, sample[i]);
    most = fmax(most, fmax(p - (double)i / (double)n, (double)(i + 1) / (double)n - p));
  }
  assert_true(most < sqrt(log(2e7) / (2 * (double)n)));
}

TEST(entries_of_the_directions_have_their_law) {
  enum { INPUTS = 20, D = 4000, COUNT = INPUTS * D / 2 };
  for (size_t k = 0; k < 3; k++) {
    for (double gamma = 0.3; gamma < 10; gamma *= 5) {
      OWNED(feature_map_free_at) feature_map *map = map_of(kernels[k], gamma, D, 1, 11 + k, INPUTS);
      check_law(map->directions, COUNT, kernels[k], gamma);
    }
  }
}

/* One entry from each of many maps, since entries of one rotation depend on each other: of the
 * first direction, and of the last one, whose rotation is not whole. */
TEST(entries_of_orthogonal_directions_have_their_law) {
  enum { MAPS = 20000, INPUTS = 3, HALF = 5 };
  static double first[MAPS], last[MAPS];
  for (size_t m = 0; m < MAPS; m++) {
    OWNED(feature_map_free_at)
    feature_map *map = map_of(DPERM_KERNEL_GAUSSIAN, 0.7, 2 * HALF, 0, m + 1, INPUTS);
    first[m] = map->directions[(m % INPUTS) * HALF];
    last[m] = map->directions[(m % INPUTS) * HALF + HALF - 1];
  }
  check_law(first, MAPS, DPERM_KERNEL_GAUSSIAN, 0.7);
  check_law(last, MAPS, DPERM_KERNEL_GAUSSIAN, 0.7);
}

TEST(directions_of_a_rotation_are_orthogonal) {
  static const size_t inputs[] = {1, 2, 7, 30, 100};
  enum { HALF = 45 };
  for (size_t c = 0; c < 5; c++) {
    size_t d = inputs[c];
    OWNED(feature_map_free_at)
    feature_map *map = map_of(DPERM_KERNEL_GAUSSIAN, 1, 2 * HALF, 0, 12, d);
    for (size_t a = 0; a < HALF; a++) {
      for (size_t b = a + 1; b < HALF && b / d == a / d; b++) {
        double dot = 0, aa = 0, bb = 0;
        for (size_t i = 0; i < d; i++) {
          double u = map->directions[i * HALF + a], v = map->directions[i * HALF + b];
          dot += u * v;
          aa += u * u;
          bb += v * v;
        }
        assert_true(fabs(dot) < 1e-13 * sqrt(aa * bb));
      }
    }
  }
}

TEST(directions_depend_on_the_seed_and_not_on_threads) {
  enum { INPUTS = 300, D = 1000 };
  for (size_t k = 0; k < 3; k++) {
    feature_map *maps[3];
    for (int i = 0; i < 3; i++) {
      thread_scope scope = threads_enter(i + 1);
      maps[i] = map_of(kernels[k], 1, D, 0, 1 + (i == 2), INPUTS);
      threads_leave(&scope);
    }
    size_t size = INPUTS * (D / 2) * sizeof(double);
    assert_memory_equal(maps[0]->directions, maps[1]->directions, size);
    assert_memory_not_equal(maps[0]->directions, maps[2]->directions, size);
    for (int i = 0; i < 3; i++) {
      feature_map_free(maps[i]);
    }
  }
}

/* A short map over very many columns takes space for its own directions, not for a whole rotation.
 */
TEST(few_features_over_many_columns_need_little_memory) {
  OWNED(feature_map_free_at) feature_map *map = map_of(DPERM_KERNEL_GAUSSIAN, 1, 4, 0, 1, 3000000);
  assert_true(isfinite(map->directions[0]));
}

/* ---- in a fit */

static dperm_model *fitted(const dperm_data *data, uint64_t kernel_seed, uint64_t noise_seed) {
  dperm_options options = options_for(1);
  dperm_model *model = NULL;
  options.lambda = 0.01;
  options.kernel = (dperm_kernel){DPERM_KERNEL_GAUSSIAN, 1, 12, 0, kernel_seed};
  assert_ok(dperm_random_seeded(noise_seed, &options.random, err));
  assert_ok(dperm_train(data, &options, &model, err));
  dperm_random_free(options.random);
  return model;
}

TEST(a_fit_takes_directions_from_the_kernel_seed_and_noise_from_its_own) {
  OWNED(test_rows_free_at) test_rows *t = test_rows_random(14, 500, 4, 1);
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  assert_ok(dperm_data_from_dense(500, 4, t->x, t->labels, 1, &data, err));
  auto_model *a = fitted(data, 5, 1), *b = fitted(data, 5, 2), *c = fitted(data, 0, 1);
  size_t size = 4 * 6 * sizeof(double);
  assert_memory_equal(a->map->directions, b->map->directions, size);
  assert_memory_not_equal(a->weights, b->weights, 12 * sizeof(double));
  assert_true(a->map->kernel.seed == 5 && c->map->kernel.seed > 0 &&
              c->map->kernel.seed >> 53 == 0);
  OWNED(feature_map_free_at)
  feature_map *again = map_of(DPERM_KERNEL_GAUSSIAN, 1, 12, 0, c->map->kernel.seed, 4);
  assert_memory_equal(c->map->directions, again->directions, size);
}

/* ---- out of range */

TEST(kernels_out_of_range_are_refused) {
  static const double gammas[] = {0, -1, 1e101, INFINITY, NAN};
  dperm_kernel kernel = {DPERM_KERNEL_GAUSSIAN, 1, 10, 0, 1};
  for (size_t i = 0; i < 5; i++) {
    kernel.gamma = gammas[i];
    assert_fails(kernel_validate(&kernel, 3, err), DPERM_INVALID_ARGUMENT, "gamma");
  }
  kernel.gamma = 1;
  for (kernel.features = 0; kernel.features < 8; kernel.features++) {
    if (kernel.features % 2 || kernel.features == 0) {
      assert_fails(kernel_validate(&kernel, 3, err), DPERM_INVALID_ARGUMENT, "even number");
    } else {
      assert_ok(kernel_validate(&kernel, 3, err));
    }
  }
  kernel.seed = UINT64_C(1) << 53;
  assert_fails(kernel_validate(&kernel, 3, err), DPERM_INVALID_ARGUMENT, "seed");
  kernel.seed = 0;
  kernel.kind = (dperm_kernel_kind)7;
  assert_fails(kernel_validate(&kernel, 3, err), DPERM_INVALID_ARGUMENT, "none of the three");
}

TEST(too_many_features_are_refused) {
  for (size_t inputs = 1; inputs < 1000000000; inputs *= 1000) {
    const dperm_kernel kernel = {DPERM_KERNEL_CAUCHY, 1, (size_t)1 << 40, 0, 1};
    assert_fails(kernel_validate(&kernel, inputs, err), DPERM_INVALID_ARGUMENT, "GB of memory");
  }
}
