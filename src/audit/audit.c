/* dperm_audit_run: the list of audits, and from each to a verdict. */
#include <math.h>

#include "audit/attack.h"
#include "audit/worst_pair.h"
#include "base/memory.h"
#include "base/options_defaults.h"
#include "base/vector.h"
#include "dperm/tune.h"
#include "loss/loss.h"

typedef struct audit_case {
  const char *mechanism, *variant; /* NULL: a case for each loss, or kind of noise */
  audit_function *run;
  int detail;
} audit_case;

static const audit_case cases[] = {
    {"output", NULL, audit_fit, PAIR_OUTPUT},
    {"objective", NULL, audit_fit, PAIR_OBJECTIVE},
    {"jacobian", NULL, audit_fit, PAIR_JACOBIAN},
    {"gaussian-output", NULL, audit_fit, PAIR_OUTPUT + PAIR_GAUSSIAN},
    {"gaussian-objective", NULL, audit_fit, PAIR_OBJECTIVE + PAIR_GAUSSIAN},
    {"gaussian-jacobian", "huber", audit_fit, PAIR_JACOBIAN + PAIR_GAUSSIAN},
    {"add-gaussian-output", NULL, audit_fit, PAIR_OUTPUT + PAIR_ADD + PAIR_GAUSSIAN},
    {"add-gaussian-objective", NULL, audit_fit, PAIR_OBJECTIVE + PAIR_ADD + PAIR_GAUSSIAN},
    {"elliptic", "gaussian", audit_ellipse, 0},
    {"shape", "output", audit_fit, PAIR_SHAPE},
    {"intercept", "output", audit_fit, PAIR_INTERCEPT},
    {"weights", NULL, audit_fit, PAIR_WEIGHTS},
    {"persons", "mean", audit_persons, DPERM_NEIGHBOURS_REPLACE},
    {"add-persons", "mean", audit_persons, DPERM_NEIGHBOURS_ADD_REMOVE},
    {"add-output", NULL, audit_fit, PAIR_OUTPUT + PAIR_ADD},
    {"add-objective", NULL, audit_fit, PAIR_OBJECTIVE + PAIR_ADD},
    {"add-jacobian", NULL, audit_fit, PAIR_JACOBIAN + PAIR_ADD},
    {"joint", "objective", audit_joint, JOINT_OBJECTIVE},
    {"joint", "jacobian", audit_joint, JOINT_JACOBIAN},
    {"joint", "output", audit_joint, JOINT_OUTPUT},
    {"add-joint", "objective", audit_joint, JOINT_OBJECTIVE + PAIR_ADD},
    {"add-joint", "jacobian", audit_joint, JOINT_JACOBIAN + PAIR_ADD},
    {"add-joint", "output", audit_joint, JOINT_OUTPUT + PAIR_ADD},
    {"gaussian-joint", "descent", audit_joint, JOINT_DESCENT + PAIR_GAUSSIAN},
    {"gaussian-joint", "output", audit_joint, JOINT_OUTPUT + PAIR_GAUSSIAN},
    {"add-gaussian-joint", "descent", audit_joint, JOINT_DESCENT + PAIR_ADD + PAIR_GAUSSIAN},
    {"add-gaussian-joint", "output", audit_joint, JOINT_OUTPUT + PAIR_ADD + PAIR_GAUSSIAN},
    {"selector", "permute-and-flip", audit_selector, DPERM_SELECTOR_PERMUTE_AND_FLIP},
    {"selector", "exponential", audit_selector, DPERM_SELECTOR_EXPONENTIAL},
    {"split", "output", audit_tuning, SPLIT},
    {"stopping", "logarithmic", audit_tuning, DPERM_ROUNDS_LOGARITHMIC},
    {"stopping", "geometric", audit_tuning, DPERM_ROUNDS_GEOMETRIC},
    {"held-out", "evaluation", audit_held_out, DPERM_NEIGHBOURS_REPLACE},
    {"add-held-out", "evaluation", audit_held_out, DPERM_NEIGHBOURS_ADD_REMOVE},
    {"refine", "histograms", audit_refine, DPERM_NEIGHBOURS_REPLACE},
    {"add-refine", "histograms", audit_refine, DPERM_NEIGHBOURS_ADD_REMOVE},
    {"bins", "choice", audit_bins, 0},
    {"bins", "ranges", audit_ranges, 0},
    {"columns", "choice", audit_columns, 0},
    {"scale", "weight", audit_scale, DPERM_NEIGHBOURS_REPLACE},
    {"add-scale", "weight", audit_scale, DPERM_NEIGHBOURS_ADD_REMOVE},
    {"width", "labels", audit_width, DPERM_NEIGHBOURS_REPLACE},
    {"add-width", "labels", audit_width, DPERM_NEIGHBOURS_ADD_REMOVE},
    {"calibration", "temperature", audit_temperature, DPERM_NEIGHBOURS_REPLACE},
    {"add-calibration", "temperature", audit_temperature, DPERM_NEIGHBOURS_ADD_REMOVE},
    {"intervals", "body", audit_body, 0},
    {"intervals", "products", audit_products, 0},
    {"pairs", "table", audit_pairs, DPERM_NEIGHBOURS_REPLACE},
    {"add-pairs", "table", audit_pairs, DPERM_NEIGHBOURS_ADD_REMOVE},
    {"score", "errors", audit_score, 0},
    {"score", "counts", audit_score, SCORE_COUNTS},
    {"score", "cells", audit_evaluation, DPERM_NEIGHBOURS_REPLACE},
    {"score", "sums", audit_sums, DPERM_NEIGHBOURS_REPLACE},
    {"add-score", "errors", audit_score, SCORE_ADDED},
    {"add-score", "counts", audit_score, SCORE_ADDED | SCORE_COUNTS},
    {"add-score", "cells", audit_evaluation, DPERM_NEIGHBOURS_ADD_REMOVE},
    {"add-score", "sums", audit_sums, DPERM_NEIGHBOURS_ADD_REMOVE},
    {"noise", NULL, audit_noise, 0},
    {"lattice", "integer noise", audit_lattice, 0},
    {"rows", "bound", audit_rows, 0},
};
static const size_t case_count = sizeof cases / sizeof *cases;

/* Numbers have no class weights: the first of the losses are for classes. */
static const char *loss_at(const audit_case *c, size_t j) {
  const char *name = dperm_loss_name(j);
  return name && c->detail == PAIR_WEIGHTS && loss_kind_named(name)->numbers ? NULL : name;
}

/* Variant j of a case; NULL beyond the last. */
static const char *variant_at(const audit_case *c, size_t j) {
  return c->variant              ? (j == 0 ? c->variant : NULL)
         : c->run == audit_noise ? dperm_noise_name((dperm_noise)(j + 1)) /* 0 is no kind */
                                 : loss_at(c, j);
}

static bool case_at(size_t index, audit_case *out) {
  for (size_t i = 0; i < case_count; i++) {
    for (size_t j = 0; variant_at(&cases[i], j); j++, index--) {
      if (index == 0) {
        *out = cases[i];
        out->variant = variant_at(&cases[i], j);
        return true;
      }
    }
  }
  return false;
}

bool dperm_audit_case(size_t index, const char **mechanism, const char **variant) {
  audit_case found;
  if (!case_at(index, &found)) {
    return false;
  }
  *mechanism = found.mechanism;
  *variant = found.variant;
  return true;
}

/* Without a variant: the usual loss, or the first. */
static bool find_case(const dperm_audit_options *options, audit_case *out) {
  for (size_t i = 0; case_at(i, out); i++) {
    const char *wanted = options->variant                ? options->variant
                         : loss_kind_named(out->variant) ? audit_usual_loss
                                                         : out->variant;
    if (strcmp(out->mechanism, options->mechanism) == 0 && strcmp(out->variant, wanted) == 0) {
      return true;
    }
  }
  return false;
}

static dperm_status check_claim(double epsilon, dperm_error *err) {
  FAIL_IF(!(epsilon >= 1e-3 && epsilon <= 20), err, DPERM_INVALID_ARGUMENT,
          "epsilon = %g; an audit can tell something between 0.001 and 20", epsilon);
  return DPERM_OK;
}

/* Whether it is of gaussian noise, and so has a delta to choose. */
static bool chooses_delta(const audit_case *c) {
  bool fits = c->run == audit_fit || c->run == audit_joint;
  return c->run == audit_ellipse || (fits && c->detail & PAIR_GAUSSIAN);
}

static dperm_audit_result nothing_found(const char *mechanism, const char *variant,
                                        double epsilon) {
  return (dperm_audit_result){.mechanism = mechanism,
                              .variant = variant,
                              .epsilon_claimed = epsilon,
                              .epsilon_lower_bound = (double)NAN,
                              .distance = (double)NAN,
                              .limit = (double)NAN,
                              .holds = 1};
}

dperm_status dperm_audit_run(const dperm_audit_options *given, dperm_audit_result *out,
                             dperm_error *err) {
  dperm_audit_options taken, *options = &taken;
  TRY(options_take(DPERM_OPTIONS_AUDIT, given, options, err));
  audit_case found;
  FAIL_IF(!find_case(options, &found), err, DPERM_INVALID_ARGUMENT,
          "no audit is called \"%.40s%s%.40s\"; dperm help audit names them", options->mechanism,
          options->variant ? " " : "", options->variant ? options->variant : "");
  TRY(check_claim(options->epsilon, err));
  FAIL_IF(options->delta != 0 &&
              !(chooses_delta(&found) && options->delta > 0 && options->delta < 1),
          err, DPERM_INVALID_ARGUMENT,
          "delta = %g; audits of gaussian noise, as gaussian-objective, have one to choose, above "
          "0 and below 1; leave it out for the others, or for the usual one",
          options->delta);
  FAIL_IF(options->threads < 0 || options->threads > 4096 ||
              (uint64_t)options->draws > UINT64_C(1) << 40,
          err, DPERM_INVALID_ARGUMENT, "%d threads and %zu draws; give at most 4096 and 2^40",
          options->threads, options->draws);
  dperm_audit_result result = nothing_found(found.mechanism, found.variant, options->epsilon);
  if (options->delta_claimed) {
    *options->delta_claimed = (double)NAN;
  }
  options->variant = found.variant;
  TRY(found.run(options, found.detail, &result, err));
  result.holds = result.holds && !(result.epsilon_lower_bound > result.epsilon_claimed) &&
                 !(result.distance > result.limit);
  *out = result;
  return DPERM_OK;
}

/* ---- anybody's mechanism */

dperm_status dperm_audit_outcomes(const double *first, const double *second, size_t count,
                                  size_t dims, double epsilon, double delta,
                                  dperm_audit_result *out, dperm_error *err) {
  size_t learn = count / 10;
  const double *outcome[2] = {first, second};
  OWNED_MEMORY double *axis = NULL, *scores = NULL;
  guesses counts = {0, 0, 0};
  FAIL_IF(count < 100 || dims == 0 || !(delta >= 0 && delta < 1), err, DPERM_INVALID_ARGUMENT,
          "%zu outcomes of %zu numbers, delta = %g; give at least 100, and a delta of at least 0 "
          "and below 1",
          count, dims, delta);
  TRY(check_claim(epsilon, err));
  for (size_t i = 0; i < count * dims; i++) {
    FAIL_IF(!isfinite(first[i]) || !isfinite(second[i]), err, DPERM_INVALID_DATA,
            "outcome %zu is not a finite number", i / dims + 1);
  }
  TRY(memory_new(dims, sizeof *axis, &axis, err));
  TRY(memory_new(2 * learn, sizeof *scores, &scores, err));
  for (size_t i = 0; i < learn * dims; i++) { /* on which the two means lie */
    axis[i % dims] += (first[i] - second[i]) / (double)learn;
  }
  for (size_t i = 0; i < 2 * learn; i++) {
    scores[i] = vector_dot(outcome[i / learn] + i % learn * dims, axis, dims);
  }
  const guess_rule rule = guess_rule_choose(scores, scores + learn, learn, count - learn, delta);
  for (size_t i = 2 * learn; i < 2 * count; i++) {
    guess(&rule, (int)(i % 2), vector_dot(outcome[i % 2] + i / 2 * dims, axis, dims), &counts);
  }
  *out = nothing_found("command", "", epsilon);
  guesses_judge(&counts, delta, count - learn, out);
  out->holds = !(out->epsilon_lower_bound > epsilon);
  return DPERM_OK;
}
