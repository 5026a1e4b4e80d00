/* The Hessian, its Cholesky factor, one triangular solve. Where rounding makes the factorization
 * fail (curvatures that differ by sixteen powers of ten), the diagonal is raised until it goes
 * through: the direction is then shorter but still one of descent. */
#include <math.h>
#include <string.h>

#include "base/scratch.h"
#include "loss/regularizer.h"
#include "solve/cholesky.h"
#include "solve/direction.h"

dperm_status penalty_curvature(const problem *p, size_t m, const double *f, double *diagonal,
                               dperm_error *err) {
  for (size_t j = 0; j < p->x->cols; j++) {
    double value, slope, curvature;
    TRY(regularizer_eval(p->regularizer, j, f[j * p->models + m], &value, &slope, &curvature, err));
    diagonal[j] = p->model[m].lambda * curvature + p->model[m].ridge;
  }
  return DPERM_OK;
}

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

dperm_status hessian_of_gram(const problem *p, size_t m, const double *f, double *h,
                             dperm_error *err) {
  size_t cols = p->x->cols;
  double n = (double)rows_in_all(p->x);
  for (size_t i = 0; i < cols; i++) {
    double value, slope, curvature;
    TRY(regularizer_eval(p->regularizer, i, f[i * p->models + m], &value, &slope, &curvature, err));
    for (size_t j = i; j < cols; j++) {
      h[i * cols + j] /= n;
    }
    h[i * cols + i] += p->model[m].lambda * curvature + p->model[m].ridge;
  }
  return DPERM_OK;
}

dperm_status hessian_factor(const problem *p, size_t m, const point *at, double *factor,
                            dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t cols = p->x->cols;
  double *h = NULL;
  scratch work;
  scratch_init(&work);
  TRY_OR_DONE(scratch_take(&work, cols * cols, sizeof *h, &h, err));
  TRY_OR_DONE(p->x->kind->gram(p->x, at->curvature + m, p->models, h, err));
  TRY_OR_DONE(hessian_of_gram(p, m, at->f, h, err));
  TRY_OR_DONE(factor_raised(h, factor, cols, err));
done:
  scratch_free(&work);
  return status;
}

dperm_status direction_cholesky(const problem *p, const point *at, const bool *active,
                                double *direction, dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t cols = p->x->cols, k = p->models;
  double *factor = NULL, *d = NULL;
  scratch work;
  scratch_init(&work);
  TRY_OR_DONE(scratch_take(&work, cols * cols, sizeof *factor, &factor, err));
  TRY_OR_DONE(scratch_take(&work, cols, sizeof *d, &d, err));
  memset(direction, 0, cols * k * sizeof *direction);
  for (size_t m = 0; m < k; m++) {
    if (!active[m]) {
      continue;
    }
    TRY_OR_DONE(hessian_factor(p, m, at, factor, err));
    for (size_t j = 0; j < cols; j++) {
      d[j] = -at->gradient[j * k + m];
    }
    cholesky_solve(factor, cols, d);
    for (size_t j = 0; j < cols; j++) {
      direction[j * k + m] = d[j];
    }
  }
done:
  scratch_free(&work);
  return status;
}
