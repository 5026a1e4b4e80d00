/* What the machine can do, for bench/peers: peer_limits THREADS. One line of JSON with the rate at
 * which memory is read (a sum over 1 GB, in the spirit of STREAM), that of STREAM's triad, and
 * OpenBLAS's dgemm (2,048 × 2,048), each the best of several runs. */
#include <cblas.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "peer_problem.h"

enum { WORDS = 1 << 27, SIDE = 2048, REPEATS = 5 };

static double read_rate(const double *a) {
  double best = 1e9, keep = 0;
  for (int r = 0; r < REPEATS; r++) {
    double from = peer_seconds(), sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
    for (size_t i = 0; i < WORDS; i++) {
      sum += a[i];
    }
    double took = peer_seconds() - from;
    keep += sum;
    best = took < best ? took : best;
  }
  return keep > 0 ? 8.0 * WORDS / best / 1e9 : 0;
}

static double triad_rate(double *a) {
  size_t third = WORDS / 3;
  double best = 1e9, *b = a + third, *c = b + third;
  for (int r = 0; r < REPEATS; r++) {
    double from = peer_seconds();
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < third; i++) {
      a[i] = b[i] + 3.0 * c[i];
    }
    double took = peer_seconds() - from;
    best = took < best ? took : best;
  }
  return 24.0 * (double)third / best / 1e9;
}

static double gemm_rate(double *a) {
  double best = 1e9, *b = a + SIDE * SIDE, *c = b + SIDE * SIDE;
  for (int r = 0; r < REPEATS; r++) {
    double from = peer_seconds();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, a, SIDE, b, SIDE, 0,
                c, SIDE);
    double took = peer_seconds() - from;
    best = took < best ? took : best;
  }
  return 2.0 * SIDE * SIDE * SIDE / best / 1e9;
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
  omp_set_num_threads(threads);
  openblas_set_num_threads(threads);
  double *a = malloc(WORDS * sizeof *a);
  if (!a) {
    return 1;
  }
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < WORDS; i++) {
    a[i] = 1e-3 * (double)(i % 1000);
  }
  printf("{\"read_gb_s\": %.2f, ", read_rate(a));
  printf("\"triad_gb_s\": %.2f, ", triad_rate(a));
  printf("\"dgemm_gflops\": %.2f, \"blas\": \"%s\"}\n", gemm_rate(a), openblas_get_corename());
  free(a);
  return 0;
}
