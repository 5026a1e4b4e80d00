/* See training_report.h; docs/formats.md has its members. */
#include "run/output.h"

#include "base/json_text.h"

/* What the records chose, by whether a column has bins that the schema as it was given has not;
 * null if they were not asked. */
static json_t *answer_of(const representation *how, const dperm_data *data,
                         const dperm_model *model) {
  bool bins = false;
  for (size_t i = 0; how->way == SCHEMA_ASKED && i < data->schema->column_count; i++) {
    const schema_column *before = &data->schema->columns[i];
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    bins = bins || (!before->binned && !before->bins_auto && model->schema->columns[i].binned);
  }
  return how->way == SCHEMA_ASKED ? json_string(bins ? "bins" : "lines") : json_null();
}

static json_t *make(const dperm_options *o, const representation *how, const dperm_data *data,
                    const dperm_model *model) {
  dperm_guarantee g;
  dperm_model_guarantee(model, &g);
  bool noisy = o->mechanism != DPERM_MECHANISM_NONE;
  bool counted = o->neighbours == DPERM_NEIGHBOURS_REPLACE; /* else their number is private */
  json_t *report = json_object();
  json_set(&report, "rows", counted ? json_count(model->rows) : json_null());
  if (!counted) {
    json_set(&report, "rows_about", json_count(o->rows_about));
  }
  json_set(&report, "weights", json_count(model->dims));
  json_set(&report, "classes", json_count(model->classes.count));
  json_set(&report, "private", json_boolean(g.is_private));
  json_set(&report, "reason", g.is_private ? json_null() : json_string(g.reason));
  json_set(&report, "mechanism", json_string(dperm_mechanism_name(o->mechanism)));
  json_set(&report, "epsilon", json_figure(g.epsilon));
  json_set(&report, "epsilon_refined",
           noisy ? json_real(model->schema ? model->schema->refined.epsilon : 0) : json_null());
  json_set(&report, "answer", answer_of(how, data, model));
  for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    json_set(&report, share_kinds[s].figure,
             noisy ? json_real(model->claim.shares[s]) : json_null());
    if (share_kinds[s].value) {
      json_set(&report, share_kinds[s].value, json_figure(model_share_value(model, s)));
    }
  }
  json_set(&report, "delta", json_figure(g.delta));
  json_set(&report, "rows_per_person", noisy ? json_count(g.rows_per_person) : json_null());
  json_set(&report, "neighbours",
           noisy ? json_string(dperm_neighbours_name(g.neighbours)) : json_null());
  if (model->selection) {
    json_t *candidates = json_object_get(model->selection, "candidates");
    json_set(&report, "method", json_incref(json_object_get(model->selection, "method")));
    json_set(&report, "candidates", json_count(json_array_size(candidates)));
  }
  return report;
}

dperm_status training_report(const dperm_options *o, const representation *how,
                             const dperm_data *data, const dperm_model *model, dperm_error *err) {
  if (o->report && !model) {
    *o->report = NULL;
  }
  return o->report && model ? json_give(make(o, how, data, model), o->report, err) : DPERM_OK;
}
