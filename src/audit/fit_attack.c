/* The two data sets of a pair as the library holds them, with the plans its own calibration makes
 * for them: what is attacked is calibrate, perturb, solve, certify and release, by the functions
 * that every fit uses (run/fit.h). Half of λ is in Λ and half in Δ where both are allowed.
 */
#include <math.h>
#include <string.h>

#include "audit/attack.h"
#include "audit/audit_cases.h"
#include "audit/worst_pair.h"
#include "data/class_weights.h"
#include "run/claim.h"
#include "run/fit.h"
#include "run/options.h"

enum { BALANCED = 10 }; /* other records of the intercept's pair, half of each label */

const char *const audit_usual_loss = "huber";

typedef struct fit_target {
  worst_pair pair;
  dperm_data *data[2];
  dperm_options options;
  double prior[PAIR_DIMS];
  fit_plan plan[2];
  double shares[2][PAIR_ROWS];
} fit_target;

static void free_target(fit_target *t) {
  dperm_data_free(t->data[0]);
  dperm_data_free(t->data[1]);
}

/* Of the pair that has weights: three to one. */
static const dperm_class_weight class_weights[] = {{"-1", 1}, {"+1", 3}};

/* ---- the data sets */

static dperm_status plain_data(const worst_pair *pair, int side, dperm_data **out,
                               dperm_error *err) {
  const size_t starts[PAIR_ROWS + 1] = {0, pair->dims, pair->dims, pair->dims, pair->dims};
  const uint32_t columns[PAIR_DIMS] = {0, 1, 2};
  /* With weights both records are of the heavy class: the light one's moves less. */
  bool heavy = side == 0 || pair->kind == PAIR_WEIGHTS;
  const double labels[PAIR_ROWS] = {heavy ? 1 : -1, 1, -1, 1};
  double row[PAIR_DIMS];
  for (size_t j = 0; j < pair->dims; j++) {
    row[j] = labels[0] * pair->w[side][j];
  }
  if (pair->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE && side == 1) { /* without the record */
    return dperm_data_from_csr(PAIR_ROWS - 1, pair->dims, starts + 1, columns, row, labels + 1,
                               pair->norm, out, err);
  }
  return dperm_data_from_csr(PAIR_ROWS, pair->dims, starts, columns, row, labels, pair->norm, out,
                             err);
}

/* A column that is always zero, and the constant one, which is in every record. */
static dperm_status intercept_data(int side, dperm_data **out, dperm_error *err) {
  static const char text[] =
      "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": [\"-1\"]},"
      " \"intercept\": true,"
      " \"columns\": [{\"name\": \"x\", \"type\": \"numeric\", \"min\": -1, \"max\": 1}]}";
  OWNED(rows_clear) growing_rows rows = {0};
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  TRY(dperm_schema_parse(text, strlen(text), "the audit's schema", &schema, err));
  for (size_t i = 0; i <= BALANCED; i++) {
    TRY(rows_reserve(&rows, 1, err));
    rows_push(&rows, 1, 1.0);
    rows_end(&rows, i < BALANCED ? (i % 2 ? 1 : -1) : side == 0 ? 1 : -1);
  }
  return data_of_rows(&rows, 2, schema, out, err);
}

/* ---- draws */

/* What a result says: its score, and its place on the axis. */
static void judge(const worst_pair *pair, const double *f, double *score, double *outcome) {
  *score = pair->kind == PAIR_SHAPE ? pair_closeness(pair, f) : pair_score(pair, f);
  *outcome = pair_place(pair, f);
}

static dperm_status draw_fit(const attack *a, int side, random_source *source, double *score,
                             double *outcome, dperm_error *err) {
  const fit_target *t = a->context;
  double f[PAIR_DIMS], rest[PAIR_DIMS], weights[PAIR_DIMS];
  solution found = {f, rest};
  solver_report report;
  const problem base = {.x = t->data[side]->x,
                        .labels = t->data[side]->labels,
                        .shares = t->options.class_weights ? t->shares[side] : NULL,
                        .divisor = t->plan[side].privacy.divisor,
                        .norm_bound = t->data[side]->bounds.norm2,
                        .loss = &t->options.loss,
                        .regularizer = &t->options.regularizer};
  const solver_options how = {.tolerance = t->options.gradient_tolerance,
                              .progress = &t->options.progress};
  TRY(fit_run(&t->plan[side], &base, &how, source, &found, weights, &report, err));
  judge(&t->pair, weights, score, outcome);
  return DPERM_OK;
}

/* The whole of a fit, as dperm_train does it. */
static dperm_status draw_model(const attack *a, int side, random_source *source, double *score,
                               double *outcome, dperm_error *err) {
  const fit_target *t = a->context;
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  TRY(fit_model(t->data[side], &t->options, NULL, source, &model, err));
  judge(&t->pair, model->weights, score, outcome);
  return DPERM_OK;
}

/* ---- making */

static void set_options(fit_target *t, double epsilon) {
  const worst_pair *pair = &t->pair;
  double rows = (double)t->data[0]->x->rows;
  bool halved = pair->mechanism == DPERM_MECHANISM_OBJECTIVE;
  dperm_options_init(&t->options);
  t->options.mechanism = pair->mechanism;
  t->options.epsilon = epsilon;
  t->options.delta = pair->delta;
  t->options.noise = pair->delta > 0 ? DPERM_NOISE_GAUSSIAN : DPERM_NOISE_AUTO;
  t->options.loss = pair->loss;
  t->options.lambda = pair->lambda / rows / (halved ? 2 : 1);
  t->options.delta_reg = halved ? t->options.lambda : (double)NAN;
  t->options.threads = 1;
  t->options.neighbours = pair->neighbours;
  t->options.rows_about = pair->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? PAIR_ROWS : 0;
  if (pair->kind == PAIR_WEIGHTS) {
    t->options.class_weights = class_weights;
    t->options.class_weight_count = sizeof class_weights / sizeof *class_weights;
  }
  for (size_t j = 0; j < pair->dims; j++) { /* Δ pulls towards zero, so Λ pulls twice as far */
    t->prior[j] = pair->centre[j] * (halved ? 2 : 1);
  }
  t->options.regularizer.prior = pair->centre[0] != 0 ? t->prior : NULL;
}

/* As fits do it. */
static dperm_status weigh_pair(fit_target *t, int side, dperm_error *err) {
  OWNED_MEMORY double *weights = NULL;
  TRY(class_weights_of_data(t->data[side], t->options.class_weights, t->options.class_weight_count,
                            &weights, err));
  class_weights_of_rows(weights, 2, t->data[side]->labels, PAIR_ROWS, t->shares[side]);
  return DPERM_OK;
}

static dperm_status make_target(fit_target *t, double epsilon, dperm_error *err) {
  bool intercept = t->pair.kind == PAIR_INTERCEPT;
  for (int side = 0; side < 2; side++) {
    TRY(intercept ? intercept_data(side, &t->data[side], err)
                  : plain_data(&t->pair, side, &t->data[side], err));
  }
  set_options(t, epsilon);
  TRY(options_validate(&t->options, err));
  for (int side = 0; side < 2; side++) {
    size_t rows = options_rows(&t->options, t->data[side]);
    TRY(fit_plan_check(t->data[side], rows, &t->options, NULL, &t->plan[side], err));
    if (t->options.class_weights) {
      TRY(weigh_pair(t, side, err));
    }
  }
  return DPERM_OK;
}

dperm_status audit_fit(const dperm_audit_options *options, int kind, dperm_audit_result *out,
                       dperm_error *err) {
  const size_t usual_draws = 400000;
  bool whole = kind == PAIR_INTERCEPT;
  const char *loss = whole || kind == PAIR_SHAPE ? audit_usual_loss : options->variant;
  OWNED(free_target) fit_target target = {0};
  TRY(worst_pair_make((pair_kind)kind, loss, options->epsilon, options->delta,
                      attack_draws(options, usual_draws), &target.pair, err));
  TRY(make_target(&target, options->epsilon, err));
  const attack a = {.context = &target,
                    .delta = target.plan[0].claim.delta,
                    .usual_draws = whole ? usual_draws / 20 : usual_draws,
                    .block = whole ? 64 : 1024,
                    .draw = whole ? draw_model : draw_fit};
  return attack_run(&a, options, out, err);
}
