/* The Hessian, its Cholesky factor, one triangular solve. Where rounding makes the factorization
 * fail (curvatures that differ by sixteen powers of ten), the diagonal is raised until it goes
 * through: the direction is then shorter but still one of descent. */
#include <math.h>
#include <string.h>

#include "base/scratch.h"
#include "solve/cholesky.h"
#include "solve/coupled.h"
#include "solve/direction.h"

/* h is symmetric with the upper triangle set. */
static dperm_status factor_raised(const double *h, double *factor, size_t cols, dperm_error *err) {
  double peak = 0;
  for (size_t j = 0; j < cols; j++) {
    peak = fmax(peak, h[j * cols + j]);
  }
  for (double raise = 0; raise<1e6; raise = raise> 0 ? 100 * raise : 1e-14) {
    memcpy(factor, h, cols * cols * sizeof *factor);
    for (size_t j = 0; j < cols; j++) {
      factor[j * cols + j] += raise * peak;
    }
    if (cholesky_factor(factor, cols)) {
      return DPERM_OK;
    }
  }
  FAIL(err, DPERM_NUMERIC_ERROR, "the Hessian is not positive definite; check a custom loss");
}

dperm_status hessian_of_gram(const problem *p, const double *f, double *h, dperm_error *err) {
  size_t cols = problem_size(p);
  double n = problem_divisor(p), penalty = 0;
  for (size_t i = 0; i < cols; i++) {
    TRY(problem_penalty_curvature(p, i, f[i], &penalty, err));
    for (size_t j = i; j < cols; j++) {
      h[i * cols + j] /= n;
    }
    h[i * cols + i] += penalty;
  }
  return DPERM_OK;
}

static dperm_status factor_at(const problem *p, const point *at, double *factor, dperm_error *err) {
  size_t cols = problem_size(p);
  double *h = NULL;
  OWNED(scratch_free) scratch work;
  scratch_init(&work);
  TRY(scratch_take(&work, cols * cols, sizeof *h, &h, err));
  TRY(cols > p->x->cols ? coupled_gram(p, at->curvature, h, err)
                        : p->x->kind->gram(p->x, at->curvature, h, err));
  TRY(hessian_of_gram(p, at->f, h, err));
  return factor_raised(h, factor, cols, err);
}

dperm_status hessian_factor(const problem *p, const double *f, double *factor, dperm_error *err) {
  point at;
  OWNED(scratch_free) scratch work;
  scratch_init(&work);
  TRY(point_take(p, &work, NULL, &at, err));
  memcpy(at.f, f, problem_size(p) * sizeof *f);
  TRY(problem_evaluate(p, &at, err));
  return factor_at(p, &at, factor, err);
}

dperm_status direction_cholesky(const problem *p, const point *at, double *direction,
                                dperm_error *err) {
  size_t cols = problem_size(p);
  double *factor = NULL;
  OWNED(scratch_free) scratch work;
  scratch_init(&work);
  TRY(scratch_take(&work, cols * cols, sizeof *factor, &factor, err));
  TRY(factor_at(p, at, factor, err));
  for (size_t j = 0; j < cols; j++) {
    direction[j] = -at->gradient[j];
  }
  cholesky_solve(factor, cols, direction);
  return DPERM_OK;
}
