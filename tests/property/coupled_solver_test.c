/* The solver on rows with several scores (solve/problem.h): gradients, Hessians and objectives
 * agree with sums written out in long double, certificates bound the true gradient in doubles and
 * in twice the precision, both directions find one minimum, on dense and on sparse rows, many
 * classes cost passes and no more, and threads do not change a bit. */
#include "solve/problem.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/thread_pool.h"
#include "loss/link.h"
#include "reference.h"
#include "solve/certify.h"
#include "solve/solver.h"
#include "statistics.h"

enum { MOST_K = 400 };

typedef struct classes_problem {
  test_rows *data;
  double *labels;
  size_t k;
  dperm_loss loss;
  dperm_regularizer regularizer;
  double *linear, *prior;
  problem p;
} classes_problem;

static void make(classes_problem *t, uint64_t seed, size_t rows, size_t cols, size_t k,
                 double density, double lambda, bool shared) {
  assert_true(k <= MOST_K);
  random_source r = seeded(seed);
  *t = (classes_problem){.data = test_rows_random(seed, rows, cols, density), .k = k};
  t->labels = calloc(rows, sizeof *t->labels);
  t->linear = calloc(k * cols, sizeof *t->linear);
  t->prior = calloc(cols, sizeof *t->prior);
  assert_true(t->labels && t->linear && t->prior);
  for (size_t i = 0; i < rows; i++) { /* the first columns say something of the class */
    double best = -INFINITY;
    for (size_t c = 0; c < k; c++) {
      double score = 2 * t->data->x[i * cols + c % cols] * (c < cols ? 1 : -1) + random_unit(&r);
      if (score > best) {
        best = score;
        t->labels[i] = (double)c;
      }
    }
  }
  for (size_t j = 0; j < k * cols; j++) {
    t->linear[j] = 0.02 * (random_unit(&r) - 0.5);
    t->prior[j % cols] = random_unit(&r);
  }
  if (shared) {
    test_rows_share(t->data, seed);
  }
  t->loss = softmax_loss(k);
  t->regularizer = (dperm_regularizer){.prior = seed % 2 ? t->prior : NULL};
  t->p = (problem){.x = t->data->dense,
                   .labels = t->labels,
                   .shares = t->data->shares,
                   .norm_bound = 1,
                   .loss = &t->loss,
                   .regularizer = &t->regularizer,
                   .model = {.lambda = lambda, .ridge = lambda / 3, .linear = t->linear}};
}

static void clear(classes_problem *t) {
  test_rows_free(t->data);
  free(t->labels);
  free(t->linear);
  free(t->prior);
}

/* J and ∇J at f + rest, the sums of the proof in long double. */
static long double reference(const classes_problem *t, const double *f, const double *rest,
                             long double *g) {
  size_t cols = t->data->cols, rows = t->data->rows, k = t->k;
  const problem_model *m = &t->p.model;
  long double value = 0;
  for (size_t j = 0; j < k * cols; j++) {
    long double at = f[j] + (rest ? (long double)rest[j] : 0);
    long double away = at - (t->regularizer.prior ? t->prior[j % cols] : 0);
    g[j] = m->lambda * away + m->ridge * at + m->linear[j];
    value += m->lambda * away * away / 2 + m->ridge * at * at / 2 + m->linear[j] * at;
  }
  for (size_t i = 0; i < rows; i++) {
    long double z[MOST_K] = {0}, sum = 0, top = -INFINITY;
    long double w = (t->data->shares ? t->data->shares[i] : 1) / (long double)rows;
    size_t label = (size_t)t->labels[i];
    for (size_t c = 0; c < k; c++) {
      for (size_t j = 0; j < cols; j++) {
        long double at = f[c * cols + j] + (rest ? (long double)rest[c * cols + j] : 0);
        z[c] += at * t->data->x[i * cols + j];
      }
      top = fmaxl(top, z[c]);
    }
    for (size_t c = 0; c < k; c++) {
      sum += expl(z[c] - top);
    }
    value += w * (logl(sum) + top - z[label]);
    for (size_t c = 0; c < k; c++) {
      long double slope = expl(z[c] - top) / sum - (c == label);
      for (size_t j = 0; j < cols; j++) {
        g[c * cols + j] += w * slope * t->data->x[i * cols + j];
      }
    }
  }
  return value;
}

static double length(const long double *g, size_t count) {
  long double sum = 0;
  for (size_t j = 0; j < count; j++) {
    sum += g[j] * g[j];
  }
  return (double)sqrtl(sum);
}

static void random_point(random_source *r, size_t size, double scale, double *f) {
  for (size_t j = 0; j < size; j++) {
    f[j] = scale * (2 * random_unit(r) - 1);
  }
}

TEST(gradients_are_within_what_certificates_say) {
  for (uint64_t seed = 0; seed < repetitions(24, 400); seed++) {
    classes_problem t;
    random_source r = seeded(seed);
    make(&t, seed, 20 + seed * 31, 1 + seed % 7, 2 + seed % 9, 0.7, pow(10, -(double)(seed % 5)),
         seed % 3 == 0);
    size_t size = problem_size(&t.p);
    OWNED(scratch_free) scratch work = {0};
    point at;
    OWNED_MEMORY long double *g = calloc(size, sizeof *g);
    assert_non_null(g);
    assert_ok(point_take(&t.p, &work, NULL, &at, err));
    random_point(&r, size, pow(10, (double)(seed % 6) - 2), at.f);
    for (int kind = 0; kind < 2; kind++) {
      t.p.x = kind ? t.data->sparse : t.data->dense;
      assert_ok(problem_evaluate(&t.p, false, &at, err));
      double value = 0, truth = (double)reference(&t, at.f, NULL, g);
      const evaluation e = evaluation_at(&t.p, at.f, at.slope);
      for (size_t j = 0; j < size; j++) {
        g[j] -= at.gradient[j];
      }
      assert_true(length(g, size) <= evaluation_error(&e, IN_DOUBLES));
      assert_true(evaluation_error(&e, IN_DOUBLES) <= 1e-10 * (1 + norm_above(at.f, size)));
      assert_ok(problem_objective(&t.p, at.f, &value, err));
      assert_close(value, truth, 1e-11 * (1 + fabs(truth)));
    }
    clear(&t);
  }
}

typedef struct weighing {
  const problem *p;
  const double *curvature;
} weighing;

static void weigh(void *context, size_t from, size_t count, double *z) {
  const weighing *by = context;
  problem_weigh(by->p, by->curvature, from, count, z);
}

/* Upper triangle and product are one matrix, the derivative of gradients. */
TEST(hessians_are_derivatives_of_gradients) {
  for (uint64_t seed = 0; seed < 12; seed++) {
    classes_problem t;
    random_source r = seeded(seed);
    make(&t, seed, 150, seed % 2 ? 40 : 2 + seed % 5, 3 + seed % 4, seed % 2 ? 0.2 : 1, 0.01,
         seed % 3 == 0);
    t.p.x = seed % 2 ? t.data->sparse : t.data->dense;
    size_t size = problem_size(&t.p), cols = t.p.x->cols;
    OWNED(scratch_free) scratch work = {0};
    point at, near;
    double *h = NULL, *v = NULL, *product = NULL, *diagonal = NULL, sums[2], q[150 * 8];
    assert_ok(point_take(&t.p, &work, NULL, &at, err));
    assert_ok(point_take(&t.p, &work, NULL, &near, err));
    assert_ok(scratch_take(&work, size * size, sizeof *h, &h, err));
    assert_ok(scratch_take(&work, size, sizeof *v, &v, err));
    assert_ok(scratch_take(&work, size, sizeof *product, &product, err));
    assert_ok(scratch_take(&work, size, sizeof *diagonal, &diagonal, err));
    random_point(&r, size, 2, at.f);
    random_point(&r, size, 1, v);
    assert_ok(problem_evaluate(&t.p, false, &at, err));
    weighing by = {&t.p, at.curvature};
    assert_ok(problem_apply_both(&t.p, v, weigh, &by, product, err));
    assert_ok(problem_gram(&t.p, at.curvature, h, err));
    assert_ok(problem_diagonal(&t.p, at.curvature, diagonal, err));
    assert_ok(problem_scores(&t.p, v, q, err));
    assert_ok(problem_along(&t.p, &at, v, q, 0, &sums[0], &sums[1], err));
    double first = 0, second = 0;
    for (size_t i = 0; i < size; i++) {
      double row = 0, penalty = 0;
      for (size_t j = 0; j < size; j++) {
        row += h[i <= j ? i * size + j : j * size + i] * v[j];
      }
      assert_close(row, product[i], 1e-11 * 150);
      assert_close(h[i * size + i], diagonal[i], 1e-11 * 150);
      assert_ok(problem_penalty_curvature(&t.p, i, at.f[i], &penalty, err));
      first += at.gradient[i] * v[i];
      second += v[i] * (product[i] / 150 + penalty * v[i]);
    }
    assert_close(sums[0], first, 1e-10);
    assert_close(sums[1], second, 1e-10);
    double step = 1e-6;
    for (size_t i = 0; i < size; i++) {
      near.f[i] = at.f[i] + step * v[i];
    }
    assert_ok(problem_evaluate(&t.p, false, &near, err));
    for (size_t i = 0; i < size; i++) {
      double penalty = 0;
      assert_ok(problem_penalty_curvature(&t.p, i % cols, at.f[i], &penalty, err));
      assert_close((near.gradient[i] - at.gradient[i]) / step, product[i] / 150 + penalty * v[i],
                   1e-4);
    }
    clear(&t);
  }
}

TEST(every_way_finds_the_minimum) {
  static const solver_method methods[] = {SOLVER_CHOLESKY, SOLVER_CG, SOLVER_AUTO};
  for (uint64_t seed = 0; seed < repetitions(6, 60); seed++) {
    classes_problem t;
    double lambda = pow(10, -2 - (double)(seed % 4));
    make(&t, seed, seed % 2 ? 300 : 6000, 3 + seed % 9, 3 + 2 * (seed % 13), 0.8, lambda, seed % 2);
    size_t size = problem_size(&t.p);
    OWNED_MEMORY double *f = calloc(4 * size, sizeof *f);
    OWNED_MEMORY long double *g = calloc(size, sizeof *g);
    assert_true(f && g);
    for (size_t m = 0; m < 4; m++) {
      const solver_options how = {.method = methods[m % 3], .tolerance = 1e-11};
      solver_report report;
      t.p.x = m == 3 ? t.data->sparse : t.data->dense;
      assert_ok(solve(&t.p, &how, f + m * size, &report, err));
      assert_true(report.converged);
      reference(&t, f + m * size, NULL, g);
      assert_true(length(g, size) <= report.certified);
      assert_true(report.certified <= 1e-9);
      for (size_t j = 0; j < size; j++) {
        assert_close(f[m * size + j], f[j], 1e-9 / lambda);
      }
    }
    clear(&t);
  }
}

/* ---- what a fit costs: the weights of rows that are made, of classes in products and of pairs of
 * classes in Gram matrices */

static const matrix_kind *plain;
static size_t of_pairs;
static atomic_size_t weights;

static void count_apply_rows(const matrix *x, size_t from, size_t count, const double *f, size_t k,
                             double *z, double *work) {
  weights += count * k;
  plain->apply_rows(x, from, count, f, k, z, work);
}

static dperm_status count_apply_both(const matrix *x, const double *f, size_t k, matrix_turn *turn,
                                     void *context, double *g, dperm_error *err) {
  weights += x->rows * k;
  return plain->apply_both(x, f, k, turn, context, g, err);
}

static void count_row(const matrix *x, size_t i, double *values) {
  weights += of_pairs;
  plain->row(x, i, values);
}

static dperm_status count_select(const matrix *x, const size_t *rows, size_t count, matrix **out,
                                 dperm_error *err) {
  const matrix_kind *counted = x->kind;
  TRY(plain->select(x, rows, count, out, err));
  (*out)->kind = counted;
  return DPERM_OK;
}

/* Gram matrices of 400 classes would make 200 times as many weights each as a pass does. */
TEST(many_classes_cost_passes) {
  enum { ROWS = 8192, K = 400, PASSES = 100 };
  for (uint64_t seed = 0; seed < 4; seed++) {
    classes_problem t;
    make(&t, seed, ROWS, 1, K, 1, pow(10, -2 - (double)seed), false);
    matrix *x = seed % 2 ? t.data->sparse : t.data->dense;
    plain = x->kind;
    matrix_kind counted = *plain;
    counted.apply_rows = count_apply_rows;
    counted.apply_both = count_apply_both;
    counted.row = count_row;
    counted.select = count_select;
    x->kind = &counted;
    t.p.x = x;
    of_pairs = K * (K + 1) / 2;
    weights = 0;
    double f[K] = {0};
    const solver_options how = {.tolerance = 1e-10};
    solver_report report;
    assert_ok(solve(&t.p, &how, f, &report, err));
    assert_true(report.converged);
    assert_in_range(weights, (size_t)ROWS * K, (size_t)PASSES * ROWS * K);
    x->kind = plain;
    clear(&t);
  }
}

/* Closer than doubles can: the last resort of a private fit. */
TEST(polishing_reaches_what_doubles_cannot) {
  for (uint64_t seed = 0; seed < 4; seed++) {
    classes_problem t;
    make(&t, seed, 200, 4, 5, 0.8, 1e-5, seed % 2);
    size_t size = problem_size(&t.p);
    double *f = calloc(2 * size, sizeof *f), target = 16 * t.loss.slope_error;
    OWNED_MEMORY long double *g = calloc(size, sizeof *g);
    assert_true(f && g);
    const solver_options how = {.tolerance = 1e-6};
    solver_report report = {0};
    assert_ok(polish(&t.p, target, &how, f, f + size, &report, err));
    reference(&t, f, f + size, g);
    assert_true(length(g, size) <= report.certified && report.certified <= target);
    free(f);
    clear(&t);
  }
}

TEST(threads_do_not_change_a_bit) {
  for (uint64_t seed = 0; seed < 4; seed++) {
    classes_problem t;
    make(&t, seed, 5000, 5, 4, 0.9, 1e-4, false);
    size_t size = problem_size(&t.p);
    OWNED_MEMORY double *f = calloc(2 * size, sizeof *f);
    assert_non_null(f);
    t.p.x = seed % 2 ? t.data->sparse : t.data->dense;
    for (int m = 0; m < 2; m++) {
      const solver_options how = {.method = seed < 2 ? SOLVER_CHOLESKY : SOLVER_CG,
                                  .tolerance = 1e-9};
      solver_report report;
      OWNED(threads_leave) thread_scope threads = threads_enter(m ? 3 : 1);
      assert_ok(solve(&t.p, &how, f + (size_t)m * size, &report, err));
    }
    assert_memory_equal(f, f + size, size * sizeof *f);
    clear(&t);
  }
}
