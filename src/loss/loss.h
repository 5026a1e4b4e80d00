/* The loss seam inside the library. A loss of the library is a loss_kind in a file of its own and a
 * line of loss_table.c; whatever depends on which loss it is, is a member here. A caller's own loss
 * is a dperm_loss without a kind, and is known by its declared constants only. */
#pragma once

#include <stdbool.h>

#include "base/status.h"

typedef struct loss_kind {
  const char *name;       /* as a model file says it */
  double h_least, h_most; /* bounds on the parameter h; zeros for a loss without one */
  double h_usual;         /* and what it is where nobody says */
  bool corner;            /* h is the width of a corner, not a number of classes */
  bool numbers;           /* of z and a numeric label, with slopes of both signs; not of y·z: */
  bool counts;            /* a count (loss/link.h), else of the residual z − y */
  bool quantile;          /* which of them is predicted is a parameter too (loss_quantile) */
  dperm_loss (*constants)(double h); /* L, c and slope_error, the rest empty */
  void (*eval)(const dperm_loss *loss, size_t count, const double *z, double *value, double *slope,
               double *curvature);
  /* Slopes and curvatures at margins z + rest, a double-double each (`rest` NULL for none), within
   * slope_error as if they were exact. Either result may be NULL. */
  void (*slopes)(const dperm_loss *loss, size_t count, const double *z, const double *rest,
                 double *slope, double *curvature);
  /* sup over z of A·|ℓ′(z)| + log(1 + κ·ℓ″(z)) up to rounding, on which ε(A) rests (privacy.md 4);
   * NULL for A·L + log(1 + κc), which is never less. */
  double (*supremum)(const dperm_loss *loss, double kappa, double a);
  /* For a loss whose log(1 + κ·ℓ″) is a concave function of s = |ℓ′|: its tangent at a place
   * between its peak (0) and s = L (1), as its values at s = 0 and s = L, rounded up. The first
   * rises with the place, the second falls. NULL where nothing but log(1 + κc) is known. */
  void (*tangent)(const dperm_loss *loss, double kappa, double place, double *at_zero,
                  double *at_steepest);
  /* A bound on the sum of |slopes| by a row's scores, where it has several; 0: L, of one score. */
  double slope_sum;
  /* P(label | margin z), for a loss that is its −log; NULL for others. */
  double (*probability)(double z);
  bool joint;        /* softmax is its form for several classes at once */
  const char *model; /* what a model with it is called in a statement; NULL for the usual words */
} loss_kind;

/* NULL if there is none (dperm_loss_name lists them). */
const loss_kind *loss_kind_named(const char *name);
/* Which of the library's own losses this is, by its code and all its constants, not by its name
 * alone: a custom loss that calls itself "logistic" must not get the logistic loss's privacy
 * analysis. NULL for a custom one. */
const loss_kind *loss_kind_of(const dperm_loss *loss);

/* The loss of this kind with parameter h, which must be within its bounds; of a quantile loss the
 * median's. */
dperm_status loss_make(const loss_kind *kind, double h, dperm_loss *out, dperm_error *err);
/* Whether nobody chose its h: it was made with NaN. The records may say then how far labels lie
 * apart (refine/label_width.h). */
bool loss_h_usual(const dperm_loss *loss);
/* By how much the usual h is smaller for it: smoothing moves a quantile by h·logit(τ). */
double loss_h_share(const dperm_loss *loss);
/* The same loss with another h. */
dperm_status loss_with_h(const dperm_loss *loss, double h, dperm_loss *out, dperm_error *err);
/* Whether it is one of the library's losses of z − y, constants and all: another loss, whatever its
 * code, is of y·z. Labels are within [−1, 1] then. */
bool loss_is_residual(const dperm_loss *loss);
/* Whether it is the one of counts; and either of both, a loss of numeric labels. */
bool loss_is_count(const dperm_loss *loss);
bool loss_of_numbers(const dperm_loss *loss);
/* The quantile that it predicts; NaN for a loss of another kind. */
double loss_quantile(const dperm_loss *loss);
/* Slopes of both signs: of a loss of numbers, or one that the library does not know. */
bool loss_both_signs(const dperm_loss *loss);
/* The largest loss of a record under weights of zero. */
double loss_at_zero(const dperm_loss *loss);

/* sup over s in [0, 1] of A·s + log(1 + κ·s(1 − s)), the logistic loss's and what others need. */
double logistic_supremum(double kappa, double a);

/* A usable loss: an eval function, a name and parameter that a model file can hold,
 * finite constants above zero. Not a proof of the constants. */
dperm_status loss_validate(const dperm_loss *loss, dperm_error *err);
/* Refuses a custom loss that has the name of one of the library's own: whoever verifies a model
 * takes the constants from the name. */
dperm_status loss_check_name(const dperm_loss *loss, dperm_error *err);

/* ℓ′ at double-double margins. A custom loss ignores the rest: c·|z_rest| comes on top of its
 * slope_error. */
void loss_slope_dd(const dperm_loss *loss, size_t count, const double *z, const double *z_rest,
                   double *slope);

/* ---- the regularizer N(f) = Σ N_j(f_j), and the check that it is 1-strongly convex, on which
 * every privacy formula rests (regularizer.c) */

/* Weights ≥ 1 and finite, prior finite, no mixture of custom and quadratic. A custom one is tried
 * on many points: its slope must rise at rate 1 or more (not refuted is not proved). */
dperm_status regularizer_validate(const dperm_regularizer *regularizer, size_t dims,
                                  dperm_error *err);

/* N_j at f. A custom one that shows N_j″ < 1 is refused, always. What is not finite is passed on:
 * the solver may only have tried a step too long (solve/problem.h). */
dperm_status regularizer_eval(const dperm_regularizer *regularizer, size_t j, double f,
                              double *value, double *slope, double *curvature, dperm_error *err);

/* Whether the loss and the regularizer say how well they evaluate themselves: the library's own do,
 * custom ones may. */
bool evaluation_declared(const dperm_loss *loss, const dperm_regularizer *regularizer);
