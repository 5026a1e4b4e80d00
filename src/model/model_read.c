/* A model file back into a model, with every doubt refused: a wrong weight is worse than none. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_read.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/text.h"
#include "mechanism/mechanism.h"
#include "model/model_file.h"
#include "random/noise.h"

enum { MODEL_LIMIT = 1 << 30 };

dperm_status model_document_read(const char *path, json_document *out, dperm_error *err) {
  char *text = NULL;
  *out = (json_document){.name = path_for_people(path), .blame = DPERM_INVALID_MODEL};
  TRY(file_read_all(path, MODEL_LIMIT, &text, &out->length, err));
  out->text = out->owned = text;
  return json_document_parse(out, err);
}

void model_document_free(json_document *doc) {
  json_decref(doc->root);
  free(doc->owned);
  *doc = (json_document){0};
}

static dperm_status fail_damaged(const json_document *doc, const char *what, dperm_error *err) {
  FAIL(err, DPERM_INVALID_MODEL, "%s: damaged model, %s; get the file again or train anew",
       doc->name, what);
}

static dperm_status fail_unknown(const json_document *doc, const char *what, dperm_error *err) {
  FAIL(err, DPERM_INVALID_MODEL,
       "%s: the model%s that this dperm (%s) does not have; install a newer one", doc->name, what,
       dperm_version());
}

static const char *text_at(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

static dperm_status check_format(const json_document *doc, dperm_error *err) {
  const char *format = text_at(doc->root, "format");
  size_t prefix = strlen(MODEL_FORMAT_NAME), number = 0;
  if (!format || strncmp(format, MODEL_FORMAT_NAME, prefix) != 0 ||
      !parse_size(slice_of(format + prefix), 1000000, &number) || number == 0) {
    FAIL(err, DPERM_INVALID_MODEL, "%s: not a dperm model; name a file that dperm train wrote",
         doc->name);
  }
  if (number > MODEL_FORMAT_NUMBER) {
    FAIL(err, DPERM_INVALID_MODEL,
         "%s: model format %zu is newer than this dperm (%s) knows; install a newer dperm",
         doc->name, number, dperm_version());
  }
  return DPERM_OK;
}

static dperm_status check_digest(const json_document *doc, char digest[DIGEST_TEXT_SIZE],
                                 dperm_error *err) {
  const char *written = text_at(doc->root, "digest");
  TRY(model_digest(doc->root, digest, err));
  if (!written || strcmp(written, digest) != 0) {
    return fail_damaged(doc, "its digest does not fit its content", err);
  }
  return DPERM_OK;
}

static dperm_status read_text(const json_document *doc, const json_t *value, const char *what,
                              char **out, dperm_error *err) {
  if (!json_is_string(value)) {
    return fail_damaged(doc, what, err);
  }
  return memory_copy_text(json_string_value(value), json_string_length(value), out, err);
}

/* A member that must be a finite number above zero. */
static bool read_positive(const json_t *object, const char *key, double *out) {
  const json_t *value = json_object_get(object, key);
  *out = json_number_value(value);
  return json_is_number(value) && *out > 0 && isfinite(*out);
}

/* A member that must be a whole number above zero. */
static bool read_count(const json_t *object, const char *key, size_t *out) {
  json_int_t value = json_integer_value(json_object_get(object, key));
  *out = (size_t)value;
  return value > 0;
}

static dperm_status read_classes(const json_document *doc, dperm_model *model, dperm_error *err) {
  const json_t *classes = json_object_get(doc->root, "classes");
  size_t count = json_array_size(classes);
  if (count < 2 || count > CLASSES_MOST ||
      (model->schema && count != model->schema->classes.count)) {
    return fail_damaged(doc, "its classes are too few, or not those of its schema", err);
  }
  TRY(class_list_new(count, &model->classes, err));
  for (size_t i = 0; i < count; i++) {
    TRY(read_text(doc, json_array_get(classes, i), "a class has no name", &model->classes.names[i],
                  err));
  }
  if (class_list_repeated(&model->classes) < count) {
    return fail_damaged(doc, "two classes have one name", err);
  }
  if (model->schema && !class_list_equal(&model->classes, &model->schema->classes)) {
    return fail_damaged(doc, "its classes are not those of its schema, in the same order", err);
  }
  return DPERM_OK;
}

/* Weights of classes, where there are any: none above 1 (docs/proofs/weights.md). */
static dperm_status read_class_weights(const json_document *doc, dperm_model *model,
                                       dperm_error *err) {
  const json_t *list = json_object_get(doc->root, "class_weights");
  size_t count = model->classes.count;
  if (!list) {
    return DPERM_OK;
  }
  if (json_array_size(list) != count) {
    return fail_damaged(doc, "its class weights are not one for each class", err);
  }
  TRY(memory_new(count, sizeof *model->class_weights, &model->class_weights, err));
  for (size_t i = 0; i < count; i++) {
    const json_t *weight = json_array_get(list, i);
    model->class_weights[i] = json_number_value(weight);
    if (!json_is_number(weight) || !(model->class_weights[i] > 0 && model->class_weights[i] <= 1)) {
      return fail_damaged(doc, "a class weight is not a number above 0 and at most 1", err);
    }
  }
  return DPERM_OK;
}

/* Programs that write JSON again may sort keys: classes that are an object in the schema get the
 * order of the model's own again. Names that do not fit are for read_classes to find. */
static dperm_status order_classes(const json_document *doc, const json_t *schema,
                                  dperm_error *err) {
  const json_t *names = json_object_get(doc->root, "classes");
  json_t *label = json_object_get(schema, "label"), *classes = json_object_get(label, "classes");
  if (!json_is_object(classes) || json_object_size(classes) != json_array_size(names)) {
    return DPERM_OK;
  }
  json_t *ordered = json_object();
  bool good = ordered != NULL;
  for (size_t i = 0; good && i < json_array_size(names); i++) {
    const char *name = json_string_value(json_array_get(names, i));
    json_t *value = name ? json_object_get(classes, name) : NULL;
    good = !value || json_object_set(ordered, name, value) == 0;
  }
  if (good && json_object_size(ordered) == json_object_size(classes)) {
    good = json_object_set(label, "classes", ordered) == 0;
  }
  json_decref(ordered);
  return good ? DPERM_OK
              : error_set(err, DPERM_OUT_OF_MEMORY, "%s: out of memory; close other programs",
                          doc->name);
}

/* A flat array for two classes, else one for each. */
static dperm_status read_weights(const json_document *doc, const dperm_kernel *kernel,
                                 dperm_model *model, dperm_error *err) {
  const json_t *weights = json_object_get(doc->root, "weights");
  size_t fits = class_fits(model->classes.count);
  bool fit = fits == 1 || json_array_size(weights) == fits;
  model->dims = kernel_dims(kernel, model->inputs);
  for (size_t m = 0; fit && m < fits; m++) {
    fit = json_array_size(fits == 1 ? weights : json_array_get(weights, m)) == model->dims;
  }
  if (!fit) {
    return fail_damaged(doc, "the number of weights does not fit its encoding", err);
  }
  TRY(memory_new(fits * model->dims, sizeof *model->weights, &model->weights, err));
  for (size_t i = 0; i < fits * model->dims; i++) {
    const json_t *list = fits == 1 ? weights : json_array_get(weights, i / model->dims);
    const json_t *weight = json_array_get(list, i % model->dims);
    model->weights[i] = json_number_value(weight);
    if (!json_is_number(weight) || !isfinite(model->weights[i])) {
      return fail_damaged(doc, "a weight is not a number", err);
    }
  }
  return DPERM_OK;
}

static dperm_status read_encoding(const json_document *doc, dperm_model *model, dperm_error *err) {
  const json_t *encoding = json_object_get(doc->root, "encoding");
  const char *source = text_at(encoding, "source");
  json_t *schema = json_object_get(doc->root, "schema");
  size_t origin = 0;
  while (origin < 3 && (!source || strcmp(source, model_origin_names[origin]) != 0)) {
    origin++;
  }
  if (origin == 3 || (origin == ORIGIN_SCHEMA) != json_is_object(schema)) {
    return fail_damaged(doc, "its encoding is not clear", err);
  }
  model->origin = (data_origin)origin;
  if (!read_positive(encoding, "norm", &model->norm_bound)) {
    return fail_damaged(doc, "its norm bound is not a positive number", err);
  }
  const json_t *constant = json_object_get(encoding, "intercept");
  model->intercept = json_number_value(constant);
  if (constant && (origin != ORIGIN_MEMORY || !json_is_number(constant) || model->intercept == 0 ||
                   fabs(model->intercept) > model->norm_bound)) {
    return fail_damaged(doc, "its constant column is not clear", err);
  }
  if (json_is_object(schema)) {
    TRY(order_classes(doc, schema, err));
    TRY(schema_from_json(schema, doc->name, &model->schema, err));
  }
  if (!read_count(encoding, "dims", &model->inputs) || model->inputs > INT32_MAX ||
      (model->schema && model->inputs != model->schema->dims)) {
    return fail_damaged(doc, "its number of columns does not fit its encoding", err);
  }
  return DPERM_OK;
}

/* What a file says of its kernel, before its directions are drawn. */
typedef struct stated_kernel {
  dperm_kernel kernel;
  feature_kind kind;
} stated_kernel;

/* The kernel's public numbers. */
static dperm_status read_kernel(const json_document *doc, const dperm_model *model,
                                stated_kernel *out, dperm_error *err) {
  const json_t *object = json_object_get(doc->root, "kernel");
  if (!object || json_is_null(object)) {
    return DPERM_OK;
  }
  const char *name = text_at(object, "name"), *kind = text_at(object, "kind");
  const json_t *weights = json_object_get(doc->root, "weights");
  const json_t *fit = model->classes.count > 2 ? json_array_get(weights, 0) : weights;
  json_int_t seed = json_integer_value(json_object_get(object, "seed"));
  stated_kernel k = {.kernel = {.name = DPERM_KERNEL_GAUSSIAN}, .kind = FEATURES_IID};
  dperm_kernel *kernel = &k.kernel;
  while (name && kernel->name <= DPERM_KERNEL_CAUCHY &&
         strcmp(name, dperm_kernel_name(kernel->name)) != 0) {
    kernel->name++;
  }
  if (!name || kernel->name > DPERM_KERNEL_CAUCHY) {
    return fail_unknown(doc, " names a kernel", err);
  }
  if (kind && !feature_kind_find(kind, &k.kind)) {
    return fail_unknown(doc, "'s directions are of a kind", err);
  }
  kernel->independent = k.kind == FEATURES_IID;
  kernel->seed = (uint64_t)seed;
  if (!kind || seed < 0 || !read_count(object, "features", &kernel->features) ||
      kernel->features < 2 || kernel->features != json_array_size(fit) ||
      !read_positive(object, "gamma", &kernel->gamma)) {
    return fail_damaged(doc, "its kernel is not whole", err);
  }
  if (k.kind == FEATURES_ORTHOGONAL && kernel->name != DPERM_KERNEL_GAUSSIAN) {
    k.kind = FEATURES_IID; /* as 0.1 read it */
  }
  if (kernel_validate_kind(kernel, k.kind, model->inputs, NULL) != DPERM_OK) {
    return fail_damaged(doc, "its kernel is out of range", err);
  }
  *out = k;
  return DPERM_OK;
}

/* Epsilon and the noise, for a model that claims some. */
static dperm_status read_noise(const json_document *doc, const json_t *privacy, privacy_plan *plan,
                               double *epsilon, dperm_error *err) {
  const char *kind = text_at(privacy, "noise");
  const char *analysis = text_at(privacy, "analysis");
  bool objective = plan->mechanism == DPERM_MECHANISM_OBJECTIVE;
  plan->noise.kind = kind ? noise_named(kind) : NULL;
  if (!plan->noise.kind) {
    return fail_unknown(doc, " names a kind of noise", err);
  }
  plan->analysis = analysis && strcmp(analysis, dperm_analysis_name(DPERM_ANALYSIS_PAPER)) == 0
                       ? DPERM_ANALYSIS_PAPER
                       : DPERM_ANALYSIS_TIGHT;
  bool known =
      !objective || (analysis && strcmp(analysis, dperm_analysis_name(plan->analysis)) == 0);
  if (!known || !read_positive(privacy, "epsilon", epsilon) ||
      !read_positive(privacy, "beta", &plan->noise.beta)) {
    return fail_damaged(doc, "its privacy block is not whole", err);
  }
  return DPERM_OK;
}

/* What the release promised; a model that was not released has none. */
static dperm_status read_numerics(const json_document *doc, const json_t *numerics,
                                  release_plan *out, double *delta, dperm_error *err) {
  double num = 0, step = 0;
  size_t sensitivity = 0;
  bool whole = read_positive(numerics, "epsilon_core", &out->epsilon.core) &&
               read_positive(numerics, "epsilon_num", &num) &&
               read_positive(numerics, "lattice_step", &step) &&
               read_count(numerics, "lattice_sensitivity", &sensitivity) &&
               read_positive(numerics, "solution_error", &out->solution_error) &&
               read_positive(numerics, "delta", delta);
  if (!whole || frexp(step, &out->step_exponent) != 0.5 || ratio_value(ratio_below(num)) != num) {
    return fail_damaged(doc, "its numerics block is not whole", err);
  }
  out->step_exponent--;
  out->epsilon.num = ratio_below(num);
  out->sensitivity = sensitivity;
  return DPERM_OK;
}

/* For whom the claim is: for one row, unless the file says a person with several. */
static dperm_status read_unit(const json_document *doc, const json_t *privacy, dperm_model *model,
                              dperm_error *err) {
  const json_t *rows = json_object_get(privacy, "rows_per_person");
  const char *unit = text_at(privacy, "unit");
  bool noisy = model->plan.mechanism != DPERM_MECHANISM_NONE;
  guarantee *claim = &model->claim;
  claim->rows_per_person = rows ? (size_t)json_integer_value(rows) : 1;
  claim->epsilon_row = claim->epsilon;
  bool whole = claim->rows_per_person >= 1 && (!rows || json_is_integer(rows)) &&
               strcmp(unit ? unit : "row", claim->rows_per_person > 1 ? "person" : "row") == 0;
  if (noisy && json_object_get(privacy, "epsilon_row")) {
    whole = read_positive(privacy, "epsilon_row", &claim->epsilon_row) && whole;
  }
  claim->epsilon_fit = claim->epsilon_class = claim->epsilon_row;
  return whole ? DPERM_OK : fail_damaged(doc, "its unit of privacy is not clear", err);
}

/* The reservation in a ledger that paid for it. */
static dperm_status read_ledger(const json_document *doc, dperm_model *model, dperm_error *err) {
  const json_t *ledger = json_object_get(doc->root, "ledger");
  const char *digest = text_at(ledger, "digest");
  size_t id = 0;
  if (!ledger || json_is_null(ledger)) {
    return DPERM_OK;
  }
  if (!read_count(ledger, "id", &id) || !digest || strlen(digest) != DPERM_DIGEST_SIZE - 1) {
    return fail_damaged(doc, "its ledger entry is not whole", err);
  }
  model->ledger_entry = id;
  memcpy(model->ledger_digest, digest, DPERM_DIGEST_SIZE);
  return DPERM_OK;
}

static dperm_status read_claim(const json_document *doc, dperm_model *model, dperm_error *err) {
  const json_t *is_private = json_object_get(doc->root, "private");
  const json_t *privacy = json_object_get(doc->root, "privacy");
  const json_t *delta_reg = json_object_get(privacy, "delta_reg");
  const char *name = text_at(privacy, "mechanism");
  privacy_plan *plan = &model->plan;
  int kind = DPERM_MECHANISM_OBJECTIVE;
  while (name && kind <= DPERM_MECHANISM_NONE &&
         strcmp(name, mechanism_of((dperm_mechanism)kind)->name) != 0) {
    kind++;
  }
  if (kind > DPERM_MECHANISM_NONE) {
    return fail_unknown(doc, " names a privacy mechanism", err);
  }
  plan->mechanism = (dperm_mechanism)kind;
  plan->delta_reg = json_number_value(delta_reg);
  model->claim = guarantee_of_file(json_is_true(is_private));
  const json_t *reason = json_object_get(doc->root, "reason");
  bool claims_too_much = json_is_true(is_private) && ((reason && !json_is_null(reason)) ||
                                                      plan->mechanism == DPERM_MECHANISM_NONE);
  if (!name || !json_is_boolean(is_private) || claims_too_much ||
      !read_positive(privacy, "lambda", &plan->lambda) || !(plan->delta_reg >= 0)) {
    return fail_damaged(doc, "its privacy block is not whole", err);
  }
  if (plan->mechanism != DPERM_MECHANISM_NONE) {
    TRY(read_noise(doc, privacy, plan, &model->claim.epsilon, err));
    TRY(read_numerics(doc, json_object_get(privacy, "numerics"), &model->release,
                      &model->claim.delta, err));
    plan->epsilon = model->release.epsilon.core;
  }
  TRY(read_unit(doc, privacy, model, err));
  TRY(read_ledger(doc, model, err));
  return json_is_true(is_private)
             ? DPERM_OK
             : read_text(doc, json_object_get(doc->root, "reason"),
                         "it does not say why it is not private", &model->reason, err);
}

/* What each fit had of epsilon, where there are several classes. */
static dperm_status read_share(const json_document *doc, dperm_model *model, dperm_error *err) {
  const json_t *privacy = json_object_get(doc->root, "privacy");
  bool several = model->classes.count > 2 && model->plan.mechanism != DPERM_MECHANISM_NONE;
  return !several || read_positive(privacy, "epsilon_class", &model->claim.epsilon_class)
             ? DPERM_OK
             : fail_damaged(doc, "it does not say what each class has of epsilon", err);
}

/* t follows from the schema and is stated all the same, for readers that do not know how. */
static dperm_status check_weight(const json_document *doc, const dperm_model *model,
                                 dperm_error *err) {
  const json_t *privacy = json_object_get(doc->root, "privacy");
  const noise_plan *noise = &model->plan.noise;
  double stated = 0;
  if (noise->kind && noise->kind->weight &&
      (!read_positive(privacy, "noise_weight", &stated) || stated != noise->kind->weight(noise))) {
    return fail_damaged(doc, "its noise does not fit its schema", err);
  }
  return DPERM_OK;
}

/* The constants of our own losses follow from their names; the first files left them out. */
static dperm_status read_loss(const json_document *doc, dperm_model *model, dperm_error *err) {
  const json_t *loss = json_object_get(doc->root, "loss");
  const json_t *h = json_object_get(loss, "h");
  dperm_loss own;
  TRY(read_text(doc, json_object_get(loss, "name"), "its loss has no name", &model->loss, err));
  model->loss_h = json_is_number(h) ? json_number_value(h) : (double)NAN;
  if (!json_object_get(loss, "lipschitz") && !json_object_get(loss, "smoothness") &&
      dperm_loss_by_name(model->loss, model->loss_h, &own, NULL) == DPERM_OK) {
    model->loss_lipschitz = own.lipschitz;
    model->loss_smoothness = own.smoothness;
    return DPERM_OK;
  }
  return read_positive(loss, "lipschitz", &model->loss_lipschitz) &&
                 read_positive(loss, "smoothness", &model->loss_smoothness)
             ? DPERM_OK
             : fail_damaged(doc, "its loss has no constants", err);
}

/* All but the directions of the kernel. */
static dperm_status read_model(const json_document *doc, dperm_model *model, stated_kernel *k,
                               dperm_error *err) {
  TRY(check_format(doc, err));
  TRY(check_digest(doc, model->digest, err));
  TRY(read_claim(doc, model, err));
  TRY(read_loss(doc, model, err));
  if (!read_count(doc->root, "rows", &model->rows) ||
      !read_count(doc->root, "rows_fitted", &model->rows_fitted)) {
    return fail_damaged(doc, "its number of rows is not a positive number", err);
  }
  TRY(read_encoding(doc, model, err));
  TRY(read_classes(doc, model, err));
  TRY(read_class_weights(doc, model, err));
  TRY(read_share(doc, model, err));
  TRY(read_kernel(doc, model, k, err));
  json_t *selection = json_object_get(doc->root, "selection");
  model->selection = json_is_object(selection) ? json_incref(selection) : NULL;
  TRY(read_weights(doc, &k->kernel, model, err));
  model->plan.noise.dims = model->dims;
  const row_bounds rows =
      model->schema ? model->schema->bounds : row_bounds_of_norm(model->inputs, model->norm_bound);
  model->plan.noise.body = kernel_bounds(&k->kernel, &rows).body;
  return check_weight(doc, model, err);
}

/* `usable`: with the directions of its kernel, which are drawn again from its seed. */
static dperm_status model_of_document(const json_document *doc, bool usable, dperm_model **out,
                                      dperm_error *err) {
  dperm_status status = DPERM_OK;
  dperm_model *model = NULL;
  stated_kernel k = {.kernel = {.name = DPERM_KERNEL_NONE}};
  TRY_OR_DONE(memory_new(1, sizeof *model, &model, err));
  TRY_OR_DONE(read_model(doc, model, &k, err));
  if (usable && k.kernel.name != DPERM_KERNEL_NONE) {
    TRY_OR_DONE(feature_map_draw(&k.kernel, k.kind, model->inputs, NULL, &model->map, err));
  }
  *out = model;
  model = NULL;
done:
  dperm_model_free(model);
  return status;
}

dperm_status model_check_document(const json_document *doc, dperm_error *err) {
  dperm_model *model = NULL;
  dperm_status status = model_of_document(doc, false, &model, err);
  dperm_model_free(model);
  return status;
}

dperm_status dperm_model_read(const char *path, dperm_model **out, dperm_error *err) {
  json_document doc;
  dperm_status status = model_document_read(path, &doc, err);
  if (status == DPERM_OK) {
    status = model_of_document(&doc, true, out, err);
  }
  model_document_free(&doc);
  return status;
}

dperm_status dperm_model_parse(const char *text, size_t length, const char *name, dperm_model **out,
                               dperm_error *err) {
  json_document doc = {.name = name, .text = text, .length = length, .blame = DPERM_INVALID_MODEL};
  if (length > MODEL_LIMIT) {
    FAIL(err, DPERM_INVALID_MODEL, "%s: too long for a model", name);
  }
  dperm_status status = json_document_parse(&doc, err);
  if (status == DPERM_OK) {
    status = model_of_document(&doc, true, out, err);
  }
  model_document_free(&doc);
  return status;
}
