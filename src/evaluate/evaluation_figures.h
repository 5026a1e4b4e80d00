/* The figures of an evaluation from its tables, noisy or exact. */
#pragma once

#include "base/status.h"
#include "evaluate/evaluation_table.h"

/* Those that it holds. */
dperm_status evaluation_figures(model_evaluation *e, dperm_error *err);

/* Whether a record of this class was named wrong if it fell in this cell. */
bool cell_is_wrong(const model_evaluation *e, size_t class, size_t cell);
/* The middle of a cell of two classes' scores, and its length. */
double cell_middle(const model_evaluation *e, size_t cell, double *length);

/* Records in some cells of one class among those in others, as a share. */
typedef struct cell_range {
  size_t class; /* or ANY_CLASS */
  size_t from, to;
} cell_range;
#define ANY_CLASS SIZE_MAX
/* Both are ranges of the table; `work` has space for two numbers for each of its counts. */
figure share_figure(const count_table *t, cell_range over, cell_range under, double *work);

/* Of two classes, in cells from, …, to − 1. */
double records_in(const count_table *t, size_t from, size_t to);
/* Where the bin of a calibration that begins at a cell ends: cells are joined until it has its
 * share of the records, and enough of them beside the noise. */
size_t calibration_end(const model_evaluation *e, size_t from);
