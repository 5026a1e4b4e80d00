/* The reader of svmlight files: "label index:value … # comment", indices ascending from 1, labels
 * −1/+1 or 0/1, rows clipped to norm 1. A line at a time, token by token. */
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "read/row_reader.h"
#include "schema/row_norm.h"

/* What labels were: both of these in one file are a mistake. */
enum { LABELS_ZERO = 1, LABELS_MINUS = 2 };

typedef struct svmlight_rows {
  row_reader base;
  window window;
  size_t line;
  unsigned labels_seen; /* of LABELS_… */
  unsigned doubts;      /* lines that were skipped: any of them can be a record */
} svmlight_rows;

static bool ends_with(const char *text, size_t length, const char *ending) {
  size_t n = strlen(ending);
  return length >= n && strncasecmp(text + length - n, ending, n) == 0;
}

/* By its name, packed or not; or if there are columns and no schema. */
static bool recognizes(const dperm_source *source) {
  const char *path = source->path;
  size_t length = strlen(path);
  length -= ends_with(path, length, ".gz") ? 3 : 0;
  return ends_with(path, length, ".svm") || ends_with(path, length, ".svmlight") ||
         ends_with(path, length, ".libsvm") || (!source->schema && source->dims);
}

static dperm_status open_file(row_reader *reader, const dperm_source *source, dperm_error *err) {
  svmlight_rows *r = (svmlight_rows *)reader;
  FAIL_IF(source->schema, err, DPERM_INVALID_ARGUMENT,
          "%s: svmlight data take no schema; leave it out", path_for_people(source->path));
  FAIL_IF(source->dims == 0 || source->dims > INT32_MAX, err, DPERM_INVALID_ARGUMENT,
          "svmlight data need the number of columns (dims), 1 to %d, known in public", INT32_MAX);
  reader->dims = source->dims;
  reader->text = &r->window;
  return window_open(source->path, NULL, reader->progress, reader->digest, &r->window, err);
}

static void close_file(row_reader *reader) {
  window_close(&((svmlight_rows *)reader)->window);
}

/* The next line without its end; false at the end of the file. */
static dperm_status next_line(svmlight_rows *r, slice *line, bool *found, dperm_error *err) {
  window *w = &r->window;
  for (;;) {
    char *start = w->bytes + w->begin;
    char *stop = memchr(start, '\n', w->end - w->begin + 1); /* bytes[end] is a newline */
    FAIL_IF(stop - start > RECORD_LIMIT, err, DPERM_INVALID_DATA,
            "%s:%zu:1: a line of over %d bytes; this is not svmlight",
            path_for_people(r->base.path), r->line + 1, RECORD_LIMIT);
    if (stop == w->bytes + w->end && !w->at_end) {
      TRY(window_more(w, err));
      continue;
    }
    *found = w->begin < w->end;
    if (*found) {
      r->line++;
      w->begin = (size_t)(stop - w->bytes) + (stop < w->bytes + w->end);
      *line = (slice){start, (size_t)(stop - start)};
    }
    return DPERM_OK;
  }
}

/* Blanks, and the CR of a CRLF. */
static bool is_gap(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static slice next_token(slice *rest) {
  while (rest->length && is_gap(rest->start[0])) {
    rest->start++;
    rest->length--;
  }
  slice token = {rest->start, 0};
  while (token.length < rest->length && !is_gap(token.start[token.length])) {
    token.length++;
  }
  rest->start += token.length;
  rest->length -= token.length;
  return token;
}

static dperm_status fail_token(const svmlight_rows *r, slice line, slice token,
                               const char *sentence, dperm_error *err) {
  FAIL(err, DPERM_INVALID_DATA, "%s:%zu:%zu: %s", path_for_people(r->base.path), r->line,
       (size_t)(token.start - line.start) + 1, sentence);
}

static dperm_status parse_label(svmlight_rows *r, slice line, slice token, double *label,
                                dperm_error *err) {
  double value = 0;
  bool number = parse_double(token, &value) == NUMBER_OK;
  if (!r->base.need_labels && number) {
    *label = 0;
    return DPERM_OK;
  }
  RETURN_IF(!number || (value != 1 && value != 0 && value != -1),
            fail_token(r, line, token, "the label must be -1 or +1 (or 0 or 1)", err));
  r->labels_seen |= value == 0 ? LABELS_ZERO : value < 0 ? LABELS_MINUS : 0;
  RETURN_IF(
      r->labels_seen == (LABELS_ZERO | LABELS_MINUS),
      fail_token(r, line, token, "labels 0 and -1 in one file; use either -1/+1 or 0/1", err));
  *label = value > 0 ? 1.0 : -1.0;
  return DPERM_OK;
}

/* Returns what is wrong with an entry behind the one of index *last, or NULL. */
static const char *parse_entry(slice token, size_t dims, size_t *last, double *value) {
  const char *colon = memchr(token.start, ':', token.length);
  size_t index = 0;
  if (!colon) {
    return "an entry must be index:value";
  }
  slice left = {token.start, (size_t)(colon - token.start)};
  slice right = {colon + 1, token.length - left.length - 1};
  if (!parse_size(left, SIZE_MAX / 2, &index) || index == 0) {
    return "the index is not a whole number from 1 on";
  }
  if (index > dims) {
    return "the index is beyond the declared number of columns; raise that";
  }
  if (index <= *last) {
    return "the index is not above the one before; sort the entries";
  }
  *last = index;
  return parse_double(right, value) == NUMBER_OK ? NULL
                                                 : "the value is not a finite number; mend it";
}

/* Appends the next record, or *found = false at the end. */
static dperm_status next_record(svmlight_rows *r, growing_rows *rows, bool *found,
                                dperm_error *err) {
  slice line = {NULL, 0}, rest, token;
  for (;;) {
    TRY(next_line(r, &line, found, err));
    if (!*found) {
      return DPERM_OK;
    }
    const char *nul = memchr(line.start, '\0', line.length);
    if (nul) {
      return fail_token(r, line, (slice){nul, 1},
                        "a NUL byte; this is not a text file, or it is damaged", err);
    }
    const char *hash = memchr(line.start, '#', line.length);
    rest = (slice){line.start, hash ? (size_t)(hash - line.start) : line.length};
    token = next_token(&rest);
    if (token.length > 0) {
      break;
    }
    r->doubts |= (unsigned)(hash ? DOUBT_COMMENTS : DOUBT_BLANKS);
  }
  double label = 0;
  TRY(parse_label(r, line, token, &label, err));
  TRY(rows_reserve(rows, 0, err));
  size_t before = rows->entries, last = 0;
  while ((token = next_token(&rest)).length) {
    double value = 0;
    const char *wrong = parse_entry(token, r->base.dims, &last, &value);
    RETURN_IF(wrong, fail_token(r, line, token, wrong, err));
    TRY(rows_reserve(rows, 1, err));
    if (value != 0.0) {
      rows_push(rows, last - 1, value);
    }
  }
  row_clip(rows->values + before, rows->entries - before, 1.0);
  rows_end(rows, label);
  return DPERM_OK;
}

static dperm_status read_all(row_reader *reader, batch_taker *take, void *context,
                             dperm_error *err) {
  enum { BATCH = 4096 };
  OWNED(rows_clear) growing_rows rows = {0};
  for (bool found = true; found;) {
    rows_reset(&rows);
    while (found && rows.count < BATCH) {
      TRY(next_record((svmlight_rows *)reader, &rows, &found, err));
    }
    TRY(take(context, NULL, 0, &rows, err));
  }
  return DPERM_OK;
}

static unsigned doubts(const row_reader *reader) {
  return ((const svmlight_rows *)reader)->doubts;
}

const row_reader_kind svmlight_format = {
    .name = "svmlight",
    .format = DPERM_FORMAT_SVMLIGHT,
    .recognizes = recognizes,
    .size = sizeof(svmlight_rows),
    .open = open_file,
    .close = close_file,
    .read = read_all,
    .doubts = doubts,
};
