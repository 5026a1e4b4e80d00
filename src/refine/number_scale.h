/* How much the numbers of a record count beside its categories and intercept. Ranges known in
 * public are wide, so the numbers of a typical record are small, and noise that is made for the
 * largest drowns them. All numeric columns that are lines get one weight, a power of two: the one
 * with which the numbers of a median record have about the norm that was best on the sets that the
 * rule was chosen on. One record is one number, however many columns it has, so the answer costs
 * next to nothing (docs/proofs/bins.md, Lemma W). */
#pragma once

#include "refine/record_tally.h"

enum { SCALES = LENGTHS + 1, SCALE_PARTS = 2 }; /* weights 1, 2, 4, …, 2^LENGTHS; of a median */

/* The squared norms, falling, that part the scales of so many columns, of so many that are encoded,
 * for so many classes and a fit with this nε. Scale i is where as many records as half of all are
 * at least so long (select_crossing). */
void scale_lengths(size_t columns, size_t encoded, size_t classes, double work,
                   double squares[LENGTHS]);
