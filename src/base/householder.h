/* The orthogonal factor of a matrix, by Householder's reflections. The same bits on all processors
 * and for all numbers of threads: random features are drawn again wherever a model is used. */
#pragma once

#include <stddef.h>

/* q, column-major with count ≤ d columns of d numbers, becomes the Q of q = QR whose R has no
 * negative number on its diagonal. `work` is for `count` numbers. The numbers' squares must not
 * overflow. */
void householder_rotation(size_t d, size_t count, double *q, double *work);
