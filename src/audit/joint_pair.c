/* objective  x = 1 against x = −1, both of class 0, and others that hold class 1 up at x = 1 and
 *            class 2 at −1. So both records have a small p_0, their gradients are p − e_0 and
 *            −(p′ − e_0), and the noise differs by nearly (−2, 1, 1): its l1 norm is 4, as in the
 *            rule, and three signs of it decide. λ = 8/ε: the determinant has little.
 * jacobian   the record in one column or in another, so that its scores are free of each other, and
 *            a λ that gives the determinant nearly all of ε: it is largest where the first one's
 *            p is near (⅓, ⅓, ⅓). Many short rows of the other classes pull there, and bend next
 *            to nothing, until the noise that leads there has the signs of p − e_0, so that both
 *            add up; in the second column the noise itself makes p′ small where it has the signs of
 *            p′ − e_0. A forgotten slack shows, so scores are by the noise that it would call for.
 * output     x = (l, ±√(1 − l²)), and others at (1, 0) that hold class 1 up by so much that both
 *            records' p is next to e_1, however little they lean there. The others bend in the
 *            first column alone, so the minimizers differ by nearly 2√2/λ in the second.
 * descent    as objective, for noisy descent, with more others: gradients are long, and cut, all
 * the while. Scores are along the difference of the minimizers, as these move apart. */
#include <math.h>
#include <string.h>

#include "audit/worst_pair.h"
#include "base/functions.h"
#include "base/vector.h"
#include "loss/link.h"
#include "solve/direction.h"

enum { CLASSES = JOINT_CLASSES, WEIGHTS = JOINT_WEIGHTS };

static const double gaussian_delta = 0.02, lean = 0.4, short_row = 0.05;

/* ---- theory */

/* Adds what these rows add to the gradient and to the Hessian's upper triangle, each or NULL. */
static void add_rows(const joint_pair *pair, const joint_rows *rows, const double *weights,
                     double *gradient, double *hessian) {
  size_t d = pair->columns, size = CLASSES * d;
  double z[CLASSES], slope[CLASSES], p[CLASSES], label = (double)rows->label;
  double count = (double)rows->count;
  for (size_t c = 0; c < CLASSES; c++) {
    z[c] = 0;
    for (size_t j = 0; j < d; j++) {
      z[c] += weights[c * d + j] * rows->x[j];
    }
  }
  softmax_rows(CLASSES, 1, &label, z, NULL, NULL, slope, p);
  for (size_t i = 0; i < size; i++) {
    gradient[i] += count * slope[i / d] * rows->x[i % d];
    for (size_t j = i; j < size; j++) {
      double bend = p[i / d] * ((i / d == j / d ? 1.0 : 0.0) - p[j / d]);
      hessian[i * size + j] += count * bend * rows->x[i % d] * rows->x[j % d];
    }
  }
}

/* Of n(J + Δ/2‖W‖²), without noise. */
static void differentiate(const joint_pair *pair, int side, const double *weights, double *gradient,
                          double *hessian) {
  size_t size = CLASSES * pair->columns;
  memset(hessian, 0, size * size * sizeof *hessian);
  for (size_t i = 0; i < size; i++) {
    gradient[i] = pair->lambda * weights[i];
    hessian[i * size + i] = pair->lambda;
  }
  for (size_t i = 0; i < JOINT_OTHERS; i++) {
    add_rows(pair, &pair->others[i], weights, gradient, hessian);
  }
  add_rows(pair, &pair->record[side], weights, gradient, hessian);
}

/* Damped by the length of the step: slopes of softmax change little over a score of 1. */
static void find_minimizer(joint_pair *pair, int side) {
  size_t size = CLASSES * pair->columns;
  double gradient[WEIGHTS], hessian[WEIGHTS * WEIGHTS], *w = pair->minimizer[side];
  for (int i = 0; i < 200; i++) {
    differentiate(pair, side, w, gradient, hessian);
    (void)cholesky_factor(hessian, size); /* λ on its diagonal */
    cholesky_solve(hessian, size, gradient);
    vector_axpy(w, -1 / fmax(1, vector_norm(gradient, size)), gradient, size);
  }
}

static double output_log_density(const joint_pair *pair, int side, const double *weights) {
  size_t size = CLASSES * pair->columns;
  return noise_log_density(pair->delta,
                           pair->beta * pair_distance(weights, pair->minimizer[side], size));
}

/* Of the noise that gives these weights, in l1 or normal, and the determinant of its derivative. */
static double objective_log_density(const joint_pair *pair, int side, double beta,
                                    const double *weights) {
  size_t size = CLASSES * pair->columns;
  double b[WEIGHTS], hessian[WEIGHTS * WEIGHTS], sum = 0;
  differentiate(pair, side, weights, b, hessian);
  (void)cholesky_factor(hessian, size);
  for (size_t i = 0; i < size; i++) {
    sum += 2 * math_log(fabs(hessian[i * size + i])) +
           noise_log_density(pair->delta, beta * fabs(b[i]));
  }
  return sum;
}

static double log_ratio(const joint_pair *pair, double beta, const double *weights) {
  return pair->mechanism == DPERM_MECHANISM_OUTPUT
             ? output_log_density(pair, 0, weights) - output_log_density(pair, 1, weights)
             : objective_log_density(pair, 0, beta, weights) -
                   objective_log_density(pair, 1, beta, weights);
}

double joint_log_ratio(const joint_pair *pair, const double *weights) {
  return log_ratio(pair, pair->beta, weights);
}

static double along_difference(const joint_pair *pair, const double *weights) {
  double sum = 0;
  for (size_t i = 0; i < CLASSES * pair->columns; i++) {
    sum += weights[i] * (pair->minimizer[0][i] - pair->minimizer[1][i]);
  }
  return sum;
}

double joint_score(const joint_pair *pair, const double *weights) {
  return pair->kind == JOINT_DESCENT
             ? along_difference(pair, weights)
             : log_ratio(pair, pair->kind == JOINT_JACOBIAN ? pair->bare_beta : pair->beta,
                         weights);
}

/* ---- constructions */

static void place_rows(joint_pair *pair, double epsilon) {
  bool descent = pair->kind == JOINT_DESCENT;
  size_t many = (size_t)fmin((descent ? 8 : 3) * pair->lambda, 1000);
  size_t pull = (size_t)fmin(80 / epsilon, 400); /* as noise grows with 1/ε */
  double across = sqrt(1 - lean * lean) * (1 - 0x1p-50);
  switch (pair->kind) {
  case JOINT_OBJECTIVE:
  case JOINT_DESCENT:
    pair->columns = 1;
    pair->others[0] = (joint_rows){{1}, 1, many};
    pair->others[1] = (joint_rows){{-1}, 2, many};
    pair->record[0] = (joint_rows){{1}, 0, 1};
    pair->record[1] = (joint_rows){{-1}, 0, 1};
    break;
  case JOINT_JACOBIAN:
    pair->columns = 2;
    pair->others[0] = (joint_rows){{short_row, 0}, 1, pull};
    pair->others[1] = (joint_rows){{short_row, 0}, 2, pull};
    pair->record[0] = (joint_rows){{1, 0}, 0, 1};
    pair->record[1] = (joint_rows){{0, 1}, 0, 1};
    break;
  default:
    pair->columns = 2;
    pair->others[0] = (joint_rows){{1, 0}, 1, 20000};
    pair->record[0] = (joint_rows){{lean, across}, 0, 1};
    pair->record[1] = (joint_rows){{lean, -across}, 0, 1};
  }
  pair->rows = pair->others[0].count + pair->others[1].count + 4;
  pair->record[1].count = pair->neighbours == DPERM_NEIGHBOURS_REPLACE;
}

/* The most that the determinant has of ε: a twelfth, or nearly all. */
static double place_lambda(joint_kind kind, double epsilon) {
  return kind == JOINT_JACOBIAN ? 1 / (CLASSES * math_expm1(0.97 * epsilon / (CLASSES - 1)))
         : kind == JOINT_OUTPUT ? 4
                                : 8 / fmin(epsilon, 1);
}

joint_pair joint_pair_make(int kind, double epsilon, double delta) {
  const dperm_loss loss = softmax_loss(CLASSES);
  joint_pair made = {.kind = (joint_kind)(kind % PAIR_ADD)};
  made.mechanism = made.kind == JOINT_OUTPUT    ? DPERM_MECHANISM_OUTPUT
                   : made.kind == JOINT_DESCENT ? DPERM_MECHANISM_DESCENT
                                                : DPERM_MECHANISM_OBJECTIVE;
  made.neighbours = kind & PAIR_ADD ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE;
  if (kind & PAIR_GAUSSIAN) {
    made.delta = delta > 0 ? delta : gaussian_delta;
  }
  made.lambda = place_lambda(made.kind, epsilon);
  /* Rows have norm 1 in every norm of noise. */
  made.beta = claimed_beta(&loss, made.mechanism, made.neighbours, 1, made.lambda, 1 / made.lambda,
                           epsilon, made.delta);
  made.bare_beta =
      claimed_beta(&loss, made.mechanism, made.neighbours, 1, made.lambda, 0, epsilon, made.delta);
  place_rows(&made, epsilon);
  find_minimizer(&made, 0);
  find_minimizer(&made, 1);
  return made;
}
