/* See explain_intervals.h. An effect is that of a column's unit, or of a value instead of the one
 * that was left out. */
#include "report/explain_intervals.h"

#include <math.h>

#include "base/functions.h"
#include "report/interval_table.h"

/* By which a slope in z is divided: a number's is that of half its range, or all of it. */
static double unit_of(const dperm_model *model, const interval_group *g) {
  return g->kind == INTERVAL_NUMBER ? model->schema->columns[g->column].half : 1;
}

static void name_row(const dperm_model *model, const interval_group *g, size_t j, json_t **out) {
  const schema_column *column = &model->schema->columns[g->column];
  const bool number = g->kind == INTERVAL_NUMBER;
  const size_t place = j - g->first, skipped = !number && place >= (size_t)column->reference;
  json_set(out, "name", json_string(column->name));
  json_set(out, "value",
           number ? json_null() : json_string(column->categories.names[place + skipped]));
  json_set(out, "against",
           number ? json_null() : json_string(column->categories.names[column->reference]));
  json_set(out, "per",
           !number                                ? json_null()
           : column->transform == TRANSFORM_LOG1P ? json_string("1 of log(1 + x)")
                                                  : json_string("1"));
}

static json_t *odds_json(const interval_row *row, double by) {
  return json_pack("{s:o, s:o, s:o}", "value", json_figure(math_exp(by * row->estimate)), "low",
                   json_figure(math_exp(by * row->low)), "high",
                   json_figure(math_exp(by * row->high)));
}

static json_t *row_json(const dperm_model *model, const interval_design *design, double unit,
                        size_t j, const interval_row *row) {
  const interval_group *g = &design->groups[design->group_of[j]];
  const double by = unit / unit_of(model, g);
  const char *words = interval_refusal_words(row->refusal);
  json_t *out = json_object();
  name_row(model, g, j, &out);
  json_set(&out, "refused", words ? json_string(words) : json_null());
  if (words) { /* figures would only mislead */
    return out;
  }
  json_set(&out, "estimate", json_figure(by * row->estimate));
  json_set(&out, "standard_error", json_figure(by * row->error));
  json_set(&out, "low", json_figure(by * row->low));
  json_set(&out, "high", json_figure(by * row->high));
  json_set(&out, "odds_ratio", design->logistic ? odds_json(row, by) : json_null());
  json_set(&out, "noise_share", json_figure(row->noise));
  json_set(&out, "p", json_figure(row->p));
  json_set(&out, "rank",
           json_pack("[I, I]", (json_int_t)row->rank_low, (json_int_t)row->rank_high));
  return out;
}

dperm_status explain_intervals(const dperm_model *model, double unit, json_t **out,
                               dperm_error *err) {
  OWNED(interval_design_clear) interval_design design = {0};
  OWNED_MEMORY interval_row *rows = NULL;
  if (!model->released[SHARE_INTERVALS]) {
    *out = json_null();
    return DPERM_OK;
  }
  TRY(interval_table_of(model, &design, &rows, err));
  json_t *list = json_array();
  for (size_t j = 0; j < design.columns; j++) {
    json_append(&list, row_json(model, &design, unit, j, &rows[j]));
  }
  *out = json_pack("{s:f, s:f, s:o}", "confidence", 0.95, "epsilon",
                   model->claim.shares[SHARE_INTERVALS], "columns", list);
  return DPERM_OK;
}
