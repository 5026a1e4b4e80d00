/* A schema made from noisy counts of the records (refine/refine_counts.h), in two parts: what may
 * fail before a charge, and what is paid for. */
#pragma once

#include "refine/refine_counts.h"

/* What counts have to be: epsilon for themselves, and with the fit's the whole, both for a person
 * with at most so many rows; why they are not private. */
typedef struct count_terms {
  double epsilon, whole;
  size_t rows; /* of the records, or the public figure near that */
  dperm_neighbours neighbours;
  size_t rows_per_person;
  unsigned reasons;
} count_terms;

typedef struct counted_schema {
  const dperm_data *data; /* under the wide schema */
  dperm_schema *cells;
  guarantee claim; /* of the histograms alone */
  refine_numbers numbers;
  refine_counts counts; /* exact, until they are released */
} counted_schema;
void counted_clear(counted_schema *c);

/* Counts, on every process of a job. */
dperm_status counted_prepare(const dperm_data *data, const count_terms *terms, counted_schema *out,
                             dperm_error *err);
/* The schemas between which every one lies that counts can lead to, from public numbers: no bins
 * and groups that are not needed, or all that there can be. */
dperm_status counted_extreme(const counted_schema *c, bool finest, dperm_schema **out,
                             dperm_error *err);
/* Draws the noise, which the leader does for all processes, and makes the schema, without the
 * statement of what it cost. The counts are noisy from then on. */
dperm_status counted_release(counted_schema *c, random_source *source, dperm_schema **out,
                             dperm_error *err);
