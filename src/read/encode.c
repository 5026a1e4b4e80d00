/* Clamp, transform, scale; one-hot; missing values; the row's norm. */
#include "read/encode.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "schema/row_norm.h"

/* ---- one text */

static encoded_text entry(size_t at, double value, uint32_t flags) {
  bool any = at != SIZE_MAX && value != 0.0;
  return (encoded_text){value, (uint32_t)at, flags | (any ? TEXT_ENTRY : 0)};
}

encoded_text encode_missing(const schema_column *column) {
  return entry(column->missing_at, column->weight, TEXT_MISSING);
}

/* Clamped, transformed, scaled, weighted. */
encoded_text encode_number(const schema_column *column, double x) {
  uint32_t clamped = x < column->min || x > column->max ? TEXT_CLAMPED : 0;
  x = x < column->min ? column->min : x > column->max ? column->max : x;
  double t = column->transform == TRANSFORM_LOG1P ? log1p(x) : x;
  double scaled = (t - column->middle) / column->half;
  scaled = scaled < -1.0 ? -1.0 : scaled > 1.0 ? 1.0 : scaled;
  return entry(column->first, column->weight * scaled, clamped);
}

static encoded_text encode_category(const schema_column *column, slice text) {
  int32_t category = lookup_find(&column->values, text);
  category = category == LOOKUP_NONE ? column->other : category;
  if (category == LOOKUP_NONE) {
    return (encoded_text){0, 0, TEXT_UNKNOWN};
  }
  if (category == column->reference) {
    return (encoded_text){0, 0, 0};
  }
  bool after = column->reference != LOOKUP_NONE && category > column->reference;
  return entry(column->first + (size_t)category - after, column->weight, 0);
}

static encoded_text encode_label(const dperm_schema *schema, slice text) {
  int32_t side = lookup_find(&schema->labels, text);
  uint32_t missing = lookup_find(&schema->missing, text) != LOOKUP_NONE ? TEXT_MISSING : 0;
  side = side == LOOKUP_NONE ? schema->label_other : side;
  if (side == LOOKUP_NONE) {
    return (encoded_text){0, 0, TEXT_UNKNOWN | missing};
  }
  return (encoded_text){class_label(schema->classes.count, (size_t)side), 0, missing};
}

encoded_text encode_text(const dperm_schema *schema, const schema_column *column, slice text) {
  double x = 0;
  if (!column) {
    return encode_label(schema, text);
  }
  if (lookup_find(&schema->missing, text) != LOOKUP_NONE) {
    return encode_missing(column);
  }
  if (column->type != COLUMN_NUMERIC) {
    return encode_category(column, text);
  }
  switch (parse_double(text, &x)) {
  case NUMBER_NOT_FINITE:
    return (encoded_text){0, 0, TEXT_NOT_FINITE};
  case NUMBER_MALFORMED:
    return (encoded_text){0, 0, TEXT_MALFORMED};
  case NUMBER_OK:
  case NUMBER_OVERFLOW: /* ±infinity: a number beyond every range, clamped like any other */
    break;
  }
  return encode_number(column, x);
}

/* ---- one row */

dperm_status encoder_open(const dperm_schema *schema, bool need_labels, encoder *out,
                          dperm_error *err) {
  const size_t columns = schema->column_count;
  *out = (encoder){.schema = schema,
                   .need_labels = need_labels,
                   .known_columns = columns < KNOWN_COLUMNS ? columns + 1 : KNOWN_COLUMNS};
  TRY(memory_new(columns, sizeof *out->counts, &out->counts, err));
  return memory_new(out->known_columns, sizeof *out->known, &out->known, err);
}

void encoder_close(encoder *e) {
  free(e->counts);
  free(e->known);
  *e = (encoder){0};
}

encoded_text encoder_learn(encoder *e, size_t c, const slice *text, uint64_t bytes) {
  const dperm_schema *schema = e->schema;
  encoded_text became =
      encode_text(schema, c < schema->column_count ? &schema->columns[c] : NULL, *text);
  if (bytes) {
    *known_place(e, c, bytes) = (known_text){bytes, became};
  }
  return became;
}

dperm_status encoder_begin(encoder *e, growing_rows *rows, dperm_error *err) {
  e->before = rows->entries;
  e->label = 0;
  e->drop = false;
  return rows_reserve(rows, e->schema->column_count + 1, err);
}

/* A prediction is owed to every row, so only labelled reading drops. */
static bool drops(const encoder *e, uint32_t flags) {
  return (flags & TEXT_MISSING) && e->schema->on_missing == MISSING_DROP && e->need_labels;
}

bool encoder_label(encoder *e, encoded_text text) {
  bool dropped = drops(e, text.flags);
  e->label = text.value;
  e->drop = e->drop || dropped;
  return dropped || !(text.flags & TEXT_UNKNOWN);
}

void encoder_count(encoder *e, size_t c, uint32_t flags) {
  e->drop = e->drop || drops(e, flags);
  e->counts[c].missing += (flags & TEXT_MISSING) != 0;
  e->counts[c].unknown += (flags & TEXT_UNKNOWN) != 0;
  e->counts[c].clamped += (flags & TEXT_CLAMPED) != 0;
}

/* privacy.md 5: clip divides by max(1, ‖x‖, ρ), fixed by the largest norm the schema allows. */
static void bound_row(const dperm_schema *schema, double *values, size_t count) {
  double divisor = schema->min_divisor;
  if (schema->rows == ROWS_CLIP) {
    divisor = fmax(divisor, row_norm_upper(values, count));
  }
  if (divisor != 1.0) {
    row_scale_down(values, count, 1.0, divisor);
  }
}

void encoder_end(encoder *e, growing_rows *rows) {
  if (e->drop) {
    rows->entries = e->before;
    return;
  }
  if (e->schema->intercept) {
    rows_push(rows, e->schema->dims - 1, 1.0);
  }
  bound_row(e->schema, rows->values + e->before, rows->entries - e->before);
  rows_end(rows, e->label);
}
