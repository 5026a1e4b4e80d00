/* Splitting at separators and remembering texts. */
#include "read/csv_fast.h"

#include <stdlib.h>
#include <string.h>

#include "base/dispatch.h"
#include "base/memory.h"
#include "read/csv_simd.h"

dperm_status csv_fast_open(const dperm_schema *schema, const csv_columns *columns, bool need_labels,
                           csv_fast *out, dperm_error *err) {
  dperm_status status = DPERM_OK;
  *out = (csv_fast){.columns = columns, .fits = true};
  TRY_OR_DONE(memory_new(columns->count, sizeof *out->fields, &out->fields, err));
  TRY_OR_DONE(memory_new((size_t)CSV_FAST_FIELDS_KNOWN * CSV_FAST_KNOWN, sizeof *out->known,
                         &out->known, err));
  size_t before = 0, known = 0;
  for (size_t c = 0; c <= schema->column_count; c++) {
    bool label = c == schema->column_count;
    const schema_column *column = label ? NULL : &schema->columns[c];
    if (label ? !need_labels : column->type == COLUMN_IGNORE || column->type == COLUMN_LABEL) {
      continue;
    }
    size_t at = columns->field_of[c];
    out->fits = out->fits && (label || at >= before);
    before = at + 1;
    out->fields[at] = (csv_fast_field){
        .kind = label ? FIELD_LABEL : FIELD_COLUMN,
        .c = c,
        .column = column,
        .known = known < CSV_FAST_FIELDS_KNOWN ? out->known + known++ * CSV_FAST_KNOWN : NULL};
  }
done:
  if (status != DPERM_OK) {
    csv_fast_close(out);
  }
  return status;
}

void csv_fast_close(csv_fast *q) {
  free(q->fields);
  free(q->known);
  *q = (csv_fast){0};
}

/* ---- texts */

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

/* Tabs, quotes and blanks at the end need more than a look; an empty field may be a blank line. */
static bool is_usual(const csv_fast *q, slice text) {
  return text.length == 0 ? q->columns->count > 1
                          : text.start[0] > '"' && text.start[text.length - 1] > ' ';
}

/* What a field becomes, which is remembered unless it is counted; false if it is not usual. */
static bool read_field(const csv_fast *q, const dperm_schema *schema, csv_fast_field *field,
                       slice text, encoded_text *out) {
  const uint64_t bytes = bytes_of(text.start, text.length);
  while (text.length > 0 && text.start[0] == ' ') {
    text = (slice){text.start + 1, text.length - 1};
  }
  if (!is_usual(q, text)) {
    return false;
  }
  *out = (encoded_text){0, 0, 0};
  if (field->kind != FIELD_IGNORED) {
    *out = encode_text(schema, field->column, text);
  }
  if (field->known && worth_knowing(q, field) && bytes != UNKNOWABLE && out->flags <= TEXT_ENTRY) {
    field->known[place_of(bytes)] = (csv_fast_known){bytes, *out};
  }
  return !(out->flags & (TEXT_NOT_FINITE | TEXT_MALFORMED));
}

/* ---- records */

/* The row's entries so far, kept out of `rows`, whose members the compiler would write down after
 * every field. */
typedef struct new_row {
  encoder *e;
  uint32_t *columns;
  double *values;
  size_t entries;
} new_row;

/* Field i, from `at` to `to`. */
LANE_INLINE bool take_field(csv_fast *q, size_t i, const char *at, const char *to, new_row *row) {
  csv_fast_field *field = &q->fields[i];
  const slice text = {at, (size_t)(to - at)};
  const uint64_t bytes = bytes_of(at, text.length);
  const csv_fast_known *seen = field->known ? &field->known[place_of(bytes)] : &nothing_known;
  encoded_text became = seen->became;
  if (seen->text != bytes && !read_field(q, row->e->schema, field, text, &became)) {
    return false;
  }
  if (field->kind == FIELD_LABEL) {
    return encoder_label(row->e, became);
  }
  if (became.flags > TEXT_ENTRY) {
    encoder_note(row->e, field->c, became.flags);
  }
  /* Space was reserved, and what is none is written over. */
  row->columns[row->entries] = became.at;
  row->values[row->entries] = became.value;
  row->entries += became.flags & TEXT_ENTRY;
  return true;
}

/* All fields of the record from `at` to its line end, `next`. */
LANE_INLINE bool take_fields(csv_fast *q, char separator, const char *at, const char *next,
                             new_row *row) {
  const size_t last = q->columns->count - 1;
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

/* False, with nothing changed, for a record that is not usual or not whole in the window. */
static bool next_usual(csv_fast *q, encoder *e, csv_reader *csv, growing_rows *rows) {
  const window *w = &csv->window;
  const char *at = w->bytes + w->begin, *end = w->bytes + w->end;
  if (!q->fits || at == end || (csv->comment && *at == csv->comment[0]) ||
      encoder_begin(e, rows, NULL) != DPERM_OK) {
    return false;
  }
  const char *next = memchr(at, '\n', (size_t)(end - at) + 1);
  new_row row = {e, rows->columns, rows->values, e->before};
  if ((next == end && !w->at_end) || !take_fields(q, csv->separator, at, next, &row)) {
    return false;
  }
  rows->entries = row.entries;
  encoder_end(e, rows);
  pass_record(q, csv, next);
  return true;
}

dperm_status csv_fast_next(csv_fast *q, encoder *e, csv_reader *csv, growing_rows *rows,
                           bool *found, dperm_error *err) {
  *found = next_usual(q, e, csv, rows);
  if (*found) {
    return DPERM_OK;
  }
  TRY(csv_next(csv, found, err));
  return *found ? csv_columns_encode(q->columns, e, csv, rows, err) : DPERM_OK;
}
