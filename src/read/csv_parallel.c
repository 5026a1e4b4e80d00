/* A span of whole lines without a quote is cut at line ends into pieces, which threads read each by
 * itself; another digests it meanwhile. Rows are appended in the order of the pieces. Where a piece
 * meets trouble, or there are quotes, within which a line end ends nothing, the span is read from
 * there on record by record, which also makes the message. */
#include "read/csv_parallel.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "read/csv_fast.h"

enum {
  PIECE = 1 << 17, /* bytes */
  PIECES = 4,      /* a worker, so that they finish together */
  MOST_PIECES = 64,
  FORESEEN = 1 << 20 /* bytes */
};

typedef struct piece {
  csv_reader csv;
  encoder encoder;
  growing_rows rows;
  size_t from, to; /* in the window's bytes; `to` is a line end */
  bool fine;
  size_t row, entry; /* where its rows go among all */
  char apart[128];   /* from the next one, which another thread writes to */
} piece;

typedef struct spans {
  csv_reader *csv;
  encoder *e;
  piece *pieces;
  size_t capacity, count;
  csv_fast *fast;     /* one for each of … */
  size_t workers;     /* … so many; if more come meanwhile, their pieces are read again */
  growing_rows *rows; /* all of them; with `take`, those since the last that were handed over: */
  size_t before[2];   /* how many of them, and of their entries, there were before the last span */
  rows_taker *take;   /* or NULL */
  void *context;
  growing_rows waiting; /* to be taken before the others */
  dperm_status taken;   /* what came of it */
  dperm_error trouble;
} spans;

/* ---- pieces */

static void close_piece(piece *p) {
  p->csv.window = (window){0}; /* never its own */
  csv_close(&p->csv);
  encoder_close(&p->encoder);
  rows_clear(&p->rows);
}

static void take_waiting(spans *s) {
  if (s->waiting.count > 0) {
    s->taken = s->take(s->context, &s->waiting, &s->trouble);
  }
}

/* First the digest, which takes longest, and what becomes of the rows of the span before. */
enum { DIGEST, TAKE, BESIDE };

static void read_piece(void *context, size_t number, size_t worker) {
  spans *s = context;
  if (number == DIGEST) {
    window_digest(&s->csv->window);
    return;
  }
  if (number == TAKE) {
    take_waiting(s);
    return;
  }
  piece *p = &s->pieces[number - BESIDE];
  p->csv.path = s->csv->path;
  p->csv.separator = s->csv->separator;
  p->csv.comment = s->csv->comment;
  p->csv.any_record = s->csv->any_record;
  p->csv.doubts_first = p->csv.doubts_further = 0;
  p->csv.line = p->csv.next_line = 1;
  p->csv.window =
      (window){.bytes = s->csv->window.bytes, .begin = p->from, .end = p->to, .at_end = true};
  rows_reset(&p->rows);
  /* Of a piece that was not accepted, and read again, something may be left. */
  memset(p->encoder.counts, 0, s->e->schema->column_count * sizeof *p->encoder.counts);
  bool found = true;
  p->fine = worker < s->workers;
  while (found && p->fine) {
    p->fine =
        csv_fast_next(&s->fast[worker], &p->encoder, &p->csv, &p->rows, &found, NULL) == DPERM_OK;
  }
}

/* Cuts [from, to), which ends with a line end, into `want` pieces at line ends, or fewer. */
static void cut(spans *s, size_t from, size_t to, size_t want) {
  const char *bytes = s->csv->window.bytes;
  size_t each = (to - from) / want + 1;
  s->count = 0;
  while (from < to) {
    size_t end = to - 1;
    if (to - from > each) {
      end = (size_t)((const char *)memchr(bytes + from + each, '\n', to - from - each) - bytes);
    }
    s->pieces[s->count].from = from;
    s->pieces[s->count++].to = end;
    from = end + 1;
  }
}

/* Copies a piece's rows to their place, for which there is work space. */
static void place_piece(void *context, size_t number, size_t worker) {
  const spans *s = context;
  const piece *p = &s->pieces[number];
  growing_rows *rows = s->rows;
  const growing_rows *more = &p->rows;
  (void)worker;
  if (more->count > 0) {
    memcpy(rows->columns + p->entry, more->columns, more->entries * sizeof *rows->columns);
    memcpy(rows->values + p->entry, more->values, more->entries * sizeof *rows->values);
    memcpy(rows->labels + p->row, more->labels, more->count * sizeof *rows->labels);
  }
  for (size_t i = 0; i < more->count; i++) {
    rows->starts[p->row + i] = p->entry + more->starts[i];
  }
}

/* Appends what the first `count` pieces read. By all threads: the space is new, and each of its
 * pages is a fault. */
static dperm_status append(spans *s, size_t count, dperm_error *err) {
  growing_rows *rows = s->rows;
  size_t row = rows->count, entry = rows->entries;
  for (size_t i = 0; i < count; i++) {
    s->pieces[i].row = row;
    s->pieces[i].entry = entry;
    row += s->pieces[i].rows.count;
    entry += s->pieces[i].rows.entries;
  }
  TRY(rows_reserve_many(rows, row - rows->count, entry - rows->entries, err));
  pool_run(count, place_piece, s);
  rows->count = row;
  rows->entries = rows->starts[row] = entry;
  return DPERM_OK;
}

/* Takes over what piece p counted; the reader then stands behind it. */
static void accept(spans *s, piece *p) {
  csv_reader *csv = s->csv;
  for (size_t c = 0; c < s->e->schema->column_count; c++) {
    dperm_unsafe_column_counts *all = &s->e->counts[c];
    const dperm_unsafe_column_counts *own = &p->encoder.counts[c];
    all->missing += own->missing;
    all->unknown += own->unknown;
    all->clamped += own->clamped;
  }
  csv->doubts_first |= p->csv.doubts_first;
  csv->doubts_further |= p->csv.doubts_further;
  if (p->from == p->to || csv->window.bytes[p->to - 1] == '\n') {
    csv->doubts_further |= (unsigned)DOUBT_BLANKS; /* its last line, of which there is nothing */
  }
  csv->any_record = csv->any_record || p->csv.any_record;
  csv->next_line += p->csv.next_line; /* from line 1, and its last line end */
  csv->window.begin = p->to + 1;
}

/* ---- spans */

static dperm_status was_taken(const spans *s, dperm_error *err) {
  if (s->taken != DPERM_OK && err) {
    *err = s->trouble;
  }
  return s->taken;
}

/* Rows that were read wait to be taken, those before them being gone. */
static dperm_status hand_over(spans *s, dperm_error *err) {
  if (s->take) {
    take_waiting(s);
    TRY(was_taken(s, err));
    growing_rows empty = s->waiting;
    s->waiting = *s->rows;
    *s->rows = empty;
  }
  return DPERM_OK;
}

/* Whole lines of the window in pieces; *all if every one was fine. */
static dperm_status read_pieces(spans *s, size_t length, bool *all, dperm_error *err) {
  size_t want = length / PIECE + 1, from = s->csv->window.begin, good = 0;
  cut(s, from, from + length, want < s->capacity ? want : s->capacity);
  pool_run(s->count + BESIDE, read_piece, s);
  TRY(was_taken(s, err));
  while (good < s->count && s->pieces[good].fine) {
    good++;
  }
  TRY(append(s, good, err));
  for (size_t i = 0; i < good; i++) {
    accept(s, &s->pieces[i]);
  }
  *all = good == s->count;
  return DPERM_OK;
}

/* Records one by one until at least `length` bytes are behind us; *found is false at the end. */
static dperm_status read_slowly(spans *s, size_t length, bool *found, dperm_error *err) {
  const window *w = &s->csv->window;
  size_t unread = w->end - w->begin, stop = unread > length ? unread - length : 0;
  window_digest(&s->csv->window);
  *found = true;
  while (*found && w->end - w->begin <= unread && w->end - w->begin > stop) {
    unread = w->end - w->begin;
    TRY(csv_fast_next(&s->fast[0], s->e, s->csv, s->rows, found, err));
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

/* Whether the next span will have space too, if it is like the last. */
static bool has_capacity(const spans *s) {
  const growing_rows *rows = s->rows;
  size_t count = rows->count - s->before[0], entries = rows->entries - s->before[1];
  return rows->labels_capacity > rows->count + 2 * count &&
         rows->values_capacity > rows->entries + 2 * entries;
}

/* Once a megabyte is read, space for all that the rest of the file will bring, as far as one can
 * tell, and a little more; once more where that was too little. Growing step by step would copy
 * everything several times. Where there is no such space, the rows grow as they come. */
static void foresee(spans *s) {
  growing_rows *rows = s->rows;
  const window *w = &s->csv->window;
  const double little = 1.02, most = 1e12;
  uint64_t got = byte_source_got(w->source), unread = w->end - w->begin;
  if (s->take || got < FORESEEN || has_capacity(s)) {
    return;
  }
  double more = (double)(byte_source_left(w->source) + unread) / (double)(got - unread) * little;
  double count = (double)rows->count * more, entries = (double)rows->entries * more;
  if (count < most && entries < most &&
      rows_reserve_many(rows, (size_t)count, (size_t)entries, NULL) != DPERM_OK) {
    rows_trim(rows);
  }
}

static dperm_status read_spans(spans *s, dperm_error *err) {
  window *w = &s->csv->window;
  bool found = true, all = false;
  while (found) {
    s->before[0] = s->rows->count;
    s->before[1] = s->rows->entries;
    TRY(window_fill(w, s->capacity * PIECE, err));
    size_t length = s->capacity > 1 ? lines_of(w) : 0;
    if (length > 0) {
      TRY(read_pieces(s, length, &all, err));
    }
    if (length == 0 || !all) {
      TRY(read_slowly(s, s->capacity * PIECE, &found, err));
    }
    foresee(s);
    TRY(hand_over(s, err));
    found = found && !(w->begin == w->end && w->at_end);
  }
  return hand_over(s, err);
}

dperm_status csv_parallel_read(csv_reader *csv, const csv_columns *columns, encoder *e,
                               growing_rows *rows, rows_taker *take, void *context,
                               dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t workers = pool_workers();
  spans s = {.csv = csv,
             .workers = workers,
             .e = e,
             .rows = rows,
             .take = take,
             .context = context,
             .capacity = workers > 1 ? PIECES * workers : 1};
  s.capacity = s.capacity < MOST_PIECES ? s.capacity : MOST_PIECES;
  TRY_OR_DONE(memory_new(workers, sizeof *s.fast, &s.fast, err));
  for (size_t i = 0; i < workers; i++) {
    TRY_OR_DONE(csv_fast_open(e->schema, columns, e->need_labels, &s.fast[i], err));
  }
  TRY_OR_DONE(memory_new(s.capacity, sizeof *s.pieces, &s.pieces, err));
  for (size_t i = 0; i < s.capacity && s.capacity > 1; i++) {
    TRY_OR_DONE(encoder_open(e->schema, e->need_labels, &s.pieces[i].encoder, err));
  }
  TRY_OR_DONE(read_spans(&s, err));
done:
  for (size_t i = 0; s.pieces && i < s.capacity; i++) {
    close_piece(&s.pieces[i]);
  }
  free(s.pieces);
  for (size_t i = 0; s.fast && i < workers; i++) {
    csv_fast_close(&s.fast[i]);
  }
  free(s.fast);
  rows_clear(&s.waiting);
  return status;
}
