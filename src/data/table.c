/* Rows from a table in memory, as programs in other languages hold it: a column of numbers, or of
 * codes of a few texts. Every text is looked at once; then each record is encoded as a CSV record
 * is (encode.c), so the same records give the same rows to the bit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/defect.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "data/row_fingerprint.h"
#include "read/encode.h"

typedef struct table_text {
  encoded_text became;
  double given; /* for the record's print, whatever the schema makes of it */
} table_text;

/* One column with what its texts become, or the label's. */
typedef struct table_column {
  const schema_column *column; /* NULL for the label */
  size_t place;                /* in the schema */
  dperm_column given;
  table_text *texts; /* one a text, and last what is missing */
} table_column;

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
                                size_t rows, const dperm_column *given, table_column *out,
                                dperm_error *err) {
  const char *name = column ? column->name : schema->label_column;
  *out = (table_column){.column = column, .given = *given};
  out->given.stride = given->stride ? given->stride : 1;
  if (!given->codes && !(given->numbers && column && column->type == COLUMN_NUMERIC)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "column \"%.64s\" must be given as codes of texts", name);
  }
  size_t count = given->codes ? given->text_count : 0;
  for (size_t i = 0; given->codes && i < rows; i++) {
    int32_t code = given->codes[i * out->given.stride];
    if (code < -1 || (code >= 0 && (size_t)code >= count)) {
      FAIL(err, DPERM_INVALID_ARGUMENT, "row %zu of column \"%.64s\" has the code of no text", i,
           name);
    }
  }
  TRY(memory_new(count + 1, sizeof *out->texts, &out->texts, err));
  for (size_t t = 0; t < count; t++) {
    slice text = slice_of(given->texts[first_equal(given, t)]);
    out->texts[t].became = encode_text(schema, column, text);
    if (out->texts[t].became.flags & (TEXT_NOT_FINITE | TEXT_MALFORMED)) {
      FAIL(err, DPERM_INVALID_DATA,
           "column \"%.64s\" holds a text that is not a finite number; mend it, or list the text "
           "under \"missing\"",
           name);
    }
    out->texts[t].given = row_fingerprint_text(slice_of(given->texts[t]));
  }
  out->texts[count].became =
      column ? encode_missing(column) : (encoded_text){.flags = TEXT_MISSING | TEXT_UNKNOWN};
  out->texts[count].given = row_fingerprint_missing();
  out->given.text_count = count;
  return DPERM_OK;
}

/* ---- rows */

/* What record i has in the column. */
static dperm_status text_of(const table_column *t, size_t i, table_text *out, dperm_error *err) {
  const size_t place = i * t->given.stride, missing = t->given.text_count;
  if (t->given.codes) {
    int32_t code = t->given.codes[place];
    *out = t->texts[code < 0 ? missing : (size_t)code];
    return DPERM_OK;
  }
  double x = t->given.numbers[place];
  if (isinf(x)) {
    FAIL(err, DPERM_INVALID_DATA, "row %zu of column \"%.64s\" is infinite; give a number", i,
         t->column->name);
  }
  *out = isnan(x) ? t->texts[missing] : (table_text){encode_number(t->column, x), x};
  return DPERM_OK;
}

/* A schema's columns that have entries, and last the label's. */
typedef struct table {
  table_column *columns;
  size_t count; /* of columns, without the label */
} table;

static void table_close(table *t) {
  for (size_t c = 0; t->columns && c <= t->count; c++) {
    free(t->columns[c].texts);
  }
  free(t->columns);
}

static dperm_status table_open(const dperm_schema *schema, size_t rows, const dperm_column *columns,
                               const dperm_column *labels, table *t, dperm_error *err) {
  TRY(memory_new(schema->column_count + 1, sizeof *t->columns, &t->columns, err));
  for (size_t c = 0; c < schema->column_count; c++) {
    const schema_column *column = &schema->columns[c];
    if (column->type == COLUMN_NUMERIC || column->type == COLUMN_CATEGORICAL) {
      TRY(open_column(schema, column, rows, &columns[c], &t->columns[t->count], err));
      t->columns[t->count++].place = c;
    }
  }
  return labels ? open_column(schema, NULL, rows, labels, &t->columns[t->count], err) : DPERM_OK;
}

static dperm_status add_row(encoder *e, const table *t, size_t i, growing_rows *rows, double *given,
                            dperm_error *err) {
  table_text text;
  TRY(encoder_begin(e, rows, err));
  if (e->need_labels) {
    TRY(text_of(&t->columns[t->count], i, &text, err));
    if (!encoder_label(e, text.became)) {
      FAIL(err, DPERM_INVALID_DATA,
           "the label of row %zu is not one that the schema lists; add it to the schema's "
           "\"label\" (column \"%.64s\"), or mend it",
           i, e->schema->label_column);
    }
  }
  for (size_t c = 0; c < t->count; c++) {
    TRY(text_of(&t->columns[c], i, &text, err));
    given[c] = text.given;
    encoder_add(e, t->columns[c].place, text.became, rows);
  }
  encoder_end(e, rows);
  return DPERM_OK;
}

dperm_status dperm_data_from_table(const dperm_schema *schema, size_t rows,
                                   const dperm_column *columns, const dperm_column *labels,
                                   dperm_data **out, dperm_error *err) {
  OWNED(rows_clear) growing_rows made = {0};
  OWNED(encoder_close) encoder e = {0};
  OWNED(table_close) table t = {0};
  OWNED(row_fingerprinter_close) row_fingerprinter printer = {0};
  OWNED_MEMORY row_fingerprint *prints = NULL;
  OWNED_MEMORY double *given = NULL;
  TRY(table_open(schema, rows, columns, labels, &t, err));
  TRY(encoder_open(schema, labels != NULL, &e, err));
  TRY(memory_new(t.count, sizeof *given, &given, err));
  TRY(memory_new(rows, sizeof *prints, &prints, err));
  TRY(row_fingerprinter_open(t.count, &printer, err));
  for (size_t i = 0; i < rows; i++) {
    size_t at = made.count;
    TRY(add_row(&e, &t, i, &made, given, err));
    prints[at] = row_fingerprint_of(&printer, NULL, given, t.count); /* the next one's if dropped */
  }
  TRY(rows_reserve(&made, 0, err)); /* also where there is no row */
  TRY(data_from_rows(&made, schema->dims, ORIGIN_SCHEMA, schema, out, err));
  (*out)->unlabelled = labels == NULL;
  (*out)->prints = prints;
  prints = NULL;
  (*out)->counts = e.counts;
  e.counts = NULL;
  return DPERM_OK;
}
