/* A span of whole lines without a quote is cut at line ends into pieces, which threads read each by
 * itself; another digests it meanwhile. Rows are appended in the order of the pieces. Where a piece
 * meets trouble, or there are quotes, within which a line end ends nothing, the span is read record
 * by record, which also makes the message. */
#include "read/csv_parallel.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/thread_pool.h"

enum {
  PIECE = 1 << 17, /* bytes */
  PIECES = 4,      /* a worker, so that they finish together */
  MOST_PIECES = 64,
  FORESEEN = 1 << 20 /* bytes */
};

typedef struct piece {
  size_t from, to; /* in the window's bytes; the last of them is a line end */
  growing_rows rows;
  size_t row, entry; /* where its rows go among all */
} piece;

/* What a thread reads its pieces with: lines, doubts and counts are of all its pieces of a span. */
typedef struct worker {
  csv_reader csv;
  encoder encoder;
  char apart[128]; /* from the next one, which another thread writes to */
} worker;

typedef struct spans {
  csv_reader *csv;
  const csv_columns *columns;
  encoder *e;
  piece *pieces;
  size_t capacity, count;
  worker *workers;
  size_t worker_count; /* if more come meanwhile, the span is read again */
  atomic_bool trouble; /* in a piece of this span */
  growing_rows *rows;  /* all of them; with `take`, those since the last that were handed over: */
  rows_taker *take;    /* or NULL */
  void *context;
  growing_rows waiting; /* to be taken before the others */
  dperm_status taken;   /* what came of it */
  dperm_error taken_error;
} spans;

static void spans_close(spans *s) {
  for (size_t i = 0; s->pieces && i < s->capacity; i++) {
    rows_clear(&s->pieces[i].rows);
  }
  for (size_t i = 0; s->workers && i < s->worker_count; i++) {
    s->workers[i].csv.window = (window){0}; /* never its own */
    csv_close(&s->workers[i].csv);
    encoder_close(&s->workers[i].encoder);
  }
  free(s->pieces);
  free(s->workers);
  rows_clear(&s->waiting);
}

/* ---- pieces */

/* Never again after a failure: the taker may have moved some of the rows. */
static void take_waiting(spans *s) {
  if (s->waiting.count > 0 && s->taken == DPERM_OK) {
    s->taken = s->take(s->context, &s->waiting, &s->taken_error);
  }
}

static dperm_status was_taken(const spans *s, dperm_error *err) {
  if (s->taken != DPERM_OK && err) {
    *err = s->taken_error;
  }
  return s->taken;
}

/* First the digest, which takes longest, and what becomes of the rows of the span before. */
enum { DIGEST, TAKE, BESIDE };

static void read_piece(void *context, size_t number, size_t worker_number) {
  spans *s = context;
  if (number == DIGEST) {
    window_digest(&s->csv->window);
    return;
  }
  if (number == TAKE) {
    take_waiting(s);
    return;
  }
  bool found = worker_number < s->worker_count, fine = found;
  piece *p = &s->pieces[number - BESIDE];
  worker *w = &s->workers[fine ? worker_number : 0];
  rows_reset(&p->rows);
  if (fine) {
    w->csv.window =
        (window){.bytes = s->csv->window.bytes, .begin = p->from, .end = p->to, .at_end = true};
  }
  while (found && fine) {
    fine = csv_columns_next(s->columns, &w->encoder, &w->csv, &p->rows, &found, NULL) == DPERM_OK;
  }
  if (!fine) {
    atomic_store(&s->trouble, true);
  }
}

/* Cuts [from, to), which ends with a line end, into `want` pieces at line ends, or fewer. */
static void cut(spans *s, size_t from, size_t to, size_t want) {
  const char *bytes = s->csv->window.bytes;
  size_t each = (to - from) / want + 1;
  for (s->count = 0; from < to; s->count++) {
    size_t end = to;
    if (to - from > each) {
      end = (size_t)((const char *)memchr(bytes + from + each, '\n', to - from - each) - bytes) + 1;
    }
    s->pieces[s->count].from = from;
    s->pieces[s->count].to = from = end;
  }
}

/* Copies a piece's rows to their place, for which there is space. */
static void place_piece(void *context, size_t number, size_t worker_number) {
  const spans *s = context;
  const piece *p = &s->pieces[number];
  growing_rows *rows = s->rows;
  const growing_rows *more = &p->rows;
  (void)worker_number;
  if (more->count > 0) {
    memcpy(rows->columns + p->entry, more->columns, more->entries * sizeof *rows->columns);
    memcpy(rows->values + p->entry, more->values, more->entries * sizeof *rows->values);
    memcpy(rows->labels + p->row, more->labels, more->count * sizeof *rows->labels);
  }
  for (size_t i = 0; i < more->count; i++) {
    rows->starts[p->row + i] = p->entry + more->starts[i];
  }
}

/* Appends what the pieces read. By all threads: the space is new, and each of its pages is a
 * fault. */
static dperm_status append(spans *s, dperm_error *err) {
  growing_rows *rows = s->rows;
  size_t row = rows->count, entry = rows->entries;
  for (size_t i = 0; i < s->count; i++) {
    s->pieces[i].row = row;
    s->pieces[i].entry = entry;
    row += s->pieces[i].rows.count;
    entry += s->pieces[i].rows.entries;
  }
  TRY(rows_reserve_many(rows, row - rows->count, entry - rows->entries, err));
  pool_run(s->count, place_piece, s);
  rows->count = row;
  rows->entries = rows->starts[row] = entry;
  return DPERM_OK;
}

/* What a worker counted goes to all. */
static void add_counts(spans *s, const worker *w) {
  for (size_t c = 0; c < s->e->schema->column_count; c++) {
    const dperm_unsafe_column_counts *own = &w->encoder.counts[c];
    s->e->counts[c].missing += own->missing;
    s->e->counts[c].unknown += own->unknown;
    s->e->counts[c].clamped += own->clamped;
  }
  s->csv->doubts_further |= w->csv.doubts_further;
  s->csv->next_line += w->csv.next_line;
}

/* ---- spans */

/* Rows that were read wait to be taken, those before them being gone. */
static dperm_status hand_over(spans *s, dperm_error *err) {
  if (s->take) {
    take_waiting(s);
    growing_rows empty = s->waiting;
    s->waiting = *s->rows;
    *s->rows = empty;
  }
  return was_taken(s, err);
}

/* `length` bytes of the window, whole lines, in pieces; *fine if there was no trouble, else nothing
 * is read. */
static dperm_status read_pieces(spans *s, size_t length, bool *fine, dperm_error *err) {
  size_t want = length / PIECE + 1, from = s->csv->window.begin;
  cut(s, from, from + length, want < s->capacity ? want : s->capacity);
  atomic_store(&s->trouble, false);
  pool_run(s->count + BESIDE, read_piece, s);
  TRY(was_taken(s, err));
  *fine = !atomic_load(&s->trouble);
  for (worker *w = s->workers; w < s->workers + s->worker_count; w++) {
    if (*fine) {
      add_counts(s, w);
    }
    memset(w->encoder.counts, 0, s->e->schema->column_count * sizeof *w->encoder.counts);
    w->csv.doubts_further = 0;
    w->csv.next_line = 0;
  }
  if (!*fine) {
    return DPERM_OK;
  }
  s->csv->window.begin += length;
  return append(s, err);
}

/* Records one by one until at least `length` bytes are behind us; *found is false at the end. */
static dperm_status read_slowly(spans *s, size_t length, bool *found, dperm_error *err) {
  const window *w = &s->csv->window;
  size_t unread = w->end - w->begin, stop = unread > length ? unread - length : 0;
  window_digest(&s->csv->window);
  *found = true;
  while (*found && w->end - w->begin <= unread && w->end - w->begin > stop) {
    unread = w->end - w->begin;
    TRY(csv_columns_next(s->columns, s->e, s->csv, s->rows, found, err));
  }
  return DPERM_OK;
}

/* How many bytes of the window are whole lines; none if there is a quote among them. */
static size_t lines_of(const window *w) {
  const char *from = w->bytes + w->begin;
  size_t length = w->end - w->begin;
  while (length > 0 && from[length - 1] != '\n') {
    length--;
  }
  return length > 0 && memchr(from, '"', length) ? 0 : length;
}

/* Once a megabyte is read, space for all that the rest of the file will bring if it is like that,
 * and a little more. Growing step by step would copy everything several times. Where there is no
 * such space, or the rest is not like that, the rows grow as they come. */
static void foresee(const spans *s) {
  growing_rows *rows = s->rows;
  const window *w = &s->csv->window;
  uint64_t unread = w->end - w->begin, done = byte_source_got(w->source) - unread;
  double more = 1.02 * (double)(byte_source_left(w->source) + unread) / (double)done;
  (void)rows_reserve_many(rows, (size_t)(more * (double)rows->count),
                          (size_t)(more * (double)rows->entries), NULL);
}

dperm_status csv_parallel_read(csv_reader *csv, const csv_columns *columns, encoder *e,
                               growing_rows *rows, rows_taker *take, void *context,
                               dperm_error *err) {
  const size_t workers = pool_workers();
  OWNED(spans_close)
  spans s = {.csv = csv,
             .columns = columns,
             .e = e,
             .worker_count = workers,
             .rows = rows,
             .take = take,
             .context = context,
             .capacity = workers == 1                     ? 1
                         : workers < MOST_PIECES / PIECES ? PIECES * workers
                                                          : MOST_PIECES};
  window *w = &csv->window;
  bool found = true, foreseen = take != NULL;
  TRY(memory_new(s.capacity, sizeof *s.pieces, &s.pieces, err));
  TRY(memory_new(workers, sizeof *s.workers, &s.workers, err));
  for (size_t i = 0; i < workers; i++) {
    s.workers[i].csv = (csv_reader){.path = csv->path,
                                    .separator = csv->separator,
                                    .comment = csv->comment,
                                    .any_record = true}; /* columns_open has seen one */
    TRY(encoder_open(e->schema, e->need_labels, &s.workers[i].encoder, err));
  }
  while (found) {
    bool fine = false;
    TRY(window_fill(w, s.capacity * PIECE, err));
    size_t length = workers > 1 ? lines_of(w) : 0;
    if (length > 0) {
      TRY(read_pieces(&s, length, &fine, err));
    }
    if (!fine) {
      TRY(read_slowly(&s, s.capacity * PIECE, &found, err));
    }
    if (!foreseen && byte_source_got(w->source) >= FORESEEN) {
      foresee(&s);
      foreseen = true;
    }
    TRY(hand_over(&s, err));
    found = found && !(w->begin == w->end && w->at_end);
  }
  return hand_over(&s, err);
}
