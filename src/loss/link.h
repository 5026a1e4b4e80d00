/* The link between a row's score z = fᵀx and its loss: the one place where labels meet margins. The
 * solver sees scores and derivatives by the score only. There is one rule, for binary labels
 * y = ±1: the loss is ℓ(m) of the margin m = y·z, so its derivatives by z are y·ℓ′(m) and ℓ″(m). */
#pragma once

#include "loss/loss.h"

enum { LINK_WIDTH = 512 };

/* Losses of `rows` rows with `width` ≤ LINK_WIDTH scores each (of as many models), the scores of a
 * row together, and their first and second derivatives by the score. Each result may be NULL; none
 * overlaps the scores. */
void link_eval(const dperm_loss *loss, size_t rows, size_t width, const double *labels,
               const double *scores, double *value, double *slope, double *curvature);

/* The first derivative at double-double scores, one a row (loss_slope_dd has its error). */
void link_slope_dd(const dperm_loss *loss, size_t rows, const double *labels, const double *scores,
                   const double *scores_rest, double *slope);
