/* Rows that change places among processes. */

#include <stdlib.h>

#include "base/memory.h"
#include "matrix/matrix.h"

/* ---- from where they are to one process: each sends what it has, and nobody else sees it */

/* Listed rows on their way, some words for each. Who only sends knows the lengths of its own, and
 * has space for these. */
typedef struct journey {
  ranks *r;
  const size_t *rows;
  size_t count, to;
  size_t *from; /* the process of each */
  size_t *at;   /* where its words are, and last their end */
  uint64_t *words, *message;
} journey;

static void journey_close(journey *j) {
  free(j->from);
  free(j->at);
  free(j->words);
  free(j->message);
}

static bool starts_here(const journey *j, size_t i) {
  return j->from[i] == j->r->rank;
}

static bool ends_here(const journey *j) {
  return j->to == j->r->rank;
}

static dperm_status journey_open(journey *j, size_t total, dperm_error *err) {
  ranks other = {.count = j->r->count, .rows_from = j->r->rows_from};
  TRY(memory_new(j->count, sizeof *j->from, &j->from, err));
  TRY(memory_new(j->count + 1, sizeof *j->at, &j->at, err));
  for (other.rank = 0; other.rank < other.count; other.rank++) {
    size_t first = 0, rows = 0;
    stripes_of_rank(total, &other, &first, &rows);
    for (size_t i = 0; i < j->count; i++) {
      j->from[i] = j->rows[i] >= first && j->rows[i] - first < rows ? other.rank : j->from[i];
    }
  }
  return DPERM_OK;
}

/* Space for so many words of each row. */
static dperm_status journey_room(journey *j, const size_t *lengths, dperm_error *err) {
  for (size_t i = 0; i < j->count; i++) {
    j->at[i + 1] = j->at[i] + (starts_here(j, i) || ends_here(j) ? lengths[i] : 0);
  }
  TRY(memory_new(j->at[j->count], sizeof *j->words, &j->words, err));
  return ends_here(j) ? memory_new(j->at[j->count], sizeof *j->message, &j->message, err)
                      : DPERM_OK;
}

/* The words of one process's rows: how many, and from its message to their places. */
static size_t take_words(const journey *j, size_t from, bool there) {
  size_t taken = 0;
  for (size_t i = 0; i < j->count; i++) {
    const size_t words = j->from[i] == from ? j->at[i + 1] - j->at[i] : 0;
    if (there && words > 0) {
      memcpy(j->words + j->at[i], j->message + taken, words * sizeof *j->words);
    }
    taken += words;
  }
  return taken;
}

static dperm_status journey_go(const journey *j, dperm_error *err) {
  const size_t size = sizeof *j->words;
  bool fine = ends_here(j) || ranks_send(j->r, j->to, j->words, j->at[j->count] * size);
  for (size_t p = 0; fine && ends_here(j) && p < j->r->count; p++) {
    if (p != j->to) {
      fine = ranks_receive(j->r, p, j->message, take_words(j, p, false) * size);
      take_words(j, p, fine);
    }
  }
  return fine ? DPERM_OK : ranks_fail(j->r, err);
}

/* ---- rows */

static row_view view_here(const growing_rows *here, size_t first, size_t row) {
  return rows_view(here, row - first);
}

/* Their lengths, in `lengths` where they start and where they end. */
static dperm_status bring_lengths(journey *j, size_t total, const growing_rows *here, size_t first,
                                  size_t *lengths, dperm_error *err) {
  dperm_status status = journey_open(j, total, err);
  for (size_t i = 0; i < j->count; i++) {
    lengths[i] = 1; /* a word */
  }
  status = status == DPERM_OK ? journey_room(j, lengths, err) : status;
  for (size_t i = 0; status == DPERM_OK && i < j->count; i++) {
    if (starts_here(j, i)) {
      j->words[j->at[i]] = lengths[i] = view_here(here, first, j->rows[i]).count;
    }
  }
  TRY(ranks_agree(j->r, status, err));
  TRY(journey_go(j, err));
  for (size_t i = 0; ends_here(j) && i < j->count; i++) {
    lengths[i] = (size_t)j->words[i];
  }
  return DPERM_OK;
}

/* A column and a value's bits for each entry. */
static void pack_row(uint64_t *words, row_view row) {
  for (size_t e = 0; e < row.count; e++) {
    words[2 * e] = row.columns[e];
    memcpy(&words[2 * e + 1], &row.values[e], sizeof *row.values);
  }
}

static void unpack_rows(const journey *j, growing_rows *out) {
  for (size_t i = 0; i < j->count; i++) {
    for (size_t w = j->at[i]; w < j->at[i + 1]; w += 2) {
      double value = 0;
      memcpy(&value, &j->words[w + 1], sizeof value);
      rows_push(out, (size_t)j->words[w], value);
    }
    rows_end(out, 0);
  }
}

/* The listed rows to process `to`, behind the last of its `out`. */
static dperm_status bring_rows(ranks *r, const growing_rows *here, size_t total, const size_t *rows,
                               size_t count, size_t to, growing_rows *out, dperm_error *err) {
  OWNED(journey_close) journey before = {.r = r, .rows = rows, .count = count, .to = to};
  OWNED(journey_close) journey j = before;
  OWNED_MEMORY size_t *lengths = NULL;
  size_t first = 0, own = 0;
  stripes_of_rank(total, r, &first, &own);
  TRY(ranks_agree(r, memory_new(count, sizeof *lengths, &lengths, err), err));
  TRY(bring_lengths(&before, total, here, first, lengths, err));
  for (size_t i = 0; i < count; i++) {
    lengths[i] *= 2;
  }
  dperm_status status = journey_open(&j, total, err);
  status = status == DPERM_OK ? journey_room(&j, lengths, err) : status;
  if (status == DPERM_OK && ends_here(&j)) {
    status = rows_reserve_many(out, count, j.at[count] / 2, err);
  }
  for (size_t i = 0; status == DPERM_OK && i < count; i++) {
    if (starts_here(&j, i)) {
      pack_row(j.words + j.at[i], view_here(here, first, rows[i]));
    }
  }
  TRY(ranks_agree(r, status, err));
  TRY(journey_go(&j, err));
  if (ends_here(&j)) {
    unpack_rows(&j, out);
  }
  return DPERM_OK;
}

/* To one process after the other, so that none has more than its share in memory. */
dperm_status spread_select(ranks *r, const growing_rows *here, size_t total, const size_t *rows,
                           size_t count, growing_rows *out, dperm_error *err) {
  ranks other = {.count = r->count, .rows_from = r->rows_from};
  for (; other.rank < r->count; other.rank++) {
    size_t first = 0, some = 0;
    stripes_of_rank(count, &other, &first, &some);
    if (some > 0) {
      TRY(bring_rows(r, here, total, rows + first, some, other.rank, out, err));
    }
  }
  return DPERM_OK;
}

/* A number for each. */
static dperm_status bring_numbers(const matrix *x, const double *tall, const size_t *rows,
                                  size_t count, size_t to, double *out, dperm_error *err) {
  OWNED(journey_close) journey j = {.r = x->spread, .rows = rows, .count = count, .to = to};
  OWNED_MEMORY size_t *ones = NULL;
  dperm_status status = memory_new(count, sizeof *ones, &ones, err);
  for (size_t i = 0; status == DPERM_OK && i < count; i++) {
    ones[i] = 1;
  }
  status = status == DPERM_OK ? journey_open(&j, x->total, err) : status;
  status = status == DPERM_OK ? journey_room(&j, ones, err) : status;
  for (size_t i = 0; status == DPERM_OK && i < count; i++) {
    if (starts_here(&j, i)) {
      memcpy(&j.words[j.at[i]], &tall[rows[i] - x->first], sizeof *tall);
    }
  }
  const dperm_status agreed = ranks_agree(x->spread, status, err);
  RETURN_IF(agreed != DPERM_OK || status != DPERM_OK, agreed); /* which fails with this process */
  TRY(journey_go(&j, err));
  if (ends_here(&j)) {
    memcpy(out, j.words, count * sizeof *out);
  }
  return DPERM_OK;
}

/* ---- to all: whoever has a row gives its bits, the others zeros, so sums of whole numbers are the
 * rows */

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
  if (!x->spread) {
    for (size_t i = 0; i < count; i++) {
      out[i] = tall[rows[i]];
    }
    return DPERM_OK;
  }
  ranks other = {.count = x->spread->count, .rows_from = x->spread->rows_from};
  for (; other.rank < other.count; other.rank++) {
    size_t first = 0, some = 0;
    stripes_of_rank(count, &other, &first, &some);
    if (some > 0) {
      TRY(bring_numbers(x, tall, rows + first, some, other.rank, out, err));
    }
  }
  return DPERM_OK;
}
