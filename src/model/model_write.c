/* A model as JSON, and its digest. Only public options and released numbers go in; the list is in
 * docs/formats.md, and tests/cli compare the keys of a written file with it. */
#include <math.h>
#include <sodium.h>
#include <stdio.h>

#include "base/memory.h"
#include "mechanism/delta_rule.h"
#include "model/model_file.h"

const char *const model_origin_names[3] = {"schema", "svmlight", "memory"};

static json_t *numbers_json(const double *numbers, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) {
    json_append(&array, json_real(numbers[i]));
  }
  return array;
}

/* Flat for two classes, else an array for each. */
static json_t *weights_json(const dperm_model *model) {
  size_t fits = class_fits(model->classes.count);
  json_t *array = fits == 1 ? numbers_json(model->weights, model->dims) : json_array();
  for (size_t m = 0; fits > 1 && m < fits; m++) {
    json_append(&array, numbers_json(model->weights + m * model->dims, model->dims));
  }
  return array;
}

static json_t *numerics_json(const release_plan *r, double delta) {
  if (r->sensitivity == 0) {
    return json_null();
  }
  return json_pack("{s:f, s:f, s:f, s:I, s:f, s:f}", "epsilon_core", r->epsilon.core, "epsilon_num",
                   ratio_value(r->epsilon.num), "lattice_step", ldexp(1, r->step_exponent),
                   "lattice_sensitivity", (json_int_t)r->sensitivity, "solution_error",
                   r->solution_error, "delta", delta);
}

json_t *block_weights_json(const noise_plan *noise) {
  OWNED_MEMORY double *weights = NULL;
  json_t *array = json_array();
  if (memory_new(body_count(&noise->body), sizeof *weights, &weights, NULL) != DPERM_OK) {
    json_decref(array);
    return NULL;
  }
  noise->kind->weights(noise, weights);
  for (size_t i = 0; i < body_count(&noise->body); i++) {
    const body_run *run = body_at(&noise->body, i);
    for (size_t g = 0; !isnan(weights[i]) && g < run->groups; g++) {
      json_append(&array, json_real(weights[i]));
    }
  }
  return array;
}

static json_t *privacy_json(const dperm_model *model) {
  const privacy_plan *plan = &model->plan;
  const noise_kind *kind = plan->noise.kind;
  const guarantee *claim = &model->claim;
  bool noisy = plan->mechanism != DPERM_MECHANISM_NONE;
  bool objective = plan->mechanism == DPERM_MECHANISM_OBJECTIVE;
  const double none = (double)NAN;
  json_t *object = json_pack("{s:s?, s:o, s:o}", "definition",
                             noisy ? "(epsilon, delta)-differential privacy" : NULL, "epsilon",
                             json_figure(claim->epsilon), "delta", json_figure(claim->delta));
  if (noisy && claim->shares[SHARE_SCHEMA] > 0) { /* refined schemas alone have these */
    json_set(&object, "epsilon_refined", json_real(claim->shares[SHARE_SCHEMA]));
    json_set(&object, "epsilon_charged", json_real(claim->epsilon_charged));
  }
  json_set(&object, "neighbours", json_string(neighbours_word(claim->neighbours)));
  json_set(&object, "unit", json_string(guarantee_unit(claim) == 1 ? "row" : "person"));
  json_set(&object, "rows_per_person", json_count(guarantee_unit(claim)));
  if (claim->person_rows > 0) { /* a reader that does not know the rule must refuse the file */
    json_set(&object, "person_rule", json_string(PERSON_RULE));
    json_set(&object, "person_rows", json_count(claim->person_rows));
  }
  json_set(&object, "epsilon_row", json_figure(claim->epsilon_row));
  if (noisy && model->classes.count > 2) {
    json_set(&object, "epsilon_class", json_real(claim->epsilon_class));
  }
  if (claim->composed.epsilon > 0) {
    json_set(&object, "composed", model_composed_json(&claim->composed));
  }
  json_set(&object, "mechanism", json_string(dperm_mechanism_name(plan->mechanism)));
  json_set(&object, "analysis",
           objective ? json_string(dperm_analysis_name(plan->analysis)) : json_null());
  json_set(&object, "noise", noisy ? json_string(kind->name) : json_null());
  json_set(&object, "noise_weight",
           json_figure(noisy && kind->weight ? kind->weight(&plan->noise) : none));
  if (noisy && kind->weights) {
    json_t *blocks = block_weights_json(&plan->noise);
    if (blocks && json_array_size(blocks) == 0) { /* noise that is shaped by no body */
      json_decref(blocks);
    } else {
      json_set(&object, "noise_weights", blocks);
    }
  }
  json_set(&object, "beta", json_figure(noisy ? plan->noise.beta : none));
  if (plan->mechanism == DPERM_MECHANISM_DESCENT) {
    json_set(&object, "descent",
             json_pack("{s:I, s:f, s:f}", "steps", (json_int_t)plan->descent.steps, "clip",
                       descent_clip, "deviation", ldexp(plan->descent.grid, GAUSSIAN_BITS)));
  }
  json_set(&object, "delta_reg", json_real(plan->delta_reg));
  json_set(&object, "lambda", json_real(plan->lambda));
  json_set(&object, "numerics", numerics_json(&model->release, claim->delta_numerics));
  return object;
}

static json_t *encoding_json(const dperm_model *model) {
  json_t *object = json_pack("{s:s, s:I, s:f}", "source", model_origin_names[model->origin], "dims",
                             (json_int_t)model->inputs, "norm", model->norm_bound);
  if (model->intercept != 0) {
    json_set(&object, "intercept", json_real(model->intercept));
  }
  return object;
}

static json_t *kernel_json(const dperm_model *model) {
  if (!model->map) {
    return json_null();
  }
  const dperm_kernel *k = &model->map->kernel;
  return json_pack("{s:s, s:f, s:I, s:s, s:I}", "name", dperm_kernel_name(k->kind), "gamma",
                   k->gamma, "features", (json_int_t)k->features, "kind",
                   feature_kind_name(model->map->kind), "seed", (json_int_t)k->seed);
}

static json_t *ledger_json(const dperm_model *model) {
  return model->ledger_entry == 0 ? json_null()
                                  : json_pack("{s:I, s:s}", "id", (json_int_t)model->ledger_entry,
                                              "digest", model->ledger_digest);
}

static json_t *model_json(const dperm_model *model) {
  char format[32];
  bool about = model->claim.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  (void)snprintf(format, sizeof format, MODEL_FORMAT_NAME "%d", MODEL_FORMAT_NUMBER);
  json_t *object = json_pack(
      "{s:s, s:b, s:s?, s:o, s:{s:s, s:o, s:o, s:o}, s:o, s:o}", "format", format, "private",
      dperm_model_is_private(model), "reason", model->reason, "privacy", privacy_json(model),
      "loss", "name", model->loss, "h", json_figure(model->loss_h), "lipschitz",
      json_figure(model->loss_lipschitz), "smoothness", json_figure(model->loss_smoothness), "rows",
      about ? json_null() : json_count(model->rows), "rows_fitted",
      about ? json_null() : json_count(model->rows_fitted));
  if (!isnan(model->loss_quantile)) {
    json_t *loss = json_object_get(object, "loss");
    json_set(&loss, "quantile", json_real(model->loss_quantile));
  }
  if (about) { /* the number is private, and these are figures near it */
    json_set(&object, "rows_about", json_count(model->rows));
    json_set(&object, "rows_about_fitted", json_count(model->rows_fitted));
  }
  json_set(&object, "selection", model->selection ? json_incref(model->selection) : json_null());
  json_set(&object, "ledger", ledger_json(model));
  json_set(&object, "classes", classes_json(&model->classes));
  if (label_range_known(model->range)) {
    json_set(&object, "label", label_range_json(model->range));
  }
  if (model->classes.count > 2) {
    json_set(&object, "multiclass",
             json_string(dperm_multiclass_name(model->joint ? DPERM_MULTICLASS_JOINT
                                                            : DPERM_MULTICLASS_ONE_VS_REST)));
  }
  if (model->class_weights) {
    json_set(&object, "class_weights", numbers_json(model->class_weights, model->classes.count));
  }
  for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    if (model->claim.shares[s] > 0) {
      json_set(&object, share_kinds[s].file, model_share_json(model, s));
    }
  }
  json_set(&object, "evaluation", model->evaluation ? json_incref(model->evaluation) : json_null());
  json_set(&object, "encoding", encoding_json(model));
  json_set(&object, "schema", model->schema ? json_incref(model->schema->json) : json_null());
  json_set(&object, "kernel", kernel_json(model));
  json_set(&object, "weights", weights_json(model));
  json_set(&object, "dperm_version", json_string(dperm_version()));
  return object;
}

static int add_piece(const char *text, size_t length, void *state) {
  return crypto_generichash_update(state, (const unsigned char *)text, length);
}

/* Short of memory, jansson leaves members out of a copy, and keys out of a text that it makes, and
 * says nothing: the copy is counted, and no text is made. */
dperm_status model_digest(const json_t *object, char out[DIGEST_TEXT_SIZE], dperm_error *err) {
  unsigned char hash[32];
  crypto_generichash_state state;
  json_auto_t *copy = json_copy((json_t *)object);
  bool whole = json_object_size(copy) == json_object_size(object);
  (void)json_object_del(copy, "digest");
  (void)crypto_generichash_init(&state, NULL, 0, sizeof hash);
  FAIL_IF(!whole ||
              json_dump_callback(copy, add_piece, &state,
                                 JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17)) != 0,
          err, DPERM_OUT_OF_MEMORY, "out of memory while digesting a model");
  (void)crypto_generichash_final(&state, hash, sizeof hash);
  (void)sodium_bin2hex(out, DIGEST_TEXT_SIZE, hash, sizeof hash);
  return DPERM_OK;
}

dperm_status model_content_digest(const dperm_model *model, char out[DPERM_DIGEST_SIZE],
                                  dperm_error *err) {
  if (model->digest[0]) { /* written by another version, it would read differently */
    memcpy(out, model->digest, DPERM_DIGEST_SIZE);
    return DPERM_OK;
  }
  json_auto_t *object = model_json(model);
  return model_digest(object, out, err);
}

dperm_status model_write_content(const dperm_model *model, output_file *out, dperm_error *err) {
  char digest[DIGEST_TEXT_SIZE];
  json_auto_t *object = model_json(model);
  TRY(model_digest(object, digest, err));
  FAIL_IF(json_object_set_new(object, "digest", json_string(digest)) != 0, err, DPERM_OUT_OF_MEMORY,
          "out of memory while writing a model");
  return json_write(object, false, out, err);
}
