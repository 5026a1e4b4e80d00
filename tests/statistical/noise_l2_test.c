/* l2 noise: its direction is uniform on the sphere and independent of its length; its quantiles and
 * limits are those of the gamma law. What all kinds share is in noise_conformance_test.c, whose
 * distances, bounds and false-alarm rates these are (the two tests of all second moments share 1e-6
 * out themselves). The last test shows that a wrong law is seen. */
#include <math.h>
#include <stdlib.h>

#include "noise_bodies.h"
#include "random/noise.h"

enum { DRAWS = 100000 };
static const double rate = 1e-9;
static const double pi = 3.14159265358979323846;
static double sample[DRAWS], other[DRAWS], drawn[DRAWS][7];

static double uniform_law(double x, const void *context) {
  return fmax(0, fmin(1, x));
}
/* One coordinate of a uniform point on the sphere in 2 and 3 dimensions. */
static double circle_law(double x, const void *context) {
  return 1 - acos(fmax(-1, fmin(1, x))) / pi;
}
static double sphere_law(double x, const void *context) {
  return fmax(0, fmin(1, (1 + x) / 2));
}
/* In 7 dimensions its density is (15/16)(1 − x²)². */
static double seven_law(double x, const void *context) {
  x = fmax(-1, fmin(1, x));
  return 0.5 + 15.0 / 16 * (x - 2 * x * x * x / 3 + x * x * x * x * x / 5);
}

static void check_halves(const double *signs, size_t count) {
  double mean = 0;
  for (size_t i = 0; i < count; i++) {
    assert_true(fabs(signs[i]) == 1);
    mean += signs[i] / (double)count;
  }
  assert_close(mean, 0, bernstein_limit(count, 1, 1, rate));
}

static const size_t few_dims[] = {1, 2, 3, 7};

static void draw_sphere(size_t dims, uint64_t seed) {
  const noise_plan plan = {&noise_l2, dims, 2.0, {0}, 1};
  random_source r = seeded(seed);
  for (size_t k = 0; k < DRAWS; k++) {
    noise_draw(&plan, &r, drawn[k]);
  }
}

TEST(directions_in_few_dimensions_have_their_exact_law) {
  law *const laws[] = {NULL, circle_law, sphere_law, seven_law};
  for (size_t i = 0; i < 4; i++) {
    size_t dims = few_dims[i];
    draw_sphere(dims, 30 + dims);
    for (size_t j = 0; j < dims; j++) {
      for (size_t k = 0; k < DRAWS; k++) {
        sample[k] = drawn[k][j] / l2_of(drawn[k], dims);
      }
      if (dims == 1) {
        check_halves(sample, DRAWS);
      } else {
        check_law(sample, DRAWS, laws[i], NULL, "coordinate of the direction");
      }
    }
  }
}

/* All patterns of signs are equally likely if and only if the product of the signs over every
 * nonempty set of coordinates has mean 0: 138 sets in all. */
TEST(all_patterns_of_signs_are_equally_likely) {
  for (size_t i = 0; i < 4; i++) {
    size_t dims = few_dims[i], negative[128] = {0};
    draw_sphere(dims, 100 + dims);
    for (size_t k = 0; k < DRAWS; k++) {
      for (size_t set = 1; set < (size_t)1 << dims; set++) {
        bool minus = false;
        for (size_t j = 0; j < dims; j++) {
          minus ^= (set >> j & 1) && drawn[k][j] < 0;
        }
        negative[set] += minus;
      }
    }
    for (size_t set = 1; set < (size_t)1 << dims; set++) {
      assert_close((double)negative[set] / DRAWS, 0.5, bernstein_limit(DRAWS, 0.25, 0.5, rate));
    }
  }
}

/* The angle in the plane of two neighbouring coordinates, the last beside the first: a law of its
 * own, which coordinates one by one do not fix. Pairs are drawn together; 3 and 7 also have planes
 * across two pairs, and across the one whose other half was dropped. */
TEST(directions_turn_uniformly_in_every_plane) {
  for (size_t i = 1; i < 4; i++) {
    size_t dims = few_dims[i];
    draw_sphere(dims, 37 + dims);
    for (size_t plane = 0; plane < dims; plane++) {
      for (size_t k = 0; k < DRAWS; k++) {
        sample[k] = 0.5 + atan2(drawn[k][plane], drawn[k][(plane + 1) % dims]) / (2 * pi);
      }
      check_law(sample, DRAWS, uniform_law, NULL, "angle");
    }
  }
}

/* A coordinate of a uniform direction has mean 0, mean square 1/d and variance of the square
 * 2(d−1)/(d²(d+2)); the product of two has mean 0 and variance 1/(d(d+2)). */
static void check_moments(size_t dims, uint64_t seed) {
  const noise_plan plan = {&noise_l2, dims, 5.0, {0}, 1};
  random_source r = seeded(seed);
  size_t count = dims > 20 ? 30000 : DRAWS;
  double d = (double)dims, n = (double)count, share = 1e-6 / (d * d + 2 * d), b[104];
  OWNED_MEMORY double *first = calloc(dims, sizeof *first),
                      *second = calloc(dims * dims, sizeof *second);
  assert_true(first && second);
  for (size_t k = 0; k < count; k++) {
    noise_draw(&plan, &r, b);
    double length = l2_of(b, dims);
    for (size_t i = 0; i < dims; i++) {
      double u = b[i] / length;
      first[i] += u;
      for (size_t j = 0; j <= i; j++) {
        second[i * dims + j] += u * b[j] / length;
      }
    }
  }
  double means = bernstein_limit(count, 1 / d, 1, share);
  double squares = bernstein_limit(count, 2 * (d - 1) / (d * d * (d + 2)), 1, share);
  double products = bernstein_limit(count, 1 / (d * (d + 2)), 0.5, share);
  for (size_t i = 0; i < dims; i++) {
    assert_close(first[i] / n, 0, means);
    assert_close(second[i * dims + i] / n, 1 / d, squares);
    for (size_t j = 0; j < i; j++) {
      assert_close(second[i * dims + j] / n, 0, products);
    }
  }
}

TEST(directions_in_more_dimensions_are_isotropic) {
  check_moments(10, 50);
  check_moments(104, 51);
}

TEST(length_and_direction_are_independent) {
  for (size_t dims = 2; dims <= 3; dims++) {
    const noise_plan plan = {&noise_l2, dims, 1.0, {0}, 1};
    random_source r = seeded(60 + dims);
    double half = noise_figures_of(&plan).q50, b[3];
    size_t near = 0, far = 0;
    for (size_t k = 0; k < DRAWS; k++) {
      noise_draw(&plan, &r, b);
      double length = l2_of(b, dims), u = b[0] / length;
      if (length <= half) {
        sample[near++] = u;
      } else {
        other[far++] = u;
      }
    }
    law *f = dims == 2 ? circle_law : sphere_law;
    check_law(sample, near, f, NULL, "direction of short noise");
    check_law(other, far, f, NULL, "direction of long noise");
  }
}

/* Quantiles to the gamma law's own, limits against the exact tail and not looser than the formula.
 */
TEST(quantiles_and_limits_are_those_of_the_gamma_law) {
  static const size_t dims[] = {1, 2, 5, 104, 1000, 20000};
  static const double ts[] = {0, 0.01, 1, 5, 20};
  for (size_t i = 0; i < 6; i++) {
    const noise_plan plan = {&noise_l2, dims[i], 0.37, {0}, 1};
    double d = (double)dims[i];
    const noise_figures figures = noise_figures_of(&plan);
    assert_close(gamma_cdf(d, 0.37 * figures.q50), 0.5, 1e-9);
    assert_close(gamma_cdf(d, 0.37 * figures.q95), 0.95, 1e-9);
    for (size_t q = 0; q < 5; q++) {
      double limit = 0.37 * noise_norm_limit(&plan, ts[q]), least = d + sqrt(2 * d * ts[q]) + ts[q];
      assert_true(1 - gamma_cdf(d, limit) <= exp(-ts[q]));
      assert_true(limit >= least);
      assert_close(limit / least, 1, 1e-12);
    }
  }
}

/* ---- teeth */

/* A point of a cube, brought to length 1. */
TEST(the_directions_of_a_cube_are_seen) {
  for (size_t dim = 2; dim <= 3; dim++) {
    random_source r = seeded(90 + dim);
    for (size_t k = 0; k < DRAWS; k++) {
      double b[3];
      for (size_t j = 0; j < dim; j++) {
        b[j] = 2 * random_unit(&r) - 1;
      }
      sample[k] = b[0] / l2_of(b, dim);
    }
    law *f = dim == 2 ? circle_law : sphere_law;
    assert_true(ks_distance(sample, DRAWS, f, NULL) > 1.5 * ks_limit(DRAWS, rate));
  }
}
