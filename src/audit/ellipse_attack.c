/* Attacks on elliptic gaussian noise (docs/proofs/gaussian.md 5). A record has an entry in a column
 * that stands alone and one in a block of sixteen, each as long as the schema allows, so that its
 * length in the norm of the noise is R_K; the block has half of the column's deviations. The record
 * changes its label. With the Huber loss both gradients are steep where weights are small, as in
 * pair 2 of docs/audit.md, and the noise differs by 2x: an R_K that is too small, or too little
 * noise in one of the groups, shows. */
#include <math.h>
#include <string.h>

#include "audit/attack.h"
#include "audit/audit_cases.h"
#include "base/vector.h"
#include "data/dataset.h"
#include "run/fit.h"
#include "run/options.h"

enum { BLOCK = 16, DIMS = BLOCK + 1, ROWS = 4 };

typedef struct ellipse_target {
  dperm_data *data[2];
  dperm_options options;
  fit_plan plan[2];
  double lambda;
  double x[DIMS], squares[DIMS]; /* the row, and ω² of each column */
} ellipse_target;

static void free_target(ellipse_target *t) {
  dperm_data_free(t->data[0]);
  dperm_data_free(t->data[1]);
}

/* ---- the data sets */

static const char schema_text[] =
    "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": [\"-1\"]},"
    " \"intercept\": true, \"columns\": [{\"name\": \"x\", \"type\": \"categorical\", \"values\":"
    " [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\","
    "  \"i\", \"j\", \"k\", \"l\", \"m\", \"n\", \"o\", \"p\"]}]}";

/* All rows are zero but the record. */
static dperm_status make_data(ellipse_target *t, int side, dperm_error *err) {
  OWNED(rows_clear) growing_rows rows = {0};
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  TRY(dperm_schema_parse(schema_text, strlen(schema_text), "the audit's schema", &schema, err));
  for (size_t i = 0; i < ROWS; i++) {
    TRY(rows_reserve(&rows, DIMS, err));
    for (uint32_t j = 0; i == 0 && j < DIMS; j++) {
      if (t->x[j] != 0) {
        rows_push(&rows, j, t->x[j]);
      }
    }
    rows_end(&rows, i > 0 ? (i % 2 ? 1 : -1) : side == 0 ? 1 : -1);
  }
  return data_of_rows(&rows, DIMS, schema, &t->data[side], err);
}

/* The theory's own: a group of m columns has ω² ∝ √(m/t), t = ½ here. The intercept's column is the
 * last. */
static void place_row(ellipse_target *t) {
  double entry = sqrt(0.5) * (1 - 0x1p-50);
  for (size_t j = 0; j < DIMS; j++) {
    t->squares[j] = j < BLOCK ? 1 : 1 / sqrt(BLOCK);
    t->x[j] = j == 0 || j == BLOCK ? entry : 0;
  }
}

static dperm_status make_target(ellipse_target *t, double epsilon, double delta, dperm_error *err) {
  t->lambda = 200 / fmin(1, epsilon);
  place_row(t);
  dperm_options_init(&t->options);
  t->options.epsilon = epsilon;
  t->options.delta = delta;
  t->options.noise = DPERM_NOISE_GAUSSIAN;
  t->options.lambda = t->options.delta_reg = t->lambda / ROWS / 2;
  t->options.threads = 1;
  TRY(dperm_loss_by_name(audit_usual_loss, 0.5, &t->options.loss, err));
  TRY(options_validate(&t->options, err));
  for (int side = 0; side < 2; side++) {
    TRY(make_data(t, side, err));
    TRY(fit_plan_check(t->data[side], ROWS, &t->options, NULL, &t->plan[side], err));
  }
  return DPERM_OK;
}

/* ---- draws */

/* −½Σω²b² up to a factor that both share, b = s(yfᵀx)·yx − λf; their determinants are the same on
 * the steep side, and little apart elsewhere. */
static double log_density(const ellipse_target *t, double label, const double *f) {
  double z = label * vector_dot(f, t->x, DIMS), slope = 0, sum = 0;
  t->options.loss.eval(&t->options.loss, 1, &z, NULL, &slope, NULL);
  for (size_t j = 0; j < DIMS; j++) {
    double b = -slope * label * t->x[j] - t->lambda * f[j];
    sum -= t->squares[j] * b * b / 2;
  }
  return sum;
}

static dperm_status draw(const attack *a, int side, random_source *source, double *score,
                         double *outcome, dperm_error *err) {
  const ellipse_target *t = a->context;
  double f[DIMS], rest[DIMS], weights[DIMS];
  solution found = {f, rest};
  solver_report report;
  const problem base = {.x = t->data[side]->x,
                        .labels = t->data[side]->labels,
                        .norm_bound = t->data[side]->bounds.norm2,
                        .loss = &t->options.loss,
                        .regularizer = &t->options.regularizer};
  const solver_options how = {.tolerance = t->options.gradient_tolerance,
                              .progress = &t->options.progress};
  TRY(fit_run(&t->plan[side], &base, &how, source, &found, weights, &report, err));
  *score = log_density(t, 1, weights) - log_density(t, -1, weights);
  *outcome = vector_dot(weights, t->x, DIMS);
  return DPERM_OK;
}

dperm_status audit_ellipse(const dperm_audit_options *options, int kind, dperm_audit_result *out,
                           dperm_error *err) {
  OWNED(free_target) ellipse_target target = {0};
  (void)kind;
  TRY(make_target(&target, options->epsilon, options->delta > 0 ? options->delta : 0.02, err));
  const attack a = {.context = &target,
                    .delta = target.plan[0].claim.delta,
                    .usual_draws = 400000,
                    .block = 1024,
                    .draw = draw};
  return attack_run(&a, options, out, err);
}
