/* The mechanism of a refinement (privacy.md 8.9): label-free histograms of some columns, over cells
 * that follow from the schema alone, with discrete Laplace noise in integers. Records are encoded
 * under a schema of cells, in which every counted column is one block of one-hot entries; so a cell
 * is decided where every value is decided, from one record, whatever way the records come in. */
#pragma once

#include "data/dataset.h"
#include "privacy/guarantee.h"
#include "random/random_source.h"
#include "refine/record_tally.h"
#include "refine/refine_rule.h"

/* ---- cells, from the schema alone */

/* A cut between two cells of a numeric column, and the coarsest grid that has it. */
typedef struct cell_cut {
  double at;
  size_t grid;      /* it is one of grids with at least so many cells of equal width */
  size_t auto_bins; /* and of the cuts of so many "auto" bins; 0 for none */
} cell_cut;
/* All of a column's, ascending, strictly within its range; to be freed. */
dperm_status refine_cell_cuts(const schema_column *column, cell_cut **out, size_t *count,
                              dperm_error *err);

/* The schema under which the records of `wide` are counted. Fails where there can be no refinement:
 * the schema drops rows, or was refined already. */
dperm_status refine_cell_schema(const dperm_schema *wide, bool numbers, dperm_schema **out,
                                dperm_error *err);

/* ---- counts */

/* One column's: the cells are unions of those that were encoded. */
typedef struct cell_counts {
  size_t column; /* of the schema */
  size_t first;  /* encoded cells first, …, first + width − 1 of the schema of cells; */
  size_t width;
  uint32_t *cell;  /* of each, which of `cells` it is part of */
  size_t cells;    /* and these are counted: */
  int64_t *counts; /* exactly, and never to leave, until refine_blur was here */
  double *edges;   /* numeric: cell i ends, and i + 1 begins, at edges[i]; */
  bool *auto_cuts; /* that is a cut of the bins that "auto" would give */
} cell_counts;

typedef struct refine_counts {
  size_t count;
  cell_counts *columns;
} refine_counts;
void refine_counts_clear(refine_counts *counts);

/* The numbers of a refinement of `wide`, or of its numbers alone, but for the noise's scale and the
 * grid; epsilon is for one record. */
refine_numbers refine_numbers_of(const dperm_schema *wide, bool numbers, size_t rows,
                                 double epsilon);
/* The columns and their cells under these numbers, all counts zero. */
dperm_status refine_counts_new(const dperm_schema *wide, const dperm_schema *cells,
                               const refine_numbers *numbers, refine_counts *out, dperm_error *err);
/* Leaves out columns that are not among those kept. */
void refine_counts_keep(refine_counts *counts, const bool *kept);
/* Adds what was counted of rows that were encoded under the schema of cells. */
void refine_counts_add(const record_tally *tally, refine_counts *counts);
/* Adds noise to every count, from guarantee_of_histograms: the only way out. The source is to be
 * checked before anything leaves. */
void refine_blur(refine_counts *counts, const guarantee *claim, random_source *source);

/* ---- from noisy counts to a schema */

/* The wide schema with the rule's bins and groups. */
dperm_status refine_schema_make(const dperm_schema *wide, const refine_counts *noisy,
                                const refine_numbers *numbers, dperm_schema **out,
                                dperm_error *err);
