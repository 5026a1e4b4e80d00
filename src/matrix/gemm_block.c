/* A strip of B, as wide as two vectors, is copied into a row so that it stays in the first
 * cache; rows of A go over it eight (or four) at a time, their part of C held in registers.
 *
 * The one place with a choice of its own between processors, instead of base/dispatch.h, and with
 * bits that depend on it. Measured: without fused multiply-adds a product takes 1.8 to 2.1 times as
 * long with vectors of 512 bits, and the portable vectors of base/dispatch.h take 4 to 9 times as
 * long with 256, where compilers keep the sums in memory. Certificates hold for both
 * (solve/certify.c: in any order, fused or not), and a row of features is the same in every pass of
 * one fit. */
#include "matrix/matrix_dense.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { DEPTH = 128, MOST_WIDE = 16 };

/* C[0 … rows) × [0 … wide) += A · strip, where the strip has `depth` rows of its full width. */
typedef void add_tile(const gemm_operands *t, const double *a, size_t depth, const double *strip,
                      size_t rows, size_t wide, double *c);

typedef struct tile_kind {
  size_t rows, wide; /* of a full tile */
  add_tile *add;
} tile_kind;

static void add_plain(const gemm_operands *t, const double *a, size_t depth, const double *strip,
                      size_t rows, size_t wide, double *c) {
  for (size_t i = 0; i < rows; i++) {
    double sums[8] = {0};
    for (size_t p = 0; p < depth; p++) {
      double v = a[i * t->a_row + p * t->a_col];
      for (size_t j = 0; j < 8; j++) {
        sums[j] += v * strip[p * 8 + j];
      }
    }
    for (size_t j = 0; j < wide; j++) {
      c[i * t->c_row + j] += sums[j];
    }
  }
}

#if defined(__x86_64__)

/* The kernel for vectors of 512 or 256 bits, with fused multiply-adds. Rows beyond the last stand
 * for the last: what they give is not stored. */
#define FUSED_TILE(bits, target_name, tile_rows)                                                   \
  __attribute__((target(target_name))) static void add_##bits(                                     \
      const gemm_operands *t, const double *a, size_t depth, const double *strip, size_t rows,     \
      size_t wide, double *c) {                                                                    \
    enum { WIDTH = (bits) / 64 };                                                                  \
    __m##bits##d sums[tile_rows][2];                                                               \
    const double *from[tile_rows];                                                                 \
    for (size_t i = 0; i < (tile_rows); i++) {                                                     \
      from[i] = a + (i < rows ? i : rows - 1) * t->a_row;                                          \
      sums[i][0] = sums[i][1] = _mm##bits##_setzero_pd();                                          \
    }                                                                                              \
    for (size_t p = 0; p < depth; p++) {                                                           \
      const __m##bits##d left = _mm##bits##_loadu_pd(strip + 2 * p * WIDTH);                       \
      const __m##bits##d right = _mm##bits##_loadu_pd(strip + (2 * p + 1) * WIDTH);                \
      _Pragma("GCC unroll 8") for (size_t i = 0; i < (tile_rows); i++) {                           \
        const __m##bits##d v = _mm##bits##_set1_pd(from[i][p * t->a_col]);                         \
        sums[i][0] = _mm##bits##_fmadd_pd(v, left, sums[i][0]);                                    \
        sums[i][1] = _mm##bits##_fmadd_pd(v, right, sums[i][1]);                                   \
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

FUSED_TILE(512, "avx512f", 8)
FUSED_TILE(256, "avx2,fma", 4)

#endif

static tile_kind choose_kind(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    return (tile_kind){8, 16, add_512};
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return (tile_kind){4, 8, add_256};
  }
#endif
  return (tile_kind){8, 8, add_plain};
}

bool gemm_is_fused(void) {
  return choose_kind().add != add_plain;
}

void gemm_block(const gemm_operands *t) {
  const tile_kind kind = choose_kind();
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
}
