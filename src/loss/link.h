/* The link between a row's scores and its loss: the one place where labels meet scores. The solver
 * sees scores and derivatives by them only. There are two rules.
 *
 * Binary labels y = ±1 and one score z = fᵀx: the loss is ℓ(m) of the margin m = y·z, so its
 * derivatives by z are y·ℓ′(m) and ℓ″(m).
 *
 * Classes 0, …, k − 1 and k scores z = Wx, with the softmax loss (loss/softmax.h): the derivatives
 * are p − e_y and Diag(p) − ppᵀ, and p stands for the second. */
#pragma once

#include "loss/loss.h"

enum { LINK_WIDTH = 512 };

/* The scores of a row: 1, or k for softmax. */
size_t link_scores(const dperm_loss *loss);

/* Losses of `rows` rows with `width` ≤ LINK_WIDTH scores each (of as many models), the scores of a
 * row together, and their first and second derivatives by the score. Each result may be NULL; none
 * overlaps the scores. With softmax there is one model, of k = `width` scores and one loss a row.
 */
void link_eval(const dperm_loss *loss, size_t rows, size_t width, const double *labels,
               const double *scores, double *value, double *slope, double *curvature);

/* The first derivative at double-double scores, link_scores of them a row (loss_slope_dd has its
 * error, for softmax that of their vector). */
void link_slope_dd(const dperm_loss *loss, size_t rows, const double *labels, const double *scores,
                   const double *scores_rest, double *slope);
