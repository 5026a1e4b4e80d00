/* dperm_plan_report: a plan as JSON, for command, Python and other programs; docs/formats.md has
 * its members. */
#include <math.h>

#include "base/json_text.h"
#include "base/memory.h"
#include "base/options_defaults.h"
#include "plan/planned.h"

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

static json_t *plan_json(const dperm_plan *p, const guarantee *claim) {
  const double none = (double)NAN;
  bool adding = p->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE, noisy = p->noise != NULL;
  const char *joint =
      dperm_multiclass_name(p->fits == 1 ? DPERM_MULTICLASS_JOINT : DPERM_MULTICLASS_ONE_VS_REST);
  json_t *r = json_object();
  json_set(&r, "rows", adding ? json_null() : json_count(p->rows));
  if (adding) {
    json_set(&r, "rows_about", json_count(p->rows));
  }
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

/* ---- columns of the schema */

static json_t *column_json(const column_plan *p, const dperm_schema *schema) {
  bool cross = p->column == schema->column_count;
  const schema_cross *pair = cross ? &schema->crosses[p->cross] : NULL;
  json_t *c = json_object();
  json_set(&c, "name", json_string(schema->columns[cross ? pair->columns[0] : p->column].name));
  json_set(&c, "crossed_with",
           cross ? json_string(schema->columns[pair->columns[1]].name) : json_null());
  json_set(&c, "dims", json_count(cross ? pair->width : schema->columns[p->column].width));
  ADD_FIGURES(&c, {"noise_share", p->noise_share}, {"without", p->without}, {"halved", p->halved});
  json_set(&c, "bins", rows_or_null(p->bins));
  return c;
}

static dperm_status add_columns(const dperm_options *options, const planned_schema *planned,
                                size_t rows, json_t **report, dperm_error *err) {
  OWNED_MEMORY column_plan *columns = NULL;
  size_t count = 0;
  TRY(plan_columns(options, planned, rows, &columns, &count, err));
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    json_append(&list, column_json(&columns[i], planned->schema));
  }
  json_set(report, "columns", list);
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
  json_t *report = plan_json(&plan, &planned.claim);
  if (planned.schema) {
    dperm_status status = add_columns(&options, &planned, plan.rows, &report, err);
    if (status != DPERM_OK) {
      json_decref(report);
      return status;
    }
  }
  json_set(&report, "noise_kinds", kinds_json(of, &options, &plan));
  return json_give(report, json, err);
}
