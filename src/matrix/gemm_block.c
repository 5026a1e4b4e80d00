/* A strip of B, as wide as two vectors, is copied into a row so that it stays in the first
 * cache; rows of A go over it eight (or four) at a time, their part of C held in registers.
 *
 * The one place with a choice of its own between processors, instead of base/dispatch.h. Every kind
 * multiplies and adds with one rounding and sums in one order, so the bits are the same for all;
 * where the processor has no such instruction, base/fused.h stands in. Rounding twice everywhere
 * would be simpler; measured with bench/fit_shapes, it costs whole fits up to 40 % of their time on
 * processors that fuse. Compilers' own vectors took 4 to 9 times as long with 256 bits, where they
 * keep the sums in memory. */
#include "matrix/matrix_dense.h"

#include <string.h>

#include "base/fused.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { DEPTH = 128, MOST_WIDE = 16 };

/* C[0 … rows) × [0 … wide) += A · strip, where the strip has `depth` rows of its full width. */
typedef void add_tile(const gemm_operands *t, const double *a, size_t depth, const double *strip,
                      size_t rows, size_t wide, double *c);

typedef struct tile_kind {
  size_t rows, wide; /* of a full tile */
  add_tile *add;
} tile_kind;

/* Where the processor fuses nothing. What base/fused.h is not for is computed again, by libm. */
static void add_emulated(const gemm_operands *t, const double *a, size_t depth, const double *strip,
                         size_t rows, size_t wide, double *c) {
  for (size_t i = 0; i < rows; i++) {
    const double *from = a + i * t->a_row;
    lanes sums = {0}, x;
    lane_bits outside = {0};
    for (size_t p = 0; p < depth; p++) {
      const double v = from[p * t->a_col];
      const lanes same = {v, v, v, v, v, v, v, v};
      LANES_LOAD(x, strip + p * LANES);
      lanes_fuse(&same, &x, &sums, &outside);
    }
    for (size_t j = 0; j < wide; j++) {
      double sum = sums[j];
      if (outside[j]) {
        sum = 0;
        for (size_t p = 0; p < depth; p++) {
          sum = fma(from[p * t->a_col], strip[p * LANES + j], sum);
        }
      }
      c[i * t->c_row + j] += sum;
    }
  }
}

/* A kernel for processors that fuse. Rows beyond the last stand for the last: what they give is not
 * stored. */
#define FUSED_TILE(name, attributes, vector, same_of, fuse, tile_rows)                             \
  attributes static void name(const gemm_operands *t, const double *a, size_t depth,               \
                              const double *strip, size_t rows, size_t wide, double *c) {          \
    enum { WIDTH = sizeof(vector) / sizeof(double) };                                              \
    vector sums[tile_rows][2];                                                                     \
    const double *from[tile_rows];                                                                 \
    for (size_t i = 0; i < (tile_rows); i++) {                                                     \
      from[i] = a + (i < rows ? i : rows - 1) * t->a_row;                                          \
      sums[i][0] = sums[i][1] = same_of(0);                                                        \
    }                                                                                              \
    for (size_t p = 0; p < depth; p++) {                                                           \
      vector left, right;                                                                          \
      memcpy(&left, strip + 2 * p * WIDTH, sizeof left);                                           \
      memcpy(&right, strip + (2 * p + 1) * WIDTH, sizeof right);                                   \
      _Pragma("GCC unroll 8") for (size_t i = 0; i < (tile_rows); i++) {                           \
        const vector v = same_of(from[i][p * t->a_col]);                                           \
        sums[i][0] = fuse(v, left, sums[i][0]);                                                    \
        sums[i][1] = fuse(v, right, sums[i][1]);                                                   \
      }                                                                                            \
    }                                                                                              \
    _Pragma("GCC unroll 8") for (size_t i = 0; i < (tile_rows); i++) {                             \
      double out[2 * WIDTH];                                                                       \
      memcpy(out, sums[i], sizeof out);                                                            \
      for (size_t j = 0; i < rows && j < wide; j++) {                                              \
        c[i * t->c_row + j] += out[j];                                                             \
      }                                                                                            \
    }                                                                                              \
  }

#if defined(__x86_64__)
FUSED_TILE(add_512, __attribute__((target("avx512f"))), __m512d, _mm512_set1_pd, _mm512_fmadd_pd, 8)
FUSED_TILE(add_256, __attribute__((target("avx2,fma"))), __m256d, _mm256_set1_pd, _mm256_fmadd_pd,
           4)
#elif defined(__aarch64__)
#define FUSE_128(a, b, c) vfmaq_f64(c, a, b)
FUSED_TILE(add_128, , float64x2_t, vdupq_n_f64, FUSE_128, 8)
#endif

/* The widest of this processor come first. */
static tile_kind kind_at(size_t at) {
#if defined(__x86_64__)
  const bool has_512 = __builtin_cpu_supports("avx512f");
  const bool has_256 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const tile_kind kinds[] = {{8, 16, has_512 ? add_512 : NULL}, {4, 8, has_256 ? add_256 : NULL}};
#elif defined(__aarch64__)
  const tile_kind kinds[] = {{8, 4, add_128}};
#else
  const tile_kind kinds[] = {{0}};
#endif
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (kinds[i].add && at-- == 0) {
      return kinds[i];
    }
  }
  return (tile_kind){8, 8, at == 0 ? add_emulated : NULL};
}

bool gemm_block_by(size_t at, const gemm_operands *t) {
  const tile_kind kind = kind_at(at);
  if (!kind.add) {
    return false;
  }
  double strip[DEPTH * MOST_WIDE];
  for (size_t p = 0; p < t->k; p += DEPTH) {
    size_t depth = t->k - p < DEPTH ? t->k - p : DEPTH;
    for (size_t j = 0; j < t->n; j += kind.wide) {
      size_t wide = t->n - j < kind.wide ? t->n - j : kind.wide;
      for (size_t q = 0; q < depth; q++) {
        memcpy(strip + q * kind.wide, t->b + (p + q) * t->b_row + j, wide * sizeof *strip);
        memset(strip + q * kind.wide + wide, 0, (kind.wide - wide) * sizeof *strip);
      }
      for (size_t i = 0; i < t->m; i += kind.rows) {
        size_t rows = t->m - i < kind.rows ? t->m - i : kind.rows;
        kind.add(t, t->a + i * t->a_row + p * t->a_col, depth, strip, rows, wide,
                 t->c + i * t->c_row + j);
      }
    }
  }
  return true;
}

void gemm_block(const gemm_operands *t) {
  (void)gemm_block_by(0, t);
}
