/* The link between a row's scores and its loss: the one place where labels meet scores. The solver
 * sees scores and derivatives by them only. There are four rules.
 *
 * Binary labels y = ±1 and one score z = fᵀx: the loss is ℓ(m) of the margin m = y·z, so its
 * derivatives by z are y·ℓ′(m) and ℓ″(m).
 *
 * Numeric labels y in [−1, 1] and one score: the loss is ℓ(r) of the residual r = z − y.
 *
 * Counts, the same labels as y' = (1 + y)/2 of the largest: the loss is φ(u) − y'u at u = z − 2, of
 * which `eval` is φ. Weights of zero predict e^−2 of the largest count: ranges are declared wide.
 *
 * Classes 0, …, k − 1 and k scores z = Wx, with the softmax loss ℓ = log Σ_c e^{z_c} − z_y, the
 * logistic loss of k classes at once (docs/proofs/softmax.md): the derivatives are p − e_y and
 * Diag(p) − ppᵀ, p the probabilities of the classes, which stand for the second. */
#pragma once

#include "loss/loss.h"

enum { LINK_WIDTH = 512 };

/* The scores of a row: 1, or k for softmax. */
size_t link_scores(const dperm_loss *loss);

/* Losses of `rows` rows with `width` ≤ LINK_WIDTH scores each (of as many models), the scores of a
 * row together, and their first and second derivatives by the score. Each result may be NULL; none
 * overlaps the scores. With softmax there is one model, of k = `width` scores and a loss a row. */
void link_eval(const dperm_loss *loss, size_t rows, size_t width, const double *labels,
               const double *scores, double *value, double *slope, double *curvature);

/* The first derivative at double-double scores, link_scores of them a row (loss_slope_dd has its
 * error, for softmax that of their vector). */
void link_slope_dd(const dperm_loss *loss, size_t rows, const double *labels, const double *scores,
                   const double *scores_rest, double *slope);

/* Weights of zero predict e^−2 of the largest count. */
static const double link_count_offset = 2;

/* What a loss of numbers predicts at a score, on the labels' scale: from −1 to 1. */
double link_number(const dperm_loss *loss, double score);

/* ---- softmax. No loss that a caller can name: a run makes it from the logistic loss where classes
 * are learned jointly */

/* The loss as the solver and the plan see it. Its parameter is k; L = √2 bounds ‖p − e_y‖₂,
 * c = ½ the largest eigenvalue of Diag(p) − ppᵀ, and slope_error the computed p − e_y in the l2
 * norm. `eval` is what is left of it where all scores but the row's own are 0. */
extern const loss_kind loss_softmax;
/* For k from 2 to CLASSES_MOST. */
dperm_loss softmax_loss(size_t classes);
/* k, or 0 for any other loss. */
size_t softmax_classes(const dperm_loss *loss);

/* Of `rows` rows with k scores each (+ rest, the low halves of double-doubles, or NULL) and a class
 * from 0 to k − 1: the loss, k derivatives by the scores, k probabilities. Each result may be NULL;
 * none overlaps the scores. */
void softmax_rows(size_t k, size_t rows, const double *labels, const double *scores,
                  const double *rest, double *value, double *slope, double *probability);
