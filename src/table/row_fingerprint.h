/* What a record from memory is known by: the values that the caller gave, before any norm, bounds,
 * constant column or class had a part in what became of them. */
#pragma once

#include "base/file_read.h"
#include "base/text.h"
#include "matrix/matrix.h"

typedef struct row_fingerprint {
  uint64_t half[2];
} row_fingerprint;

/* Space for rows of up to so many entries. */
typedef struct row_fingerprinter {
  uint32_t *columns;      /* of a row without its zeros */
  double *values, *dense; /* of that; and of a row with its zeros */
} row_fingerprinter;

/* To be closed after a failure too. */
dperm_status row_fingerprinter_open(size_t entries, row_fingerprinter *out, dperm_error *err);
/* For the rows of a matrix. */
dperm_status row_fingerprinter_open_for(const matrix *x, row_fingerprinter *out, dperm_error *err);
void row_fingerprinter_close(row_fingerprinter *p);

/* Of the entries that are not zero, so that dense and sparse rows have the same; `columns`,
 * ascending, may be NULL for 0, 1, 2, … */
row_fingerprint row_fingerprint_of(row_fingerprinter *p, const uint32_t *columns,
                                   const double *values, size_t count);

/* Row i of a matrix without its zeros: how many entries, and where they are. */
size_t row_nonzeros(row_fingerprinter *p, const matrix *x, size_t i, const uint32_t **columns,
                    const double **values);

/* Of row `row` of the file with this digest. */
row_fingerprint row_fingerprint_of_place(const unsigned char digest[FILE_DIGEST_SIZE], size_t row);

/* A text of a table as a value: the number that it writes, if it does, so that a column of numbers
 * is the same as one of texts; a value that is not there for "", "?", "NA" and the like; else one
 * that is no number. */
double row_fingerprint_text(slice text);
/* A value that is not there. */
double row_fingerprint_missing(void);
