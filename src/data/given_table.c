/* Records from a table in memory, as programs in other languages hold it: a column of numbers, or
 * of codes of a few texts. Every text becomes a cell where those of files do (table/cell.h), so the
 * same records give the same rows to the bit. */
#include <math.h>

#include "base/defect.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "table/cell.h"

typedef struct given_cell {
  cell_value is;
  double given; /* for the record's print, whatever the schema makes of it */
} given_cell;

/* One column with what its texts become, or the label's. */
typedef struct given_column {
  const schema_column *column; /* NULL for a label of classes */
  const char *name;
  size_t place; /* in the schema */
  dperm_column given;
  given_cell *texts; /* one a text, and last what is missing */
} given_column;

/* ---- texts */

/* Of a defect: the first of the texts up to t that is the same number, as a factorization by
 * equality would have it ("1.0" for "1" if it comes first). */
static size_t first_equal(const dperm_column *given, size_t t) {
  double x = 0, y = 0;
  if (!DEFECT("texts-of-first") || parse_double(slice_of(given->texts[t]), &x) != NUMBER_OK) {
    return t;
  }
  size_t first = 0;
  while (first < t && (parse_double(slice_of(given->texts[first]), &y) != NUMBER_OK || y != x)) {
    first++;
  }
  return first;
}

/* Checks the codes, and finds what the texts become. */
static dperm_status open_column(const dperm_schema *schema, const schema_column *column,
                                size_t rows, const dperm_column *given, bool labelled,
                                given_column *out, dperm_error *err) {
  const char *name = column ? column->name : schema->label_column;
  const schema_column *number = column ? column : schema->target;
  *out = (given_column){.column = number, .name = name, .given = *given};
  out->given.stride = given->stride ? given->stride : 1;
  /* predictions need no group */
  const bool absent = !given->numbers && column && column->type == COLUMN_GROUP && !labelled;
  FAIL_IF(!given->codes && !absent && !(given->numbers && number && number->type == COLUMN_NUMERIC),
          err, DPERM_INVALID_ARGUMENT, "column \"%.64s\" must be given as codes of texts", name);
  size_t count = given->codes ? given->text_count : 0;
  for (size_t i = 0; given->codes && i < rows; i++) {
    int32_t code = given->codes[i * out->given.stride];
    FAIL_IF(code < -1 || (code >= 0 && (size_t)code >= count), err, DPERM_INVALID_ARGUMENT,
            "row %zu of column \"%.64s\" has the code of no text", i, name);
  }
  TRY(memory_new(count + 1, sizeof *out->texts, &out->texts, err));
  for (size_t t = 0; t < count; t++) {
    slice text = slice_of(given->texts[first_equal(given, t)]);
    out->texts[t].is = cell_of_text(schema, column, text);
    bool wrong = out->texts[t].is.flags & (TEXT_NOT_FINITE | TEXT_MALFORMED);
    for (size_t i = 0; wrong && i < rows; i++) {
      FAIL_IF(given->codes[i * out->given.stride] == (int32_t)t, err, DPERM_INVALID_DATA,
              "row %zu of column \"%.64s\" is a text that is not a finite number; mend it, or list "
              "the text under \"missing\"",
              i, name);
    }
    out->texts[t].given = row_fingerprint_text(slice_of(given->texts[t]));
  }
  out->texts[count].is = cell_missing(column);
  out->texts[count].given = row_fingerprint_missing();
  out->given.text_count = count;
  return DPERM_OK;
}

/* ---- records */

/* What record i has in the column. */
static dperm_status cell_at(const given_column *t, size_t i, given_cell *out, dperm_error *err) {
  const size_t place = i * t->given.stride, missing = t->given.text_count;
  if (t->given.codes) {
    int32_t code = t->given.codes[place];
    *out = t->texts[code < 0 ? missing : (size_t)code];
    return DPERM_OK;
  }
  if (!t->given.numbers) {
    *out = t->texts[missing];
    return DPERM_OK;
  }
  double x = t->given.numbers[place];
  FAIL_IF(isinf(x), err, DPERM_INVALID_DATA,
          "row %zu of column \"%.64s\" is infinite; give a number", i, t->name);
  *out = isnan(x) ? t->texts[missing] : (given_cell){cell_of_number(t->column, x), x};
  return DPERM_OK;
}

/* A schema's columns that have entries, and last the label's. */
typedef struct given_table {
  given_column *columns;
  size_t count;          /* of columns, without the label */
  dperm_column person;   /* whose record it is; neither codes nor numbers where nobody asks, */
  const char *person_is; /* and the column's name */
} given_table;

/* The name of record i's person: a text, or a number as it is written, with what readers of texts
 * do to blanks. From 2^53 on doubles cannot tell whole numbers apart. */
static dperm_status add_person(const given_table *t, const lookup *missing, size_t i,
                               record_batch *batch, double *cell, dperm_error *err) {
  char digits[DOUBLE_TEXT_SIZE];
  const size_t place = i * (t->person.stride ? t->person.stride : 1);
  const char *name = "";
  if (t->person.codes) {
    const int32_t code = t->person.codes[place];
    FAIL_IF(code >= 0 && (size_t)code >= t->person.text_count, err, DPERM_INVALID_ARGUMENT,
            "row %zu of column \"%.64s\" has the code of no text", i, t->person_is);
    name = code < 0 ? "" : t->person.texts[code];
  } else if (fabs(t->person.numbers[place]) < 0x1p53) {                 /* not a NaN */
    (void)format_double(t->person.numbers[place] + 0.0, false, digits); /* no -0 */
    name = digits;
  }
  const slice text = slice_trim(slice_of(name));
  FAIL_IF(text.length == 0 || lookup_find(missing, text) != LOOKUP_NONE, err, DPERM_INVALID_DATA,
          "row %zu of column \"%.64s\" does not say whose record it is; give each person a name or "
          "number",
          i, t->person_is);
  return batch_name(batch, text, cell, err);
}

static void given_close(given_table *t) {
  for (size_t c = 0; t->columns && c <= t->count; c++) {
    free(t->columns[c].texts);
  }
  free(t->columns);
}

static dperm_status given_open(const dperm_schema *schema, size_t rows, const dperm_column *columns,
                               const dperm_column *labels, given_table *t, dperm_error *err) {
  TRY(memory_new(schema->column_count + 1, sizeof *t->columns, &t->columns, err));
  dperm_column whose = {.codes = NULL};
  if (schema->person != NO_PERSON) {
    whose = columns[schema->person];
  }
  if (schema->person != NO_PERSON && (labels || whose.codes || whose.numbers)) {
    t->person = whose; /* which predictions do not need */
    t->person_is = schema->columns[schema->person].name;
    FAIL_IF(!t->person.codes && !t->person.numbers, err, DPERM_INVALID_ARGUMENT,
            "column \"%.64s\" says whose record is whose; give it, as codes of texts or as numbers",
            t->person_is);
  }
  for (size_t c = 0; c < schema->column_count; c++) {
    const schema_column *column = &schema->columns[c];
    if (column_type_has_cells(column->type)) {
      TRY(open_column(schema, column, rows, &columns[c], labels != NULL, &t->columns[t->count],
                      err));
      t->columns[t->count++].place = c;
    }
  }
  return labels ? open_column(schema, NULL, rows, labels, true, &t->columns[t->count], err)
                : DPERM_OK;
}

/* Record i at the end of the batch, unless the schema drops it. */
static dperm_status add_record(cell_reader *r, const given_table *t, size_t i, record_batch *batch,
                               double *given, dperm_error *err) {
  given_cell one = {.given = 0};
  double *to = batch->cells + batch->count;
  bool drop = false;
  if (r->need_labels) {
    TRY(cell_at(&t->columns[t->count], i, &one, err));
    drop = cell_drops(r, one.is.flags);
    FAIL_IF(one.is.flags & TEXT_UNKNOWN && !drop && r->schema->target, err, DPERM_INVALID_DATA,
            "the label of row %zu is missing; give a number, or leave the record out", i);
    FAIL_IF(one.is.flags & TEXT_UNKNOWN && !drop, err, DPERM_INVALID_DATA,
            "the label of row %zu is not one that the schema lists; add it to the schema's "
            "\"label\" (column \"%.64s\"), or mend it",
            i, r->schema->label_column);
  }
  to[(batch->columns - 1) * batch->capacity] = one.is.value;
  if (t->person_is) {
    TRY(add_person(t, &r->schema->missing, i, batch, to + t->count * batch->capacity, err));
  } else if (r->schema->person != NO_PERSON) {
    to[t->count * batch->capacity] = 0; /* without labels nobody asks */
  }
  for (size_t c = 0; c < t->count; c++) {
    TRY(cell_at(&t->columns[c], i, &one, err));
    given[c] = one.given;
    to[c * batch->capacity] = one.is.value;
    cell_count(r, t->columns[c].place, one.is.flags);
    drop = drop || cell_drops(r, one.is.flags);
  }
  batch->count += !drop;
  return DPERM_OK;
}

/* All records, and a print of each that is kept. */
static dperm_status add_records(cell_reader *r, const given_table *t, size_t rows,
                                row_fingerprint *prints, table_builder *b, dperm_error *err) {
  enum { SOME = 4096 };
  OWNED(row_fingerprinter_close) row_fingerprinter printer = {0};
  OWNED(batch_clear) record_batch batch = {0};
  OWNED_MEMORY double *given = NULL;
  TRY(memory_new(t->count, sizeof *given, &given, err));
  TRY(row_fingerprinter_open(t->count, &printer, err));
  TRY(batch_reserve(&batch, b->table->layout.count, SOME, err));
  for (size_t i = 0; i < rows; i++) {
    size_t at = b->table->rows + batch.count;
    TRY(add_record(r, t, i, &batch, given, err));
    prints[at] =
        row_fingerprint_of(&printer, NULL, given, t->count); /* the next one's if dropped */
    if (batch.count == SOME || i + 1 == rows) {
      TRY(table_builder_add(b, &batch, 1, err));
      batch.count = batch.names_used = 0;
    }
  }
  return DPERM_OK;
}

dperm_status dperm_data_from_table(const dperm_schema *schema, size_t rows,
                                   const dperm_column *columns, const dperm_column *labels,
                                   dperm_data **out, dperm_error *err) {
  OWNED(cell_reader_close) cell_reader r = {0};
  OWNED(given_close) given_table t = {0};
  OWNED(table_builder_close) table_builder b = {0};
  OWNED(table_free_at) record_table *records = NULL;
  OWNED_MEMORY row_fingerprint *prints = NULL;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  TRY(given_open(schema, rows, columns, labels, &t, err));
  TRY(cell_reader_open(schema, labels != NULL, &r, err));
  TRY(table_builder_open(schema, NULL, NULL, &b, err));
  TRY(memory_new(rows, sizeof *prints, &prints, err));
  TRY(add_records(&r, &t, rows, prints, &b, err));
  TRY(table_builder_finish(&b, &records, err));
  TRY(data_of_table(records, schema, &data, err));
  TRY(t.person_is ? data_find_persons(data, err) : DPERM_OK);
  *out = TAKE(data);
  (*out)->unlabelled = labels == NULL;
  if (!labels) {
    memset((*out)->labels, 0, records->rows * sizeof *(*out)->labels);
  }
  (*out)->prints = TAKE(prints);
  (*out)->counts = TAKE(r.counts);
  return DPERM_OK;
}
