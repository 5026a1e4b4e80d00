/* The library's own linear algebra against its definitions: products of tiles against sums in
 * twice the width, factors against the matrix that they are of, rotations against orthogonality,
 * for sizes around every block, with strides, and with garbage where nothing may be read. */
#include <math.h>
#include <stdlib.h>

#include "base/thread_pool.h"
#include "base/vector.h"
#include "matrix/matrix_dense.h"
#include "solve/direction.h"
#include "support.h"

static random_source source(uint64_t seed) {
  random_source r = seeded(seed);
  return r;
}

static double *numbers(random_source *r, size_t count) {
  double *x = calloc(count + 1, sizeof *x);
  assert_non_null(x);
  for (size_t i = 0; i < count; i++) {
    x[i] = 2 * random_unit(r) - 1;
  }
  return x;
}

/* ---- vectors */

TEST(dot_products_and_scaled_sums_are_right) {
  random_source r = source(5);
  for (size_t count = 0; count < 40; count++) {
    double *a = numbers(&r, count), *b = numbers(&r, count), truth = 0;
    OWNED_MEMORY double *moved = numbers(&r, count);
    for (size_t i = 0; i < count; i++) {
      truth += a[i] * b[i];
      moved[i] = a[i];
    }
    assert_true(fabs(vector_dot(a, b, count) - truth) <= 1e-15 * (double)count);
    vector_axpy(moved, -2, b, count);
    for (size_t i = 0; i < count; i++) {
      assert_true(moved[i] == a[i] - 2 * b[i]);
    }
    free(a);
    free(b);
  }
}

/* ---- limited-memory BFGS */

static dperm_status halve(void *context, double *d, dperm_error *e) {
  for (size_t j = 0; j < *(const size_t *)context; j++) {
    d[j] /= 2;
  }
  return DPERM_OK;
}

/* H⁻¹ turn = step for the last pair (the secant equation), also when older ones are forgotten; and
 * a step along which the gradient falls leaves no pair. */
TEST(lbfgs_meets_the_secant_equation) {
  random_source r = source(6);
  size_t cols = 20;
  OWNED_MEMORY double *work = numbers(&r, lbfgs_work_size(cols)),
                      *zero = calloc(cols, sizeof *zero);
  lbfgs q;
  lbfgs_begin(&q, cols, work);
  for (size_t pair = 0; pair < 2 * (size_t)LBFGS_PAIRS; pair++) {
    OWNED_MEMORY double *step = numbers(&r, cols), *turn = numbers(&r, cols),
                        *d = numbers(&r, cols);
    for (size_t j = 0; j < cols; j++) {
      d[j] = turn[j] = (double)(j + 1) * step[j];
    }
    lbfgs_add(&q, zero, step, zero, turn);
    assert_int_equal(q.pairs, pair + 1);
    lbfgs_add(&q, step, zero, zero, turn);
    assert_int_equal(q.pairs, pair + 1);
    assert_ok(lbfgs_solve(&q, halve, &cols, d, err));
    for (size_t j = 0; j < cols; j++) {
      assert_true(fabs(d[j] - step[j]) <= 1e-9);
    }
  }
}

/* ---- products */

/* All entries right, those beside the tile untouched, and an entry's bits its own: the same from a
 * product with one column and one row. */
static void check_product(random_source *r, size_t m, size_t n, size_t k, int transposed) {
  size_t b_row = n + 3, c_row = n + 5, a_row = transposed ? 1 : k + 2, a_col = transposed ? m : 1;
  OWNED_MEMORY double *a = numbers(r, m * (k + 2)), *b = numbers(r, k * b_row),
                      *c = numbers(r, m * c_row);
  OWNED_MEMORY double *before = calloc(m * c_row + 1, sizeof *before);
  memcpy(before, c, m * c_row * sizeof *c);
  gemm_operands t = {m, n, k, a, a_row, a_col, b, b_row, c, c_row};
  gemm_block(&t);
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < c_row; j++) {
      double was = before[i * c_row + j], is = c[i * c_row + j], alone = was;
      if (j >= n) {
        assert_true(is == was);
        continue;
      }
      long double sum = was;
      for (size_t p = 0; p < k; p++) {
        sum += (long double)a[i * a_row + p * a_col] * b[p * b_row + j];
      }
      assert_true(fabsl(sum - is) <= 1e-15L * (long double)(k + 4));
      gemm_block(
          &(gemm_operands){1, 1, k, a + i * a_row, a_row, a_col, b + j, b_row, &alone, c_row});
      assert_true(is == alone);
    }
  }
}

TEST(products_are_right_for_every_shape) {
  const size_t sizes[] = {1, 2, 7, 8, 9, 12, 16, 17, 24, 25, 33};
  enum { SIZES = sizeof sizes / sizeof *sizes };
  random_source r = source(1);
  for (size_t i = 0; i < SIZES * SIZES; i++) {
    size_t depths[] = {1, 5, 127, 128, 129, 300};
    check_product(&r, sizes[i / SIZES], sizes[i % SIZES], depths[i % 6], i / 7 % 2);
  }
}

/* Numbers of all sizes, with zeros, subnormals and, rarely, infinities among them. */
static double wild(random_source *r, int spread) {
  const uint64_t bits = random_bits(r);
  const double x =
      ldexp(1 + (double)(bits >> 12) * 0x1p-52, (int)(bits % 64) * spread - 32 * spread);
  return bits % 31 == 0 ? 0 : bits % 8191 == 0 ? INFINITY : bits % 2 ? x : -x;
}

/* c = the sums of a product, by fma() alone. */
static double fused_sum(const gemm_operands *t, size_t i, size_t j) {
  double total = 0;
  for (size_t p = 0; p < t->k; p += 128) {
    double sum = 0;
    for (size_t q = p; q < t->k && q < p + 128; q++) {
      sum = fma(t->a[i * t->a_row + q * t->a_col], t->b[q * t->b_row + j], sum);
    }
    total += sum;
  }
  return total;
}

static bool same_bits(double x, double y) {
  return memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y));
}

/* Every kernel that runs here, down to the emulation, which is for all processors. */
static void check_kernels(const gemm_operands *t) {
  size_t kernels = 0;
  for (bool more = true; more; kernels += more) {
    memset(t->c, 0, t->m * t->n * sizeof *t->c);
    more = gemm_block_by(kernels, t);
    for (size_t i = 0; more && i < t->m * t->n; i++) {
      assert_true(same_bits(t->c[i], fused_sum(t, i / t->n, i % t->n)));
    }
  }
  assert_true(kernels >= 1);
}

TEST(products_have_the_same_bits_by_every_kernel) {
  enum { M = 9, N = 19, K = 150 };
  random_source r = source(7);
  double a[M * K], b[K * N], c[M * N];
  for (int round = 0; round < 120; round++) {
    const int spread = round % 12 == 11 ? 33 : round % 12 == 10 ? 16 : round % 3; /* of exponents */
    for (size_t i = 0; i < M * K; i++) {
      a[i] = wild(&r, spread);
    }
    for (size_t i = 0; i < K * N; i++) { /* at times nearly what was there, for sums that cancel */
      b[i] = i >= N && i % 5 == 0 ? -b[i - N] * (1 + 0x1p-30) : wild(&r, spread);
    }
    check_kernels(&(gemm_operands){M, N, K, a, K, 1, b, N, c, N});
  }
}

/* 2^53 + 2j ± (1 − 2^−60), scaled: beside a tie, which two roundings would fall into; at all
 * sizes, those beyond what the emulation is for too. */
TEST(products_beside_a_tie_are_rounded_once) {
  enum { N = 19 };
  for (int power = -1040; power <= 900; power += 10) {
    double a[] = {1, 0x1p-100 * (1 + 0x1p-30)}, b[2 * N], c[N];
    for (size_t j = 0; j < N; j++) {
      b[j] = ldexp(0x1p53 + 2 * (double)j, power);
      b[N + j] = ldexp(j % 3 ? 1 - 0x1p-30 : 0x1p-30 - 1, power + 100);
    }
    check_kernels(&(gemm_operands){1, N, 2, a, 2, 1, b, N, c, N});
  }
}

/* ---- factors */

/* XᵀX + shift · I, its upper triangle; what nobody may use is below. */
static double *gram(random_source *r, size_t n, double shift, double below) {
  double *x = numbers(r, n * n), *h = calloc(n * n + 1, sizeof *h);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      double sum = i == j ? shift : 0;
      for (size_t p = 0; p < n; p++) {
        sum += x[p * n + i] * x[p * n + j];
      }
      h[i * n + j] = j >= i ? sum : below;
    }
  }
  free(x);
  return h;
}

static const size_t orders[] = {1, 2, 3, 8, 31, 32, 33, 63, 64, 65, 97, 130, 200};

TEST(a_factor_gives_its_matrix_back) {
  random_source r = source(2);
  for (size_t s = 0; s < sizeof orders / sizeof *orders; s++) {
    size_t n = orders[s];
    OWNED_MEMORY double *h = gram(&r, n, 0.1, NAN), *u = calloc(n * n, sizeof *u);
    memcpy(u, h, n * n * sizeof *u);
    assert_true(cholesky_factor(u, n));
    for (size_t i = 0; i < n; i++) {
      assert_true(u[i * n + i] > 0);
      for (size_t j = i; j < n; j++) {
        double sum = 0;
        for (size_t p = 0; p <= i; p++) {
          sum += u[p * n + i] * u[p * n + j];
        }
        assert_true(fabs(sum - h[i * n + j]) <= 1e-14 * (double)n);
      }
    }
    OWNED_MEMORY double *truth = numbers(&r, n), *x = calloc(n, sizeof *x);
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < n; j++) {
        x[i] += (j >= i ? h[i * n + j] : h[j * n + i]) * truth[j];
      }
    }
    cholesky_solve(u, n, x);
    for (size_t i = 0; i < n; i++) {
      assert_true(fabs(x[i] - truth[i]) <= 1e-11 * (double)n);
    }
  }
}

TEST(no_factor_of_what_is_not_positive_definite) {
  random_source r = source(3);
  const double bad[] = {0, -1, NAN, INFINITY, -INFINITY};
  for (size_t s = 0; s < sizeof orders / sizeof *orders; s++) {
    size_t n = orders[s];
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
      for (size_t at = 0; at < n; at += n / 3 + 1) {
        OWNED_MEMORY double *h = gram(&r, n, 0.1, 0);
        h[at * n + at] = bad[b];
        assert_false(cholesky_factor(h, n));
      }
    }
  }
}

/* ---- rotations */

static void check_rotation(random_source *r, size_t d, size_t count) {
  OWNED_MEMORY double *a = numbers(r, d * count), *q = calloc(d * count, sizeof *q);
  OWNED_MEMORY double *again = calloc(d * count, sizeof *again),
                      *work = calloc(count, sizeof *work);
  memcpy(q, a, d * count * sizeof *q);
  memcpy(again, a, d * count * sizeof *q);
  thread_scope scope = threads_enter(1);
  householder_rotation(d, count, q, work);
  (void)threads_enter(3);
  householder_rotation(d, count, again, work);
  threads_leave(&scope);
  assert_memory_equal(q, again, d * count * sizeof *q);
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < count; j++) {
      double product = 0, r_ij = 0; /* QᵀQ is the unit matrix, QᵀA an upper triangle */
      for (size_t p = 0; p < d; p++) {
        product += q[i * d + p] * q[j * d + p];
        r_ij += q[i * d + p] * a[j * d + p];
      }
      assert_true(fabs(product - (i == j)) <= 1e-14 * sqrt((double)d));
      assert_true(i <= j || fabs(r_ij) <= 1e-14 * (double)d);
      assert_true(i != j || r_ij > 0);
    }
  }
}

TEST(rotations_are_orthogonal_and_have_positive_diagonals) {
  random_source r = source(4);
  const size_t sizes[] = {1, 2, 3, 15, 16, 17, 33, 50, 100};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    for (size_t j = 0; j <= i; j++) {
      check_rotation(&r, sizes[i], sizes[j]);
    }
  }
}

/* A direction that no gaussian will ever draw, but for d = 1: nothing below the diagonal. */
TEST(columns_that_need_no_reflection) {
  double q[] = {-2, 0, 0, 0, 3, 0, 0, 0, -4}, work[3];
  const double expected[] = {-1, 0, 0, 0, 1, 0, 0, 0, -1};
  householder_rotation(3, 3, q, work);
  for (size_t i = 0; i < 9; i++) {
    assert_true(q[i] == expected[i]);
  }
}
