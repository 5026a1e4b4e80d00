/* The two loops over the pairs, with the initial matrix between them. */
#include "base/vector.h"
#include "solve/direction.h"

size_t lbfgs_work_size(size_t cols) {
  return 2 * (size_t)LBFGS_PAIRS * cols;
}

void lbfgs_begin(lbfgs *q, size_t cols, double *work) {
  *q = (lbfgs){.cols = cols, .steps = work, .turns = work + (size_t)LBFGS_PAIRS * cols};
}

void lbfgs_add(lbfgs *q, const double *before, const double *after, const double *gradient_before,
               const double *gradient_after) {
  size_t cols = q->cols, at = q->pairs % LBFGS_PAIRS;
  double *step = q->steps + at * cols, *turn = q->turns + at * cols;
  for (size_t j = 0; j < cols; j++) {
    step[j] = after[j] - before[j];
    turn[j] = gradient_after[j] - gradient_before[j];
  }
  q->curvature[at] = vector_dot(step, turn, cols);
  q->pairs += q->curvature[at] > 1e-10 * vector_norm(step, cols) * vector_norm(turn, cols) ? 1 : 0;
}

dperm_status lbfgs_solve(const lbfgs *q, lbfgs_initial *initial, void *context, double *d,
                         dperm_error *err) {
  size_t cols = q->cols, from = q->pairs > LBFGS_PAIRS ? q->pairs - LBFGS_PAIRS : 0;
  double share[LBFGS_PAIRS];
  for (size_t i = q->pairs; i-- > from;) {
    size_t at = i % LBFGS_PAIRS;
    share[at] = vector_dot(q->steps + at * cols, d, cols) / q->curvature[at];
    vector_axpy(d, -share[at], q->turns + at * cols, cols);
  }
  TRY(initial(context, d, err));
  for (size_t i = from; i < q->pairs; i++) {
    size_t at = i % LBFGS_PAIRS;
    double back = vector_dot(q->turns + at * cols, d, cols) / q->curvature[at];
    vector_axpy(d, share[at] - back, q->steps + at * cols, cols);
  }
  return DPERM_OK;
}
