/* Compressed sparse rows: the kind that one-hot records become. Within a stripe, sums over rows are
 * kept in a small block, every `block_rows` rows folded into a pile, and every PILE blocks into the
 * stripe's total, so that the depth of a sum (and with it the rounding error that certification
 * must cover) stays far below the number of rows. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scratch.h"
#include "base/twofold.h"
#include "data/matrix_spread.h"

enum { PILE = 16 };

typedef struct sparse {
  matrix base;
  size_t *starts;    /* rows + 1 */
  uint32_t *columns; /* ascending within a row */
  double *values;
  bool borrowed; /* the three arrays are somebody else's */
  size_t block_rows;
} sparse;

/* Four sums side by side: a quarter of the depth, and the processor need not wait for each. */
static double row_product(const sparse *m, size_t i, const double *f) {
  double sum[4] = {0, 0, 0, 0};
  size_t e = m->starts[i], end = m->starts[i + 1];
  for (; e + 4 <= end; e += 4) {
    for (size_t s = 0; s < 4; s++) {
      sum[s] += m->values[e + s] * f[m->columns[e + s]];
    }
  }
  for (size_t s = 0; e < end; e++, s++) {
    sum[s] += m->values[e] * f[m->columns[e]];
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void sparse_apply_rows(const matrix *x, size_t from, size_t count, const double *f, size_t k,
                              double *z, double *room) {
  (void)room;
  const sparse *m = (const sparse *)x;
  for (size_t i = from; i < from + count; i++) {
    double *zi = z + (i - from) * k;
    if (k == 1) {
      *zi = row_product(m, i, f);
      continue;
    }
    memset(zi, 0, k * sizeof *zi);
    for (size_t e = m->starts[i]; e < m->starts[i + 1]; e++) {
      const double *fj = f + m->columns[e] * k;
      for (size_t c = 0; c < k; c++) {
        zi[c] += m->values[e] * fj[c];
      }
    }
  }
}

/* total += Σ over rows [from, to) of x_i w_iᵀ, entries squared if `squared`. */
static void add_rows(const sparse *m, size_t from, size_t to, const double *w, size_t k,
                     int squared, double *total) {
  for (size_t i = from; i < to; i++) {
    const double *wi = w + i * k;
    for (size_t e = m->starts[i]; e < m->starts[i + 1]; e++) {
      double v = squared ? m->values[e] * m->values[e] : m->values[e];
      double *t = total + m->columns[e] * k;
      for (size_t c = 0; c < k; c++) {
        t[c] += v * wi[c];
      }
    }
  }
}

/* to += from, and from is cleared. */
static void fold(double *to, double *from, size_t size) {
  for (size_t i = 0; i < size; i++) {
    to[i] += from[i];
  }
  memset(from, 0, size * sizeof *from);
}

/* Stripe s of the cut into `sums`, three of `size` doubles each: the total, a pile of blocks, and
 * the block at hand. */
static void add_stripe(const sparse *m, const stripe_cut *cut, size_t s, const double *w, size_t k,
                       int squared, double *sums, size_t size) {
  size_t from = stripe_row(&m->base, cut, s), to = stripe_row(&m->base, cut, s + 1), blocks = 0;
  double *total = sums, *pile = sums + size, *block = sums + 2 * size;
  for (size_t at = from; at < to; at += m->block_rows) {
    add_rows(m, at, at + m->block_rows < to ? at + m->block_rows : to, w, k, squared, block);
    fold(pile, block, size);
    if (++blocks % PILE == 0) {
      fold(total, pile, size);
    }
  }
  fold(total, pile, size);
}

static dperm_status sum_over_rows(const sparse *m, const double *w, size_t k, int squared,
                                  double *out, dperm_error *err) {
  const matrix *x = &m->base;
  size_t size = x->cols * k;
  const stripe_cut cut = stripes_here(x, 3 * size);
  size_t stripes = cut.to - cut.from;
  double *parts = NULL; /* of each stripe: the total and two rooms for sums on the way there */
  scratch room;
  scratch_init(&room);
  dperm_status status = scratch_take(&room, 3 * stripes * size, sizeof *parts, &parts, err);
  if (status == DPERM_OK && stripes == 1) { /* without a team, which costs more than a few rows */
    add_stripe(m, &cut, cut.from, w, k, squared, parts, size);
  } else if (status == DPERM_OK) {
#pragma omp parallel for schedule(dynamic)
    for (size_t s = 0; s < stripes; s++) {
      add_stripe(m, &cut, cut.from + s, w, k, squared, parts + s * 3 * size, size);
    }
  }
  for (size_t s = 1; status == DPERM_OK && s < stripes; s++) { /* the totals side by side */
    memcpy(parts + s * size, parts + s * 3 * size, size * sizeof *parts);
  }
  status = stripes_join(x, &cut, status, parts, size, out, err);
  scratch_free(&room);
  return status;
}

static dperm_status sparse_apply_transposed(const matrix *x, const double *w, size_t k, double *g,
                                            dperm_error *err) {
  return sum_over_rows((const sparse *)x, w, k, 0, g, err);
}

static dperm_status sparse_gram_diagonal(const matrix *x, const double *w, size_t k, double *d,
                                         dperm_error *err) {
  return sum_over_rows((const sparse *)x, w, k, 1, d, err);
}

/* ---- in twice the precision */

static dperm_status sparse_apply_twofold(const matrix *x, const double *f, const double *f_rest,
                                         double *z, double *z_rest, dperm_error *err) {
  (void)err;
  const sparse *m = (const sparse *)x;
#pragma omp parallel for schedule(static) if (x->rows > 512)
  for (size_t i = 0; i < x->rows; i++) {
    twofold sum = {0, 0};
    for (size_t e = m->starts[i]; e < m->starts[i + 1]; e++) {
      size_t j = m->columns[e];
      sum = twofold_add(sum, twofold_scale((twofold){f[j], f_rest[j]}, m->values[e]));
    }
    z[i] = sum.hi;
    z_rest[i] = sum.lo;
  }
  return DPERM_OK;
}

static dperm_status sparse_apply_transposed_twofold(const matrix *x, const double *w, double *g,
                                                    double *g_rest, dperm_error *err) {
  const sparse *m = (const sparse *)x;
  const stripe_cut cut = stripes_here(x, 2 * x->cols);
  double *parts = NULL;
  scratch room;
  scratch_init(&room);
  dperm_status status =
      scratch_take(&room, (cut.to - cut.from) * 2 * x->cols, sizeof *parts, &parts, err);
  size_t stripes = status == DPERM_OK ? cut.to - cut.from : 0;
#pragma omp parallel for schedule(dynamic) if (stripes > 1)
  for (size_t s = 0; s < stripes; s++) {
    double *hi = parts + s * 2 * x->cols, *lo = hi + x->cols;
    size_t to = stripe_row(x, &cut, cut.from + s + 1);
    for (size_t i = stripe_row(x, &cut, cut.from + s); i < to; i++) {
      for (size_t e = m->starts[i]; e < m->starts[i + 1]; e++) {
        size_t j = m->columns[e];
        twofold sum = twofold_add((twofold){hi[j], lo[j]}, two_product(m->values[e], w[i]));
        hi[j] = sum.hi;
        lo[j] = sum.lo;
      }
    }
  }
  status = stripes_join_twofold(x, &cut, status, parts, x->cols, g, g_rest, err);
  scratch_free(&room);
  return status;
}

/* ---- Gram matrices */

static void add_gram_rows(const sparse *m, size_t from, size_t to, const double *w, size_t stride,
                          double *h) {
  size_t cols = m->base.cols;
  for (size_t i = from; i < to; i++) {
    double wi = w[i * stride];
    if (wi == 0.0) {
      continue;
    }
    size_t end = m->starts[i + 1];
    for (size_t a = m->starts[i]; a < end; a++) {
      double scaled = wi * m->values[a];
      double *row = h + (size_t)m->columns[a] * cols;
      for (size_t b = a; b < end; b++) {
        row[m->columns[b]] += scaled * m->values[b];
      }
    }
  }
}

static dperm_status sparse_gram(const matrix *x, const double *w, size_t stride, double *h,
                                dperm_error *err) {
  const sparse *m = (const sparse *)x;
  size_t size = x->cols * x->cols;
  const stripe_cut cut = stripes_here(x, size);
  size_t stripes = cut.to - cut.from;
  double *parts = NULL;
  scratch room;
  scratch_init(&room);
  dperm_status status = scratch_take(&room, stripes * size, sizeof *parts, &parts, err);
  if (status == DPERM_OK && stripes == 1) {
    add_gram_rows(m, 0, x->rows, w, stride, parts);
  } else if (status == DPERM_OK) {
#pragma omp parallel for schedule(dynamic)
    for (size_t s = 0; s < stripes; s++) {
      size_t at = cut.from + s;
      add_gram_rows(m, stripe_row(x, &cut, at), stripe_row(x, &cut, at + 1), w, stride,
                    parts + s * size);
    }
  }
  status = stripes_join(x, &cut, status, parts, size, h, err);
  scratch_free(&room);
  return status;
}

static void sparse_row(const matrix *x, size_t i, double *values) {
  const sparse *m = (const sparse *)x;
  memset(values, 0, x->cols * sizeof *values);
  for (size_t e = m->starts[i]; e < m->starts[i + 1]; e++) {
    values[m->columns[e]] = m->values[e];
  }
}

static dperm_status sparse_select(const matrix *x, const size_t *rows, size_t count, matrix **out,
                                  dperm_error *err) {
  if (x->spread) {
    return spread_select(x, rows, count, out, err);
  }
  dperm_status status = DPERM_OK;
  const sparse *m = (const sparse *)x;
  size_t *starts = NULL, entries = 0;
  uint32_t *columns = NULL;
  double *values = NULL;
  for (size_t i = 0; i < count; i++) {
    entries += m->starts[rows[i] + 1] - m->starts[rows[i]];
  }
  TRY_OR_DONE(memory_new(count + 1, sizeof *starts, &starts, err));
  TRY_OR_DONE(memory_new(entries, sizeof *columns, &columns, err));
  TRY_OR_DONE(memory_new(entries, sizeof *values, &values, err));
  for (size_t i = 0; i < count; i++) {
    size_t from = m->starts[rows[i]], length = m->starts[rows[i] + 1] - from;
    memcpy(columns + starts[i], m->columns + from, length * sizeof *columns);
    memcpy(values + starts[i], m->values + from, length * sizeof *values);
    starts[i + 1] = starts[i] + length;
  }
  TRY_OR_DONE(matrix_sparse_new(count, x->cols, starts, columns, values, out, err));
  return DPERM_OK;
done:
  free(starts);
  free(columns);
  free(values);
  return status;
}

static size_t sparse_bytes(const matrix *x) {
  const sparse *m = (const sparse *)x;
  return (x->rows + 1) * sizeof *m->starts +
         (m->starts[x->rows] - m->starts[0]) * (sizeof *m->columns + sizeof *m->values);
}

static void sparse_free(matrix *x) {
  sparse *m = (sparse *)x;
  if (!m->borrowed) {
    free(m->starts);
    free(m->columns);
    free(m->values);
  }
  free(m);
}

static size_t sparse_entries(const matrix *x, size_t i, const uint32_t **columns,
                             const double **values) {
  const sparse *m = (const sparse *)x;
  *columns = m->columns + m->starts[i];
  *values = m->values + m->starts[i];
  return m->starts[i + 1] - m->starts[i];
}

static const matrix_kind sparse_kind = {
    .name = "sparse",
    .apply = matrix_apply_blocks,
    .apply_rows = sparse_apply_rows,
    .apply_transposed = sparse_apply_transposed,
    .gram = sparse_gram,
    .gram_diagonal = sparse_gram_diagonal,
    .apply_twofold = sparse_apply_twofold,
    .apply_transposed_twofold = sparse_apply_transposed_twofold,
    .row = sparse_row,
    .entries = sparse_entries,
    .select = sparse_select,
    .bytes = sparse_bytes,
    .free = sparse_free,
};

/* What follows from the sizes of all rows together. */
static void set_depths(sparse *m, size_t entries) {
  matrix *x = &m->base;
  size_t rows = rows_in_all(x), cols = x->cols;
  x->row_depth = x->row_entries / 4 + 3;
  /* Folding a block costs cols additions: at most a quarter of the block's own. */
  size_t mean = rows ? entries / rows + 1 : 1;
  size_t stripes = stripes_here(x, 3 * cols).count;
  size_t stripe = rows / stripes + 1 + STRIPE_UNIT;
  m->block_rows = 4 * cols / mean > 16 ? 4 * cols / mean : 16;
  x->sum_depth = (stripe < m->block_rows ? stripe : m->block_rows) + PILE +
                 stripe / m->block_rows / PILE + 2 + STRIPE_DEPTH;
}

dperm_status matrix_sparse_new(size_t rows, size_t cols, size_t *row_starts, uint32_t *columns,
                               double *values, matrix **out, dperm_error *err) {
  sparse *m = NULL;
  TRY(memory_new(1, sizeof *m, &m, err));
  m->base = (matrix){.kind = &sparse_kind, .rows = rows, .cols = cols};
  m->starts = row_starts;
  m->columns = columns;
  m->values = values;
  for (size_t i = 0; i < rows; i++) {
    size_t entries = row_starts[i + 1] - row_starts[i];
    m->base.row_entries = entries > m->base.row_entries ? entries : m->base.row_entries;
  }
  set_depths(m, row_starts[rows] - row_starts[0]);
  *out = &m->base;
  return DPERM_OK;
}

dperm_status matrix_sparse_over(size_t rows, size_t cols, size_t *row_starts, uint32_t *columns,
                                double *values, matrix **out, dperm_error *err) {
  TRY(matrix_sparse_new(rows, cols, row_starts, columns, values, out, err));
  ((sparse *)*out)->borrowed = true;
  return DPERM_OK;
}

dperm_status matrix_sparse_spread(matrix *x, ranks *r, size_t total, dperm_error *err) {
  sparse *m = (sparse *)x;
  uint64_t most = x->row_entries, entries = m->starts[x->rows] - m->starts[0];
  size_t rows = 0;
  dperm_status status = DPERM_OK;
  x->spread = r;
  x->total = total;
  stripes_of_rank(total, r, &x->first, &rows);
  if (rows != x->rows) {
    status =
        error_set(err, DPERM_INVALID_ARGUMENT, "%zu rows are here where %zu belong", x->rows, rows);
  }
  TRY(ranks_most(r, status, &most, err));
  TRY(ranks_add(r, DPERM_OK, &entries, 1, err));
  x->row_entries = (size_t)most;
  set_depths(m, (size_t)entries);
  return DPERM_OK;
}
