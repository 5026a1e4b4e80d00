/* Clamp, transform, scale; one-hot; missing values; the row's norm. */
#include "read/encode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "schema/row_norm.h"

/* ---- where the columns are */

static const size_t absent = SIZE_MAX;

static dperm_status find_in_header(const csv_reader *csv, const char *name, size_t *at,
                                   dperm_error *err) {
  *at = absent;
  for (size_t i = 0; i < csv->field_count; i++) {
    if (slice_is(csv->fields[i].text, name)) {
      if (*at != absent) {
        return csv_fail_at(csv, csv->fields[i].offset, err,
                           "the header names column \"%.64s\" twice; rename one", name);
      }
      *at = i;
    }
  }
  return DPERM_OK;
}

static dperm_status map_header(encoder *e, const csv_reader *csv, dperm_error *err) {
  const dperm_schema *schema = e->schema;
  e->field_count = csv->field_count;
  for (size_t c = 0; c < schema->column_count; c++) {
    const schema_column *column = &schema->columns[c];
    if (column->type == COLUMN_LABEL) {
      e->field_of[c] = absent;
      continue;
    }
    TRY(find_in_header(csv, column->name, &e->field_of[c], err));
    if (e->field_of[c] == absent && column->type != COLUMN_IGNORE) {
      return csv_fail_at(csv, 0, err,
                         "the header has no column \"%.64s\" that the schema lists; add it, or "
                         "set \"header\": false",
                         column->name);
    }
  }
  size_t *label = &e->field_of[schema->column_count];
  TRY(find_in_header(csv, schema->label_column, label, err));
  if (*label == absent && e->need_labels) {
    return csv_fail_at(csv, 0, err, "the header has no label column \"%.64s\"; add it",
                       schema->label_column);
  }
  return DPERM_OK;
}

/* Without a header the columns stand as the schema lists them, the label's possibly left out. */
static void map_positions(encoder *e, const csv_reader *csv) {
  const dperm_schema *schema = e->schema;
  bool unlabelled = !e->need_labels && csv->field_count + 1 == schema->column_count;
  size_t at = 0;
  for (size_t c = 0; c < schema->column_count; c++) {
    if (schema->columns[c].type == COLUMN_LABEL) {
      e->field_of[c] = absent;
      e->field_of[schema->column_count] = unlabelled ? absent : at++;
    } else {
      e->field_of[c] = at++;
    }
  }
  e->field_count = at;
}

dperm_status encoder_open(const dperm_schema *schema, bool need_labels, csv_reader *csv,
                          encoder *out, bool *first, dperm_error *err) {
  dperm_status status = DPERM_OK;
  encoder e = {.schema = schema, .need_labels = need_labels};
  bool found = false;
  *first = false;
  TRY_OR_DONE(memory_new(schema->column_count + 1, sizeof *e.field_of, &e.field_of, err));
  TRY_OR_DONE(memory_new(schema->column_count, sizeof *e.counts, &e.counts, err));
  TRY_OR_DONE(csv_next(csv, &found, err));
  if (!found) {
    FAIL_AND_DONE(err, DPERM_INVALID_DATA, "%s: no rows; give a file with records",
                  path_for_people(csv->path));
  }
  if (schema->header) {
    TRY_OR_DONE(map_header(&e, csv, err));
  } else {
    map_positions(&e, csv);
    *first = true;
  }
  *out = e;
  return DPERM_OK;
done:
  encoder_close(&e);
  return status;
}

void encoder_close(encoder *e) {
  free(e->field_of);
  free(e->counts);
  *e = (encoder){0};
}

/* ---- one value */

/* Messages name the column and the place, never the content: a log is not a release. */
static dperm_status encode_numeric(const schema_column *column, const csv_reader *csv,
                                   const csv_field *field, dperm_unsafe_column_counts *counts,
                                   double *out, dperm_error *err) {
  double x = 0;
  switch (parse_double(field->text, &x)) {
  case NUMBER_OK:
  case NUMBER_OVERFLOW: /* ±infinity: a number beyond every range, clamped like any other */
    break;
  case NUMBER_NOT_FINITE:
    return csv_fail_at(csv, field->offset, err,
                       "column \"%.64s\" holds NaN or infinity; give a number, or list the text "
                       "under \"missing\"",
                       column->name);
  case NUMBER_MALFORMED:
    return csv_fail_at(csv, field->offset, err,
                       "column \"%.64s\" is not a number; mend it, or list the text under "
                       "\"missing\"",
                       column->name);
  }
  counts->clamped += x < column->min || x > column->max;
  *out = encode_number(column, x);
  return DPERM_OK;
}

size_t encode_category(const schema_column *column, slice text, size_t *unknown) {
  int32_t category = lookup_find(&column->values, text);
  if (category == LOOKUP_NONE) {
    category = column->other;
  }
  if (category == LOOKUP_NONE) {
    ++*unknown;
    return absent;
  }
  if (category == column->reference) {
    return absent;
  }
  return encoded_column(column, category);
}

static dperm_status encode_label(const encoder *e, const csv_reader *csv, double *label,
                                 dperm_error *err) {
  const csv_field *field = &csv->fields[e->field_of[e->schema->column_count]];
  int32_t side = lookup_find(&e->schema->labels, field->text);
  side = side == LOOKUP_NONE ? e->schema->label_other : side;
  if (side == LOOKUP_NONE) {
    return csv_fail_at(csv, field->offset, err,
                       "the label in column \"%.64s\" is not one that the schema lists; add it "
                       "to the schema's \"label\", or mend it",
                       e->schema->label_column);
  }
  *label = class_label(e->schema->classes.count, (size_t)side);
  return DPERM_OK;
}

/* ---- one row */

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

void encode_end(const dperm_schema *schema, growing_rows *rows, size_t before, double label) {
  if (schema->intercept) {
    rows_push(rows, schema->dims - 1, 1.0);
  }
  bound_row(schema, rows->values + before, rows->entries - before);
  rows_end(rows, label);
}

static bool is_missing(const dperm_schema *schema, slice text) {
  return lookup_find(&schema->missing, text) != LOOKUP_NONE;
}

dperm_status encoder_add(encoder *e, const csv_reader *csv, growing_rows *rows, dperm_error *err) {
  const dperm_schema *schema = e->schema;
  if (csv->field_count != e->field_count) {
    return csv_fail_at(csv, 0, err,
                       "%zu fields where %zu are expected; mend the line or the schema",
                       csv->field_count, e->field_count);
  }
  size_t label_at = e->field_of[schema->column_count];
  double label = 0;
  /* A prediction is owed to every row, so only labelled reading drops. */
  bool may_drop = schema->on_missing == MISSING_DROP && e->need_labels;
  bool drop = may_drop && is_missing(schema, csv->fields[label_at].text);
  if (e->need_labels && !drop) {
    TRY(encode_label(e, csv, &label, err));
  }
  TRY(rows_reserve(rows, schema->column_count + 1, err));
  size_t before = rows->entries;
  for (size_t c = 0; c < schema->column_count; c++) {
    const schema_column *column = &schema->columns[c];
    if (column->type == COLUMN_IGNORE || column->type == COLUMN_LABEL) {
      continue;
    }
    const csv_field *field = &csv->fields[e->field_of[c]];
    size_t at = absent;
    double value = column->weight;
    if (is_missing(schema, field->text)) {
      e->counts[c].missing++;
      drop = drop || may_drop;
      at = column->missing_at;
    } else if (column->type == COLUMN_NUMERIC) {
      TRY(encode_numeric(column, csv, field, &e->counts[c], &value, err));
      at = column->first;
    } else {
      at = encode_category(column, field->text, &e->counts[c].unknown);
    }
    if (at != absent && value != 0.0) {
      rows_push(rows, at, value);
    }
  }
  if (drop) {
    rows->entries = before;
    return DPERM_OK;
  }
  encode_end(schema, rows, before, label);
  return DPERM_OK;
}
