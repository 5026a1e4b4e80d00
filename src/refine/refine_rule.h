/* The rule of a refinement: which columns are counted, in which cells, and what becomes of the
 * noisy counts. It sees public numbers and noisy counts only, so whatever it does costs nothing
 * beyond the counts themselves (post-processing), and it can be replaced without touching the
 * mechanism (refine_counts.h). */
#pragma once

#include "schema/schema.h"

/* What is known in public. */
typedef struct refine_numbers {
  size_t rows;    /* n */
  double epsilon; /* for one record, of refinement and fit together */
  size_t columns; /* k: of the schema, that are encoded */
  bool numbers;   /* of these the numeric ones alone are counted, */
  size_t counted; /* k': so many */
  double scale;   /* s: of a count's noise, P(y) ~ exp(-|y|/s); */
  size_t grid;    /* the cells that a numeric range is cut into; 0: refine_rule_cells */
} refine_numbers;

/* ---- before anything is counted */

/* Whether a column is worth counting: a numeric one without bins of its own, a categorical one with
 * many categories, unless numbers alone are counted. */
bool refine_rule_counts(const schema_column *column, bool numbers);
/* The share of epsilon that a refinement gets; 0 where none would pay. `scale` is not used. */
double refine_rule_share(const refine_numbers *numbers);
/* The whole epsilon of which this is the usual share. */
double refine_rule_whole(double refinement);
/* Cells of equal width that a numeric range is cut into: 16, 32, … or REFINE_CELLS_MOST. */
enum { REFINE_CELLS_LEAST = 16, REFINE_CELLS_MOST = 256 };
size_t refine_rule_cells(const refine_numbers *numbers);
/* The number of bins that a column begins with: 4, 8 or 16, as "auto" cuts them. */
size_t refine_rule_auto(const refine_numbers *numbers);
/* Whether there are cells close to zero besides, each half as wide as the next: where amounts of
 * very different sizes may stand, or zero is where they begin. */
bool refine_rule_near_zero(const schema_column *column);

/* ---- after it */

/* Bins of a numeric column as unions of its cells, from their noisy counts. cut[i] is a cut behind
 * cell i, i < cells − 1: before, those of the bins that "auto" would give the column; after, those
 * of the rule. All false: the column becomes a straight line. */
void refine_rule_cuts(const refine_numbers *numbers, const int64_t *counts, size_t cells,
                      bool *cut);
/* Whether one cell, which is then `*largest`, holds so much that cells are too coarse for the
 * column, unless it is narrower than all but atoms: a straight line tells more of what is in it. */
bool refine_rule_coarse(const int64_t *counts, size_t cells, size_t *largest);
/* Categories that are merged into one. None, or at least two and not all. */
void refine_rule_merge(const refine_numbers *numbers, const int64_t *counts, size_t categories,
                       bool *merged);
