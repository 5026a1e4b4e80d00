/* The reader of CSV files. A span of whole lines without a quote is cut at line ends into pieces,
 * which threads read each by itself; another digests it meanwhile. The pieces are handed on in
 * their order. Where a piece meets trouble, or there are quotes, within which a line end ends
 * nothing, the span is read record by record, which also makes the message. */
#include <stdatomic.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "read/csv.h"

enum {
  PIECE = 1 << 16, /* bytes */
  PIECES = 4,      /* a worker, so that they finish together */
  MOST_PIECES = 64,
  SLOW_RECORDS = 4096 /* at a time, one by one */
};

typedef struct piece {
  size_t from, to; /* in the window's bytes; the last of them is a line end */
} piece;

/* What a thread reads its pieces with: lines, doubts and counts are of all its pieces of a span. */
typedef struct worker {
  csv_reader csv;
  cell_reader cells;
  char apart[128]; /* from the next one, which another thread writes to */
} worker;

typedef struct spans {
  csv_reader *csv;
  const csv_columns *columns;
  cell_reader *cells;
  piece *pieces;
  record_batch *batches; /* one a piece */
  size_t capacity, count;
  worker *workers;
  size_t worker_count; /* if more come meanwhile, the span is read again */
  atomic_bool trouble; /* in a piece of this span */
  batch_taker *take;
  void *context;
} spans;

static void spans_close(spans *s) {
  for (size_t i = 0; s->batches && i < s->capacity; i++) {
    batch_clear(&s->batches[i]);
  }
  for (size_t i = 0; s->workers && i < s->worker_count; i++) {
    s->workers[i].csv.window = (window){0}; /* never its own */
    csv_close(&s->workers[i].csv);
    cell_reader_close(&s->workers[i].cells);
  }
  free(s->pieces);
  free(s->batches);
  free(s->workers);
}

/* ---- pieces */

/* First the digest, which takes longest. */
enum { DIGEST, BESIDE };

static void read_piece(void *context, size_t number, size_t worker_number) {
  spans *s = context;
  if (number == DIGEST) {
    window_digest(&s->csv->window);
    return;
  }
  bool found = worker_number < s->worker_count, fine = found;
  const piece *p = &s->pieces[number - BESIDE];
  record_batch *batch = &s->batches[number - BESIDE];
  worker *w = &s->workers[fine ? worker_number : 0];
  const size_t most = (p->to - p->from) / (s->columns->count ? s->columns->count : 1) + 2;
  fine = fine && batch_reserve(batch, s->columns->kept_count, most, NULL) == DPERM_OK;
  if (fine) {
    w->csv.window =
        (window){.bytes = s->csv->window.bytes, .begin = p->from, .end = p->to, .at_end = true};
  }
  record_batch own = *batch; /* its count changes with every record, and others are beside it */
  while (found && fine) {
    fine = csv_columns_next(s->columns, &w->cells, &w->csv, &own, &found, NULL) == DPERM_OK;
  }
  *batch = own;
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

/* What a worker counted goes to all. */
static void add_counts(spans *s, const worker *w) {
  cell_counts_add(s->cells, &w->cells);
  s->csv->doubts_further |= w->csv.doubts_further;
  s->csv->next_line += w->csv.next_line;
}

/* ---- spans */

/* `length` bytes of the window, whole lines, in pieces; *fine if there was no trouble, else nothing
 * is read. */
static dperm_status read_pieces(spans *s, size_t length, bool *fine, dperm_error *err) {
  size_t want = length / PIECE + 1, from = s->csv->window.begin;
  cut(s, from, from + length, want < s->capacity ? want : s->capacity);
  atomic_store(&s->trouble, false);
  pool_run(s->count + BESIDE, read_piece, s);
  *fine = !atomic_load(&s->trouble);
  for (worker *w = s->workers; w < s->workers + s->worker_count; w++) {
    if (*fine) {
      add_counts(s, w);
    }
    memset(w->cells.counts, 0, s->cells->schema->column_count * sizeof *w->cells.counts);
    w->csv.doubts_further = 0;
    w->csv.next_line = 0;
  }
  if (!*fine) {
    return DPERM_OK;
  }
  s->csv->window.begin += length;
  return s->take(s->context, s->batches, s->count, NULL, err);
}

/* Records one by one until at least `length` bytes are behind us; *found is false at the end. */
static dperm_status read_slowly(spans *s, size_t length, bool *found, dperm_error *err) {
  const window *w = &s->csv->window;
  record_batch *batch = &s->batches[0];
  size_t unread = w->end - w->begin, stop = unread > length ? unread - length : 0;
  window_digest(&s->csv->window);
  TRY(batch_reserve(batch, s->columns->kept_count, SLOW_RECORDS, err));
  *found = true;
  while (*found && w->end - w->begin <= unread && w->end - w->begin > stop) {
    unread = w->end - w->begin;
    TRY(csv_columns_next(s->columns, s->cells, s->csv, batch, found, err));
    if (batch->count == batch->capacity) {
      TRY(s->take(s->context, batch, 1, NULL, err));
      batch->count = batch->names_used = 0;
    }
  }
  return s->take(s->context, batch, 1, NULL, err);
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

dperm_status csv_parallel_read(csv_reader *csv, const csv_columns *columns, cell_reader *cells,
                               batch_taker *take, void *context, dperm_error *err) {
  const size_t workers = pool_workers();
  OWNED(spans_close)
  spans s = {.csv = csv,
             .columns = columns,
             .cells = cells,
             .worker_count = workers,
             .take = take,
             .context = context,
             .capacity = workers == 1                     ? 1
                         : workers < MOST_PIECES / PIECES ? PIECES * workers
                                                          : MOST_PIECES};
  window *w = &csv->window;
  bool found = true;
  TRY(memory_new(s.capacity, sizeof *s.pieces, &s.pieces, err));
  TRY(memory_new(s.capacity, sizeof *s.batches, &s.batches, err));
  TRY(memory_new(workers, sizeof *s.workers, &s.workers, err));
  for (size_t i = 0; i < workers; i++) {
    s.workers[i].csv = (csv_reader){.path = csv->path,
                                    .separator = csv->separator,
                                    .comment = csv->comment,
                                    .any_record = true}; /* columns_open has seen one */
    TRY(cell_reader_open(cells->schema, cells->need_labels, &s.workers[i].cells, err));
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
    found = found && !(w->begin == w->end && w->at_end);
  }
  return DPERM_OK;
}

/* ---- the reader */

typedef struct csv_rows {
  row_reader base;
  csv_reader csv;
  csv_columns columns;
  cell_reader cells;
} csv_rows;

static dperm_status open_file(row_reader *reader, const dperm_source *source, dperm_error *err) {
  csv_rows *r = (csv_rows *)reader;
  const dperm_schema *schema = source->schema;
  FAIL_IF(!schema, err, DPERM_INVALID_ARGUMENT,
          "%s: CSV data need a schema; give one, or the svmlight format with its number of columns",
          path_for_people(source->path));
  FAIL_IF(source->dims, err, DPERM_INVALID_ARGUMENT,
          "%s: CSV data have a schema; leave the number of columns out",
          path_for_people(source->path));
  TRY(csv_open(source->path, NULL, schema->separator, schema->comment, reader->progress,
               reader->digest, &r->csv, err));
  TRY(csv_columns_open(schema, reader->need_labels, reader->may_be_empty, &r->csv, &r->columns,
                       err));
  TRY(cell_reader_open(schema, reader->need_labels, &r->cells, err));
  reader->schema = reader->cells = schema;
  reader->dims = schema->dims;
  reader->text = &r->csv.window;
  reader->counts = &r->cells.counts;
  return DPERM_OK;
}

static void close_file(row_reader *reader) {
  csv_rows *r = (csv_rows *)reader;
  cell_reader_close(&r->cells);
  csv_columns_close(&r->columns);
  csv_close(&r->csv);
}

static dperm_status read_all(row_reader *reader, batch_taker *take, void *context,
                             dperm_error *err) {
  csv_rows *r = (csv_rows *)reader;
  return csv_parallel_read(&r->csv, &r->columns, &r->cells, take, context, err);
}

static unsigned doubts(const row_reader *reader) {
  const csv_rows *r = (const csv_rows *)reader;
  return csv_doubts(&r->csv, reader->schema->header, r->columns.count);
}

const row_reader_kind csv_format = {
    .name = "csv",
    .format = DPERM_FORMAT_CSV,
    .size = sizeof(csv_rows),
    .open = open_file,
    .close = close_file,
    .read = read_all,
    .doubts = doubts,
};
