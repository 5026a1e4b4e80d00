/* Clamp, transform, scale; one-hot: categories, bins, pairs; missing values; the row's norm. */
#include "read/encode.h"

#include <math.h>
#include <stdlib.h>

#include "base/defect.h"
#include "base/memory.h"
#include "schema/row_norm.h"

/* ---- one text */

static encoded_text entry(size_t at, double value, uint32_t flags) {
  bool any = at != SIZE_MAX && value != 0.0;
  return (encoded_text){value, (uint32_t)at, flags | (any ? TEXT_ENTRY : 0)};
}

/* The entry of a value that crosses tell apart. */
static encoded_text entry_of_level(const schema_column *column, size_t level, size_t at,
                                   uint32_t flags) {
  return entry(at, column->weight,
               flags | (column->crossed ? TEXT_LEVEL * (uint32_t)(level + 1) : 0));
}

encoded_text encode_missing(const schema_column *column) {
  return column->missing_at == SIZE_MAX
             ? (encoded_text){0, 0, TEXT_MISSING}
             : entry_of_level(column, column->levels - 1, column->missing_at, TEXT_MISSING);
}

/* In [−1, 1]. */
static double scaled(const schema_column *column, double x) {
  double s = (column_transformed(column, x) - column->middle) / column->half;
  return s < -1.0 ? -1.0 : s > 1.0 ? 1.0 : s;
}

/* How many of the cuts are at most x. */
static size_t bin_of(const schema_column *column, double x) {
  size_t low = 0, high = column->cut_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (column->cuts[middle] <= x) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Clamped; then its bin, or transformed, scaled and weighted, or both. */
encoded_text encode_number(const schema_column *column, double x) {
  uint32_t clamped = x < column->min || x > column->max ? TEXT_CLAMPED : 0;
  x = x < column->min ? column->min : x > column->max ? column->max : x;
  if (!column->binned) {
    return entry(column->first, column->weight * scaled(column, x), clamped);
  }
  size_t bin = bin_of(column, x);
  encoded_text text = entry_of_level(column, bin, column->block + bin, clamped);
  if (column->block > column->first) {
    text.value = column->line * scaled(column, x);
    text.flags |= TEXT_LINE;
  }
  return text;
}

static encoded_text encode_category(const schema_column *column, slice text) {
  int32_t category = lookup_find(&column->values, text);
  category = category == LOOKUP_NONE ? column->other : category;
  if (category == LOOKUP_NONE) {
    return (encoded_text){0, 0, TEXT_UNKNOWN};
  }
  bool after = column->reference != LOOKUP_NONE && category > column->reference;
  size_t at = category == column->reference ? SIZE_MAX : column->first + (size_t)category - after;
  return entry_of_level(column, (size_t)category, at, 0);
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
  TRY(schema_check_resolved(schema, err));
  if (schema->cross_count > 0) {
    TRY(memory_new(columns, sizeof *out->levels, &out->levels, err));
  }
  TRY(memory_new(columns, sizeof *out->counts, &out->counts, err));
  return memory_new(out->known_columns, sizeof *out->known, &out->known, err);
}

void encoder_close(encoder *e) {
  free(e->counts);
  free(e->known);
  free(e->levels);
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
  if (e->levels && !DEFECT("level-kept")) { /* no row may know what the one before it had */
    memset(e->levels, 0, e->schema->column_count * sizeof *e->levels);
  }
  /* and one that is written over: csv_columns.c writes before it knows whether there is an entry */
  return rows_reserve(rows, e->schema->most_entries + 1, err);
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
  if (flags >= TEXT_LEVEL) {
    e->levels[c] = flags / TEXT_LEVEL;
  }
}

/* A pair has an entry if both columns have a level. */
static void add_crosses(const encoder *e, growing_rows *rows) {
  const dperm_schema *schema = e->schema;
  for (size_t i = 0; i < schema->cross_count; i++) {
    const schema_cross *cross = &schema->crosses[i];
    size_t a = e->levels[cross->columns[0]], b = e->levels[cross->columns[1]];
    if (a > 0 && b > 0) {
      rows_push(rows, cross->first + (a - 1) * schema->columns[cross->columns[1]].levels + b - 1,
                cross->weight);
    }
  }
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
  add_crosses(e, rows);
  if (e->schema->intercept) {
    rows_push(rows, e->schema->dims - 1, 1.0);
  }
  bound_row(e->schema, rows->values + e->before, rows->entries - e->before);
  rows_end(rows, e->label);
}
