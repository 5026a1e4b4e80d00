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
    if (columns->field_of[c] == absent && column->type != COLUMN_IGNORE) {
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
    if (schema->columns[c].type == COLUMN_LABEL) {
      columns->field_of[c] = absent;
      columns->field_of[schema->column_count] = unlabelled ? absent : at++;
    } else {
      columns->field_of[c] = at++;
    }
  }
  columns->count = at;
}

dperm_status csv_columns_open(const dperm_schema *schema, bool need_labels, csv_reader *csv,
                              csv_columns *out, dperm_error *err) {
  dperm_status status = DPERM_OK;
  bool found = false;
  *out = (csv_columns){NULL, 0};
  TRY(csv_next(csv, &found, err));
  if (!found) {
    FAIL(err, DPERM_INVALID_DATA, "%s: no rows; give a file with records",
         path_for_people(csv->path));
  }
  TRY(memory_new(schema->column_count + 1, sizeof *out->field_of, &out->field_of, err));
  if (schema->header) {
    TRY_OR_DONE(map_header(schema, need_labels, csv, out, err));
  } else {
    map_positions(schema, need_labels, csv, out);
    csv_take_back(csv, csv->separator);
  }
  return DPERM_OK;
done:
  csv_columns_close(out);
  return status;
}

void csv_columns_close(csv_columns *columns) {
  free(columns->field_of);
  *columns = (csv_columns){NULL, 0};
}

/* Messages name the column and the place, never the content: a log is not a release. */
static dperm_status fail_number(const schema_column *column, const csv_reader *csv,
                                const csv_field *field, encoded_text text, dperm_error *err) {
  return csv_fail_at(
      csv, field->offset, err,
      text.flags & TEXT_NOT_FINITE
          ? "column \"%.64s\" holds NaN or infinity; give a number, or list the text "
            "under \"missing\""
          : "column \"%.64s\" is not a number; mend it, or list the text under "
            "\"missing\"",
      column->name);
}

dperm_status csv_columns_encode(const csv_columns *columns, encoder *e, const csv_reader *csv,
                                growing_rows *rows, dperm_error *err) {
  const dperm_schema *schema = e->schema;
  if (csv->field_count != columns->count) {
    return csv_fail_at(csv, 0, err,
                       "%zu fields where %zu are expected; mend the line or the schema",
                       csv->field_count, columns->count);
  }
  TRY(encoder_begin(e, rows, err));
  if (e->need_labels) {
    const csv_field *field = &csv->fields[columns->field_of[schema->column_count]];
    if (!encoder_label(e, encode_text(schema, NULL, field->text))) {
      return csv_fail_at(csv, field->offset, err,
                         "the label in column \"%.64s\" is not one that the schema lists; add it "
                         "to the schema's \"label\", or mend it",
                         schema->label_column);
    }
  }
  for (size_t c = 0; c < schema->column_count; c++) {
    const schema_column *column = &schema->columns[c];
    if (column->type == COLUMN_IGNORE || column->type == COLUMN_LABEL) {
      continue;
    }
    const csv_field *field = &csv->fields[columns->field_of[c]];
    encoded_text text = encode_text(schema, column, field->text);
    if (text.flags & (TEXT_NOT_FINITE | TEXT_MALFORMED)) {
      return fail_number(column, csv, field, text, err);
    }
    encoder_add(e, c, text, rows);
  }
  encoder_end(e, rows);
  return DPERM_OK;
}
