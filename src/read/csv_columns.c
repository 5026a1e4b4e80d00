/* Columns by the header's names, or by their order. */
#include "read/csv_columns.h"

#include <stdlib.h>

#include "base/memory.h"

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

static dperm_status map_header(const dperm_schema *schema, bool need_labels, const csv_reader *csv,
                               csv_columns *columns, dperm_error *err) {
  columns->count = csv->field_count;
  for (size_t c = 0; c < schema->column_count; c++) {
    const schema_column *column = &schema->columns[c];
    if (column->type == COLUMN_LABEL) {
      columns->field_of[c] = absent;
      continue;
    }
    TRY(find_in_header(csv, column->name, &columns->field_of[c], err));
    if (column->type == COLUMN_IGNORE) {
      columns->field_of[c] = absent;
    } else if (columns->field_of[c] == absent) {
      return csv_fail_at(csv, 0, err,
                         "the header has no column \"%.64s\" that the schema lists; add it, or "
                         "set \"header\": false",
                         column->name);
    }
  }
  size_t *label = &columns->field_of[schema->column_count];
  TRY(find_in_header(csv, schema->label_column, label, err));
  if (*label == absent && need_labels) {
    return csv_fail_at(csv, 0, err, "the header has no label column \"%.64s\"; add it",
                       schema->label_column);
  }
  return DPERM_OK;
}

/* Without a header the columns stand as the schema lists them, the label's possibly left out. */
static void map_positions(const dperm_schema *schema, bool need_labels, const csv_reader *csv,
                          csv_columns *columns) {
  bool unlabelled = !need_labels && csv->field_count + 1 == schema->column_count;
  size_t at = 0;
  for (size_t c = 0; c < schema->column_count; c++) {
    column_type type = schema->columns[c].type;
    bool label = type == COLUMN_LABEL;
    columns->field_of[c] = label || type == COLUMN_IGNORE ? absent : at;
    if (label) {
      columns->field_of[schema->column_count] = unlabelled ? absent : at;
    }
    at += !(label && unlabelled);
  }
  columns->count = at;
}

dperm_status csv_columns_open(const dperm_schema *schema, bool need_labels, bool may_be_empty,
                              csv_reader *csv, csv_columns *out, dperm_error *err) {
  OWNED(csv_columns_close) csv_columns columns = {NULL, 0};
  bool found = false;
  TRY(csv_next(csv, &found, err));
  if (!found && (schema->header || !may_be_empty)) { /* a header is no record */
    return fail_no_rows(csv->path, err);
  }
  TRY(memory_new(schema->column_count + 1, sizeof *columns.field_of, &columns.field_of, err));
  if (schema->header) {
    TRY(map_header(schema, need_labels, csv, &columns, err));
  } else {
    map_positions(schema, need_labels, csv, &columns);
    if (found) {
      csv_take_back(csv, csv->separator);
    }
  }
  *out = columns;
  columns.field_of = NULL;
  return DPERM_OK;
}

void csv_columns_close(csv_columns *columns) {
  free(columns->field_of);
  *columns = (csv_columns){NULL, 0};
}

/* Messages name the column and the place, never the content: a log is not a release. */
static dperm_status fail_number(const dperm_schema *schema, const schema_column *column,
                                const csv_reader *csv, const csv_field *field, dperm_error *err) {
  return csv_fail_at(
      csv, field->offset, err,
      encode_text(schema, column, field->text).flags & TEXT_NOT_FINITE
          ? "column \"%.64s\" holds NaN or infinity; give a number, or list the text "
            "under \"missing\""
          : "column \"%.64s\" is not a number; mend it, or list the text under "
            "\"missing\"",
      column->name);
}

/* Adds what the columns of a record become, in the schema's order. Returns the first column whose
 * text is no number, or their number. */
static size_t encode_columns(const csv_columns *columns, encoder *e, const csv_field *fields,
                             growing_rows *rows) {
  /* Copies, since `rows` would be written down after every field. There is space for an entry of
   * each, and what is none is written over. */
  uint32_t *at = rows->columns + rows->entries;
  double *values = rows->values + rows->entries;
  size_t c = 0, count = e->schema->column_count, entries = 0;
  for (; c < count; c++) {
    if (columns->field_of[c] == absent) {
      continue;
    }
    encoded_text text = encoder_text(e, c, &fields[columns->field_of[c]].text);
    if (text.flags > TEXT_ENTRY) {
      if (text.flags & (TEXT_NOT_FINITE | TEXT_MALFORMED)) {
        return c;
      }
      encoder_count(e, c, text.flags);
      if (text.flags & TEXT_LINE) {
        entries += encode_line(&e->schema->columns[c], &text, &at[entries], &values[entries]);
      }
    }
    at[entries] = text.at;
    values[entries] = text.value;
    entries += text.flags & TEXT_ENTRY;
  }
  rows->entries += entries;
  return c;
}

dperm_status csv_columns_next(const csv_columns *columns, encoder *e, csv_reader *csv,
                              growing_rows *rows, bool *found, dperm_error *err) {
  const dperm_schema *schema = e->schema;
  const size_t label = schema->column_count;
  TRY(csv_next(csv, found, err));
  if (!*found) {
    return DPERM_OK;
  }
  if (csv->field_count != columns->count) {
    return csv_fail_at(csv, 0, err,
                       "%zu fields where %zu are expected; mend the line or the schema",
                       csv->field_count, columns->count);
  }
  TRY(encoder_begin(e, rows, err));
  if (e->need_labels) {
    const csv_field *field = &csv->fields[columns->field_of[label]];
    if (!encoder_label(e, encoder_text(e, label, &field->text))) {
      return csv_fail_at(csv, field->offset, err,
                         "the label in column \"%.64s\" is not one that the schema lists; add it "
                         "to the schema's \"label\", or mend it",
                         schema->label_column);
    }
  }
  const size_t wrong = encode_columns(columns, e, csv->fields, rows);
  if (wrong < label) {
    return fail_number(schema, &schema->columns[wrong], csv, &csv->fields[columns->field_of[wrong]],
                       err);
  }
  encoder_end(e, rows);
  return DPERM_OK;
}
