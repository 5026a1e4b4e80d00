/* A line at a time, token by token. */
#include "read/svmlight.h"

#include <math.h>
#include <string.h>

#include "schema/row_norm.h"

dperm_status svmlight_open(const char *path, size_t dims, bool need_labels, bool digest,
                           const dperm_progress *progress, svmlight_reader *out, dperm_error *err) {
  if (dims == 0 || dims > INT32_MAX) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "svmlight data need the number of columns (dims), 1 to %d, known in public", INT32_MAX);
  }
  *out = (svmlight_reader){.path = path, .dims = dims, .need_labels = need_labels};
  TRY(window_open(path, progress, digest, &out->window, err));
  dperm_status status = window_skip_mark(&out->window, path, err);
  if (status != DPERM_OK) {
    svmlight_close(out);
  }
  return status;
}

void svmlight_close(svmlight_reader *reader) {
  window_close(&reader->window);
  *reader = (svmlight_reader){0};
}

/* The next line without its end; false at the end of the file. */
static dperm_status next_line(svmlight_reader *reader, slice *line, bool *found, dperm_error *err) {
  window *w = &reader->window;
  for (;;) {
    char *start = w->bytes + w->begin;
    char *stop = memchr(start, '\n', w->end - w->begin + 1); /* bytes[end] is a newline */
    if (stop == w->bytes + w->end && !w->at_end) {
      if (w->end - w->begin > RECORD_LIMIT) {
        FAIL(err, DPERM_INVALID_DATA, "%s:%zu:1: a line of over %d bytes; this is not svmlight",
             path_for_people(reader->path), reader->line + 1, RECORD_LIMIT);
      }
      TRY(window_more(w, err));
      continue;
    }
    *found = w->begin < w->end;
    if (*found) {
      reader->line++;
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

static dperm_status fail_token(const svmlight_reader *reader, slice line, slice token,
                               const char *sentence, dperm_error *err) {
  FAIL(err, DPERM_INVALID_DATA, "%s:%zu:%zu: %s", path_for_people(reader->path), reader->line,
       (size_t)(token.start - line.start) + 1, sentence);
}

static dperm_status parse_label(svmlight_reader *reader, slice line, slice token, double *label,
                                dperm_error *err) {
  double value = 0;
  bool number = parse_double(token, &value) == NUMBER_OK;
  if (!reader->need_labels && number) {
    *label = 0;
    return DPERM_OK;
  }
  if (!number || (value != 1 && value != 0 && value != -1)) {
    return fail_token(reader, line, token, "the label must be -1 or +1 (or 0 or 1)", err);
  }
  reader->seen_zero = reader->seen_zero || value == 0;
  reader->seen_minus = reader->seen_minus || value == -1;
  if (reader->seen_zero && reader->seen_minus) {
    return fail_token(reader, line, token, "labels 0 and -1 in one file; use either -1/+1 or 0/1",
                      err);
  }
  *label = value > 0 ? 1.0 : -1.0;
  return DPERM_OK;
}

static dperm_status parse_entry(const svmlight_reader *reader, slice line, slice token,
                                size_t *last, growing_rows *rows, dperm_error *err) {
  const char *colon = memchr(token.start, ':', token.length);
  size_t index = 0;
  double value = 0;
  if (!colon) {
    return fail_token(reader, line, token, "an entry must be index:value", err);
  }
  slice left = {token.start, (size_t)(colon - token.start)};
  slice right = {colon + 1, token.length - left.length - 1};
  if (left.length && left.start[0] == '-') {
    return fail_token(reader, line, token, "a negative index; indices count from 1", err);
  }
  if (!parse_size(left, SIZE_MAX / 2, &index)) {
    return fail_token(reader, line, token, "the index is not a whole number; indices count from 1",
                      err);
  }
  if (index == 0) {
    return fail_token(reader, line, token, "index 0; indices count from 1", err);
  }
  if (index > reader->dims) {
    return fail_token(reader, line, token,
                      "the index is beyond the declared number of columns; raise that", err);
  }
  if (index <= *last) {
    return fail_token(reader, line, token,
                      "the index is not above the one before; sort the entries", err);
  }
  if (parse_double(right, &value) != NUMBER_OK) {
    return fail_token(reader, line, token, "the value is not a finite number; mend it", err);
  }
  *last = index;
  TRY(rows_reserve(rows, 1, err));
  if (value != 0.0) {
    rows_push(rows, index - 1, value);
  }
  return DPERM_OK;
}

dperm_status svmlight_next(svmlight_reader *reader, growing_rows *rows, bool *found,
                           dperm_error *err) {
  slice line = {NULL, 0}, rest, token;
  for (;;) {
    TRY(next_line(reader, &line, found, err));
    if (!*found) {
      return DPERM_OK;
    }
    const char *nul = memchr(line.start, '\0', line.length);
    if (nul) {
      return fail_token(reader, line, (slice){nul, 1},
                        "a NUL byte; this is not a text file, or it is damaged", err);
    }
    const char *hash = memchr(line.start, '#', line.length);
    rest = (slice){line.start, hash ? (size_t)(hash - line.start) : line.length};
    token = next_token(&rest);
    if (token.length > 0) {
      break;
    }
    reader->doubts |= (unsigned)(hash ? DOUBT_COMMENTS : DOUBT_BLANKS);
  }
  double label = 0;
  TRY(parse_label(reader, line, token, &label, err));
  TRY(rows_reserve(rows, 0, err));
  size_t before = rows->entries, last = 0;
  while ((token = next_token(&rest)).length) {
    TRY(parse_entry(reader, line, token, &last, rows, err));
  }
  row_clip(rows->values + before, rows->entries - before, 1.0);
  rows_end(rows, label);
  return DPERM_OK;
}
