/* What becomes of a sweep's cells beside the CSV: a picture and a page, for those who ask. */
#pragma once

#include "dperm/sweep.h"
#include "sweep_grid.h"
#include "sweep_report.h"

typedef struct sweep_show {
  const char *picture, *page; /* paths, or NULL */
  sweep_table table;
} sweep_show;

/* Whether everything needed is there, asked before the long work: names that end in .svg or .png,
 * and gnuplot. Refuses where not, after a message (usage.h). */
bool sweep_show_check(const sweep_show *show);

bool sweep_show_add(sweep_show *show, const sweep_grid *grid, const dperm_sweep_cell *cell);

/* Writes what was asked for; false with a message. `schema` is NULL for rows of norm 1. */
bool sweep_show_write(const sweep_show *show, const sweep_grid *grid, const dperm_schema *schema,
                      sweep_story story);
void sweep_show_free(sweep_show *show);
