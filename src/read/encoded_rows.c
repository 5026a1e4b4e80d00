/* The reader of encoded files. Whoever wants all rows maps them (data/dataset.h); here they are
 * copied batch by batch. */
#include "read/row_reader.h"

typedef struct encoded_rows {
  row_reader base;
  bool mapped;
  size_t at; /* the next row */
} encoded_rows;

static bool recognizes(const dperm_source *source) {
  return encoded_recognized(source->path);
}

/* Schema and columns are those of the source, where it names any. */
static dperm_status open_file(row_reader *reader, const dperm_source *source, dperm_error *err) {
  const char *wrong = NULL;
  TRY(encoded_open(source->path, &reader->file, err));
  const encoded_file *file = reader->file;
  if (source->schema && !file->schema) {
    wrong =
        "holds svmlight rows, which have no schema; leave the schema out, or use a model of such "
        "rows";
  } else if (source->schema && !json_equal(source->schema->json, file->schema->json)) {
    wrong =
        "was encoded under another schema than the one given, or the model's; encode the records "
        "again under that one";
  } else if (source->dims && file->schema) {
    wrong = "has a schema inside, where plain columns are expected; leave their number out, or use "
            "another model";
  } else if (source->dims && source->dims != file->header.dims) {
    wrong = "was encoded with another number of columns than the one given, or the model's; give "
            "the file that goes with it";
  }
  if (wrong) {
    FAIL(err, DPERM_INVALID_DATA, "%s: %s", source->path, wrong);
  }
  reader->schema = file->schema;
  reader->dims = (size_t)file->header.dims;
  return DPERM_OK;
}

static void close_file(row_reader *reader) {
  encoded_close(reader->file);
}

/* Behind the last row, it must still be the file that was checked. */
static dperm_status next(row_reader *reader, size_t limit, growing_rows *rows, dperm_error *err) {
  encoded_rows *r = (encoded_rows *)reader;
  encoded_file *file = reader->file;
  const size_t all = (size_t)file->trailer.rows;
  if (!r->mapped) {
    TRY(encoded_map(file, 0, all, reader->progress, err));
    r->mapped = true;
  }
  for (; rows->count < limit && r->at < all; r->at++) {
    size_t from = file->starts[r->at], to = file->starts[r->at + 1];
    TRY(rows_reserve(rows, to - from, err));
    rows_copy(rows, file->columns + from, file->values + from, to - from);
    rows_end(rows, file->labels[r->at]);
  }
  return r->at < all ? DPERM_OK : encoded_unchanged(file, err);
}

static unsigned doubts(const row_reader *reader) {
  return encoded_doubts(reader->file);
}

const row_reader_kind encoded_format = {
    .name = "encoded",
    .format = DPERM_FORMAT_ENCODED,
    .mapped = true,
    .recognizes = recognizes,
    .size = sizeof(encoded_rows),
    .open = open_file,
    .close = close_file,
    .next = next,
    .doubts = doubts,
};
