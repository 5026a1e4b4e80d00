/* Making, asking and freeing models. */
#include "model/model.h"

#include <math.h>

#include "base/functions.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "loss/link.h"
#include "read/row_reader.h"

dperm_status model_new(const dperm_data *data, const dperm_kernel *kernel,
                       const dperm_progress *progress, dperm_model **out, dperm_error *err) {
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  TRY(memory_new(1, sizeof *model, &model, err));
  model->inputs = data->x->cols;
  model->dims = kernel_dims(kernel, model->inputs);
  model->rows = model->rows_fitted = rows_in_all(data->x);
  model->claim = guarantee_of_nothing();
  model->inverse_temperature = 1;
  model->origin = data->origin;
  model->norm_bound = data->bounds.norm2;
  model->intercept = data->intercept;
  model->schema = schema_share(data->schema);
  model->range = data_label_range(data);
  model->loss_quantile = (double)NAN;
  TRY(data_class_names(data, &model->classes, err));
  if (kernel->kind != DPERM_KERNEL_NONE) {
    TRY(feature_map_new(kernel, model->inputs, progress, &model->map, err));
  }
  TRY(memory_new(class_fits(model->classes.count) * model->dims, sizeof *model->weights,
                 &model->weights, err));
  *out = TAKE(model);
  return DPERM_OK;
}

dperm_status model_claim(dperm_model *model, const guarantee *claim, dperm_error *err) {
  char text[REASONS_TEXT_SIZE], *reason = NULL;
  guarantee_reasons(claim, text);
  if (!guarantee_is_private(claim)) {
    TRY(memory_copy_text(text, strlen(text), &reason, err));
  }
  free(model->reason);
  model->reason = reason;
  model->claim = *claim;
  return DPERM_OK;
}

void dperm_model_free(dperm_model *model) {
  if (model) {
    dperm_schema_free(model->schema);
    feature_map_free(model->map);
    json_decref(model->selection);
    json_decref(model->evaluation);
    for (share_id s = 0; s < SHARE_COUNT; s++) {
      json_decref(model->released[s]);
    }
    free(model->reason);
    free(model->loss);
    class_list_clear(&model->classes);
    free(model->class_weights);
    free(model->weights);
    free(model);
  }
}

dperm_status model_source(const dperm_model *model, const dperm_source *given, dperm_source *out,
                          dperm_error *err) {
  *out = *given;
  out->schema = model->schema;
  out->dims = model->schema ? 0 : model->inputs;
  out->no_identity = 0;
  FAIL_IF(model->origin == ORIGIN_MEMORY && (model->norm_bound != 1.0 || model->intercept != 0),
          err, DPERM_INVALID_ARGUMENT,
          "the model was trained on rows from memory with norm bound %g; predict from memory too",
          model->norm_bound);
  const row_reader_kind *kind = NULL;
  TRY(row_reader_find(out, &kind, err));
  TRY(source_check_there(out, err)); /* what is not there is of no format */
  /* A mapped file has its own schema, which must be the same. */
  const bool by_schema = kind == &csv_format || kind == &arrow_format;
  FAIL_IF(kind->read && by_schema != (model->schema != NULL), err, DPERM_INVALID_DATA,
          "%s: the model was trained on %s; give data of that format", source_name(given),
          model->schema ? "CSV" : "svmlight");
  return DPERM_OK;
}

size_t dperm_model_dims(const dperm_model *model) {
  return model->dims;
}

const double *dperm_model_weights(const dperm_model *model) {
  return model->weights;
}

void dperm_model_guarantee_sized(const dperm_model *model, dperm_guarantee *out, size_t size) {
  static const sized_struct kind = SIZED_STRUCT(dperm_guarantee, rows_per_person);
  const dperm_guarantee made = {.is_private = guarantee_is_private(&model->claim),
                                .reason = model->reason,
                                .epsilon = model->claim.epsilon,
                                .delta = model->claim.delta,
                                .rows_per_person = guarantee_unit(&model->claim),
                                .neighbours = model->claim.neighbours};
  sized_give(&kind, &made, out, size);
}

dperm_status dperm_model_describe(const dperm_model *model, char **json, dperm_error *err) {
  const privacy_plan *plan = &model->plan;
  bool noisy = plan->mechanism != DPERM_MECHANISM_NONE;
  bool counted = plan->neighbours == DPERM_NEIGHBOURS_REPLACE;
  json_t *d = json_object();
  json_set(&d, "mechanism", json_string(dperm_mechanism_name(plan->mechanism)));
  json_set(&d, "noise", noisy ? json_string(plan->noise.kind->name) : json_null());
  json_set(&d, "loss", json_string(model->loss));
  json_set(&d, "h", json_figure(model->loss_h));
  json_set(&d, "quantile", json_figure(model->loss_quantile));
  json_set(&d, "lambda", json_figure(plan->lambda));
  json_set(&d, "rows", counted ? json_count(model->rows) : json_null());
  json_set(&d, "dims", json_count(model->dims));
  json_set(&d, "norm", json_figure(model->norm_bound));
  json_set(&d, "classes", classes_json(&model->classes));
  json_set(&d, "label", label_range_json(model->range));
  json_set(&d, "joint", json_boolean(model->joint));
  json_set(&d, "inverse_temperature", json_figure(model->inverse_temperature));
  return json_give(d, json, err);
}

const dperm_schema *dperm_model_schema(const dperm_model *model) {
  return model->schema;
}

size_t dperm_model_classes(const dperm_model *model) {
  return model->classes.count;
}

const char *dperm_model_class_name(const dperm_model *model, size_t index) {
  return index < model->classes.count ? model->classes.names[index] : NULL;
}

dperm_status model_loss(const dperm_model *model, dperm_loss *out, dperm_error *err) {
  return isnan(model->loss_quantile)
             ? dperm_loss_by_name(model->loss, model->loss_h, out, err)
             : dperm_loss_quantile(model->loss_quantile, model->loss_h, out, err);
}

const dperm_loss *model_log_loss(const dperm_model *model, dperm_loss *made) {
  if (model->joint) {
    *made = softmax_loss(model->classes.count);
    return made;
  }
  const loss_kind *kind = loss_kind_named(model->loss);
  bool has = kind && kind->probability && loss_make(kind, model->loss_h, made, NULL) == DPERM_OK;
  return has ? made : NULL;
}

const double *scaled_scores(size_t classes, double by, const double *scores, double *space) {
  size_t count = class_fits(classes);
  double top = count > 1 ? scores[model_winner(classes, scores)] : 0; /* so none overflows */
  space[0] = 0; /* there is one at least, which the analyzer does not know */
  for (size_t m = 0; by != 1 && m < count; m++) {
    space[m] = by * (scores[m] - top);
  }
  return by == 1 ? scores : space;
}

size_t model_winner(size_t classes, const double *scores) {
  size_t best = classes > 2 ? 0 : scores[0] > 0;
  for (size_t m = 1; classes > 2 && m < classes; m++) {
    best = scores[m] > scores[best] ? m : best;
  }
  return best;
}

double model_class_log_probability(const dperm_loss *log_loss, size_t classes, const double *scores,
                                   size_t index) {
  double least = INFINITY, own = 0, sum = 0, value = 0;
  if (softmax_classes(log_loss) > 0) {
    double label = (double)index;
    softmax_rows(classes, 1, &label, scores, NULL, &value, NULL, NULL);
    return -value;
  }
  for (size_t m = 0; m < classes; m++) {
    log_loss->eval(log_loss, 1, &scores[m], &value, NULL, NULL);
    own = m == index ? value : own;
    least = fmin(least, value);
  }
  for (size_t m = 0; m < classes; m++) {
    log_loss->eval(log_loss, 1, &scores[m], &value, NULL, NULL);
    sum += math_exp(least - value);
  }
  return least - own - math_log(sum);
}

dperm_status model_view(const dperm_model *model, const matrix *x, const matrix **view,
                        matrix **made, dperm_error *err) {
  *made = NULL;
  if (model->map) {
    TRY(features_new(model->map, x, made, err));
  }
  *view = *made ? *made : x;
  return DPERM_OK;
}

dperm_status apply_vectors(const matrix *x, const double *vectors, size_t count, double *z,
                           dperm_error *err) {
  OWNED_MEMORY double *wide = NULL;
  TRY(memory_new(count * x->cols, sizeof *wide, &wide, err));
  for (size_t m = 0; m < count; m++) {
    for (size_t j = 0; j < x->cols; j++) {
      wide[j * count + m] = vectors[m * x->cols + j];
    }
  }
  return matrix_apply(x, wide, count, z, err);
}

/* Rows of the model's kind: its number of columns, norm and constant column. */
static dperm_status check_rows(const dperm_model *model, const dperm_data *data, dperm_error *err) {
  FAIL_IF(data->origin == ORIGIN_SCHEMA && !model->schema, err, DPERM_INVALID_DATA,
          "the data have a schema, and the model was trained on rows without one; give such rows");
  FAIL_IF(data->x->cols != model->inputs, err, DPERM_INVALID_DATA,
          "the data have %zu encoded columns, the model %zu", data->x->cols, model->inputs);
  FAIL_IF(data->intercept != model->intercept, err, DPERM_INVALID_DATA,
          "the data have a constant column of %g, the model's of %g", data->intercept,
          model->intercept);
  /* What rows were scaled to before their constant column is known from the file up to rounding. */
  FAIL_IF(!model->schema &&
              !(fabs(data->bounds.norm2 - model->norm_bound) <= 1e-12 * model->norm_bound),
          err, DPERM_INVALID_DATA,
          "the rows have a norm bound of %g, but the model was trained with %g; build them with %g",
          data->bounds.norm2, model->norm_bound, model->norm_bound);
  return DPERM_OK;
}

static dperm_status score_rows(const dperm_model *model, const dperm_data *data, double *scores,
                               dperm_error *err) {
  const matrix *view = NULL;
  OWNED(matrix_free_at) matrix *made = NULL;
  TRY(check_rows(model, data, err));
  TRY(model_view(model, data->x, &view, &made, err));
  TRY(apply_vectors(view, model->weights, class_fits(model->classes.count), scores, err));
  for (size_t i = 0; i < data->x->rows * class_fits(model->classes.count); i++) {
    FAIL_IF(!isfinite(scores[i]), err, DPERM_NUMERIC_ERROR,
            "the model's weights are too large: their sum is beyond all doubles; train anew");
  }
  return DPERM_OK;
}

dperm_status dperm_model_scores(const dperm_model *model, const dperm_data *data, double *scores,
                                dperm_error *err) {
  OWNED(data_view_close) dperm_data view = {0};
  if (!data->table || !model->schema || data->schema == model->schema) {
    return score_rows(model, data, scores, err);
  }
  TRY(data_view_open(data, model->schema, &view, err));
  return score_rows(model, &view, scores, err);
}

bool model_of_counts(const dperm_model *model) {
  dperm_loss loss;
  return label_range_known(model->range) && model_loss(model, &loss, NULL) == DPERM_OK &&
         loss_is_count(&loss);
}

dperm_status model_numbers(const dperm_model *model, const dperm_data *data, double *values,
                           dperm_error *err) {
  dperm_loss loss;
  TRY(model_loss(model, &loss, err));
  TRY(dperm_model_scores(model, data, values, err));
  for (size_t i = 0; i < data->x->rows; i++) {
    values[i] = link_number(&loss, values[i]);
  }
  return DPERM_OK;
}

dperm_status dperm_model_values(const dperm_model *model, const dperm_data *data, double *values,
                                dperm_error *err) {
  FAIL_IF(!label_range_known(model->range), err, DPERM_UNSUPPORTED,
          "the model predicts classes; ask it for scores");
  TRY(model_numbers(model, data, values, err));
  for (size_t i = 0; i < data->x->rows; i++) {
    values[i] = label_of_score(model->range, values[i]);
  }
  return DPERM_OK;
}

double model_probability(const dperm_model *model, const dperm_loss *log_loss, const double *scores,
                         size_t index) {
  double space[CLASSES_MOST];
  const size_t classes = model->classes.count;
  const double *scaled = scaled_scores(classes, model->inverse_temperature, scores, space);
  return classes > 2
             ? math_exp(model_class_log_probability(log_loss, classes, scaled, index))
             : loss_kind_named(log_loss->name)->probability(index == 1 ? scaled[0] : -scaled[0]);
}

dperm_status dperm_model_probabilities(const dperm_model *model, const dperm_data *data,
                                       double *probabilities, dperm_error *err) {
  const size_t classes = model->classes.count;
  OWNED_MEMORY double *scores = NULL;
  dperm_loss made;
  const dperm_loss *loss = model_log_loss(model, &made);
  FAIL_IF(!loss, err, DPERM_UNSUPPORTED, "only logistic loss has probabilities; the model's is %s",
          model->loss);
  TRY(memory_new(data->x->rows * class_fits(classes), sizeof *scores, &scores, err));
  TRY(dperm_model_scores(model, data, scores, err));
  for (size_t i = 0; i < data->x->rows * classes; i++) {
    const double *row = scores + i / classes * class_fits(classes);
    probabilities[i] = model_probability(model, loss, row, i % classes);
  }
  return DPERM_OK;
}
