/* See reference.h. */
#include "reference.h"
#include "loss/loss.h"
#include "matrix/equal_rows.h"

#include <math.h>
#include <stdlib.h>

/* ---- losses and regularizers */

void reference_eval(reference_loss loss, long double h, long double z, long double out[3]) {
  long double gap = 1 - z, u = gap / h, v = z / h;
  if (loss == REF_LOG_COSH) {
    out[0] = h * (fabsl(v) + log1pl(expl(-2 * fabsl(v))) - logl(2));
    out[1] = tanhl(v);
    out[2] = (1 - out[1] * out[1]) / h;
  } else if (loss == REF_HUBER_REGRESSION) {
    bool within = fabsl(v) <= 1;
    out[0] = within ? z * v / 2 : fabsl(z) - h / 2;
    out[1] = within ? v : v > 0 ? 1 : -1;
    out[2] = within ? 1 / h : 0;
  } else if (loss == REF_QUANTILE) {
    long double p = 1 / (1 + expl(-v)), tau = REFERENCE_QUANTILE;
    out[0] = h * log1pl(expl(-fabsl(v))) + fmaxl(z, 0) - tau * z;
    out[1] = p - tau;
    out[2] = p * (1 - p) / h;
  } else if (loss == REF_POISSON) {
    out[0] = z > 0 ? 1 + z : expl(z);
    out[1] = z > 0 ? 1 : expl(z);
    out[2] = z > 0 ? 0 : expl(z);
  } else if (loss == REF_LOGISTIC) {
    long double p = 1 / (1 + expl(z)); /* expl(z) is infinite only where p is zero */
    out[0] = z > 0 ? log1pl(expl(-z)) : -z + log1pl(expl(z));
    out[1] = -p;
    out[2] = z > 0 ? expl(-z) / powl(1 + expl(-z), 2) : expl(z) / powl(1 + expl(z), 2);
  } else if (u > 1) {
    out[0] = gap;
    out[1] = -1;
    out[2] = 0;
  } else if (u < -1) {
    out[0] = out[1] = out[2] = 0;
  } else if (loss == REF_HUBER) { /* CMS equation 7 */
    out[0] = (h + gap) * (h + gap) / (4 * h);
    out[1] = -(h + gap) / (2 * h);
    out[2] = 1 / (2 * h);
  } else {
    out[0] = h * (3 + 8 * u + 6 * u * u - u * u * u * u) / 16;
    out[1] = -(2 + 3 * u - u * u * u) / 4;
    out[2] = 3 * (1 - u * u) / (4 * h);
  }
}

dperm_loss library_loss(reference_loss loss, double h) {
  dperm_loss out = dperm_loss_logistic();
  if (loss == REF_HUBER) {
    assert_ok(dperm_loss_huber(h, &out, err));
  } else if (loss == REF_SMOOTH_HINGE) {
    assert_ok(dperm_loss_smooth_hinge(h, &out, err));
  } else if (loss == REF_QUANTILE) {
    assert_ok(dperm_loss_quantile(REFERENCE_QUANTILE, h, &out, err));
  } else if (loss >= REF_LOG_COSH) {
    const char *name = loss == REF_LOG_COSH  ? "log-cosh"
                       : loss == REF_POISSON ? "poisson"
                                             : "huber-regression";
    assert_ok(dperm_loss_by_name(name, loss == REF_POISSON ? (double)NAN : h, &out, err));
  }
  return out;
}

void slope_at_score(const dperm_loss *loss, double label, double score, double *slope,
                    double *curvature) {
  const bool counts = loss_is_count(loss), residual = loss_is_residual(loss);
  const double z = counts ? score - 2 : residual ? score - label : label * score;
  loss->eval(loss, 1, &z, NULL, slope, curvature);
  *slope = counts ? *slope - (1 + label) / 2 : residual ? *slope : label * *slope;
}

void formula_eval(const dperm_loss *loss, size_t count, const double *z, double *value,
                  double *slope, double *curvature) {
  const loss_formula *own = loss->context;
  for (size_t i = 0; i < count; i++) {
    double l, s, a;
    own->at(z[i], value ? &value[i] : &l, slope ? &slope[i] : &s, curvature ? &curvature[i] : &a);
  }
}

void scaled_eval(const dperm_loss *loss, size_t count, const double *z, double *value,
                 double *slope, double *curvature) {
  const dperm_loss own = dperm_loss_logistic();
  double scale = *(const double *)loss->context;
  own.eval(&own, count, z, value, slope, curvature);
  for (size_t i = 0; i < count; i++) {
    if (value) {
      value[i] *= scale;
    }
    if (slope) {
      slope[i] *= scale;
    }
    if (curvature) {
      curvature[i] *= scale;
    }
  }
}

void quartic_eval(void *context, size_t j, double f, double *value, double *slope,
                  double *curvature) {
  *value = 0.5 * f * f + 0.25 * f * f * f * f;
  *slope = f + f * f * f;
  *curvature = 1 + 3 * f * f;
}

/* ---- rows */

static matrix *dense_of(const test_rows *t) {
  matrix *out = NULL;
  double *copy = calloc(t->rows * t->cols, sizeof *copy);
  assert_non_null(copy);
  memcpy(copy, t->x, t->rows * t->cols * sizeof *copy);
  assert_ok(matrix_dense_new(t->rows, t->cols, copy, &out, err));
  return out;
}

static matrix *sparse_of(const test_rows *t) {
  OWNED(rows_clear) growing_rows rows = {0};
  matrix *out = NULL;
  assert_ok(rows_reserve_many(&rows, t->rows, t->rows * t->cols, err));
  for (size_t i = 0; i < t->rows; i++) {
    for (size_t j = 0; j < t->cols; j++) {
      if (t->x[i * t->cols + j] != 0) {
        rows_push(&rows, j, t->x[i * t->cols + j]);
      }
    }
    rows_end(&rows, 0);
  }
  assert_ok(matrix_sparse_take(&rows, t->cols, &out, err));
  return out;
}

/* ---- rows that are made of `x` */

typedef struct plain_maker {
  row_maker maker;
  const test_rows *t;
} plain_maker;

static size_t make_row(const test_rows *t, size_t i, uint32_t *columns, double *values) {
  size_t used = 0;
  for (size_t j = 0; j < t->cols; j++) {
    double value = t->x[i * t->cols + j];
    if (value != 0) {
      columns[used] = (uint32_t)j;
      values[used++] = value;
    }
  }
  return used;
}

static uint64_t no_hash(const void *context, size_t i) {
  return 0;
}

static bool same_rows(const void *context, size_t i, size_t j) {
  const test_rows *block = context;
  return memcmp(block->x + i * block->cols, block->x + j * block->cols,
                block->cols * sizeof *block->x) == 0;
}

/* Of a full block the different rows, as stored rows are folded. */
static size_t make_rows(const row_maker *maker, size_t from, size_t count, size_t *places,
                        size_t *starts, uint32_t *columns, double *values) {
  const test_rows *t = ((const plain_maker *)maker)->t;
  const test_rows block = {.x = t->x + from * t->cols, .cols = t->cols};
  size_t made = 0;
  if (places) {
    equal_in_block(&(equal_items){&block, no_hash, same_rows}, places);
  }
  starts[0] = 0;
  for (size_t i = 0; i < count; i++) {
    if (!places || places[i] == made) {
      starts[made + 1] =
          starts[made] + make_row(t, from + i, columns + starts[made], values + starts[made]);
      made++;
    }
  }
  return made;
}

static void free_maker(row_maker *maker) {
  free(maker);
}

static matrix *made_of(const test_rows *t) {
  plain_maker *m = calloc(1, sizeof *m);
  matrix *out = NULL;
  assert_non_null(m);
  *m = (plain_maker){.maker = {.make = make_rows, .free = free_maker}, .t = t};
  for (size_t i = 0; i < t->rows; i++) {
    size_t entries = 0;
    for (size_t j = 0; j < t->cols; j++) {
      entries += t->x[i * t->cols + j] != 0;
    }
    m->maker.entries += entries;
    m->maker.most_entries = entries > m->maker.most_entries ? entries : m->maker.most_entries;
  }
  assert_ok(matrix_made_new(&m->maker, t->rows, t->cols, &out, err));
  return out;
}

test_rows *test_rows_of(size_t rows, size_t cols, double *x, double *labels) {
  test_rows *t = calloc(1, sizeof *t);
  assert_non_null(t);
  *t = (test_rows){.rows = rows, .cols = cols, .x = x, .labels = labels};
  t->dense = dense_of(t);
  t->sparse = sparse_of(t);
  t->made = made_of(t);
  assert_ok(matrix_keep(t->made, &t->kept, err));
  return t;
}

test_rows *test_rows_random(uint64_t seed, size_t rows, size_t cols, double density) {
  random_source r = seeded(seed);
  double *x = calloc(rows * cols, sizeof *x), *labels = calloc(rows, sizeof *labels);
  OWNED_MEMORY double *teacher = calloc(cols, sizeof *teacher);
  assert_true(x && labels && teacher);
  for (size_t j = 0; j < cols; j++) {
    teacher[j] = random_normal(&r);
  }
  for (size_t i = 0; i < rows; i++) {
    double *row = x + i * cols, norm = 0, score = 0;
    for (size_t j = 0; j < cols; j++) {
      row[j] = random_unit(&r) < density ? random_normal(&r) : 0.0;
      norm += row[j] * row[j];
      score += row[j] * teacher[j];
    }
    double scale = norm > 0 ? random_unit(&r) * (1 - 1e-12) / sqrt(norm) : 1.0;
    for (size_t j = 0; j < cols; j++) {
      row[j] *= scale;
    }
    labels[i] = score + random_normal(&r) > 0 ? 1.0 : -1.0;
  }
  return test_rows_of(rows, cols, x, labels);
}

void test_rows_share(test_rows *t, uint64_t seed) {
  random_source r = seeded(seed);
  t->shares = calloc(t->rows, sizeof *t->shares);
  assert_non_null(t->shares);
  for (size_t i = 0; i < t->rows; i++) {
    uint64_t which = random_bits(&r) % 8;
    t->shares[i] = which == 0 ? 0 : which == 1 ? 1 : random_unit(&r);
  }
}

void test_rows_free(test_rows *t) {
  matrix_free(t->dense);
  matrix_free(t->sparse);
  matrix_free(t->made);
  matrix_free(t->kept);
  free(t->x);
  free(t->labels);
  free(t->shares);
  free(t);
}

/* ---- problems */

void test_problem_init(test_problem *t, uint64_t seed, const test_rows *data, reference_loss loss,
                       double h, double lambda, double ridge, reference_regularizer kind,
                       bool linear) {
  random_source r = seeded(seed);
  *t = (test_problem){
      .data = data, .loss = loss, .h = h, .lambda = lambda, .ridge = ridge, .kind = kind};
  t->weights = calloc(data->cols, sizeof(double));
  t->prior = calloc(data->cols, sizeof(double));
  t->linear = linear ? calloc(data->cols, sizeof(double)) : NULL;
  assert_true(t->weights && t->prior && (t->linear || !linear));
  for (size_t j = 0; j < data->cols; j++) {
    t->weights[j] = 1 + 4 * random_unit(&r);
    t->prior[j] = random_normal(&r);
    if (linear) {
      t->linear[j] = 0.1 * random_normal(&r);
    }
  }
  t->library_loss = library_loss(loss, h);
  bool weighted = kind == REF_WEIGHTED || kind == REF_WEIGHTED_PRIOR;
  bool towards = kind == REF_PRIOR || kind == REF_WEIGHTED_PRIOR;
  t->regularizer = (dperm_regularizer){.weights = weighted ? t->weights : NULL,
                                       .prior = towards ? t->prior : NULL,
                                       .eval = kind == REF_QUARTIC ? quartic_eval : NULL};
  t->model = (problem_model){.lambda = lambda, .ridge = ridge, .linear = t->linear};
}

void test_problem_clear(test_problem *t) {
  free(t->weights);
  free(t->prior);
  free(t->linear);
}

problem problem_for(const test_problem *t, const matrix *x) {
  return (problem){.x = x,
                   .labels = t->data->labels,
                   .shares = t->data->shares,
                   .norm_bound = 1.0,
                   .loss = &t->library_loss,
                   .regularizer = &t->regularizer,
                   .model = t->model};
}

long double reference_objective(const test_problem *t, const double *f, long double *gradient) {
  const test_rows *d = t->data;
  long double total = 0, n = (long double)d->rows, l[3];
  for (size_t j = 0; gradient && j < d->cols; j++) {
    gradient[j] = 0;
  }
  for (size_t i = 0; i < d->rows; i++) {
    long double z = 0;
    for (size_t j = 0; j < d->cols; j++) {
      z += (long double)d->x[i * d->cols + j] * f[j];
    }
    const bool residual = t->loss >= REF_LOG_COSH, counts = t->loss == REF_POISSON;
    const long double y = d->labels[i];
    reference_eval(t->loss, t->h, counts ? z - 2 : residual ? z - y : y * z, l);
    l[0] -= counts ? (1 + y) / 2 * (z - 2) : 0;
    l[1] -= counts ? (1 + y) / 2 : 0;
    long double share = d->shares ? d->shares[i] : 1;
    total += share * l[0] / n;
    for (size_t j = 0; gradient && j < d->cols; j++) {
      gradient[j] += share * (residual ? 1 : y) * l[1] * d->x[i * d->cols + j] / n;
    }
  }
  for (size_t j = 0; j < d->cols; j++) {
    long double w = t->regularizer.weights ? t->weights[j] : 1, fj = f[j];
    long double away = fj - (t->regularizer.prior ? t->prior[j] : 0);
    long double slope = w * away + (t->kind == REF_QUARTIC ? fj * fj * fj : 0);
    long double linear = t->linear ? t->linear[j] : 0;
    total +=
        t->lambda * (w * away * away / 2 + (t->kind == REF_QUARTIC ? fj * fj * fj * fj / 4 : 0));
    total += t->ridge * fj * fj / 2 + linear * fj;
    if (gradient) {
      gradient[j] += t->lambda * slope + t->ridge * fj + linear;
    }
  }
  return total;
}

double reference_gradient_norm(const test_problem *t, const double *f) {
  long double *gradient = calloc(t->data->cols, sizeof *gradient), sum = 0;
  assert_non_null(gradient);
  (void)reference_objective(t, f, gradient);
  for (size_t j = 0; j < t->data->cols; j++) {
    sum += gradient[j] * gradient[j];
  }
  free(gradient);
  return (double)sqrtl(sum);
}
