/* dperm_plan_report: a plan as JSON (docs/formats.md), for command, Python and other programs. */
#include <math.h>
#include <stdio.h>

#include "base/json_text.h"
#include "base/memory.h"
#include "base/options_defaults.h"
#include "plan/planned.h"
#include "random/noise.h"
#include "run/options.h"
#include "schema/auto_bins.h"

static json_t *text_or_null(const char *text) {
  return text ? json_string(text) : json_null();
}

/* Rows, or null where none do. */
static json_t *rows_or_null(size_t rows) {
  return rows ? json_count(rows) : json_null();
}

/* ---- the figures */

typedef struct figure {
  const char *key;
  double value;
} figure;

static void add_figures(json_t **report, const figure *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    json_set(report, list[i].key, json_figure(list[i].value));
  }
}
#define ADD_FIGURES(report, ...)                                                                   \
  do {                                                                                             \
    const figure list_[] = {__VA_ARGS__};                                                          \
    add_figures(report, list_, sizeof list_ / sizeof *list_);                                      \
  } while (0)

/* All records, and those of the fit: what is held out for an evaluation is not the fit's. */
static void add_rows(json_t **r, const char *key, const dperm_plan *p, size_t held) {
  char fitted[32];
  (void)snprintf(fitted, sizeof fitted, "%s_fitted", key);
  json_set(r, key, json_count(p->rows + held));
  json_set(r, fitted, json_count(p->rows));
}

static json_t *plan_json(const dperm_plan *p, const guarantee *claim, size_t held) {
  const double none = (double)NAN;
  bool adding = p->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE, noisy = p->noise != NULL;
  const char *joint =
      dperm_multiclass_name(p->fits == 1 ? DPERM_MULTICLASS_JOINT : DPERM_MULTICLASS_ONE_VS_REST);
  json_t *r = json_object();
  if (adding) {
    json_set(&r, "rows", json_null());
    json_set(&r, "rows_fitted", json_null());
  }
  add_rows(&r, adding ? "rows_about" : "rows", p, held);
  json_set(&r, "dims", json_count(p->dims));
  ADD_FIGURES(&r, {"norm", p->norm}, {"norm1", p->norm1});
  json_set(&r, "mechanism", json_string(dperm_mechanism_name(p->mechanism)));
  json_set(&r, "analysis",
           text_or_null(p->mechanism == DPERM_MECHANISM_OBJECTIVE ? dperm_analysis_name(p->analysis)
                                                                  : NULL));
  ADD_FIGURES(&r, {"epsilon", p->epsilon}, {"epsilon_refined", noisy ? p->epsilon_schema : none});
  json_set(&r, "refined_by", text_or_null(p->schema_cost));
  for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    ADD_FIGURES(&r, {share_kinds[s].figure, noisy ? claim->shares[s] : none});
  }
  json_set(&r, "rows_per_person", json_count(p->rows_per_person));
  json_set(&r, "neighbours", json_string(dperm_neighbours_name(p->neighbours)));
  ADD_FIGURES(&r, {"epsilon_row", p->epsilon_row});
  json_set(&r, "classes", json_count(p->classes));
  json_set(&r, "multiclass", text_or_null(p->classes > 2 ? joint : NULL));
  ADD_FIGURES(&r, {"epsilon_class", p->epsilon_class}, {"delta", p->delta},
              {"delta_given", p->delta_given}, {"delta_numerics", noisy ? p->delta_numerics : none},
              {"delta_core", noisy ? p->delta_core : none}, {"lambda", p->lambda},
              {"delta_reg", p->delta_reg});
  json_set(&r, "noise", text_or_null(p->noise));
  ADD_FIGURES(
      &r, {"beta", p->beta}, {"expected_noise_norm", p->expected_noise_norm},
      {"rms_noise_norm", p->rms_noise_norm}, {"noise_norm_q50", p->noise_norm_q50},
      {"noise_norm_q95", p->noise_norm_q95}, {"shift_rms", p->shift_rms},
      {"epsilon_core", p->epsilon_core}, {"solution_error", p->solution_error},
      {"lattice_noise_rms", p->lattice_noise_rms}, {"solution_norm_bound", p->solution_norm_bound},
      {"excess_objective_q50", p->excess_objective_q50},
      {"excess_objective_q95", p->excess_objective_q95}, {"noise_to_signal", p->noise_to_signal},
      {"coin_loss", p->coin_loss}, {"excess_loss_q95", p->excess_loss_q95},
      {"epsilon_better_than_coin", p->epsilon_better_than_coin});
  json_set(&r, "rows_better_than_coin", rows_or_null(p->rows_better_than_coin));
  json_set(&r, "rows_to_halve_noise", rows_or_null(p->rows_to_halve_noise));
  return r;
}

/* ---- columns of the schema, then crosses */

/* What the encoded columns from `first` on have of E‖b‖₂²; NaN without shares. */
static double share_of(const noise_body *body, const double *shares, size_t first, size_t width) {
  double sum = shares ? 0 : (double)NAN;
  for (size_t i = 0, at = 0; shares && i < body_count(body); i++) {
    const body_run *stretch = body_at(body, i);
    size_t end = at + stretch->groups * stretch->width, last = first + width;
    size_t from = at > first ? at : first, to = end < last ? end : last;
    sum += from < to ? (double)(to - from) * shares[i] : 0;
    at = end;
  }
  return sum;
}

/* How the plan's noise falls on the schema's body. */
static dperm_status find_shares(const dperm_options *options, const planned_schema *planned,
                                size_t rows, double **shares, dperm_error *err) {
  const dperm_schema *schema = planned->schema;
  const dperm_loss loss = options_loss(options, schema->classes.count);
  const public_numbers given =
      fit_numbers(options, &loss, &planned->made.claim, rows, schema->dims, &schema->bounds);
  privacy_plan plan;
  TRY(privacy_plan_make(&given, &plan, err));
  TRY(memory_new(body_count(&schema->bounds.body), sizeof **shares, shares, err));
  noise_column_shares(&plan.noise, &schema->bounds.body, *shares);
  return DPERM_OK;
}

/* The bins that the rule of "auto" gives a numeric column; 0 for none, as from -r to r, or where
 * intervals are of lines. */
static size_t bins_of(const schema_column *column, bin_numbers paid, const dperm_options *options) {
  bool line = options->intervals != 0 || column->type != COLUMN_NUMERIC ||
              (!column->binned && auto_bins_standardized(column));
  return line ? 0 : auto_bins_of(column, paid);
}

static json_t *column_json(const char *name, const char *second, size_t dims, double share,
                           size_t bins) {
  json_t *c = json_object();
  json_set(&c, "name", json_string(name));
  json_set(&c, "crossed_with", text_or_null(second));
  json_set(&c, "dims", json_count(dims));
  json_set(&c, "noise_share", json_figure(share));
  json_set(&c, "bins", rows_or_null(bins));
  return c;
}

static dperm_status columns_json(const dperm_options *options, const planned_schema *planned,
                                 size_t rows, json_t **list, dperm_error *err) {
  const dperm_schema *schema = planned->schema;
  const noise_body *body = &schema->bounds.body;
  double epsilon = planned->made.claim.epsilon_class;
  size_t encoded = schema_encoded_columns(schema);
  const bin_numbers paid = auto_bins_paid(rows, epsilon, encoded > 0 ? encoded : 1);
  OWNED_MEMORY double *shares = NULL;
  if (!isnan(epsilon) && options->kernel.kind == DPERM_KERNEL_NONE) {
    TRY(find_shares(options, planned, rows, &shares, err));
  }
  *list = json_array();
  for (size_t i = 0; i < schema->column_count; i++) {
    const schema_column *c = &schema->columns[i];
    if (c->type == COLUMN_NUMERIC || c->type == COLUMN_CATEGORICAL) {
      json_append(list,
                  column_json(c->name, NULL, c->width, share_of(body, shares, c->first, c->width),
                              bins_of(c, paid, options)));
    }
  }
  for (size_t i = 0; i < schema->cross_count; i++) {
    const schema_cross *pair = &schema->crosses[i];
    const schema_column *a = &schema->columns[pair->columns[0]];
    const schema_column *b = &schema->columns[pair->columns[1]];
    json_append(list, column_json(a->name, b->name, pair->width,
                                  share_of(body, shares, pair->first, pair->width), 0));
  }
  return DPERM_OK;
}

/* ---- every kind of noise that mechanism and rows allow, at the plan's lambda and delta_reg */

static json_t *kinds_json(const dperm_plan_rows *of, const dperm_options *options,
                          const dperm_plan *plan) {
  json_t *list = json_array();
  dperm_options other = *options;
  other.lambda = plan->lambda;
  if (plan->mechanism == DPERM_MECHANISM_OBJECTIVE) {
    other.delta_reg = plan->delta_reg;
  }
  for (int kind = DPERM_NOISE_L2; plan->noise && dperm_noise_name((dperm_noise)kind); kind++) {
    OWNED(planned_schema_clear) planned_schema planned = {.schema = NULL};
    dperm_plan k;
    other.noise = (dperm_noise)kind;
    if (plan_make(of, &other, &planned, &k, NULL) == DPERM_OK) {
      json_t *one = json_object();
      json_set(&one, "noise", json_string(k.noise));
      ADD_FIGURES(&one, {"beta", k.beta}, {"expected_noise_norm", k.expected_noise_norm},
                  {"rms_noise_norm", k.rms_noise_norm}, {"noise_norm_q95", k.noise_norm_q95});
      json_append(&list, one);
    }
  }
  return list;
}

dperm_status dperm_plan_report(const dperm_plan_rows *of, const dperm_options *given, char **json,
                               dperm_error *err) {
  OWNED(planned_schema_clear) planned_schema planned = {.schema = NULL};
  dperm_options options;
  dperm_plan plan;
  TRY(options_take(DPERM_OPTIONS_TRAIN, given, &options, err));
  TRY(plan_make(of, &options, &planned, &plan, err));
  json_t *columns = NULL;
  if (planned.schema) {
    TRY(columns_json(&options, &planned, plan.rows, &columns, err));
  }
  json_t *report = plan_json(&plan, &planned.made.claim, planned.held_rows);
  if (columns) {
    json_set(&report, "columns", columns);
  }
  json_set(&report, "noise_kinds", kinds_json(of, &options, &plan));
  json_set(&report, "remarks", plan_remarks(&plan, of->schema, columns));
  return json_give(report, json, err);
}
