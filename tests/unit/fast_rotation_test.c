/* The Walsh–Hadamard transform against its definition, and rotations made of it: orthogonal for
 * every size, each the transpose of the other way. Seeds are fixed. */
#include <math.h>

#include "kernel/hadamard_directions.h"
#include "support.h"

static double sign_of(size_t i, size_t j) {
  unsigned ones = 0;
  for (size_t both = i & j; both; both &= both - 1) {
    ones++;
  }
  return ones % 2 ? -1 : 1;
}

/* Small integers, so that every order of additions is exact. */
TEST(the_transform_is_a_product_with_the_hadamard_matrix) {
  enum { MOST = 2048 };
  static double x[MOST], before[MOST];
  random_source r = seeded(1);
  for (size_t n = 1; n <= MOST; n *= 2) {
    for (size_t i = 0; i < n; i++) {
      before[i] = x[i] = (double)(random_bits(&r) % 2001) - 1000;
    }
    walsh_hadamard(x, n);
    for (size_t i = 0; i < n; i += 1 + n / 97) {
      double sum = 0;
      for (size_t j = 0; j < n; j++) {
        sum += sign_of(i, j) * before[j];
      }
      assert_true(x[i] == sum);
    }
    walsh_hadamard(x, n); /* H H = n I */
    for (size_t i = 0; i < n; i++) {
      assert_true(x[i] == (double)n * before[i]);
    }
  }
}

/* Rounding in the order of ever wider butterflies, whatever the vector unit. */
TEST(the_transform_adds_in_a_fixed_order) {
  enum { MOST = 1024 };
  static double x[MOST], plain[MOST];
  random_source r = seeded(2);
  for (size_t n = 1; n <= MOST; n *= 2) {
    for (size_t i = 0; i < n; i++) {
      plain[i] = x[i] = random_normal(&r);
    }
    walsh_hadamard(x, n);
    for (size_t h = 1; h < n; h *= 2) {
      for (size_t i = 0; i < n; i++) {
        if ((i & h) == 0) {
          double a = plain[i], b = plain[i + h];
          plain[i] = a + b;
          plain[i + h] = a - b;
        }
      }
    }
    assert_memory_equal(x, plain, n * sizeof *x);
  }
}

enum { LARGEST = 300 };
static const size_t sizes[] = {1, 2, 3, 7, 8, 64, 65, 100, 127, 128, 129, 255, LARGEST};

TEST(every_step_of_a_rotation_is_a_permutation) {
  random_source r = seeded(3);
  for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
    size_t n = sizes[c], minus = 0;
    uint32_t places[FAST_ROTATION_STEPS * LARGEST] = {0};
    fast_rotation_draw(&r, n, places);
    for (size_t step = 0; step < FAST_ROTATION_STEPS; step++) {
      int seen[LARGEST] = {0};
      for (size_t i = 0; i < n; i++) {
        uint32_t place = places[step * n + i];
        assert_true(place >> 1 < n && !seen[place >> 1]);
        seen[place >> 1] = 1;
        minus += place & 1;
      }
    }
    /* half of them minus, within six standard deviations: 2e-9 a size, were the seed not fixed */
    double signs = (double)(FAST_ROTATION_STEPS * n);
    assert_close((double)minus, signs / 2, 3 * sqrt(signs));
  }
}

TEST(rotations_are_orthogonal_for_every_size) {
  static double q[LARGEST * LARGEST], back[LARGEST], in[LARGEST], work[LARGEST];
  random_source r = seeded(4);
  for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
    size_t n = sizes[c];
    uint32_t places[FAST_ROTATION_STEPS * LARGEST] = {0};
    fast_rotation_draw(&r, n, places);
    for (size_t j = 0; j < n; j++) { /* column j of Q as row j of q */
      memset(in, 0, sizeof in);
      in[j] = 1;
      fast_rotation_apply(places, n, in, q + j * n, work);
    }
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j <= i; j++) {
        double dot = 0;
        for (size_t k = 0; k < n; k++) {
          dot += q[i * n + k] * q[j * n + k];
        }
        assert_close(dot, i == j, 1e-13);
      }
      memset(in, 0, sizeof in);
      in[i] = 1;
      fast_rotation_transposed(places, n, in, back, work);
      for (size_t j = 0; j < n; j++) {
        assert_close(back[j], q[j * n + i], 1e-14);
      }
    }
  }
}
