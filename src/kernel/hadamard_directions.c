/* Either several rotations of all columns, or one of each of several pieces: both are a loop over
 * pieces and, within, over rotations. */
#include "kernel/hadamard_directions.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "kernel/fast_rotation.h"
#include "random/random_source.h"

typedef struct layout {
  size_t inputs, count;
  size_t pieces, rotations; /* of the columns; of each piece. One of the two is 1 */
  size_t longest;           /* columns of a piece */
} layout;

struct hadamard_directions {
  layout at;
  uint32_t *places; /* rotation by rotation, piece by piece */
  double *lengths;  /* piece by piece, `count` each */
};

static layout layout_of(size_t inputs, size_t count) {
  size_t least = count > FAST_ROTATION_LEAST ? count : FAST_ROTATION_LEAST;
  size_t pieces = inputs >= least ? inputs / least : 1;
  return (layout){.inputs = inputs,
                  .count = count,
                  .pieces = pieces,
                  .rotations = count > inputs ? (count + inputs - 1) / inputs : 1,
                  .longest = (inputs + pieces - 1) / pieces};
}

/* Where piece c begins, and the one before ends; both factors are below 2^31. */
static size_t piece_start(const layout *at, size_t c) {
  return c * at->inputs / at->pieces;
}

static size_t piece_of(const layout *at, size_t column) {
  return ((column + 1) * at->pieces - 1) / at->inputs;
}

static uint32_t *rotation(const hadamard_directions *h, size_t piece, size_t k) {
  return h->places + FAST_ROTATION_STEPS * (k * h->at.inputs + piece_start(&h->at, piece));
}

double hadamard_bytes(size_t inputs, size_t count) {
  layout at = layout_of(inputs, count);
  return (double)FAST_ROTATION_STEPS * (double)at.rotations * (double)inputs * sizeof(uint32_t) +
         (double)at.pieces * (double)count * sizeof(double);
}

size_t hadamard_work_size(size_t inputs, size_t count) {
  return inputs + 3 * layout_of(inputs, count).longest;
}

dperm_status hadamard_directions_new(random_source *source, double scale, size_t inputs,
                                     size_t count, const dperm_progress *progress,
                                     hadamard_directions **out, dperm_error *err) {
  OWNED(hadamard_directions_free_at) hadamard_directions *h = NULL;
  TRY(memory_new(1, sizeof *h, &h, err));
  h->at = layout_of(inputs, count);
  const layout *at = &h->at;
  TRY(memory_new(FAST_ROTATION_STEPS * at->rotations * inputs, sizeof *h->places, &h->places, err));
  TRY(memory_new(at->pieces * count, sizeof *h->lengths, &h->lengths, err));
  for (size_t c = 0; c < at->pieces; c++) {
    size_t n = piece_start(at, c + 1) - piece_start(at, c);
    for (size_t k = 0; k < at->rotations; k++) {
      TRY(progress_tick(progress, "drawing directions", 0, 0, err));
      fast_rotation_draw(source, n, rotation(h, c, k));
    }
    for (size_t r = 0; r < count; r++) {
      h->lengths[c * count + r] = scale * random_chi(source, n);
    }
  }
  *out = h;
  h = NULL;
  return DPERM_OK;
}

void hadamard_directions_free(hadamard_directions *h) {
  if (h) {
    free(h->places);
    free(h->lengths);
    free(h);
  }
}

/* What piece c adds to all angles; `work` is for twice its columns. */
static void add_piece(const hadamard_directions *h, size_t c, const double *x, double *angles,
                      double *work) {
  const layout *at = &h->at;
  size_t n = piece_start(at, c + 1) - piece_start(at, c), left = at->count;
  const double *lengths = h->lengths + c * at->count;
  for (size_t k = 0; k < at->rotations; k++) {
    size_t here = left < n ? left : n;
    fast_rotation_apply(rotation(h, c, k), n, x, work, work + n);
    for (size_t r = 0; r < here; r++) {
      angles[r] += lengths[r] * work[r];
    }
    angles += here;
    lengths += here;
    left -= here;
  }
}

void hadamard_angles(const hadamard_directions *h, size_t entries, const uint32_t *columns,
                     const double *values, double *angles, double *work) {
  double *x = work, *rest = work + h->at.longest;
  memset(angles, 0, h->at.count * sizeof *angles);
  for (size_t e = 0; e < entries;) {
    size_t column = columns ? columns[e] : e, c = piece_of(&h->at, column);
    size_t from = piece_start(&h->at, c), to = piece_start(&h->at, c + 1);
    memset(x, 0, (to - from) * sizeof *x);
    while (e < entries && column >= from && column < to) {
      x[column - from] += values[e++];
      column = columns && e < entries ? columns[e] : e;
    }
    add_piece(h, c, x, angles, rest);
  }
}

void hadamard_direction(const hadamard_directions *h, size_t r, double *out, double *work) {
  const layout *at = &h->at;
  size_t k = r / at->inputs, row = r % at->inputs; /* k = 0 where there are several pieces */
  for (size_t c = 0; c < at->pieces; c++) {
    size_t from = piece_start(at, c), n = piece_start(at, c + 1) - from;
    memset(work, 0, n * sizeof *work);
    work[row] = h->lengths[c * at->count + r];
    fast_rotation_transposed(rotation(h, c, k), n, work, out + from, work + n);
  }
}
