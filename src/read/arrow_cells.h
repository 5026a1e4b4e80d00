/* Pieces of a batch of Arrow's as batches of cells, by what a schema says of its columns. What a
 * value becomes rests on the value and the schema alone; a piece is made by one thread. */
#pragma once

#include "read/arrow_stream.h"
#include "table/cell.h"
#include "table/row_fingerprint.h"
#include "table/table.h"

enum { ARROW_PIECE = 4096 }; /* records at most */

/* A column of the table. */
typedef struct arrow_field {
  size_t child;                /* of the stream; SIZE_MAX if it is not there */
  size_t place;                /* in the schema; its column_count for the label */
  const schema_column *column; /* NULL for a label of classes, and for persons */
  const char *name;
  arrow_type type;
} arrow_field;

/* Where the columns of a schema stand in a stream. */
typedef struct arrow_fields {
  const dperm_schema *schema;
  bool need_labels, prints;
  const dperm_arrow *given; /* whose labels come beside the stream, if it has any */
  arrow_field *at;          /* in the table's layout */
  size_t count, features;
  double *missing; /* numbers that the schema lists as missing */
  size_t missing_count;
} arrow_fields;

dperm_status arrow_fields_open(const dperm_schema *schema, bool need_labels, bool prints,
                               const dperm_arrow *given, const struct ArrowSchema *columns,
                               arrow_fields *out, dperm_error *err);
void arrow_fields_close(arrow_fields *f);

/* Records first, …, first + count − 1 of a batch, the first of which is record `row` of all. */
typedef struct arrow_piece {
  const struct ArrowArray *batch;
  size_t first, count, row;
} arrow_piece;

/* What a piece is made in, and what it becomes. */
typedef struct seen_text seen_text;
typedef struct arrow_slot {
  arrow_piece piece;
  record_batch *batch;
  cell_reader cells; /* which counts */
  seen_text *seen;
  row_fingerprinter printer;
  row_fingerprint *prints;
  double *given; /* of each record its features' values, for its print */
  bool *drop;
  dperm_status status;
  dperm_error why;
} arrow_slot;

/* To be closed after a failure too. */
dperm_status arrow_slot_open(const arrow_fields *f, record_batch *batch, arrow_slot *out,
                             dperm_error *err);
void arrow_slot_close(arrow_slot *slot);
/* The slot's piece as its batch, or why not. */
void arrow_slot_fill(const arrow_fields *f, arrow_slot *slot);
