/* The norms and directions of noise, kind by kind: norms are those of the definitions; l1 has
 * independent Laplace coordinates; group and linf are uniform in their body, group by group; mixed
 * is l1 in blocks and l2 in the other columns, each in its place. noise_l2_test.c has those of l2.
 * What all kinds share is in noise_conformance_test.c, whose distances, bounds and false-alarm
 * rates these are. The last tests show that wrong laws are seen. */
#include <math.h>
#include <stdlib.h>

#include "noise_bodies.h"
#include "noise_reference.h"

enum { DRAWS = 100000 };
static const double rate = 1e-9;
static double sample[DRAWS], drawn[DRAWS][13];

static void draw_many(const noise_plan *plan, uint64_t seed) {
  random_source r = seeded(seed);
  assert_true(plan->dims <= 13);
  for (size_t k = 0; k < DRAWS; k++) {
    noise_draw(plan, &r, drawn[k]);
  }
}

/* Coordinate j, so many times as large. */
static void check_coordinate(size_t j, double scale, law *f, const char *what) {
  for (size_t k = 0; k < DRAWS; k++) {
    sample[k] = scale * drawn[k][j];
  }
  check_law(sample, DRAWS, f, NULL, what);
}

static double laplace_law(double x, const void *context) {
  return x < 0 ? exp(x) / 2 : 1 - exp(-x) / 2;
}
static double flat_law(double x, const void *context) { /* uniform on [−1, 1] */
  return (1 + fmax(-1, fmin(1, x))) / 2;
}
static double power_law(double x, const void *power) { /* u^m on [0, 1] */
  return pow(fmax(0, fmin(1, x)), *(const double *)power);
}
static double beta_law(double x, const void *power) { /* Beta(1, m) */
  return 1 - pow(1 - fmax(0, fmin(1, x)), *(const double *)power);
}

/* ---- norms */

TEST(norms_are_those_of_their_definitions) {
  for (size_t k = 0; noise_at(k); k++) {
    for (size_t i = 0; i < BODIES; i++) {
      const noise_plan plan = plan_for(noise_at(k), i, 0.01);
      random_source r = seeded(i);
      double b[MOST];
      long double wide[MOST];
      for (int round = 0; body_fits(plan.kind, i) && round < 100; round++) {
        noise_draw(&plan, &r, b);
        for (size_t j = 0; j < plan.dims; j++) {
          wide[j] = b[j];
        }
        assert_close(plan.kind->norm(&plan, b) / (double)defined_norm(&plan, wide), 1, 1e-13);
      }
    }
  }
}

/* ---- gaussian */

/* Σ √(m_g·t_g) over the groups at t = min(r², h·m). */
static double filled(const noise_body *body, double h, double *all) {
  double roots = 0;
  *all = 0;
  for (size_t i = 0; i < body_count(body); i++) {
    const body_run *run = body_at(body, i);
    double m = (double)run->width, t = fmin(run->radius * run->radius, h * m);
    roots += (double)run->groups * sqrt(m * t);
    *all += (double)run->groups * t;
  }
  return roots;
}

/* R_K²·E‖b‖²·β² is that of the best weights but for their eight bits, and no more than a ball's. */
TEST(weights_of_gaussian_noise_are_the_best) {
  for (size_t i = 0; i < BODIES; i++) {
    const noise_plan plan = plan_for(&noise_gaussian, i, 1);
    const row_bounds bounds = {.norm2 = 1, .body = plan.body};
    double low = 0, high = 1e6, all = 0, rms = noise_rms_norm(&plan);
    for (int k = 0; k < 200; k++) {
      double middle = (low + high) / 2;
      (void)filled(&plan.body, middle, &all);
      *(all <= 1 ? &low : &high) = middle;
    }
    double roots = filled(&plan.body, low, &all), d = (double)plan.dims;
    double found = noise_gaussian.row_bound(&bounds, plan.dims) * rms;
    if (body_count(&plan.body) > 1) { /* of one run a ball is all that there can be */
      assert_close(found / roots, 1, 2e-4);
    }
    assert_true(found <= sqrt(d) * (1 + 2e-4));
  }
}

static double normal_law(double x, const void *context) {
  return 0.5 * erfc(-x / sqrt(2));
}

TEST(coordinates_of_gaussian_noise_are_normal_and_independent) {
  const noise_plan plan = plan_for(&noise_gaussian, DIFFERENT, 0.5);
  double weights[8];
  size_t at = 0;
  noise_gaussian.weights(&plan, weights);
  draw_many(&plan, 17);
  for (size_t i = 0; i < body_count(&plan.body); i++) {
    const body_run *run = body_at(&plan.body, i);
    for (size_t j = 0; j < run->groups * run->width; j++, at++) {
      size_t both = 0;
      check_coordinate(at, 0.5 * weights[i], normal_law, "coordinate of gaussian noise");
      for (size_t k = 0; k < DRAWS && at > 0; k++) {
        both += (drawn[k][at] > 0) == (drawn[k][at - 1] > 0);
      }
      assert_true(at == 0 ||
                  fabs((double)both / DRAWS - 0.5) <= bernstein_limit(DRAWS, 0.25, 1, rate));
    }
  }
}

/* ---- l1 */

TEST(coordinates_of_l1_noise_are_independent_laplace) {
  const noise_plan plan = plan_for(&noise_l1, ONE_BLOCK, 3.0);
  draw_many(&plan, 7);
  for (size_t j = 0; j < 5; j++) {
    check_coordinate(j, plan.beta, laplace_law, "coordinate of l1 noise");
    for (size_t i = 0; i < j; i++) { /* both beyond their medians: a quarter */
      size_t both = 0;
      for (size_t k = 0; k < DRAWS; k++) {
        both += fabs(drawn[k][i]) * 3 > log(2) && fabs(drawn[k][j]) * 3 > log(2);
      }
      assert_close((double)both / DRAWS, 0.25, bernstein_limit(DRAWS, 3.0 / 16, 1, rate));
    }
  }
}

/* ---- mixed noise: columns 0, 3 and 4 stand alone, 1 and 2 are a block, 5 to 7 another */

static const bool stands_alone[8] = {true, false, false, true, true, false, false, false};

/* The runs are 1, 2, 2·1 and 3 columns; the weight of a column's block. */
static double block_weight(const mixed_reference *own, size_t column) {
  return own->weight[column < 3 ? 1 : 3];
}

TEST(mixed_noise_is_laplace_in_blocks) {
  const noise_plan plan = plan_for(&noise_mixed, WOVEN, 3.0);
  const mixed_reference own = mixed_weights_best(&plan.body);
  assert_true(own.alone == 1 && own.weight[3] < 1 && own.weight[1] < own.weight[3]);
  draw_many(&plan, 30);
  for (size_t j = 0; j < 8; j++) {
    if (!stands_alone[j]) {
      check_coordinate(j, plan.beta * block_weight(&own, j), laplace_law,
                       "coordinate in a block of mixed noise");
    }
  }
}

static double length_alone(const double *b) {
  return sqrt(b[0] * b[0] + b[3] * b[3] + b[4] * b[4]);
}

/* ‖v‖₂ is Gamma(3, 1/(βt)); the direction is uniform on the sphere, so in three dimensions each of
 * its coordinates is uniform on [−1, 1], and so is any fixed direction's. */
TEST(mixed_noise_is_l2_in_the_columns_alone) {
  const noise_plan plan = plan_for(&noise_mixed, WOVEN, 0.2);
  double t = mixed_weights_best(&plan.body).alone, shape = 3;
  draw_many(&plan, 31);
  for (size_t k = 0; k < DRAWS; k++) {
    sample[k] = plan.beta * t * length_alone(drawn[k]);
  }
  check_law(sample, DRAWS, gamma_law, &shape, "length of the columns alone");
  for (size_t j = 0; j < 8; j++) {
    for (size_t k = 0; k < DRAWS && stands_alone[j]; k++) {
      sample[k] = drawn[k][j] / length_alone(drawn[k]);
    }
    if (stands_alone[j]) {
      check_law(sample, DRAWS, flat_law, NULL, "direction of the columns alone");
    }
  }
  for (size_t k = 0; k < DRAWS; k++) {
    const double *b = drawn[k];
    sample[k] = (2 * b[0] - b[3] + 2 * b[4]) / 3 / length_alone(b);
  }
  check_law(sample, DRAWS, flat_law, NULL, "direction of the columns alone, across");
}

/* Blocks do not depend on each other nor on the columns alone: both beyond their medians in a
 * quarter of all draws. */
TEST(parts_of_mixed_noise_are_independent) {
  const noise_plan plan = plan_for(&noise_mixed, WOVEN, 1.0);
  const mixed_reference own = mixed_weights_best(&plan.body);
  const double median = 2.674060313723561; /* of Gamma(3) */
  draw_many(&plan, 32);
  for (size_t i = 0; i < 8; i++) {
    for (size_t j = 0; j < i; j++) {
      size_t both = 0;
      if (stands_alone[j] || (stands_alone[i] && i > 3)) {
        continue; /* the columns alone are one part, and column 3 stands for it */
      }
      for (size_t k = 0; k < DRAWS; k++) {
        bool far = stands_alone[i] ? own.alone * length_alone(drawn[k]) > median
                                   : block_weight(&own, i) * fabs(drawn[k][i]) > log(2);
        both += far && block_weight(&own, j) * fabs(drawn[k][j]) > log(2);
      }
      assert_close((double)both / DRAWS, 0.25, bernstein_limit(DRAWS, 3.0 / 16, 1, rate));
    }
  }
}

/* The columns alone are what l2 noise of their number is, dealt out in order, wherever they stand;
 * no number is used twice. */
TEST(columns_of_mixed_noise_are_in_their_places) {
  for (size_t body = DIFFERENT; body <= LIGHT; body++) {
    const noise_plan plan = plan_for(&noise_mixed, body, 0.7);
    if (!body_fits(&noise_mixed, body)) {
      continue;
    }
    for (uint64_t seed = 0; seed < 50; seed++) {
      random_source r = seeded(seed), again = seeded(seed);
      double b[MOST], v[MOST] = {0};
      group g[MOST];
      size_t count = groups_of(&plan, false, g), alone = 0, taken = 0;
      for (size_t i = 0; i < count; i++) {
        alone += g[i].width == 1;
      }
      noise_draw(&plan, &r, b);
      if (alone > 0) {
        noise_draw_sphere(&again, alone, plan.beta * noise_mixed.weight(&plan), v);
      }
      for (size_t i = 0; i < count; i++) {
        assert_true(g[i].width > 1 || b[g[i].first] == v[taken++]);
      }
      assert_int_equal(taken, alone);
      for (size_t i = 0; i < plan.dims; i++) {
        for (size_t j = 0; j < i; j++) {
          assert_true(b[i] != b[j]);
        }
      }
    }
  }
}

static const noise_kind *const bodies_of[] = {&noise_group, &noise_linf};

/* ---- uniform in the body. On its surface a point lies, with probability m_g/d, in the face of
 * group g, ‖u_g‖₁ = r_g; the other groups' ‖u_h‖₁/r_h are then independent with law u^m_h; and
 * u_g/‖u_g‖₁ is uniform on its simplex: |u_j|/‖u_g‖₁ is Beta(1, m_g − 1). */

static size_t face_of(const group *g, size_t count, const double *b) {
  size_t face = 0;
  double most = 0;
  for (size_t i = 0; i < count; i++) {
    double size = l1_of(b + g[i].first, g[i].width) / g[i].radius;
    if (size > most) {
      most = size;
      face = i;
    }
  }
  return face;
}

static void check_group(const noise_plan *plan, const group *all, size_t count, size_t which) {
  const group *g = &all[which];
  double width = (double)g->width, share = width / (double)plan->dims;
  size_t inside = 0;
  for (size_t k = 0; k < DRAWS; k++) {
    size_t face = face_of(all, count, drawn[k]);
    double top = l1_of(drawn[k] + all[face].first, all[face].width) / all[face].radius;
    if (face != which) {
      sample[inside++] = l1_of(drawn[k] + g->first, g->width) / g->radius / top;
    }
  }
  assert_close((double)(DRAWS - inside) / DRAWS, share,
               bernstein_limit(DRAWS, share * (1 - share), 1, rate));
  if (inside > 0) {
    check_law(sample, inside, power_law, &width, "size of a group");
  }
  for (size_t j = g->first; g->width > 1 && j < g->first + g->width; j++) {
    double others = width - 1;
    for (size_t k = 0; k < DRAWS; k++) {
      sample[k] = fabs(drawn[k][j]) / l1_of(drawn[k] + g->first, g->width);
    }
    check_law(sample, DRAWS, beta_law, &others, "share of a coordinate");
  }
}

TEST(directions_are_uniform_in_the_body) {
  for (size_t i = 0; i < 8; i++) {
    const noise_plan plan = plan_for(bodies_of[i / 4], i % 4, 2.0);
    group g[MOST];
    size_t count = groups_of(&plan, plan.kind == &noise_linf, g);
    draw_many(&plan, 50 + i);
    for (size_t which = 0; which < count; which++) {
      check_group(&plan, g, count, which);
    }
  }
}

/* Sizes of two groups in the lower part of their range, while a third is the face. */
TEST(groups_are_independent) {
  const noise_plan plan = plan_for(&noise_group, DIFFERENT, 1.0);
  group g[MOST];
  size_t count = groups_of(&plan, plan.kind == &noise_linf, g);
  draw_many(&plan, 90);
  for (size_t a = 0; a < count; a++) {
    for (size_t b = 0; b < a; b++) {
      size_t cases = 0, both = 0;
      for (size_t k = 0; k < DRAWS; k++) {
        size_t face = face_of(g, count, drawn[k]);
        double top = l1_of(drawn[k] + g[face].first, g[face].width) / g[face].radius;
        if (face != a && face != b) {
          cases++;
          both += l1_of(drawn[k] + g[a].first, g[a].width) < 0.8 * top * g[a].radius &&
                  l1_of(drawn[k] + g[b].first, g[b].width) < 0.8 * top * g[b].radius;
        }
      }
      double p = pow(0.8, (double)(g[a].width + g[b].width));
      assert_close((double)both / (double)cases, p, bernstein_limit(cases, p * (1 - p), 1, rate));
    }
  }
}

/* ---- exact figures */

/* Of a plan at β = 0.3, whose radius has this shape. */
static void check_figures(const noise_plan *plan, double mean_square, double shape, double reach) {
  double limit = (shape + sqrt(14 * shape) + 7) * reach / 0.3;
  assert_close(noise_rms_norm(plan) * 0.3 / sqrt(mean_square), 1, 1e-14);
  assert_close(noise_norm_limit(plan, 7) / limit, 1, 1e-12);
  assert_true(noise_norm_limit(plan, 7) > limit);
}

TEST(the_rms_norm_is_exact) {
  for (size_t i = 0; i < BODIES; i++) {
    const noise_plan l1 = plan_for(&noise_l1, i, 0.3), mixed = plan_for(&noise_mixed, i, 0.3);
    double d = (double)l1.dims;
    check_figures(&l1, 2 * d, d, 1);
    for (size_t kind = 0; kind < 2; kind++) { /* privacy.md 5, group by group */
      const noise_plan plan = plan_for(bodies_of[kind], i, 0.3);
      group g[MOST];
      size_t count = groups_of(&plan, plan.kind == &noise_linf, g);
      double sum = 0, reach = 0;
      for (size_t k = 0; k < count; k++) {
        double m = (double)g[k].width, r = g[k].radius;
        sum += g[k].width == 1 ? r * r / 3 : 2 * r * r * m / ((m + 1) * (m + 2));
        reach += r * r;
      }
      check_figures(&plan, (d + 1) * (d + 2) * sum, d + 1, sqrt(reach));
    }
    if (body_fits(&noise_mixed, i)) {
      const mixed_reference own = mixed_weights_best(&mixed.body);
      double least = own.alone;
      for (size_t j = 0; j < body_count(&mixed.body); j++) {
        least = fmin(least, own.weight[j]);
      }
      check_figures(&mixed, own.mean_square, d, 1 / least);
    }
  }
}

/* ---- teeth */

/* A body blown up by Gamma(d) and not Gamma(d+1), as one may think from l2 noise. */
TEST(the_shape_one_short_is_seen) {
  for (size_t i = 2; i < 5; i++) {
    const noise_plan plan = plan_for(&noise_group, i, 1.0);
    random_source r = seeded(500 + i);
    double b[MOST], d = (double)plan.dims;
    size_t count = plan.dims > 20 ? 30000 : DRAWS;
    for (size_t k = 0; k < count; k++) {
      random_source first = r; /* the draw begins with its gamma variable */
      double right = random_gamma(&first, plan.dims + 1);
      noise_draw(&plan, &r, b);
      sample[k] = plan.kind->norm(&plan, b) / right * random_gamma(&first, plan.dims);
    }
    assert_true(ks_distance(sample, count, gamma_law, &d) > 2 * ks_limit(count, rate));
  }
}

/* Mixed noise whose blocks are drawn with β, the weights forgotten. */
TEST(a_forgotten_weight_is_seen) {
  const noise_plan plan = plan_for(&noise_mixed, WOVEN, 1.0);
  const mixed_reference own = mixed_weights_best(&plan.body);
  double shape = 8;
  draw_many(&plan, 600);
  for (size_t k = 0; k < DRAWS; k++) {
    for (size_t j = 0; j < 8; j++) {
      drawn[k][j] *= stands_alone[j] ? 1 : block_weight(&own, j);
    }
    sample[k] = plan.kind->norm(&plan, drawn[k]);
  }
  assert_true(ks_distance(sample, DRAWS, gamma_law, &shape) > 2 * ks_limit(DRAWS, rate));
}
