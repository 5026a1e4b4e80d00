/* dperm_plan_make and the like: what a fit would do, from public numbers. */
#include <math.h>

#include "base/options_defaults.h"
#include "intervals/interval_design.h"
#include "kernel/features.h"
#include "loss/link.h"
#include "plan/planned.h"
#include "random/noise.h"
#include "release/numerics.h"
#include "run/options.h"
#include "run/private_schema.h"
#include "run/run_parts.h"
#include "run/stage.h"

static const sized_struct plan_struct = SIZED_STRUCT(dperm_plan, rows_to_halve_noise);

/* ---- what would have to change for a plan to promise more: a search over ε or the number of rows,
 * all else equal
 *
 * Bisection: both excess_loss and noise_to_signal fall with ε and with the number of rows. (With
 * the paper's Δ, which jumps, they may do so only nearly; what is found is a crossing all the
 * same.) */

/* More rows than anybody has; doubles hold all whole numbers up to there. ε of a plan lies between
 * the others (mechanism/privacy_plan.c). */
static const double most_rows = SIZE_MAX > UINT32_MAX ? 0x1p50 : 0x1p30, least_epsilon = 1e-9,
                    most_epsilon = 100.0;

/* A plan's public numbers, of a row, with the kind of noise that was chosen, and what is varied. */
typedef struct variation {
  public_numbers given;
  double q95; /* the noise's 0.95-quantile times β: the same for every β */
  bool by_rows;
  double goal;
} variation;

/* Whether a plan for this ε, or so many rows, brings excess_loss below that of a coin, or where
 * `goal` is a number noise_to_signal down to it. Where there is no plan, it does not. */
static bool reaches(const variation *v, double value) {
  public_numbers g = v->given;
  privacy_plan plan;
  if (v->by_rows) {
    g.rows = (size_t)value;
  } else {
    g.epsilon = value;
    g.epsilon_core = epsilon_divide(value).core;
  }
  if (privacy_plan_make(&g, &plan, NULL) != DPERM_OK) {
    return false;
  }
  return isnan(v->goal) ? excess_loss(&g, &plan, v->q95 / plan.noise.beta) < loss_at_zero(g.loss)
                        : noise_to_signal(&g, &plan) <= v->goal;
}

/* The smallest ε that reaches the goal, within 1e-4, or number of rows; NaN for none. */
static double smallest(const variation *v) {
  double low = v->by_rows ? 0 : least_epsilon, high = v->by_rows ? most_rows : most_epsilon;
  while (!reaches(v, high)) { /* of too many rows there may be no plan */
    if (!v->by_rows || high < 0x1p20) {
      return (double)NAN;
    }
    high /= 0x1p10;
  }
  while (v->by_rows ? high - low > 1 : high > low * (1 + 1e-4)) {
    double middle = high > 2 * low + 4 ? sqrt(fmax(low, 1e-9) * high) : (low + high) / 2;
    middle = v->by_rows ? fmax(floor(middle), low + 1) : middle;
    *(reaches(v, middle) ? &high : &low) = middle;
  }
  return high;
}

/* 0 where no number of rows is enough. */
static size_t fewest_rows(variation v, double goal) {
  v.by_rows = true;
  v.goal = goal;
  double rows = smallest(&v);
  return isnan(rows) ? 0 : (size_t)rows;
}

/* ---- the plan */

/* `apart`: the numbers of the fit if what is composed with it were added instead, which the search
 * varies: it plans anew at each place, and composes nothing. */
static void describe_noise(const public_numbers *given, const public_numbers *apart,
                           const privacy_plan *plan, const release_plan *release, dperm_plan *out) {
  const noise_figures figures = noise_figures_of(&plan->noise);
  out->noise = plan->noise.kind->name;
  out->beta = plan->noise.beta;
  out->expected_noise_norm = figures.mean;
  out->rms_noise_norm = noise_rms_norm(&plan->noise);
  out->noise_norm_q50 = figures.q50;
  out->noise_norm_q95 = figures.q95;
  out->shift_rms =
      plan->mechanism == DPERM_MECHANISM_OUTPUT
          ? out->rms_noise_norm
          : out->rms_noise_norm / ((double)given->rows * (plan->lambda + plan->delta_reg));
  out->epsilon_core = plan->epsilon;
  out->solution_error = release->solution_error;
  double weights = (double)(link_scores(given->loss) * given->dims); /* of a fit */
  out->lattice_noise_rms = sqrt(2.0 * weights) * (double)release->sensitivity /
                           ratio_value(release->epsilon.num) * ldexp(1, release->step_exponent);
  out->excess_objective_q50 = excess_objective(given, plan, out->noise_norm_q50);
  out->excess_objective_q95 = excess_objective(given, plan, out->noise_norm_q95);
  out->noise_to_signal = noise_to_signal(given, plan);
  out->excess_loss_q95 = excess_loss(given, plan, out->noise_norm_q95);
  variation v = {
      .given = *apart, .q95 = out->noise_norm_q95 * plan->noise.beta, .goal = (double)NAN};
  v.given.noise = plan->noise.kind->number; /* the best kind depends on the rows' bounds alone */
  privacy_plan alone = *plan;
  bool planned = privacy_plan_make(&v.given, &alone, NULL) == DPERM_OK;
  /* what is not the fit's has the same share of any epsilon */
  out->epsilon_better_than_coin =
      smallest(&v) * out->epsilon / apart->epsilon; /* of each fit, and a row */
  out->rows_better_than_coin = fewest_rows(v, (double)NAN);
  out->rows_to_halve_noise = planned ? fewest_rows(v, noise_to_signal(&v.given, &alone) / 2) : 0;
}

/* The plan for rows of `inputs` encoded columns, or with a kernel for those of its features. */
static dperm_status make_plan(const run *r, size_t inputs, const row_bounds *encoded,
                              dperm_plan *made, dperm_error *err) {
  const dperm_options *options = r->options;
  guarantee settled = r->claim;
  const guarantee *claim = &settled;
  const size_t rows = r->rows, classes = r->classes;
  const dperm_kernel *kernel = &options->kernel;
  TRY(kernel_validate_numbers(kernel, err)); /* this machine's memory need not be the fit's */
  TRY(kernel_validate_angles(kernel, encoded, err));
  size_t dims = kernel_dims(kernel, inputs);
  const row_bounds bounds = kernel_bounds(kernel, encoded);
  /* of features; the others are checked */
  FAIL_IF(dims > INT32_MAX, err, DPERM_INVALID_ARGUMENT, "%zu features; give at most 2^31 - 2",
          dims);
  FAIL_IF(options->classes && options->classes != classes, err, DPERM_INVALID_ARGUMENT,
          "the schema has %zu classes, not %zu", classes, options->classes);
  TRY(regularizer_validate(&options->regularizer, dims, err));
  const dperm_loss loss = options_loss(options, classes);
  public_numbers given;
  privacy_plan plan;
  TRY(fit_noise_plan(options, &loss, &settled, rows, dims, &bounds, &given, &plan, err));
  const double none = (double)NAN;
  *made = (dperm_plan){.rows = rows,
                       .dims = dims,
                       .norm = bounds.norm2,
                       .norm1 = bounds.norm1,
                       .mechanism = plan.mechanism,
                       .analysis = plan.analysis,
                       .rows_per_person = guarantee_unit(claim),
                       .epsilon = claim->epsilon,
                       .epsilon_row = claim->epsilon_row,
                       .classes = classes,
                       .fits = link_scores(&loss) > 1 ? 1 : class_fits(classes),
                       .epsilon_class = claim->epsilon_class,
                       .delta = none,
                       .lambda = plan.lambda,
                       .delta_reg = plan.delta_reg,
                       .beta = none,
                       .expected_noise_norm = none,
                       .rms_noise_norm = none,
                       .noise_norm_q50 = none,
                       .noise_norm_q95 = none,
                       .shift_rms = none,
                       .epsilon_core = none,
                       .solution_error = none,
                       .lattice_noise_rms = none,
                       .solution_norm_bound = solution_norm_bound(&given, plan.lambda),
                       .excess_objective_q50 = none,
                       .excess_objective_q95 = none,
                       .noise_to_signal = none,
                       .coin_loss = loss_at_zero(&loss),
                       .excess_loss_q95 = none,
                       .epsilon_better_than_coin = none,
                       .neighbours = options->neighbours,
                       .epsilon_calibrated = claim->shares[SHARE_CALIBRATION],
                       .epsilon_schema = claim->shares[SHARE_SCHEMA]};
  if (plan.mechanism != DPERM_MECHANISM_NONE) {
    release_plan release;
    TRY(guarantee_check(claim, err));
    TRY(release_plan_make(&given, &plan, &release, err));
    made->delta = claim->delta;
    made->delta_given = options->delta;
    made->delta_numerics = claim->delta_numerics;
    made->delta_core = plan_spends_delta(&plan) ? given.delta_core : 0;
    guarantee added = r->claim;
    added.composed = (composition){.epsilon = 0};
    const public_numbers apart = fit_numbers(options, &loss, &added, rows, dims, &bounds);
    describe_noise(&given, &apart, &plan, &release, made);
  }
  return DPERM_OK;
}

void planned_schema_clear(planned_schema *planned) {
  dperm_schema_free(planned->assumed);
  dperm_schema_free(planned->schema);
  planned->assumed = planned->schema = NULL;
}

/* ---- the public functions */

/* The number of rows, or the figure that stands for it: both, if they are the same. */
static dperm_status check_plan_rows(const dperm_options *o, size_t *rows, dperm_error *err) {
  bool about = o->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  FAIL_IF(about && *rows != 0 && *rows != o->rows_about, err, DPERM_INVALID_ARGUMENT,
          "%zu rows, and about %zu; with neighbours add-remove the number of rows is private: give "
          "the figure near it alone",
          *rows, o->rows_about);
  *rows = about ? o->rows_about : *rows;
  return DPERM_OK;
}

static dperm_status plan_numbers(const dperm_plan_rows *of, size_t rows,
                                 const dperm_options *options, planned_schema *planned,
                                 dperm_plan *made, dperm_error *err) {
  FAIL_IF(rows == 0 || of->dims == 0 || of->dims > INT32_MAX ||
              !(of->norm >= 1e-100 && of->norm <= 1e100),
          err, DPERM_INVALID_ARGUMENT,
          "%zu rows of %zu columns and norm %g; give at least one of each, at most 2^31 "
          "columns, and a norm from 1e-100 to 1e100",
          rows, of->dims, of->norm);
  FAIL_IF(!(of->norm1 >= 1e-100), err, DPERM_INVALID_ARGUMENT,
          "norm1 = %g; give one of at least 1e-100", of->norm1);
  row_bounds bounds = row_bounds_of_norm(of->dims, of->norm);
  bounds.norm1 = fmin(bounds.norm1, of->norm1);
  const size_t classes = options->classes ? options->classes : 2;
  const run_terms terms = {.chooses = true, .rows = rows, .classes = classes};
  TRY(run_make(options, &terms, &planned->made, err));
  return make_plan(&planned->made, of->dims, &bounds, made, err);
}

/* As train composes what its records are asked for with the noise. */
static dperm_status compose(run *r, const dperm_schema *schema, dperm_error *err) {
  OWNED(asked_clear) asked_schema asked = {0};
  OWNED(counted_clear) counted_schema counted = {0};
  if (r->how.way == SCHEMA_ASKED) {
    TRY(asked_open(r, schema, &asked, err));
    run_compose(r, &asked, &asked.counted);
  } else if (r->how.way == SCHEMA_COUNTED) {
    const counts_request q = counts_of_run(r, NULL);
    TRY(counted_open(&q, schema, &counted, err));
    run_compose(r, NULL, &counted);
  }
  return DPERM_OK;
}

static dperm_status plan_records(const dperm_plan_rows *of, size_t rows,
                                 const dperm_options *options, planned_schema *planned,
                                 dperm_plan *made, dperm_error *err) {
  FAIL_IF(rows == 0, err, DPERM_INVALID_ARGUMENT, "0 rows; give at least one");
  FAIL_IF(options->mechanism != DPERM_MECHANISM_NONE && (of->schema->on_missing == MISSING_DROP),
          err, DPERM_INVALID_SCHEMA,
          "the schema drops rows with missing values, which no private fit accepts; set "
          "\"on_missing\" to \"zero\" or \"category\"");
  const dperm_schema *schema = of->schema;
  const run_terms terms = {.schema = schema,
                           .chooses = true,
                           .columns = schema,
                           .rows = rows,
                           .classes = schema->classes.count};
  TRY(run_make(options, &terms, &planned->made, err));
  TRY(compose(&planned->made, schema, err));
  TRY(representation_given(&planned->made, schema, &planned->schema, err));
  schema = planned->schema;
  if (options->class_weight_count > 0) { /* names are classes; the figures hold for all weights */
    TRY(class_weights_new(&schema->classes, options->class_weights, options->class_weight_count,
                          NULL, err));
  }
  TRY(make_plan(&planned->made, schema->dims, &schema->bounds, made, err));
  const schema_way way = planned->made.how.way;
  const bool numbers = schema->classes.count == 0;
  made->schema_cost = way == SCHEMA_ASKED        ? numbers ? "labels" : "answer"
                      : way == SCHEMA_COUNTED    ? "counts"
                      : made->epsilon_schema > 0 ? "schema"
                                                 : NULL;
  return DPERM_OK;
}

dperm_status plan_make(const dperm_plan_rows *of, dperm_options *options, planned_schema *planned,
                       dperm_plan *made, dperm_error *err) {
  size_t rows = of->rows;
  dperm_plan_rows assumed = *of;
  *planned = (planned_schema){.schema = NULL};
  TRY(check_plan_rows(options, &rows, err));
  const size_t usual = loss_of_numbers(&options->loss) ? 0 : 2; /* 0: a number */
  const size_t asked = options->classes ? options->classes : usual;
  const size_t classes = of->schema ? of->schema->classes.count : asked;
  TRY(options_validate(options, classes,
                       of->schema ? schema_label_range(of->schema) : (label_range){0, 0}, err));
  TRY(run_parts_count(options, rows, &rows, &planned->held_rows, err));
  if (options->intervals != 0) {
    FAIL_IF(!of->schema, err, DPERM_UNSUPPORTED,
            "intervals are of columns that a schema describes; give one, or leave intervals out");
    TRY(interval_schema(of->schema, &planned->assumed, err));
    TRY(interval_check(planned->assumed, &options->loss, rows, options->epsilon, err));
    assumed.schema = planned->assumed;
    of = &assumed;
  }
  const stage_numbers numbers = {.rows = rows,
                                 .columns =
                                     of->schema ? schema_encoded_columns(of->schema) : of->dims,
                                 .classes = classes,
                                 .pairs = of->schema ? pairs_of_schema(of->schema) : 0};
  stages_settle(options, &numbers);
  TRY(stages_check(options, &numbers, err));
  return of->schema ? plan_records(of, rows, options, planned, made, err)
                    : plan_numbers(of, rows, options, planned, made, err);
}

dperm_status dperm_plan_sized(const dperm_plan_rows *of, const dperm_options *given,
                              dperm_plan *out, size_t size, dperm_error *err) {
  OWNED(planned_schema_clear) planned_schema planned = {.schema = NULL};
  dperm_options options;
  dperm_plan made;
  TRY(sized_check(&plan_struct, 0, size, err));
  TRY(options_take(DPERM_OPTIONS_TRAIN, given, &options, err));
  TRY(plan_make(of, &options, &planned, &made, err));
  sized_give(&plan_struct, &made, out, size);
  return DPERM_OK;
}
