/* From the text of a field to a cell of the table: a number within its column's range, or the code
 * of a category or class. A pure function of the text and the schema: no other record has any
 * influence, which is what makes "replace one record" change one row only. Every door decides here
 * what a text, or a number, becomes. */
#pragma once

#include <string.h>

#include "dperm/unsafe.h"
#include "schema/schema.h"

/* Cells of a categorical column: category c is c + CELL_CATEGORY. A number that is missing is NaN,
 * and the cell of a label is the index of its class, or a number within its range. */
enum { CELL_MISSING = 0, CELL_UNKNOWN = 1, CELL_CATEGORY = 2 };

/* What else there is to say of a text. */
enum {
  TEXT_MISSING = 1,    /* the schema lists it as missing */
  TEXT_UNKNOWN = 2,    /* a category, or a label, that the schema does not list */
  TEXT_CLAMPED = 4,    /* a number out of its range */
  TEXT_NOT_FINITE = 8, /* NaN or infinity, where a number is expected */
  TEXT_MALFORMED = 16  /* no number at all */
};

typedef struct cell_value {
  double value;
  uint32_t flags; /* of TEXT_… */
} cell_value;

/* The category of a text; LOOKUP_NONE if the column has none for it. */
static inline int32_t category_of(const schema_column *column, slice text) {
  int32_t category = lookup_find(&column->values, text);
  return category == LOOKUP_NONE ? column->other : category;
}

/* `column` is numeric or categorical; NULL for the label. */
cell_value cell_of_text(const dperm_schema *schema, const schema_column *column, slice text);
/* A number that is not NaN, clamped. */
cell_value cell_of_number(const schema_column *column, double x);
/* NULL for the label. */
cell_value cell_missing(const schema_column *column);

/* A text of one to eight bytes and its cell, so that it need not be parsed or looked up again: most
 * columns of most files hold few different texts. */
typedef struct known_text {
  uint64_t text; /* its bytes; 0 for none yet */
  double value;  /* of which there is nothing else to say */
} known_text;

enum { KNOWN_TEXTS = 64, KNOWN_COLUMNS = 128 };

/* What a reader of texts has. */
typedef struct cell_reader {
  const dperm_schema *schema;
  bool need_labels;
  dperm_unsafe_column_counts *counts; /* one per column of the schema */
  known_text (*known)[KNOWN_TEXTS];   /* of each column and, last, of the label … */
  size_t known_columns; /* … but no more columns than these: what fits a processor's own cache */
} cell_reader;

/* To be closed after a failure too. */
dperm_status cell_reader_open(const dperm_schema *schema, bool need_labels, cell_reader *out,
                              dperm_error *err);
void cell_reader_close(cell_reader *r);

/* A prediction is owed to every record, so only labelled reading drops one for what is missing. */
static inline bool cell_drops(const cell_reader *r, uint32_t flags) {
  return (flags & TEXT_MISSING) && r->schema->on_missing == MISSING_DROP && r->need_labels;
}

/* What one reader of a schema has counted goes to another. */
void cell_counts_add(cell_reader *to, const cell_reader *from);
/* Counts what is to be counted of column `c`. */
static inline void cell_count(cell_reader *r, size_t c, uint32_t flags) {
  r->counts[c].missing += (flags & TEXT_MISSING) != 0;
  r->counts[c].unknown += (flags & TEXT_UNKNOWN) != 0;
  r->counts[c].clamped += (flags & TEXT_CLAMPED) != 0;
}

/* cell_read, of what is not known yet. */
cell_value cell_learn(cell_reader *r, size_t c, const slice *text, uint64_t bytes);

static inline known_text *known_place(const cell_reader *r, size_t c, uint64_t bytes) {
  return &r->known[c][bytes * UINT64_C(0x9e3779b97f4a7c15) >> 58];
}

/* cell_of_text for column `c` of the schema, or behind the last for the label. No byte of the text
 * is 0, and eight from its start on may be read. */
static inline cell_value cell_read(cell_reader *r, size_t c, const slice *text) {
  uint64_t bytes = 0;
  if (c < r->known_columns && text->length - 1 < sizeof bytes) {
    memcpy(&bytes, text->start, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    bytes &= UINT64_MAX >> (64 - 8 * text->length);
    const known_text *known = known_place(r, c, bytes);
    if (known->text == bytes) {
      return (cell_value){known->value, 0};
    }
  }
  return cell_learn(r, c, text, bytes);
}
