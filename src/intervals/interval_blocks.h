/* Blocks, of whose columns a record has one at most: what their own covariance is, exactly, and
 * coordinates in which it is the identity. Post-processing: sees released numbers only. */
#pragma once

#include "intervals/interval_law.h"

/* From means and the noise of `first`. */
void interval_block_set(interval_law *law, const interval_group *g);
/* Of column k, divided by its own √(curvature), in coordinate i of its group; both are numbered
 * among all columns. 1 or 0 but in blocks. */
double interval_block_entry(const interval_law *law, size_t i, size_t k);
/* Rows of a d × d matrix in a group's coordinates become those of its columns, likewise divided;
 * of a block's first coordinate, which is the reference's, `rest` is the variance. */
void interval_block_columns(const interval_law *law, const interval_group *g, double rest,
                            double *rows);
