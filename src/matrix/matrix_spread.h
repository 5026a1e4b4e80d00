/* Rows among processes: a sparse matrix of which each process of a job has whole stripes. The sums
 * of its operations are those of all rows, bit for bit what one process would have
 * (matrix/matrix.h); tall arrays have the rows that are here. */
#pragma once

#include "matrix/growing_rows.h"
#include "matrix/matrix.h"

/* Numbers for each row of any matrix (a tall array): those of the listed rows, in their new places,
 * as many as a selection of them has rows here. `rows` are numbered among all rows and the same on
 * every process. */
dperm_status tall_select(const matrix *x, const double *tall, const size_t *rows, size_t count,
                         double *out, dperm_error *err);

/* The listed rows of a spread matrix's tall array, `width` numbers each, on every process. */
dperm_status spread_everywhere(const matrix *x, const double *tall, size_t width,
                               const size_t *rows, size_t count, double *out, dperm_error *err);

/* The listed rows out of `total`, of which each process holds those in `here` that stripes_of_rank
 * gives it: each goes to where its new place is. */
dperm_status spread_select(ranks *r, const growing_rows *here, size_t total, const size_t *rows,
                           size_t count, growing_rows *out, dperm_error *err);

/* Rows with labels that were read one share after the other, `rows` of them here, as many as it
 * came to, go to where they belong. `*total` is their number in all. */
dperm_status spread_settle(ranks *r, const growing_rows *rows, growing_rows *out, size_t *total,
                           dperm_error *err);
