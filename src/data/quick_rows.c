/* A line that came before is the same row again. Any other is read from mark to mark
 * (data/marks.h), field by field, each by memory of what its text came to before, or by its kind.
 */
#include "data/quick_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/marks.h"

static quick_field field_of(const schema_column *column, size_t c, bool may_miss_zero) {
  bool number = column->type == COLUMN_NUMERIC;
  return (quick_field){.kind = number ? QUICK_NUMBER : QUICK_CATEGORY,
                       .zero_is_nothing = number && !may_miss_zero && column->min <= 0 &&
                                          column->max >= 0 && encode_number(column, 0) == 0,
                       .c = c,
                       .column = column};
}

dperm_status quick_rows_open(encoder *e, quick_rows *out, dperm_error *err) {
  dperm_status status = DPERM_OK;
  const dperm_schema *schema = e->schema;
  *out = (quick_rows){0};
  out->e = e;
  out->fits = true;
  out->may_miss = (schema->missing.lengths & ~UINT64_C(1)) != 0;
  bool zero = lookup_may_hold(&schema->missing, slice_of("0")) ||
              lookup_may_hold(&schema->missing, slice_of("0.00"));
  TRY_OR_DONE(memory_new(e->field_count, sizeof *out->fields, &out->fields, err));
  TRY_OR_DONE(memory_new(schema->column_count, sizeof *out->clamped, &out->clamped, err));
  TRY_OR_DONE(
      memory_new((size_t)QUICK_FIELDS_KNOWN * QUICK_KNOWN, sizeof *out->known, &out->known, err));
  size_t before = 0, known = 0;
  for (size_t c = 0; c < schema->column_count; c++) {
    column_type type = schema->columns[c].type;
    if (type != COLUMN_IGNORE && type != COLUMN_LABEL) {
      size_t at = e->field_of[c];
      out->fits = out->fits && at >= before;
      out->fields[at] = field_of(&schema->columns[c], c, zero);
      out->fields[at].known =
          known < QUICK_FIELDS_KNOWN ? out->known + known++ * QUICK_KNOWN : NULL;
      before = at + 1;
    }
  }
  if (e->need_labels) {
    out->fields[e->field_of[schema->column_count]].kind = QUICK_LABEL;
  }
done:
  if (status != DPERM_OK) {
    quick_rows_close(out);
  }
  return status;
}

void quick_rows_close(quick_rows *q) {
  free(q->fields);
  free(q->clamped);
  free(q->known);
  *q = (quick_rows){0};
}

static bool digit(char c) {
  return c >= '0' && c <= '9';
}

/* One digit, or d.dd, or whatever parse_double takes. */
static bool number(slice text, double *out) {
  const char *s = text.start;
  if (text.length == 1 && digit(s[0])) {
    *out = s[0] - '0';
    return true;
  }
  if (text.length == 4 && s[1] == '.' && digit(s[0]) && digit(s[2]) && digit(s[3])) {
    *out = ((s[0] - '0') * 100 + (s[2] - '0') * 10 + (s[3] - '0')) / 100.0;
    return true;
  }
  return parse_double(text, out) == NUMBER_OK;
}

/* "0" or "0.00", as most numbers of sparse records are. The bytes behind a field may be read. */
static bool is_zero(slice text) {
  uint32_t four = 0, zero = 0;
  memcpy(&four, text.start, sizeof four);
  memcpy(&zero, "0.00", sizeof zero);
  return (text.length == 1 && text.start[0] == '0') || (text.length == 4 && four == zero);
}

static bool add_number(const quick_rows *q, const quick_field *field, slice text,
                       growing_rows *rows, size_t *clamped) {
  const schema_column *column = field->column;
  double x = 0;
  if (!number(text, &x)) {
    return false;
  }
  if (x < column->min || x > column->max) {
    q->clamped[(*clamped)++] = field->c;
  }
  double value = encode_number(column, x);
  if (value != 0.0) {
    rows_push(rows, column->first, value);
  }
  return true;
}

static bool add_category(const schema_column *column, slice text, growing_rows *rows) {
  int32_t category = lookup_find(&column->values, text);
  category = category == LOOKUP_NONE ? column->other : category;
  if (category == LOOKUP_NONE) {
    return false;
  }
  if (category != column->reference && column->weight != 0.0) {
    rows_push(rows, encoded_column(column, category), column->weight);
  }
  return true;
}

static bool find_label(const dperm_schema *schema, slice text, double *label) {
  int32_t side = lookup_find(&schema->labels, text);
  side = side == LOOKUP_NONE ? schema->label_other : side;
  *label = class_label(schema->classes.count, side == LOOKUP_NONE ? 0 : (size_t)side);
  return side != LOOKUP_NONE;
}

/* One field; false if it is not usual. */
static bool add_field(const quick_rows *q, const quick_field *field, slice text, growing_rows *rows,
                      double *label, size_t *clamped) {
  if (field->zero_is_nothing && is_zero(text)) {
    return true;
  }
  while (text.length > 0 && text.start[0] == ' ') {
    text = (slice){text.start + 1, text.length - 1};
  }
  /* Tabs, quotes, blanks at the end and fields of nothing: all of them below '#'. */
  if (text.length == 0 || text.start[0] <= '"' || text.start[text.length - 1] <= ' ') {
    return false;
  }
  if (q->may_miss && field->kind != QUICK_SKIP && lookup_may_hold(&q->e->schema->missing, text)) {
    return false;
  }
  switch (field->kind) {
  case QUICK_NUMBER:
    return add_number(q, field, text, rows, clamped);
  case QUICK_CATEGORY:
    return add_category(field->column, text, rows);
  case QUICK_LABEL:
    return find_label(q->e->schema, text, label);
  case QUICK_SKIP:
    break;
  }
  return true;
}

/* ---- texts that were seen before */

/* The bytes of a text of one to eight as a number: another one for every text, since no byte of a
 * field is 0 (marks end at those). The bytes behind a field may be read. */
static uint64_t bytes_of(slice text) {
  uint64_t bytes = 0;
  memcpy(&bytes, text.start, sizeof bytes);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  bytes = __builtin_bswap64(bytes);
#endif
  return bytes & UINT64_MAX >> (64 - 8 * text.length);
}

static size_t place_of(uint64_t bytes) {
  return bytes * UINT64_C(0x9e3779b97f4a7c15) >> 58;
}

/* Whether a field's texts are worth remembering; after a while, one in four must be found again. */
static bool worth_knowing(const quick_rows *q, quick_field *field) {
  enum { WHILE = 1024 };
  field->missed++;
  if (field->missed > WHILE && field->missed > q->records / 4 * 3) {
    field->known = NULL;
  }
  return field->known != NULL;
}

/* One field, which is remembered if it is short and within its range; false if it is not usual. */
static bool learn_field(const quick_rows *q, quick_field *field, slice text, growing_rows *rows,
                        double *label, size_t *clamped) {
  const size_t entry = rows->entries, clamped_before = *clamped;
  if (!add_field(q, field, text, rows, label, clamped)) {
    return false;
  }
  if (field->known && worth_knowing(q, field) && text.length > 0 &&
      text.length <= sizeof(uint64_t) && *clamped == clamped_before) {
    uint64_t bytes = bytes_of(text);
    field->known[place_of(bytes)] =
        rows->entries > entry ? (quick_known){bytes, rows->values[entry], rows->columns[entry], 1}
                              : (quick_known){bytes, 0, 0, 0};
  }
  return true;
}

/* All fields of the record; *next is its line end. */
static bool add_fields(quick_rows *q, csv_reader *csv, growing_rows *rows, double *label,
                       size_t *clamped, const char **next) {
  const char *bytes = csv->window.bytes, *end = bytes + csv->window.end;
  const char separator = csv->separator, *at = bytes + csv->window.begin;
  size_t begin = csv->window.begin, last = q->e->field_count - 1;
  static const quick_known nothing;
  uint32_t *columns = rows->columns;
  double *values = rows->values;
  size_t entries = rows->entries;
  bool marked = begin - csv->marks_at < MARKS;
  size_t marks_at = marked ? csv->marks_at : begin;
  uint64_t marks =
      marked ? csv->marks >> (begin - marks_at) << (begin - marks_at) : marks_of(at, separator);
  for (size_t i = 0; i <= last; i++) {
    while (!marks) {
      marks_at += MARKS;
      if (bytes + marks_at > end) {
        return false;
      }
      marks = marks_of(bytes + marks_at, separator);
    }
    const char *to = bytes + marks_at + __builtin_ctzll(marks);
    marks &= marks - 1;
    slice text = {at, (size_t)(to - at)};
    if (i == last && text.length > 0 && to[-1] == '\r') {
      text.length--;
    }
    if (*to != (i < last ? separator : '\n')) {
      return false;
    }
    at = to + 1;
    quick_field *field = &q->fields[i];
    uint64_t short_text = text.length - 1 < sizeof short_text ? bytes_of(text) : 0;
    const quick_known *seen = field->known ? &field->known[place_of(short_text)] : &nothing;
    if (seen->text == short_text && short_text != 0) {
      columns[entries] = seen->column; /* room was reserved, and what is none is written over */
      values[entries] = seen->value;
      entries += seen->entries;
    } else {
      rows->entries = entries;
      if (!learn_field(q, field, text, rows, label, clamped)) {
        return false;
      }
      entries = rows->entries;
    }
  }
  *next = at - 1;
  rows->entries = entries;
  csv->marks_at = marks_at;
  csv->marks = marks;
  return true;
}

/* Moves the reader behind the record that ends at `next`. */
static void pass_record(quick_rows *q, csv_reader *csv, const char *next) {
  window *w = &csv->window;
  bool more = next < w->bytes + w->end;
  q->records++;
  w->begin = (size_t)(next - w->bytes) + more;
  csv->line = csv->next_line;
  csv->next_line += more;
  csv->any_record = true;
}

/* The line from `at` on, whose fields are all new. */
static bool read_record(quick_rows *q, csv_reader *csv, growing_rows *rows, size_t *clamped) {
  const window *w = &csv->window;
  const char *next = NULL;
  const size_t before = rows->entries;
  double label = 0;
  if (!add_fields(q, csv, rows, &label, clamped, &next) ||
      (next == w->bytes + w->end && !w->at_end)) {
    rows->entries = before;
    return false;
  }
  for (size_t i = 0; i < *clamped; i++) {
    q->e->counts[q->clamped[i]].clamped++;
  }
  encode_end(q->e->schema, rows, before, label);
  pass_record(q, csv, next);
  return true;
}

bool quick_rows_next(quick_rows *q, csv_reader *csv, growing_rows *rows) {
  const window *w = &csv->window;
  const char *at = w->bytes + w->begin, *end = w->bytes + w->end;
  size_t clamped = 0;
  if (!q->fits || at == end || (csv->comment && *at == csv->comment[0]) ||
      rows_reserve(rows, q->e->schema->column_count + 1, NULL) != DPERM_OK) {
    return false;
  }
  if (!known_records_looks(&q->lines)) {
    return read_record(q, csv, rows, &clamped);
  }
  const char *next = memchr(at, '\n', (size_t)(end - at) + 1);
  const size_t length = (size_t)(next - at);
  known_record *known = known_records_place(&q->lines, csv, at, length);
  if (known_records_holds(&q->lines, known, at, length) && (next < end || w->at_end)) {
    rows_repeat(rows, known->row);
    pass_record(q, csv, next);
    return true;
  }
  if (!read_record(q, csv, rows, &clamped)) {
    return false;
  }
  if (clamped == 0) { /* else each of them counts */
    *known = (known_record){at, length, rows->count - 1};
  }
  return true;
}
