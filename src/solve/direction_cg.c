/* Conjugate gradients on ∇²J d = −∇J with the Hessian's diagonal as preconditioner: each iteration
 * is one product with X and one with Xᵀ. Started at zero and stopped at any iteration, the result
 * is a direction of descent (Nocedal & Wright, 7.1). */
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/vector.h"
#include "solve/coupled.h"
#include "solve/direction.h"

typedef struct linear_system {
  const problem *p;
  const point *at;
  double *penalty;                   /* the penalty's own Hessian, diagonal */
  double *preconditioner;            /* the whole Hessian's diagonal */
  double *residual, *step, *product; /* cols each */
  double rho, goal;                  /* residualᵀ M⁻¹ residual; the norm to reach */
} linear_system;

static void weigh(void *context, size_t from, size_t count, double *z) {
  const linear_system *s = context;
  if (problem_size(s->p) > s->p->x->cols) {
    coupled_weigh(s->p, s->at->curvature, from, count, z);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    z[i] *= s->at->curvature[from + i];
  }
}

/* product = ∇²J · step. */
static dperm_status multiply(linear_system *s, dperm_error *err) {
  TRY(problem_apply_both(s->p, s->step, weigh, s, s->product, err));
  for (size_t j = 0; j < problem_size(s->p); j++) {
    s->product[j] = s->product[j] / problem_divisor(s->p) + s->penalty[j] * s->step[j];
  }
  return DPERM_OK;
}

static dperm_status prepare(linear_system *s, double tolerance, dperm_error *err) {
  const matrix *x = s->p->x;
  size_t cols = problem_size(s->p);
  TRY(cols > x->cols ? coupled_diagonal(s->p, s->at->curvature, s->preconditioner, err)
                     : x->kind->gram_diagonal(x, s->at->curvature, 1, s->preconditioner, err));
  for (size_t j = 0; j < cols; j++) {
    TRY(problem_penalty_curvature(s->p, j, s->at->f[j], &s->penalty[j], err));
    s->preconditioner[j] = s->preconditioner[j] / problem_divisor(s->p) + s->penalty[j];
    s->residual[j] = -s->at->gradient[j];
    s->step[j] = s->residual[j] / s->preconditioner[j];
  }
  s->rho = vector_dot(s->residual, s->step, cols);
  s->goal = tolerance * vector_norm(s->residual, cols);
  return DPERM_OK;
}

/* One step; whether there is another. */
static bool advance(linear_system *s, double *direction) {
  size_t cols = problem_size(s->p);
  double bend = vector_dot(s->step, s->product, cols);
  double alpha = bend > 0 ? s->rho / bend : 0.0, rho = 0;
  for (size_t j = 0; j < cols; j++) {
    direction[j] += alpha * s->step[j];
    s->residual[j] -= alpha * s->product[j];
    rho += s->residual[j] * s->residual[j] / s->preconditioner[j];
  }
  double beta = rho / s->rho;
  for (size_t j = 0; j < cols; j++) {
    s->step[j] = s->residual[j] / s->preconditioner[j] + beta * s->step[j];
  }
  s->rho = rho;
  return alpha > 0 && vector_norm(s->residual, cols) > s->goal && rho > 0;
}

dperm_status direction_cg(const problem *p, const point *at, double tolerance,
                          const dperm_progress *progress, double *direction, dperm_error *err) {
  size_t cols = problem_size(p), most = 10 * cols + 50 < 2000 ? 10 * cols + 50 : 2000;
  OWNED_MEMORY double *work = NULL;
  TRY(memory_new(5 * cols, sizeof *work, &work, err));
  linear_system s = {.p = p,
                     .at = at,
                     .penalty = work,
                     .preconditioner = work + cols,
                     .residual = work + 2 * cols,
                     .step = work + 3 * cols,
                     .product = work + 4 * cols};
  memset(direction, 0, cols * sizeof *direction);
  TRY(prepare(&s, tolerance, err));
  bool going = true;
  double asked = 0;
  for (size_t i = 0; going && i < most; i++) {
    TRY(progress_tick_seldom(progress, "solving", &asked, err));
    TRY(multiply(&s, err));
    going = advance(&s, direction);
  }
  return DPERM_OK;
}
