/* See training_report.h; docs/formats.md has its members. */
#include "run/training_report.h"

#include <math.h>
#include <stdlib.h>

#include "base/json_text.h"

/* Whether a column has bins that the schema as it was given has not. */
static bool got_bins(const dperm_schema *given, const dperm_schema *used) {
  bool any = false;
  for (size_t i = 0; i < given->column_count; i++) {
    const schema_column *before = &given->columns[i];
    any = any || (!before->binned && !before->bins_auto && used->columns[i].binned);
  }
  return any;
}

/* What the records chose; null if they were not asked. */
static json_t *answer_of(const representation *how, const dperm_data *data,
                         const dperm_model *model) {
  return how->way != SCHEMA_ASKED
             ? json_null()
             : json_string(got_bins(data->schema, model->schema) ? "bins" : "lines");
}

/* A number, or null where there is none. */
static json_t *number_or_null(double value) {
  return isnan(value) ? json_null() : json_real(value);
}

static json_t *make(const dperm_options *o, const representation *how, const dperm_data *data,
                    const dperm_model *model) {
  dperm_guarantee g;
  dperm_model_guarantee(model, &g);
  bool noisy = o->mechanism != DPERM_MECHANISM_NONE;
  bool counted = o->neighbours == DPERM_NEIGHBOURS_REPLACE; /* else their number is private */
  json_t *report = json_object();
  json_set(&report, "rows", counted ? json_integer((json_int_t)model->rows) : json_null());
  if (!counted) {
    json_set(&report, "rows_about", json_integer((json_int_t)o->rows_about));
  }
  json_set(&report, "weights", json_integer((json_int_t)model->dims));
  json_set(&report, "classes", json_integer((json_int_t)model->classes.count));
  json_set(&report, "private", json_boolean(g.is_private));
  json_set(&report, "reason", g.is_private ? json_null() : json_string(g.reason));
  json_set(&report, "mechanism", json_string(dperm_mechanism_name(o->mechanism)));
  json_set(&report, "epsilon", number_or_null(g.epsilon));
  json_set(&report, "epsilon_refined",
           noisy ? json_real(model->schema ? model->schema->refined.epsilon : 0) : json_null());
  json_set(&report, "answer", answer_of(how, data, model));
  json_set(&report, "epsilon_calibrated",
           noisy ? json_real(o->calibrate > 0 ? o->calibrate * o->epsilon : 0) : json_null());
  json_set(&report, "delta", number_or_null(g.delta));
  json_set(&report, "rows_per_person",
           noisy ? json_integer((json_int_t)g.rows_per_person) : json_null());
  json_set(&report, "neighbours",
           noisy ? json_string(dperm_neighbours_name(g.neighbours)) : json_null());
  if (model->selection) {
    json_t *candidates = json_object_get(model->selection, "candidates");
    json_set(&report, "method", json_incref(json_object_get(model->selection, "method")));
    json_set(&report, "candidates", json_integer((json_int_t)json_array_size(candidates)));
  }
  return report;
}

dperm_status training_report(const dperm_options *o, const representation *how,
                             const dperm_data *data, const dperm_model *model, dperm_error *err) {
  json_auto_t *report = NULL;
  if (!o->report) {
    return DPERM_OK;
  }
  report = make(o, how, data, model);
  *o->report = report ? json_dumps(report, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
  if (!*o->report) {
    FAIL(err, DPERM_OUT_OF_MEMORY, "out of memory while reporting the run; the model is made");
  }
  return DPERM_OK;
}
