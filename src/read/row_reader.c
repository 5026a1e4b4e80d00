/* The table of readers, and what they have in common. */
#include "read/row_reader.h"

#include "base/memory.h"

/* In the order in which they are asked to recognize a file; the last takes what is left. */
const row_reader_kind *const row_reader_kinds[] = {&arrow_format, &encoded_format, &svmlight_format,
                                                   &csv_format, NULL};

const char *dperm_format_name(dperm_format format) {
  for (const row_reader_kind *const *kind = row_reader_kinds; *kind; kind++) {
    if ((*kind)->format == format && format != DPERM_FORMAT_AUTO) {
      return (*kind)->name;
    }
  }
  return format == DPERM_FORMAT_AUTO ? "auto" : NULL;
}

const char *source_name(const dperm_source *source) {
  return source->arrow ? "the Arrow stream" : path_for_people(source->path);
}

dperm_status source_check_there(const dperm_source *source, dperm_error *err) {
  return source->arrow ? DPERM_OK : file_check_there(source->path, err);
}

dperm_status row_reader_find(const dperm_source *source, const row_reader_kind **out,
                             dperm_error *err) {
  FAIL_IF(!source->path == !source->arrow, err, DPERM_INVALID_ARGUMENT,
          "the source has %s; name a file, or give a stream",
          source->path ? "a path and a stream" : "no path");
  FAIL_IF(source->arrow && source->format != DPERM_FORMAT_AUTO, err, DPERM_INVALID_ARGUMENT,
          "%s: formats are of files; leave it DPERM_FORMAT_AUTO", source_name(source));
  static const dperm_source none = {0};
  FAIL_IF(memcmp(source->reserved, none.reserved, sizeof none.reserved) != 0, err,
          DPERM_INVALID_ARGUMENT,
          "%s: dperm_source has members that dperm %s does not know: the program was built against "
          "a newer dperm, or left them unset; begin with all zeros",
          source_name(source), dperm_version());
  for (const row_reader_kind *const *kind = row_reader_kinds; *kind; kind++) {
    if (source->format == DPERM_FORMAT_AUTO ? !(*kind)->recognizes || (*kind)->recognizes(source)
                                            : source->format == (*kind)->format) {
      *out = *kind;
      return DPERM_OK;
    }
  }
  FAIL(err, DPERM_INVALID_ARGUMENT,
       "%s: no format has the number %d; choose CSV, svmlight or encoded", source_name(source),
       (int)source->format);
}

dperm_status row_reader_open(const dperm_source *source, bool need_labels,
                             const dperm_progress *progress, row_reader **out, dperm_error *err) {
  const row_reader_kind *kind = NULL;
  OWNED(row_reader_close_at) row_reader *reader = NULL;
  TRY(row_reader_find(source, &kind, err));
  TRY(source_check_there(source, err)); /* before a schema is missed, or too much */
  TRY(memory_new(1, kind->size, &reader, err));
  reader->kind = kind;
  reader->path = source->arrow ? source_name(source) : source->path;
  reader->progress = progress;
  reader->need_labels = need_labels;
  reader->may_be_empty = source->may_be_empty;
  reader->digest = need_labels && !source->no_identity;
  TRY(kind->open(reader, source, err));
  *out = TAKE(reader);
  return DPERM_OK;
}

void row_reader_close(row_reader *reader) {
  if (reader) {
    reader->kind->close(reader);
    free(reader);
  }
}

bool row_reader_digested(const row_reader *reader, unsigned char out[FILE_DIGEST_SIZE]) {
  if (reader->file) {
    memcpy(out, reader->file->trailer->source, FILE_DIGEST_SIZE);
    return true;
  }
  return reader->text && byte_source_digested(reader->text->source, out);
}
