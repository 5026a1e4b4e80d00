/* The two products in twice the precision (base/double_double.h), for every kind of matrix: row by
 * row, from blocks or from entries. The order of sums does not matter there. */
#include "base/double_double.h"
#include "matrix/matrix_dense.h"

/* What is done with a row's entries; `columns` is NULL where there is one for each column. */
typedef void each_row(const void *context, size_t i, size_t count, const uint32_t *columns,
                      const double *values);

static void for_rows(const matrix *x, size_t from, size_t to, double *work, each_row *each,
                     const void *context) {
  for (; from < to; from += MATRIX_BLOCK) {
    size_t count = to - from < MATRIX_BLOCK ? to - from : MATRIX_BLOCK;
    row_view views[MATRIX_BLOCK];
    if (cancel_poll()) {
      return;
    }
    if (x->kind->views) {
      x->kind->views(x, from, count, work, views);
    } else {
      const double *rows = blocks_rows(x, from, count, work);
      if (!rows) {
        return;
      }
      for (size_t i = 0; i < count; i++) {
        views[i] = (row_view){x->cols, NULL, rows + i * x->cols};
      }
    }
    for (size_t i = 0; i < count && !cancel_poll_at(i, x->row_entries); i++) {
      each(context, from + i, views[i].count, views[i].columns, views[i].values);
    }
  }
}

typedef struct application {
  const double *f, *f_rest;
  double *z, *z_rest;
} application;

static void apply_row(const void *context, size_t i, size_t count, const uint32_t *columns,
                      const double *values) {
  const application *a = context;
  double_double sum = {0, 0};
  for (size_t e = 0; e < count; e++) {
    size_t j = columns ? columns[e] : e;
    sum = dd_add(sum, dd_scale((double_double){a->f[j], a->f_rest[j]}, values[e]));
  }
  a->z[i] = sum.hi;
  a->z_rest[i] = sum.lo;
}

static void apply_block(const void *context, const matrix *x, size_t from, size_t count,
                        double *work) {
  for_rows(x, from, from + count, work, apply_row, context);
}

dperm_status matrix_apply_dd(const matrix *x, const double *f, const double *f_rest, double *z,
                             double *z_rest, dperm_error *err) {
  return matrix_for_blocks(x, apply_block, &(application){f, f_rest, z, z_rest}, err);
}

typedef struct transposed_sum {
  const matrix *x;
  const double *w;
  double *hi, *lo;
} transposed_sum;

static void add_row(const void *context, size_t i, size_t count, const uint32_t *columns,
                    const double *values) {
  const transposed_sum *sum = context;
  for (size_t e = 0; e < count; e++) {
    size_t j = columns ? columns[e] : e;
    double_double total =
        dd_add((double_double){sum->hi[j], sum->lo[j]}, two_product(values[e], sum->w[i]));
    sum->hi[j] = total.hi;
    sum->lo[j] = total.lo;
  }
}

static void add_stripe(const void *context, size_t from, size_t to, double *total, double *work) {
  transposed_sum sum = *(const transposed_sum *)context;
  sum.hi = total;
  sum.lo = total + sum.x->cols;
  for_rows(sum.x, from, to, work, add_row, &sum);
}

dperm_status matrix_apply_transposed_dd(const matrix *x, const double *w, double *g,
                                        dperm_error *err) {
  const transposed_sum sum = {.x = x, .w = w};
  const stripe_sum how = {.size = 2 * x->cols,
                          .work_size = x->work_size,
                          .dd = true,
                          .add = add_stripe,
                          .context = &sum};
  return stripes_sum(x, &how, g, err);
}
