/* A refinement in two parts: what may fail before a charge, and what is paid for. */
#pragma once

#include "dperm/ledger.h"
#include "refine/refine_counts.h"

typedef struct refinement {
  const dperm_schema *wide;
  const dperm_data *data; /* under the schema of cells */
  guarantee claim;        /* of the histograms alone */
  refine_numbers numbers;
  refine_counts counts; /* exact, until they are released */
} refinement;
void refinement_clear(refinement *r);

/* What a refinement has to be: epsilon for itself, and with the fit's the whole, both for a person
 * with at most so many rows; why it is not private. */
typedef struct refinement_terms {
  double epsilon, whole;
  size_t rows; /* of the records, or the public figure near that */
  dperm_neighbours neighbours;
  size_t rows_per_person;
  unsigned reasons;
} refinement_terms;

/* Whether `data` are of records of `wide`, in cells, and their number is public. */
dperm_status refinement_check_data(const dperm_schema *wide, const dperm_data *data,
                                   dperm_neighbours neighbours, dperm_error *err);
/* The numbers of it, but for the noise; the rule decides by them whether it pays. */
refine_numbers refinement_numbers(const dperm_schema *wide, size_t rows, double whole,
                                  size_t rows_per_person);
/* Counts. On every process of a job. */
dperm_status refinement_prepare(const dperm_schema *wide, const dperm_data *data,
                                const refinement_terms *terms, refinement *out, dperm_error *err);
/* The schemas between which every one lies that counts can lead to, from public numbers: no bins
 * and groups that are not needed, or all that there can be. Of a refinement that was prepared. */
dperm_status refinement_extreme(const refinement *r, bool finest, dperm_schema **out,
                                dperm_error *err);
/* Draws the noise, which the leader does for all processes, and makes the schema; it names the
 * charge, if there is one. The counts are noisy from then on. */
dperm_status refinement_release(refinement *r, const dperm_charge *charge, random_source *source,
                                dperm_schema **out, dperm_error *err);
