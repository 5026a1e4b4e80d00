/* From the fields of a record to an encoded row under the schema. A pure function of the record and
 * the schema: no other record has any influence, which is what makes "replace one record" change
 * one row only. Every reader of texts decides here what a text becomes. */
#pragma once

#include "dperm/unsafe.h"
#include "matrix/growing_rows.h"
#include "schema/schema.h"

/* What a text becomes: flags, and the entry if there is one. */
enum {
  TEXT_ENTRY = 1,       /* there is an entry: not for zeros and for the category left out */
  TEXT_MISSING = 2,     /* the schema lists it as missing */
  TEXT_UNKNOWN = 4,     /* a category, or a label, that the schema does not list */
  TEXT_CLAMPED = 8,     /* a number out of its range */
  TEXT_NOT_FINITE = 16, /* NaN or infinity, where a number is expected */
  TEXT_MALFORMED = 32   /* no number at all */
};

typedef struct encoded_text {
  double value;
  uint32_t at, flags; /* the encoded column; of TEXT_… */
} encoded_text;

/* `column` is numeric or categorical; NULL for the label, whose value is that of its class. */
encoded_text encode_text(const dperm_schema *schema, const schema_column *column, slice text);
/* A number that is not NaN. */
encoded_text encode_number(const schema_column *column, double x);
encoded_text encode_missing(const schema_column *column);

typedef struct noted_text {
  size_t column;
  uint32_t flags;
} noted_text;

typedef struct encoder {
  const dperm_schema *schema;
  bool need_labels;
  dperm_unsafe_column_counts *counts; /* one per column of the schema */

  /* The row that is being made. */
  size_t before; /* where its entries begin */
  double label;
  bool drop;
  noted_text *noted; /* what it will add to the counts */
  size_t noted_count;
} encoder;

dperm_status encoder_open(const dperm_schema *schema, bool need_labels, encoder *out,
                          dperm_error *err);
void encoder_close(encoder *e);

/* A row: encoder_begin; the label, if labels are needed (else it is 0); the columns that have
 * entries, in the schema's order; encoder_end, which also drops the row if the schema says so. A
 * row that is not ended leaves no trace but entries in `rows` from e->before on. */
dperm_status encoder_begin(encoder *e, growing_rows *rows, dperm_error *err);
/* False for a label that no class has, unless it is missing and the row is dropped for it. */
bool encoder_label(encoder *e, encoded_text text);
void encoder_end(encoder *e, growing_rows *rows);

/* Notes what is to be counted of column `c`. */
void encoder_note(encoder *e, size_t c, uint32_t flags);

static inline void encoder_add(encoder *e, size_t c, encoded_text text, growing_rows *rows) {
  if (text.flags & ~(uint32_t)TEXT_ENTRY) {
    encoder_note(e, c, text.flags);
  }
  if (text.flags & TEXT_ENTRY) {
    rows_push(rows, text.at, text.value);
  }
}
