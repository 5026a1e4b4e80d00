/* One suite for every kind of matrix: each operation against plain loops over the rows in long
 * double, for sizes around every block and stripe, one and several right-hand sides, and the same
 * bits from 1, 2 and 3 threads; products in twice the precision against MPFR. Rows that are made in
 * every pass, or once for all, give the bits of those that are stored. A new kind is one more in
 * `kinds`; random features, whose rows are not those of the matrix below them, go through
 * the same checks over each of those. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/double_double.h"
#include "base/thread_pool.h"
#include "fast_features.h"
#include "plain_products.h"
#include "precise.h"

/* ---- the kinds */

enum { KINDS = 4 };

static const matrix *kind_of(const test_rows *t, size_t k) {
  const matrix *const kinds[KINDS] = {t->dense, t->sparse, t->made, t->kept};
  return kinds[k];
}

/* ---- rows to try them on */

/* About eight entries a row; every seventh row and, if there are enough, every eleventh column is
 * empty, and many rows repeat another. */
static test_rows *some_rows(size_t rows, size_t cols) {
  random_source r = seeded(rows * 1000 + cols);
  double *x = calloc(rows * cols, sizeof *x), *labels = calloc(rows, sizeof *labels);
  assert_true(x && labels);
  for (size_t i = 0; i < rows; i++) {
    labels[i] = 1;
    for (size_t j = 0; j < cols; j++) {
      bool on = i % 7 != 1 && j % 11 != 10 && random_unit(&r) * (double)cols < 8;
      x[i * cols + j] = on ? random_normal(&r) : 0.0;
    }
    if (i % 3 == 2) {
      memcpy(x + i * cols, x + (i - 1 - i % 2) * cols, cols * sizeof *x);
    }
  }
  return test_rows_of(rows, cols, x, labels);
}

static void compare(const char *what, const matrix *x, double got, sum expected) {
  if (!(fabsl(got - expected.value) <= 1e-14L * expected.size)) {
    fail_msg("%s %s of %zu x %zu: %.17g instead of %.17Lg", x->kind->name, what, x->rows, x->cols,
             got, expected.value);
  }
}

/* All of a few entries, some of many. */
enum { SAMPLE = 300 };
static size_t stride_for(size_t count) {
  return count <= SAMPLE ? 1 : count / SAMPLE | 1;
}

/* ---- one matrix, k right-hand sides */

typedef struct results {
  double *z, *g, *d, *h;
} results;

/* Weights for Xᵀ W, and the margins that they take the place of; each row is turned once. */
typedef struct turning {
  const double *w;
  size_t k;
  double *z;
} turning;

static void turn_once(void *context, size_t from, size_t count, double *z) {
  const turning *t = context;
  for (size_t i = 0, at = from * t->k; i < count * t->k; i++, at++) {
    t->z[at] = isnan(t->z[at]) ? z[i] : INFINITY;
    z[i] = t->w[at];
  }
}

static void apply_transposed(const matrix *x, const double *f, const double *w, size_t k, double *z,
                             double *g) {
  turning t = {w, k, z};
  assert_ok(x->kind->apply_both(x, f, k, turn_once, &t, g, err));
}

static results run(const matrix *x, const double *f, const double *w, size_t k) {
  OWNED_MEMORY double *margins = blank_array(x->rows * k);
  results r = {blank_array(x->rows * k), blank_array(x->cols * k), blank_array(x->cols * k),
               blank_array(x->cols * x->cols)};
  assert_ok(matrix_apply(x, f, k, r.z, err));
  apply_transposed(x, f, w, k, margins, r.g);
  assert_memory_equal(margins, r.z, x->rows * k * sizeof *margins);
  assert_ok(x->kind->gram_diagonal(x, w, k, r.d, err));
  if (k == 1) {
    assert_ok(x->kind->gram(x, w, r.h, err));
  }
  return r;
}

static void results_free(results *r) {
  free(r->z);
  free(r->g);
  free(r->d);
  free(r->h);
}

static void check_entries(const test_rows *t, const matrix *x, const double *f, const double *w,
                          size_t k, const results *r) {
  for (size_t e = 0; e < x->rows * k; e += stride_for(x->rows * k)) {
    compare("apply", x, r->z[e], apply_entry(t, f, k, e / k, e % k));
  }
  for (size_t e = 0; e < x->cols * k; e += stride_for(10 * x->cols * k)) {
    compare("apply_transposed", x, r->g[e], transposed_entry(t, w, k, e / k, e % k));
    compare("gram_diagonal", x, r->d[e], gram_entry(t, w, k, e / k, e / k, e % k));
  }
  for (size_t e = 0; k == 1 && e < x->cols * x->cols; e += stride_for(x->cols * x->cols)) {
    size_t a = e / x->cols, b = e % x->cols;
    if (a <= b) {
      compare("gram", x, r->h[e], gram_entry(t, w, 1, a, b, 0));
    }
  }
}

/* Whole arrays but for the gram's lower triangle, which nobody promised. */
static void check_same_bits(const matrix *x, const results *a, const results *b, size_t k) {
  assert_memory_equal(a->z, b->z, x->rows * k * sizeof(double));
  assert_memory_equal(a->g, b->g, x->cols * k * sizeof(double));
  assert_memory_equal(a->d, b->d, x->cols * k * sizeof(double));
  for (size_t i = 0; k == 1 && i < x->cols; i++) {
    size_t at = i * x->cols + i;
    assert_memory_equal(a->h + at, b->h + at, (x->cols - i) * sizeof(double));
  }
}

static void check_products(const test_rows *t, const matrix *x) {
  static const size_t counts[] = {1, 3, 20}; /* the last in several pieces */
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    size_t k = counts[c];
    OWNED_MEMORY double *f = random_array(1, x->cols * k), *w = random_array(2, x->rows * k);
    results by_threads[3];
    for (int threads = 1; threads <= 3; threads++) {
      thread_scope scope = threads_enter(threads);
      by_threads[threads - 1] = run(x, f, w, k);
      threads_leave(&scope);
    }
    check_entries(t, x, f, w, k, &by_threads[0]);
    check_same_bits(x, &by_threads[0], &by_threads[1], k);
    check_same_bits(x, &by_threads[0], &by_threads[2], k);
    for (int i = 0; i < 3; i++) {
      results_free(&by_threads[i]);
    }
  }
}

static void check_rows(const test_rows *t, const matrix *x) {
  OWNED_MEMORY double *row = blank_array(x->cols);
  for (size_t i = 0; i < x->rows; i += stride_for(x->rows)) {
    x->kind->row(x, i, row);
    assert_memory_equal(row, t->x + i * t->cols, t->cols * sizeof *row);
  }
}

/* All of them, block by block. */
static void check_views(const test_rows *t, const matrix *x) {
  OWNED_MEMORY double *work = blank_array(x->work_size + 1);
  row_view rows[MATRIX_BLOCK];
  for (size_t i = 0; x->kind->views && i < x->rows; i++) {
    const row_view *row = &rows[i % MATRIX_BLOCK];
    size_t left = x->rows - i, used = 0;
    if (i % MATRIX_BLOCK == 0) {
      x->kind->views(x, i, left < MATRIX_BLOCK ? left : MATRIX_BLOCK, work, rows);
    }
    for (size_t j = 0; j < x->cols; j++) {
      bool on = used < row->count && row->columns[used] == j;
      assert_true(t->x[i * x->cols + j] == (on ? row->values[used] : 0));
      used += on;
    }
    assert_int_equal(used, row->count);
  }
}

/* The same bits; or, where rows are computed by products whose last bit may depend on the row's
 * place, the same numbers. */
static void check_same_row(const matrix *x, const double *got, const double *expected) {
  bool computed = x->kind->block && x->row_entries == x->cols && x->work_size > 0;
  for (size_t j = 0; computed && j < x->cols; j++) {
    assert_close(got[j], expected[j], 1e-13);
  }
  if (!computed) {
    assert_memory_equal(got, expected, x->cols * sizeof *got);
  }
}

/* Backwards, with repetitions and gaps. */
static void check_select(const test_rows *t, const matrix *x) {
  size_t count = x->rows + x->rows / 2 + 1, *chosen = calloc(count, sizeof *chosen);
  OWNED_MEMORY double *row = blank_array(x->cols);
  matrix *part = NULL;
  assert_non_null(chosen);
  for (size_t i = 0; i < count; i++) {
    chosen[i] = (x->rows - 1 + 3 * (count - i)) % x->rows;
  }
  assert_ok(x->kind->select(x, chosen, count, &part, err));
  assert_ptr_equal(part->kind, x->kind);
  assert_int_equal(part->rows, count);
  assert_int_equal(part->cols, x->cols);
  for (size_t i = 0; i < count; i += stride_for(count)) {
    part->kind->row(part, i, row);
    check_same_row(part, row, t->x + chosen[i] * t->cols);
  }
  matrix_free(part);
  free(chosen);
}

/* What certification builds on: the sizes that a kind declares. */
static void check_declared(const test_rows *t, const matrix *x) {
  assert_int_equal(x->rows, t->rows);
  assert_int_equal(x->cols, t->cols);
  size_t most = 0;
  for (size_t i = 0; i < t->rows; i++) {
    size_t entries = 0;
    for (size_t j = 0; j < t->cols; j++) {
      entries += t->x[i * t->cols + j] != 0;
    }
    most = entries > most ? entries : most;
  }
  assert_true(x->row_entries >= most && x->row_entries <= t->cols);
  assert_true(x->sum_depth >= 1 && x->sum_depth <= t->rows + 1000);
}

/* ---- what certificates build on: products in twice the precision, and declared depths */

/* Halves in order, the low ones anything up to half a unit in the last place of the high ones. */
static double *random_rests(uint64_t seed, const double *values, size_t count) {
  double *rests = random_array(seed, count);
  for (size_t i = 0; i < count; i++) {
    rests[i] = values[i] * 0x1p-55 * fmax(-2, fmin(2, rests[i]));
  }
  return rests;
}

/* |hi + lo − Σ a_i·(b_i + c_i)| ≤ steps·unit·Σ|a_i b_i| over `count` entries, `stride` apart in a;
 * c may be NULL. */
static void check_sum(const matrix *x, const char *what, double_double got, const double *a,
                      size_t stride, const double *b, const double *c, size_t count, double steps) {
  mpfr_t *t = precise_array(2);
  double size = 0;
  precise_sum(t[0], got.hi, got.lo);
  for (size_t i = 0; i < count; i++) {
    if (a[i * stride] != 0) {
      precise_sum(t[1], b[i], c ? c[i] : 0.0);
      mpfr_mul_d(t[1], t[1], -a[i * stride], MPFR_RNDN);
      mpfr_add(t[0], t[0], t[1], MPFR_RNDN);
      size += fabs(a[i * stride] * b[i]);
    }
  }
  double error = fabs(mpfr_get_d(t[0], MPFR_RNDA));
  if (!(error <= steps * size)) {
    fail_msg("%s %s of %zu x %zu: off by %g of %g", x->kind->name, what, x->rows, x->cols, error,
             size);
  }
  precise_array_free(t, 2);
}

typedef struct dd_results {
  double *z, *z_rest, *g;
} dd_results;

static dd_results run_dd(const matrix *x, const double *f, const double *f_rest, const double *w,
                         int threads) {
  dd_results r = {blank_array(x->rows), blank_array(x->rows), blank_array(2 * x->cols)};
  thread_scope scope = threads_enter(threads);
  assert_ok(matrix_apply_dd(x, f, f_rest, r.z, r.z_rest, err));
  assert_ok(matrix_apply_transposed_dd(x, w, r.g, err));
  threads_leave(&scope);
  return r;
}

static void dd_results_free(dd_results *r) {
  free(r->z);
  free(r->z_rest);
  free(r->g);
}

static void check_dd(const test_rows *t, const matrix *x) {
  OWNED_MEMORY double *f = random_array(3, x->cols), *w = random_array(4, x->rows);
  OWNED_MEMORY double *f_rest = random_rests(5, f, x->cols);
  dd_results r = run_dd(x, f, f_rest, w, 1), again = run_dd(x, f, f_rest, w, 3);
  for (size_t i = 0; i < x->rows; i += stride_for(x->rows)) {
    check_sum(x, "apply_dd", (double_double){r.z[i], r.z_rest[i]}, t->x + i * t->cols, 1, f, f_rest,
              x->cols, ((double)x->row_entries + 1) * DD_UNIT);
  }
  for (size_t j = 0; j < x->cols; j += stride_for(10 * x->cols)) {
    check_sum(x, "apply_transposed_dd", (double_double){r.g[j], r.g[x->cols + j]}, t->x + j,
              t->cols, w, NULL, x->rows, (double)x->rows * DD_UNIT);
  }
  assert_memory_equal(r.z, again.z, x->rows * sizeof(double));
  assert_memory_equal(r.z_rest, again.z_rest, x->rows * sizeof(double));
  assert_memory_equal(r.g, again.g, 2 * x->cols * sizeof(double));
  dd_results_free(&r);
  dd_results_free(&again);
}

/* To the bit, and with the same depths, which certificates are made of. */
static void check_as_stored(const test_rows *t, const matrix *x) {
  const matrix *stored = x->kind == t->sparse->kind ? t->sparse : x;
  OWNED_MEMORY double *f = random_array(6, 3 * x->cols), *w = random_array(7, 3 * x->rows);
  assert_int_equal(x->row_entries, stored->row_entries);
  assert_int_equal(x->row_depth, stored->row_depth);
  assert_int_equal(x->sum_depth, stored->sum_depth);
  for (size_t k = 1; k <= 3; k += 2) {
    results a = run(x, f, w, k), b = run(stored, f, w, k);
    check_same_bits(x, &a, &b, k);
    results_free(&a);
    results_free(&b);
  }
  dd_results a = run_dd(x, f, f + x->cols, w, 1), b = run_dd(stored, f, f + x->cols, w, 1);
  assert_memory_equal(a.g, b.g, 2 * x->cols * sizeof *a.g);
  dd_results_free(&a);
  dd_results_free(&b);
}

/* One weight for all rows, so that rounding does not average out. */
static void check_depth(const test_rows *t, const matrix *x) {
  OWNED_MEMORY double *w = blank_array(x->rows), *g = blank_array(x->cols);
  OWNED_MEMORY double *f = random_array(1, x->cols), *z = blank_array(x->rows);
  for (size_t i = 0; i < x->rows; i++) {
    w[i] = 1.0 / 3;
  }
  apply_transposed(x, f, w, 1, z, g);
  for (size_t j = 0; j < x->cols; j += stride_for(10 * x->cols)) {
    check_sum(x, "depth", (double_double){g[j], 0}, t->x + j, t->cols, w, NULL, x->rows,
              ((double)x->sum_depth + 1) * 0x1p-53);
  }
}

typedef void check(const test_rows *t, const matrix *x);

static void for_every_kind_and_size(check *what) {
  static const size_t rows[] = {1, 2, 511, 512, 513, 5000, 20000};
  static const size_t cols[] = {1, 5, 130, 300};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    for (size_t c = 0; c < sizeof cols / sizeof *cols; c++) {
      auto_rows *t = some_rows(rows[r], cols[c]);
      for (size_t k = 0; k < KINDS; k++) {
        what(t, kind_of(t, k));
      }
    }
  }
}

/* ---- features over every kind */

/* All rows of features, block by block. */
static test_rows *rows_of_features(const matrix *x) {
  double *values = calloc(x->rows * x->cols, sizeof *values), *work = blank_array(x->work_size);
  double *labels = calloc(x->rows, sizeof *labels);
  assert_true(values && labels);
  for (size_t from = 0; from < x->rows; from += MATRIX_BLOCK) {
    size_t left = x->rows - from, count = left < MATRIX_BLOCK ? left : MATRIX_BLOCK;
    memcpy(values + from * x->cols, x->kind->block(x, from, count, work),
           count * x->cols * sizeof *values);
  }
  free(work);
  return test_rows_of(x->rows, x->cols, values, labels);
}

static void check_features(const test_rows *below, size_t features, check *what) {
  const dperm_kernel kernel = {DPERM_KERNEL_GAUSSIAN, 0.5, features, 0, 3};
  OWNED(feature_map_free_at) feature_map *map = NULL;
  assert_ok(fast_feature_map(&kernel, below->cols, &map, err));
  for (size_t k = 0; k < KINDS; k++) {
    OWNED(matrix_free_at) matrix *x = NULL;
    thread_scope scope = threads_enter(1); /* as in a fit */
    assert_ok(features_new(map, kind_of(below, k), &x, err));
    auto_rows *t = rows_of_features(x);
    what(t, x);
    threads_leave(&scope);
  }
}

static void for_features_of_every_size(check *what) {
  static const size_t rows[] = {1, 2, 255, 257, 1300};
  static const size_t features[] = {2, 10, 130};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    for (size_t c = 0; c < sizeof features / sizeof *features; c++) {
      auto_rows *below = some_rows(rows[r], 7 + 30 * c);
      check_features(below, features[c], what);
    }
  }
}

/* ---- rows that are all alike: a sum of equal terms rounds to one side */

static void sums_of_equal_rows_are_as_deep_as_declared(void **state) {
  for (size_t rows = 1; rows < 300000; rows = rows * 3 + 1) {
    double *x = calloc(rows * 2, sizeof *x), *labels = calloc(rows, sizeof *labels);
    assert_true(x && labels);
    for (size_t i = 0; i < 2 * rows; i++) {
      x[i] = i % 2 ? 0.3 : 0.7;
    }
    OWNED(test_rows_free_at) test_rows *t = test_rows_of(rows, 2, x, labels);
    for (size_t k = 0; k < KINDS; k++) {
      check_depth(t, kind_of(t, k));
      check_dd(t, kind_of(t, k));
    }
  }
}

/* ---- rows without any entry at all */

static void a_matrix_of_zeros_gives_zeros(void **state) {
  double *x = calloc(600 * 3, sizeof *x), *labels = calloc(600, sizeof *labels);
  assert_true(x && labels);
  OWNED(test_rows_free_at) test_rows *t = test_rows_of(600, 3, x, labels);
  for (size_t k = 0; k < KINDS; k++) {
    check_products(t, kind_of(t, k));
    check_dd(t, kind_of(t, k));
    check_rows(t, kind_of(t, k));
    check_select(t, kind_of(t, k));
  }
}

/* ---- the suite */

typedef struct promise {
  const char *name;
  check *what;
  bool of_features; /* also over features */
} promise;

static void over_kinds(void **state) {
  for_every_kind_and_size(((const promise *)*state)->what);
}

static void over_features(void **state) {
  for_features_of_every_size(((const promise *)*state)->what);
}

int main(void) {
  static const promise suite[] = {
      {"products are right and do not depend on threads", check_products, true},
      {"products hold in twice the precision", check_dd, true},
      {"sums are as deep as declared", check_depth, true},
      {"rows come back as they went in", check_rows, true},
      {"entries are those of the rows", check_views, false},
      {"selected rows are copies in the order given", check_select, true},
      {"declared sizes hold", check_declared, true},
      {"rows that are made give the bits of those that are stored", check_as_stored, false},
  };
  enum { SUITE = sizeof suite / sizeof *suite };
  struct CMUnitTest tests[2 * SUITE + 2] = {
      cmocka_unit_test(sums_of_equal_rows_are_as_deep_as_declared),
      cmocka_unit_test(a_matrix_of_zeros_gives_zeros),
  };
  static char names[SUITE][96];
  size_t count = 2;
  for (size_t i = 0; i < SUITE; i++) {
    void *state = (void *)(uintptr_t)&suite[i];
    tests[count++] = (struct CMUnitTest){suite[i].name, over_kinds, NULL, NULL, state};
    if (suite[i].of_features) {
      (void)snprintf(names[i], sizeof names[i], "features: %s", suite[i].name);
      tests[count++] = (struct CMUnitTest){names[i], over_features, NULL, NULL, state};
    }
  }
  return _cmocka_run_group_tests("matrices", tests, count, NULL, NULL);
}
