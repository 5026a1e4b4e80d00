/* What records are counted by, exactly and never to leave as it is: how many have an entry in each
 * cell, by class, and how long their numbers are. One pass, on all threads and processes, over all
 * records or a sample of them. */
#pragma once

#include "data/dataset.h"
#include "random/random_source.h"

/* Of many records a sample is asked, each of them with probability 2^−halvings and by a coin of its
 * own: who is not in it is not told about, so that what is asked of it may have a larger epsilon,
 * with the same noise for each record asked (docs/proofs/bins.md, Lemma S). */
typedef struct record_sample {
  unsigned halvings;
} record_sample;
record_sample record_sample_for(size_t rows, double epsilon);
/* The epsilon of something asked of the sample that is `epsilon` for each record of all. */
double sample_epsilon(const record_sample *sample, double epsilon);
/* Draws one of records 0, …, rows − 1; to be freed. */
dperm_status record_sample_draw(const record_sample *sample, size_t rows, random_source *source,
                                size_t **out, size_t *count, dperm_error *err);

/* The same for all processes of a job, numbered among all their rows. NULL where all are asked. */
dperm_status record_sample_of(const record_sample *sample, const matrix *x, random_source *source,
                              size_t **out, size_t *count, dperm_error *err);
/* Those of them that are here: where they begin, and how many. */
size_t record_sample_here(const matrix *x, const size_t **drawn, size_t count);

enum { LENGTHS = 10 };

typedef struct record_tally {
  size_t rows, cols;
  uint64_t *sums; /* entries that are not 0 of each encoded column, where it is a bin or a category:
                     of records that are not positive, then of positive ones; then `longer` */
} record_tally;
/* The lines whose norm is asked for: of those columns that are numbers without bins in `of`; its
 * square is compared with `squares`, which fall. */
typedef struct line_lengths {
  const dperm_schema *of;
  double squares[LENGTHS];
} line_lengths;
/* Of the rows of data under its schema, or those that were drawn (NULL for all). Without `lengths`
 * no line counts. A row with two entries in a column's cells ends the run: no noise is for it. */
dperm_status record_tally_of(const dperm_data *data, const size_t *drawn, size_t count,
                             const line_lengths *lengths, record_tally *out, dperm_error *err);
void record_tally_clear(record_tally *t);
/* How many records have an entry there, of one side or of both. */
static inline uint64_t tally_side(const record_tally *t, size_t column, bool positive) {
  return t->sums[positive * t->cols + column];
}
static inline uint64_t tally_both(const record_tally *t, size_t column) {
  return tally_side(t, column, false) + tally_side(t, column, true);
}
/* How many have lines at least as long as each length. */
static inline const uint64_t *tally_longer(const record_tally *t) {
  return t->sums + 2 * t->cols;
}
