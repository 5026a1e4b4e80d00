/* Rows of few entries. The inner loops are over LANES numbers that stand together, compiled for the
 * vectors of several processors; all do the same additions and multiplications in the same order,
 * so the bits are the same on each. */
#include <string.h>

#include "solve/lanes.h"

/* A few rows where they stand. */
typedef struct chunk {
  size_t count;
  size_t entries[LANES_CHUNK];
  const uint32_t *columns[LANES_CHUNK];
  const double *values[LANES_CHUNK];
} chunk;

#define INLINE static inline __attribute__((always_inline))

/* z_i = F x_i, one row after the other. */
INLINE void margins_body(const chunk *c, const double *f, double *restrict z) {
  for (size_t i = 0; i < c->count; i++, z += LANES) {
    double sum[LANES] = {0};
    for (size_t e = 0; e < c->entries[i]; e++) {
      const double *fj = f + (size_t)c->columns[i][e] * LANES, v = c->values[i][e];
      for (size_t l = 0; l < LANES; l++) {
        sum[l] += v * fj[l];
      }
    }
    memcpy(z, sum, sizeof sum);
  }
}

/* g += Σ x_i s_iᵀ. */
INLINE void slopes_body(const chunk *c, const double *s, double *restrict g) {
  for (size_t i = 0; i < c->count; i++, s += LANES) {
    for (size_t e = 0; e < c->entries[i]; e++) {
      double *gj = g + (size_t)c->columns[i][e] * LANES, v = c->values[i][e];
      for (size_t l = 0; l < LANES; l++) {
        gj[l] += v * s[l];
      }
    }
  }
}

/* h += Σ a_i x_i x_iᵀ, the pairs of columns in order. */
INLINE void curvatures_body(const chunk *c, const double *a, const size_t *places,
                            float *restrict h) {
  for (size_t i = 0; i < c->count; i++, a += LANES) {
    for (size_t e = 0; e < c->entries[i]; e++) {
      float w[LANES];
      float *from = h + places[c->columns[i][e]] * LANES;
      for (size_t l = 0; l < LANES; l++) {
        w[l] = (float)(c->values[i][e] * a[l]);
      }
      for (size_t o = e; o < c->entries[i]; o++) {
        float *at = from + (size_t)c->columns[i][o] * LANES, v = (float)c->values[i][o];
        for (size_t l = 0; l < LANES; l++) {
          at[l] += v * w[l];
        }
      }
    }
  }
}

typedef struct kernels {
  void (*margins)(const chunk *c, const double *f, double *restrict z);
  void (*slopes)(const chunk *c, const double *s, double *restrict g);
  void (*curvatures)(const chunk *c, const double *a, const size_t *places, float *restrict h);
} kernels;

#define KERNELS(name, attributes)                                                                  \
  attributes static void margins_##name(const chunk *c, const double *f, double *restrict z) {     \
    margins_body(c, f, z);                                                                         \
  }                                                                                                \
  attributes static void slopes_##name(const chunk *c, const double *s, double *restrict g) {      \
    slopes_body(c, s, g);                                                                          \
  }                                                                                                \
  attributes static void curvatures_##name(const chunk *c, const double *a, const size_t *places,  \
                                           float *restrict h) {                                    \
    curvatures_body(c, a, places, h);                                                              \
  }                                                                                                \
  static const kernels kernels_##name = {margins_##name, slopes_##name, curvatures_##name};

KERNELS(plain, )
#if defined(__x86_64__) && defined(__GNUC__)
KERNELS(avx2, __attribute__((target("avx2"))))
KERNELS(avx512, __attribute__((target("avx512f"))))
#endif

static const kernels *kernels_here(void) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx512f")) {
    return &kernels_avx512;
  }
  if (__builtin_cpu_supports("avx2")) {
    return &kernels_avx2;
  }
#endif
  return &kernels_plain;
}

static void gather(const matrix *x, size_t from, chunk *c) {
  size_t left = x->rows - from;
  c->count = left < LANES_CHUNK ? left : LANES_CHUNK;
  for (size_t i = 0; i < c->count; i++) {
    c->entries[i] = x->kind->entries(x, from + i, &c->columns[i], &c->values[i]);
  }
}

/* Margins y fᵀx to slopes y ℓ′ and curvatures, in place of the products fᵀx. */
static void evaluate(lanes *l, size_t from, size_t count, bool hessian) {
  const double *labels = l->p->labels + from;
  for (size_t i = 0; i < count; i++) {
    for (size_t m = 0; m < LANES; m++) {
      l->margin[i * LANES + m] *= labels[i];
    }
  }
  l->p->loss->eval(l->p->loss, count * LANES, l->margin, NULL, l->slope,
                   hessian ? l->curvature : NULL);
  for (size_t i = 0; i < count; i++) {
    for (size_t m = 0; m < LANES; m++) {
      l->slope[i * LANES + m] *= labels[i];
    }
  }
}

/* to += from, and from is cleared. */
static void fold(double *to, double *from, size_t size) {
  for (size_t i = 0; i < size; i++) {
    to[i] += from[i];
  }
  memset(from, 0, size * sizeof *from);
}

void lanes_pass_entries(lanes *l, bool hessian) {
  const matrix *x = l->p->x;
  const kernels *k = kernels_here();
  size_t wide = x->cols * LANES, block_rows = lanes_block_rows(x), blocks = 0;
  double *pile = l->sums, *block = l->sums + wide;
  chunk c;
  memset(l->gradient, 0, wide * sizeof *l->gradient);
  memset(l->sums, 0, 2 * wide * sizeof *l->sums);
  if (hessian) {
    memset(l->hessian, 0, x->cols * (x->cols + 1) / 2 * LANES * sizeof *l->hessian);
  }
  for (size_t from = 0; from < x->rows; from += LANES_CHUNK) {
    gather(x, from, &c);
    k->margins(&c, l->f, l->margin);
    evaluate(l, from, c.count, hessian);
    k->slopes(&c, l->slope, block);
    if (hessian) {
      k->curvatures(&c, l->curvature, l->places, l->hessian);
    }
    if ((from + LANES_CHUNK) % block_rows == 0) {
      fold(pile, block, wide);
      if (++blocks % LANES_PILE == 0) {
        fold(l->gradient, pile, wide);
      }
    }
  }
  fold(pile, block, wide);
  fold(l->gradient, pile, wide);
}
