/* Noise in a body has the law that the proof says, to the last point: frequencies against exact
 * probabilities, with a fixed seed. And its deviation is what intervals take it to be. */
#include <math.h>
#include <stdlib.h>

#include "random/integer_body.h"
#include "support.h"

enum { FAR = 9, WIDE = 2 * FAR + 1, DRAWS = 200000 };

/* The least whole k for which x, y and z are in k times the body: a box of 1, and a ball of 2. */
static int norm_of(int x, int y, int z) {
  const int ball = (abs(y) + abs(z) + 1) / 2;
  return abs(x) > ball ? abs(x) : ball;
}

TEST(every_point_is_as_likely_as_its_norm_says) {
  OWNED(integer_body_clear) integer_body body = {0};
  static double expected[WIDE][WIDE][WIDE];
  static size_t found[WIDE][WIDE][WIDE];
  const ratio epsilon = {(uint64_t)BODY_STEPS * 3, 2}; /* q = e^-1.5 */
  random_source r = seeded(5);
  double whole = 0, chi = 0, cells = 0;
  assert_ok(integer_body_add(&body, 1, BODY_STEPS, BODY_STEPS, err));
  assert_ok(integer_body_add(&body, 2, (uint64_t)100 * BODY_STEPS, (uint64_t)2 * BODY_STEPS, err));
  assert_true(!body.blocks[0].ball && body.blocks[1].ball && body.blocks[1].side == 2);
  for (int x = -40; x <= 40; x++) {
    for (int y = -80; y <= 80; y++) {
      for (int z = -80; z <= 80; z++) {
        const double p = exp(-1.5 * norm_of(x, y, z));
        whole += p;
        if (abs(x) <= FAR && abs(y) <= FAR && abs(z) <= FAR) {
          expected[x + FAR][y + FAR][z + FAR] = p;
        }
      }
    }
  }
  for (size_t i = 0; i < DRAWS; i++) {
    int64_t e[3];
    assert_ok(integer_body_draw(&body, epsilon, &r, e, err));
    if (llabs(e[0]) <= FAR && llabs(e[1]) <= FAR && llabs(e[2]) <= FAR) {
      found[e[0] + FAR][e[1] + FAR][e[2] + FAR]++;
    }
  }
  for (size_t i = 0; i < (size_t)WIDE * WIDE * WIDE; i++) {
    const double own = (&expected[0][0][0])[i] / whole * DRAWS;
    if (own > 20) {
      const double apart = (double)(&found[0][0][0])[i] - own;
      chi += apart * apart / own;
      cells++;
    }
  }
  print_message("# chi square %.1f of %.0f points\n", chi, cells);
  assert_true(cells > 100 && fabs(chi - cells) < 5 * sqrt(2 * cells));
}

TEST(deviations_are_those_that_intervals_take) {
  enum { ENTRIES = 12, TIMES = 20000 };
  OWNED(integer_body_clear) integer_body body = {0};
  random_source r = seeded(6);
  double squares[3] = {0, 0, 0};
  assert_ok(integer_body_add(&body, 1, 1 << 24, 1 << 24, err));
  assert_ok(integer_body_add(&body, 1, 1 << 20, 1 << 20, err));
  assert_ok(integer_body_add(&body, 10, 1 << 24, 2 << 24, err));
  for (size_t i = 0; i < TIMES; i++) {
    int64_t e[ENTRIES];
    assert_ok(integer_body_draw(&body, (ratio){1, 2}, &r, e, err));
    squares[0] += (double)e[0] * (double)e[0] / TIMES;
    squares[1] += (double)e[1] * (double)e[1] / TIMES;
    for (size_t j = 2; j < ENTRIES; j++) {
      squares[2] += (double)e[j] * (double)e[j] / (10 * TIMES);
    }
  }
  for (size_t b = 0; b < 3; b++) {
    const double known = integer_body_deviation(&body, b, 0.5);
    print_message("# block %zu: %.4f of the deviation\n", b, sqrt(squares[b]) / known);
    assert_true(fabs(sqrt(squares[b]) / known - 1) < 0.02);
  }
}
