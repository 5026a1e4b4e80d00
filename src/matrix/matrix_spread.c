/* Rows that change places among processes. Both sides know the whole list of rows and who has
 * which, so each can tell what it will get and give without asking. Processes meet in pairs, in an
 * order that all keep; of a pair, the lower rank speaks first. */
#include "matrix/matrix_spread.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- who has what */

/* The first rows of each process's share of `total`, and behind the last. */
static dperm_status shares_of(size_t total, const ranks *r, size_t **out, dperm_error *err) {
  TRY(memory_new(r->count + 1, sizeof **out, out, err));
  for (size_t rank = 0; rank < r->count; rank++) {
    const ranks other = {.count = r->count, .rank = rank};
    size_t rows = 0;
    stripes_of_rank(total, &other, &(*out)[rank], &rows);
  }
  (*out)[r->count] = total;
  return DPERM_OK;
}

static size_t owner_of_row(const size_t *shares, size_t row) {
  size_t rank = 0;
  while (shares[rank + 1] <= row) {
    rank++;
  }
  return rank;
}

/* ---- parcels: bytes for one process */

typedef struct parcel {
  unsigned char *bytes;
  size_t size, capacity, read;
} parcel;

static dperm_status parcel_add(parcel *p, const void *bytes, size_t size, dperm_error *err) {
  TRY(memory_reserve(&p->bytes, &p->capacity, p->size + size, 1, err));
  if (size > 0) {
    memcpy(p->bytes + p->size, bytes, size);
  }
  p->size += size;
  return DPERM_OK;
}

/* False where there is not so much left. */
static bool parcel_take(parcel *p, void *bytes, size_t size) {
  if (p->size - p->read < size) {
    return false;
  }
  if (size > 0) {
    memcpy(bytes, p->bytes + p->read, size);
  }
  p->read += size;
  return true;
}

static bool swap(ranks *r, size_t other, const void *given, size_t given_size, void *got,
                 size_t got_size) {
  return r->rank < other
             ? r->send(r, other, given, given_size) && r->receive(r, other, got, got_size)
             : r->receive(r, other, got, got_size) && r->send(r, other, given, given_size);
}

/* Everybody gives to[i] to process i and gets from[i] from it: the sizes first, and the bytes when
 * all have space for them. */
static dperm_status exchange(ranks *r, dperm_status status, parcel *to, parcel *from,
                             dperm_error *err) {
  TRY(ranks_agree(r, status, err));
  bool fine = true;
  for (size_t i = 0; i < r->count; i++) {
    uint64_t given = to[i].size, got = 0;
    fine = fine && (i == r->rank || swap(r, i, &given, sizeof given, &got, sizeof got));
    from[i].size = (size_t)got;
    status = status == DPERM_OK ? memory_raw(from[i].size, 1, &from[i].bytes, err) : status;
  }
  if (!fine) {
    return ranks_fail(r, err);
  }
  TRY(ranks_agree(r, status, err));
  for (size_t i = 0; i < r->count; i++) {
    fine =
        fine && (i == r->rank || swap(r, i, to[i].bytes, to[i].size, from[i].bytes, from[i].size));
  }
  const parcel own = from[r->rank];
  from[r->rank] = to[r->rank];
  to[r->rank] = own;
  return fine ? DPERM_OK : ranks_fail(r, err);
}

/* ---- rows on their way */

typedef struct move {
  ranks *r;
  const size_t *rows;   /* NULL: all of them, in their order */
  size_t count;         /* of rows */
  size_t *had, *having; /* the shares of the rows before and after */
  parcel *to, *from;
} move;

static void parcels_free(parcel *p, size_t count) {
  for (size_t i = 0; p && i < count; i++) {
    free(p[i].bytes);
  }
  free(p);
}

static void move_end(move *m) {
  parcels_free(m->to, m->r->count);
  parcels_free(m->from, m->r->count);
  free(m->had);
  free(m->having);
}

static dperm_status pack_row(const growing_rows *rows, size_t row, parcel *p, dperm_error *err) {
  size_t from = rows->starts[row];
  uint64_t count = rows->starts[row + 1] - from;
  double label = rows->labels ? rows->labels[row] : 0;
  TRY(parcel_add(p, &label, sizeof label, err));
  TRY(parcel_add(p, &count, sizeof count, err));
  TRY(parcel_add(p, rows->columns + from, (size_t)count * sizeof *rows->columns, err));
  return parcel_add(p, rows->values + from, (size_t)count * sizeof *rows->values, err);
}

static dperm_status pack_all(move *m, const growing_rows *rows, dperm_error *err) {
  size_t own = m->r->rank;
  TRY(memory_new(m->r->count, sizeof *m->to, &m->to, err));
  TRY(memory_new(m->r->count, sizeof *m->from, &m->from, err));
  TRY(shares_of(m->count, m->r, &m->having, err));
  for (size_t rank = 0; rank < m->r->count; rank++) {
    for (size_t i = m->having[rank]; i < m->having[rank + 1]; i++) {
      size_t row = m->rows ? m->rows[i] : i;
      if (row >= m->had[own] && row < m->had[own + 1]) {
        TRY(pack_row(rows, row - m->had[own], &m->to[rank], err));
      }
    }
  }
  return DPERM_OK;
}

static dperm_status unpack_all(move *m, growing_rows *rows, dperm_error *err) {
  size_t own = m->r->rank;
  for (size_t i = m->having[own]; i < m->having[own + 1]; i++) {
    parcel *p = &m->from[owner_of_row(m->had, m->rows ? m->rows[i] : i)];
    double label = 0;
    uint64_t count = 0;
    bool whole = parcel_take(p, &label, sizeof label) && parcel_take(p, &count, sizeof count) &&
                 count <= p->size;
    if (whole) {
      TRY(rows_reserve(rows, (size_t)count, err));
    }
    if (!whole ||
        !parcel_take(p, rows->columns + rows->entries, (size_t)count * sizeof *rows->columns) ||
        !parcel_take(p, rows->values + rows->entries, (size_t)count * sizeof *rows->values)) {
      FAIL(err, DPERM_IO_ERROR, "rows were lost between the processes of this job; run it again");
    }
    rows->entries += (size_t)count;
    rows_end(rows, label);
  }
  return DPERM_OK;
}

/* `m` knows who had what, if `status` is well. */
static dperm_status carry(move *m, dperm_status status, const growing_rows *before,
                          growing_rows *after, dperm_error *err) {
  status = status == DPERM_OK ? pack_all(m, before, err) : status;
  TRY(exchange(m->r, status, m->to, m->from, err));
  return ranks_agree(m->r, unpack_all(m, after, err), err);
}

dperm_status spread_select(ranks *r, const growing_rows *here, size_t total, const size_t *rows,
                           size_t count, growing_rows *out, dperm_error *err) {
  OWNED(move_end) move m = {.r = r, .rows = rows, .count = count};
  return carry(&m, shares_of(total, r, &m.had, err), here, out, err);
}

/* Everybody's number of rows, as the first row of each and one behind the last. */
static dperm_status count_all(ranks *r, size_t own, size_t **had, dperm_error *err) {
  TRY(ranks_agree(r, memory_new(r->count + 1, sizeof **had, had, err), err));
  for (size_t rank = 0; rank < r->count; rank++) {
    uint64_t count = own;
    if (!r->share(r, rank, &count, sizeof count)) {
      return ranks_fail(r, err);
    }
    (*had)[rank + 1] = (*had)[rank] + (size_t)count;
  }
  return DPERM_OK;
}

dperm_status spread_settle(ranks *r, const growing_rows *rows, growing_rows *out, size_t *total,
                           dperm_error *err) {
  OWNED(move_end) move m = {.r = r};
  TRY(count_all(r, rows->count, &m.had, err));
  m.count = *total = m.had[r->count];
  return carry(&m, DPERM_OK, rows, out, err);
}

/* ---- numbers of rows */

/* Whoever has a row gives its bits, the others zeros; so a sum of whole numbers is the row. */
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
