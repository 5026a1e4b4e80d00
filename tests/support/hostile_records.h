/* Random records of every form that the library takes, and hostile ones to put in their place: what
 * a person could write to change more than a row of their own. For the conformance suite of row
 * independence (tests/property/row_independence_test.c); python/tests/test_row_independence.py has
 * the same list for what comes in from Python. A new way to be hostile is a line in the lists of
 * hostile_records.c. */
#ifndef DPERM_TESTS_HOSTILE_RECORDS_H
#define DPERM_TESTS_HOSTILE_RECORDS_H

#include <stdbool.h>

#include "support.h"

/* What records are made of. */
typedef enum record_family {
  RECORDS_CSV,      /* a line under a schema */
  RECORDS_SVMLIGHT, /* a line */
  RECORDS_NUMBERS,  /* values and a label */
  RECORDS_CELLS     /* a number and texts under a schema */
} record_family;

enum { RECORD_DIMS = 6, RECORD_CELLS = 3 };

typedef struct record {
  char *line; /* without its end; may hold NULs */
  size_t length;
  double values[RECORD_DIMS], label;
  size_t entries; /* values that count, the first ones, in columns: */
  uint32_t columns[RECORD_DIMS];
  double number;
  char *cells[RECORD_CELLS]; /* of a category, a number and the label; NULL is missing */
} record;

/* How the records of a file look, known in public. */
typedef struct record_layout {
  const char *schema, *header; /* NULL without one */
  const char *fields;          /* n number, c category, i ignored, y label, unless it is a number */
  char separator;
} record_layout;

typedef struct record_set {
  record_family family;
  const record_layout *layout; /* of RECORDS_CSV and RECORDS_CELLS */
  bool quoted;                 /* lines whose fields all have quotes */
  record *at;
  size_t count;
} record_set;

/* Random records that are fine; the layout goes by `number`, round and round. `wide` leaves out
 * those with one column. */
enum { RECORD_LAYOUTS = 6, RECORD_LAYOUTS_NARROW = 2 };
record_set records_draw(random_source *r, record_family family, size_t number, bool quoted,
                        bool wide, size_t count);
void records_free(record_set *set);

/* How many hostile records there are for a family. */
size_t hostile_count(record_family family);

/* The hostile record `number`, to stand in the place of set->at[place]; the caller clears it. False
 * if there is none in this layout, where such a line is no record: a blank one, of several columns.
 * *name is for messages; *by_others if others may make it an error, where it is none by itself. */
bool hostile_draw(random_source *r, const record_set *set, size_t place, size_t number, record *out,
                  const char **name, bool *by_others);
void record_clear(record *one);

#endif
