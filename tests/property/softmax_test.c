/* Softmax against the mathematics: slopes within their declared error of 300 bits, the rule ε(A)
 * against all probabilities, and the density of a joint fit's result, whose ratio between
 * neighbours never passes it (docs/proofs/softmax.md). */
#include "loss/link.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#include "mechanism/delta_rule.h"
#include "mechanism/epsilon_rule.h"
#include "reference.h"
#include "solve/direction.h"
#include "solve/problem.h"
#include "statistics.h"

enum { BITS = 300, MOST = 1000 };

/* ---- slopes */

/* The distance of a computed slope vector from the true one, in the l2 norm. */
static double slope_distance(size_t k, size_t label, const double *z, const double *rest,
                             const double *slope) {
  mpfr_t e[MOST], sum, one, all;
  mpfr_inits2(BITS, sum, one, all, (mpfr_ptr)0);
  mpfr_set_zero(sum, 1);
  mpfr_set_zero(all, 1);
  double top = z[0];
  for (size_t c = 1; c < k; c++) {
    top = fmax(top, z[c]);
  }
  for (size_t c = 0; c < k; c++) {
    mpfr_init2(e[c], BITS);
    mpfr_set_d(e[c], z[c], MPFR_RNDN);
    if (rest) {
      mpfr_add_d(e[c], e[c], rest[c], MPFR_RNDN);
    }
    mpfr_sub_d(e[c], e[c], top, MPFR_RNDN);
    mpfr_exp(e[c], e[c], MPFR_RNDN);
    mpfr_add(sum, sum, e[c], MPFR_RNDN);
  }
  for (size_t c = 0; c < k; c++) {
    mpfr_div(one, e[c], sum, MPFR_RNDN);
    mpfr_sub_ui(one, one, c == label, MPFR_RNDN);
    mpfr_sub_d(one, one, slope[c], MPFR_RNDN);
    mpfr_sqr(one, one, MPFR_RNDN);
    mpfr_add(all, all, one, MPFR_RNDN);
    mpfr_clear(e[c]);
  }
  double distance = sqrt(mpfr_get_d(all, MPFR_RNDU));
  mpfr_clears(sum, one, all, (mpfr_ptr)0);
  return distance;
}

TEST(slopes_are_within_their_declared_error) {
  static const size_t classes[] = {2, 3, 5, 26, 101, 1000};
  random_source r = seeded(1);
  double worst = 0;
  for (size_t t = 0; t < repetitions(500, 30000); t++) {
    size_t k = classes[t % (t % 50 ? 4 : 6)], label = random_bits(&r) % k;
    double z[MOST], rest[MOST], slope[MOST], p[MOST], value = 0, at = (double)label;
    double spread = pow(10, 4 * random_unit(&r) - 2),
           offset = t % 3 ? 0 : 1e9 * (random_unit(&r) - 0.5);
    for (size_t c = 0; c < k; c++) {
      z[c] = offset + spread * (2 * random_unit(&r) - 1);
      rest[c] = z[c] * (random_unit(&r) - 0.5) * 0x1p-53;
    }
    const dperm_loss loss = softmax_loss(k);
    softmax_rows(k, 1, &at, z, NULL, &value, slope, p);
    double error = slope_distance(k, label, z, NULL, slope), sum = 0;
    assert_true(error <= loss.slope_error);
    worst = fmax(worst, error / loss.slope_error);
    softmax_rows(k, 1, &at, z, rest, NULL, slope, NULL);
    assert_true(slope_distance(k, label, z, rest, slope) <= loss.slope_error);
    for (size_t c = 0; c < k; c++) {
      sum += p[c];
    }
    assert_close(sum, 1, (double)k * 0x1p-52);
    assert_close(value, -log(p[label]), 1e-9 * (1 + fabs(value)) + (p[label] < 1e-290 ? 1e9 : 0));
  }
  assert_true(worst > 0.01); /* a declaration that says something */
}

/* One after the other each of these would round a sum near 1 by half a unit, the same way. */
TEST(small_probabilities_add_up) {
  static const size_t classes[] = {65, 300, 1000};
  for (size_t i = 0; i < 3; i++) {
    size_t k = classes[i];
    const dperm_loss loss = softmax_loss(k);
    double z[MOST] = {0}, rest[MOST] = {0}, slope[MOST], first = 0;
    for (size_t c = 1; c < k; c++) {
      z[c] = log(1.5) - 53 * log(2);
    }
    softmax_rows(k, 1, &first, z, NULL, NULL, slope, NULL);
    assert_true(slope_distance(k, 0, z, NULL, slope) <= loss.slope_error);
    softmax_rows(k, 1, &first, z, rest, NULL, slope, NULL);
    assert_true(slope_distance(k, 0, z, rest, slope) <= loss.slope_error);
    assert_true(loss.slope_error <= 46 * 0x1p-53);
  }
}

/* Many rows at once give the bits of each alone, and a NaN spoils its own row. */
TEST(rows_do_not_touch_each_other) {
  enum { K = 7, ROWS = 400 };
  double z[ROWS * K], slope[ROWS * K], alone[K], labels[ROWS];
  random_source r = seeded(2);
  for (size_t i = 0; i < ROWS * K; i++) {
    z[i] = 20 * random_unit(&r) - 10;
    labels[i / K] = (double)(i / K % K);
  }
  z[5 * K + 3] = (double)NAN;
  softmax_rows(K, ROWS, labels, z, NULL, NULL, slope, NULL);
  for (size_t i = 0; i < ROWS; i++) {
    softmax_rows(K, 1, labels + i, z + i * K, NULL, NULL, alone, NULL);
    if (i == 5) {
      assert_true(isnan(alone[0]) && isnan(slope[5 * K + 6]));
    } else {
      assert_memory_equal(alone, slope + i * K, sizeof alone);
    }
  }
}

/* ---- the rule */

/* 2A(1 − p_y) + log det(I + κ(Diag(p) − ppᵀ)) by elimination. */
static double cost_of(size_t k, const double *p, double kappa, double a) {
  double h[26 * 26], log_det = 0;
  for (size_t i = 0; i < k; i++) {
    for (size_t j = 0; j < k; j++) {
      h[i * k + j] = (i == j) + kappa * ((i == j ? p[i] : 0) - p[i] * p[j]);
    }
  }
  for (size_t i = 0; i < k; i++) {
    log_det += log(h[i * k + i]);
    for (size_t j = i + 1; j < k; j++) {
      double factor = h[j * k + i] / h[i * k + i];
      for (size_t c = i; c < k; c++) {
        h[j * k + c] -= factor * h[i * k + c];
      }
    }
  }
  return 2 * a * (1 - p[0]) + log_det;
}

static void random_probabilities(random_source *r, size_t k, double *p) {
  double sum = 0, power = pow(10, 3 * random_unit(r) - 1);
  for (size_t c = 0; c < k; c++) {
    p[c] = pow(random_unit(r) + 1e-12, power);
    sum += p[c];
  }
  for (size_t c = 0; c < k; c++) {
    p[c] /= sum;
  }
}

TEST(no_probabilities_cost_more_than_the_rule) {
  random_source r = seeded(3);
  for (size_t t = 0; t < repetitions(400, 10000); t++) {
    size_t k = 2 + random_bits(&r) % 25;
    double kappa = pow(10, 6 * random_unit(&r) - 3), a = pow(10, 5 * random_unit(&r) - 4), p[26];
    const dperm_loss loss = softmax_loss(k);
    double rule = epsilon_of(&loss, DPERM_NEIGHBOURS_REPLACE, kappa, a), most = 0;
    for (int i = 0; i < 50; i++) {
      random_probabilities(&r, k, p);
      assert_true(2 * a + cost_of(k, p, kappa, a) <= rule * (1 + 1e-11));
    }
    for (int i = 0; i <= 2000; i++) { /* all others equal: the worst is among them */
      p[0] = i / 2000.0;
      for (size_t c = 1; c < k; c++) {
        p[c] = (1 - p[0]) / (double)(k - 1);
      }
      most = fmax(most, cost_of(k, p, kappa, a));
    }
    assert_true(2 * a + most <= rule * (1 + 1e-11));
    assert_close(2 * a + most, rule, 1e-3 * rule);
    assert_true(rule <= (4 * a + (double)(k - 1) * log1p(kappa / (double)k)) * (1 + 1e-11));
    assert_close(epsilon_of(&loss, DPERM_NEIGHBOURS_REPLACE, kappa,
                            epsilon_invert(&loss, DPERM_NEIGHBOURS_REPLACE, kappa, rule)),
                 rule, 1e-9 * rule);
  }
}

/* Two classes are logistic regression with 2A and 2κ. */
TEST(two_classes_are_logistic_regression) {
  const dperm_loss two = softmax_loss(2), logistic = dperm_loss_logistic();
  for (double kappa = 1e-4; kappa < 1e4; kappa *= 3) {
    for (double a = 1e-5; a < 20; a *= 2) {
      double rule = epsilon_of(&logistic, DPERM_NEIGHBOURS_REPLACE, 2 * kappa, 2 * a);
      assert_close(epsilon_of(&two, DPERM_NEIGHBOURS_REPLACE, kappa, a), rule, 1e-11 * rule);
    }
  }
  assert_close(epsilon_most_kappa(&two, 1), 2 * 0.5 * expm1(1), 1e-15); /* κ·¼·2 < e − 1 */
}

/* Gaussian noise in the objective is for one score (docs/proofs/descent.md). */
TEST(no_corners_are_claimed_for_several_scores) {
  const dperm_loss loss = softmax_loss(3);
  assert_true(delta_invert_objective(&loss, DPERM_NEIGHBOURS_REPLACE, 1e-3, 10, 0.1) == 0);
  assert_true(delta_invert_objective(&loss, DPERM_NEIGHBOURS_ADD_REMOVE, 1e-3, 10, 0.1) == 0);
}

TEST(a_feasible_lambda_is_feasible) {
  for (size_t k = 2; k < 40; k += 3) {
    const dperm_loss loss = softmax_loss(k);
    double most = epsilon_most_kappa(&loss, 0.7) / loss.smoothness;
    assert_true(epsilon_invert(&loss, DPERM_NEIGHBOURS_REPLACE, most * 0.999, 0.7) > 0);
    assert_true(epsilon_invert(&loss, DPERM_NEIGHBOURS_REPLACE, most * 1.001, 0.7) == 0);
  }
}

/* ---- the density of a result */

enum { K = 3, D = 2, N = 6 };

typedef struct neighbour {
  double x[N * D], labels[N], shares[N];
} neighbour;

/* log of the density of W up to what neighbours share: −β Σ‖b_c‖ + log det of the Hessian. */
static double log_density(const neighbour *of, const double *w, double lambda, double beta,
                          bool l1) {
  double *values = malloc(sizeof of->x), h[K * D * K * D], z[N * K], slope[N * K], p[N * K];
  double g[K * D], norm = 0, log_det = 0;
  OWNED(matrix_free_at) matrix *x = NULL;
  assert_non_null(values);
  memcpy(values, of->x, sizeof of->x);
  assert_ok(matrix_dense_new(N, D, values, &x, err));
  const dperm_loss loss = softmax_loss(K);
  const dperm_regularizer ridge = {0};
  const problem at = {.x = x,
                      .labels = of->labels,
                      .shares = of->shares,
                      .norm_bound = 1,
                      .loss = &loss,
                      .regularizer = &ridge,
                      .model = {.lambda = lambda / N}};
  point here = {.f = (double *)w, .z = z, .slope = slope, .curvature = p, .gradient = g};
  assert_ok(problem_evaluate(&at, false, &here, err));
  assert_ok(problem_gram(&at, p, h, err));
  for (size_t c = 0; c < K; c++) {
    double squares = 0, sum = 0;
    for (size_t j = c * D; j < (c + 1) * D; j++) {
      squares += N * g[j] * N * g[j];
      sum += fabs(N * g[j]);
      h[j * K * D + j] += lambda;
    }
    norm += l1 ? sum : sqrt(squares);
  }
  assert_true(cholesky_factor(h, K * D));
  for (size_t j = 0; j < K * D; j++) {
    log_det += 2 * log(h[j * K * D + j]);
  }
  return log_det - beta * norm;
}

static void random_record(random_source *r, bool unit, double *x) {
  double angle = 6.283185307179586 * random_unit(r);
  x[0] = unit ? (double)(random_bits(r) % 2) : cos(angle);
  x[1] = unit ? 1 - x[0] : sin(angle);
}

/* The ratio of densities between neighbours is within ε(A), for every result; and the bound is not
 * idle. */
TEST(neighbours_densities_differ_by_epsilon_at_most) {
  random_source r = seeded(4);
  const dperm_loss loss = softmax_loss(K);
  double closest = 0;
  for (size_t t = 0; t < repetitions(8000, 500000); t++) {
    bool l1 = t % 2;
    neighbour d, other;
    for (size_t i = 0; i < N; i++) {
      random_record(&r, l1, d.x + i * D);
      d.labels[i] = (double)(random_bits(&r) % K);
      d.shares[i] = t % 3 ? 1 : random_unit(&r);
    }
    other = d;
    random_record(&r, l1, other.x);
    other.labels[0] = (double)(random_bits(&r) % K);
    other.shares[0] = t % 3 ? 1 : random_unit(&r);
    double lambda = pow(10, 3 * random_unit(&r) - 1), beta = pow(10, 2 * random_unit(&r) - 1.5);
    double w[K * D], size = pow(10, 2 * random_unit(&r) - 1);
    for (size_t j = 0; j < K * D; j++) {
      w[j] = size * (2 * random_unit(&r) - 1);
    }
    double ratio = log_density(&d, w, lambda, beta, l1) - log_density(&other, w, lambda, beta, l1);
    double epsilon = epsilon_of(&loss, DPERM_NEIGHBOURS_REPLACE, 1 / lambda, beta);
    assert_true(fabs(ratio) <= epsilon * (1 + 1e-9) + 1e-9);
    closest = fmax(closest, fabs(ratio) / epsilon);
  }
  assert_true(closest > 0.6);
}
