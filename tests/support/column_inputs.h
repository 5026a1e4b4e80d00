/* Records as columns, for the table of inputs (input_paths.h). */
#ifndef DPERM_TESTS_COLUMN_INPUTS_H
#define DPERM_TESTS_COLUMN_INPUTS_H

#include "dperm.h"
#include "input_paths.h"

/* A column of texts: each text once, in the order in which they come, or a text for each record. */
typedef struct coded {
  const char **texts;
  int32_t *codes;
  size_t count;
} coded;

typedef struct table_cells {
  coded cells[RECORD_CELLS];
  double *numbers;
  dperm_column columns[RECORD_CELLS + 1];
} table_cells;

void table_cells_open(const input *d, const record_set *set, table_cells *t);
void table_cells_close(table_cells *t);

void pass_table(const input *d, const record_set *set, seen *out);
void pass_arrow(const input *d, const record_set *set, seen *out);

#endif
