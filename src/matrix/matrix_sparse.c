/* Compressed sparse rows: the kind that one-hot records become. They are stored, or made anew in
 * every pass, MATRIX_BLOCK at a time, by a row_maker; the bits of a result are the same. Within a
 * stripe, sums over rows are kept in a small block, every `block_rows` rows folded into a pile, and
 * every PILE blocks into the stripe's total, so that the depth of a sum (and with it the rounding
 * error that certification must cover) stays far below the number of rows. Equal rows of a block
 * are multiplied and added once, for one right-hand side (equal_rows.h). */
#include <math.h>

#include "base/memory.h"
#include "base/vector.h"
#include "matrix/equal_rows.h"
#include "matrix/row_store.h"

enum { PILE = 16, CHUNK_DOUBLES = 1 << 12, LONG = 8 * LANES, FOLD = 4 };

typedef struct sparse {
  matrix base;
  row_store rows;
  size_t entries; /* of all rows, those elsewhere too, or what they can be */
  size_t block_rows;
} sparse;

/* Four sums side by side: a quarter of the depth, and the processor need not wait for each. */
static inline double row_product(const row_window *m, size_t at, const double *f) {
  const uint32_t *columns = m->columns + m->starts[at];
  const double *values = m->values + m->starts[at];
  size_t e = 0, count = m->starts[at + 1] - m->starts[at];
  double sums[4] = {0};
  for (; e + 4 <= count; e += 4) {
    for (size_t s = 0; s < 4; s++) {
      sums[s] += values[e + s] * f[columns[e + s]];
    }
  }
  for (size_t s = 0; s < 3 && e + s < count; s++) {
    sums[s] += values[e + s] * f[columns[e + s]];
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* A row of X F for k right-hand sides: 64 of them at a time stay in registers. */
FOR_EACH_WIDTH
static void row_products(const row_window *m, size_t at, const double *f, size_t k, double *z) {
  size_t c = 0, from = m->starts[at], end = m->starts[at + 1];
  for (; c + LONG <= k; c += LONG) {
    lanes sums[8] = {{0}}, x;
    for (size_t e = from; e < end; e++) {
      const double *fj = f + m->columns[e] * k + c, v = m->values[e];
      for (size_t s = 0; s < 8; s++) {
        LANES_LOAD(x, fj + s * LANES);
        sums[s] += v * x;
      }
    }
    for (size_t s = 0; s < 8; s++) {
      LANES_STORE(z + c + s * LANES, sums[s]);
    }
  }
  for (; c + LANES <= k; c += LANES) {
    lanes sum = {0}, x;
    for (size_t e = from; e < end; e++) {
      LANES_LOAD(x, f + m->columns[e] * k + c);
      sum += m->values[e] * x;
    }
    LANES_STORE(z + c, sum);
  }
  for (; c < k; c++) {
    z[c] = 0;
    for (size_t e = from; e < end; e++) {
      z[c] += m->values[e] * f[m->columns[e] * k + c];
    }
  }
}

/* Z = X F of some rows, k numbers each. */
static void apply_window(const row_window *rows, size_t count, const double *f, size_t k,
                         double *z) {
  for (size_t i = 0; i < count && k > 1; i++) {
    row_products(rows, row_place(rows, i), f, k, z + i * k);
  }
  if (k == 1 && rows->different) {
    double products[MATRIX_BLOCK];
    for (size_t u = 0; u < rows->different; u++) {
      products[u] = row_product(rows, rows->places[0] + u, f);
    }
    for (size_t i = 0; i < count; i++) {
      z[i] = products[rows->places[i] - rows->places[0]];
    }
    return;
  }
  for (size_t i = 0; i < count && k == 1; i++) {
    z[i] = row_product(rows, row_place(rows, i), f);
  }
}

static void sparse_apply_rows(const matrix *x, size_t from, size_t count, const double *f, size_t k,
                              double *z, double *work) {
  const row_window rows = rows_at(&((const sparse *)x)->rows, from, count, work);
  apply_window(&rows, count, f, k, z);
}

/* total += w·row. Columns of a row differ, so two entries at once do not meet. */
static void add_row(const uint32_t *columns, const double *values, size_t count, double w,
                    double *restrict total) {
  size_t e = 0;
  for (; e + 2 <= count; e += 2) {
    double *a = total + columns[e], *b = total + columns[e + 1];
    double first = *a + values[e] * w, second = *b + values[e + 1] * w;
    *a = first;
    *b = second;
  }
  if (e < count) {
    total[columns[e]] += values[e] * w;
  }
}

/* total += Σ over rows [from, to) of x_i w_iᵀ, entries squared if `squared`; w begins at `from`. */
FOR_EACH_WIDTH
static void add_rows(const row_window *m, size_t from, size_t to, const double *w, size_t k,
                     bool squared, double *total) {
  for (size_t i = from; i < to; i++) {
    const double *wi = w + (i - from) * k;
    const size_t at = row_place(m, i), begin = m->starts[at], end = m->starts[at + 1];
    if (k == 1 && !squared) {
      add_row(m->columns + begin, m->values + begin, end - begin, *wi, total);
      continue;
    }
    for (size_t e = begin; e < end; e++) {
      double v = squared ? m->values[e] * m->values[e] : m->values[e];
      lanes_axpys(total + m->columns[e] * k, 0, 1, &v, wi, k);
    }
  }
}

/* A sum over rows on its way. */
typedef struct row_sums {
  const sparse *m;
  const double *w; /* the weights, or NULL: `turn` makes them */
  size_t k;        /* numbers a row in them */
  bool squared;
  const double *f;
  matrix_turn *turn;
  void *context;
} row_sums;

/* Rows whose margins are made at a time: they stay in cache. */
static size_t chunk_rows(size_t k) {
  size_t most = CHUNK_DOUBLES / k;
  return most > MATRIX_BLOCK ? MATRIX_BLOCK : most > 1 ? most : 1;
}

/* The different rows of a block in place of its rows, with the sums of their weights in `sums`,
 * four side by side as in row_product. Returns how many these are. */
static size_t fold_weights(row_window *rows, size_t count, const double **w, double *sums) {
  if (!rows->different) {
    return count;
  }
  double parts[FOLD * MATRIX_BLOCK];
  memset(parts, 0, FOLD * rows->different * sizeof *parts);
  for (size_t i = 0; i < count; i++) {
    parts[FOLD * (rows->places[i] - rows->places[0]) + i % FOLD] += (*w)[i];
  }
  for (size_t u = 0; u < rows->different; u++) {
    const double *part = parts + FOLD * u;
    sums[u] = (part[0] + part[1]) + (part[2] + part[3]);
  }
  rows->starts += rows->places[0];
  rows->places = NULL;
  *w = sums;
  return rows->different;
}

/* The weights of some rows: those given, or made of the margins in `work`. */
static const double *weights_of(const row_sums *sums, const row_window *rows, size_t from,
                                size_t count, double *work) {
  if (sums->w) {
    return sums->w + from * sums->k;
  }
  apply_window(rows, count, sums->f, sums->k, work);
  sums->turn(sums->context, from, count, work);
  return work;
}

/* `pile` has a pile of blocks, then the block at hand, then space for rows, and for margins where
 * there are several a row. */
static void add_stripe(const void *context, size_t from, size_t to, double *total, double *pile) {
  const row_sums *sums = context;
  const sparse *m = sums->m;
  const size_t k = sums->k, size = m->base.cols * k, chunk = chunk_rows(k);
  const size_t numbers = chunk * k * m->base.row_entries;
  double near[MATRIX_BLOCK], folded[MATRIX_BLOCK], *block = pile + size, *made = block + size;
  double *work = k == 1 ? near : made + m->base.work_size;
  size_t added = 0, blocks = 0; /* rows in the block, blocks in the pile */
  memset(pile, 0, 2 * size * sizeof *pile);
  for (size_t at = from; at < to && !cancel_poll_at((at - from) / chunk, numbers); at += chunk) {
    size_t count = to - at < chunk ? to - at : chunk;
    row_window rows = rows_at(&m->rows, at, count, made);
    const double *w = weights_of(sums, &rows, at, count, work);
    count = k == 1 ? fold_weights(&rows, count, &w, folded) : count;
    for (size_t done = 0, next; done < count; done = next) {
      next = done + m->block_rows - added < count ? done + m->block_rows - added : count;
      add_rows(&rows, done, next, w + done * k, k, sums->squared, block);
      added += next - done;
      if (added == m->block_rows) {
        vector_fold(pile, block, size);
        added = 0;
        if (++blocks % PILE == 0) {
          vector_fold(total, pile, size);
        }
      }
    }
  }
  vector_fold(pile, block, size);
  vector_fold(total, pile, size);
}

static dperm_status sum_over_rows(const row_sums *sums, double *out, dperm_error *err) {
  size_t size = sums->m->base.cols * sums->k;
  size_t margins = sums->w || sums->k == 1 ? 0 : chunk_rows(sums->k) * sums->k;
  const stripe_sum how = {.size = size,
                          .work_size = 2 * size + sums->m->base.work_size + margins,
                          .beside = 2 * size,
                          .add = add_stripe,
                          .context = sums};
  return stripes_sum(&sums->m->base, &how, out, err);
}

static dperm_status sparse_gram_diagonal(const matrix *x, const double *w, size_t k, double *d,
                                         dperm_error *err) {
  const row_sums sums = {.m = (const sparse *)x, .w = w, .k = k, .squared = true};
  return sum_over_rows(&sums, d, err);
}

static dperm_status sparse_apply_both(const matrix *x, const double *f, size_t k, matrix_turn *turn,
                                      void *context, double *g, dperm_error *err) {
  const row_sums sums = {.m = (const sparse *)x, .k = k, .f = f, .turn = turn, .context = context};
  return sum_over_rows(&sums, g, err);
}

/* ---- Gram matrices */

static void add_gram(const row_window *m, size_t count, const double *w, size_t cols, double *h) {
  for (size_t i = 0; i < count; i++) {
    if (w[i] == 0.0) {
      continue;
    }
    const size_t at = row_place(m, i), end = m->starts[at + 1];
    for (size_t a = m->starts[at]; a < end; a++) {
      double scaled = w[i] * m->values[a];
      double *row = h + (size_t)m->columns[a] * cols;
      for (size_t b = a; b < end; b++) {
        row[m->columns[b]] += scaled * m->values[b];
      }
    }
  }
}

static void add_gram_stripe(const void *context, size_t from, size_t to, double *h, double *work) {
  const row_sums *sums = context;
  size_t numbers = MATRIX_BLOCK * sums->m->base.row_entries;
  for (size_t at = from; at < to && !cancel_poll_at((at - from) / MATRIX_BLOCK, numbers);
       at += MATRIX_BLOCK) {
    const size_t count = to - at < MATRIX_BLOCK ? to - at : MATRIX_BLOCK;
    const double *w = sums->w + at;
    double folded[MATRIX_BLOCK];
    row_window rows = rows_at(&sums->m->rows, at, count, work);
    const size_t different = fold_weights(&rows, count, &w, folded);
    add_gram(&rows, different, w, sums->m->base.cols, h);
  }
}

static dperm_status sparse_gram(const matrix *x, const double *w, double *h, dperm_error *err) {
  const row_sums sums = {.m = (const sparse *)x, .w = w};
  const stripe_sum how = {.size = x->cols * x->cols,
                          .work_size = x->work_size,
                          .add = add_gram_stripe,
                          .context = &sums};
  return stripes_sum(x, &how, h, err);
}

/* ---- rows */

static void sparse_views(const matrix *x, size_t from, size_t count, double *work, row_view *out) {
  const row_window rows = rows_at(&((const sparse *)x)->rows, from, count, work);
  for (size_t i = 0; i < count; i++) {
    const size_t place = row_place(&rows, i), start = rows.starts[place];
    out[i] = (row_view){rows.starts[place + 1] - start, rows.columns + start, rows.values + start};
  }
}

/* NaN where rows are made and there is no memory for one. */
static void sparse_row(const matrix *x, size_t i, double *values) {
  const sparse *m = (const sparse *)x;
  double *work = m->rows.maker ? malloc(x->work_size * sizeof *work) : NULL;
  const bool able = work || !m->rows.maker;
  row_view row = {0};
  if (able) {
    sparse_views(x, i, 1, work, &row);
  }
  for (size_t j = 0; j < x->cols; j++) {
    values[j] = able ? 0 : (double)NAN;
  }
  for (size_t e = 0; e < row.count; e++) {
    values[row.columns[e]] = row.values[e];
  }
  free(work);
}

static dperm_status sparse_select(const matrix *x, const size_t *rows, size_t count, matrix **out,
                                  dperm_error *err) {
  OWNED(rows_clear) growing_rows got = {0};
  OWNED(matrix_free_at) matrix *made = NULL, *kept = NULL;
  const sparse *m = (const sparse *)x;
  if (x->spread && m->rows.maker) { /* rows go from process to process as they are */
    TRY(ranks_agree(x->spread, matrix_keep(x, &kept, err), err));
    m = (const sparse *)kept;
  }
  dperm_status status =
      x->spread ? spread_select(x->spread, &m->rows.stored, x->total, rows, count, &got, err)
                : rows_select(&m->rows, rows, count, &got, err);
  status = status == DPERM_OK ? matrix_sparse_take(&got, x->cols, &made, err) : status;
  TRY(ranks_agree(x->spread, status, err));
  if (x->spread && made) {
    TRY(matrix_sparse_spread(made, x->spread, count, err));
  }
  *out = TAKE(made);
  return DPERM_OK;
}

static void sparse_free(matrix *x) {
  sparse *m = (sparse *)x;
  row_store_clear(&m->rows);
  free(m);
}

static const matrix_kind sparse_kind = {
    .name = "sparse",
    .apply_rows = sparse_apply_rows,
    .apply_both = sparse_apply_both,
    .gram = sparse_gram,
    .gram_diagonal = sparse_gram_diagonal,
    .row = sparse_row,
    .views = sparse_views,
    .select = sparse_select,
    .free = sparse_free,
};

/* What follows from the sizes of all rows together. */
static void set_depths(sparse *m) {
  matrix *x = &m->base;
  size_t rows = rows_in_all(x), cols = x->cols;
  x->row_depth = x->row_entries / 4 + 3;
  /* Folding a block costs cols additions: at most a quarter of the block's own. */
  size_t mean = rows ? m->entries / rows + 1 : 1;
  size_t stripes = stripes_here(x, 3 * cols).count;
  size_t stripe = rows / stripes + 1 + STRIPE_UNIT;
  m->block_rows = 4 * cols / mean > 16 ? 4 * cols / mean : 16;
  x->sum_depth = MATRIX_BLOCK / FOLD + 2 + (stripe < m->block_rows ? stripe : m->block_rows) +
                 PILE + stripe / m->block_rows / PILE + 2 +
                 STRIPE_DEPTH; /* the first: fold_weights */
}

dperm_status matrix_sparse_take(growing_rows *rows, size_t cols, matrix **out, dperm_error *err) {
  sparse *m = NULL;
  size_t most = 0, entries = rows->entries;
  TRY(rows_reserve_many(rows, 0, 0, err)); /* there are arrays, even where no row came */
  for (size_t i = 0; i < rows->count; i++) {
    const size_t own = rows->starts[i + 1] - rows->starts[i];
    most = own > most ? own : most;
  }
  TRY(equal_rows_fold(rows, err));
  TRY(memory_new(1, sizeof *m, &m, err));
  *m = (sparse){
      .base = {.kind = &sparse_kind, .rows = rows->count, .cols = cols, .row_entries = most},
      .rows = {.stored = *rows},
      .entries = entries};
  m->rows.stored.labels = NULL;
  *rows = (growing_rows){.labels = rows->labels};
  set_depths(m);
  *out = &m->base;
  return DPERM_OK;
}

/* ---- rows that are made when they are asked for, or once for all passes */

dperm_status matrix_made_new(row_maker *maker, size_t rows, size_t cols, matrix **out,
                             dperm_error *err) {
  sparse *m = NULL;
  TRY(memory_new(1, sizeof *m, &m, err));
  *m = (sparse){.base = {.kind = &sparse_kind,
                         .rows = rows,
                         .cols = cols,
                         .row_entries = maker->most_entries},
                .rows = row_store_of(maker),
                .entries = maker->entries};
  m->base.work_size = m->rows.work_size;
  set_depths(m);
  *out = &m->base;
  return DPERM_OK;
}

dperm_status matrix_keep(const matrix *x, matrix **out, dperm_error *err) {
  OWNED(matrix_free_at) matrix *kept = NULL;
  const sparse *m = (const sparse *)x;
  sparse *copy = NULL;
  *out = NULL;
  if (x->kind != &sparse_kind || !m->rows.maker) {
    return DPERM_OK;
  }
  TRY(memory_new(1, sizeof *copy, &copy, err));
  kept = &copy->base;
  *copy = (sparse){.base = *x, .entries = m->entries, .block_rows = m->block_rows};
  copy->base.work_size = 0;
  TRY(rows_keep(&m->rows, x->rows, &copy->rows.stored, err));
  *out = TAKE(kept);
  return DPERM_OK;
}

/* ---- rows among processes */

dperm_status matrix_sparse_spread(matrix *x, ranks *r, size_t total, dperm_error *err) {
  sparse *m = (sparse *)x;
  uint64_t most = x->row_entries, entries = m->entries;
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
  m->entries = (size_t)entries;
  set_depths(m);
  return DPERM_OK;
}
