/* Three classes learned jointly with gaussian noise, without sampling. With one column a class has
 * one weight, and only the differences of weights count for the loss: the mean of the three has the
 * same law on both sides, so δ(ε) of two neighbours is an integral over the plane of weights that
 * sum to zero. It is never above the bound of docs/proofs/softmax.md (Lemma S3), for records
 * replaced, added and removed, and comes near it. */
#include <math.h>

#include "density_integral.h"
#include "loss/softmax.h"
#include "mechanism/delta_rule.h"
#include "random/discrete_sampling.h"
#include "statistics.h"

enum { K = 3, OTHERS = 4 };

/* An orthonormal basis of the plane. */
static const double basis[2][K] = {
    {0.70710678118654752, -0.70710678118654752, 0},
    {0.40824829046386302, 0.40824829046386302, -0.81649658092772603}};

/* x = 0: no record. */
typedef struct labelled {
  double x;
  size_t label;
} labelled;

typedef struct neighbours {
  size_t others;
  labelled w[2], other[OTHERS]; /* w: the record that differs */
  double prior[2], lambda, sigma;
} neighbours;

/* Adds a record's gradient to g and its curvature to h = (h₁₁, h₁₂, h₂₂), in the plane. */
static void add_record(const labelled *r, const double f[2], double g[2], double h[3]) {
  double p[K], sum = 0, top = -INFINITY;
  for (size_t c = 0; c < K; c++) {
    p[c] = r->x * (basis[0][c] * f[0] + basis[1][c] * f[1]);
    top = fmax(top, p[c]);
  }
  for (size_t c = 0; c < K; c++) {
    p[c] = exp(p[c] - top);
    sum += p[c];
  }
  double mean[2] = {0, 0}, square[3] = {0, 0, 0};
  for (size_t c = 0; c < K; c++) {
    double a = basis[0][c], b = basis[1][c], odds = p[c] / sum;
    mean[0] += odds * a;
    mean[1] += odds * b;
    square[0] += odds * a * a;
    square[1] += odds * a * b;
    square[2] += odds * b * b;
  }
  g[0] += r->x * (mean[0] - basis[0][r->label]);
  g[1] += r->x * (mean[1] - basis[1][r->label]);
  h[0] += r->x * r->x * (square[0] - mean[0] * mean[0]);
  h[1] += r->x * r->x * (square[1] - mean[0] * mean[1]);
  h[2] += r->x * r->x * (square[2] - mean[1] * mean[1]);
}

/* The density of f on either side. */
static void densities(const void *pair, const double f[2], double out[2]) {
  const neighbours *p = pair;
  double g[2] = {p->lambda * (f[0] - p->prior[0]), p->lambda * (f[1] - p->prior[1])};
  double h[3] = {p->lambda, 0, p->lambda};
  for (size_t i = 0; i < p->others; i++) {
    add_record(&p->other[i], f, g, h);
  }
  for (int side = 0; side < 2; side++) {
    double b[2] = {g[0], g[1]}, a[3] = {h[0], h[1], h[2]};
    add_record(&p->w[side], f, b, a);
    double far = (b[0] * b[0] + b[1] * b[1]) / (p->sigma * p->sigma);
    out[side] =
        exp(-far / 2) * (a[0] * a[2] - a[1] * a[1]) / (p->sigma * p->sigma * 6.283185307179586);
  }
}

/* ∫ max(0, p − e^ε·p′), to be compared with `goal`. */
static double delta_between(const neighbours *p, double epsilon, double goal) {
  double width = (8 * p->sigma + 1.5 * (double)(p->others + 1)) / p->lambda;
  const density_range range = {2, {p->prior[0], p->prior[1]}, {width, width}};
  return delta_integrated(densities, p, range, epsilon, goal);
}

static labelled draw_record(random_source *r) {
  double x = random_below(r, 3) ? 2 * random_unit(r) - 1 : 1;
  return (labelled){random_below(r, 2) ? x : -x, random_below(r, K)};
}

static neighbours draw_neighbours(random_source *r) {
  neighbours p = {.others = random_below(r, OTHERS + 1), .w = {draw_record(r), draw_record(r)}};
  for (size_t i = 0; i < p.others; i++) {
    p.other[i] = draw_record(r);
  }
  if (random_below(r, 2)) { /* as far apart as they can be */
    p.w[0].x = 1;
    p.w[1] = (labelled){-1, p.w[0].label};
  }
  for (size_t j = 0; j < 2; j++) {
    p.prior[j] = random_below(r, 2) ? 20 * (random_unit(r) - 0.5) : 0;
  }
  return p;
}

/* δ of a pair over that of the plan; fails where it is above 1. */
static double check_pair(neighbours p, dperm_neighbours kind, double epsilon, double delta) {
  const dperm_loss loss = softmax_loss(K);
  const delta_corners corners = delta_corners_objective(&loss, kind, 1 / p.lambda, epsilon);
  double a = delta_invert(&corners, epsilon, delta);
  assert_true(a > 0);
  p.sigma = 1 / a;
  double exact = delta_between(&p, epsilon, delta);
  if (!(exact <= delta * (1 + INTEGRAL_SLACK))) {
    fail_msg("epsilon = %g, delta = %g, lambda = %g: the exact delta is %g", epsilon, delta,
             p.lambda, exact);
  }
  return exact / delta;
}

static void the_exact_delta_is_never_above_the_bound(void **state) {
  (void)state;
  static const double deltas[] = {0.05, 1e-3, 1e-6};
  double most[2] = {0, 0};
  random_source r;
  assert_ok(random_seeded(21, &r, err));
  for (size_t i = 0; i < repetitions(100, 500); i++) {
    double epsilon = 0.05 * exp(4 * random_unit(&r)), delta = deltas[random_below(&r, 3)];
    neighbours p = draw_neighbours(&r);
    dperm_neighbours kind = i % 3 ? DPERM_NEIGHBOURS_REPLACE : DPERM_NEIGHBOURS_ADD_REMOVE;
    if (kind == DPERM_NEIGHBOURS_ADD_REMOVE) {
      p.w[random_below(&r, 2)].x = 0;
    }
    p.lambda = (1.01 + exp(6 * random_unit(&r) - 2)) / (K * expm1(epsilon / (K - 1)));
    double *found = &most[kind == DPERM_NEIGHBOURS_ADD_REMOVE];
    *found = fmax(*found, check_pair(p, kind, epsilon, delta));
  }
  print_message("%g and %g of the bounds\n", most[0], most[1]);
  assert_true(most[0] > 0.025 && most[1] > 0.45); /* and the search finds pairs that are near it */
}

/* A record that one side lacks, of a class that is unlikely: whichever of the two others the noise
 * favours, the slopes agree with it, so both corners are met, and with one alone the pair would
 * pass the bound. */
static void both_corners_of_a_record_are_needed(void **state) {
  (void)state;
  double epsilon = 1, delta = 1e-4, most = 0, one = 0;
  for (double lambda = 1; lambda < 20; lambda *= 1.5) {
    for (double away = 0; away < 20; away += 2) {
      neighbours p = {.w = {{0, 0}, {1, 2}}, .prior = {0, away}, .lambda = lambda};
      const delta_corners alone = {1, {{1, 1.4142135623730951, 0}}};
      most = fmax(most, check_pair(p, DPERM_NEIGHBOURS_ADD_REMOVE, epsilon, delta));
      p.sigma = 1 / delta_invert(&alone, epsilon, delta);
      one = fmax(one, delta_between(&p, epsilon, delta) / delta);
    }
  }
  print_message("%g of the bound; %g of one corner's\n", most, one);
  assert_true(most > 0.07 && one > 1.7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_exact_delta_is_never_above_the_bound),
      cmocka_unit_test(both_corners_of_a_record_are_needed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
