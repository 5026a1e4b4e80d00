/* What the matrix kinds share: cutting rows and adding up the pieces. */
#include "data/matrix.h"

#include <string.h>

void matrix_free(matrix *x) {
  if (x) {
    x->kind->free(x);
  }
}

size_t stripe_count(size_t rows, size_t room) {
  const size_t budget = (size_t)64 << 20;
  size_t by_rows = rows / 512 < 16 ? rows / 512 : 16;
  size_t by_room = room ? budget / sizeof(double) / room : 16;
  size_t count = by_rows < by_room ? by_rows : by_room;
  if (count < 2) {
    count = by_rows < 2 ? by_rows : 2;
  }
  return count ? count : 1;
}

size_t stripe_start(size_t rows, size_t count, size_t s) {
  return rows / count * s + (rows % count < s ? rows % count : s);
}

void stripe_sum(const double *parts, size_t count, size_t size, double *total) {
  memcpy(total, parts, size * sizeof *total);
  for (size_t s = 1; s < count; s++) {
    for (size_t i = 0; i < size; i++) {
      total[i] += parts[s * size + i];
    }
  }
}
