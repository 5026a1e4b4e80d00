/* Arrow streams made by hand, as a producer would: in batches, behind offsets with other people's
 * values in front, nulls over bytes that are nobody's. Every struct that is handed out is counted
 * until it is given back, and fails the test if it is given back twice. */
#ifndef DPERM_TESTS_ARROW_MADE_H
#define DPERM_TESTS_ARROW_MADE_H

#include "dperm/arrow.h"

typedef struct made_column {
  const char *name, *format; /* as Arrow writes types; of a dictionary, of the places in it, and */
  const char *entries;       /* the type of its entries, or NULL */
  const char *const *texts;  /* one a record, NULL for null; or, where types are of numbers, */
  const double *numbers;     /* these, NaN for null */
  const char *metadata;      /* or NULL */
} made_column;

typedef struct made_table {
  const made_column *columns;
  size_t column_count, rows, batch; /* records in a batch, 0 for all */
  size_t pad;                       /* so many values in front of each column's */
  size_t first;                     /* so many records of a batch in front of its offset */
  /* May spoil batch `number`, the stream's schema or the stream itself, as they are handed out. */
  void (*spoil)(struct ArrowArray *batch, size_t number);
  void (*spoil_schema)(struct ArrowSchema *schema);
} made_table;

/* The table and what it points to must outlive the stream. */
struct ArrowArrayStream arrow_made(const made_table *table);
/* Structs that were handed out and not given back: 0 at the end of every test. */
size_t arrow_live(void);

#endif
