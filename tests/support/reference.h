/* The mathematics once more, written out naively in long double from the formulas of the paper and
 * docs/privacy.md: losses, regularizers, the objective and its gradient by plain loops. It shares
 * no code with the library, so that the two can be compared. Also the random problems on which
 * they are. */
#ifndef DPERM_TESTS_REFERENCE_H
#define DPERM_TESTS_REFERENCE_H

#include "solve/solver.h"
#include "support.h"

typedef enum reference_loss {
  REF_LOGISTIC,
  REF_HUBER,
  REF_SMOOTH_HINGE,
  REF_LOG_COSH, /* from here on of numbers, of z − y */
  REF_HUBER_REGRESSION,
  REF_QUANTILE, /* of the part of REFERENCE_QUANTILE */
  REF_POISSON,  /* of z − 2, less the label's share of that */
  REFERENCE_LOSSES
} reference_loss;
#define REFERENCE_QUANTILE 0.3

/* ℓ, ℓ′, ℓ″ at a margin or a residual z. */
void reference_eval(reference_loss loss, long double h, long double z, long double out[3]);
/* ℓ′ and ℓ″ by the score of a record with this label: what a link makes of a loss. The label of a
 * loss of margins is 1, or ±1. */
void slope_at_score(const dperm_loss *loss, double label, double score, double *slope,
                    double *curvature);
/* The library's loss of that name. */
dperm_loss library_loss(reference_loss loss, double h);

/* A loss of the caller's own by a formula for one margin: its eval, with such a context. */
typedef struct loss_formula {
  void (*at)(double z, double *value, double *slope, double *curvature);
} loss_formula;
void formula_eval(const dperm_loss *loss, size_t count, const double *z, double *value,
                  double *slope, double *curvature);
/* Logistic loss times the context, a number. */
void scaled_eval(const dperm_loss *loss, size_t count, const double *z, double *value,
                 double *slope, double *curvature);

/* A custom regularizer for tests: N_j(f) = ½f² + ¼f⁴. */
void quartic_eval(void *context, size_t j, double f, double *value, double *slope,
                  double *curvature);

/* Rows in memory, as the reference reads them and as matrices: dense, sparse, and sparse with rows
 * that are made in every pass, or once for all. */
typedef struct test_rows {
  size_t rows, cols;
  double *x;               /* row-major */
  double *labels, *shares; /* shares NULL for ones */
  matrix *dense, *sparse, *made, *kept;
} test_rows;

/* Takes over x and labels (from malloc) and builds the matrices of them. */
test_rows *test_rows_of(size_t rows, size_t cols, double *x, double *labels);
/* Rows of norm at most 1 with about `density` of their entries not zero, and labels that a random
 * hyperplane explains but for some noise. */
test_rows *test_rows_random(uint64_t seed, size_t rows, size_t cols, double density);
/* Each row counts for a random share from 0 to 1; some for nothing, some for all. */
void test_rows_share(test_rows *t, uint64_t seed);
void test_rows_free(test_rows *t);
AUTO_TYPE(test_rows, test_rows_free)
#define auto_rows AUTO(test_rows_free) test_rows
OWNED_HANDLE(test_rows, test_rows_free)

typedef enum reference_regularizer {
  REF_RIDGE,
  REF_WEIGHTED,
  REF_PRIOR,
  REF_WEIGHTED_PRIOR,
  REF_QUARTIC
} reference_regularizer;

/* One model's objective, for the reference and for the library. */
typedef struct test_problem {
  const test_rows *data;
  reference_loss loss;
  double h, lambda, ridge;
  reference_regularizer kind;
  double *weights, *prior, *linear; /* cols each; linear NULL for none */
  /* filled by test_problem_init */
  dperm_loss library_loss;
  dperm_regularizer regularizer;
  problem_model model;
} test_problem;

/* With random weights in [1, 5], prior and linear term (if `linear`). */
void test_problem_init(test_problem *t, uint64_t seed, const test_rows *data, reference_loss loss,
                       double h, double lambda, double ridge, reference_regularizer kind,
                       bool linear);
void test_problem_clear(test_problem *t);
/* The same for the solver, on either kind of matrix. */
problem problem_for(const test_problem *t, const matrix *x);

/* J(f), and its gradient if not NULL. */
long double reference_objective(const test_problem *t, const double *f, long double *gradient);
double reference_gradient_norm(const test_problem *t, const double *f);

#endif
