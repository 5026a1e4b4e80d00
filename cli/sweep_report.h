/* A sweep as one page that opens anywhere, offline: what was asked, the figures, the tables, and
 * what the plans promised. */
#pragma once

#include <dperm.h>
#include <dperm/plan.h>

#include "sweep_table.h"

typedef struct sweep_story {
  const char *const *words; /* that came after "dperm sweep", NULL at the end */
  size_t rows, dims;        /* of the data */
  size_t test_rows;         /* of data of their own for testing, or 0 for folds */
  size_t folds, draws;
  uint64_t seed;
  const dperm_plan *plans;  /* of the private cells, in their order, for one fold */
  const size_t *plan_lines; /* the line of the table that a plan belongs to */
  size_t plan_count;
} sweep_story;

/* Written whole or not at all; false with a message on stderr. */
bool sweep_report_write(const sweep_table *table, const sweep_story *story, const char *path);
