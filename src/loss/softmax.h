/* Softmax: the logistic loss of k classes at once, ℓ = log Σ_c e^{z_c} − z_y for the k scores z =
 * Wx of a row with class y (docs/proofs/softmax.md). Its derivatives by the scores are p − e_y and
 * Diag(p) − ppᵀ, p the probabilities of the classes. No loss that a caller can name: the pipeline
 * makes it of the logistic loss where classes are learned jointly. */
#pragma once

#include "loss/loss.h"

/* The loss as the solver and the calibration see it. Its parameter is k; L = √2 bounds ‖p − e_y‖₂,
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
