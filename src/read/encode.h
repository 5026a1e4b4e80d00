/* From a CSV record to an encoded row under the schema. A pure function of the record and the
 * schema: no other record has any influence, which is what makes "replace one record" change one
 * row only. */
#ifndef DPERM_READ_ENCODE_H
#define DPERM_READ_ENCODE_H

#include <math.h>

#include "dperm/unsafe.h"
#include "matrix/growing_rows.h"
#include "read/csv.h"
#include "schema/schema.h"

typedef struct encoder {
  const dperm_schema *schema;
  size_t *field_of;   /* where each column of the schema stands in a record */
  size_t field_count; /* fields that every record must have */
  bool need_labels;
  dperm_unsafe_column_counts *counts; /* one per column of the schema */
} encoder;

/* Reads the header, or looks at the first record, to know where the columns are. A file without
 * the label's column is fine unless labels are needed. On success `csv` stands before the first
 * data record; *first is true if that record is already in `csv` (a file without a header). */
dperm_status encoder_open(const dperm_schema *schema, bool need_labels, csv_reader *csv,
                          encoder *out, bool *first, dperm_error *err);
void encoder_close(encoder *e);

/* Appends the current record of `csv` to `rows`, or drops it if the schema says so. A label that
 * is not needed is 0. */
dperm_status encoder_add(encoder *e, const csv_reader *csv, growing_rows *rows, dperm_error *err);

/* ---- what records from any source share */

/* A number that is not NaN, clamped, transformed, scaled, weighted. */
static inline double encode_number(const schema_column *column, double x) {
  if (x == 0 && column->middle == 0 && column->min <= 0 && column->max >= 0) {
    return 0; /* most numbers of sparse records */
  }
  x = x < column->min ? column->min : x > column->max ? column->max : x;
  double t = column->transform == TRANSFORM_LOG1P ? log1p(x) : x;
  double scaled = (t - column->middle) / column->half;
  return column->weight * (scaled < -1.0 ? -1.0 : scaled > 1.0 ? 1.0 : scaled);
}

/* Where a category that is not the reference stands. */
static inline size_t encoded_column(const schema_column *column, int32_t category) {
  bool after = column->reference != LOOKUP_NONE && category > column->reference;
  return column->first + (size_t)category - after;
}

/* The encoded column of a text, or ENCODE_ZEROS: of an unknown value, which *unknown then counts,
 * and of the category that the schema leaves out. */
#define ENCODE_ZEROS SIZE_MAX
size_t encode_category(const schema_column *column, slice text, size_t *unknown);
/* Ends a row whose own entries begin at `before`: the intercept, and the bound on its norm. */
void encode_end(const dperm_schema *schema, growing_rows *rows, size_t before, double label);

#endif
