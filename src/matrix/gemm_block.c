/* A strip of B, as wide as two or three vectors, is copied into a row so that it stays in the first
 * cache; rows of A go over it eight (or four) at a time, their part of C held in registers. */
#include "matrix/gemm_block.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { DEPTH = 128, MOST_WIDE = 24 };

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

/* Rows beyond the last stand for the last: what they give is not stored. `vectors` is 2 or 3, known
 * when this is compiled into its caller. */
__attribute__((target("avx512f"), always_inline)) static inline void
add_512(const gemm_operands *t, const double *a, size_t depth, const double *strip, size_t rows,
        size_t wide, double *c, size_t vectors) {
  __m512d sums[8][3], b[3];
  const double *from[8];
  for (size_t i = 0; i < 8; i++) {
    from[i] = a + (i < rows ? i : rows - 1) * t->a_row;
    sums[i][0] = sums[i][1] = sums[i][2] = _mm512_setzero_pd();
  }
  for (size_t p = 0; p < depth; p++) {
#pragma GCC unroll 3
    for (size_t j = 0; j < vectors; j++) {
      b[j] = _mm512_loadu_pd(strip + 8 * (vectors * p + j));
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < 8; i++) {
      __m512d v = _mm512_set1_pd(from[i][p * t->a_col]);
#pragma GCC unroll 3
      for (size_t j = 0; j < vectors; j++) {
        sums[i][j] = _mm512_fmadd_pd(v, b[j], sums[i][j]);
      }
    }
  }
#pragma GCC unroll 8
  for (size_t i = 0; i < 8; i++) {
    if (i < rows) {
#pragma GCC unroll 3
      for (size_t j = 0; j < vectors; j++) {
        size_t left = wide > 8 * j ? wide - 8 * j : 0;
        __mmask8 some = (__mmask8)(left >= 8 ? 0xff : (1U << left) - 1);
        double *to = c + i * t->c_row + 8 * j;
        _mm512_mask_storeu_pd(to, some, _mm512_add_pd(_mm512_maskz_loadu_pd(some, to), sums[i][j]));
      }
    }
  }
}

__attribute__((target("avx512f"))) static void add_512x3(const gemm_operands *t, const double *a,
                                                         size_t depth, const double *strip,
                                                         size_t rows, size_t wide, double *c) {
  add_512(t, a, depth, strip, rows, wide, c, 3);
}

__attribute__((target("avx512f"))) static void add_512x2(const gemm_operands *t, const double *a,
                                                         size_t depth, const double *strip,
                                                         size_t rows, size_t wide, double *c) {
  add_512(t, a, depth, strip, rows, wide, c, 2);
}

__attribute__((target("avx2,fma"), always_inline)) static inline void
add_256(const gemm_operands *t, const double *a, size_t depth, const double *strip, size_t rows,
        size_t wide, double *c, size_t vectors) {
  __m256d sums[4][3], b[3];
  const double *from[4];
  for (size_t i = 0; i < 4; i++) {
    from[i] = a + (i < rows ? i : rows - 1) * t->a_row;
    sums[i][0] = sums[i][1] = sums[i][2] = _mm256_setzero_pd();
  }
  for (size_t p = 0; p < depth; p++) {
#pragma GCC unroll 3
    for (size_t j = 0; j < vectors; j++) {
      b[j] = _mm256_loadu_pd(strip + 4 * (vectors * p + j));
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) {
      __m256d v = _mm256_set1_pd(from[i][p * t->a_col]);
#pragma GCC unroll 3
      for (size_t j = 0; j < vectors; j++) {
        sums[i][j] = _mm256_fmadd_pd(v, b[j], sums[i][j]);
      }
    }
  }
  for (size_t i = 0; i < rows; i++) {
    double out[12];
    memcpy(out, sums[i], sizeof out);
    for (size_t j = 0; j < wide; j++) {
      c[i * t->c_row + j] += out[j];
    }
  }
}

__attribute__((target("avx2,fma"))) static void add_256x3(const gemm_operands *t, const double *a,
                                                          size_t depth, const double *strip,
                                                          size_t rows, size_t wide, double *c) {
  add_256(t, a, depth, strip, rows, wide, c, 3);
}

__attribute__((target("avx2,fma"))) static void add_256x2(const gemm_operands *t, const double *a,
                                                          size_t depth, const double *strip,
                                                          size_t rows, size_t wide, double *c) {
  add_256(t, a, depth, strip, rows, wide, c, 2);
}

#endif

/* Three vectors wide, or two where they do for all of C: sixteen models are solved abreast. */
static tile_kind choose_kind(size_t n) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    return n <= 16 ? (tile_kind){8, 16, add_512x2} : (tile_kind){8, 24, add_512x3};
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return n <= 16 && n != 12 ? (tile_kind){4, 8, add_256x2} : (tile_kind){4, 12, add_256x3};
  }
#else
  (void)n;
#endif
  return (tile_kind){8, 8, add_plain};
}

void gemm_block(const gemm_operands *t) {
  const tile_kind kind = choose_kind(t->n);
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
