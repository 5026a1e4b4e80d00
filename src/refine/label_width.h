/* How far numeric labels lie apart. Ranges known in public are wide, and the losses of a regression
 * turn from a parabola into lines at h, in halves of that range: the noise in weights grows with h,
 * and below the residuals' own size nothing is gained. So the records are asked, once, in what part
 * of the range nine of ten of their labels lie (docs/proofs/bins.md, Lemma W). */
#pragma once

#include "data/dataset.h"
#include "random/random_source.h"

enum { WIDTHS = 10, LABEL_CELLS = 1 << (WIDTHS + 1) };

/* Exact, and never to leave: of width i, 2^-i in labels from −1 to 1, the most that lie in one of
 * the places that it has in the range, each half over the next. */
typedef struct label_widths {
  size_t rows;
  uint64_t most[WIDTHS];
} label_widths;

/* Of the rows that were drawn (numbered among all, NULL for all of them), on every process of a
 * job.
 */
dperm_status label_widths_of(const dperm_data *data, const size_t *drawn, size_t count,
                             label_widths *out, dperm_error *err);
/* From 0 for the whole range to WIDTHS: nine of ten labels lie within width i − 1, and not within
 * width i; by permute-and-flip. */
size_t label_width_choose(const label_widths *widths, dperm_neighbours neighbours, double epsilon,
                          random_source *source);
/* And the h for it. */
double label_width_h(size_t width);
