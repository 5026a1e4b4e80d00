/* From separator to separator (read/csv_simd.h), field by field, each by memory of what its text
 * came to before, or by its kind. */
#include "read/csv_fast.h"

#include <stdlib.h>
#include <string.h>

#include "base/dispatch.h"
#include "base/memory.h"
#include "read/csv_simd.h"

static csv_fast_field field_of(const schema_column *column, size_t c, bool may_miss_zero) {
  bool number = column->type == COLUMN_NUMERIC;
  return (csv_fast_field){.kind = number ? CSV_FAST_NUMBER : CSV_FAST_CATEGORY,
                          .zero_is_nothing = number && !may_miss_zero && column->min <= 0 &&
                                             column->max >= 0 && encode_number(column, 0) == 0,
                          .c = c,
                          .column = column};
}

dperm_status csv_fast_open(encoder *e, csv_fast *out, dperm_error *err) {
  dperm_status status = DPERM_OK;
  const dperm_schema *schema = e->schema;
  *out = (csv_fast){0};
  out->e = e;
  out->fits = true;
  out->may_miss = (schema->missing.lengths & ~UINT64_C(1)) != 0;
  bool zero = lookup_may_hold(&schema->missing, slice_of("0")) ||
              lookup_may_hold(&schema->missing, slice_of("0.00"));
  TRY_OR_DONE(memory_new(e->field_count, sizeof *out->fields, &out->fields, err));
  TRY_OR_DONE(memory_new(schema->column_count, sizeof *out->clamped, &out->clamped, err));
  TRY_OR_DONE(memory_new((size_t)CSV_FAST_FIELDS_KNOWN * CSV_FAST_KNOWN, sizeof *out->known,
                         &out->known, err));
  size_t before = 0, known = 0;
  for (size_t c = 0; c < schema->column_count; c++) {
    column_type type = schema->columns[c].type;
    if (type != COLUMN_IGNORE && type != COLUMN_LABEL) {
      size_t at = e->field_of[c];
      out->fits = out->fits && at >= before;
      out->fields[at] = field_of(&schema->columns[c], c, zero);
      out->fields[at].known =
          known < CSV_FAST_FIELDS_KNOWN ? out->known + known++ * CSV_FAST_KNOWN : NULL;
      before = at + 1;
    }
  }
  if (e->need_labels) {
    csv_fast_field *label = &out->fields[e->field_of[schema->column_count]];
    label->kind = CSV_FAST_LABEL;
    label->known = known < CSV_FAST_FIELDS_KNOWN ? out->known + known * CSV_FAST_KNOWN : NULL;
  }
done:
  if (status != DPERM_OK) {
    csv_fast_close(out);
  }
  return status;
}

void csv_fast_close(csv_fast *q) {
  free(q->fields);
  free(q->clamped);
  free(q->known);
  *q = (csv_fast){0};
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

static bool add_number(const csv_fast *q, const csv_fast_field *field, slice text,
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
static bool add_field(const csv_fast *q, const csv_fast_field *field, slice text,
                      growing_rows *rows, double *label, size_t *clamped) {
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
  if (q->may_miss && field->kind != CSV_FAST_SKIP &&
      lookup_may_hold(&q->e->schema->missing, text)) {
    return false;
  }
  switch (field->kind) {
  case CSV_FAST_NUMBER:
    return add_number(q, field, text, rows, clamped);
  case CSV_FAST_CATEGORY:
    return add_category(field->column, text, rows);
  case CSV_FAST_LABEL:
    return find_label(q->e->schema, text, label);
  case CSV_FAST_SKIP:
    break;
  }
  return true;
}

/* ---- texts that were seen before */

/* The bytes of a text of one to eight as a number, another one for every text, since no byte of a
 * field is 0; UNKNOWABLE, which begins with one, for longer texts and none. The bytes behind a
 * field may be read. */
#define UNKNOWABLE (UINT64_C(1) << 56)
static const csv_fast_known nothing_known;

static inline uint64_t bytes_of(const char *text, size_t length) {
  uint64_t bytes = word_at(text) & UINT64_MAX >> (64 - 8 * length) % 64;
  return length - 1 < sizeof bytes ? bytes : UNKNOWABLE;
}

static inline size_t place_of(uint64_t bytes) {
  return bytes * UINT64_C(0x9e3779b97f4a7c15) >> 58;
}

/* Whether a field's texts are worth remembering; after a while, one in four must be found again. */
static bool worth_knowing(const csv_fast *q, csv_fast_field *field) {
  enum { WHILE = 1024 };
  field->missed++;
  if (field->missed > WHILE && field->missed > q->records / 4 * 3) {
    field->known = NULL;
  }
  return field->known != NULL;
}

/* One field, which is remembered if it is short and within its range; false if it is not usual. */
static bool learn_field(const csv_fast *q, csv_fast_field *field, slice text, growing_rows *rows,
                        double *label, size_t *clamped) {
  const size_t entry = rows->entries, clamped_before = *clamped;
  if (!add_field(q, field, text, rows, label, clamped)) {
    return false;
  }
  uint64_t bytes = bytes_of(text.start, text.length);
  if (field->known && worth_knowing(q, field) && bytes != UNKNOWABLE &&
      *clamped == clamped_before) {
    field->known[place_of(bytes)] =
        rows->entries > entry
            ? (csv_fast_known){bytes, rows->values[entry], rows->columns[entry], 1}
            : (csv_fast_known){bytes, *label, 0, 0};
  }
  return true;
}

/* The row that is being made; its entries so far are kept out of `rows`, whose members the compiler
 * would write down after every field. */
typedef struct new_row {
  growing_rows *rows;
  uint32_t *columns;
  double *values;
  size_t entries;
  double label;
  size_t clamped;
} new_row;

/* Field i, from `at` to `to`. */
LANE_INLINE bool take_field(csv_fast *q, size_t i, const char *at, const char *to, new_row *row) {
  csv_fast_field *field = &q->fields[i];
  const uint64_t bytes = bytes_of(at, (size_t)(to - at));
  const csv_fast_known *seen = field->known ? &field->known[place_of(bytes)] : &nothing_known;
  if (seen->text == bytes) {
    /* Space was reserved, and what is none is written over. */
    row->columns[row->entries] = seen->column;
    row->values[row->entries] = seen->value;
    row->entries += seen->entries;
    row->label = field->kind == CSV_FAST_LABEL ? seen->value : row->label;
    return true;
  }
  double label = row->label;
  size_t clamped = row->clamped;
  row->rows->entries = row->entries;
  bool usual = learn_field(q, field, (slice){at, (size_t)(to - at)}, row->rows, &label, &clamped);
  row->entries = row->rows->entries;
  row->label = label;
  row->clamped = clamped;
  return usual;
}

/* All fields of the record from `at` to its line end, `next`. */
LANE_INLINE bool take_fields(csv_fast *q, char separator, const char *at, const char *next,
                             new_row *row) {
  const size_t last = q->e->field_count - 1;
  size_t i = 0;
  for (const char *block = at; block < next; block += CSV_SIMD_BYTES) {
    bool nul = false;
    uint64_t marks = separators_of(block, separator, &nul);
    size_t left = (size_t)(next - block);
    marks &= left < CSV_SIMD_BYTES ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
    if (nul) {
      return false;
    }
    while (marks) {
      const char *to = block + __builtin_ctzll(marks);
      marks &= marks - 1;
      if (i == last || !take_field(q, i++, at, to, row)) {
        return false;
      }
      at = to + 1;
    }
  }
  next -= next > at && next[-1] == '\r';
  return i == last && take_field(q, i, at, next, row);
}

/* Moves the reader behind the record that ends at `next`. */
static void pass_record(csv_fast *q, csv_reader *csv, const char *next) {
  window *w = &csv->window;
  bool more = next < w->bytes + w->end;
  q->records++;
  w->begin = (size_t)(next - w->bytes) + more;
  csv->line = csv->next_line;
  csv->next_line += more;
  csv->any_record = true;
}

/* A record, from `at` to its line end, `next`. */
static bool read_record(csv_fast *q, char separator, const char *at, const char *next,
                        growing_rows *rows) {
  const size_t before = rows->entries;
  new_row row = {rows, rows->columns, rows->values, before, 0, 0};
  if (!take_fields(q, separator, at, next, &row)) {
    rows->entries = before;
    return false;
  }
  for (size_t i = 0; i < row.clamped; i++) {
    q->e->counts[q->clamped[i]].clamped++;
  }
  rows->entries = row.entries;
  encode_end(q->e->schema, rows, before, row.label);
  return true;
}

bool csv_fast_next(csv_fast *q, csv_reader *csv, growing_rows *rows) {
  const window *w = &csv->window;
  const char *at = w->bytes + w->begin, *end = w->bytes + w->end;
  if (!q->fits || at == end || (csv->comment && *at == csv->comment[0]) ||
      rows_reserve(rows, q->e->schema->column_count + 1, NULL) != DPERM_OK) {
    return false;
  }
  const char *next = memchr(at, '\n', (size_t)(end - at) + 1);
  if ((next == end && !w->at_end) || !read_record(q, csv->separator, at, next, rows)) {
    return false;
  }
  pass_record(q, csv, next);
  return true;
}
