/* The scanner reads a record in one pass over the window. When the window ends first, it is filled
 * and the record is scanned again from its start: once per quarter megabyte, so it costs nothing,
 * and no state has to survive a refill. */
#include "read/csv.h"

#include <stdarg.h>
#include <stdio.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/memory.h"

/* A record on its way. */
typedef struct scan {
  const char *at;  /* the next byte; behind a field its separator, the newline or the end */
  char *unquoted;  /* free space for a field with doubled quotes; NULL before the first */
  bool unfinished; /* the window ends before the record does */
  bool skipped;    /* it is a blank or comment line */
} scan;

dperm_status csv_open(const char *path, const slice *text, char separator, const char *comment,
                      const dperm_progress *progress, bool digest, csv_reader *out,
                      dperm_error *err) {
  *out = (csv_reader){
      .path = path, .separator = separator, .comment = comment, .line = 1, .next_line = 1};
  return window_open(path, text, progress, digest, &out->window, err);
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

static bool is_blank(const csv_reader *reader, char c) {
  return (c == ' ' || c == '\t') && c != reader->separator;
}

/* Without the blanks at its end, and the CR of a CRLF. */
static slice trim_tail(const csv_reader *reader, const char *start, const char *end) {
  end -= end > start && *end == '\n' && end[-1] == '\r';
  while (end > start && is_blank(reader, end[-1])) {
    end--;
  }
  return (slice){start, (size_t)(end - start)};
}

static dperm_status reserve_fields(csv_reader *reader, size_t count, dperm_error *err) {
  return count <= reader->field_capacity ? DPERM_OK
                                         : memory_reserve(&reader->fields, &reader->field_capacity,
                                                          count, sizeof *reader->fields, err);
}

static dperm_status add_field(csv_reader *reader, slice text, const char *start, dperm_error *err) {
  TRY(reserve_fields(reader, reader->field_count + 1, err));
  reader->fields[reader->field_count++] = (csv_field){text, (size_t)(start - reader->record)};
  return DPERM_OK;
}

/* Doubled quotes become single ones, in a buffer of the reader's own: the window stays as it was,
 * so that a message can still count its lines. */
static dperm_status unquote(csv_reader *reader, scan *s, slice *text, dperm_error *err) {
  if (!s->unquoted) {
    TRY(memory_reserve(&reader->unquoted, &reader->unquoted_capacity,
                       (size_t)(window_end(&reader->window) - reader->record) + WINDOW_PAD, 1,
                       err));
    s->unquoted = reader->unquoted;
  }
  char *out = s->unquoted;
  for (size_t i = 0; i < text->length; i++) {
    *out++ = text->start[i];
    i += text->start[i] == '"';
  }
  *text = (slice){s->unquoted, (size_t)(out - s->unquoted)};
  s->unquoted = out;
  return DPERM_OK;
}

/* A field whose opening quote is at s->at; it begins at `start`, with blanks perhaps. */
static dperm_status scan_quoted(csv_reader *reader, scan *s, const char *start, dperm_error *err) {
  const char *end = window_end(&reader->window), *p = s->at + 1;
  const size_t place = (size_t)(s->at - reader->record);
  const bool at_end = reader->window.at_end;
  bool doubled = false;
  for (;; p += 2, doubled = true) {
    while (p < end && *p != '"' && *p != '\0') {
      p++;
    }
    CSV_FAIL_IF(p == end && at_end, reader, place, err,
                "this quote is never closed; add the closing quote");
    RETURN_IF(p < end && *p == '\0', fail_nul(reader, p, err));
    if (end - p < 2 && !at_end) { /* the next byte decides whether this quote closes the field */
      s->unfinished = true;
      return DPERM_OK;
    }
    if (end - p < 2 || p[1] != '"') {
      break;
    }
  }
  slice text = {s->at + 1, (size_t)(p - s->at - 1)};
  for (p++; p < end && (is_blank(reader, *p) || (*p == '\r' && p[1] == '\n')); p++) {
  }
  s->at = p;
  s->unfinished = p == end && !at_end;
  CSV_FAIL_IF(p < end && *p != reader->separator && *p != '\n', reader,
              (size_t)(p - reader->record), err,
              "text after a closing quote; double a quote inside a quoted field");
  if (doubled) {
    TRY(unquote(reader, s, &text, err));
  }
  return add_field(reader, text, start, err);
}

/* To the line's end or, for a field, to a separator before that. */
static dperm_status pass_text(const csv_reader *reader, scan *s, bool field, dperm_error *err) {
  while (*s->at != '\n' && *s->at != '\0' && !(field && *s->at == reader->separator)) {
    s->at++; /* bytes[end] is a newline */
  }
  s->unfinished = s->at == window_end(&reader->window) && !reader->window.at_end;
  return *s->at == '\0' ? fail_nul(reader, s->at, err) : DPERM_OK;
}

static dperm_status scan_unquoted(csv_reader *reader, scan *s, dperm_error *err) {
  const char *start = s->at;
  TRY(pass_text(reader, s, true, err));
  return add_field(reader, trim_tail(reader, start, s->at), start, err);
}

/* Whether the line at the record's start is a comment; it may not be in the window yet. */
static dperm_status scan_comment(const csv_reader *reader, scan *s, dperm_error *err) {
  size_t length = strlen(reader->comment);
  if ((size_t)(window_end(&reader->window) - s->at) < length) {
    s->unfinished = !reader->window.at_end;
    return DPERM_OK;
  }
  s->skipped = memcmp(s->at, reader->comment, length) == 0;
  return s->skipped ? pass_text(reader, s, false, err) : DPERM_OK;
}

/* From the window's begin to the end of the record. */
static dperm_status scan_record(csv_reader *reader, scan *s, dperm_error *err) {
  const char *end = window_end(&reader->window);
  s->at = reader->record = reader->window.bytes + reader->window.begin;
  reader->field_count = 0;
  if (reader->comment) {
    TRY(scan_comment(reader, s, err));
  }
  while (!s->unfinished && !s->skipped) {
    const char *start = s->at;
    while (s->at < end && is_blank(reader, *s->at)) {
      s->at++;
    }
    bool quoted = s->at < end && *s->at == '"';
    reader->quotes = reader->quotes || quoted;
    TRY(quoted ? scan_quoted(reader, s, start, err) : scan_unquoted(reader, s, err));
    if (!s->unfinished && (s->at == end || *s->at == '\n')) {
      s->skipped = reader->field_count == 1 && !quoted && reader->fields[0].text.length == 0;
      return DPERM_OK;
    }
    s->at++;
  }
  return DPERM_OK;
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
 * many fields too, or might with the lines that follow. If they are one, the quote before them was
 * never closed, and what should be two records is read as one. The record's end is at `next`. */
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

/* Moves the reader behind the record, whose newline, or the end, is at `next`. */
static void pass_record(csv_reader *reader, const char *next, size_t inner_lines) {
  window *w = &reader->window;
  bool ended_by_line = next < window_end(w);
  reader->record_length = (size_t)(next - reader->record);
  reader->next_line = reader->line + ended_by_line + inner_lines;
  w->begin += reader->record_length + ended_by_line;
}

/* A field without quotes. */
static csv_field plain_field(const csv_reader *reader, const char *start, const char *end) {
  while (start < end && is_blank(reader, *start)) {
    start++;
  }
  return (csv_field){trim_tail(reader, start, end), (size_t)(start - reader->record)};
}

/* ---- marks: where separators are, 64 bytes at a time, a bit for each. A scanner then goes from
 * bit to bit instead of from byte to byte. */

enum { MARKED_BYTES = 64 };

/* Separators; and what needs a closer look: blanks, quotes, control characters, NULs, line ends. */
typedef struct csv_marks {
  uint64_t separators, special;
} csv_marks;

static inline csv_marks marks_of(const char *bytes, char separator) {
  csv_marks marks = {0, 0};
#if defined(__SSE2__)
  const __m128i field = _mm_set1_epi8(separator), blank = _mm_set1_epi8(' ');
  const __m128i quote = _mm_set1_epi8('"');
  for (size_t i = 0; i < MARKED_BYTES; i += sizeof field) {
    const __m128i some = _mm_loadu_si128((const __m128i *)(const void *)(bytes + i));
    const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(some, blank), some);
    const __m128i special = _mm_or_si128(low, _mm_cmpeq_epi8(some, quote));
    const int separators = _mm_movemask_epi8(_mm_cmpeq_epi8(some, field));
    marks.separators |= (uint64_t)(uint32_t)separators << i;
    marks.special |= (uint64_t)(uint32_t)_mm_movemask_epi8(special) << i;
  }
#else
  for (int i = 0; i < MARKED_BYTES; i++) {
    bool special = (unsigned char)bytes[i] <= ' ' || bytes[i] == '"';
    marks.separators |= (uint64_t)(bytes[i] == separator) << i;
    marks.special |= (uint64_t)special << i;
  }
#endif
  return marks;
}

/* The usual record: a line that is whole in the window, without quotes, cut by bit masks. False for
 * any other, one that is too long, and what may be a blank or comment line. */
static bool next_plain(csv_reader *reader) {
  const window *w = &reader->window;
  const char *record = reader->record = w->bytes + w->begin, *end = window_end(w), *start = record;
  if (start == end || (reader->comment && *start == reader->comment[0])) {
    return false;
  }
  const char *next = memchr(start, '\n', (size_t)(end - start) + 1);
  const size_t length = (size_t)(next - start);
  if (length == 0 || length > RECORD_LIMIT || (next == end && !w->at_end)) {
    return false;
  }
  size_t count = 0;
  bool trim = false;
  for (size_t at = 0; at < length; at += MARKED_BYTES) {
    csv_marks marks = marks_of(record + at, reader->separator);
    if (length - at < MARKED_BYTES) {
      marks.separators &= (UINT64_C(1) << (length - at)) - 1;
      marks.special &= (UINT64_C(1) << (length - at)) - 1;
    }
    if (marks.special && !trim) {
      trim = true;
      if (memchr(record, '"', length) || memchr(record, '\0', length)) {
        return false;
      }
    }
    if (reserve_fields(reader, count + MARKED_BYTES + 1, NULL) != DPERM_OK) {
      return false;
    }
    csv_field *field = reader->fields + count;
    for (uint64_t left = marks.separators; left; left &= left - 1) {
      const char *to = record + at + (unsigned)__builtin_ctzll(left);
      *field++ = trim ? plain_field(reader, start, to)
                      : (csv_field){{start, (size_t)(to - start)}, (size_t)(start - record)};
      start = to + 1;
    }
    count = (size_t)(field - reader->fields);
  }
  reader->fields[count++] = plain_field(reader, start, next);
  reader->field_count = count;
  if (count == 1 && reader->fields[0].text.length == 0) {
    return false;
  }
  pass_record(reader, next, 0);
  return true;
}

dperm_status csv_next(csv_reader *reader, bool *found, dperm_error *err) {
  window *w = &reader->window;
  *found = false;
  for (;;) {
    reader->line = reader->next_line;
    if (!reader->by_bytes && next_plain(reader)) {
      reader->any_record = *found = true;
      return DPERM_OK;
    }
    if (w->begin == w->end && w->at_end) {
      return DPERM_OK;
    }
    scan s = {0};
    TRY(scan_record(reader, &s, err));
    CSV_FAIL_IF((s.unfinished ? window_end(w) : s.at) - reader->record > RECORD_LIMIT, reader, 0,
                err, "a record of over %d bytes; close its quote, or give a CSV file",
                RECORD_LIMIT);
    if (s.unfinished) {
      TRY(window_more(w, err));
      continue;
    }
    size_t inner_lines = reader->quotes ? count_lines(reader->record, s.at) : 0;
    if (inner_lines > 0 && !reader->within && holds_record(reader, s.at)) {
      doubt(reader, DOUBT_SPANS);
    }
    pass_record(reader, s.at, inner_lines);
    if (!s.skipped) {
      reader->any_record = *found = true;
      return DPERM_OK;
    }
    /* a blank line has one empty field */
    doubt(reader, reader->field_count == 0 ? DOUBT_COMMENTS : DOUBT_BLANKS);
  }
}
