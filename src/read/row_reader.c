/* Choosing the reader. */
#include "read/row_reader.h"

#include <string.h>
#include <strings.h>

#include "read/csv_parallel.h"

static bool ends_with(const char *text, size_t length, const char *ending) {
  size_t n = strlen(ending);
  return length >= n && strncasecmp(text + length - n, ending, n) == 0;
}

dperm_status source_format(const dperm_source *source, dperm_format *out, dperm_error *err) {
  if (!source->path) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "the source has no path; name a file");
  }
  static const dperm_source none = {0};
  if (memcmp(source->reserved, none.reserved, sizeof none.reserved) != 0) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%s: dperm_source has members that dperm %s does not know: the program was built against "
         "a newer dperm, or left them unset; begin with all zeros",
         path_for_people(source->path), dperm_version());
  }
  size_t length = strlen(source->path);
  if (ends_with(source->path, length, ".gz")) {
    length -= 3;
  }
  *out = source->format;
  if (*out == DPERM_FORMAT_ENCODED ||
      (*out == DPERM_FORMAT_AUTO && encoded_recognized(source->path))) {
    *out = DPERM_FORMAT_ENCODED;
    return DPERM_OK;
  }
  if (*out == DPERM_FORMAT_AUTO) {
    bool svmlight = ends_with(source->path, length, ".svm") ||
                    ends_with(source->path, length, ".svmlight") ||
                    ends_with(source->path, length, ".libsvm");
    *out = svmlight                          ? DPERM_FORMAT_SVMLIGHT
           : source->schema || !source->dims ? DPERM_FORMAT_CSV
                                             : DPERM_FORMAT_SVMLIGHT;
  }
  if (*out != DPERM_FORMAT_CSV && *out != DPERM_FORMAT_SVMLIGHT) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%s: no format has the number %d; choose CSV, svmlight or encoded",
         path_for_people(source->path), (int)*out);
  }
  if (*out == DPERM_FORMAT_CSV && !source->schema) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%s: CSV data need a schema; give one, or the svmlight format with its number of columns",
         path_for_people(source->path));
  }
  return DPERM_OK;
}

dperm_status encoded_open_for(const dperm_source *source, encoded_file **out, dperm_error *err) {
  encoded_file *file = NULL;
  const char *wrong = NULL;
  TRY(encoded_open(source->path, &file, err));
  if (source->schema && !file->schema) {
    wrong = "holds svmlight rows, which have no schema; leave it out";
  } else if (source->schema && !json_equal(source->schema->json, file->schema->json)) {
    wrong = "was encoded under another schema; leave it out, or encode the records again";
  } else if (source->dims && file->schema) {
    wrong = "has a schema inside, where plain columns are expected; leave their number out, or use "
            "another model";
  } else if (source->dims && source->dims != file->header.dims) {
    wrong = "was encoded with another number of columns; leave it out";
  }
  if (wrong) {
    (void)error_set(err, DPERM_INVALID_DATA, "%s: %s", source->path, wrong);
    encoded_close(file);
    return DPERM_INVALID_DATA;
  }
  *out = file;
  return DPERM_OK;
}

static dperm_status open_encoded(const dperm_source *source, const dperm_progress *progress,
                                 row_reader *out, dperm_error *err) {
  encoded_file *file = NULL;
  TRY(encoded_open_for(source, &file, err));
  dperm_status status = encoded_map(file, 0, (size_t)file->trailer.rows, progress, err);
  if (status == DPERM_OK) {
    out->encoded = file;
  } else {
    encoded_close(file);
  }
  return status;
}

dperm_status row_reader_open(const dperm_source *source, bool need_labels,
                             const dperm_progress *progress, row_reader *out, dperm_error *err) {
  *out = (row_reader){.path = source->path};
  TRY(source_format(source, &out->format, err));
  if (out->format == DPERM_FORMAT_ENCODED) {
    return open_encoded(source, progress, out, err);
  }
  if (out->format == DPERM_FORMAT_SVMLIGHT && source->schema) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%s: svmlight data take no schema; leave it out",
         path_for_people(source->path));
  }
  if (out->format == DPERM_FORMAT_CSV && source->schema && source->dims) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%s: CSV data have a schema; leave the number of columns out",
         path_for_people(source->path));
  }
  bool digest = need_labels && !source->no_identity;
  if (out->format == DPERM_FORMAT_SVMLIGHT) {
    return svmlight_open(source->path, source->dims, need_labels, digest, progress, &out->svmlight,
                         err);
  }
  const dperm_schema *schema = source->schema;
  TRY(csv_open(source->path, schema->separator, schema->comment, progress, digest, &out->csv, err));
  dperm_status status =
      encoder_open(schema, need_labels, &out->csv, &out->encoder, &out->record_waiting, err);
  if (status != DPERM_OK) {
    csv_close(&out->csv);
  }
  return status;
}

void row_reader_close(row_reader *reader) {
  if (reader->format == DPERM_FORMAT_SVMLIGHT) {
    svmlight_close(&reader->svmlight);
  } else if (reader->format == DPERM_FORMAT_CSV) {
    encoder_close(&reader->encoder);
    csv_close(&reader->csv);
  }
  encoded_close(reader->encoded);
}

/* Copies the next row of an encoded file; behind the last one, it must still be the file that was
 * checked. */
static dperm_status next_encoded(row_reader *reader, growing_rows *rows, bool *found,
                                 dperm_error *err) {
  const encoded_file *file = reader->encoded;
  *found = reader->at < file->trailer.rows;
  if (!*found) {
    return encoded_unchanged(file, err);
  }
  size_t from = encoded_starts(file)[reader->at], to = encoded_starts(file)[reader->at + 1];
  TRY(rows_reserve(rows, to - from, err));
  for (size_t e = from; e < to; e++) {
    rows_push(rows, encoded_columns(file)[e], encoded_values(file)[e]);
  }
  rows_end(rows, encoded_labels(file)[reader->at++]);
  return DPERM_OK;
}

static dperm_status next_row(row_reader *reader, growing_rows *rows, bool *found,
                             dperm_error *err) {
  if (reader->format == DPERM_FORMAT_SVMLIGHT) {
    return svmlight_next(&reader->svmlight, rows, found, err);
  }
  if (reader->format == DPERM_FORMAT_ENCODED) {
    return next_encoded(reader, rows, found, err);
  }
  *found = reader->record_waiting;
  reader->record_waiting = false;
  if (!*found) {
    TRY(csv_next(&reader->csv, found, err));
  }
  return *found ? encoder_add(&reader->encoder, &reader->csv, rows, err) : DPERM_OK;
}

bool row_reader_digested(const row_reader *reader, unsigned char out[FILE_DIGEST_SIZE]) {
  if (reader->format == DPERM_FORMAT_ENCODED) {
    memcpy(out, reader->encoded->trailer.source, FILE_DIGEST_SIZE);
    return true;
  }
  const window *w =
      reader->format == DPERM_FORMAT_SVMLIGHT ? &reader->svmlight.window : &reader->csv.window;
  return byte_source_digested(w->source, out);
}

unsigned row_reader_doubts(const row_reader *reader) {
  if (reader->format == DPERM_FORMAT_ENCODED) {
    return encoded_doubts(reader->encoded);
  }
  const encoder *e = &reader->encoder;
  return reader->format == DPERM_FORMAT_SVMLIGHT
             ? reader->svmlight.doubts
             : csv_doubts(&reader->csv, e->schema->header, e->field_count);
}

dperm_status row_reader_next(row_reader *reader, size_t limit, growing_rows *rows,
                             dperm_error *err) {
  bool found = true;
  if (limit == SIZE_MAX && reader->format == DPERM_FORMAT_CSV) {
    if (reader->record_waiting) {
      TRY(next_row(reader, rows, &found, err));
    }
    return csv_parallel_read(&reader->csv, &reader->encoder, rows, NULL, NULL, err);
  }
  while (found && rows->count < limit) {
    TRY(next_row(reader, rows, &found, err));
  }
  return DPERM_OK;
}

dperm_status row_reader_each(row_reader *reader, rows_taker *take, void *context,
                             dperm_error *err) {
  enum { BATCH_ROWS = 4096 };
  dperm_status status = DPERM_OK;
  growing_rows rows = {0};
  bool more = true;
  if (reader->format == DPERM_FORMAT_CSV) {
    if (reader->record_waiting) {
      TRY_OR_DONE(next_row(reader, &rows, &more, err));
    }
    status = csv_parallel_read(&reader->csv, &reader->encoder, &rows, take, context, err);
    more = false;
  }
  while (more && status == DPERM_OK) {
    TRY_OR_DONE(row_reader_next(reader, BATCH_ROWS, &rows, err));
    more = rows.count > 0;
    status = more ? take(context, &rows, err) : DPERM_OK;
  }
done:
  rows_clear(&rows);
  return status;
}
