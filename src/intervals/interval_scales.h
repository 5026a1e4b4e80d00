/* Draws of the columns' scales, as well as the noise in them lets them be known
 * (docs/proofs/intervals.md 2). */
#pragma once

#include "intervals/interval_law.h"
#include "random/random_source.h"

/* Of each column, and of the reference of each block (at its first column). by[j] is the root of
 * what a variance was thought to be over that, where its correlations were divided by it. */
void interval_scales_draw(const interval_law *law, random_source *source, double *scale,
                          double *rest, double *by);
/* Whether there is so much noise in a column's variance, or in the part of its block's reference,
 * that it is not known to be there. */
bool interval_scale_unsure(const interval_law *law, size_t j);
bool interval_reference_unsure(const interval_law *law, size_t j);
/* What is left of the curvature on the way of a bit's or value's own score, which begins at `score`
 * and goes by `step`. */
double interval_curvature_left(const interval_law *law, size_t j, double score, double step);
