/* A sweep as one page that opens anywhere, offline: what was asked, the figures, the tables, and
 * what the plans promised. */
#pragma once

#include "output/sweep_table.h"

typedef struct sweep_story {
  const char *const *words;           /* that came after "dperm sweep", NULL at the end */
  const dperm_schema *schema;         /* as it was given; NULL for rows of norm 1 */
  const dperm_data *data, *test_data; /* the latter for testing alone; NULL: by folds */
  size_t folds, draws;
  uint64_t seed;
} sweep_story;

/* Written whole or not at all. */
dperm_status sweep_report_write(const sweep_table *table, const sweep_story *story,
                                const char *path, dperm_error *err);
