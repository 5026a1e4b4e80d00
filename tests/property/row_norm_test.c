/* The bound every privacy formula starts from: ‖x‖₂ ≤ R for the doubles that are stored, in exact
 * arithmetic (exact_norm.h). Rows are chosen to hurt: many equal entries, neighbours of 1/√k, all
 * magnitudes at once, values at the ends of the exponent range. row_bounds_test.c has rows that a
 * schema makes. */
#include "data/dataset.h"
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "exact_norm.h"
#include "schema/row_norm.h"

TEST(exact_comparison_sees_the_last_bit) {
  assert_int_equal(compare_norm((const double[]){3, 4}, 2, 5), 0);
  assert_int_equal(compare_norm((const double[]){0.6, 0.8}, 2, 1), 1); /* 0.6² rounds up */
  assert_int_equal(compare_norm((const double[]){1, 1e-300}, 2, 1), 1);
  assert_int_equal(compare_norm((const double[]){3, 4, 5e-324}, 3, 5), 1);
  assert_int_equal(compare_norm((const double[]){3, nextafter(4, 0)}, 2, 5), -1);
  assert_int_equal(compare_norm((const double[]){DBL_MAX, 5e-324}, 2, DBL_MAX), 1);
  assert_int_equal(compare_norm((const double[]){5e-324}, 1, 5e-324), 0);
  assert_int_equal(compare_norm((const double[]){DBL_MIN, -DBL_MIN}, 2, DBL_MIN), 1);
  double quarters[16];
  for (size_t i = 0; i < 16; i++) {
    quarters[i] = i % 2 ? 0.25 : -0.25;
  }
  assert_int_equal(compare_norm(quarters, 16, 1), 0);
}

/* ---- rows that hurt */

enum { LONGEST = 3000, SHAPES = 11 };

static size_t below(random_source *source, size_t limit) {
  return (size_t)(random_bits(source) % limit);
}

static double signed_unit(random_source *source) {
  return 2 * random_unit(source) - 1;
}

static double any_finite(random_source *source) {
  for (;;) {
    uint64_t bits = random_bits(source);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value)) {
      return value;
    }
  }
}

/* A few steps up or down among the doubles. */
static double nudged(random_source *source, double v) {
  size_t steps = below(source, 4);
  double towards = below(source, 2) ? INFINITY : 0;
  for (size_t i = 0; i < steps; i++) {
    v = nextafter(v, towards);
  }
  return v;
}

static void random_row(random_source *source, size_t shape, double bound, double *v, size_t count) {
  double k = (double)count, scale = exp(20 * signed_unit(source));
  for (size_t i = 0; i < count; i++) {
    switch (shape) {
    case 0: /* ‖v‖ = bound but for rounding */
      v[i] = bound / sqrt(k);
      break;
    case 1:
      v[i] = nudged(source, bound / sqrt(k));
      break;
    case 2:
      v[i] = signed_unit(source) * bound;
      break;
    case 3:
      v[i] = scale * signed_unit(source);
      break;
    case 4: /* all magnitudes at once */
      v[i] = exp(300 * signed_unit(source)) * signed_unit(source);
      break;
    case 5:
      v[i] = any_finite(source);
      break;
    case 6: /* one large, many that only their number makes count */
      v[i] = i == 0 ? nudged(source, bound) : bound * 0x1p-27 * (1 + random_unit(source));
      break;
    case 7:
      v[i] = fmin(nudged(source, DBL_MAX), DBL_MAX);
      break;
    case 8:
      v[i] = 5e-324 * (double)below(source, 1000);
      break;
    case 9: /* round where clipping has its own cases */
      v[i] = ldexp(1 + random_unit(source), (int)below(source, 3) * 100 + 400);
      break;
    default: /* one-hot */
      v[i] = below(source, 2) ? 1.0 : 0.0;
      break;
    }
  }
}

static size_t random_length(random_source *source) {
  static const size_t lengths[] = {1, 2, 3, 4, 5, 8, 13, 100, 101, 1000, LONGEST};
  return below(source, 40) == 0 ? lengths[8 + below(source, 3)] : lengths[below(source, 8)];
}

static const double bounds[] = {1, 0.2, 5, 1e-100, 1e100, 0x1.fffffffffffffp0};

/* Never below, and exact for one value. */
TEST(norm_upper_is_close_and_never_below_the_norm) {
  random_source source;
  assert_ok(random_seeded(11, &source, err));
  double v[LONGEST];
  for (int i = 0; i < 60000; i++) {
    size_t count = random_length(&source), shape = below(&source, SHAPES);
    random_row(&source, shape, bounds[below(&source, 6)], v, count);
    double upper = row_norm_upper(v, count);
    assert_true(upper >= 0);
    if (isfinite(upper) && compare_norm(v, count, upper) > 0) {
      fail_msg("row_norm_upper of %zu values of shape %zu is %a, too small", count, shape, upper);
    }
    if (count == 1) {
      assert_true(upper == fabs(v[0]));
    } else if (upper > DBL_MIN && upper < DBL_MAX) {
      double lower = upper * (1 - (2 * (double)count + 24) * 0x1p-53);
      assert_true(compare_norm(v, count, lower) >= 0);
    }
  }
  assert_true(row_norm_upper(v, 0) == 0);
  assert_true(row_norm_upper((const double[]){0, -0.0}, 2) == 0);
}

TEST(norm_upper_holds_among_the_smallest_doubles) {
  for (size_t count = 2; count < 200; count++) {
    double v[200];
    for (size_t i = 0; i < count; i++) {
      v[i] = 5e-324;
    }
    assert_true(compare_norm(v, count, row_norm_upper(v, count)) <= 0);
    v[0] = DBL_MIN;
    assert_true(compare_norm(v, count, row_norm_upper(v, count)) <= 0);
  }
}

/* Equal entries make every rounding of the sum fall the same way. */
TEST(norm_upper_holds_for_equal_entries_of_every_count) {
  random_source source;
  assert_ok(random_seeded(13, &source, err));
  double v[LONGEST];
  for (size_t count = 1; count <= LONGEST; count += 1 + below(&source, 3)) {
    double entry = 1 + random_unit(&source);
    for (size_t i = 0; i < count; i++) {
      v[i] = entry;
    }
    double upper = row_norm_upper(v, count);
    assert_true(compare_norm(v, count, upper) <= 0);
    assert_true(compare_norm(v, count, upper * (1 - (2 * (double)count + 24) * 0x1p-53)) >= 0);
  }
}

/* ---- clipping */

/* Within the bound, exactly; a row that was clipped did not lose more than rounding. */
static void check_row(const double *before, const double *after, size_t count, double bound) {
  if (compare_norm(after, count, bound) > 0) {
    fail_msg("a row of %zu values is longer than %g", count, bound);
  }
  double shrunk = bound * (1 - (4 * (double)count + 64) * 0x1p-53);
  bool long_before = compare_norm(before, count, shrunk) > 0;
  if (!long_before) {
    assert_memory_equal(after, before, count * sizeof *after);
  } else {
    assert_true(compare_norm(after, count, shrunk) > 0);
  }
  for (size_t i = 0; i < count; i++) {
    assert_true(after[i] == 0 || signbit(after[i]) == signbit(before[i]));
  }
}

TEST(clipped_rows_are_within_the_bound) {
  random_source source;
  assert_ok(random_seeded(14, &source, err));
  double before[LONGEST], after[LONGEST], twice[LONGEST];
  for (int i = 0; i < 60000; i++) {
    size_t count = random_length(&source), shape = below(&source, SHAPES);
    double bound = bounds[below(&source, 6)], divisor = 0;
    random_row(&source, shape, bound, before, count);
    memcpy(after, before, sizeof after);
    row_clip(after, count, bound);
    check_row(before, after, count, bound);
    memcpy(twice, after, sizeof twice);
    row_clip(twice, count, bound);
    assert_true(compare_norm(twice, count, bound) <= 0);
    for (size_t j = 0; j < count; j++) { /* a second pass may round once more, no worse */
      assert_true(fabs(twice[j]) <= fabs(after[j]));
    }
    divisor = row_norm_upper(before, count);
    if (shape < 4 && divisor > 0) { /* no less than the norm */
      row_scale_down(before, count, bound, divisor);
      assert_true(compare_norm(before, count, bound) <= 0);
    }
  }
}

/* ---- through the public ways in */

enum { ROWS = 60, DIMS = 40 };

static void fill_rows(random_source *source, double bound, double *values, double *labels) {
  for (size_t i = 0; i < ROWS; i++) {
    random_row(source, i % SHAPES, bound, values + i * DIMS, DIMS);
    labels[i] = below(source, 2) ? 1.0 : -1.0;
  }
}

static void check_data(const dperm_data *data, const double *values, double bound) {
  double row[DIMS];
  assert_true(data->bounds.norm2 == bound);
  for (size_t i = 0; i < ROWS; i++) {
    assert_ok(dperm_data_row(data, i, row, err));
    check_row(values + i * DIMS, row, DIMS, bound);
  }
}

TEST(rows_from_memory_are_within_their_bound) {
  random_source source;
  assert_ok(random_seeded(17, &source, err));
  double values[ROWS * DIMS], labels[ROWS];
  size_t starts[ROWS + 1];
  uint32_t columns[ROWS * DIMS];
  for (size_t i = 0; i < ROWS * DIMS; i++) {
    columns[i] = (uint32_t)(i % DIMS);
  }
  for (size_t i = 0; i <= ROWS; i++) {
    starts[i] = i * DIMS;
  }
  for (int round = 0; round < 60; round++) {
    double bound = bounds[round % 6];
    fill_rows(&source, bound, values, labels);
    auto_data *dense = NULL, *sparse = NULL;
    assert_ok(dperm_data_from_dense(ROWS, DIMS, values, labels, bound, &dense, err));
    assert_ok(
        dperm_data_from_csr(ROWS, DIMS, starts, columns, values, labels, bound, &sparse, err));
    check_data(dense, values, bound);
    check_data(sparse, values, bound);
  }
}

TEST(svmlight_rows_are_within_one) {
  random_source source;
  assert_ok(random_seeded(18, &source, err));
  double values[ROWS * DIMS], labels[ROWS];
  OWNED_MEMORY char *text = malloc(ROWS * DIMS * 40);
  assert_non_null(text);
  for (int round = 0; round < 20; round++) {
    fill_rows(&source, 1.0, values, labels);
    size_t length = 0;
    for (size_t i = 0; i < ROWS; i++) {
      length += (size_t)sprintf(text + length, "%+d", (int)labels[i]);
      for (size_t j = 0; j < DIMS; j++) {
        length += (size_t)sprintf(text + length, " %zu:%.17g", j + 1, values[i * DIMS + j]);
      }
      text[length++] = '\n';
    }
    auto_file *path = file_with(text, length);
    dperm_source from = {.path = path, .format = DPERM_FORMAT_SVMLIGHT, .dims = DIMS};
    auto_data *data = NULL;
    assert_ok(dperm_data_read(&from, NULL, &data, err));
    check_data(data, values, 1.0);
  }
}
