/* See precise.h. Sums over rows are shared by threads: at 200 bits their order does not matter. */
#include "precise.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/thread_pool.h"

/* ---- numbers */

mpfr_t *precise_array(size_t count) {
  mpfr_t *values = calloc(count, sizeof *values);
  assert_non_null(values);
  for (size_t i = 0; i < count; i++) {
    mpfr_init2(values[i], PRECISE_BITS);
    mpfr_set_zero(values[i], 1);
  }
  return values;
}

void precise_array_free(mpfr_t *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    mpfr_clear(values[i]);
  }
  free(values);
}

double precise_norm(mpfr_t *values, size_t count) {
  mpfr_t sum, square;
  mpfr_inits2(PRECISE_BITS, sum, square, (mpfr_ptr)0);
  mpfr_set_zero(sum, 1);
  for (size_t i = 0; i < count; i++) {
    mpfr_sqr(square, values[i], MPFR_RNDU);
    mpfr_add(sum, sum, square, MPFR_RNDU);
  }
  mpfr_sqrt(sum, sum, MPFR_RNDU);
  double norm = mpfr_get_d(sum, MPFR_RNDU);
  mpfr_clears(sum, square, (mpfr_ptr)0);
  return norm;
}

void precise_sum(mpfr_t out, double hi, double lo) {
  mpfr_set_d(out, hi, MPFR_RNDN);
  mpfr_add_d(out, out, lo, MPFR_RNDN);
}

/* ---- losses */

static void precise_logistic_slope(const mpfr_t z, mpfr_t out) {
  mpfr_exp(out, z, MPFR_RNDN);
  mpfr_add_ui(out, out, 1, MPFR_RNDN);
  mpfr_si_div(out, -1, out, MPFR_RNDN);
}

/* For u = (1 − z)/h within ±1: Huber −(1 + u)/2, smoothed −(2 + 3u − u³)/4. */
static void precise_hinge_slope(bool smooth, double h, const mpfr_t z, mpfr_t out) {
  mpfr_t u;
  mpfr_init2(u, PRECISE_BITS);
  mpfr_ui_sub(u, 1, z, MPFR_RNDN);
  mpfr_div_d(u, u, h, MPFR_RNDN);
  if (mpfr_cmp_si(u, 1) >= 0) {
    mpfr_set_si(out, -1, MPFR_RNDN);
  } else if (mpfr_cmp_si(u, -1) <= 0) {
    mpfr_set_zero(out, 1);
  } else if (smooth) {
    mpfr_sqr(out, u, MPFR_RNDN);
    mpfr_ui_sub(out, 3, out, MPFR_RNDN);
    mpfr_mul(out, out, u, MPFR_RNDN);
    mpfr_add_ui(out, out, 2, MPFR_RNDN);
    mpfr_div_si(out, out, -4, MPFR_RNDN);
  } else {
    mpfr_add_ui(out, u, 1, MPFR_RNDN);
    mpfr_div_si(out, out, -2, MPFR_RNDN);
  }
  mpfr_clear(u);
}

/* tanh(z/h), z/h within ±1, 1/(1 + e^(−z/h)) − τ, and e^z up to 1. */
static void precise_residual_slope(reference_loss loss, double h, const mpfr_t z, mpfr_t out) {
  mpfr_t v;
  mpfr_init2(v, PRECISE_BITS);
  mpfr_div_d(v, z, h, MPFR_RNDN);
  if (loss == REF_LOG_COSH) {
    mpfr_tanh(out, v, MPFR_RNDN);
  } else if (loss == REF_QUANTILE) {
    precise_logistic_slope(v, out);
    mpfr_add_ui(out, out, 1, MPFR_RNDN);
    mpfr_sub_d(out, out, REFERENCE_QUANTILE, MPFR_RNDN);
  } else if (loss == REF_POISSON) {
    mpfr_exp(out, z, MPFR_RNDN);
    if (mpfr_sgn(z) > 0) {
      mpfr_set_si(out, 1, MPFR_RNDN);
    }
  } else {
    mpfr_set_si(out, mpfr_sgn(v), MPFR_RNDN);
    if (mpfr_cmpabs_ui(v, 1) < 0) {
      mpfr_set(out, v, MPFR_RNDN);
    }
  }
  mpfr_clear(v);
}

void precise_slope(reference_loss loss, double h, const mpfr_t z, mpfr_t out) {
  if (loss >= REF_LOG_COSH) {
    precise_residual_slope(loss, h, z, out);
  } else if (loss == REF_LOGISTIC) {
    precise_logistic_slope(z, out);
  } else {
    precise_hinge_slope(loss == REF_SMOOTH_HINGE, h, z, out);
  }
}

/* ---- problems */

/* Blocks where there are any: a row of features alone would be made with its whole block. */
static double *rows_of(const matrix *x) {
  double *values = calloc(x->rows * x->cols + 1, sizeof *values);
  OWNED_MEMORY double *work = calloc(x->work_size + 1, sizeof *work);
  assert_true(values && work);
  for (size_t i = 0; !x->kind->block && i < x->rows; i++) {
    x->kind->row(x, i, values + i * x->cols);
  }
  for (size_t from = 0; x->kind->block && from < x->rows; from += MATRIX_BLOCK) {
    size_t left = x->rows - from, count = left < MATRIX_BLOCK ? left : MATRIX_BLOCK;
    memcpy(values + from * x->cols, x->kind->block(x, from, count, work),
           count * x->cols * sizeof *values);
  }
  return values;
}

precise_problem *precise_problem_of(const problem *p, reference_loss loss, double h) {
  precise_problem *t = calloc(1, sizeof *t);
  assert_non_null(t);
  *t = (precise_problem){.p = *p, .loss = loss, .h = h, .x = rows_of(p->x)};
  return t;
}

void precise_problem_free(precise_problem *t) {
  free(t->x);
  free(t);
}

double precise_row_norm(const precise_problem *t) {
  size_t cols = t->p.x->cols;
  mpfr_t *row = precise_array(cols);
  double most = 0;
  for (size_t i = 0; i < t->p.x->rows; i++) {
    for (size_t j = 0; j < cols; j++) {
      mpfr_set_d(row[j], t->x[i * cols + j], MPFR_RNDN);
    }
    most = fmax(most, precise_norm(row, cols));
  }
  precise_array_free(row, cols);
  return most;
}

/* sum += x_i y_i ℓ′(y_i z_i), or x_i ℓ′(z_i − y_i), with two numbers to work in. */
static void add_row(const precise_problem *t, size_t i, mpfr_t *f, mpfr_t *sum, mpfr_t z,
                    mpfr_t term) {
  size_t cols = t->p.x->cols;
  const double *row = t->x + i * cols;
  mpfr_set_zero(z, 1);
  for (size_t j = 0; j < cols; j++) {
    if (row[j] != 0) {
      mpfr_mul_d(term, f[j], row[j], MPFR_RNDN);
      mpfr_add(z, z, term, MPFR_RNDN);
    }
  }
  mpfr_t slope;
  mpfr_init2(slope, PRECISE_BITS);
  const bool residual = t->loss >= REF_LOG_COSH, counts = t->loss == REF_POISSON;
  if (residual) {
    mpfr_sub_d(z, z, counts ? 2 : t->p.labels[i], MPFR_RNDN);
  } else {
    mpfr_mul_d(z, z, t->p.labels[i], MPFR_RNDN);
  }
  precise_slope(t->loss, t->h, z, slope);
  if (counts) {
    mpfr_set_d(term, t->p.labels[i], MPFR_RNDN);
    mpfr_add_ui(term, term, 1, MPFR_RNDN);
    mpfr_div_ui(term, term, 2, MPFR_RNDN);
    mpfr_sub(slope, slope, term, MPFR_RNDN);
  }
  mpfr_mul_d(slope, slope, residual ? 1 : t->p.labels[i], MPFR_RNDN);
  mpfr_mul_d(slope, slope, t->p.shares ? t->p.shares[i] : 1, MPFR_RNDN);
  for (size_t j = 0; j < cols; j++) {
    if (row[j] != 0) {
      mpfr_mul_d(term, slope, row[j], MPFR_RNDN);
      mpfr_add(sum[j], sum[j], term, MPFR_RNDN);
    }
  }
  mpfr_clear(slope);
}

/* out = N_j′(f), out not f. */
static void penalty_slope(const dperm_regularizer *r, size_t j, const mpfr_t f, mpfr_t out) {
  if (r->eval) { /* f + f³ */
    mpfr_sqr(out, f, MPFR_RNDN);
    mpfr_add_ui(out, out, 1, MPFR_RNDN);
    mpfr_mul(out, out, f, MPFR_RNDN);
    return;
  }
  mpfr_sub_d(out, f, r->prior ? r->prior[j] : 0.0, MPFR_RNDN);
  mpfr_mul_d(out, out, r->weights ? r->weights[j] : 1.0, MPFR_RNDN);
}

static void add_penalty(const precise_problem *t, mpfr_t *f, mpfr_t *gradient) {
  const problem_model *model = &t->p.model;
  mpfr_t term;
  mpfr_init2(term, PRECISE_BITS);
  for (size_t j = 0; j < t->p.x->cols; j++) {
    mpfr_add_d(gradient[j], gradient[j], t->noise ? t->noise[j] : 0.0, MPFR_RNDN);
    mpfr_div_ui(gradient[j], gradient[j], t->p.x->rows, MPFR_RNDN);
    penalty_slope(t->p.regularizer, j, f[j], term);
    mpfr_mul_d(term, term, model->lambda, MPFR_RNDN);
    mpfr_add(gradient[j], gradient[j], term, MPFR_RNDN);
    mpfr_mul_d(term, f[j], model->ridge, MPFR_RNDN);
    mpfr_add(gradient[j], gradient[j], term, MPFR_RNDN);
    mpfr_add_d(gradient[j], gradient[j], model->linear ? model->linear[j] : 0.0, MPFR_RNDN);
  }
  mpfr_clear(term);
}

enum { ROWS = 256 };
typedef struct gradient_job {
  const precise_problem *t;
  mpfr_t *f, *gradient;
  pthread_mutex_t lock; /* of the gradient */
} gradient_job;

static void add_rows(void *context, size_t piece, size_t worker) {
  gradient_job *job = context;
  size_t cols = job->t->p.x->cols, from = piece * ROWS, left = job->t->p.x->rows - from;
  mpfr_t *sum = precise_array(cols), *work = precise_array(2);
  for (size_t i = 0; i < left && i < ROWS; i++) {
    add_row(job->t, from + i, job->f, sum, work[0], work[1]);
  }
  pthread_mutex_lock(&job->lock);
  for (size_t j = 0; j < cols; j++) {
    mpfr_add(job->gradient[j], job->gradient[j], sum[j], MPFR_RNDN);
  }
  pthread_mutex_unlock(&job->lock);
  precise_array_free(sum, cols);
  precise_array_free(work, 2);
  mpfr_free_cache(); /* each thread has its own */
}

void precise_gradient(const precise_problem *t, mpfr_t *f, mpfr_t *gradient) {
  gradient_job job = {t, f, gradient, PTHREAD_MUTEX_INITIALIZER};
  for (size_t j = 0; j < t->p.x->cols; j++) {
    mpfr_set_zero(gradient[j], 1);
  }
  pool_run((t->p.x->rows + ROWS - 1) / ROWS, add_rows, &job);
  add_penalty(t, f, gradient);
}

static double gradient_less(const precise_problem *t, const double *f, const double *rest,
                            const double *g, double *norm) {
  size_t cols = t->p.x->cols;
  mpfr_t *at = precise_array(cols), *gradient = precise_array(cols);
  for (size_t j = 0; j < cols; j++) {
    precise_sum(at[j], f[j], rest ? rest[j] : 0.0);
  }
  precise_gradient(t, at, gradient);
  *norm = precise_norm(gradient, cols);
  for (size_t j = 0; g && j < cols; j++) {
    mpfr_sub_d(gradient[j], gradient[j], g[j], MPFR_RNDN);
  }
  double left = precise_norm(gradient, cols);
  precise_array_free(at, cols);
  precise_array_free(gradient, cols);
  return left;
}

double precise_gradient_norm(const precise_problem *t, const double *f, const double *rest) {
  double norm = 0;
  return gradient_less(t, f, rest, NULL, &norm);
}

double precise_gradient_error(const precise_problem *t, const double *f, const double *g,
                              double *norm) {
  return gradient_less(t, f, NULL, g, norm);
}

/* ---- the minimizer: Newton with a Hessian in long double and gradients in 200 bits */

/* The Hessian at doubles near f. */
static void fill_hessian(const precise_problem *t, mpfr_t *f, long double *h) {
  size_t cols = t->p.x->cols, rows = t->p.x->rows;
  OWNED_MEMORY long double *at = calloc(cols, sizeof *at);
  assert_non_null(at);
  for (size_t j = 0; j < cols; j++) {
    at[j] = mpfr_get_ld(f[j], MPFR_RNDN);
  }
  memset(h, 0, cols * cols * sizeof *h);
  for (size_t i = 0; i < rows; i++) {
    const double *row = t->x + i * cols;
    long double z = 0, l[3];
    for (size_t j = 0; j < cols; j++) {
      z += row[j] * at[j];
    }
    reference_eval(t->loss, t->h, t->p.labels[i] * z, l);
    l[2] *= t->p.shares ? t->p.shares[i] : 1;
    for (size_t j = 0; l[2] != 0 && j < cols; j++) {
      for (size_t k = 0; row[j] != 0 && k <= j; k++) {
        h[j * cols + k] += l[2] * row[j] * row[k] / (long double)rows;
      }
    }
  }
  for (size_t j = 0; j < cols; j++) {
    const dperm_regularizer *r = t->p.regularizer;
    long double bend = r->eval ? 1 + 3 * at[j] * at[j] : r->weights ? r->weights[j] : 1;
    h[j * cols + j] += t->p.model.lambda * bend + t->p.model.ridge;
  }
}

/* x = −h⁻¹ x, by Cholesky's factor in place of the lower triangle. */
static void solve_newton(long double *h, long double *x, size_t cols) {
  for (size_t j = 0; j < cols; j++) {
    for (size_t k = 0; k <= j; k++) {
      long double sum = h[j * cols + k];
      for (size_t l = 0; l < k; l++) {
        sum -= h[j * cols + l] * h[k * cols + l];
      }
      h[j * cols + k] = j == k ? sqrtl(fmaxl(sum, 1e-4000L)) : sum / h[k * cols + k];
    }
  }
  for (size_t j = 0; j < cols; j++) {
    for (size_t l = 0; l < j; l++) {
      x[j] -= h[j * cols + l] * x[l];
    }
    x[j] /= h[j * cols + j];
  }
  for (size_t j = cols; j-- > 0;) {
    for (size_t l = j + 1; l < cols; l++) {
      x[j] -= h[l * cols + j] * x[l];
    }
    x[j] /= h[j * cols + j];
  }
  for (size_t j = 0; j < cols; j++) {
    x[j] = -x[j];
  }
}

typedef struct search {
  mpfr_t *here, *there, *gradient;
  long double *hessian, *step;
  double norm; /* ‖∇J‖ here */
} search;

/* One Newton step, halved until the gradient falls; false if it never does. */
static bool improve(const precise_problem *t, search *s) {
  size_t cols = t->p.x->cols;
  fill_hessian(t, s->here, s->hessian);
  for (size_t j = 0; j < cols; j++) {
    s->step[j] = mpfr_get_ld(s->gradient[j], MPFR_RNDN);
  }
  solve_newton(s->hessian, s->step, cols);
  for (int tries = 0; tries < 60; tries++) {
    mpfr_t step;
    mpfr_init2(step, PRECISE_BITS);
    for (size_t j = 0; j < cols; j++) {
      mpfr_set_ld(step, ldexpl(s->step[j], -tries), MPFR_RNDN);
      mpfr_add(s->there[j], s->here[j], step, MPFR_RNDN);
    }
    mpfr_clear(step);
    precise_gradient(t, s->there, s->gradient);
    double norm = precise_norm(s->gradient, cols);
    if (norm < s->norm) {
      mpfr_t *before = s->here;
      s->here = s->there;
      s->there = before;
      s->norm = norm;
      return true;
    }
  }
  return false;
}

double precise_distance(const precise_problem *t, const double *f, const double *rest,
                        const double *shift, double goal, double *unsure) {
  size_t cols = t->p.x->cols;
  double total = t->p.model.lambda + t->p.model.ridge;
  mpfr_t *from = precise_array(cols);
  search s = {precise_array(cols), precise_array(cols), precise_array(cols), NULL, NULL, 0};
  s.hessian = calloc(cols * cols, sizeof *s.hessian);
  s.step = calloc(cols, sizeof *s.step);
  assert_true(s.hessian && s.step);
  for (size_t j = 0; j < cols; j++) {
    precise_sum(from[j], f[j], rest ? rest[j] : 0.0);
    mpfr_sub_d(from[j], from[j], shift ? shift[j] : 0.0, MPFR_RNDN);
    mpfr_set(s.here[j], from[j], MPFR_RNDN);
  }
  precise_gradient(t, s.here, s.gradient);
  s.norm = precise_norm(s.gradient, cols);
  for (int steps = 0; steps < 100 && s.norm > goal * total && improve(t, &s); steps++) {
  }
  for (size_t j = 0; j < cols; j++) {
    mpfr_sub(from[j], from[j], s.here[j], MPFR_RNDN);
  }
  double distance = precise_norm(from, cols);
  *unsure = s.norm / total * (1 + 1e-15);
  precise_array_free(from, cols);
  precise_array_free(s.here, cols);
  precise_array_free(s.there, cols);
  precise_array_free(s.gradient, cols);
  free(s.hessian);
  free(s.step);
  return distance;
}
