/* See output.h. */
#include <math.h>

#include "base/file_write.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/model_file.h"
#include "run/output.h"
#include "schema/resolve_bins.h"

struct dperm_output {
  char *path;
  output_file *file; /* NULL once it is written */
};

dperm_status dperm_output_check(const char *path, dperm_error *err) {
  TRY(protected_file_check(path, path, err));
  return output_link_check(path, err);
}

dperm_status dperm_output_open(const char *path, dperm_output **out, dperm_error *err) {
  OWNED(dperm_output_free_at) dperm_output *made = NULL;
  TRY(memory_new(1, sizeof *made, &made, err));
  TRY(memory_copy_text(path, strlen(path), &made->path, err));
  TRY(output_open(made->path, false, &made->file, err));
  *out = TAKE(made);
  return DPERM_OK;
}

void dperm_output_free(dperm_output *output) {
  if (output) {
    output_discard(output->file);
    free(output->path);
    free(output);
  }
}

const char *dperm_output_temporary(const dperm_output *output) {
  return output && output->file ? output_temporary(output->file) : NULL;
}

/* ---- how long it may become */

enum {
  ALL_ELSE = 8192,               /* every member of the file that has a bounded length */
  WEIGHT = DOUBLE_TEXT_SIZE + 8, /* with its comma and its share of ends of lines */
  CANDIDATE = 768,
  ESCAPED = 6,           /* bytes of JSON for a byte of text, at most */
  EVALUATION = 1 << 19,  /* of all cells that there can be, */
  EVALUATED_GROUP = 1024 /* and of a group that a schema declares, beside its name */
};

/* A schema, as jansson writes it: our lines are indented deeper, but by less than their length. */
static dperm_status schema_text_bound(const dperm_schema *schema, size_t *sum, dperm_error *err) {
  size_t length = schema ? json_dumpb(schema->json, NULL, 0, JSON_INDENT(4)) : 0;
  FAIL_IF(schema && length == 0, err, DPERM_OUT_OF_MEMORY,
          "out of memory while measuring a schema");
  *sum += 2 * length;
  return DPERM_OK;
}

/* A group's name is in the schema, which counts twice. */
static size_t evaluation_bound(const dperm_data *data) {
  const dperm_schema *schema = data->schema;
  const size_t group = schema ? schema->group : NO_GROUP;
  const size_t groups = group == NO_GROUP ? 0 : 2 + schema->columns[group].categories.count;
  return EVALUATION + groups * EVALUATED_GROUP;
}

static dperm_status model_file_bound(const dperm_data *data, const counted_schema *counted,
                                     const dperm_options *candidates, size_t count, size_t *bytes,
                                     dperm_error *err) {
  OWNED(class_list_clear) class_list classes = {0};
  OWNED(dperm_schema_free_at) dperm_schema *widest = NULL;
  size_t dims = 0, inputs = data->x->cols, texts = 0;
  TRY(data_class_names(data, &classes, err));
  for (size_t i = 0; i < classes.count; i++) {
    texts += ESCAPED * strlen(classes.names[i]) + 16;
  }
  if (data->table) {
    TRY(counted ? counted_extreme(counted, true, &widest, err)
                : schema_resolve(data->schema, true, 0, (double)NAN, &widest, err));
    TRY(schema_text_bound(data->schema, &texts, err));
    TRY(schema_text_bound(widest, &texts, err));
    inputs = widest->dims + widest->column_count; /* values may be missing */
  }
  for (size_t i = 0; i < count; i++) {
    TRY(kernel_validate(&candidates[i].kernel, data->x->cols, err));
    size_t own = kernel_dims(&candidates[i].kernel, inputs);
    dims = own > dims ? own : dims;
    texts += candidates[i].evaluate > 0 ? evaluation_bound(data) : 0;
    texts += CANDIDATE + ESCAPED * strlen(candidates[i].loss.name);
    for (size_t j = 0; j < candidates[i].class_weight_count; j++) {
      texts += WEIGHT + 16 + ESCAPED * strlen(candidates[i].class_weights[j].name);
    }
  }
  size_t fits = class_fits(classes.count);
  FAIL_IF(dims > SIZE_MAX / 2 / WEIGHT / fits, err, DPERM_INVALID_ARGUMENT,
          "%zu weights are too many for a file", dims);
  /* A block has a weight in the noise, and two columns at least. */
  *bytes = ALL_ELSE + texts + WEIGHT * (classes.count + dims / 2 + dims * fits);
  return DPERM_OK;
}

dperm_status output_take_space(const dperm_account *account, const dperm_data *data,
                               const counted_schema *counted, const dperm_options *candidates,
                               size_t count, dperm_error *err) {
  const dperm_output *output = account->output;
  size_t bytes = 0;
  if (!output || !output->file) {
    return DPERM_OK;
  }
  TRY(model_file_bound(data, counted, candidates, count, &bytes, err));
  dperm_status status = output_reserve(output->file, bytes, err);
  if (status != DPERM_OK && account->ledger) {
    error_append(err, "; nothing is charged");
  }
  return status;
}

dperm_status dperm_output_reserve(dperm_output *output, size_t bytes, dperm_error *err) {
  return output_reserve(output->file, bytes, err);
}

dperm_status dperm_output_write(dperm_output *output, const char *text, size_t length,
                                dperm_error *err) {
  FAIL_IF(!output->file, err, DPERM_INVALID_ARGUMENT,
          "%s: this output is written already; open another", output->path);
  TRY(output_write(output->file, text, length, err));
  return output_commit(TAKE(output->file), err);
}

dperm_status dperm_model_to_text(const dperm_model *model, char **text, size_t *length,
                                 dperm_error *err) {
  OWNED(output_discard_at) output_file *file = NULL;
  TRY(output_open_memory(&file, err));
  TRY(model_write_content(model, file, err));
  return output_take(TAKE(file), text, length, err);
}

dperm_status dperm_model_write(const dperm_model *model, const char *path, dperm_error *err) {
  OWNED(output_discard_at) output_file *file = NULL;
  TRY(output_open(path ? path : "-", false, &file, err));
  TRY(model_write_content(model, file, err));
  return output_commit(TAKE(file), err);
}

/* ---- the report; docs/formats.md has its members */

/* What the records chose: whether a shape was found, which the cost tells, and by how much lines
 * weigh more than they were given; null if not asked. */
static void report_answers(const representation *how, const dperm_data *data,
                           const dperm_model *model, json_t **report) {
  bool asked = how->way == SCHEMA_ASKED;
  if (asked && model->classes.count == 0) { /* how far labels lie apart, which h follows from */
    json_set(report, "answer", json_string("labels"));
    json_set(report, "weight", json_null());
    return;
  }
  const double cost = model->claim.shares[SHARE_SCHEMA];
  bool bins = cost > 0 && (cost == how->counted || cost == how->ranged);
  double weight = 1;
  for (size_t i = 0; asked && i < data->schema->column_count; i++) {
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    weight = fmax(weight, model->schema->columns[i].weight / data->schema->columns[i].weight);
  }
  json_set(report, "answer", asked ? json_string(bins ? "bins" : "lines") : json_null());
  json_set(report, "weight", asked ? json_real(weight) : json_null());
}

static json_t *report_of(const dperm_options *o, const representation *how, const dperm_data *data,
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
  json_set(&report, "h", json_figure(model->loss_h));
  json_set(&report, "private", json_boolean(g.is_private));
  json_set(&report, "reason", g.is_private ? json_null() : json_string(g.reason));
  json_set(&report, "mechanism", json_string(dperm_mechanism_name(model->plan.mechanism)));
  json_set(&report, "epsilon", json_figure(g.epsilon));
  json_set(&report, "epsilon_refined",
           noisy ? json_real(model->claim.shares[SHARE_SCHEMA]) : json_null());
  report_answers(how, data, model, &report);
  for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    json_set(&report, share_kinds[s].figure,
             noisy ? json_real(model->claim.shares[s]) : json_null());
    if (share_kinds[s].value) {
      json_set(&report, share_kinds[s].value, model_share_value(model, s));
    }
  }
  json_set(&report, "evaluation", model->evaluation ? json_incref(model->evaluation) : json_null());
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
  return o->report && model ? json_give(report_of(o, how, data, model), o->report, err) : DPERM_OK;
}
