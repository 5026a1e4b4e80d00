/* Noise for sums of products has the law that the proof says: of one number it is Laplace noise, of
 * more it spreads as intervals take it to, without a mean; and of two numbers no outcome tells two
 * records apart by more than epsilon. Fixed seeds. */
#include <math.h>
#include <stdlib.h>

#include "random/gram_noise.h"
#include "support.h"

enum { DRAWS = 200000 };

TEST(noise_of_one_number_is_laplace_noise) {
  const gram_noise g = {.size = 1, .most = UINT64_C(1) << 32, .epsilon = {1, 2}};
  const double scale = gram_noise_deviation(&g, true) / sqrt(2);
  random_source r = seeded(3);
  double furthest = 0;
  size_t below[41] = {0};
  assert_true(fabs(scale / (2 * (double)g.most / 0.499) - 1) < 1e-3); /* a square moves by most */
  for (size_t i = 0; i < DRAWS; i++) {
    int64_t e = 0;
    assert_ok(gram_noise_draw(&g, &r, &e, err));
    for (int k = 0; k <= 40; k++) {
      below[k] += (double)e <= scale * (k - 20) / 4;
    }
  }
  for (int k = 0; k <= 40; k++) {
    const double x = (k - 20) / 4.0, law = x < 0 ? exp(x) / 2 : 1 - exp(-x) / 2;
    furthest = fmax(furthest, fabs((double)below[k] / DRAWS - law));
  }
  print_message("# furthest from Laplace: %.5f\n", furthest);
  assert_true(furthest < 2.2 / sqrt(DRAWS)); /* Kolmogorov's at 1 in 8000 */
}

static void look_at_spread(size_t size, size_t draws) {
  const gram_noise g = {.size = size, .most = (uint64_t)size << 30, .epsilon = {3, 10}};
  const size_t entries = gram_entries(size);
  int64_t *e = calloc(entries, sizeof *e);
  random_source r = seeded(4 + size);
  double squares[2] = {0, 0}, sums[2] = {0, 0}, counts[2] = {0, 0};
  for (size_t i = 0; i < draws; i++) {
    assert_ok(gram_noise_draw(&g, &r, e, err));
    for (size_t j = 0; j < size; j++) {
      for (size_t l = j; l < size; l++) {
        const double x = (double)e[gram_place(size, j, l)];
        squares[j == l] += x * x;
        sums[j == l] += x;
        counts[j == l]++;
      }
    }
  }
  assert_int_equal(gram_place(size, size - 1, size - 1), entries - 1);
  for (int of_square = 0; of_square < 2; of_square++) {
    const double known = gram_noise_deviation(&g, of_square),
                 seen = sqrt(squares[of_square] / counts[of_square]),
                 mean = sums[of_square] / counts[of_square];
    print_message("# %zu numbers, %s: %.4f of the deviation\n", size,
                  of_square ? "squares" : "products", seen / known);
    assert_true(fabs(seen / known - 1) < 0.02);
    assert_true(fabs(mean) < 4.5 * known / sqrt(counts[of_square]));
  }
  free(e);
}

TEST(deviations_are_those_that_intervals_take) {
  look_at_spread(2, 30000);
  look_at_spread(7, 6000);
  look_at_spread(60, 300);
}

static double nuclear_norm(double a, double b, double c) {
  const double middle = (a + c) / 2, radius = hypot((a - c) / 2, b);
  return fabs(middle + radius) + fabs(middle - radius);
}

/* Two records as far apart as they can be, and outcomes by how likely they are in the one and in
 * the other. */
TEST(no_outcome_of_two_numbers_tells_more_than_epsilon) {
  enum { CELLS = 24 };
  const double epsilon = 1, most = 0x1p30;
  const gram_noise g = {.size = 2, .most = (uint64_t)most, .epsilon = {1, 1}};
  random_source r = seeded(8);
  double counts[2][CELLS + 1] = {{0}}, largest = 0;
  for (size_t i = 0; i < 2 * (size_t)DRAWS; i++) {
    int64_t e[3];
    assert_ok(gram_noise_draw(&g, &r, e, err));
    double a = (double)e[0], b = (double)e[1], c = (double)e[2];
    *(i % 2 ? &a : &c) += most;
    const double score = (nuclear_norm(a, b, c - most) - nuclear_norm(a - most, b, c)) / most;
    counts[i % 2][(size_t)(CELLS * (score + 2) / 4)]++;
  }
  for (size_t k = 0; k <= CELLS; k++) {
    const double first = counts[0][k], second = counts[1][k];
    if (first + second > 400) {
      const double apart = fabs(log((first + 1) / (second + 1))),
                   unsure = sqrt(1 / (first + 1) + 1 / (second + 1));
      assert_true(apart < epsilon + 4 * unsure);
      largest = fmax(largest, apart - unsure);
    }
  }
  print_message("# largest ratio: e^%.3f\n", largest);
  assert_true(largest > 0.7 * epsilon);
}

TEST(what_64_bits_do_not_hold_is_refused) {
  const gram_noise g = {.size = 3, .most = UINT64_C(1) << 40, .epsilon = {1, UINT64_C(1) << 30}};
  random_source r = seeded(9);
  int64_t e[6];
  assert_fails(gram_noise_draw(&g, &r, e, err), DPERM_INVALID_ARGUMENT, "give a larger one");
}
