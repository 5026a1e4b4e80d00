/* Conjugate gradients on ∇²J d = −∇J with the Hessian's diagonal as preconditioner, k systems in
 * step: each iteration is one product with X and one with Xᵀ for all of them. Started at zero and
 * stopped at any iteration, the result is a direction of descent (Nocedal & Wright, 7.1). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/vector.h"
#include "solve/direction.h"

typedef struct systems {
  const problem *p;
  const point *at;
  double *penalty;                   /* wide: the penalty's own Hessian, diagonal */
  double *preconditioner;            /* wide: the whole Hessian's diagonal */
  double *residual, *step, *product; /* wide */
  double *tall;                      /* X·step, then weighted */
  double *rho, *goal;                /* per model: residualᵀ M⁻¹ residual; the norm to reach */
  bool *running;
} systems;

static double dot(const systems *s, const double *a, const double *b, size_t m) {
  return vector_dot(a + m, b + m, s->p->x->cols, s->p->models);
}

/* For one model, where the rows are still at hand. */
static void weigh(void *context, size_t from, size_t count, const double *z, double *w) {
  const double *curvature = ((const systems *)context)->at->curvature + from;
  for (size_t i = 0; i < count; i++) {
    w[i] = z[i] * curvature[i];
  }
}

/* product = ∇²J · step, all models at once. */
static dperm_status multiply(systems *s, dperm_error *err) {
  const matrix *x = s->p->x;
  size_t k = s->p->models, wide = x->cols * k, tall = x->rows * k;
  if (k == 1) {
    TRY(matrix_apply_both(x, s->step, weigh, s, s->product, err));
  } else {
    TRY(x->kind->apply(x, s->step, k, s->tall, err));
    for (size_t i = 0; i < tall; i++) {
      s->tall[i] *= s->at->curvature[i];
    }
    TRY(x->kind->apply_transposed(x, s->tall, k, s->product, err));
  }
  for (size_t i = 0; i < wide; i++) {
    s->product[i] = s->product[i] / (double)rows_in_all(x) + s->penalty[i] * s->step[i];
  }
  return DPERM_OK;
}

static dperm_status prepare(systems *s, const bool *active, const double *tolerance,
                            dperm_error *err) {
  const matrix *x = s->p->x;
  size_t k = s->p->models, cols = x->cols;
  TRY(x->kind->gram_diagonal(x, s->at->curvature, k, s->preconditioner, err));
  double *diagonal = s->product; /* free until the first product */
  for (size_t m = 0; m < k; m++) {
    s->running[m] = active[m];
    TRY(penalty_curvature(s->p, m, s->at->f, diagonal, err));
    for (size_t j = 0; j < cols; j++) {
      s->penalty[j * k + m] = diagonal[j];
    }
  }
  for (size_t i = 0; i < cols * k; i++) {
    s->preconditioner[i] = s->preconditioner[i] / (double)rows_in_all(x) + s->penalty[i];
    bool on = active[i % k];
    s->residual[i] = on ? -s->at->gradient[i] : 0.0;
    s->step[i] = s->residual[i] / s->preconditioner[i];
  }
  for (size_t m = 0; m < k; m++) {
    s->rho[m] = dot(s, s->residual, s->step, m);
    s->goal[m] = tolerance[m] * sqrt(dot(s, s->residual, s->residual, m));
  }
  return DPERM_OK;
}

/* One step of model m's system; a finished one stands still with step = 0. */
static void advance(systems *s, size_t m, double *direction) {
  size_t cols = s->p->x->cols, k = s->p->models;
  double bend = dot(s, s->step, s->product, m);
  double alpha = bend > 0 ? s->rho[m] / bend : 0.0;
  for (size_t j = 0; j < cols; j++) {
    direction[j * k + m] += alpha * s->step[j * k + m];
    s->residual[j * k + m] -= alpha * s->product[j * k + m];
  }
  double norm = sqrt(dot(s, s->residual, s->residual, m)), rho = 0;
  for (size_t j = 0; j < cols; j++) {
    rho += s->residual[j * k + m] * s->residual[j * k + m] / s->preconditioner[j * k + m];
  }
  s->running[m] = alpha > 0 && norm > s->goal[m] && rho > 0;
  double beta = s->running[m] ? rho / s->rho[m] : 0.0;
  for (size_t j = 0; j < cols; j++) {
    size_t i = j * k + m;
    s->step[i] = s->running[m] ? s->residual[i] / s->preconditioner[i] + beta * s->step[i] : 0.0;
  }
  s->rho[m] = rho;
}

dperm_status direction_cg(const problem *p, const point *at, const bool *active,
                          const double *tolerance, const dperm_progress *progress,
                          double *direction, dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t cols = p->x->cols, k = p->models, wide = cols * k;
  double *work = NULL, asked = 0;
  systems s = {.p = p, .at = at};
  TRY_OR_DONE(memory_new(5 * wide + 2 * k, sizeof *work, &work, err));
  TRY_OR_DONE(memory_new(k > 1 ? p->x->rows * k : 1, sizeof *s.tall, &s.tall, err));
  TRY_OR_DONE(memory_new(k, sizeof *s.running, &s.running, err));
  s.penalty = work;
  s.preconditioner = work + wide;
  s.residual = work + 2 * wide;
  s.step = work + 3 * wide;
  s.product = work + 4 * wide;
  s.rho = work + 5 * wide;
  s.goal = s.rho + k;
  memset(direction, 0, wide * sizeof *direction);
  TRY_OR_DONE(prepare(&s, active, tolerance, err));
  size_t most = 10 * cols + 50 < 2000 ? 10 * cols + 50 : 2000;
  for (size_t iteration = 0, left = 1; left > 0 && iteration < most; iteration++) {
    TRY_OR_DONE(progress_tick_seldom(progress, "solving", &asked, err));
    TRY_OR_DONE(multiply(&s, err));
    left = 0;
    for (size_t m = 0; m < k; m++) {
      if (s.running[m]) {
        advance(&s, m, direction);
        left += s.running[m];
      }
    }
  }
done:
  free(work);
  free(s.tall);
  free(s.running);
  return status;
}
