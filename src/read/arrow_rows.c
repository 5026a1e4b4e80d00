/* The reader of Arrow streams. Batches are cut into pieces, which threads make cells of side by
 * side and which are handed on in their order: some batches of the stream are in memory at a time,
 * however many there are. */
#include "base/memory.h"
#include "base/thread_pool.h"
#include "read/arrow_cells.h"
#include "read/row_reader.h"

enum {
  PIECES = 2, /* a worker, so that they finish together */
  MOST_PIECES = 64
};

typedef struct arrow_rows {
  row_reader base;
  const dperm_arrow *given;
  arrow_stream stream;
  arrow_fields fields;
  cell_reader cells; /* which counts for all slots */
  arrow_slot *slots;
  record_batch *records;     /* one a slot */
  size_t slot_count, pieces; /* that are filled now */
  struct ArrowArray *batches;
  size_t batch_count, used; /* records of the last batch that are in a piece */
  size_t rows;              /* so far */
} arrow_rows;

static bool recognizes(const dperm_source *source) {
  return source->arrow != NULL;
}

static dperm_status check_given(const dperm_arrow *given, const dperm_schema *schema,
                                dperm_error *err) {
  static const dperm_arrow none = {0};
  const dperm_column *labels = given->labels;
  FAIL_IF(memcmp(given->reserved, none.reserved, sizeof none.reserved) != 0, err,
          DPERM_INVALID_ARGUMENT,
          "dperm_arrow has members that dperm %s does not know: the program was built against a "
          "newer dperm, or left them unset; begin with all zeros",
          dperm_version());
  FAIL_IF(!schema, err, DPERM_INVALID_ARGUMENT, "Arrow streams need a schema; give one");
  FAIL_IF(labels && !labels->codes && !(labels->numbers && schema->target), err,
          DPERM_INVALID_ARGUMENT, "column \"%.64s\" must be given as codes of texts",
          schema->label_column);
  return DPERM_OK;
}

static dperm_status open_stream(row_reader *reader, const dperm_source *source, dperm_error *err) {
  arrow_rows *r = (arrow_rows *)reader;
  r->given = source->arrow;
  reader->need_labels = reader->need_labels && !r->given->unlabelled;
  TRY(arrow_stream_open(r->given->stream, &r->stream, err));
  TRY(check_given(r->given, source->schema, err));
  TRY(arrow_fields_open(source->schema, reader->need_labels, !source->no_identity, r->given,
                        &r->stream.schema, &r->fields, err));
  const size_t workers = pool_workers();
  r->slot_count = workers < MOST_PIECES / PIECES ? PIECES * workers : MOST_PIECES;
  TRY(memory_new(r->slot_count, sizeof *r->slots, &r->slots, err));
  TRY(memory_new(r->slot_count, sizeof *r->records, &r->records, err));
  TRY(memory_new(r->slot_count + 1, sizeof *r->batches, &r->batches, err));
  for (size_t s = 0; s < r->slot_count; s++) {
    TRY(arrow_slot_open(&r->fields, &r->records[s], &r->slots[s], err));
  }
  TRY(cell_reader_open(source->schema, reader->need_labels, &r->cells, err));
  reader->schema = reader->cells = source->schema;
  reader->dims = source->schema->dims;
  reader->counts = &r->cells.counts;
  return DPERM_OK;
}

static void close_stream(row_reader *reader) {
  arrow_rows *r = (arrow_rows *)reader;
  for (size_t b = 0; b < r->batch_count; b++) {
    arrow_batch_release(&r->batches[b]);
  }
  for (size_t s = 0; r->slots && s < r->slot_count; s++) {
    arrow_slot_close(&r->slots[s]);
  }
  for (size_t s = 0; r->records && s < r->slot_count; s++) {
    batch_clear(&r->records[s]);
  }
  arrow_fields_close(&r->fields);
  arrow_stream_close(&r->stream);
  cell_reader_close(&r->cells);
  free(r->slots);
  free(r->records);
  free(r->batches);
}

/* ---- some pieces at a time */

static const struct ArrowArray *last_batch(const arrow_rows *r) {
  return r->batch_count > 0 ? &r->batches[r->batch_count - 1] : NULL;
}

/* Pieces for all slots, of as many batches as that takes; *found is false behind the last. */
static dperm_status cut_pieces(arrow_rows *r, bool *found, dperm_error *err) {
  *found = true;
  for (r->pieces = 0; r->pieces < r->slot_count;) {
    const struct ArrowArray *batch = last_batch(r);
    if (!batch || r->used == (size_t)batch->length) {
      if (batch && batch->length == 0) {
        arrow_batch_release(&r->batches[--r->batch_count]);
      }
      r->used = 0;
      TRY(arrow_stream_next(&r->stream, &r->batches[r->batch_count], found, err));
      if (!*found) {
        return DPERM_OK;
      }
      r->batch_count++;
      continue;
    }
    const size_t left = (size_t)batch->length - r->used;
    arrow_piece *p = &r->slots[r->pieces++].piece;
    *p = (arrow_piece){batch, r->used, left < ARROW_PIECE ? left : ARROW_PIECE, r->rows};
    r->used += p->count;
    r->rows += p->count;
    FAIL_IF(r->given->labels && r->base.need_labels && r->rows > r->given->label_count, err,
            DPERM_INVALID_DATA, "the data have more rows than the %zu labels; give as many of both",
            r->given->label_count);
  }
  return DPERM_OK;
}

static void fill_piece(void *context, size_t number, size_t worker) {
  arrow_rows *r = context;
  arrow_slot_fill(&r->fields, &r->slots[number]);
}

/* Hands the pieces on, or fails as the first of them that did. */
static dperm_status hand_on(arrow_rows *r, batch_taker *take, void *context, dperm_error *err) {
  for (size_t s = 0; s < r->pieces; s++) {
    const arrow_slot *slot = &r->slots[s];
    FAIL_IF(slot->status != DPERM_OK, err, slot->status, "%s", slot->why.message);
  }
  return take(context, r->records, r->pieces, NULL, err);
}

/* Batches that are in pieces as a whole; the last may go on, and is then the first. */
static void give_back(arrow_rows *r) {
  size_t kept = 0;
  for (size_t b = 0; b < r->batch_count; b++) {
    if (b + 1 == r->batch_count && r->used < (size_t)r->batches[b].length) {
      r->batches[kept++] = r->batches[b];
    } else {
      arrow_batch_release(&r->batches[b]);
    }
  }
  r->batch_count = kept;
}

static dperm_status read_all(row_reader *reader, batch_taker *take, void *context,
                             dperm_error *err) {
  arrow_rows *r = (arrow_rows *)reader;
  for (bool found = true; found;) {
    TRY(progress_tick(reader->progress, "reading", 0, 0, err));
    TRY(cut_pieces(r, &found, err));
    pool_run(r->pieces, fill_piece, r);
    TRY(hand_on(r, take, context, err));
    give_back(r);
  }
  for (size_t s = 0; s < r->slot_count; s++) {
    cell_counts_add(&r->cells, &r->slots[s].cells);
  }
  FAIL_IF(r->given->labels && reader->need_labels && r->rows < r->given->label_count, err,
          DPERM_INVALID_DATA, "%zu rows and %zu labels; give as many of both", r->rows,
          r->given->label_count);
  return DPERM_OK;
}

static unsigned doubts(const row_reader *reader) {
  return 0;
}

const row_reader_kind arrow_format = {
    .name = "arrow",
    .format = DPERM_FORMAT_AUTO, /* no file is of it */
    .recognizes = recognizes,
    .size = sizeof(arrow_rows),
    .open = open_stream,
    .close = close_stream,
    .read = read_all,
    .doubts = doubts,
};
