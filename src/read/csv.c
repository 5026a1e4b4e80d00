/* The scanner reads a record in one pass over the window. When the window ends first, it is filled
 * and the record is scanned again from its start: once per quarter megabyte, so it costs nothing,
 * and no state has to survive a refill. */
#include "read/csv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef enum scan_result {
  SCAN_RECORD,  /* fields, record_length and *consumed are set */
  SCAN_NOTHING, /* a blank or comment line: *consumed is set */
  SCAN_NEEDS_MORE,
  SCAN_ERROR
} scan_result;

dperm_status csv_open(const char *path, char separator, const char *comment,
                      const dperm_progress *progress, bool digest, csv_reader *out,
                      dperm_error *err) {
  *out = (csv_reader){
      .path = path, .separator = separator, .comment = comment, .line = 1, .next_line = 1};
  TRY(window_open(path, progress, digest, &out->window, err));
  dperm_status status = window_skip_mark(&out->window, path, err);
  if (status != DPERM_OK) {
    csv_close(out);
  }
  return status;
}

void csv_close(csv_reader *reader) {
  window_close(&reader->window);
  free(reader->fields);
  free(reader->unquoted);
  *reader = (csv_reader){0};
}

void csv_take_back(csv_reader *reader, char separator) {
  reader->separator = separator;
  reader->window.begin = (size_t)(reader->record - reader->window.bytes);
  reader->next_line = reader->line;
}

dperm_status csv_fail_at(const csv_reader *reader, size_t offset, dperm_error *err,
                         const char *format, ...) {
  char sentence[512];
  va_list args;
  va_start(args, format);
  vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  size_t line = reader->line, column = 1;
  for (size_t i = 0; i < offset; i++) {
    column = reader->record[i] == '\n' ? 1 : column + 1;
    line += reader->record[i] == '\n';
  }
  FAIL(err, DPERM_INVALID_DATA, "%s:%zu:%zu: %s", path_for_people(reader->path), line, column,
       sentence);
}

static dperm_status fail_nul(const csv_reader *reader, const char *at, dperm_error *err) {
  return csv_fail_at(reader, (size_t)(at - reader->record), err,
                     "a NUL byte; this is not a text file, or it is damaged");
}

static dperm_status add_field(csv_reader *reader, slice text, const char *start, dperm_error *err) {
  if (reader->field_count == reader->field_capacity) {
    TRY(memory_reserve(&reader->fields, &reader->field_capacity, reader->field_count + 1,
                       sizeof *reader->fields, err));
  }
  reader->fields[reader->field_count++] = (csv_field){text, (size_t)(start - reader->record)};
  return DPERM_OK;
}

static bool is_blank(const csv_reader *reader, char c) {
  return (c == ' ' || c == '\t') && c != reader->separator;
}

/* Without the blanks at its end, and the CR of a CRLF. */
static slice trim_tail(const csv_reader *reader, const char *start, const char *end) {
  if (end > start && *end == '\n' && end[-1] == '\r') {
    end--;
  }
  while (end > start && is_blank(reader, end[-1])) {
    end--;
  }
  return (slice){start, (size_t)(end - start)};
}

/* Doubled quotes become single ones, in buffer of the reader's own: the window stays as it was, so
 * that a message can still count its lines. */
static dperm_status unquote(csv_reader *reader, slice *text, char **buffer, dperm_error *err) {
  if (!*buffer) {
    TRY(memory_reserve(&reader->unquoted, &reader->unquoted_capacity,
                       (size_t)(reader->window.bytes + reader->window.end - reader->record) + 1, 1,
                       err));
    *buffer = reader->unquoted;
  }
  char *out = *buffer;
  for (size_t i = 0; i < text->length; i++) {
    *out++ = text->start[i];
    i += text->start[i] == '"';
  }
  *text = (slice){*buffer, (size_t)(out - *buffer)};
  *buffer = out;
  return DPERM_OK;
}

/* A quoted field; `at` is its opening quote. On success *next is the byte after it: a separator,
 * a newline or the end. */
static scan_result scan_quoted(csv_reader *reader, const char *at, const char *start,
                               const char **next, char **buffer, dperm_error *err) {
  const char *end = reader->window.bytes + reader->window.end;
  const char *p = at + 1;
  bool doubled = false;
  for (;;) {
    while (p < end && *p != '"' && *p != '\0') {
      p++;
    }
    if (p == end) {
      if (!reader->window.at_end && end - reader->record < RECORD_LIMIT) {
        return SCAN_NEEDS_MORE;
      }
      if (reader->window.at_end) {
        (void)csv_fail_at(reader, (size_t)(at - reader->record), err,
                          "this quote is never closed; add the closing quote");
      } else { /* it may be closed further on */
        (void)csv_fail_at(reader, (size_t)(at - reader->record), err,
                          "a field in quotes that is too long: a record has at most %d bytes; "
                          "shorten it, or close its quote",
                          RECORD_LIMIT);
      }
      return SCAN_ERROR;
    }
    if (*p == '\0') {
      (void)fail_nul(reader, p, err);
      return SCAN_ERROR;
    }
    if (p + 1 == end && !reader->window.at_end) {
      return SCAN_NEEDS_MORE; /* the next byte decides whether this quote closes the field */
    }
    if (p + 1 == end || p[1] != '"') {
      break;
    }
    doubled = true;
    p += 2;
  }
  slice text = {at + 1, (size_t)(p - at - 1)};
  for (p++; p < end && (is_blank(reader, *p) || (*p == '\r' && p[1] == '\n')); p++) {
  }
  if (p == end && !reader->window.at_end) {
    return SCAN_NEEDS_MORE;
  }
  if (p < end && *p != reader->separator && *p != '\n') {
    (void)csv_fail_at(reader, (size_t)(p - reader->record), err,
                      "text after a closing quote; double a quote inside a quoted field");
    return SCAN_ERROR;
  }
  *next = p;
  if ((doubled && unquote(reader, &text, buffer, err) != DPERM_OK) ||
      add_field(reader, text, start, err) != DPERM_OK) {
    return SCAN_ERROR;
  }
  return SCAN_RECORD;
}

static scan_result scan_unquoted(csv_reader *reader, const char *at, const char **next,
                                 dperm_error *err) {
  const char *end = reader->window.bytes + reader->window.end;
  const char *p = at;
  while (*p != reader->separator && *p != '\n' && *p != '\0') { /* bytes[end] is a newline */
    p++;
  }
  if (p == end && !reader->window.at_end) {
    return SCAN_NEEDS_MORE;
  }
  if (*p == '\0') {
    (void)fail_nul(reader, p, err);
    return SCAN_ERROR;
  }
  *next = p;
  return add_field(reader, trim_tail(reader, at, p), at, err) == DPERM_OK ? SCAN_RECORD
                                                                          : SCAN_ERROR;
}

/* Whether the line at the record's start is a comment; it may not be in the window yet. */
static scan_result scan_comment(csv_reader *reader, const char **next, dperm_error *err) {
  size_t length = strlen(reader->comment);
  const char *end = reader->window.bytes + reader->window.end, *p = reader->record;
  if ((size_t)(end - p) < length) {
    return reader->window.at_end ? SCAN_RECORD : SCAN_NEEDS_MORE;
  }
  if (memcmp(p, reader->comment, length) != 0) {
    return SCAN_RECORD;
  }
  for (; *p != '\n'; p++) {
    if (*p == '\0') {
      (void)fail_nul(reader, p, err);
      return SCAN_ERROR;
    }
  }
  *next = p;
  return p == end && !reader->window.at_end ? SCAN_NEEDS_MORE : SCAN_NOTHING;
}

/* From the window's begin to the end of the record; *next is its newline, or the end. */
static scan_result scan_record(csv_reader *reader, const char **next, dperm_error *err) {
  const char *end = reader->window.bytes + reader->window.end;
  const char *at = reader->record = reader->window.bytes + reader->window.begin;
  char *buffer = NULL;
  reader->field_count = 0;
  reader->any_quotes = false;
  if (reader->comment) {
    scan_result result = scan_comment(reader, next, err);
    if (result != SCAN_RECORD) {
      return result;
    }
  }
  for (;;) {
    const char *start = at;
    while (at < end && is_blank(reader, *at)) {
      at++;
    }
    if (at == end && !reader->window.at_end) {
      return SCAN_NEEDS_MORE;
    }
    bool quoted = at < end && *at == '"';
    reader->any_quotes = reader->any_quotes || quoted;
    scan_result result = quoted ? scan_quoted(reader, at, start, next, &buffer, err)
                                : scan_unquoted(reader, at, next, err);
    if (result != SCAN_RECORD) {
      return result;
    }
    if (*next == end || **next == '\n') {
      bool blank = reader->field_count == 1 && !quoted && reader->fields[0].text.length == 0;
      return blank ? SCAN_NOTHING : SCAN_RECORD;
    }
    at = *next + 1;
  }
}

static size_t count_lines(const char *from, const char *to) {
  size_t lines = 0;
  while ((from = memchr(from, '\n', (size_t)(to - from)))) {
    lines++;
    from++;
  }
  return lines;
}

static void doubt(csv_reader *reader, row_doubt what) {
  *(reader->any_record ? &reader->doubts_further : &reader->doubts_first) |= (unsigned)what;
}

/* Whether the lines of a record behind its first, which ends within quotes, read as a record of as
 * many fields too, or might with the lines that follow. If they are one, then the quote before them
 * was never closed, and what should be two records is read as one. The record's end is at `next`.
 */
static bool holds_record(const csv_reader *reader, const char *next) {
  const char *bytes = reader->window.bytes;
  const char *line = memchr(reader->record, '\n', (size_t)(next - reader->record));
  csv_reader inner = {.path = reader->path,
                      .separator = reader->separator,
                      .comment = reader->comment,
                      .within = true,
                      .window = {.bytes = reader->window.bytes,
                                 .begin = (size_t)(line + 1 - bytes),
                                 .end = (size_t)(next - bytes),
                                 .at_end = true}};
  bool found = false;
  bool odd = csv_next(&inner, &found, NULL) != DPERM_OK;
  bool holds = odd || (found && inner.field_count == reader->field_count);
  inner.window = (window){0}; /* never its own */
  csv_close(&inner);
  return holds;
}

unsigned csv_doubts(const csv_reader *reader, bool header, size_t fields) {
  unsigned doubts = reader->doubts_further | (header ? 0 : reader->doubts_first);
  if (fields > 1) {
    return doubts & ~(unsigned)DOUBT_BLANKS; /* a record has a separator, at least */
  }
  return doubts | (byte_source_ends_line(reader->window.source) ? 0 : (unsigned)DOUBT_LAST);
}

dperm_status csv_next(csv_reader *reader, bool *found, dperm_error *err) {
  *found = false;
  reader->line = reader->next_line;
  for (;;) {
    window *w = &reader->window;
    if (w->begin == w->end && w->at_end) {
      return DPERM_OK;
    }
    const char *next = NULL;
    dperm_error trouble; /* not initialized whole: this runs for every record */
    trouble.status = DPERM_OK;
    trouble.message[0] = '\0';
    scan_result result = scan_record(reader, &next, &trouble);
    if (result == SCAN_ERROR) {
      FAIL(err, trouble.status, "%s", trouble.message);
    }
    if (result == SCAN_NEEDS_MORE) {
      if (w->end - w->begin > RECORD_LIMIT) {
        return csv_fail_at(reader, 0, err, "a record of over %d bytes; this is not a CSV file",
                           RECORD_LIMIT);
      }
      TRY(window_more(w, err));
      continue;
    }
    reader->record_length = (size_t)(next - reader->record);
    bool ended_by_line = next < w->bytes + w->end;
    size_t inner_lines = reader->any_quotes ? count_lines(reader->record, next) : 0;
    reader->next_line = reader->line + ended_by_line + inner_lines;
    if (inner_lines > 0 && !reader->within && holds_record(reader, next)) {
      doubt(reader, DOUBT_SPANS);
    }
    w->begin += reader->record_length + ended_by_line;
    if (result == SCAN_RECORD) {
      reader->any_record = *found = true;
      return DPERM_OK;
    }
    bool comment = reader->field_count == 0; /* a blank line has one empty field */
    doubt(reader, comment ? DOUBT_COMMENTS : DOUBT_BLANKS);
    if (!comment && memchr(reader->record, '\t', reader->record_length)) {
      reader->tabs_skipped = true;
    }
    reader->line = reader->next_line;
  }
}
