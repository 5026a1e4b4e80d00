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

static size_t owner_of_row(const size_t *shares, const ranks *r, size_t row) {
  size_t low = 0, high = r->count - 1; /* the last one that begins at the row or before */
  while (low < high) {
    size_t middle = (low + high + 1) / 2;
    if (shares[middle] <= row) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
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

static bool give(ranks *r, size_t to, const parcel *p) {
  uint64_t size = p->size;
  return r->send(r, to, &size, sizeof size) && r->send(r, to, p->bytes, p->size);
}

/* Memory may fail here, when the other side cannot be told before it has sent: the bytes are then
 * taken and dropped. */
static bool take(ranks *r, size_t from, parcel *p, bool *out_of_memory) {
  uint64_t size = 0;
  unsigned char dropped[4096];
  if (!r->receive(r, from, &size, sizeof size)) {
    return false;
  }
  p->bytes = malloc(size > 0 ? (size_t)size : 1);
  p->size = p->bytes ? (size_t)size : 0;
  *out_of_memory = *out_of_memory || !p->bytes;
  if (p->bytes) {
    return r->receive(r, from, p->bytes, p->size);
  }
  for (size_t left = (size_t)size; left > 0;) {
    size_t piece = left < sizeof dropped ? left : sizeof dropped;
    if (!r->receive(r, from, dropped, piece)) {
      return false;
    }
    left -= piece;
  }
  return true;
}

/* Everybody gives to[i] to process i and gets from[i] from it. */
static dperm_status exchange(ranks *r, dperm_status status, parcel *to, parcel *from,
                             dperm_error *err) {
  TRY(ranks_agree(r, status, err));
  bool fine = true, out_of_memory = false;
  for (size_t a = 0; a < r->count; a++) {
    for (size_t b = a + 1; b < r->count; b++) {
      if (r->rank == a) {
        fine = fine && give(r, b, &to[b]) && take(r, b, &from[b], &out_of_memory);
      } else if (r->rank == b) {
        fine = fine && take(r, a, &from[a], &out_of_memory) && give(r, a, &to[a]);
      }
    }
  }
  from[r->rank] = to[r->rank];
  to[r->rank] = (parcel){0};
  if (!fine) {
    return ranks_fail(r, err);
  }
  if (out_of_memory) {
    (void)error_set(err, DPERM_OUT_OF_MEMORY, "out of memory while rows change places");
  }
  return ranks_agree(r, out_of_memory ? DPERM_OUT_OF_MEMORY : DPERM_OK, err);
}

static void parcels_free(parcel *p, size_t count) {
  for (size_t i = 0; p && i < count; i++) {
    free(p[i].bytes);
  }
  free(p);
}

/* ---- the way of a selection */

/* What one row is on its way, and what becomes of it on arrival. */
typedef struct freight {
  dperm_status (*pack)(const void *things, size_t row, parcel *p, dperm_error *err);
  dperm_status (*unpack)(void *things, parcel *p, dperm_error *err);
} freight;

typedef struct move {
  ranks *r;
  const size_t *rows;   /* NULL: all of them, in their order */
  size_t count;         /* of rows */
  size_t *had, *having; /* the shares of the rows before and after */
  parcel *to, *from;
} move;

static dperm_status move_begin(ranks *r, const size_t *rows, size_t count, move *m,
                               dperm_error *err) {
  *m = (move){.r = r, .rows = rows, .count = count};
  TRY(memory_new(m->r->count, sizeof *m->to, &m->to, err));
  TRY(memory_new(m->r->count, sizeof *m->from, &m->from, err));
  return shares_of(count, m->r, &m->having, err);
}

static void move_end(move *m) {
  parcels_free(m->to, m->r->count);
  parcels_free(m->from, m->r->count);
  free(m->had);
  free(m->having);
}

static dperm_status pack_all(move *m, const freight *what, const void *things, dperm_error *err) {
  size_t own = m->r->rank;
  for (size_t rank = 0; rank < m->r->count; rank++) {
    for (size_t i = m->having[rank]; i < m->having[rank + 1]; i++) {
      size_t row = m->rows ? m->rows[i] : i;
      if (row >= m->had[own] && row < m->had[own + 1]) {
        TRY(what->pack(things, row - m->had[own], &m->to[rank], err));
      }
    }
  }
  return DPERM_OK;
}

static dperm_status unpack_all(move *m, const freight *what, void *things, dperm_error *err) {
  size_t own = m->r->rank;
  for (size_t i = m->having[own]; i < m->having[own + 1]; i++) {
    size_t row = m->rows ? m->rows[i] : i;
    TRY(what->unpack(things, &m->from[owner_of_row(m->had, m->r, row)], err));
  }
  return DPERM_OK;
}

/* `m` has been begun, as `status` says, and knows who had what. */
static dperm_status carry(move *m, dperm_status status, const freight *what, const void *before,
                          void *after, dperm_error *err) {
  if (status == DPERM_OK) {
    status = pack_all(m, what, before, err);
  }
  status = exchange(m->r, status, m->to, m->from, err);
  if (status == DPERM_OK) {
    status = ranks_agree(m->r, unpack_all(m, what, after, err), err);
  }
  move_end(m);
  return status;
}

/* Rows of a matrix, by a list. */
static dperm_status carry_listed(const matrix *x, const size_t *rows, size_t count,
                                 const freight *what, const void *before, void *after,
                                 dperm_error *err) {
  move m;
  dperm_status status = move_begin(x->spread, rows, count, &m, err);
  if (status == DPERM_OK) {
    status = shares_of(x->total, x->spread, &m.had, err);
  }
  return carry(&m, status, what, before, after, err);
}

/* ---- rows */

static dperm_status pack_row(const void *things, size_t row, parcel *p, dperm_error *err) {
  const matrix *x = things;
  const uint32_t *columns = NULL;
  const double *values = NULL;
  uint64_t count = x->kind->entries(x, row, &columns, &values);
  TRY(parcel_add(p, &count, sizeof count, err));
  TRY(parcel_add(p, columns, (size_t)count * sizeof *columns, err));
  return parcel_add(p, values, (size_t)count * sizeof *values, err);
}

static dperm_status fail_parcel(dperm_error *err) {
  FAIL(err, DPERM_IO_ERROR, "rows were lost between the processes of this job; run it again");
}

static dperm_status unpack_row(void *things, parcel *p, dperm_error *err) {
  growing_rows *rows = things;
  uint64_t count = 0;
  if (!parcel_take(p, &count, sizeof count) || count > p->size) {
    return fail_parcel(err);
  }
  TRY(rows_reserve(rows, (size_t)count, err));
  if (!parcel_take(p, rows->columns + rows->entries, (size_t)count * sizeof *rows->columns) ||
      !parcel_take(p, rows->values + rows->entries, (size_t)count * sizeof *rows->values)) {
    return fail_parcel(err);
  }
  rows->entries += (size_t)count;
  rows_end(rows, 0);
  return DPERM_OK;
}

dperm_status spread_select(const matrix *x, const size_t *rows, size_t count, growing_rows *out,
                           dperm_error *err) {
  static const freight whole_rows = {pack_row, unpack_row};
  return carry_listed(x, rows, count, &whole_rows, x, out, err);
}

/* ---- labels */

typedef struct label_list {
  double *next;
} label_list;

static dperm_status pack_label(const void *things, size_t row, parcel *p, dperm_error *err) {
  return parcel_add(p, (const double *)things + row, sizeof(double), err);
}

static dperm_status unpack_label(void *things, parcel *p, dperm_error *err) {
  label_list *list = things;
  return parcel_take(p, list->next++, sizeof(double)) ? DPERM_OK : fail_parcel(err);
}

/* Whoever has a row gives its bits, the others zeros; so a sum of whole numbers is the row. */
dperm_status spread_everywhere(const matrix *x, const double *tall, size_t width,
                               const size_t *rows, size_t count, double *out, dperm_error *err) {
  uint64_t *bits = NULL, number = 0;
  dperm_status status = memory_new(count * width, sizeof *bits, &bits, err);
  for (size_t i = 0; status == DPERM_OK && i < count * width; i++) {
    size_t row = rows[i / width];
    if (row >= x->first && row - x->first < x->rows) {
      memcpy(&number, &tall[(row - x->first) * width + i % width], sizeof number);
      bits[i] = number;
    }
  }
  status = ranks_add(x->spread, status, bits, count * width, err);
  for (size_t i = 0; status == DPERM_OK && i < count * width; i++) {
    number = bits[i];
    memcpy(&out[i], &number, sizeof number);
  }
  free(bits);
  return status;
}

dperm_status spread_select_labels(const matrix *x, const double *labels, const size_t *rows,
                                  size_t count, double *out, dperm_error *err) {
  static const freight single = {pack_label, unpack_label};
  label_list list = {out};
  return carry_listed(x, rows, count, &single, labels, &list, err);
}

/* ---- rows as they were read */

static dperm_status pack_record(const void *things, size_t row, parcel *p, dperm_error *err) {
  const growing_rows *rows = things;
  size_t from = rows->starts[row];
  uint64_t count = rows->starts[row + 1] - from;
  TRY(parcel_add(p, &rows->labels[row], sizeof *rows->labels, err));
  TRY(parcel_add(p, &count, sizeof count, err));
  TRY(parcel_add(p, rows->columns + from, (size_t)count * sizeof *rows->columns, err));
  return parcel_add(p, rows->values + from, (size_t)count * sizeof *rows->values, err);
}

static dperm_status unpack_record(void *things, parcel *p, dperm_error *err) {
  growing_rows *rows = things;
  double label = 0;
  if (!parcel_take(p, &label, sizeof label)) {
    return fail_parcel(err);
  }
  TRY(unpack_row(rows, p, err));
  rows->labels[rows->count - 1] = label;
  return DPERM_OK;
}

/* Everybody's number of rows, as the first row of each and one behind the last. */
static dperm_status count_all(ranks *r, dperm_status status, size_t own, size_t **had,
                              dperm_error *err) {
  if (status == DPERM_OK) {
    status = memory_new(r->count + 1, sizeof **had, had, err);
  }
  TRY(ranks_agree(r, status, err));
  for (size_t rank = 0; rank < r->count; rank++) {
    uint64_t count = own;
    if (!*had || !r->share(r, rank, &count, sizeof count)) {
      return ranks_fail(r, err);
    }
    (*had)[rank + 1] = (*had)[rank] + (size_t)count;
  }
  return DPERM_OK;
}

dperm_status spread_settle(ranks *r, dperm_status status, const growing_rows *rows,
                           growing_rows *out, size_t *total, dperm_error *err) {
  static const freight records = {pack_record, unpack_record};
  move m;
  size_t *had = NULL;
  status = count_all(r, status, rows->count, &had, err);
  if (status != DPERM_OK || !had) {
    free(had);
    return status;
  }
  *total = had[r->count];
  status = move_begin(r, NULL, *total, &m, err);
  m.had = had;
  return carry(&m, status, &records, rows, out, err);
}
