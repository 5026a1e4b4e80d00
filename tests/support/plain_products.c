/* See plain_products.h. */
#include "plain_products.h"

#include <math.h>
#include <stdlib.h>

double *random_array(uint64_t seed, size_t count) {
  double *values = calloc(count, sizeof *values);
  assert_non_null(values);
  random_source r = seeded(seed);
  for (size_t i = 0; i < count; i++) {
    values[i] = i % 5 == 3 ? 0.0 : random_normal(&r);
  }
  return values;
}

double *blank_array(size_t count) {
  double *values = calloc(count, sizeof *values);
  assert_non_null(values);
  for (size_t i = 0; i < count; i++) {
    values[i] = (double)NAN;
  }
  return values;
}

static void add(sum *s, long double term) {
  s->value += term;
  s->size += fabsl(term);
}

sum apply_entry(const test_rows *t, const double *f, size_t k, size_t i, size_t m) {
  sum s = {0, 0};
  for (size_t j = 0; j < t->cols; j++) {
    add(&s, (long double)t->x[i * t->cols + j] * f[j * k + m]);
  }
  return s;
}

sum transposed_entry(const test_rows *t, const double *w, size_t k, size_t j, size_t m) {
  sum s = {0, 0};
  for (size_t i = 0; i < t->rows; i++) {
    add(&s, (long double)t->x[i * t->cols + j] * w[i * k + m]);
  }
  return s;
}

sum gram_entry(const test_rows *t, const double *w, size_t k, size_t a, size_t b, size_t m) {
  sum s = {0, 0};
  for (size_t i = 0; i < t->rows; i++) {
    const double *row = t->x + i * t->cols;
    add(&s, (long double)row[a] * row[b] * w[i * k + m]);
  }
  return s;
}
