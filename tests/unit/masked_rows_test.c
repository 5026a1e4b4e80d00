/* Views of some rows of a matrix: every operation gives what it gives on a copy of those rows, over
 * dense and sparse rows, stored or made, and over random features, for views of all rows, some, one
 * and none that stand together; with any number of threads the same bits. */
#include <math.h>
#include <stdlib.h>

#include "base/threads.h"
#include "kernel/features.h"
#include "reference.h"

enum { ROWS = 1500, COLS = 21, K = 3 };

typedef struct pick {
  size_t count, index[ROWS];
} pick;

/* 0: every row; 1: all but a run and every seventh; 2: every tenth; 3: one. */
static pick *pick_rows(int which) {
  pick *p = calloc(1, sizeof *p);
  assert_non_null(p);
  for (size_t i = 0; i < ROWS; i++) {
    bool in = which == 0   ? true
              : which == 1 ? (i < 300 || i > 620) && i % 7 != 3
              : which == 2 ? i % 10 == 4
                           : i == 777;
    if (in) {
      p->index[p->count++] = i;
    }
  }
  return p;
}

static double *numbers(uint64_t seed, size_t count) {
  double *values = calloc(count, sizeof *values);
  assert_non_null(values);
  random_source r = seeded(seed);
  for (size_t i = 0; i < count; i++) {
    values[i] = random_normal(&r);
  }
  return values;
}

static void assert_all_close(const double *a, const double *b, size_t count) {
  for (size_t i = 0; i < count; i++) {
    assert_close(a[i], b[i], 1e-12 * (1 + fabs(b[i])));
  }
}

static void compare_products(const matrix *view, const matrix *copy) {
  size_t n = view->rows, d = view->cols;
  double *f = numbers(1, d * K), *w = numbers(2, n * K);
  OWNED_MEMORY double *a = calloc(n * K + d * d, sizeof *a), *b = calloc(n * K + d * d, sizeof *b);
  assert_true(a && b);
  for (size_t k = 1; k <= K; k += 2) {
    assert_ok(matrix_apply(view, f, k, a, err));
    assert_ok(matrix_apply(copy, f, k, b, err));
    assert_all_close(a, b, n * k);
    assert_ok(view->kind->apply_transposed(view, w, k, a, err));
    assert_ok(copy->kind->apply_transposed(copy, w, k, b, err));
    assert_all_close(a, b, d * k);
    assert_ok(view->kind->gram_diagonal(view, w, k, a, err));
    assert_ok(copy->kind->gram_diagonal(copy, w, k, b, err));
    assert_all_close(a, b, d * k);
  }
  assert_ok(view->kind->gram(view, w, a, err));
  assert_ok(copy->kind->gram(copy, w, b, err));
  for (size_t i = 0; i < d; i++) {
    assert_all_close(a + i * d + i, b + i * d + i, d - i);
  }
  free(f);
  free(w);
}

static void compare_dd(const matrix *view, const matrix *copy) {
  size_t n = view->rows, d = view->cols;
  double *f = numbers(3, 2 * d), *w = numbers(4, n);
  OWNED_MEMORY double *a = calloc(2 * (n + d), sizeof *a), *b = calloc(2 * (n + d), sizeof *b);
  assert_true(a && b);
  for (size_t j = 0; j < d; j++) {
    f[d + j] *= 1e-17;
  }
  assert_ok(matrix_apply_dd(view, f, f + d, a, a + n, err));
  assert_ok(matrix_apply_dd(copy, f, f + d, b, b + n, err));
  assert_all_close(a, b, n);
  assert_ok(matrix_apply_transposed_dd(view, w, a, err));
  assert_ok(matrix_apply_transposed_dd(copy, w, b, err));
  assert_all_close(a, b, d);
  free(f);
  free(w);
}

/* Block by block, each row as it is alone. */
static void compare_views(const matrix *view, double *row) {
  OWNED_MEMORY double *work = calloc(view->work_size + 1, sizeof *work);
  row_view rows[MATRIX_BLOCK];
  assert_non_null(work);
  for (size_t from = 0; view->kind->views && from < view->rows; from += MATRIX_BLOCK) {
    size_t left = view->rows - from, count = left < MATRIX_BLOCK ? left : MATRIX_BLOCK;
    view->kind->views(view, from, count, work, rows);
    for (size_t i = 0; i < count; i++) {
      view->kind->row(view, from + i, row);
      for (size_t e = 0; e < rows[i].count; e++) {
        assert_true(rows[i].values[e] != 0 && rows[i].values[e] == row[rows[i].columns[e]]);
        row[rows[i].columns[e]] = 0;
      }
      for (size_t j = 0; j < view->cols; j++) {
        assert_true(row[j] == 0);
      }
    }
  }
}

static void compare_rows(const matrix *view, const matrix *inner, const pick *p) {
  double *row = calloc(2 * view->cols, sizeof *row), *there = row + view->cols;
  size_t chosen[2] = {view->rows - 1, 0};
  OWNED(matrix_free_at) matrix *part = NULL;
  assert_non_null(row);
  for (size_t i = 0; i < view->rows; i += 13) {
    view->kind->row(view, i, row);
    inner->kind->row(inner, p->index[i], there);
    assert_memory_equal(row, there, view->cols * sizeof *row);
  }
  compare_views(view, row);
  assert_ok(view->kind->select(view, chosen, 2, &part, err));
  part->kind->row(part, 0, row);
  inner->kind->row(inner, p->index[view->rows - 1], there);
  assert_all_close(row, there, view->cols);
  free(row);
}

static void same_bits_on_three_threads(const matrix *view) {
  double *w = numbers(5, view->rows * K), *g = calloc(2 * view->cols * K, sizeof *g);
  assert_non_null(g);
  for (int threads = 1; threads <= 3; threads += 2) {
    thread_scope scope = threads_enter(threads);
    assert_ok(view->kind->apply_transposed(view, w, K, g + (threads > 1) * view->cols * K, err));
    threads_leave(scope);
  }
  assert_memory_equal(g, g + view->cols * K, view->cols * K * sizeof *g);
  free(w);
  free(g);
}

static void check_views_of(const matrix *inner) {
  for (int which = 0; which < 4; which++) {
    pick *p = pick_rows(which);
    matrix *view = NULL, *copy = NULL;
    assert_ok(matrix_masked_new(inner, p->index, p->count, &view, err));
    assert_ok(inner->kind->select(inner, p->index, p->count, &copy, err));
    assert_int_equal(view->rows, p->count);
    assert_int_equal(view->cols, inner->cols);
    assert_true(view->row_depth >= copy->row_depth || view->row_entries >= copy->row_entries);
    assert_true(view->kind->bytes(view) > 0);
    compare_products(view, copy);
    compare_dd(view, copy);
    compare_rows(view, inner, p);
    same_bits_on_three_threads(view);
    matrix_free(view);
    matrix_free(copy);
    free(p);
  }
}

static void a_view_does_what_a_copy_does(void **state) {
  OWNED(test_rows_free_at) test_rows *t = test_rows_random(1, ROWS, COLS, 0.4);
  thread_scope scope = threads_enter(2);
  check_views_of(t->dense);
  check_views_of(t->sparse);
  check_views_of(t->made);
  threads_leave(scope);
}

static void a_view_of_features_does_what_a_copy_does(void **state) {
  OWNED(test_rows_free_at) test_rows *t = test_rows_random(2, ROWS, COLS, 0.4);
  const dperm_kernel kernel = {DPERM_KERNEL_GAUSSIAN, 0.5, 10, 0, 3};
  OWNED(feature_map_free_at) feature_map *map = NULL;
  OWNED(matrix_free_at) matrix *x = NULL;
  thread_scope scope = threads_enter(2);
  assert_ok(feature_map_new(&kernel, COLS, NULL, &map, err));
  assert_ok(features_new(map, t->sparse, &x, err));
  check_views_of(x);
  threads_leave(scope);
}

/* A view's declared depth bounds its sums: equal terms, which round to one side. */
static void a_view_of_a_view_works_and_rows_out_of_order_are_refused(void **state) {
  OWNED(test_rows_free_at) test_rows *t = test_rows_random(3, ROWS, COLS, 0.4);
  pick *p = pick_rows(1);
  const matrix *inner[] = {t->dense, t->sparse, t->made};
  matrix *copy = NULL;
  const size_t backwards[] = {5, 4}, beyond[] = {ROWS}, some[] = {0, 3, 100};
  for (size_t k = 0; k < sizeof inner / sizeof *inner; k++) {
    matrix *view = NULL, *again = NULL;
    double row[COLS];
    assert_ok(matrix_masked_new(inner[k], p->index, p->count, &view, err));
    assert_ok(matrix_masked_new(view, some, 3, &again, err));
    assert_ok(view->kind->select(view, some, 3, &copy, err));
    compare_products(again, copy);
    compare_views(again, row);
    matrix_free(copy);
    copy = NULL;
    matrix_free(again);
    matrix_free(view);
  }
  assert_fails(matrix_masked_new(t->sparse, backwards, 2, &copy, err), DPERM_INVALID_ARGUMENT,
               "ascending");
  assert_fails(matrix_masked_new(t->dense, beyond, 1, &copy, err), DPERM_INVALID_ARGUMENT, "below");
  assert_null(copy);
  free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_view_does_what_a_copy_does),
      cmocka_unit_test(a_view_of_features_does_what_a_copy_does),
      cmocka_unit_test(a_view_of_a_view_works_and_rows_out_of_order_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
