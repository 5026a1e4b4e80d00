/* What the matrix kinds share: cutting rows and adding up the pieces. */
#include "data/matrix.h"

#include <omp.h>
#include <string.h>

#include "base/scratch.h"
#include "base/twofold.h"

void matrix_free(matrix *x) {
  if (x) {
    x->kind->free(x);
  }
}

static void apply_block(const matrix *x, size_t block, const double *f, size_t k, double *z,
                        double *room) {
  size_t from = block * MATRIX_BLOCK, left = x->rows - from;
  x->kind->apply_rows(x, from, left < MATRIX_BLOCK ? left : MATRIX_BLOCK, f, k, z + from * k, room);
}

dperm_status matrix_apply_blocks(const matrix *x, const double *f, size_t k, double *z,
                                 dperm_error *err) {
  size_t blocks = (x->rows + MATRIX_BLOCK - 1) / MATRIX_BLOCK;
  double *rooms = NULL; /* one a thread: they hold nothing between blocks */
  scratch room;
  scratch_init(&room);
  TRY(scratch_take(&room, x->room * (size_t)omp_get_max_threads(), sizeof *rooms, &rooms, err));
  if (blocks > 2) {
#pragma omp parallel for schedule(static)
    for (size_t b = 0; b < blocks; b++) {
      apply_block(x, b, f, k, z, rooms + x->room * (size_t)omp_get_thread_num());
    }
  } else { /* even a team of one costs more than such a block */
    for (size_t b = 0; b < blocks; b++) {
      apply_block(x, b, f, k, z, rooms);
    }
  }
  scratch_free(&room);
  return DPERM_OK;
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

/* Pairwise: neighbours at distance 1, then 2, 4, 8. */
void stripe_sum(double *parts, size_t count, size_t size, double *total) {
  for (size_t apart = 1; apart < count; apart *= 2) {
    for (size_t s = 0; s + apart < count; s += 2 * apart) {
      double *to = parts + s * size;
      const double *from = parts + (s + apart) * size;
      for (size_t i = 0; i < size; i++) {
        to[i] += from[i];
      }
    }
  }
  memcpy(total, parts, size * sizeof *total);
}

void stripe_sum_twofold(const double *parts, size_t count, size_t size, double *total,
                        double *total_rest) {
  for (size_t i = 0; i < size; i++) {
    twofold sum = {0, 0};
    for (size_t s = 0; s < count; s++) {
      const double *part = parts + s * 2 * size;
      sum = twofold_add(sum, (twofold){part[i], part[size + i]});
    }
    total[i] = sum.hi;
    total_rest[i] = sum.lo;
  }
}
