/* Rows that change places among processes. Both sides know the whole list of rows and who has
 * which, so each can tell what it will get and give without asking. Processes meet in pairs, in an
 * order that all keep; of a pair, the lower rank speaks first. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "matrix/matrix.h"

/* ---- rows on their way */

typedef struct move {
  ranks *r;
  size_t total, count;     /* rows before and after */
  const size_t *rows;      /* of each new place, its number before */
  growing_rows *to, *from; /* those for each process, and from each */
} move;

static void move_end(move *m) {
  for (size_t i = 0; i < m->r->count; i++) {
    if (m->to) {
      rows_clear(&m->to[i]);
    }
    if (m->from) {
      rows_clear(&m->from[i]);
    }
  }
  free(m->to);
  free(m->from);
}

/* The first of a process's rows out of `total`, and the one behind its last. */
static void share_of(const move *m, size_t total, size_t rank, size_t *first, size_t *end) {
  size_t rows = 0;
  stripes_of_rank(total, &(ranks){.count = m->r->count, .rank = rank}, first, &rows);
  *end = *first + rows;
}

static dperm_status pack(move *m, const growing_rows *here, dperm_error *err) {
  size_t own = 0, own_end = 0;
  TRY(memory_new(m->r->count, sizeof *m->to, &m->to, err));
  TRY(memory_new(m->r->count, sizeof *m->from, &m->from, err));
  share_of(m, m->total, m->r->rank, &own, &own_end);
  for (size_t rank = 0; rank < m->r->count; rank++) {
    size_t i = 0, end = 0;
    TRY(rows_reserve_many(&m->to[rank], 0, 0, err)); /* there are arrays to send */
    for (share_of(m, m->count, rank, &i, &end); i < end; i++) {
      if (m->rows[i] >= own && m->rows[i] < own_end) {
        TRY(rows_add(&m->to[rank], rows_view(here, m->rows[i] - own), 0, err));
      }
    }
  }
  return DPERM_OK;
}

static bool swap(ranks *r, size_t other, const void *given, size_t given_size, void *got,
                 size_t got_size) {
  return r->rank < other
             ? r->send(r, other, given, given_size) && r->receive(r, other, got, got_size)
             : r->receive(r, other, got, got_size) && r->send(r, other, given, given_size);
}

static bool swap_rows(ranks *r, size_t other, const growing_rows *to, growing_rows *from) {
  return swap(r, other, to->starts, (to->count + 1) * sizeof *to->starts, from->starts,
              (from->count + 1) * sizeof *from->starts) &&
         swap(r, other, to->columns, to->entries * sizeof *to->columns, from->columns,
              from->entries * sizeof *from->columns) &&
         swap(r, other, to->values, to->entries * sizeof *to->values, from->values,
              from->entries * sizeof *from->values);
}

/* The sizes first, and the rows when all have space for them. */
static dperm_status exchange(move *m, dperm_status status, dperm_error *err) {
  ranks *r = m->r;
  bool fine = true;
  TRY(ranks_agree(r, status, err));
  for (size_t i = 0; i < r->count; i++) {
    const uint64_t given[2] = {m->to[i].count, m->to[i].entries};
    uint64_t got[2] = {0};
    fine = fine && (i == r->rank || swap(r, i, given, sizeof given, got, sizeof got));
    if (status == DPERM_OK) {
      status = rows_reserve_many(&m->from[i], (size_t)got[0], (size_t)got[1], err);
    }
    m->from[i].count = (size_t)got[0];
    m->from[i].entries = (size_t)got[1];
  }
  if (!fine) {
    return ranks_fail(r, err);
  }
  TRY(ranks_agree(r, status, err));
  for (size_t i = 0; i < r->count; i++) {
    fine = fine && (i == r->rank || swap_rows(r, i, &m->to[i], &m->from[i]));
  }
  const growing_rows own = m->from[r->rank];
  m->from[r->rank] = m->to[r->rank];
  m->to[r->rank] = own;
  return fine ? DPERM_OK : ranks_fail(r, err);
}

/* From each process its rows come in their new order. */
static dperm_status unpack(const move *m, growing_rows *out, dperm_error *err) {
  OWNED_MEMORY size_t *taken = NULL, *ends = NULL;
  size_t i = 0, end = 0;
  TRY(memory_new(m->r->count, sizeof *taken, &taken, err));
  TRY(memory_new(m->r->count, sizeof *ends, &ends, err));
  for (size_t rank = 0; rank < m->r->count; rank++) {
    share_of(m, m->total, rank, &i, &ends[rank]);
  }
  for (share_of(m, m->count, m->r->rank, &i, &end); i < end; i++) {
    size_t owner = 0;
    while (ends[owner] <= m->rows[i]) {
      owner++;
    }
    if (taken[owner] == m->from[owner].count) {
      FAIL(err, DPERM_IO_ERROR, "rows were lost between the processes of this job; run it again");
    }
    TRY(rows_add(out, rows_view(&m->from[owner], taken[owner]++), 0, err));
  }
  return DPERM_OK;
}

dperm_status spread_select(ranks *r, const growing_rows *here, size_t total, const size_t *rows,
                           size_t count, growing_rows *out, dperm_error *err) {
  OWNED(move_end) move m = {.r = r, .total = total, .count = count, .rows = rows};
  TRY(exchange(&m, pack(&m, here, err), err));
  return ranks_agree(r, unpack(&m, out, err), err);
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
