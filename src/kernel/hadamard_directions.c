/* A rotation is a random orthogonal n × n matrix Q that is applied in O(n log n) time and kept in
 * O(n) memory: three rounds of a random permutation with random signs and a Hadamard transform,
 * Q = (H P₃)(H P₂)(H P₁) (Yu et al., 2016, with permutations added). H for any n is made of blocks
 * of powers of two, the ones of n in binary; the permutations carry every entry through the large
 * blocks. Unlike zeros appended to x up to the next power of two, this keeps Q orthogonal.
 *
 * Permutation, sign and the scale of a block's transform are one pass, and the transform is
 * butterflies of growing stride. An addition is the same in vectors of any width, so only speed
 * depends on it. Directions are either several rotations of all columns, or one of each of several
 * pieces: both are a loop over pieces and, within, over rotations. */
#include "kernel/hadamard_directions.h"

#include <math.h>

#include "base/dispatch.h"
#include "base/memory.h"
#include "base/progress.h"
#include "random/discrete_sampling.h"
#include "random/random_source.h"

enum { STEPS = 3 };

/* n ≥ LANES: three strides within a vector, where a lane gets its partner's number plus or minus
 * its own, then those between vectors. */
FOR_EACH_WIDTH
static void transform(double *x, size_t n) {
  const lanes one = {1, -1, 1, -1, 1, -1, 1, -1}, two = {1, 1, -1, -1, 1, 1, -1, -1},
              four = {1, 1, 1, 1, -1, -1, -1, -1};
  lanes a, b, sum;
  for (size_t i = 0; i < n; i += LANES) {
    LANES_LOAD(a, x + i);
    a = (lanes){a[1], a[0], a[3], a[2], a[5], a[4], a[7], a[6]} + one * a;
    a = (lanes){a[2], a[3], a[0], a[1], a[6], a[7], a[4], a[5]} + two * a;
    a = (lanes){a[4], a[5], a[6], a[7], a[0], a[1], a[2], a[3]} + four * a;
    LANES_STORE(x + i, a);
  }
  for (size_t h = LANES; h < n; h *= 2) {
    for (size_t from = 0; from < n; from += 2 * h) {
      for (size_t i = from; i < from + h; i += LANES) {
        LANES_LOAD(a, x + i);
        LANES_LOAD(b, x + i + h);
        sum = a + b;
        a -= b;
        LANES_STORE(x + i, sum);
        LANES_STORE(x + i + h, a);
      }
    }
  }
}

/* x becomes H x, in place: H_ij = (−1)^(ones in i & j), n a power of two, without a scale. */
static void walsh_hadamard(double *x, size_t n) {
  if (n >= LANES) {
    transform(x, n);
    return;
  }
  for (size_t h = 1; h < n; h *= 2) {
    for (size_t i = 0; i < n; i++) {
      if ((i & h) == 0) {
        double a = x[i], b = x[i + h];
        x[i] = a + b;
        x[i + h] = a - b;
      }
    }
  }
}

/* STEPS·n numbers, each twice a place plus 1 for a minus; n < 2^31. */
static void rotation_draw(random_source *source, size_t n, uint32_t *places) {
  for (size_t step = 0; step < STEPS; step++, places += n) {
    for (size_t i = 0; i < n; i++) { /* a shuffle that needs no order to begin with */
      size_t j = (size_t)random_below(source, i + 1);
      places[i] = places[j];
      places[j] = (uint32_t)(2 * i);
    }
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++, bits >>= 1) {
      bits = i % 64 == 0 ? random_bits(source) : bits;
      places[i] |= (uint32_t)(bits & 1);
    }
  }
}

/* The largest power of two within `left`. */
static size_t next_block(size_t left) {
  size_t size = 1;
  while (size <= left / 2) {
    size *= 2;
  }
  return size;
}

/* out = Q in, n numbers each, in `work` for n; none of the three overlap. */
static void rotation_apply(const uint32_t *places, size_t n, const double *in, double *out,
                           double *work) {
  for (size_t step = 0; step < STEPS; step++, places += n) {
    double *to = step % 2 ? work : out;
    for (size_t from = 0, size = 0; from < n; from += size) {
      size = next_block(n - from);
      double scale = sqrt(1 / (double)size);
      const double factors[] = {scale, -scale};
      for (size_t i = from; i < from + size; i++) {
        to[i] = factors[places[i] & 1] * in[places[i] >> 1];
      }
      walsh_hadamard(to + from, size);
    }
    in = to;
  }
}

/* out = Qᵀ in; `in` is used up. */
static void rotation_transposed(const uint32_t *places, size_t n, double *in, double *out,
                                double *work) {
  for (size_t step = STEPS; step-- > 0;) {
    const uint32_t *back = places + step * n;
    double *to = step % 2 ? work : out;
    for (size_t from = 0, size = 0; from < n; from += size) {
      size = next_block(n - from);
      double scale = sqrt(1 / (double)size);
      const double factors[] = {scale, -scale};
      walsh_hadamard(in + from, size);
      for (size_t i = from; i < from + size; i++) {
        to[back[i] >> 1] = factors[back[i] & 1] * in[i];
      }
    }
    in = to;
  }
}

/* ---- directions */

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
  return h->places + STEPS * (k * h->at.inputs + piece_start(&h->at, piece));
}

double hadamard_bytes(size_t inputs, size_t count) {
  layout at = layout_of(inputs, count);
  return (double)STEPS * (double)at.rotations * (double)inputs * sizeof(uint32_t) +
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
  TRY(memory_new(STEPS * at->rotations * inputs, sizeof *h->places, &h->places, err));
  TRY(memory_new(at->pieces * count, sizeof *h->lengths, &h->lengths, err));
  for (size_t c = 0; c < at->pieces; c++) {
    size_t n = piece_start(at, c + 1) - piece_start(at, c);
    for (size_t k = 0; k < at->rotations; k++) {
      TRY(progress_tick(progress, "drawing directions", 0, 0, err));
      rotation_draw(source, n, rotation(h, c, k));
    }
    for (size_t r = 0; r < count; r++) {
      h->lengths[c * count + r] = scale * random_chi(source, n);
    }
  }
  *out = TAKE(h);
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
    rotation_apply(rotation(h, c, k), n, x, work, work + n);
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
    rotation_transposed(rotation(h, c, k), n, work, out + from, work + n);
  }
}
