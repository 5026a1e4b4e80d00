/* Rows that change places among processes: whoever has a row gives its bits, the others zeros; so
 * sums of whole numbers are the rows. */

#include "base/memory.h"
#include "matrix/matrix.h"

/* A row that is asked for, if it is here; else one without entries. */
static row_view view_here(const growing_rows *here, size_t first, size_t row) {
  return row >= first && row - first < here->count ? rows_view(here, row - first) : (row_view){0};
}

/* Some rows, wherever they are, behind the last of `out`, if that is not NULL. */
static dperm_status bring_rows(ranks *r, const growing_rows *here, size_t first, const size_t *rows,
                               size_t count, growing_rows *out, dperm_error *err) {
  OWNED_MEMORY uint64_t *counts = NULL, *entries = NULL; /* a column and a value's bits each */
  size_t all = 0, at = 0;
  dperm_status status = memory_new(count, sizeof *counts, &counts, err);
  for (size_t i = 0; status == DPERM_OK && i < count; i++) {
    counts[i] = view_here(here, first, rows[i]).count;
  }
  TRY(ranks_add(r, status, counts, count, err));
  for (size_t i = 0; i < count; i++) {
    all += (size_t)counts[i];
  }
  status = memory_new(2 * all, sizeof *entries, &entries, err);
  if (out && status == DPERM_OK) {
    status = rows_reserve_many(out, count, all, err);
  }
  for (size_t i = 0; status == DPERM_OK && i < count; at += (size_t)counts[i++]) {
    const row_view row = view_here(here, first, rows[i]);
    for (size_t e = 0; e < row.count; e++) {
      entries[2 * (at + e)] = row.columns[e];
      memcpy(&entries[2 * (at + e) + 1], &row.values[e], sizeof *row.values);
    }
  }
  TRY(ranks_add(r, status, entries, 2 * all, err));
  at = 0;
  for (size_t i = 0; out && i < count; i++) {
    for (size_t e = 0; e < counts[i]; e++, at++) {
      double value = 0;
      memcpy(&value, &entries[2 * at + 1], sizeof value);
      rows_push(out, (size_t)entries[2 * at], value);
    }
    rows_end(out, 0);
  }
  return DPERM_OK;
}

/* For one process after the other, so that none has more than its share in memory. */
dperm_status spread_select(ranks *r, const growing_rows *here, size_t total, const size_t *rows,
                           size_t count, growing_rows *out, dperm_error *err) {
  size_t own = 0, own_rows = 0;
  stripes_of_rank(total, r, &own, &own_rows);
  for (size_t rank = 0; rank < r->count; rank++) {
    size_t first = 0, some = 0;
    stripes_of_rank(count, &(ranks){.count = r->count, .rank = rank}, &first, &some);
    TRY(bring_rows(r, here, own, rows + first, some, rank == r->rank ? out : NULL, err));
  }
  return DPERM_OK;
}

dperm_status spread_everywhere(const matrix *x, const double *tall, size_t width,
                               const size_t *rows, size_t count, double *out, dperm_error *err) {
  OWNED_MEMORY uint64_t *bits = NULL;
  dperm_status status = memory_new(count * width, sizeof *bits, &bits, err);
  for (size_t i = 0; status == DPERM_OK && i < count; i++) {
    if (rows[i] >= x->first && rows[i] - x->first < x->rows) {
      memcpy(bits + i * width, tall + (rows[i] - x->first) * width, width * sizeof *bits);
    }
  }
  TRY(ranks_add(x->spread, status, bits, count * width, err));
  memcpy(out, bits, count * width * sizeof *bits);
  return DPERM_OK;
}

dperm_status tall_select(const matrix *x, const double *tall, const size_t *rows, size_t count,
                         double *out, dperm_error *err) {
  size_t first = 0, own = count;
  OWNED_MEMORY double *all = NULL;
  if (!x->spread) {
    for (size_t i = 0; i < count; i++) {
      out[i] = tall[rows[i]];
    }
    return DPERM_OK;
  }
  stripes_of_rank(count, x->spread, &first, &own);
  TRY(memory_new(count, sizeof *all, &all, err));
  TRY(spread_everywhere(x, tall, 1, rows, count, all, err));
  memcpy(out, all + first, own * sizeof *out);
  return DPERM_OK;
}
