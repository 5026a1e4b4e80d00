/* How far numeric labels lie apart. Ranges known in public are wide, and the losses of a regression
 * turn from a parabola into lines at h, in halves of that range: the noise in weights grows with h,
 * and below the residuals' own size nothing is gained. So the records are asked, once, in what part
 * of the range nine of ten of their labels lie (docs/proofs/bins.md, Lemma W): width i is 2^-i, of
 * labels from -1 to 1. */
#pragma once

#include "data/dataset.h"

enum { WIDTHS = 10, LABEL_PARTS = 10 };

/* Exactly, and never to leave: of each width how many labels lie apart from the fullest of its
 * places in the range, each half over the next. Of the rows that were drawn (numbered among all,
 * NULL for all of them), on every process of a job. */
dperm_status label_widths_of(const dperm_data *data, const size_t *drawn, size_t count,
                             uint64_t apart[WIDTHS], size_t *rows, dperm_error *err);
/* h where one of LABEL_PARTS labels lies apart from about this width (select_crossing). */
double label_width_h(size_t width, dperm_neighbours neighbours);
