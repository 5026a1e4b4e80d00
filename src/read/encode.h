/* From the fields of a record to an encoded row under the schema. A pure function of the record and
 * the schema: no other record has any influence, which is what makes "replace one record" change
 * one row only. Every reader of texts decides here what a text becomes. */
#pragma once

#include <string.h>

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
  TEXT_MALFORMED = 32,  /* no number at all */
  TEXT_LINE = 64,       /* `value` is the entry of the line; that of the block is the weight */
  TEXT_LEVEL = 256      /* times 1 + the level of a column that is crossed; none is unknown */
};

typedef struct encoded_text {
  double value;
  uint32_t at, flags; /* the encoded column; of TEXT_… */
} encoded_text;

/* `column` is numeric or categorical and its bins are known; NULL for the label, whose value is
 * that of its class. */
encoded_text encode_text(const dperm_schema *schema, const schema_column *column, slice text);
/* A number that is not NaN. */
encoded_text encode_number(const schema_column *column, double x);
encoded_text encode_missing(const schema_column *column);

/* A text of one to eight bytes and what it became in a column, so that it need not be parsed,
 * transformed or looked up again: most columns of most files hold few different texts. */
typedef struct known_text {
  uint64_t text; /* its bytes; 0 for none yet */
  encoded_text became;
} known_text;

enum { KNOWN_TEXTS = 64, KNOWN_COLUMNS = 128 };

typedef struct encoder {
  const dperm_schema *schema;
  bool need_labels;
  dperm_unsafe_column_counts *counts; /* one per column of the schema */
  known_text (*known)[KNOWN_TEXTS];   /* of each column and, last, of the label … */
  size_t known_columns; /* … but no more columns than these: what fits a processor's own cache */

  /* The row that is being made. */
  size_t before;    /* where its entries begin */
  uint32_t *levels; /* 1 + the level of each column that is crossed, or 0; NULL without crosses */
  double label;
  bool drop;
} encoder;

/* To be closed after a failure too. */
dperm_status encoder_open(const dperm_schema *schema, bool need_labels, encoder *out,
                          dperm_error *err);
void encoder_close(encoder *e);

/* A row: encoder_begin; the label, if labels are needed (else it is 0); the columns that have
 * entries, in the schema's order; encoder_end, which also drops the row if the schema says so. A
 * row that is not ended leaves its counts, and entries in `rows` from e->before on. */
dperm_status encoder_begin(encoder *e, growing_rows *rows, dperm_error *err);
/* False for a label that no class has, unless it is missing and the row is dropped for it. */
bool encoder_label(encoder *e, encoded_text text);
void encoder_end(encoder *e, growing_rows *rows);

/* Counts what is to be counted of column `c`, and keeps its level. */
void encoder_count(encoder *e, size_t c, uint32_t flags);

/* Writes the entry of the line, unless it is 0, and leaves that of the block in `text`. Returns how
 * many entries were written. */
static inline size_t encode_line(const schema_column *column, encoded_text *text, uint32_t *at,
                                 double *value) {
  *at = (uint32_t)column->first;
  *value = text->value;
  text->value = column->weight;
  return *value != 0.0;
}

static inline void encoder_add(encoder *e, size_t c, encoded_text text, growing_rows *rows) {
  encoder_count(e, c, text.flags);
  if (text.flags & TEXT_LINE) {
    rows->entries += encode_line(&e->schema->columns[c], &text, rows->columns + rows->entries,
                                 rows->values + rows->entries);
  }
  if (text.flags & TEXT_ENTRY) {
    rows_push(rows, text.at, text.value);
  }
}

/* encoder_text, of what is not known yet. */
encoded_text encoder_learn(encoder *e, size_t c, const slice *text, uint64_t bytes);

static inline known_text *known_place(const encoder *e, size_t c, uint64_t bytes) {
  return &e->known[c][bytes * UINT64_C(0x9e3779b97f4a7c15) >> 58];
}

/* encode_text for column `c` of the schema, or behind the last for the label. No byte of the text
 * is 0, and eight from its start on may be read. */
static inline encoded_text encoder_text(encoder *e, size_t c, const slice *text) {
  uint64_t bytes = 0;
  if (c < e->known_columns && text->length - 1 < sizeof bytes) {
    memcpy(&bytes, text->start, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    bytes &= UINT64_MAX >> (64 - 8 * text->length);
    const known_text *known = known_place(e, c, bytes);
    if (known->text == bytes) {
      return known->became;
    }
  }
  return encoder_learn(e, c, text, bytes);
}
