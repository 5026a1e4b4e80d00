/* Distances are Kolmogorov and Smirnov's. Dvoretzky, Kiefer and Wolfowitz, with Massart's constant,
 * bound them for every number of draws and every law: P(distance > t) ≤ 2 exp(−2nt²). With that
 * rate shared among the tests, a sound build fails once in a million runs. */
#include <math.h>
#include <stdio.h>

#include "audit/attack.h"
#include "base/double_double.h"
#include "base/functions.h"
#include "base/memory.h"
#include "base/vector.h"
#include "data/dataset.h"
#include "random/random_source.h"
#include "release/numerics.h"
#include "run/fit.h"

static const double false_alarms = 1e-6;

/* ---- distances */

/* A law by its distribution function; `before` for P(X < x) instead of P(X ≤ x). */
typedef double law(double x, bool before, const void *context);

static double law_distance(double *sample, size_t count, law *f, const void *context) {
  double most = 0, n = (double)count;
  vector_sort(sample, count);
  for (size_t from = 0, to = 0; from < count; from = to) {
    for (to = from + 1; to < count && sample[to] == sample[from]; to++) {
    }
    most = fmax(most, fabs((double)from / n - f(sample[from], true, context)));
    most = fmax(most, fabs((double)to / n - f(sample[from], false, context)));
  }
  return most;
}

static double distance_limit(size_t count, size_t tests) {
  return sqrt(math_log(2 * (double)tests / false_alarms) / (2 * (double)count));
}

static size_t draws_of(const dperm_audit_options *options) {
  return options->draws ? options->draws : 100000;
}

static void state(dperm_audit_result *out, size_t draws, double distance, double limit) {
  out->draws = draws;
  out->distance = distance;
  out->limit = limit;
  out->confidence = 1 - false_alarms;
}

/* ---- the mechanism's noise */

/* P(β‖b‖_K ≤ x): a gamma or a χ variable of the shape d. */
static double norm_law(double x, bool before, const void *context) {
  const noise_plan *plan = context;
  return 1 - plan->kind->radius->tail((double)plan->dims, x);
}

/* A coordinate u of a uniform direction: (1+u)/2 is Beta((d−1)/2, (d−1)/2); u is ±1 where d = 1. */
static double direction_law(double u, bool before, const void *context) {
  size_t dims = *(const size_t *)context;
  if (dims == 1) {
    return (before ? u > 1 : u >= 1) ? 1 : (before ? u > -1 : u >= -1) ? 0.5 : 0;
  }
  double half = ((double)dims - 1) / 2;
  return beta_cdf((1 + u) / 2, half, half);
}

enum { DIRECTIONS = 4 };

/* The first and the last coordinate, and two diagonals: one with signs that alternate. */
static double along(const double *b, size_t dims, int direction) {
  double sum = 0;
  if (direction < 2) {
    return b[direction == 0 ? 0 : dims - 1];
  }
  for (size_t j = 0; j < dims; j++) {
    sum += direction == 3 && j % 2 ? -b[j] : b[j];
  }
  return sum / sqrt((double)dims);
}

/* The largest distance between the frequencies of a plan's draws and the law, over the norm and
 * several directions: the whole law of l2 noise there, the signs of other kinds. */
static dperm_status noise_distance(const noise_plan *plan, random_source *source, size_t draws,
                                   double *distance, dperm_error *err) {
  const bool round = plan->kind == &noise_l2;
  const size_t dims = plan->dims, signs = 1;
  OWNED_MEMORY double *samples = NULL, *b = NULL;
  TRY(memory_new(dims, sizeof *b, &b, err));
  TRY(memory_new((DIRECTIONS + 1) * draws, sizeof *samples, &samples, err));
  for (size_t i = 0; i < draws; i++) {
    noise_draw(plan, source, b);
    double norm = plan->kind->norm(plan, b);
    samples[i] = norm * plan->beta;
    for (int v = 0; v < DIRECTIONS; v++) {
      double part = along(b, dims, v);
      samples[(size_t)(v + 1) * draws + i] = round ? part / norm : copysign(1, part);
    }
  }
  TRY(random_check(source, err));
  *distance = law_distance(samples, draws, norm_law, plan);
  for (int v = 0; v < DIRECTIONS; v++) {
    double *sample = samples + (size_t)(v + 1) * draws;
    *distance = fmax(*distance, law_distance(sample, draws, direction_law, round ? &dims : &signs));
  }
  return DPERM_OK;
}

/* l2 noise in several dimensions; the others for rows of a block of two columns and one of four,
 * with a single column between them and one at the end. */
dperm_status audit_noise(const dperm_audit_options *options, int unused, dperm_audit_result *out,
                         dperm_error *err) {
  static const size_t l2_dims[] = {1, 2, 3, 10};
  static const body_run runs[] = {{1, 2, 0.5}, {1, 1, 0.25}, {1, 4, 0.75}, {1, 1, 1}};
  const noise_body body = {runs, sizeof runs / sizeof *runs, {0, 0, 0}};
  const noise_kind *kind = noise_named(options->variant);
  size_t draws = draws_of(options),
         plans = kind == &noise_l2 ? sizeof l2_dims / sizeof *l2_dims : 1;
  double most = 0;
  for (size_t i = 0; i < plans; i++) {
    const noise_plan plan = {kind, kind == &noise_l2 ? l2_dims[i] : body_dims(&body), 0.25, body,
                             1};
    char stream[16];
    double distance = 0;
    random_source source;
    (void)snprintf(stream, sizeof stream, "noise %zu", plan.dims);
    TRY(attack_source(options, kind == &noise_l2 ? stream : kind->name, &source, err));
    TRY(noise_distance(&plan, &source, draws, &distance, err));
    most = fmax(most, distance);
  }
  state(out, draws, most, distance_limit(draws, plans * (DIRECTIONS + 1)));
  return DPERM_OK;
}

/* ---- the lattice's noise */

/* P(Y ≤ y) of P(y) ∝ q^|y|, q = e^−rate: 1 − q^(y+1)/(1+q) from zero on, q^−y/(1+q) below. */
static double lattice_law(double y, bool before, const void *context) {
  double rate = *(const double *)context, q = math_exp(-rate);
  y -= before;
  return y >= 0 ? 1 - math_exp(-rate * (y + 1)) / (1 + q) : math_exp(rate * y) / (1 + q);
}

/* What a release adds to a result that lies on the lattice, under the plan of a real fit. */
dperm_status audit_lattice(const dperm_audit_options *options, int unused, dperm_audit_result *out,
                           dperm_error *err) {
  size_t draws = draws_of(options);
  double zero = 0, row[2] = {1, 0}, labels[2] = {1, -1}, weight = 0;
  const solution from = {&zero, &zero};
  OWNED_MEMORY double *sample = NULL;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  dperm_options fit;
  fit_plan plan;
  random_source source;
  dperm_options_init(&fit);
  fit.epsilon = options->epsilon;
  TRY(dperm_data_from_dense(2, 1, row, labels, 1, &data, err));
  TRY(fit_plan_check(data, 2, &fit, NULL, &plan, err));
  TRY(attack_source(options, "lattice", &source, err));
  TRY(memory_new(draws, sizeof *sample, &sample, err));
  for (size_t i = 0; i < draws; i++) {
    TRY(release_weights(&plan.release, &from, 1, &source, &weight, err));
    sample[i] = ldexp(weight, -plan.release.step_exponent);
  }
  TRY(random_check(&source, err));
  double rate = options->epsilon / 1000 / (double)plan.release.sensitivity;
  state(out, draws, law_distance(sample, draws, lattice_law, &rate), distance_limit(draws, 1));
  return DPERM_OK;
}

/* ---- rows */

/* ‖x‖²/R² − 1, its sign exact to a hundred bits. */
static double excess(const double *x, size_t dims, double norm) {
  double_double sum = two_product(-norm, norm);
  for (size_t j = 0; j < dims; j++) {
    sum = dd_add(sum, two_product(x[j], x[j]));
  }
  return sum.hi / (norm * norm);
}

/* Random rows, most of them far too long, as the library stores them: none is longer than R. */
dperm_status audit_rows(const dperm_audit_options *options, int unused, dperm_audit_result *out,
                        dperm_error *err) {
  enum { COLUMNS = 3 };
  const double norm = 0.7;
  size_t rows = draws_of(options);
  double stored[COLUMNS], most = -1;
  OWNED_MEMORY double *x = NULL, *labels = NULL;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  random_source source;
  TRY(attack_source(options, "rows", &source, err));
  TRY(memory_new(rows * COLUMNS, sizeof *x, &x, err));
  TRY(memory_new(rows, sizeof *labels, &labels, err));
  for (size_t i = 0; i < rows; i++) {
    double length = random_gamma(&source, 2);
    labels[i] = random_bits(&source) >> 63 ? 1 : -1;
    for (size_t j = 0; j < COLUMNS; j++) {
      x[i * COLUMNS + j] = length * random_normal(&source);
    }
  }
  TRY(dperm_data_from_dense(rows, COLUMNS, x, labels, norm, &data, err));
  for (size_t i = 0; i < rows; i++) {
    TRY(dperm_data_row(data, i, stored, err));
    most = fmax(most, excess(stored, COLUMNS, norm));
  }
  state(out, rows, sqrt(1 + most), 1);
  out->holds = most <= 0;
  return DPERM_OK;
}
