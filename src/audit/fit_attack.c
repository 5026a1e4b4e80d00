/* Attacks on fits: the data sets of a pair as the library holds them, with the plans it makes
 * for them. What is attacked is how a fit plans, perturbs, solves, certifies and releases, by the
 * functions that every fit uses (run/fit.h). Half of λ is in Λ and half in Δ where both are
 * allowed. Scores are logarithms of ratios of two densities, but where a pair says otherwise. */
#include <math.h>
#include <string.h>

#include "audit/attack.h"
#include "audit/worst_pair.h"
#include "base/vector.h"
#include "data/dataset.h"
#include "loss/loss.h"
#include "mechanism/mechanism.h"
#include "run/fit.h"
#include "run/options.h"

const char *const audit_usual_loss = "huber";

enum { BLOCK = 16, ELLIPSE_DIMS = BLOCK + 1, MOST_WEIGHTS = ELLIPSE_DIMS };
enum { USUAL_DRAWS = 400000 };

typedef struct fit_target fit_target;
struct fit_target {
  dperm_data *data[2];
  dperm_options options;
  dperm_loss loss; /* of a fit */
  fit_plan plan[2];
  double shares[2][PAIR_ROWS]; /* of rows, where classes have weights */
  const void *pair;
  double (*judge)(const fit_target *t, const double *weights); /* the score of a result */
};

static void free_target(fit_target *t) {
  dperm_data_free(t->data[0]);
  dperm_data_free(t->data[1]);
}

/* ---- making */

/* `count` rows like this one. */
static dperm_status push_rows(growing_rows *rows, const double *x, size_t columns, double label,
                              size_t count, dperm_error *err) {
  for (size_t i = 0; i < count; i++) {
    TRY(rows_reserve(rows, columns, err));
    for (size_t j = 0; j < columns; j++) {
      if (x[j] != 0) {
        rows_push(rows, j, x[j]);
      }
    }
    rows_end(rows, label);
  }
  return DPERM_OK;
}

static dperm_status finish_rows(growing_rows *rows, size_t columns, const char *schema_text,
                                dperm_data **out, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  TRY(dperm_schema_parse(schema_text, strlen(schema_text), "the audit's schema", &schema, err));
  return data_of_rows(rows, columns, schema, out, err);
}

static void set_options(fit_target *t, dperm_mechanism how, dperm_neighbours neighbours,
                        double epsilon, double delta, double lambda) {
  size_t rows = t->data[0]->x->rows;
  bool halved = how == DPERM_MECHANISM_OBJECTIVE;
  dperm_options_init(&t->options);
  t->options.mechanism = how;
  t->options.epsilon = epsilon;
  t->options.delta = delta;
  t->options.noise = delta > 0 ? DPERM_NOISE_GAUSSIAN : DPERM_NOISE_AUTO;
  t->options.lambda = lambda / (double)rows / (halved ? 2 : 1);
  t->options.delta_reg = halved ? t->options.lambda : (double)NAN;
  t->options.neighbours = neighbours;
  t->options.rows_about = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? rows : 0;
  t->options.threads = 1;
}

static dperm_status plan_fits(fit_target *t, dperm_error *err) {
  size_t classes = data_class_count(t->data[0]);
  TRY(options_validate(&t->options, classes, (label_range){0, 0}, err));
  t->loss = options_loss(&t->options, classes);
  for (int side = 0; side < 2; side++) {
    const dperm_data *data = t->data[side];
    OWNED_MEMORY double *weights = NULL;
    TRY(fit_plan_check(data, options_rows(&t->options, data), &t->options, NULL, &t->plan[side],
                       err));
    TRY(class_weights_of_data(data, t->options.class_weights, t->options.class_weight_count,
                              &weights, err));
    if (weights) {
      class_weights_of_rows(weights, classes, data->labels, data->x->rows, t->shares[side]);
    }
  }
  return DPERM_OK;
}

/* ---- draws */

static problem problem_of(const fit_target *t, int side) {
  return (problem){.x = t->data[side]->x,
                   .labels = t->data[side]->labels,
                   .shares = t->options.class_weights ? t->shares[side] : NULL,
                   .divisor = t->plan[side].privacy.divisor,
                   .norm_bound = t->data[side]->bounds.norm2,
                   .loss = &t->loss,
                   .regularizer = &t->options.regularizer};
}

static dperm_status draw_fit(const attack *a, int side, random_source *source, double *score,
                             dperm_error *err) {
  const fit_target *t = a->context;
  double f[MOST_WEIGHTS], rest[MOST_WEIGHTS], weights[MOST_WEIGHTS];
  solution found = {f, rest};
  solver_report report;
  const problem base = problem_of(t, side);
  const solver_options how = {.tolerance = t->options.gradient_tolerance};
  TRY(fit_run(&t->plan[side], &base, &how, source, &found, weights, &report, err));
  *score = t->judge(t, weights);
  return DPERM_OK;
}

/* Output perturbation of many rows: one minimum, and noise from a stream of each draw's own. */
static dperm_status draw_outputs(const attack *a, int side, random_source *source, size_t count,
                                 double *scores, dperm_error *err) {
  const fit_target *t = a->context;
  const fit_plan *plan = &t->plan[side];
  const problem base = problem_of(t, side);
  const solver_options how = {.tolerance = t->options.gradient_tolerance};
  size_t size = problem_size(&base);
  random_source *streams = NULL;
  solution all = {0};
  solver_report report;
  OWNED(scratch_free) scratch work = {0};
  TRY(scratch_take(&work, count, sizeof *streams, &streams, err));
  TRY(scratch_take(&work, count * size, sizeof *all.f, &all.f, err));
  TRY(scratch_take(&work, count * size, sizeof *all.rest, &all.rest, err));
  for (size_t i = 0; i < count; i++) {
    TRY(random_seeded(random_bits(source), &streams[i], err));
  }
  TRY(mechanism_of(plan->privacy.mechanism)(&plan->privacy, &base, &how, &plan->release.promised,
                                            streams, count, &all, &report, err));
  for (size_t i = 0; i < count; i++) {
    double weights[MOST_WEIGHTS];
    const solution one = {all.f + i * size, all.rest + i * size};
    TRY(fit_release(plan, base.x->spread, &one, size, &streams[i], weights, err));
    scores[i] = t->judge(t, weights);
  }
  return DPERM_OK;
}

/* The whole of a fit, as dperm_train does it. */
static dperm_status draw_model(const attack *a, int side, random_source *source, double *score,
                               dperm_error *err) {
  const fit_target *t = a->context;
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  TRY(fit_model(t->data[side], &t->options, NULL, source, &model, err));
  *score = t->judge(t, model->weights);
  return DPERM_OK;
}

static attack attack_of(const fit_target *t) {
  return (attack){.context = t,
                  .delta = t->plan[0].claim.delta,
                  .usual_draws = USUAL_DRAWS,
                  .block = 1024,
                  .draw = draw_fit};
}

/* ---- two classes, or a number */

static dperm_status plain_data(const worst_pair *pair, int side, dperm_data **out,
                               dperm_error *err) {
  const size_t starts[PAIR_ROWS + 1] = {0, pair->dims, pair->dims, pair->dims, pair->dims};
  const uint32_t columns[PAIR_DIMS] = {0, 1, 2};
  /* With weights both records are of the heavy class: the light one's moves less. */
  bool heavy = side == 0 || pair->kind == PAIR_WEIGHTS;
  size_t absent = pair->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE && side == 1;
  const bool number = loss_of_numbers(&pair->loss);
  double labels[PAIR_ROWS] = {heavy ? 1 : -1, 1, -1, 1}, row[PAIR_DIMS];
  for (size_t j = 0; j < pair->dims; j++) {
    row[j] = (number ? 1 : labels[0]) * pair->w[side][j];
  }
  TRY(dperm_data_from_csr(PAIR_ROWS - absent, pair->dims, starts + absent, columns, row,
                          labels + absent, pair->norm, out, err));
  labels[0] = pair->label[side];
  return number ? dperm_data_target(*out, labels + absent, -1, 1, err) : DPERM_OK;
}

/* A column that is always zero, and the constant one, which is in every record: of five others of
 * each label, and of the one that differs. */
static dperm_status intercept_data(int side, dperm_data **out, dperm_error *err) {
  static const char schema[] =
      "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": [\"-1\"]},"
      " \"intercept\": true,"
      " \"columns\": [{\"name\": \"x\", \"type\": \"numeric\", \"min\": -1, \"max\": 1}]}";
  static const double x[] = {0, 1};
  OWNED(rows_clear) growing_rows rows = {0};
  for (size_t i = 0; i < 10; i++) {
    TRY(push_rows(&rows, x, 2, i % 2 ? 1 : -1, 1, err));
  }
  TRY(push_rows(&rows, x, 2, side == 0 ? 1 : -1, 1, err));
  return finish_rows(&rows, 2, schema, out, err);
}

static double judge_pair(const fit_target *t, const double *f) {
  return pair_score(t->pair, f);
}

dperm_status audit_fit(const dperm_audit_options *options, int kind, dperm_audit_result *out,
                       dperm_error *err) {
  static const dperm_class_weight class_weights[] = {{"-1", 1}, {"+1", 3}};
  bool intercept = kind == PAIR_INTERCEPT;
  const char *loss = intercept || kind == PAIR_SHAPE ? audit_usual_loss : options->variant;
  worst_pair pair;
  double prior[PAIR_DIMS] = {0};
  OWNED(free_target) fit_target t = {.pair = &pair, .judge = judge_pair};
  TRY(worst_pair_make(kind, loss, options->epsilon, options->delta,
                      attack_draws(options, USUAL_DRAWS), &pair, err));
  for (int side = 0; side < 2; side++) {
    TRY(intercept ? intercept_data(side, &t.data[side], err)
                  : plain_data(&pair, side, &t.data[side], err));
  }
  set_options(&t, pair.mechanism, pair.neighbours, options->epsilon, pair.delta, pair.lambda);
  t.options.loss = pair.loss;
  if (pair.kind == PAIR_WEIGHTS) {
    t.options.class_weights = class_weights;
    t.options.class_weight_count = sizeof class_weights / sizeof *class_weights;
  }
  if (pair.centre[0] != 0) { /* Δ pulls towards zero, so Λ pulls twice as far */
    vector_axpy(prior, pair.mechanism == DPERM_MECHANISM_OBJECTIVE ? 2 : 1, pair.centre, pair.dims);
    t.options.regularizer.prior = prior;
  }
  TRY(plan_fits(&t, err));
  attack a = attack_of(&t);
  if (intercept) {
    a.usual_draws = USUAL_DRAWS / 20;
    a.block = 64;
    a.draw = draw_model;
  }
  return attack_run(&a, options, out, err);
}

/* ---- three classes that are learned jointly */

#define SCHEMA(columns)                                                                            \
  "{\"label\": {\"column\": \"y\", \"classes\": [\"a\", \"b\", \"c\"]}, \"columns\": [" columns "]}"
#define NUMBER(name) "{\"name\": \"" name "\", \"type\": \"numeric\", \"min\": -1, \"max\": 1}"

static const char *const joint_schemas[JOINT_KINDS] = {
    [JOINT_OBJECTIVE] = SCHEMA(NUMBER("x")),
    [JOINT_JACOBIAN] =
        SCHEMA("{\"name\": \"x\", \"type\": \"categorical\", \"values\": [\"u\", \"v\"]}"),
    [JOINT_OUTPUT] = SCHEMA(NUMBER("x") ", " NUMBER("z")),
    [JOINT_DESCENT] = SCHEMA(NUMBER("x")),
};

/* The record, the others, and rows that are zero. */
static dperm_status joint_data(const joint_pair *pair, int side, dperm_data **out,
                               dperm_error *err) {
  joint_rows groups[JOINT_OTHERS + 2] = {pair->record[side]};
  joint_rows *zero = &groups[JOINT_OTHERS + 1];
  OWNED(rows_clear) growing_rows rows = {0};
  *zero = (joint_rows){.label = 1, .count = pair->rows - pair->record[0].count};
  for (size_t i = 0; i < JOINT_OTHERS; i++) {
    groups[i + 1] = pair->others[i];
    zero->count -= pair->others[i].count;
  }
  for (const joint_rows *from = groups; from <= zero; from++) {
    TRY(push_rows(&rows, from->x, pair->columns, (double)from->label, from->count, err));
  }
  return finish_rows(&rows, pair->columns, joint_schemas[pair->kind], out, err);
}

static double judge_joint(const fit_target *t, const double *weights) {
  return joint_score(t->pair, weights);
}

dperm_status audit_joint(const dperm_audit_options *options, int kind, dperm_audit_result *out,
                         dperm_error *err) {
  const joint_pair pair = joint_pair_make(kind, options->epsilon, options->delta);
  OWNED(free_target) fit_target t = {.pair = &pair, .judge = judge_joint};
  for (int side = 0; side < 2; side++) {
    TRY(joint_data(&pair, side, &t.data[side], err));
  }
  set_options(&t, pair.mechanism, pair.neighbours, options->epsilon, pair.delta, pair.lambda);
  t.options.multiclass = DPERM_MULTICLASS_JOINT;
  if (pair.kind != JOINT_OUTPUT && pair.delta == 0) {
    t.options.noise = DPERM_NOISE_L1;
  }
  TRY(plan_fits(&t, err));
  attack a = attack_of(&t);
  a.draw_many = pair.kind == JOINT_OUTPUT ? draw_outputs : NULL;
  a.usual_draws = pair.kind == JOINT_DESCENT ? USUAL_DRAWS / 20 : a.usual_draws; /* of many steps */
  return attack_run(&a, options, out, err);
}

/* ---- elliptic gaussian noise (docs/proofs/gaussian.md 5). A record has an entry in a column that
 * stands alone and one in a block of sixteen, each as long as the schema allows, so that its length
 * in the norm of the noise is R_K; the block has half of the column's deviations. Its label
 * changes. Huber's gradients are both steep at small weights (pair 2 of docs/audit.md), and noise
 * differs by 2x: too small an R_K, or too little noise in a group, shows */

static const char ellipse_schema[] =
    "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": [\"-1\"]},"
    " \"intercept\": true, \"columns\": [{\"name\": \"x\", \"type\": \"categorical\", \"values\":"
    " [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\","
    "  \"i\", \"j\", \"k\", \"l\", \"m\", \"n\", \"o\", \"p\"]}]}";

typedef struct ellipse_pair {
  double x[ELLIPSE_DIMS], lambda; /* the row; the intercept's column is the last */
} ellipse_pair;

/* −½Σω²b² up to a factor that both share, b = s(yfᵀx)·yx − λf; their determinants are the same on
 * the steep side, and little apart elsewhere. A group of m columns has ω² ∝ √(m/t), t = ½ here. */
static double ellipse_log_density(const fit_target *t, double label, const double *f) {
  const ellipse_pair *pair = t->pair;
  double z = label * vector_dot(f, pair->x, ELLIPSE_DIMS), slope = 0, sum = 0;
  t->loss.eval(&t->loss, 1, &z, NULL, &slope, NULL);
  for (size_t j = 0; j < ELLIPSE_DIMS; j++) {
    double b = -slope * label * pair->x[j] - pair->lambda * f[j];
    sum -= (j < BLOCK ? 1 : 1 / sqrt(BLOCK)) * b * b / 2;
  }
  return sum;
}

static double judge_ellipse(const fit_target *t, const double *f) {
  return ellipse_log_density(t, 1, f) - ellipse_log_density(t, -1, f);
}

dperm_status audit_ellipse(const dperm_audit_options *options, int unused, dperm_audit_result *out,
                           dperm_error *err) {
  const double entry = sqrt(0.5) * (1 - 0x1p-50), zero[ELLIPSE_DIMS] = {0};
  const ellipse_pair pair = {.x = {[0] = entry, [BLOCK] = entry},
                             .lambda = 200 / fmin(1, options->epsilon)};
  OWNED(free_target) fit_target t = {.pair = &pair, .judge = judge_ellipse};
  for (int side = 0; side < 2; side++) {
    OWNED(rows_clear) growing_rows rows = {0};
    TRY(push_rows(&rows, pair.x, ELLIPSE_DIMS, side == 0 ? 1 : -1, 1, err));
    for (size_t i = 1; i < 4; i++) {
      TRY(push_rows(&rows, zero, ELLIPSE_DIMS, i % 2 ? 1 : -1, 1, err));
    }
    TRY(finish_rows(&rows, ELLIPSE_DIMS, ellipse_schema, &t.data[side], err));
  }
  set_options(&t, DPERM_MECHANISM_OBJECTIVE, DPERM_NEIGHBOURS_REPLACE, options->epsilon,
              options->delta > 0 ? options->delta : 0.02, pair.lambda);
  TRY(dperm_loss_by_name(audit_usual_loss, 0.5, &t.options.loss, err));
  TRY(plan_fits(&t, err));
  const attack a = attack_of(&t);
  return attack_run(&a, options, out, err);
}
