/* dperm: planning, what a fit will do. */
#ifndef DPERM_PLAN_H
#define DPERM_PLAN_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a fit will do, from public numbers alone: costs no privacy. With neighbours add-remove
 * options.rows_about stands for the number of rows, and `rows` is 0 or the same. */
typedef struct dperm_plan {
  size_t rows, dims;
  double norm;  /* bound on ‖x‖₂ */
  double norm1; /* bound on ‖x‖₁ */
  dperm_mechanism mechanism;
  dperm_analysis analysis;
  size_t rows_per_person;
  double epsilon, epsilon_row; /* for a person, and what is left of it for one row */
  size_t classes;              /* more than two take a fit each, and what follows is about one: */
  double epsilon_class;        /* what is left of epsilon_row for it */
  double delta;                /* of the claim: about 1e-43, for noise that is too long (privacy.md
                                  6), or with gaussian noise the one that was given */
  double lambda, delta_reg;
  /* The kind of noise, or NULL without noise; then all that follows is NaN. Norms are ‖b‖₂ for
   * every kind: to compare another kind, plan again with options.noise, lambda and delta_reg set.
   * The rms is exact; mean and quantiles are within about a percent for kinds other than l2. */
  const char *noise;
  double beta; /* density of the noise ∝ exp(−β‖b‖) in the kind's norm; of gaussian noise ∝
                  exp(−β²‖b‖²/2) */
  double expected_noise_norm, rms_noise_norm;
  double noise_norm_q50, noise_norm_q95;
  double shift_rms;            /* how far the noise moves the solution, at most, in rms */
  double epsilon_core;         /* what the noise has of epsilon; the rest pays for the release */
  double solution_error;       /* how far rounding may move the solution, always */
  double lattice_noise_rms;    /* rms norm of what the release adds to hide that */
  double solution_norm_bound;  /* the solution without noise is at most this long */
  double excess_objective_q50; /* the noise costs at most this much of the objective, with */
  double excess_objective_q95; /* probability 0.5 and 0.95; infinite where nothing is known, as
                                  for output perturbation with a custom regularizer */
  /* What to expect. The typical length of a solution is options.norm_guess, or 10/norm. */
  double
      noise_to_signal; /* what the noise offers a model of that length, rms‖b‖·length/n, relative
                          to the most that data can, ℓ(0); for output perturbation, the noise's
                          rms norm relative to the length of the weights. Above 1: mostly noise */
  double coin_loss;    /* ℓ(0): the loss of a model that knows nothing */
  double excess_loss_q95; /* with probability 0.95 the mean loss on the records is at most this much
                             above that of any model of the typical length */
  /* The smallest epsilon, all else equal, at which excess_loss_q95 is below coin_loss. Below it
   * nothing better than a coin is promised whatever the records are; above it the model is better
   * than a coin in 95 percent of all runs if the records allow a small enough loss. NaN where no
   * epsilon does. And the smallest number of rows that do so at the plan's epsilon; 0 for none. */
  double epsilon_better_than_coin;
  size_t rows_better_than_coin;
  size_t rows_to_halve_noise; /* so many rows would halve noise_to_signal, all else equal; 0 where
                                 none do, as an automatic Λ for output perturbation spends them on
                                 a smaller Λ */
  size_t fits; /* that share epsilon_row: one a class of more than two, or 1 if they are joint */
  dperm_neighbours neighbours;
  double delta_given;        /* options.delta, of which pure noise spends nothing, */
  double delta_numerics;     /* and what numerics have of `delta` */
  double delta_core;         /* what gaussian noise itself was made for, in each fit; else 0 */
  double epsilon_calibrated; /* of epsilon what chooses the temperature (options.calibrate), or 0 */
  double epsilon_schema;     /* of epsilon what the schema costs, or cost; 0 for nothing */
  const char *schema_cost;   /* what for: "schema", refined before; "counts", options.refine;
                                "labels", how far numeric ones lie apart;
                                "answer", options.bins; or NULL. Figures are those of straight lines
                                where the records are still to choose */
} dperm_plan;

/* What is known in public of the rows that a fit will see. */
typedef struct dperm_plan_rows {
  size_t rows;                /* their number; 0 with neighbours add-remove */
  const dperm_schema *schema; /* of their records: what dperm_train will do; or NULL: */
  size_t dims;  /* columns; with a kernel its features are planned, whatever is given */
  double norm;  /* bounds ‖x‖₂ of every row, */
  double norm1; /* and this ‖x‖₁; infinite if nothing is known of it */
} dperm_plan_rows;

/* Of the options, progress, threads, random and tolerance are not used. */
DPERM_API DPERM_CHECKED dperm_status dperm_plan_sized(const dperm_plan_rows *of,
                                                      const dperm_options *options, dperm_plan *out,
                                                      size_t size, dperm_error *err);
DPERM_INLINE dperm_status dperm_plan_make(size_t rows, size_t dims, double norm,
                                          const dperm_options *options, dperm_plan *out,
                                          dperm_error *err) {
  const dperm_plan_rows of = {rows, NULL, dims, norm, 1e300};
  return dperm_plan_sized(&of, options, out, sizeof *out, err);
}
DPERM_INLINE dperm_status dperm_plan_for_norms(size_t rows, size_t dims, double norm, double norm1,
                                               const dperm_options *options, dperm_plan *out,
                                               dperm_error *err) {
  const dperm_plan_rows of = {rows, NULL, dims, norm, norm1};
  return dperm_plan_sized(&of, options, out, sizeof *out, err);
}
DPERM_INLINE dperm_status dperm_plan_for_schema(size_t rows, const dperm_schema *schema,
                                                const dperm_options *options, dperm_plan *out,
                                                dperm_error *err) {
  const dperm_plan_rows of = {rows, schema, 0, 0, 0};
  return dperm_plan_sized(&of, options, out, sizeof *out, err);
}

/* The plan as JSON (docs/formats.md), with every kind of noise that there could be beside the one
 * that is planned, and advice on each column of a schema: what it costs. To be given back with
 * dperm_text_free. */
DPERM_API DPERM_CHECKED dperm_status dperm_plan_report(const dperm_plan_rows *of,
                                                       const dperm_options *options, char **json,
                                                       dperm_error *err);

#ifdef __cplusplus
}
#endif
#endif
