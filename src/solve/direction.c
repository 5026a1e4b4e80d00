/* The choice between a Cholesky factor and conjugate gradients, from public sizes alone. */
#include "solve/direction.h"

#include <math.h>

#include "loss/link.h"
#include "solve/coupled.h"

enum {
  CHOLESKY_SURE_COLUMNS = 256, /* up to these a factor costs next to nothing */
  CHOLESKY_MOST_COLUMNS = 1024,
  /* With more the weights of k²/2 blocks alone cost more than all products of conjugate gradients:
   * 1,000 classes with one column take 800 times as long for the blocks as for a product. */
  CHOLESKY_MOST_CLASSES = 128
};

/* What the two cost for one direction, in multiplications of a sparse row. Products of dense rows
 * cost a quarter of that (they wait for memory), their Gram matrices a sixteenth. Rows with several
 * scores have their weights made beside: one for each pair of classes in a Gram matrix, one for
 * each class in a product. Conjugate gradients take at most about √κ/2 iterations a factor of e, κ
 * the condition number; six of those is what a Newton step needs on average. Of k scores a typical
 * curvature is 1/k, since all of them sum to less than 1. */
static bool factor_is_cheaper(const problem *p) {
  double k = (double)link_scores(p->loss), all = (double)problem_size(p); /* of k² blocks, half */
  double rows = (double)rows_in_all(p->x), entries = (double)p->x->row_entries;
  bool sparse = p->x->kind->views != NULL && !(k > 1 && coupled_is_dense(p));
  double r = p->norm_bound, weight = k > 1 ? 8 : 0, bend = k > 1 ? 1 / k : p->loss->smoothness;
  double kappa = problem_crowd(p) * bend * r * r / (p->model.lambda + p->model.ridge) + 1;
  double products = fmin(3 * sqrt(kappa), 2 * all);
  double factor = k * (k + 1) / 2 * rows * (entries * entries / (sparse ? 2 : 32) + weight) +
                  all * all * (all / 12 + 16);
  bool stored = !p->x->kind->views && p->x->work_size == 0; /* and not made anew in every product */
  return factor <= products * k * rows * (2 * entries / (stored ? 4 : 1) + weight);
}

bool direction_uses_cholesky(const problem *p, solver_method method) {
  if (method != SOLVER_AUTO) {
    return method == SOLVER_CHOLESKY;
  }
  size_t cols = problem_size(p);
  bool sure = cols == p->x->cols && cols <= CHOLESKY_SURE_COLUMNS;
  bool possible = cols <= CHOLESKY_MOST_COLUMNS && link_scores(p->loss) <= CHOLESKY_MOST_CLASSES;
  return sure || (possible && factor_is_cheaper(p));
}

dperm_status newton_direction(const problem *p, solver_method method, const point *at,
                              double tolerance, const dperm_progress *progress, double *direction,
                              dperm_error *err) {
  TRY(direction_uses_cholesky(p, method)
          ? direction_cholesky(p, at, direction, err)
          : direction_cg(p, at, tolerance, progress, direction, err));
  /* All processes of a job take one direction, also where their processors round differently. */
  return ranks_share(p->x->spread, DPERM_OK, direction, problem_size(p) * sizeof *direction, err);
}
