/* What an array of Arrow's holds, value by value. Nothing that a producer says is trusted as far as
 * the interface lets it be checked: lengths, offsets, buffers that are there, the order of a text's
 * ends, places in a dictionary. How long a buffer is it does not tell. */
#pragma once

#include "base/status.h"
#include "base/text.h"
#include "dperm/arrow.h"

typedef enum arrow_form {
  ARROW_NONE, /* all null; or, of places, no dictionary */
  ARROW_BOOL,
  ARROW_INT8,
  ARROW_UINT8,
  ARROW_INT16,
  ARROW_UINT16,
  ARROW_INT32,
  ARROW_UINT32,
  ARROW_INT64,
  ARROW_UINT64,
  ARROW_HALF,
  ARROW_FLOAT,
  ARROW_DOUBLE,
  ARROW_TEXT,
  ARROW_LARGE_TEXT,
  ARROW_TEXT_VIEW
} arrow_form;

static inline bool arrow_form_is_number(arrow_form form) {
  return form >= ARROW_BOOL && form <= ARROW_DOUBLE;
}

/* The type of a column: of its values, or of a dictionary's entries and of the places in it. */
typedef struct arrow_type {
  arrow_form values, places;
} arrow_type;

/* Fails for a type that has no text of its own; `name` is the column's. */
dperm_status arrow_type_of(const struct ArrowSchema *schema, const char *name, arrow_type *out,
                           dperm_error *err);

typedef struct arrow_values {
  arrow_form form;
  size_t offset, count;         /* values from the offset on */
  const unsigned char *present; /* a bit for each; NULL where all are there */
  const unsigned char *data;    /* numbers, bits, ends of texts, or views */
  int64_t last_end;             /* of texts: where the last one ends, behind which is nobody's */
  const struct ArrowArray *array;
} arrow_values;

typedef struct arrow_column {
  arrow_values own, entries; /* the latter: of a dictionary, whose places are the former */
  bool coded;
} arrow_column;

/* The array as a column of at least `needed` values; it must outlive that. */
dperm_status arrow_column_of(const arrow_type *type, const struct ArrowArray *array, size_t needed,
                             const char *name, arrow_column *out, dperm_error *err);
/* What holds for every array: fails with `what` in front. */
dperm_status arrow_array_check(const struct ArrowArray *array, const char *what, dperm_error *err);
dperm_status arrow_unsound(const char *what, const char *why, dperm_error *err);

static inline bool arrow_bit(const unsigned char *bits, size_t i) {
  return bits[i / 8] >> i % 8 & 1;
}

typedef enum arrow_found { ARROW_MISSING, ARROW_FOUND, ARROW_UNSOUND } arrow_found;

/* Where value i stands: in the column's own values, or among a dictionary's entries. */
arrow_found arrow_find(const arrow_column *column, size_t i, const arrow_values **in, size_t *at);
/* A number as the nearest double. */
double arrow_number(const arrow_values *v, size_t at);
/* A text where it lies. */
arrow_found arrow_text(const arrow_values *v, size_t at, slice *out);
/* A number as a text: "True" or "False"; a whole number as its digits, of a float, too; else as
 * few digits as read back to the same double. An empty one for NaN, and for a whole number of 2^53
 * or more as a float, which may have lost digits (*lost). */
enum { ARROW_DIGITS = DOUBLE_TEXT_SIZE };
slice arrow_number_text(const arrow_values *v, size_t at, char space[ARROW_DIGITS], bool *lost);
