/* Columns by the header's names, or by their order, and their cells. */
#include "read/csv.h"

#include "base/memory.h"

static const size_t absent = SIZE_MAX;

static dperm_status find_in_header(const csv_reader *csv, const char *name, size_t *at,
                                   dperm_error *err) {
  *at = absent;
  for (size_t i = 0; i < csv->field_count; i++) {
    if (slice_is(csv->fields[i].text, name)) {
      CSV_FAIL_IF(*at != absent, csv, csv->fields[i].offset, err,
                  "columns %zu and %zu are both called \"%.64s\", and a schema knows columns by "
                  "name; rename one",
                  *at + 1, i + 1, name);
      *at = i;
    }
  }
  return DPERM_OK;
}

/* Why a header may not have the names: other line ends, */
static const char *likely_cause(const csv_reader *csv) {
  const char *return_at = memchr(csv->record, '\r', csv->record_length);
  bool alone = return_at && return_at + 1 < csv->record + csv->record_length;
  return alone ? " (its lines end in CR alone: convert them to LF)" : "";
}

/* or other separators, where it is one field; as a schema writes them. NULL if it has none. */
static const char *likely_separator(const csv_reader *csv) {
  bool one = csv->field_count == 1 && !*likely_cause(csv);
  return one && memchr(csv->record, ';', csv->record_length)    ? ";"
         : one && memchr(csv->record, '\t', csv->record_length) ? "\\t"
         : one && memchr(csv->record, '|', csv->record_length)  ? "|"
                                                                : NULL;
}

static dperm_status map_header(const dperm_schema *schema, bool need_labels, const csv_reader *csv,
                               csv_columns *columns, dperm_error *err) {
  columns->count = csv->field_count;
  for (size_t k = 0; k < columns->kept_count; k++) {
    csv_column *c = &columns->kept[k];
    bool label = c->place == schema->column_count;
    const char *name = label ? schema->label_column : schema->columns[c->place].name;
    TRY(find_in_header(csv, name, &c->field, err));
    const char *other = c->field == absent ? likely_separator(csv) : NULL;
    CSV_FAIL_IF(other && (need_labels || !label), csv, 0, err,
                "the header is one field, but has \"%s\"; if that is between its columns, put "
                "\"separator\": \"%s\" into the schema",
                other, other);
    CSV_FAIL_IF(c->field == absent && label && need_labels, csv, 0, err,
                "the header has no label column \"%.64s\"%s; add it", name, likely_cause(csv));
    /* predictions need neither whose a record is nor its group */
    const bool needed =
        label || (c->place != schema->person && schema->columns[c->place].type != COLUMN_GROUP);
    CSV_FAIL_IF(c->field == absent && !label && (need_labels || needed), csv, 0, err,
                "the header has no column \"%.64s\" that the schema lists%s; add it, or "
                "set \"header\": false",
                name, likely_cause(csv));
  }
  return DPERM_OK;
}

/* Without a header the columns stand as the schema lists them, the label's possibly left out. */
static void map_positions(const dperm_schema *schema, bool need_labels, const csv_reader *csv,
                          csv_columns *columns) {
  bool unlabelled = !need_labels && csv->field_count + 1 == schema->column_count;
  size_t at = 0, k = 0;
  csv_column *label = &columns->kept[columns->kept_count - 1];
  csv_column *person = schema->person == NO_PERSON ? NULL : label - 1;
  label->field = absent;
  for (size_t c = 0; c < schema->column_count; c++) {
    bool is_label = schema->columns[c].type == COLUMN_LABEL;
    if (is_label && !unlabelled) {
      label->field = at;
    } else if (c == schema->person) {
      person->field = at;
    } else if (k + 1 < columns->kept_count && columns->kept[k].place == c) {
      columns->kept[k++].field = at;
    }
    at += !(is_label && unlabelled);
  }
  columns->count = at;
}

dperm_status csv_columns_open(const dperm_schema *schema, bool need_labels, bool may_be_empty,
                              csv_reader *csv, csv_columns *out, dperm_error *err) {
  OWNED(csv_columns_close) csv_columns columns = {0};
  OWNED(table_layout_clear) table_layout layout = {0};
  bool found = false;
  TRY(csv_next(csv, &found, err));
  if (!found && (schema->header || !may_be_empty)) { /* a header is no record */
    return fail_no_rows(csv->path, err);
  }
  TRY(table_layout_of(schema, &layout, err));
  TRY(memory_new(layout.count, sizeof *columns.kept, &columns.kept, err));
  columns.kept_count = layout.count;
  for (size_t k = 0; k < layout.count; k++) {
    columns.kept[k].place = layout.places[k];
  }
  if (schema->header) {
    TRY(map_header(schema, need_labels, csv, &columns, err));
  } else {
    map_positions(schema, need_labels, csv, &columns);
    if (found) {
      csv_take_back(csv, csv->separator);
    }
  }
  *out = columns;
  columns.kept = NULL;
  return DPERM_OK;
}

void csv_columns_close(csv_columns *columns) {
  free(columns->kept);
  *columns = (csv_columns){0};
}

/* The label, or the class of index 0 where labels are not needed. */
static dperm_status read_label(const csv_columns *columns, cell_reader *cells,
                               const csv_reader *csv, double *value, bool *drop, dperm_error *err) {
  const csv_column *c = &columns->kept[columns->kept_count - 1];
  *value = 0;
  if (!cells->need_labels) {
    return DPERM_OK;
  }
  cell_value is = cell_read(cells, c->place, &csv->fields[c->field].text);
  *drop = cell_drops(cells, is.flags);
  CSV_FAIL_IF(cells->schema->target && !*drop &&
                  is.flags & (TEXT_UNKNOWN | TEXT_NOT_FINITE | TEXT_MALFORMED),
              csv, csv->fields[c->field].offset, err,
              "the label in column \"%.64s\" is not a finite number; mend it, or leave the record "
              "out",
              cells->schema->label_column);
  CSV_FAIL_IF(is.flags & TEXT_UNKNOWN && !*drop, csv, csv->fields[c->field].offset, err,
              "the label in column \"%.64s\" is not one that the schema lists; add it "
              "to the schema's \"label\", or mend it",
              cells->schema->label_column);
  *value = is.value;
  return DPERM_OK;
}

/* Whose record it is. Nobody's would be one person's together, or a person's each: neither is what
 * a claim for persons can mean. */
static dperm_status read_person(const csv_columns *columns, const cell_reader *cells,
                                const csv_reader *csv, record_batch *batch, double *cell,
                                dperm_error *err) {
  const csv_column *c = &columns->kept[columns->kept_count - 2];
  *cell = 0;
  if (c->field == absent || !cells->need_labels) {
    return DPERM_OK;
  }
  const slice name = csv->fields[c->field].text;
  CSV_FAIL_IF(name.length == 0 || lookup_find(&cells->schema->missing, name) != LOOKUP_NONE, csv,
              csv->fields[c->field].offset, err,
              "column \"%.64s\" does not say whose record this is; give each person a name or "
              "number",
              cells->schema->columns[c->place].name);
  return batch_name(batch, name, cell, err);
}

dperm_status csv_columns_next(const csv_columns *columns, cell_reader *cells, csv_reader *csv,
                              record_batch *batch, bool *found, dperm_error *err) {
  const bool persons = cells->schema->person != NO_PERSON;
  const size_t features = columns->kept_count - 1 - persons;
  bool drop = false;
  TRY(csv_next(csv, found, err));
  if (!*found) {
    return DPERM_OK;
  }
  CSV_FAIL_IF(csv->field_count != columns->count, csv, 0, err,
              "%zu fields where %zu are expected; mend the line or the schema", csv->field_count,
              columns->count);
  const size_t stride = batch->capacity;
  double *to = batch->cells + batch->count;
  TRY(read_label(columns, cells, csv, to + (features + persons) * stride, &drop, err));
  if (persons) {
    TRY(read_person(columns, cells, csv, batch, to + features * stride, err));
  }
  for (const csv_column *c = columns->kept; c < columns->kept + features; c++, to += stride) {
    const bool there = c->field != absent;
    cell_value is = there ? cell_read(cells, c->place, &csv->fields[c->field].text)
                          : cell_missing(&cells->schema->columns[c->place]);
    if (is.flags) {
      if (is.flags & (TEXT_NOT_FINITE | TEXT_MALFORMED)) {
        /* The column and the place, never the content: a log is not a release. */
        return csv_fail_at(csv, csv->fields[c->field].offset, err,
                           "column \"%.64s\" is not a finite number; mend it, or list the text "
                           "under \"missing\"",
                           cells->schema->columns[c->place].name);
      }
      cell_count(cells, c->place, is.flags);
      drop = drop || cell_drops(cells, is.flags);
    }
    *to = is.value;
  }
  batch->count += !drop;
  return DPERM_OK;
}
