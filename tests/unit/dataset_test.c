/* Data sets from memory: what is copied, what is clipped, what is refused, and how rows are picked
 * out of one. */
#include "data/dataset.h"
#include "dperm/unsafe.h"
#include "support.h"

#include <math.h>
#include <stdbool.h>

static const double labels[] = {1, -1, 1};
static const double dense[] = {0.5, 0, -0.25, 3, 4, 0, 0, 0, 0};
static const size_t starts[] = {0, 2, 4, 4};
static const uint32_t columns[] = {0, 2, 0, 1};
static const double values[] = {0.5, -0.25, 3, 4};

static void row_close(const dperm_data *data, size_t row, double a, double b, double c) {
  double got[3];
  assert_ok(dperm_data_row(data, row, got, err));
  assert_close(got[0], a, 1e-14);
  assert_close(got[1], b, 1e-14);
  assert_close(got[2], c, 1e-14);
}

TEST(dense_and_sparse_rows_from_memory_are_the_same) {
  dperm_data *both[2] = {NULL, NULL};
  assert_ok(dperm_data_from_dense(3, 3, dense, labels, 2, &both[0], err));
  assert_ok(dperm_data_from_csr(3, 3, starts, columns, values, labels, 2, &both[1], err));
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(dperm_data_rows(both[i]), 3);
    assert_int_equal(dperm_data_dims(both[i]), 3);
    assert_true(both[i]->bounds.norm2 == 2);
    assert_memory_equal(dperm_data_labels(both[i]), labels, sizeof labels);
    row_close(both[i], 0, 0.5, 0, -0.25);
    row_close(both[i], 1, 1.2, 1.6, 0);
    row_close(both[i], 2, 0, 0, 0);
    double row[3];
    assert_fails(dperm_data_row(both[i], 3, row, err), DPERM_INVALID_ARGUMENT, "row 3 is beyond");
    dperm_unsafe_column_counts counts;
    assert_fails(dperm_unsafe_data_counts(both[i], 0, &counts, err), DPERM_INVALID_ARGUMENT,
                 "no counts");
    dperm_data_free(both[i]);
  }
  dperm_data_free(NULL);
}

/* Clipped rows too: a ledger would take rows that differ by a bit for other people's. */
TEST(clipped_rows_are_the_same_however_many_zeros_are_told) {
  enum { ROWS = 200, COLS = 60 };
  static double wide[ROWS * COLS], entries[ROWS * COLS], sides[ROWS];
  static size_t begins[ROWS + 1];
  static uint32_t places[ROWS * COLS];
  dperm_data *both[2];
  random_source r;
  assert_ok(random_seeded(11, &r, err));
  for (size_t i = 0, e = 0; i < ROWS; i++, begins[i] = e) {
    sides[i] = i % 2 ? 1 : -1;
    for (size_t j = 0; j < COLS; j++) {
      double v = random_bits(&r) % 5 ? 0 : random_unit(&r) * 3;
      wide[i * COLS + j] = v;
      if (v != 0) {
        entries[e] = v;
        places[e++] = (uint32_t)j;
      }
    }
  }
  assert_ok(dperm_data_from_dense(ROWS, COLS, wide, sides, 1, &both[0], err));
  assert_ok(dperm_data_from_csr(ROWS, COLS, begins, places, entries, sides, 1, &both[1], err));
  for (size_t i = 0; i < ROWS; i++) {
    double row[2][COLS];
    for (int k = 0; k < 2; k++) {
      assert_ok(dperm_data_row(both[k], i, row[k], err));
    }
    assert_memory_equal(row[0], row[1], sizeof row[0]);
  }
  dperm_data_free(both[0]);
  dperm_data_free(both[1]);
}

TEST(sparse_rows_may_begin_anywhere_in_their_arrays) {
  static const size_t later[] = {2, 2, 4};
  auto_data *data = NULL;
  assert_ok(dperm_data_from_csr(2, 3, later, columns, values, labels, 10, &data, err));
  row_close(data, 0, 0, 0, 0);
  row_close(data, 1, 3, 4, 0);
}

TEST(selected_rows_stand_in_the_order_given) {
  dperm_data *both[2] = {NULL, NULL};
  assert_ok(dperm_data_from_dense(3, 3, dense, labels, 10, &both[0], err));
  assert_ok(dperm_data_from_csr(3, 3, starts, columns, values, labels, 10, &both[1], err));
  for (size_t i = 0; i < 2; i++) {
    dperm_data *part = NULL;
    assert_ok(dperm_data_select(both[i], (const size_t[]){1, 0, 1, 2}, 4, &part, err));
    static const double picked[] = {-1, 1, -1, 1};
    assert_int_equal(dperm_data_rows(part), 4);
    assert_true(part->bounds.norm2 == 10);
    assert_memory_equal(dperm_data_labels(part), picked, sizeof picked);
    row_close(part, 0, 3, 4, 0);
    row_close(part, 1, 0.5, 0, -0.25);
    row_close(part, 2, 3, 4, 0);
    row_close(part, 3, 0, 0, 0);
    dperm_data_free(part);
    part = NULL;
    assert_ok(dperm_data_select(both[i], (const size_t[]){2}, 1, &part, err));
    row_close(part, 0, 0, 0, 0);
    dperm_data_free(part);
    part = NULL;
    assert_fails(dperm_data_select(both[i], (const size_t[]){3}, 1, &part, err),
                 DPERM_INVALID_ARGUMENT, "row index 3");
    assert_null(part);
    dperm_data_free(both[i]);
  }
}

TEST(bad_arguments_are_refused) {
  dperm_data *data = NULL;
  static const double norms[] = {0, -1, NAN, INFINITY, 1e-101, 1e101};
  for (size_t i = 0; i < sizeof norms / sizeof *norms; i++) {
    assert_fails(dperm_data_from_dense(3, 3, dense, labels, norms[i], &data, err),
                 DPERM_INVALID_ARGUMENT, "norm bound");
    assert_fails(dperm_data_from_csr(3, 3, starts, columns, values, labels, norms[i], &data, err),
                 DPERM_INVALID_ARGUMENT, "norm bound");
  }
  assert_fails(dperm_data_from_dense(3, 0, dense, labels, 1, &data, err), DPERM_INVALID_ARGUMENT,
               "at least one");
  assert_null(data);
}

TEST(bad_labels_and_values_are_refused) {
  dperm_data *data = NULL;
  static const double wrong[] = {0, 2, -0.5, NAN};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const double bad[] = {1, wrong[i], 1};
    assert_fails(dperm_data_from_dense(3, 3, dense, bad, 1, &data, err), DPERM_INVALID_DATA,
                 "the label of row 1");
  }
  static const double odd[] = {NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < 3; i++) {
    const double bad[] = {0.5, odd[i], 3, 4};
    assert_fails(dperm_data_from_dense(2, 2, bad, labels, 1, &data, err), DPERM_INVALID_DATA,
                 "row 0 holds NaN or infinity");
    assert_fails(dperm_data_from_csr(3, 3, starts, columns, bad, labels, 1, &data, err),
                 DPERM_INVALID_DATA, "row 0 holds NaN or infinity");
  }
  assert_null(data);
}

TEST(bad_sparse_structure_is_refused) {
  dperm_data *data = NULL;
  static const uint32_t unsorted[] = {2, 0, 0, 1}, twice[] = {0, 0, 0, 1}, beyond[] = {0, 2, 0, 3};
  assert_fails(dperm_data_from_csr(3, 3, starts, unsorted, values, labels, 1, &data, err),
               DPERM_INVALID_DATA, "row 0");
  assert_fails(dperm_data_from_csr(3, 3, starts, twice, values, labels, 1, &data, err),
               DPERM_INVALID_DATA, "row 0");
  assert_fails(dperm_data_from_csr(3, 3, starts, beyond, values, labels, 1, &data, err),
               DPERM_INVALID_DATA, "row 1");
  static const size_t backwards[] = {0, 2, 1, 4}, crowded[] = {0, 4, 4, 4};
  assert_fails(dperm_data_from_csr(3, 3, backwards, columns, values, labels, 1, &data, err),
               DPERM_INVALID_DATA, "row 1");
  assert_fails(dperm_data_from_csr(3, 3, crowded, columns, values, labels, 1, &data, err),
               DPERM_INVALID_DATA, "row 0");
  assert_null(data);
}
