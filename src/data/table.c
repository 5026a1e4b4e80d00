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

/* What a text of a column becomes. */
typedef struct text_meaning {
  bool missing, unknown, clamped;
  size_t at;    /* encoded column, or ENCODE_ZEROS */
  double value; /* of a numeric column: its entry; of the label: the class's */
  double given; /* for the record's print, whatever the schema makes of it */
} text_meaning;

/* One column with what its texts mean, or the label's. */
typedef struct table_column {
  const schema_column *column; /* NULL for the label */
  size_t place;                /* in the schema */
  dperm_column given;
  text_meaning *texts;
} table_column;

static size_t stride_of(const dperm_column *given) {
  return given->stride ? given->stride : 1;
}

/* ---- texts */

static dperm_status read_number(const schema_column *column, slice text, text_meaning *out,
                                dperm_error *err) {
  double x = 0;
  number_result result = parse_double(text, &x);
  if (result != NUMBER_OK && result != NUMBER_OVERFLOW) {
    FAIL(err, DPERM_INVALID_DATA,
         "column \"%.64s\" holds a text that is not a finite number; mend it, or list the text "
         "under \"missing\"",
         column->name);
  }
  *out = (text_meaning){.clamped = x < column->min || x > column->max,
                        .at = column->first,
                        .value = encode_number(column, x)};
  return DPERM_OK;
}

static dperm_status read_text(const dperm_schema *schema, const schema_column *column, slice text,
                              text_meaning *out, dperm_error *err) {
  size_t unknown = 0;
  if (lookup_find(&schema->missing, text) != LOOKUP_NONE) {
    *out = (text_meaning){.missing = true, .at = column ? column->missing_at : ENCODE_ZEROS};
    return DPERM_OK;
  }
  if (column && column->type == COLUMN_NUMERIC) {
    return read_number(column, text, out, err);
  }
  if (column) {
    *out = (text_meaning){.at = encode_category(column, text, &unknown), .value = column->weight};
    out->unknown = unknown > 0;
    return DPERM_OK;
  }
  int32_t label = lookup_find(&schema->labels, text);
  label = label == LOOKUP_NONE ? schema->label_other : label;
  *out = (text_meaning){.at = label == LOOKUP_NONE ? ENCODE_ZEROS : (size_t)label};
  out->value = label == LOOKUP_NONE ? 0 : class_label(schema->classes.count, (size_t)label);
  return DPERM_OK;
}

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

/* Checks the codes, and finds what the texts mean. */
static dperm_status open_column(const dperm_schema *schema, const schema_column *column,
                                size_t rows, const dperm_column *given, table_column *out,
                                dperm_error *err) {
  const char *name = column ? column->name : schema->label_column;
  *out = (table_column){.column = column, .given = *given};
  if (!given->codes) {
    bool numbers = given->numbers && column && column->type == COLUMN_NUMERIC;
    if (!numbers) {
      FAIL(err, DPERM_INVALID_ARGUMENT, "column \"%.64s\" must be given as codes of texts", name);
    }
    return DPERM_OK;
  }
  for (size_t i = 0; i < rows; i++) {
    int32_t code = given->codes[i * stride_of(given)];
    if (code < -1 || (code >= 0 && (size_t)code >= given->text_count)) {
      FAIL(err, DPERM_INVALID_ARGUMENT, "row %zu of column \"%.64s\" has the code of no text", i,
           name);
    }
  }
  TRY(memory_new(given->text_count, sizeof *out->texts, &out->texts, err));
  for (size_t t = 0; t < given->text_count; t++) {
    slice text = slice_of(given->texts[first_equal(given, t)]);
    TRY(read_text(schema, column, text, &out->texts[t], err));
    out->texts[t].given = row_fingerprint_text(slice_of(given->texts[t]));
  }
  return DPERM_OK;
}

/* ---- rows */

/* The entry of record i, if it has one. */
static dperm_status entry_of(const table_column *t, size_t i, text_meaning *out, dperm_error *err) {
  size_t place = i * stride_of(&t->given);
  *out = (text_meaning){
      .missing = true, .at = t->column->missing_at, .given = row_fingerprint_missing()};
  if (t->given.codes) {
    if (t->given.codes[place] >= 0) {
      *out = t->texts[t->given.codes[place]];
    }
  } else if (!isnan(t->given.numbers[place])) {
    if (isinf(t->given.numbers[place])) {
      FAIL(err, DPERM_INVALID_DATA, "row %zu of column \"%.64s\" is infinite; give a number", i,
           t->column->name);
    }
    double x = t->given.numbers[place];
    out->missing = false;
    out->clamped = x < t->column->min || x > t->column->max;
    out->at = t->column->first;
    out->value = encode_number(t->column, t->given.numbers[place]);
    out->given = t->given.numbers[place];
  }
  out->value = out->missing ? t->column->weight : out->value;
  return DPERM_OK;
}

static dperm_status label_of(const dperm_schema *schema, const table_column *label, size_t i,
                             bool may_drop, bool *drop, double *out, dperm_error *err) {
  int32_t code = label->given.codes[i * stride_of(&label->given)];
  *drop = may_drop && (code < 0 || label->texts[code].missing);
  if (*drop) {
    return DPERM_OK;
  }
  if (code < 0 || label->texts[code].at == ENCODE_ZEROS) {
    FAIL(err, DPERM_INVALID_DATA,
         "the label of row %zu is not one that the schema lists; add it to the schema's "
         "\"label\" (column \"%.64s\"), or mend it",
         i, schema->label_column);
  }
  *out = label->texts[code].value;
  return DPERM_OK;
}

static dperm_status add_row(const dperm_schema *schema, const table_column *columns, size_t count,
                            const table_column *label, size_t i, growing_rows *rows, double *given,
                            dperm_unsafe_column_counts *counts, dperm_error *err) {
  bool may_drop = schema->on_missing == MISSING_DROP && label, drop = false;
  double side = 0;
  if (label) {
    TRY(label_of(schema, label, i, may_drop, &drop, &side, err));
  }
  TRY(rows_reserve(rows, count + 1, err));
  size_t before = rows->entries;
  for (size_t c = 0; c < count; c++) {
    text_meaning entry;
    TRY(entry_of(&columns[c], i, &entry, err));
    given[c] = entry.given;
    counts[columns[c].place].missing += entry.missing;
    counts[columns[c].place].unknown += entry.unknown;
    counts[columns[c].place].clamped += entry.clamped;
    drop = drop || (may_drop && entry.missing);
    if (entry.at != ENCODE_ZEROS && entry.value != 0.0) {
      rows_push(rows, entry.at, entry.value);
    }
  }
  if (drop) {
    rows->entries = before;
    return DPERM_OK;
  }
  encode_end(schema, rows, before, side);
  return DPERM_OK;
}

dperm_status dperm_data_from_table(const dperm_schema *schema, size_t rows,
                                   const dperm_column *columns, const dperm_column *labels,
                                   dperm_data **out, dperm_error *err) {
  dperm_status status = DPERM_OK;
  growing_rows made = {0};
  table_column *opened = NULL, label = {0};
  row_fingerprint *prints = NULL;
  row_fingerprinter printer = {NULL, NULL, NULL};
  double *given = NULL;
  dperm_unsafe_column_counts *counts = NULL;
  size_t count = 0;
  TRY_OR_DONE(memory_new(schema->column_count, sizeof *opened, &opened, err));
  TRY_OR_DONE(memory_new(schema->column_count, sizeof *counts, &counts, err));
  for (size_t c = 0; c < schema->column_count; c++) {
    const schema_column *column = &schema->columns[c];
    if (column->type == COLUMN_NUMERIC || column->type == COLUMN_CATEGORICAL) {
      count++; /* first, so that a half-made one is freed */
      TRY_OR_DONE(open_column(schema, column, rows, &columns[c], &opened[count - 1], err));
      opened[count - 1].place = c;
    }
  }
  if (labels) {
    TRY_OR_DONE(open_column(schema, NULL, rows, labels, &label, err));
  }
  TRY_OR_DONE(memory_new(count, sizeof *given, &given, err));
  TRY_OR_DONE(memory_new(rows, sizeof *prints, &prints, err));
  TRY_OR_DONE(row_fingerprinter_open(count, &printer, err));
  for (size_t i = 0; i < rows; i++) {
    size_t at = made.count;
    TRY_OR_DONE(
        add_row(schema, opened, count, labels ? &label : NULL, i, &made, given, counts, err));
    prints[at] =
        row_fingerprint_of(&printer, NULL, given, count); /* the next one's if it is dropped */
  }
  if (made.count == 0) {
    FAIL_AND_DONE(err, DPERM_INVALID_DATA, "no rows; give a table with records");
  }
  TRY_OR_DONE(data_from_rows(&made, schema->dims, ORIGIN_SCHEMA, schema, out, err));
  (*out)->unlabelled = labels == NULL;
  (*out)->prints = prints;
  prints = NULL;
  (*out)->counts = counts;
  counts = NULL;
done:
  row_fingerprinter_close(&printer);
  free(prints);
  free(given);
  for (size_t c = 0; c < count; c++) {
    free(opened[c].texts);
  }
  free(opened);
  free(counts);
  free(label.texts);
  rows_clear(&made);
  return status;
}
