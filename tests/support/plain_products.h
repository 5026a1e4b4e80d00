/* Products of a matrix entry by entry, in plain loops, and arrays to form them with. */
#ifndef DPERM_TESTS_PLAIN_PRODUCTS_H
#define DPERM_TESTS_PLAIN_PRODUCTS_H

#include "reference.h"

typedef struct sum {
  long double value, size; /* Σ terms, Σ |terms| */
} sum;

/* Entry (i, m) of X F, (j, m) of Xᵀ W and (a, b) of Xᵀ diag(w_m) X, of k columns. */
sum apply_entry(const test_rows *t, const double *f, size_t k, size_t i, size_t m);
sum transposed_entry(const test_rows *t, const double *w, size_t k, size_t j, size_t m);
sum gram_entry(const test_rows *t, const double *w, size_t k, size_t a, size_t b, size_t m);

/* Random numbers, some of them zero. */
double *random_array(uint64_t seed, size_t count);

/* Outputs start as NaN: nothing of them may be read. */
double *blank_array(size_t count);

#endif
