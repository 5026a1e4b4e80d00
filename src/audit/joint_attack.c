/* Attacks on fits that learn three classes jointly (docs/proofs/softmax.md). Rows are one-hot, so
 * l1 noise is independent in every entry of W, and the scores of records in different columns are
 * free of each other. All rows are zero but one, of class 0: in the first column in one data set,
 * in the second in the other. Where the second record's probability is small its gradient is as
 * long as can be; the first one's determinant is largest where its own is near ⅓, and λ decides
 * which of the two counts. The score of an outcome is the logarithm of the ratio of its two
 * densities. */
#include <math.h>
#include <string.h>

#include "audit/attack.h"
#include "audit/audit_cases.h"
#include "data/dataset.h"
#include "loss/softmax.h"
#include "mechanism/epsilon_rule.h"
#include "pipeline/fit.h"
#include "pipeline/options.h"

enum { ROWS = 4, COLUMNS = 2, CLASSES = JOINT_CLASSES, WEIGHTS = COLUMNS * CLASSES };

/* ---- theory */

joint_pair joint_pair_make(int kind, double epsilon) {
  const dperm_loss loss = softmax_loss(CLASSES);
  /* The most that the determinant has of ε: a sixth, or a little less than half. */
  double lambda =
      kind == JOINT_JACOBIAN ? 1 / (CLASSES * expm1(0.45 * epsilon / (CLASSES - 1))) : 4 / epsilon;
  return (joint_pair){lambda, epsilon_invert(&loss, DPERM_NEIGHBOURS_REPLACE, 1 / lambda, epsilon)};
}

/* −β‖b‖₁ + log det(I + S(p)/λ) for the record in this column; the rest is shared. */
static double log_density(const joint_pair *pair, size_t column, const double *weights) {
  const double label = 0;
  double z[CLASSES], slope[CLASSES], p[CLASSES], norm = 0, product = 1, sum = 0;
  for (size_t c = 0; c < CLASSES; c++) {
    z[c] = weights[c * COLUMNS + column];
  }
  softmax_rows(CLASSES, 1, &label, z, NULL, NULL, slope, p);
  for (size_t c = 0; c < CLASSES; c++) {
    for (size_t j = 0; j < COLUMNS; j++) {
      double w = pair->lambda * weights[c * COLUMNS + j];
      norm += fabs(j == column ? w + slope[c] : w);
    }
    product *= 1 + p[c] / pair->lambda;
    sum += p[c] / (1 + p[c] / pair->lambda);
  }
  return log(product * sum) - pair->beta * norm;
}

double joint_log_ratio(const joint_pair *pair, const double *weights) {
  return log_density(pair, 0, weights) - log_density(pair, 1, weights);
}

/* ---- the data sets */

typedef struct joint_target {
  joint_pair pair;
  dperm_data *data[2];
  dperm_options options;
  fit_plan plan[2];
  dperm_loss loss;
} joint_target;

static void free_target(joint_target *t) {
  dperm_data_free(t->data[0]);
  dperm_data_free(t->data[1]);
}

static dperm_status make_data(uint32_t column, dperm_data **out, dperm_error *err) {
  static const char text[] =
      "{\"label\": {\"column\": \"y\", \"classes\": [\"a\", \"b\", \"c\"]},"
      " \"columns\": [{\"name\": \"x\", \"type\": \"categorical\", \"values\": [\"u\", \"v\"]}]}";
  OWNED(rows_clear) growing_rows rows = {0};
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  TRY(dperm_schema_parse(text, strlen(text), "the audit's schema", &schema, err));
  for (size_t i = 0; i < ROWS; i++) {
    TRY(rows_reserve(&rows, 1, err));
    if (i == 0) {
      rows_push(&rows, column, 1.0);
    }
    rows_end(&rows, (double)(i % CLASSES));
  }
  return data_from_rows(&rows, COLUMNS, ORIGIN_SCHEMA, schema, out, err);
}

static dperm_status make_target(joint_target *t, double epsilon, dperm_error *err) {
  dperm_options_init(&t->options);
  t->options.epsilon = epsilon;
  t->options.noise = DPERM_NOISE_L1;
  t->options.multiclass = DPERM_MULTICLASS_JOINT;
  t->options.lambda = t->options.delta_reg = t->pair.lambda / ROWS / 2;
  t->options.threads = 1;
  t->loss = options_loss(&t->options, CLASSES);
  for (int side = 0; side < 2; side++) {
    TRY(make_data((uint32_t)side, &t->data[side], err));
    TRY(fit_check(t->data[side], ROWS, &t->options, &t->plan[side], err));
  }
  return DPERM_OK;
}

/* ---- draws */

static dperm_status draw(const attack *a, int side, random_source *source, double *score,
                         double *outcome, dperm_error *err) {
  const joint_target *t = a->context;
  double f[WEIGHTS], rest[WEIGHTS], weights[WEIGHTS];
  solution found = {f, rest};
  solver_report report;
  const problem base = {.x = t->data[side]->x,
                        .labels = t->data[side]->labels,
                        .norm_bound = t->data[side]->bounds.norm2,
                        .loss = &t->loss,
                        .regularizer = &t->options.regularizer};
  const solver_options how = {.tolerance = t->options.gradient_tolerance,
                              .progress = &t->options.progress};
  TRY(fit_run(&t->plan[side], &base, &how, source, &found, weights, &report, err));
  *score = joint_log_ratio(&t->pair, weights);
  *outcome = weights[0] - weights[1];
  return DPERM_OK;
}

dperm_status audit_joint(const dperm_audit_options *options, int kind, dperm_audit_result *out,
                         dperm_error *err) {
  OWNED(free_target) joint_target target = {.pair = joint_pair_make(kind, options->epsilon)};
  TRY(make_target(&target, options->epsilon, err));
  const attack a = {.context = &target,
                    .delta = target.plan[0].claim.delta,
                    .usual_draws = 400000,
                    .block = 1024,
                    .draw = draw};
  return attack_run(&a, options, out, err);
}
