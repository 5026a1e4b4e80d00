/* What is known of every row in public holds for the doubles that are stored, in exact arithmetic:
 * R₁, each column's bound and the bound in the norm of mixed noise, for random schemas with every
 * feature and random and hostile records; for rows from memory and svmlight; for random features.
 * The bounds are what privacy.md 5 says, worked out here in long doubles, and some row comes up to
 * them. */
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/dataset.h"
#include "exact_norm.h"
#include "kernel/features.h"
#include "noise_reference.h"
#include "random/noise.h"
#include "random_layout.h"
#include "statistics.h"

enum { ROWS = 60, MOST = LAYOUT_DIMS };

/* ---- exact sums */

/* Σ|x_j| ≤ bound, without rounding: doubles within 2^±1100 fit in 2400 bits. */
static bool sum_within(const double *x, size_t count, double bound) {
  mpfr_t sum;
  mpfr_init2(sum, 2400);
  mpfr_set_zero(sum, 1);
  for (size_t j = 0; j < count; j++) {
    assert_int_equal(mpfr_add_d(sum, sum, fabs(x[j]), MPFR_RNDN), 0);
  }
  bool within = mpfr_cmp_d(sum, bound) <= 0;
  mpfr_clear(sum);
  return within;
}

/* Every group of the body, and the sum of all. */
static void check_row(const row_bounds *bounds, const double *x, size_t dims) {
  size_t at = 0;
  for (size_t i = 0; i < body_count(&bounds->body); i++) {
    const body_run *run = body_at(&bounds->body, i);
    for (size_t g = 0; g < run->groups; g++, at += run->width) {
      assert_true(sum_within(x + at, run->width, run->radius));
    }
  }
  assert_int_equal(at, dims);
  assert_true(sum_within(x, dims, bounds->norm1));
}

/* Σ ω_g|x_g| over the blocks + t‖rest‖₂ ≤ R_K: how much of it a row uses. A block has one entry at
 * most, and missing ones have none. The long doubles' own rounding is below 2^−50 for 512 entries.
 */
static double check_mixed(const row_bounds *bounds, const double *x) {
  const noise_plan plan = {&noise_mixed, body_dims(&bounds->body), 1, bounds->body, 1};
  double bound = noise_mixed.row_bound(bounds, plan.dims);
  if (bound == 0) { /* no block */
    return 0;
  }
  const mixed_reference own = mixed_weights_of(&plan);
  long double sum = 0, squares = 0;
  size_t at = 0;
  for (size_t i = 0; i < body_count(&bounds->body); i++) {
    const body_run *run = body_at(&bounds->body, i);
    for (size_t g = 0; g < run->groups; g++, at += run->width) {
      size_t entries = 0;
      for (size_t j = at; j < at + run->width; j++) {
        entries += x[j] != 0;
        sum += run->width > 1 ? own.weight[i] * fabsl((long double)x[j]) : 0;
        squares += run->width > 1 ? 0 : (long double)x[j] * x[j];
      }
      assert_true(entries <= 1);
    }
  }
  sum += squares > 0 ? own.alone * sqrtl(squares) : 0;
  assert_true(sum <= bound * (1 + 0x1p-50L));
  long double longest = mixed_longest_row(bounds, &own);
  assert_true(bound >= longest * (1 - 1e-17L) && bound <= longest * (1 + 1e-13L));
  return (double)(sum / bound);
}

static uint64_t below(random_source *r, uint64_t count) {
  return random_bits(r) % count;
}

/* ---- the formulas once more */

typedef struct expected {
  size_t groups, dims, width[2 * LAYOUT_COLUMNS + LAYOUT_CROSSES + 1];
  long double radius[2 * LAYOUT_COLUMNS + LAYOUT_CROSSES + 1], sum;
} expected;

/* A group of so many columns, before its radius is divided. */
static void add_group(expected *e, size_t width, double weight, bool always, long double *known,
                      long double *all) {
  long double w = weight;
  e->dims += width;
  e->width[e->groups] = width;
  e->radius[e->groups++] = w;
  *known += always ? w * w : 0;
  *all += w * w;
}

/* Something of the column in every row: nothing is missing or unknown. */
static bool sure(const layout *l, size_t column) {
  return l->category && (l->columns[column].kind == LAYOUT_BINS || l->columns[column].rest);
}

static expected expect(const layout *l) {
  expected e = {0};
  long double known = 0, all = 0;
  for (size_t i = 0; i < l->count; i++) {
    const layout_column *c = &l->columns[i];
    if (c->line > 0) {
      add_group(&e, 1, c->line, false, &known, &all);
    }
    if (c->kind != LAYOUT_IGNORED) {
      bool number = c->kind == LAYOUT_NUMBER;
      size_t values = number ? 1 : layout_values(c) - (c->reference != SIZE_MAX);
      add_group(&e, values + l->category, c->weight, !number, &known, &all);
    }
  }
  for (size_t i = 0; i < l->cross_count; i++) {
    size_t a = l->crosses[i].columns[0], b = l->crosses[i].columns[1];
    size_t width = layout_levels(l, &l->columns[a]) * layout_levels(l, &l->columns[b]);
    add_group(&e, width, l->crosses[i].weight, sure(l, a) && sure(l, b), &known, &all);
  }
  if (l->intercept) {
    add_group(&e, 1, 1, true, &known, &all);
  }
  long double divisor = l->fixed ? sqrtl(all) : fmaxl(1, sqrtl(known));
  for (size_t g = 0; g < e.groups; g++) {
    e.radius[g] = fminl(1, e.radius[g] / divisor);
    e.sum += e.radius[g];
  }
  return e;
}

static void check_bounds(const row_bounds *bounds, const expected *e, size_t dims) {
  assert_int_equal(dims, e->dims);
  assert_int_equal(body_dims(&bounds->body), dims);
  assert_true(bounds->norm2 == 1);
  size_t at = 0;
  for (size_t i = 0; i < body_count(&bounds->body); i++) {
    const body_run *run = body_at(&bounds->body, i);
    for (size_t g = 0; g < run->groups; g++, at++) {
      assert_int_equal(run->width, e->width[at]);
      assert_true(run->radius <= e->radius[at] * (1 + 1e-18L));
      assert_true(run->radius >= e->radius[at] * (1 - 1e-14L));
    }
  }
  assert_int_equal(at, e->groups);
  long double one = fminl(sqrtl((long double)e->groups), e->sum);
  assert_true(bounds->norm1 >= one * (1 - 1e-14L) && bounds->norm1 <= one * (1 + 1e-14L));
}

TEST(encoded_rows_keep_the_bounds_of_their_schema) {
  static text_buffer schema_text, table;
  size_t dense = 0, attained = 0, mixed = 0;
  random_source r = seeded(1);
  for (int round = 0; round < 400; round++) {
    const layout l = layout_draw(&r);
    OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
    OWNED(dperm_data_free_at) dperm_data *data = NULL;
    layout_schema(&l, &schema_text);
    layout_header(&l, &table);
    for (size_t i = 0; i < ROWS; i++) {
      layout_cell cells[LAYOUT_COLUMNS];
      layout_record(&l, &r, cells);
      layout_line(&l, cells, below(&r, 2), &table);
    }
    assert_ok(dperm_schema_parse(schema_text.bytes, schema_text.length, "s.json", &schema, err));
    auto_file *path = file_with(table.bytes, table.length);
    const dperm_source from = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
    assert_ok(dperm_data_read(&from, NULL, &data, err));
    const expected e = expect(&l);
    check_bounds(&schema->bounds, &e, schema->dims);
    assert_true(schema->bounds.norm1 == data->bounds.norm1);
    for (size_t i = 0; i < ROWS; i++) {
      double row[MOST];
      assert_ok(dperm_data_row(data, i, row, err));
      check_row(&data->bounds, row, schema->dims);
      assert_true(compare_norm(row, schema->dims, 1.0) <= 0);
      double sum = 0;
      for (size_t j = 0; j < schema->dims; j++) {
        sum += fabs(row[j]);
      }
      attained += sum > 0.999 * data->bounds.norm1;
      mixed += check_mixed(&data->bounds, row) > 0.95;
    }
    dense += e.sum > sqrtl((long double)e.groups);
  }
  assert_true(dense > 50 && dense < 300); /* both sides of the minimum are met */
  assert_true(attained > 100 && mixed > 100);
}

/* ---- rows without a schema */

TEST(rows_from_memory_keep_their_bounds) {
  random_source r = seeded(2);
  for (int round = 0; round < 2000; round++) {
    size_t dims = 1 + below(&r, 40);
    double norm = round % 3 ? random_scale(&r, 1e-100, 1e100) : 1, row[40], label = 1;
    double size = random_scale(&r, 0.5, 10) * norm / sqrt((double)dims);
    for (size_t j = 0; j < dims; j++) { /* equal entries are the worst */
      row[j] = round % 2 ? size : size * random_normal(&r);
    }
    OWNED(dperm_data_free_at) dperm_data *data = NULL;
    assert_ok(dperm_data_from_dense(1, dims, row, &label, norm, &data, err));
    assert_ok(dperm_data_row(data, 0, row, err));
    check_row(&data->bounds, row, dims);
    assert_close(data->bounds.norm1 / norm / sqrt((double)dims), 1, 1e-15);
    assert_true(data->bounds.norm2 == norm);
  }
}

TEST(svmlight_rows_keep_their_bounds) {
  auto_file *path = file_with_text("+1 1:3 2:3 5:3\n-1 3:-0.1\n+1 1:1 2:1 3:1 4:1 5:1 6:1 7:1\n");
  const dperm_source from = {.path = path, .format = DPERM_FORMAT_SVMLIGHT, .dims = 7};
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  double row[7];
  assert_ok(dperm_data_read(&from, NULL, &data, err));
  assert_close(data->bounds.norm1, sqrt(7), 1e-15);
  for (size_t i = 0; i < 3; i++) {
    assert_ok(dperm_data_row(data, i, row, err));
    check_row(&data->bounds, row, 7);
  }
}

TEST(features_keep_their_bounds) {
  static const size_t sizes[] = {2, 6, 14, 100, 510};
  random_source r = seeded(3);
  for (size_t k = 0; k < 5; k++) {
    enum { RECORDS = 50, INPUTS = 3 };
    double x[RECORDS * INPUTS], labels[RECORDS], row[MOST];
    for (size_t i = 0; i < RECORDS * INPUTS; i++) {
      x[i] = i < INPUTS ? 0 : random_normal(&r); /* cos 0 = 1: the longest entry */
      labels[i / INPUTS] = 1;
    }
    OWNED(dperm_data_free_at) dperm_data *data = NULL;
    const dperm_kernel kernel = {DPERM_KERNEL_GAUSSIAN, 2, sizes[k], 0, 1 + k};
    OWNED(feature_map_free_at) feature_map *map = NULL;
    OWNED(matrix_free_at) matrix *made = NULL;
    assert_ok(dperm_data_from_dense(RECORDS, INPUTS, x, labels, 1, &data, err));
    assert_ok(feature_map_new(&kernel, INPUTS, NULL, &map, err));
    assert_ok(features_new(map, data->x, &made, err));
    const row_bounds bounds = features_bounds(sizes[k]);
    assert_close(bounds.body.only.radius * sqrt((double)sizes[k] / 2), 1, 1e-14);
    assert_close(bounds.norm1 / sqrt((double)sizes[k]), 1, 1e-14);
    for (size_t i = 0; i < RECORDS; i++) {
      made->kind->row(made, i, row);
      check_row(&bounds, row, sizes[k]);
    }
  }
}

TEST(roots_are_rounded_up_and_exact_where_they_can_be) {
  for (size_t n = 1; n < 100000; n++) {
    double root = root_upper(n);
    assert_true(fma(root, root, -(double)n) >= 0);
    double less = nextafter(root, 0);
    assert_true(fma(less, less, -(double)n) < 0);
  }
  assert_true(root_upper(144) == 12);
}
