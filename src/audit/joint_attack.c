/* Attacks on fits that learn three classes jointly: the data sets of joint_pair.h as the library
 * holds them, with the plans its own calibration makes for them. Half of λ is in Λ and half in Δ
 * where both are allowed. The score of an outcome is the logarithm of the ratio of its two
 * densities. */
#include <math.h>
#include <string.h>

#include "audit/attack.h"
#include "audit/audit_cases.h"
#include "audit/joint_pair.h"
#include "base/scratch.h"
#include "data/dataset.h"
#include "mechanism/mechanism.h"
#include "run/claim.h"
#include "run/fit.h"
#include "run/options.h"

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

/* ---- the data sets */

#define SCHEMA(columns)                                                                            \
  "{\"label\": {\"column\": \"y\", \"classes\": [\"a\", \"b\", \"c\"]}, \"columns\": [" columns "]}"
#define NUMBER(name) "{\"name\": \"" name "\", \"type\": \"numeric\", \"min\": -1, \"max\": 1}"

static const char *const schemas[JOINT_KINDS] = {
    [JOINT_OBJECTIVE] = SCHEMA(NUMBER("x")),
    [JOINT_JACOBIAN] =
        SCHEMA("{\"name\": \"x\", \"type\": \"categorical\", \"values\": [\"u\", \"v\"]}"),
    [JOINT_OUTPUT] = SCHEMA(NUMBER("x") ", " NUMBER("z")),
    [JOINT_PULLED] = SCHEMA(NUMBER("x") ", " NUMBER("z")),
};

static dperm_status push_rows(const joint_rows *from, growing_rows *rows, dperm_error *err) {
  for (size_t i = 0; i < from->count; i++) {
    TRY(rows_reserve(rows, JOINT_COLUMNS, err));
    for (uint32_t j = 0; j < JOINT_COLUMNS; j++) {
      if (from->x[j] != 0) {
        rows_push(rows, j, from->x[j]);
      }
    }
    rows_end(rows, (double)from->label);
  }
  return DPERM_OK;
}

static dperm_status make_data(const joint_pair *pair, int side, dperm_data **out,
                              dperm_error *err) {
  const char *text = schemas[pair->kind];
  size_t filled = pair->record[0].count;
  for (size_t i = 0; i < JOINT_OTHERS; i++) {
    filled += pair->others[i].count;
  }
  const joint_rows zero = {.label = 1, .count = pair->rows - filled};
  OWNED(rows_clear) growing_rows rows = {0};
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  TRY(dperm_schema_parse(text, strlen(text), "the audit's schema", &schema, err));
  TRY(push_rows(&pair->record[side], &rows, err));
  for (size_t i = 0; i < JOINT_OTHERS; i++) {
    TRY(push_rows(&pair->others[i], &rows, err));
  }
  TRY(push_rows(&zero, &rows, err));
  return data_of_rows(&rows, pair->columns, schema, out, err);
}

static dperm_status make_target(joint_target *t, double epsilon, dperm_error *err) {
  const joint_pair *pair = &t->pair;
  bool halved = pair->mechanism == DPERM_MECHANISM_OBJECTIVE;
  bool added = pair->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  dperm_options_init(&t->options);
  t->options.mechanism = pair->mechanism;
  t->options.epsilon = epsilon;
  t->options.delta = pair->delta;
  t->options.noise = pair->delta > 0 ? DPERM_NOISE_GAUSSIAN
                     : halved        ? DPERM_NOISE_L1
                                     : DPERM_NOISE_AUTO;
  t->options.multiclass = DPERM_MULTICLASS_JOINT;
  t->options.lambda = pair->lambda / (double)pair->rows / (halved ? 2 : 1);
  t->options.delta_reg = halved ? t->options.lambda : (double)NAN;
  t->options.neighbours = pair->neighbours;
  t->options.rows_about = added ? pair->rows : 0;
  t->options.threads = 1;
  t->loss = options_loss(&t->options, JOINT_CLASSES);
  TRY(options_validate(&t->options, err));
  for (int side = 0; side < 2; side++) {
    TRY(make_data(pair, side, &t->data[side], err));
    TRY(fit_plan_check(t->data[side], options_rows(&t->options, t->data[side]), &t->options, NULL,
                       &t->plan[side], err));
  }
  return DPERM_OK;
}

/* ---- draws */

static problem problem_of(const joint_target *t, int side) {
  return (problem){.x = t->data[side]->x,
                   .labels = t->data[side]->labels,
                   .divisor = t->plan[side].privacy.divisor,
                   .norm_bound = t->data[side]->bounds.norm2,
                   .loss = &t->loss,
                   .regularizer = &t->options.regularizer};
}

static void judge(const joint_target *t, const double *weights, double *score, double *outcome) {
  *score = joint_score(&t->pair, weights);
  size_t place = t->pair.kind == JOINT_PULLED ? 0 : t->pair.columns - 1;
  *outcome = weights[place] - weights[t->pair.columns];
}

static dperm_status draw(const attack *a, int side, random_source *source, double *score,
                         double *outcome, dperm_error *err) {
  const joint_target *t = a->context;
  double f[JOINT_WEIGHTS], rest[JOINT_WEIGHTS], weights[JOINT_WEIGHTS];
  solution found = {f, rest};
  solver_report report;
  const problem base = problem_of(t, side);
  const solver_options how = {.tolerance = t->options.gradient_tolerance,
                              .progress = &t->options.progress};
  TRY(fit_run(&t->plan[side], &base, &how, source, &found, weights, &report, err));
  judge(t, weights, score, outcome);
  return DPERM_OK;
}

/* Output perturbation of many rows: one minimum, and noise from a stream of each draw's own. */
static dperm_status draw_many(const attack *a, int side, random_source *source, size_t count,
                              double *scores, double *outcomes, dperm_error *err) {
  const joint_target *t = a->context;
  const fit_plan *plan = &t->plan[side];
  const problem base = problem_of(t, side);
  const solver_options how = {.tolerance = t->options.gradient_tolerance,
                              .progress = &t->options.progress};
  size_t size = problem_size(&base);
  random_source *streams = NULL;
  solution all = {0};
  solver_report report;
  OWNED(scratch_free) scratch work;
  scratch_init(&work);
  TRY(scratch_take(&work, count, sizeof *streams, &streams, err));
  TRY(scratch_take(&work, count * size, sizeof *all.f, &all.f, err));
  TRY(scratch_take(&work, count * size, sizeof *all.rest, &all.rest, err));
  for (size_t i = 0; i < count; i++) {
    TRY(random_seeded(random_bits(source), &streams[i], err));
  }
  TRY(mechanism_of(plan->privacy.mechanism)
          ->run(&plan->privacy, &base, &how, &plan->release.promised, streams, count, &all, &report,
                err));
  for (size_t i = 0; i < count; i++) {
    double weights[JOINT_WEIGHTS];
    const solution one = {all.f + i * size, all.rest + i * size};
    TRY(fit_release(plan, base.x->spread, &one, size, &streams[i], weights, err));
    judge(t, weights, &scores[i], &outcomes[i]);
  }
  return DPERM_OK;
}

dperm_status audit_joint(const dperm_audit_options *options, int kind, dperm_audit_result *out,
                         dperm_error *err) {
  OWNED(free_target)
  joint_target target = {.pair = joint_pair_make(kind, options->epsilon, options->delta)};
  TRY(make_target(&target, options->epsilon, err));
  const attack a = {.context = &target,
                    .delta = target.plan[0].claim.delta,
                    .usual_draws = 400000,
                    .block = 1024,
                    .draw = draw,
                    .draw_many = target.pair.kind == JOINT_OUTPUT ? draw_many : NULL};
  return attack_run(&a, options, out, err);
}
