/* See cell.h. */
#include "table/cell.h"

#include <math.h>

#include "base/memory.h"

cell_value cell_missing(const schema_column *column) {
  if (!column) {
    return (cell_value){0, TEXT_MISSING | TEXT_UNKNOWN};
  }
  if (column->type == COLUMN_GROUP) {
    return (cell_value){CELL_MISSING, 0}; /* nothing that a record is dropped for */
  }
  return (cell_value){column->type == COLUMN_NUMERIC ? (double)NAN : CELL_MISSING, TEXT_MISSING};
}

cell_value cell_of_number(const schema_column *column, double x) {
  bool clamped = x < column->min || x > column->max;
  return (cell_value){x < column->min   ? column->min
                      : x > column->max ? column->max
                                        : x,
                      clamped ? TEXT_CLAMPED : 0};
}

static cell_value cell_of_category(const schema_column *column, slice text) {
  int32_t category = category_of(column, text);
  return category == LOOKUP_NONE ? (cell_value){CELL_UNKNOWN, TEXT_UNKNOWN}
                                 : (cell_value){(double)category + CELL_CATEGORY, 0};
}

static cell_value cell_of_number_text(const schema_column *column, slice text) {
  double x = 0;
  switch (parse_double(text, &x)) {
  case NUMBER_NOT_FINITE:
    return (cell_value){0, TEXT_NOT_FINITE};
  case NUMBER_MALFORMED:
    return (cell_value){0, TEXT_MALFORMED};
  case NUMBER_OK:
  case NUMBER_OVERFLOW: /* ±infinity: a number beyond every range, clamped like any other */
    break;
  }
  return cell_of_number(column, x);
}

static cell_value cell_of_label(const dperm_schema *schema, slice text) {
  int32_t class = lookup_find(&schema->labels, text);
  uint32_t missing = lookup_find(&schema->missing, text) != LOOKUP_NONE ? TEXT_MISSING : 0;
  if (schema->target) {
    return missing ? cell_missing(NULL) : cell_of_number_text(schema->target, text);
  }
  class = class == LOOKUP_NONE ? schema->label_other : class;
  return class == LOOKUP_NONE ? (cell_value){0, TEXT_UNKNOWN | missing}
                              : (cell_value){(double)class, missing};
}

cell_value cell_of_text(const dperm_schema *schema, const schema_column *column, slice text) {
  if (!column) {
    return cell_of_label(schema, text);
  }
  if (lookup_find(&schema->missing, text) != LOOKUP_NONE) {
    return cell_missing(column);
  }
  return column->type == COLUMN_NUMERIC ? cell_of_number_text(column, text)
                                        : cell_of_category(column, text);
}

/* ---- for readers */

dperm_status cell_reader_open(const dperm_schema *schema, bool need_labels, cell_reader *out,
                              dperm_error *err) {
  const size_t columns = schema->column_count;
  *out = (cell_reader){.schema = schema,
                       .need_labels = need_labels,
                       .known_columns = columns < KNOWN_COLUMNS ? columns + 1 : KNOWN_COLUMNS};
  TRY(memory_new(columns, sizeof *out->counts, &out->counts, err));
  return memory_new(out->known_columns, sizeof *out->known, &out->known, err);
}

void cell_reader_close(cell_reader *r) {
  free(r->counts);
  free(r->known);
  *r = (cell_reader){0};
}

void cell_counts_add(cell_reader *to, const cell_reader *from) {
  for (size_t c = 0; c < to->schema->column_count; c++) {
    to->counts[c].missing += from->counts[c].missing;
    to->counts[c].unknown += from->counts[c].unknown;
    to->counts[c].clamped += from->counts[c].clamped;
  }
}

cell_value cell_learn(cell_reader *r, size_t c, const slice *text, uint64_t bytes) {
  const dperm_schema *schema = r->schema;
  cell_value is =
      cell_of_text(schema, c < schema->column_count ? &schema->columns[c] : NULL, *text);
  if (bytes && !is.flags) {
    *known_place(r, c, bytes) = (known_text){bytes, is.value};
  }
  return is;
}
