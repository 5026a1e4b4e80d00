/* What output perturbation rests on: replacing one record moves the minimizer by at most 2LR/(nΛ).
 * Random problems never move it further, however the record is replaced; worst cases of every loss
 * move it as far to within one percent, so a smaller bound would be wrong. With the plan's β that
 * is the ratio of the two densities of what is released: never above e^ε, and as high as that. */
#include <math.h>
#include <stdlib.h>

#include "mechanism/privacy_plan.h"
#include "reference.h"
#include "solve/certify.h"
#include "statistics.h"

enum { MOST_ROWS = 40, MOST_DIMS = 6 };
static const double norms[] = {0.2, 1.0, 5.0};

/* One data set of the kind that has neighbours. */
typedef struct records {
  size_t rows, dims;
  double x[MOST_ROWS * MOST_DIMS], labels[MOST_ROWS];
} records;

/* Returns what the solver left of ‖∇J‖, for the distance that it may still be off by. */
static double minimize(const records *d, double norm, const dperm_loss *loss,
                       const dperm_regularizer *regularizer, double lambda, double *f) {
  double *copy = calloc(d->rows * d->dims, sizeof *copy);
  OWNED(matrix_free_at) matrix *x = NULL;
  assert_non_null(copy);
  memcpy(copy, d->x, d->rows * d->dims * sizeof *copy);
  assert_ok(matrix_dense_new(d->rows, d->dims, copy, &x, err));
  const problem p = {.x = x,
                     .labels = d->labels,
                     .norm_bound = norm,
                     .loss = loss,
                     .regularizer = regularizer,
                     .model = {.lambda = lambda}};
  const solver_options how = {.tolerance = 1e-11};
  solver_report report;
  memset(f, 0, d->dims * sizeof *f);
  assert_ok(solve(&p, &how, f, &report, err));
  assert_true(report.converged);
  double left = report.gradient_norm + rounding_limit(&p, f);
  return left;
}

/* ‖f − f′‖ over 2LR/(nΛ), less what both solutions may be off by. */
static double moved(const records *d, const records *other, double norm, const dperm_loss *loss,
                    const dperm_regularizer *regularizer, double lambda) {
  double f[MOST_DIMS], g[MOST_DIMS], distance = 0;
  double left = minimize(d, norm, loss, regularizer, lambda, f) +
                minimize(other, norm, loss, regularizer, lambda, g);
  for (size_t j = 0; j < d->dims; j++) {
    distance = hypot(distance, f[j] - g[j]);
  }
  double bound = 2 * loss->lipschitz * norm / ((double)d->rows * lambda);
  return (distance - left / lambda) / bound;
}

/* The plan's ratio of log densities at a point on the line through both minimizers, where it is
 * largest, over ε: β‖f − f′‖/ε. */
static double spent(double share, size_t rows, double norm, const dperm_loss *loss, double lambda,
                    double epsilon) {
  const public_numbers g = {.rows = rows,
                            .dims = 1,
                            .bounds.norm2 = norm,
                            .loss = loss,
                            .epsilon = epsilon,
                            .epsilon_core = epsilon,
                            .mechanism = DPERM_MECHANISM_OUTPUT,
                            .lambda = lambda,
                            .delta_reg = (double)NAN,
                            .norm_guess = (double)NAN};
  privacy_plan plan;
  assert_ok(privacy_plan_make(&g, &plan, err));
  double distance = share * 2 * loss->lipschitz * norm / ((double)rows * lambda);
  return plan.noise.beta * distance / epsilon;
}

/* ---- random neighbours */

static void draw_record(random_source *r, double norm, records *d, size_t i) {
  double length = 0, *row = d->x + i * d->dims;
  for (size_t j = 0; j < d->dims; j++) {
    row[j] = random_normal(r);
    length = hypot(length, row[j]);
  }
  double reach = norm * (1 - 1e-15) * (random_bits(r) & 1 ? 1 : random_unit(r)) / length;
  for (size_t j = 0; j < d->dims; j++) {
    row[j] *= reach;
  }
  d->labels[i] = random_bits(r) & 1 ? 1 : -1;
}

/* 7·ℓ(z) of a Huber ℓ with h = 0.5: L = 7, c = 7. */
static void steep_eval(const dperm_loss *loss, size_t count, const double *z, double *value,
                       double *slope, double *curvature) {
  dperm_loss own = library_loss(REF_HUBER, 0.5);
  own.eval(&own, count, z, value, slope, curvature);
  for (size_t i = 0; i < count; i++) {
    if (value) {
      value[i] *= 7;
    }
    if (slope) {
      slope[i] *= 7;
    }
    if (curvature) {
      curvature[i] *= 7;
    }
  }
}

static dperm_loss any_loss(random_source *r, int which) {
  return which == 3 ? (dperm_loss){"steep huber", (double)NAN, 7, 7, steep_eval, NULL, 1e-14}
                    : library_loss((reference_loss)which, random_scale(r, 0.05, 2));
}

TEST(one_record_moves_the_minimizer_by_the_bound_at_most) {
  double most = 0;
  random_source r = seeded(1);
  for (int round = 0; round < 3000; round++) {
    static records d, other;
    double norm = norms[round % 3], weights[MOST_DIMS], prior[MOST_DIMS];
    const dperm_loss loss = any_loss(&r, round % 4);
    double lambda = random_scale(&r, 1e-3, 10) * norm * norm;
    d.rows = 1 + random_bits(&r) % MOST_ROWS;
    d.dims = 1 + random_bits(&r) % MOST_DIMS;
    for (size_t i = 0; i < d.rows; i++) {
      draw_record(&r, norm, &d, i);
    }
    other = d;
    if (random_bits(&r) & 1) { /* any record, or the same one on the other side */
      draw_record(&r, norm, &other, 0);
    } else {
      other.labels[0] = -d.labels[0];
    }
    for (size_t j = 0; j < d.dims; j++) {
      weights[j] = 1 + 3 * random_unit(&r);
      prior[j] = random_normal(&r) / norm;
    }
    uint64_t kind = random_bits(&r) % 4;
    const dperm_regularizer regularizer = {.weights = kind == 1 ? weights : NULL,
                                           .prior = kind == 2 ? prior : NULL,
                                           .eval = kind == 3 ? quartic_eval : NULL};
    double share = moved(&d, &other, norm, &loss, &regularizer, lambda);
    if (!(share <= 1 + 1e-9)) {
      fail_msg("round %d: loss %s, R = %g, n = %zu: %.12g of the bound", round, loss.name, norm,
               d.rows, share);
    }
    double epsilon = random_scale(&r, 1e-3, 10);
    assert_true(spent(share, d.rows, norm, &loss, lambda, epsilon) <= 1 + 1e-9);
    most = fmax(most, share);
  }
  assert_true(most > 0.9); /* the bound is not far even here */
}

/* ---- worst cases */

/* One record at x = R, y = +1 against −1, all others zero, and nΛ so large that both margins stay
 * on the straight piece (docs/audit.md): the minimizers are ±R/(nΛ). */
TEST(hinges_attain_the_bound) {
  for (int which = REF_HUBER; which <= 3; which++) {
    for (size_t k = 0; k < 3; k++) {
      random_source r = seeded(2);
      double norm = norms[k];
      records d = {.rows = 10, .dims = 1}, other;
      const dperm_loss loss =
          which == 3 ? any_loss(&r, 3) : library_loss((reference_loss)which, 0.5);
      const dperm_regularizer ridge = {0};
      for (size_t i = 0; i < d.rows; i++) {
        d.labels[i] = 1;
      }
      d.x[0] = norm;
      other = d;
      other.labels[0] = -1;
      double lambda = 3 * loss.lipschitz * norm * norm / (double)d.rows;
      double share = moved(&d, &other, norm, &loss, &ridge, lambda);
      assert_true(share >= 0.9999 && share <= 1 + 1e-9);
      assert_true(spent(share, d.rows, norm, &loss, lambda, 0.7) >= 0.9999);
    }
  }
}

/* The slope of a logistic loss comes close to −1 for a margin of −10 only. A public prior far out
 * along the second axis gives both records that margin, though they are nearly opposite. */
TEST(logistic_attains_the_bound_to_one_percent) {
  const dperm_loss loss = dperm_loss_logistic();
  for (size_t k = 0; k < 3; k++) {
    double norm = norms[k], tilt = 0.05, prior[2] = {0, -200 / norm};
    records d = {.rows = 4, .dims = 2}, other;
    const dperm_regularizer towards = {.prior = prior};
    for (size_t i = 0; i < d.rows; i++) {
      d.labels[i] = 1;
    }
    d.x[0] = norm * sqrt(1 - tilt * tilt);
    d.x[1] = norm * tilt;
    other = d;
    other.x[0] = -d.x[0];
    double share = moved(&d, &other, norm, &loss, &towards, norm * norm);
    assert_true(share >= 0.99 && share <= 1 + 1e-9);
  }
}

TEST_GROUP(one_thread_begin, one_thread_end) /* many small problems */
