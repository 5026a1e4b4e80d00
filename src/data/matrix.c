/* What the matrix kinds share: cutting rows and adding up the pieces. */
#include "data/matrix.h"

#include <string.h>

#include "base/parallel.h"
#include "base/scratch.h"
#include "base/twofold.h"

void matrix_free(matrix *x) {
  if (x) {
    x->kind->free(x);
  }
}

typedef struct apply_job {
  const matrix *x;
  const double *f;
  size_t k;
  double *z, *rooms; /* a room for each worker: they hold nothing between blocks */
} apply_job;

static void apply_block(void *context, size_t block, size_t worker) {
  const apply_job *job = context;
  const matrix *x = job->x;
  size_t from = block * MATRIX_BLOCK, left = x->rows - from;
  x->kind->apply_rows(x, from, left < MATRIX_BLOCK ? left : MATRIX_BLOCK, job->f, job->k,
                      job->z + from * job->k, job->rooms + x->room * worker);
}

dperm_status matrix_apply_blocks(const matrix *x, const double *f, size_t k, double *z,
                                 dperm_error *err) {
  apply_job job = {.x = x, .f = f, .k = k, .z = z};
  scratch room;
  scratch_init(&room);
  TRY(scratch_take(&room, x->room * parallel_workers(), sizeof *job.rooms, &job.rooms, err));
  parallel_run((x->rows + MATRIX_BLOCK - 1) / MATRIX_BLOCK, apply_block, &job);
  scratch_free(&room);
  return DPERM_OK;
}

dperm_status matrix_apply_both(const matrix *x, const double *f, matrix_turn *turn, void *context,
                               double *g, dperm_error *err) {
  if (x->kind->apply_both) {
    return x->kind->apply_both(x, f, turn, context, g, err);
  }
  dperm_status status = DPERM_OK;
  double *both = NULL;
  scratch room;
  scratch_init(&room);
  TRY_OR_DONE(scratch_take(&room, 2 * x->rows, sizeof *both, &both, err));
  TRY_OR_DONE(x->kind->apply(x, f, 1, both, err));
  turn(context, 0, x->rows, both, both + x->rows);
  TRY_OR_DONE(x->kind->apply_transposed(x, both + x->rows, 1, g, err));
done:
  scratch_free(&room);
  return status;
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
