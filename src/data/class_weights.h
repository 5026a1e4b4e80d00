/* Public weights of classes: the loss of a record counts w times, w its class's weight divided by
 * the largest. So no record counts more than once, and the loss's constants L and c, and all noise
 * that follows from them, hold for every choice of weights (docs/proofs/weights.md). */
#pragma once

#include "data/dataset.h"

/* What does not need the classes: numbers in range, names that are there and differ. */
dperm_status class_weights_validate(const dperm_class_weight *given, size_t count,
                                    dperm_error *err);

/* For each class its weight over the largest, in (0, 1], in an array that the caller frees; a class
 * that is not named weighs 1 before that. A name that is no class's is an error. `out` is NULL to
 * check the names alone. */
dperm_status class_weights_new(const class_list *classes, const dperm_class_weight *given,
                               size_t count, double **out, dperm_error *err);
/* The same for the classes of `data`; without weights `*out` stays as it is. */
dperm_status class_weights_of_data(const dperm_data *data, const dperm_class_weight *given,
                                   size_t count, double **out, dperm_error *err);

/* The weight of each row's class. */
void class_weights_of_rows(const double *weights, size_t classes, const double *labels, size_t rows,
                           double *out);
