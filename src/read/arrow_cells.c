/* See arrow_cells.h. A value is a number where the schema and the type say so, else a text; what a
 * text is to the schema is looked up once for each of those that a piece has last seen. */
#include "read/arrow_cells.h"

#include <math.h>
#include <xxhash.h>

#include "base/memory.h"
#include "schema/schema.h"

static const size_t absent = SIZE_MAX;

/* ---- which columns there are */

static dperm_status find_child(const struct ArrowSchema *columns, const char *name, bool needed,
                               size_t *out, dperm_error *err) {
  *out = absent;
  for (size_t c = 0; c < (size_t)columns->n_children; c++) {
    const char *own = columns->children[c]->name;
    if (strcmp(own ? own : "", name) == 0) {
      FAIL_IF(*out != absent, err, DPERM_INVALID_DATA,
              "the data have several columns \"%.64s\"; keep the one that is meant", name);
      *out = c;
    }
  }
  FAIL_IF(needed && *out == absent, err, DPERM_INVALID_DATA,
          "the data have no column \"%.64s\" that the schema lists; add it, or mend the schema",
          name);
  return DPERM_OK;
}

/* The texts for "missing" that are numbers: in a numeric column such a number is none however it
 * comes, since the same column may be of numbers or of texts. */
static dperm_status find_missing(arrow_fields *f, dperm_error *err) {
  const lookup *texts = &f->schema->missing;
  TRY(memory_new(texts->count, sizeof *f->missing, &f->missing, err));
  for (size_t t = 0; t < texts->capacity; t++) {
    const lookup_entry *e = &texts->places[t];
    double x = 0;
    if (e->text && parse_double((slice){e->text, e->length}, &x) == NUMBER_OK) {
      f->missing[f->missing_count++] = x;
    }
  }
  return DPERM_OK;
}

static dperm_status open_field(const arrow_fields *f, const struct ArrowSchema *columns,
                               size_t place, arrow_field *out, dperm_error *err) {
  const dperm_schema *schema = f->schema;
  const bool label = place == schema->column_count, person = place == schema->person;
  const schema_column *column = label ? schema->target : &schema->columns[place];
  *out = (arrow_field){.child = absent,
                       .place = place,
                       .column = person ? NULL : column,
                       .name = label ? schema->label_column : schema->columns[place].name};
  /* predictions need neither whose a record is nor its group */
  const bool asked = f->need_labels || !(label || person);
  const bool needed = f->need_labels || (asked && column->type != COLUMN_GROUP);
  if (!asked || (label && f->given->labels)) {
    return DPERM_OK;
  }
  TRY(find_child(columns, out->name, needed, &out->child, err));
  if (out->child != absent) {
    TRY(arrow_type_of(columns->children[out->child], out->name, &out->type, err));
    FAIL_IF(label && schema->target && out->type.values == ARROW_BOOL, err, DPERM_INVALID_DATA,
            "column \"%.64s\" is of booleans, and the label is a number; give numbers", out->name);
  }
  return DPERM_OK;
}

dperm_status arrow_fields_open(const dperm_schema *schema, bool need_labels, bool prints,
                               const dperm_arrow *given, const struct ArrowSchema *columns,
                               arrow_fields *out, dperm_error *err) {
  OWNED(arrow_fields_close)
  arrow_fields f = {.schema = schema, .need_labels = need_labels, .prints = prints, .given = given};
  OWNED(table_layout_clear) table_layout layout = {0};
  TRY(table_layout_of(schema, &layout, err));
  f.count = layout.count;
  f.features = layout.count - 1 - (schema->person != NO_PERSON);
  TRY(find_missing(&f, err));
  TRY(memory_new(f.count, sizeof *f.at, &f.at, err));
  for (size_t k = 0; k < f.count; k++) {
    TRY(open_field(&f, columns, layout.places[k], &f.at[k], err));
  }
  *out = f;
  f.at = NULL;
  f.missing = NULL;
  return DPERM_OK;
}

void arrow_fields_close(arrow_fields *f) {
  free(f->at);
  free(f->missing);
  *f = (arrow_fields){0};
}

/* ---- space */

enum { SEEN_TEXTS = 64, SEEN_LENGTH = 40 };

/* A text and what it is in its column, so that it need not be looked up again: most columns hold
 * few different ones. */
struct seen_text {
  char text[SEEN_LENGTH];
  uint32_t length, flags;
  bool known;
  double value, given;
};

dperm_status arrow_slot_open(const arrow_fields *f, record_batch *batch, arrow_slot *out,
                             dperm_error *err) {
  *out = (arrow_slot){.batch = batch};
  TRY(cell_reader_open(f->schema, f->need_labels, &out->cells, err));
  TRY(batch_reserve(batch, f->count, ARROW_PIECE, err));
  TRY(memory_new(f->count * SEEN_TEXTS, sizeof *out->seen, &out->seen, err));
  TRY(row_fingerprinter_open(f->features, &out->printer, err));
  TRY(memory_new(ARROW_PIECE, sizeof *out->prints, &out->prints, err));
  TRY(memory_new(f->features, ARROW_PIECE * sizeof *out->given, &out->given, err));
  return memory_new(ARROW_PIECE, sizeof *out->drop, &out->drop, err);
}

void arrow_slot_close(arrow_slot *slot) {
  cell_reader_close(&slot->cells);
  row_fingerprinter_close(&slot->printer);
  free(slot->seen);
  free(slot->prints);
  free(slot->given);
  free(slot->drop);
}

/* ---- values */

typedef struct value {
  enum { VALUE_MISSING, VALUE_NUMBER, VALUE_TEXT } kind;
  double number;
  slice text;
  char digits[ARROW_DIGITS];
} value;

/* What a record says of a column, with what its print has of it. */
typedef struct known_value {
  cell_value is;
  double given;
} known_value;

/* Of one column, or of labels beside the stream. */
typedef struct origin {
  const arrow_field *field;
  arrow_column column;
  const dperm_column *labels;
} origin;

/* The place, never the content: a log is not a release. */
static dperm_status fail_value(const origin *from, size_t row, const char *why, dperm_error *err) {
  FAIL(err, DPERM_INVALID_DATA, "row %zu of column \"%.64s\" %s", row, from->field->name, why);
}

static dperm_status label_beside(const origin *from, size_t row, value *out, dperm_error *err) {
  const dperm_column *given = from->labels;
  const size_t place = row * (given->stride ? given->stride : 1);
  if (given->numbers) {
    out->kind = isnan(given->numbers[place]) ? VALUE_MISSING : VALUE_NUMBER;
    out->number = given->numbers[place];
    return DPERM_OK;
  }
  const int32_t code = given->codes[place];
  RETURN_IF(code < -1 || (code >= 0 && (size_t)code >= given->text_count),
            fail_value(from, row, "has the code of no text", err));
  out->kind = code < 0 ? VALUE_MISSING : VALUE_TEXT;
  out->text = code < 0 ? (slice){"", 0} : slice_of(given->texts[code]);
  return DPERM_OK;
}

static dperm_status value_of(const origin *from, size_t i, size_t row, value *out,
                             dperm_error *err) {
  const arrow_values *in = NULL;
  size_t at = 0;
  if (from->labels) {
    return label_beside(from, row, out, err);
  }
  arrow_found found = arrow_find(&from->column, i, &in, &at);
  const bool text = in->form >= ARROW_TEXT;
  if (found == ARROW_FOUND && text) {
    out->kind = VALUE_TEXT;
    found = arrow_text(in, at, &out->text);
  } else if (found == ARROW_FOUND && from->field->column &&
             from->field->column->type == COLUMN_NUMERIC) {
    out->number = arrow_number(in, at);
    out->kind = isnan(out->number) ? VALUE_MISSING : VALUE_NUMBER;
  } else if (found == ARROW_FOUND) {
    bool lost = false;
    out->kind = VALUE_TEXT;
    out->text = arrow_number_text(in, at, out->digits, &lost);
    RETURN_IF(lost,
              fail_value(from, row,
                         "is a whole number from 2^53 on as a float, which may have lost digits; "
                         "give integers, or texts",
                         err));
    found = out->text.length == 0 ? ARROW_MISSING : ARROW_FOUND; /* NaN */
  }
  FAIL_IF(found == ARROW_UNSOUND, err, DPERM_INVALID_DATA,
          "column \"%.64s\" is no sound Arrow array: row %zu lies outside of its %s",
          from->field->name, row, text ? "buffers" : "dictionary");
  if (found == ARROW_MISSING) {
    out->kind = VALUE_MISSING;
  } else if (text) {
    out->text = slice_trim(out->text);
  }
  return DPERM_OK;
}

/* That a text is one that other doors could bring. */
static dperm_status check_text(const origin *from, size_t row, slice text, dperm_error *err) {
  uint32_t code = 0;
  for (size_t at = 0, length = 0; at < text.length; at += length) {
    const slice rest = {text.start + at, text.length - at};
    RETURN_IF(*rest.start == '\0', fail_value(from, row, "is a text with a NUL character", err));
    length = text_character(rest.start, rest.length, &code);
    RETURN_IF(length == 0, fail_value(from, row, "is a text that is not UTF-8", err));
  }
  return DPERM_OK;
}

static bool is_missing(const arrow_fields *f, double x) {
  for (size_t m = 0; m < f->missing_count; m++) {
    if (x == f->missing[m]) {
      return true;
    }
  }
  return false;
}

static known_value missing_in(const arrow_field *field) {
  return (known_value){cell_missing(field->column), row_fingerprint_missing()};
}

static known_value known_number(const arrow_fields *f, const arrow_field *field, double x) {
  return is_missing(f, x) ? missing_in(field) : (known_value){cell_of_number(field->column, x), x};
}

static dperm_status learn_text(const arrow_fields *f, const origin *from, size_t row, slice text,
                               known_value *out, dperm_error *err) {
  const arrow_field *field = from->field;
  const bool label = field->place == f->schema->column_count;
  double x = 0;
  TRY(check_text(from, row, text, err));
  if (field->column && field->column->type == COLUMN_NUMERIC &&
      parse_double(text, &x) == NUMBER_OK && is_missing(f, x)) {
    *out = missing_in(field);
    return DPERM_OK;
  }
  *out = (known_value){cell_of_text(f->schema, label ? NULL : field->column, text),
                       row_fingerprint_text(text)};
  RETURN_IF(out->is.flags & (TEXT_NOT_FINITE | TEXT_MALFORMED),
            fail_value(from, row,
                       "is a text that is not a finite number; mend it, or list the text under "
                       "\"missing\"",
                       err));
  return DPERM_OK;
}

static dperm_status known_text_of(const arrow_fields *f, const origin *from, size_t row, slice text,
                                  seen_text *seen, known_value *out, dperm_error *err) {
  if (text.length > SEEN_LENGTH) {
    return learn_text(f, from, row, text, out, err);
  }
  seen_text *s = &seen[XXH3_64bits(text.start, text.length) % SEEN_TEXTS];
  if (!s->known || s->length != text.length || memcmp(s->text, text.start, text.length) != 0) {
    TRY(learn_text(f, from, row, text, out, err));
    *s = (seen_text){.length = (uint32_t)text.length,
                     .flags = out->is.flags,
                     .known = true,
                     .value = out->is.value,
                     .given = out->given};
    memcpy(s->text, text.start, text.length);
  }
  *out = (known_value){{s->value, s->flags}, s->given};
  return DPERM_OK;
}

static dperm_status know(const arrow_fields *f, const origin *from, size_t row, const value *v,
                         seen_text *seen, known_value *out, dperm_error *err) {
  if (v->kind == VALUE_TEXT) {
    return known_text_of(f, from, row, v->text, seen, out, err);
  }
  RETURN_IF(v->kind == VALUE_NUMBER && isinf(v->number),
            fail_value(from, row, "is infinite; give a number", err));
  *out =
      v->kind == VALUE_MISSING ? missing_in(from->field) : known_number(f, from->field, v->number);
  return DPERM_OK;
}

/* ---- columns of a piece */

static dperm_status fill_feature(const arrow_fields *f, arrow_slot *slot, const origin *from,
                                 size_t k, dperm_error *err) {
  double *to = slot->batch->cells + k * slot->batch->capacity;
  const arrow_piece *p = &slot->piece;
  for (size_t i = 0; i < p->count; i++) {
    value v = {.kind = VALUE_MISSING};
    known_value known = missing_in(from->field);
    if (from->field->child != absent) {
      TRY(value_of(from, p->first + i, p->row + i, &v, err));
      TRY(know(f, from, p->row + i, &v, slot->seen + k * SEEN_TEXTS, &known, err));
    }
    to[i] = known.is.value;
    slot->given[i * f->features + k] = known.given;
    if (known.is.flags) {
      cell_count(&slot->cells, from->field->place, known.is.flags);
      slot->drop[i] = slot->drop[i] || cell_drops(&slot->cells, known.is.flags);
    }
  }
  return DPERM_OK;
}

static dperm_status fill_person(const arrow_fields *f, arrow_slot *slot, const origin *from,
                                size_t k, dperm_error *err) {
  double *to = slot->batch->cells + k * slot->batch->capacity;
  const arrow_piece *p = &slot->piece;
  for (size_t i = 0; i < p->count; i++) {
    value v = {.kind = VALUE_MISSING};
    to[i] = 0;
    if (from->field->child != absent) {
      TRY(value_of(from, p->first + i, p->row + i, &v, err));
      RETURN_IF(v.kind == VALUE_MISSING || v.text.length == 0 ||
                    lookup_find(&f->schema->missing, v.text) != LOOKUP_NONE,
                fail_value(from, p->row + i,
                           "does not say whose record it is; give each person a name or number",
                           err));
      TRY(check_text(from, p->row + i, v.text, err));
      TRY(batch_name(slot->batch, v.text, &to[i], err));
    }
  }
  return DPERM_OK;
}

static dperm_status fill_label(const arrow_fields *f, arrow_slot *slot, const origin *from,
                               size_t k, dperm_error *err) {
  double *to = slot->batch->cells + k * slot->batch->capacity;
  const arrow_piece *p = &slot->piece;
  for (size_t i = 0; i < p->count; i++) {
    value v = {.kind = VALUE_MISSING};
    known_value known = {cell_missing(NULL), 0};
    to[i] = 0;
    if (!f->need_labels) {
      continue;
    }
    TRY(value_of(from, p->first + i, p->row + i, &v, err));
    if (v.kind != VALUE_MISSING) {
      TRY(know(f, from, p->row + i, &v, slot->seen + k * SEEN_TEXTS, &known, err));
    }
    if (isnan(known.is.value)) { /* a number that the schema lists as missing */
      known.is = cell_missing(NULL);
    }
    const bool drop = cell_drops(&slot->cells, known.is.flags);
    FAIL_IF(known.is.flags & TEXT_UNKNOWN && !drop, err, DPERM_INVALID_DATA,
            f->schema->target
                ? "the label of row %zu is missing (column \"%.64s\"); give a number, or leave the "
                  "record out"
                : "the label of row %zu is not one that the schema lists; add it to the schema's "
                  "\"label\" (column \"%.64s\"), or mend it",
            p->row + i, from->field->name);
    to[i] = known.is.value;
    slot->drop[i] = slot->drop[i] || drop;
  }
  return DPERM_OK;
}

static dperm_status fill_column(const arrow_fields *f, arrow_slot *slot, size_t k,
                                dperm_error *err) {
  const struct ArrowArray *batch = slot->piece.batch;
  origin from = {.field = &f->at[k]};
  if (from.field->place == f->schema->column_count) {
    from.labels = f->given->labels;
  }
  if (from.field->child != absent) {
    TRY(arrow_column_of(&from.field->type, batch->children[from.field->child],
                        (size_t)(batch->offset + batch->length), from.field->name, &from.column,
                        err));
    from.column.own.offset += (size_t)batch->offset;
  }
  return (k < f->features     ? fill_feature
          : k + 1 == f->count ? fill_label
                              : fill_person)(f, slot, &from, k, err);
}

/* Without the records that the schema drops. */
static void keep_records(const arrow_fields *f, arrow_slot *slot) {
  record_batch *b = slot->batch;
  for (size_t i = 0; i < slot->piece.count; i++) {
    if (slot->drop[i]) {
      continue;
    }
    for (size_t k = 0; k < f->count && b->count < i; k++) {
      b->cells[k * b->capacity + b->count] = b->cells[k * b->capacity + i];
    }
    if (f->prints) {
      slot->prints[b->count] =
          row_fingerprint_of(&slot->printer, NULL, slot->given + i * f->features, f->features);
    }
    b->count++;
  }
}

void arrow_slot_fill(const arrow_fields *f, arrow_slot *slot) {
  record_batch *b = slot->batch;
  b->count = b->names_used = 0;
  b->prints = f->prints ? slot->prints : NULL;
  memset(slot->drop, 0, slot->piece.count * sizeof *slot->drop);
  slot->status = DPERM_OK;
  for (size_t k = 0; slot->status == DPERM_OK && k < f->count; k++) {
    slot->status = fill_column(f, slot, k, &slot->why);
  }
  if (slot->status == DPERM_OK) {
    keep_records(f, slot);
  }
}
