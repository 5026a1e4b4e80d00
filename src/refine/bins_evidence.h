/* Whether the records want bins, told by two noisy numbers (docs/proofs/bins.md).
 *
 * Bins serve where values crowd in a part of their ranges, and where straight lines tell the
 * classes apart less well than bins do, noise considered. Both are asked of all columns at once, so
 * that one record moves the answer little, however many columns there are:
 *
 *   crowding     3 Σ_j max_c h_jc − k′n, of the counts h_jc of column j in bin c: positive if the
 *                fullest bin of a column has more than a third of the records on average;
 *   separation   64 U₁ − p U₀, of U = ‖V‖/n, V = Σ (x_i − x_j) over all pairs of a positive record
 *                i and a negative one j: how far apart the classes are with coarse bins (U₁) and
 *                without any (U₀). p/30 is how much more noise a fit with bins has.
 *
 * All of it is counted in integers, from rows in multiples of 2^−12. */
#pragma once

#include "data/dataset.h"
#include "random/random_source.h"

/* Of many records a sample is asked, each of them with probability 2^−halvings and by a coin of its
 * own: who is not in it is not told about, so that the sample's question may have a larger epsilon,
 * with the same noise for each record asked (docs/proofs/bins.md, Lemma S). */
typedef struct evidence_sample {
  unsigned halvings;
  double epsilon; /* of the question to the sample, where that to all records has the one given */
} evidence_sample;
evidence_sample evidence_sample_for(size_t rows, double epsilon);
/* Draws one of records 0, …, rows − 1; to be freed. */
dperm_status evidence_draw(const evidence_sample *sample, size_t rows, random_source *source,
                           size_t **out, size_t *count, dperm_error *err);

/* Whose data sets a sum's reach is about: with one record replaced, all of `most` records; or with
 * one added or removed, of any number up to `most` (docs/proofs/bins.md). */
typedef struct evidence_scope {
  bool adding;
  size_t most;
} evidence_scope;

/* Exact, and never to leave; and what one record changes it by, at most. */
typedef struct exact_sum {
  int64_t value, reach;
} exact_sum;

/* All that is summed up over the rows of data under one schema, on all processes, or those that
 * evidence_draw has drawn (NULL for all); exact, and never to leave. A row that is outside of its
 * bounds, or counts twice in a column, ends the run. */
typedef struct evidence_sums {
  const dperm_schema *schema;
  size_t rows, cols;
  bool positive;  /* no entry is below 0 */
  uint64_t *sums; /* see bins_evidence.c */
} evidence_sums;
dperm_status evidence_sums_of(const dperm_data *data, const size_t *drawn, size_t count,
                              evidence_sums *out, dperm_error *err);
void evidence_sums_clear(evidence_sums *s);
/* How many entries that are not 0 each encoded column has, where it is a bin or a category. */
static inline const uint64_t *evidence_counts(const evidence_sums *s) {
  return s->sums + 2 * s->cols + 2;
}

/* U of two classes, and the noise of a fit with such rows: the least R_K·rms‖b‖ at β = 1. */
typedef struct class_distance {
  exact_sum apart;
  double noise;
} class_distance;
dperm_status class_distance_of(const evidence_sums *s, const evidence_scope *scope,
                               class_distance *out, dperm_error *err);

/* Adds Σ_j max_c h_jc over the numeric columns that the sums' schema has in bins and `plain` has
 * not: of these the wide ones (auto_bins.h), or the others; and how many they are. */
typedef struct fullest_bins {
  size_t columns;
  uint64_t records;
} fullest_bins;
void fullest_bins_add(const evidence_sums *s, const dperm_schema *plain, bool wide,
                      fullest_bins *total);

typedef struct bins_evidence {
  exact_sum crowding, separation;
} bins_evidence;
bins_evidence bins_evidence_of(const fullest_bins *fullest, size_t rows,
                               const evidence_scope *scope, const class_distance *lines,
                               const class_distance *bins);

/* What leaves: whether both are positive, each with discrete Laplace noise. `epsilon` is for one
 * record of those that were asked; crowding has a fifth of it. The source is to be checked before
 * the answer is used. */
bool bins_wanted(const bins_evidence *evidence, double epsilon, random_source *source);
