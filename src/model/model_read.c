/* A model file back into a model, with every doubt refused: a wrong weight is worse than none. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/file_read.h"
#include "base/memory.h"
#include "base/text.h"
#include "loss/loss.h"
#include "mechanism/delta_rule.h"
#include "model/model_file.h"
#include "random/noise.h"

dperm_status model_document_read(const char *path, json_document *out, dperm_error *err) {
  char *text = NULL;
  *out = (json_document){.name = path_for_people(path), .blame = DPERM_INVALID_MODEL};
  TRY(file_read_all(path, MODEL_LIMIT, &text, &out->length, err));
  out->text = out->owned = text;
  return json_document_parse(out, err);
}

/* A file that is being read. */
typedef struct reading {
  const json_document *doc;
  const json_t *root, *privacy;
  dperm_error *err;
} reading;

/* ---- what must hold, and members */

/* Fails unless this `holds`: the file is damaged, in the way that `how` says. */
static dperm_status sound(const reading *r, bool holds, const char *how) {
  FAIL_IF(!holds, r->err, DPERM_INVALID_MODEL,
          "%s: damaged model, %s; get the file again or train anew", r->doc->name, how);
  return DPERM_OK;
}

/* Fails unless this dperm has what the file names. */
static dperm_status known(const reading *r, bool has, const char *what) {
  FAIL_IF(!has, r->err, DPERM_INVALID_MODEL,
          "%s: the model%s that this dperm (%s) does not have; install a newer one", r->doc->name,
          what, dperm_version());
  return DPERM_OK;
}

static bool same(const char *a, const char *b) {
  return a && b && strcmp(a, b) == 0;
}

/* A member that is there, and not null. */
static const json_t *given(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_null(value) ? NULL : value;
}

static dperm_status read_text(const reading *r, const json_t *value, const char *what, char **out) {
  TRY(sound(r, json_is_string(value), what));
  return memory_copy_text(json_string_value(value), json_string_length(value), out, r->err);
}

/* A number above one and at most the other. */
static bool number_within(const json_t *value, double above, double most, double *out) {
  *out = json_number_value(value);
  return json_is_number(value) && *out > above && *out <= most;
}

/* A member that must be a finite number above zero. */
static bool read_positive(const json_t *object, const char *key, double *out) {
  return number_within(json_object_get(object, key), 0, DBL_MAX, out);
}

/* A member that must be a whole number above zero. */
static bool read_count(const json_t *object, const char *key, size_t *out) {
  json_int_t value = json_integer_value(json_object_get(object, key));
  *out = (size_t)value;
  return value > 0 && (json_int_t)*out == value;
}

/* ---- the file as a whole */

static dperm_status check_format(const reading *r) {
  const char *format = json_text_at(r->root, "format");
  size_t prefix = strlen(MODEL_FORMAT_NAME), number = 0;
  FAIL_IF(!format || strncmp(format, MODEL_FORMAT_NAME, prefix) != 0 ||
              !parse_size(slice_of(format + prefix), 1000000, &number) || number == 0,
          r->err, DPERM_INVALID_MODEL, "%s: not a dperm model; name a file that dperm train wrote",
          r->doc->name);
  FAIL_IF(number > MODEL_FORMAT_NUMBER, r->err, DPERM_INVALID_MODEL,
          "%s: model format %zu is newer than this dperm (%s) knows; install a newer dperm",
          r->doc->name, number, dperm_version());
  return DPERM_OK;
}

/* ---- classes, encoding, kernel, weights */

static dperm_status read_classes(const reading *r, dperm_model *model) {
  const json_t *label = json_object_get(r->root, "label");
  if (label) { /* a regression has none, and the range of its label instead */
    return sound(r, model_read_label(r->root, model),
                 "the range of its label is not clear, not that of its schema, or its loss is not "
                 "for numbers");
  }
  const json_t *classes = json_object_get(r->root, "classes");
  const class_list *expected = model->schema ? &model->schema->classes : NULL;
  size_t count = json_array_size(classes);
  TRY(sound(r, count >= 2 && count <= CLASSES_MOST && (!expected || count == expected->count),
            "its classes are too few, or not those of its schema"));
  TRY(class_list_new(count, &model->classes, r->err));
  for (size_t i = 0; i < count; i++) {
    TRY(read_text(r, json_array_get(classes, i), "a class has no name", &model->classes.names[i]));
  }
  TRY(sound(r, class_list_repeated(&model->classes) == count, "two classes have one name"));
  return sound(r, !expected || class_list_equal(&model->classes, expected),
               "its classes are not those of its schema, in the same order");
}

/* How its classes were learned; files from before they could be learned jointly do not say. */
static bool model_multiclass_fits(const json_t *root, dperm_model *model) {
  const json_t *stated = json_object_get(root, "multiclass");
  const char *name = json_string_value(stated);
  const loss_kind *kind = loss_kind_named(model->loss);
  model->joint = same(name, dperm_multiclass_name(DPERM_MULTICLASS_JOINT));
  bool known = model->joint || same(name, dperm_multiclass_name(DPERM_MULTICLASS_ONE_VS_REST));
  return (!stated || (known && model->classes.count > 2)) &&
         (!model->joint || (kind && kind->joint));
}

/* As mechanism/privacy_plan.c makes it: a vector for each class, or one for all weights. */
static void model_shape_noise(dperm_model *model) {
  noise_plan *noise = &model->plan.noise;
  bool objective = model->plan.mechanism == DPERM_MECHANISM_OBJECTIVE;
  noise->copies = model->joint && objective ? model->classes.count : 1;
  const size_t dims = model_fitted(model);
  noise->dims = model->joint && !objective ? model->classes.count * dims : dims;
}

/* Weights of classes, where there are any: none above 1 (docs/proofs/weights.md). */
static dperm_status read_class_weights(const reading *r, dperm_model *model) {
  const json_t *list = json_object_get(r->root, "class_weights");
  size_t count = model->classes.count;
  if (!list) {
    return DPERM_OK;
  }
  TRY(sound(r, json_array_size(list) == count, "its class weights are not one for each class"));
  TRY(memory_new(count, sizeof *model->class_weights, &model->class_weights, r->err));
  for (size_t i = 0; i < count; i++) {
    TRY(sound(r, number_within(json_array_get(list, i), 0, 1, &model->class_weights[i]),
              "a class weight is not a number above 0 and at most 1"));
  }
  return DPERM_OK;
}

/* Classes of a schema that are an object take their order from it, which a program that sorts the
 * keys of a file has lost: the file's own list of names has it too. */
static dperm_status order_classes(const reading *r, const json_t *schema) {
  const json_t *names = json_object_get(r->root, "classes");
  json_t *label = json_object_get(schema, "label"), *classes = json_object_get(label, "classes");
  if (!json_is_object(classes) || json_object_size(classes) != json_array_size(names)) {
    return DPERM_OK;
  }
  json_t *ordered = json_object(); /* as many members, unless a name is none of them */
  for (size_t i = 0; i < json_array_size(names); i++) {
    const char *name = json_string_value(json_array_get(names, i));
    if (name && json_object_get(classes, name)) {
      TRY(json_put(ordered, name, json_incref(json_object_get(classes, name)), r->err));
    }
  }
  return json_put(label, "classes", ordered, r->err);
}

static dperm_status read_encoding(const reading *r, dperm_model *model) {
  const json_t *encoding = json_object_get(r->root, "encoding");
  const json_t *constant = json_object_get(encoding, "intercept");
  json_t *schema = json_object_get(r->root, "schema");
  size_t origin = 0;
  while (origin < 3 && !same(json_text_at(encoding, "source"), model_origin_names[origin])) {
    origin++;
  }
  TRY(sound(r, origin < 3 && (origin == ORIGIN_SCHEMA) == json_is_object(schema),
            "its encoding is not clear"));
  model->origin = (data_origin)origin;
  TRY(sound(r, read_positive(encoding, "norm", &model->norm_bound),
            "its norm bound is not a positive number"));
  model->intercept = json_number_value(constant);
  bool clear = !constant || (origin == ORIGIN_MEMORY && model->intercept != 0 &&
                             fabs(model->intercept) <= model->norm_bound);
  TRY(sound(r, clear, "its constant column is not clear"));
  if (json_is_object(schema)) {
    TRY(order_classes(r, schema));
    TRY(schema_from_json(schema, r->doc->name, &model->schema, r->err));
    TRY(schema_check_resolved(model->schema, r->err));
    const size_t most = model->schema->person == NO_PERSON ? 0 : model->schema->person_rows;
    const bool noisy = model->plan.mechanism != DPERM_MECHANISM_NONE;
    TRY(sound(r, !model->schema->person_added && (!noisy || model->claim.person_rows == most),
              "its schema tells persons apart by no column, or not as its claim says"));
  }
  bool fits = read_count(encoding, "dims", &model->inputs) && model->inputs <= INT32_MAX &&
              (!model->schema || model->inputs == model->schema->dims);
  return sound(r, fits, "its number of columns does not fit its encoding");
}

/* What a file says of its kernel, before its directions are drawn. */
typedef struct stated_kernel {
  dperm_kernel kernel;
  feature_kind kind;
} stated_kernel;

/* The kernel's public numbers. */
static dperm_status read_kernel(const reading *r, const dperm_model *model, stated_kernel *out) {
  const json_t *object = given(r->root, "kernel"), *weights = json_object_get(r->root, "weights");
  if (!object) {
    return DPERM_OK;
  }
  const char *name = json_text_at(object, "name"), *kind = json_text_at(object, "kind");
  const json_t *fit = model->classes.count > 2 ? json_array_get(weights, 0) : weights;
  json_int_t seed = json_integer_value(json_object_get(object, "seed"));
  stated_kernel k = {.kernel = {.kind = DPERM_KERNEL_GAUSSIAN, .seed = (uint64_t)seed}};
  dperm_kernel *kernel = &k.kernel;
  while (kernel->kind <= DPERM_KERNEL_CAUCHY && !same(name, dperm_kernel_name(kernel->kind))) {
    kernel->kind++;
  }
  TRY(known(r, kernel->kind <= DPERM_KERNEL_CAUCHY, " names a kernel"));
  TRY(known(r, !kind || feature_kind_find(kind, &k.kind), "'s directions are of a kind"));
  kernel->independent = k.kind == FEATURES_IID;
  bool whole = kind && seed >= 0 && !(model->schema && model->schema->after_fit) &&
               read_count(object, "features", &kernel->features) && kernel->features >= 2 &&
               kernel->features == json_array_size(fit) &&
               read_positive(object, "gamma", &kernel->gamma);
  TRY(sound(r, whole, "its kernel is not whole"));
  if (k.kind == FEATURES_ORTHOGONAL && kernel->kind != DPERM_KERNEL_GAUSSIAN) {
    k.kind = FEATURES_IID; /* as 0.1 read it */
  }
  *out = k;
  return sound(r, kernel_validate_kind(kernel, k.kind, model->inputs, NULL) == DPERM_OK,
               "its kernel is out of range");
}

/* A flat array for two classes, else one for each. */
static dperm_status read_weights(const reading *r, const dperm_kernel *kernel, dperm_model *model) {
  const json_t *weights = json_object_get(r->root, "weights");
  size_t fits = class_fits(model->classes.count), dims = kernel_dims(kernel, model->inputs);
  bool fit = fits == 1 || json_array_size(weights) == fits;
  for (size_t m = 0; fit && m < fits; m++) {
    fit = json_array_size(fits == 1 ? weights : json_array_get(weights, m)) == dims;
  }
  TRY(sound(r, fit, "the number of weights does not fit its encoding"));
  model->dims = dims;
  TRY(memory_new(fits * dims, sizeof *model->weights, &model->weights, r->err));
  for (size_t i = 0; i < fits * dims; i++) {
    const json_t *list = fits == 1 ? weights : json_array_get(weights, i / dims);
    fit = number_within(json_array_get(list, i % dims), -INFINITY, DBL_MAX, &model->weights[i]);
    TRY(sound(r, fit, "a weight is not a number"));
  }
  return DPERM_OK;
}

/* ---- the claim */

/* Epsilon and the noise, for a model that claims some. */
static dperm_status read_noise(const reading *r, dperm_model *model) {
  const char *kind = json_text_at(r->privacy, "noise"),
             *analysis = json_text_at(r->privacy, "analysis");
  privacy_plan *plan = &model->plan;
  plan->noise.kind = kind ? noise_named(kind) : NULL;
  TRY(known(r, plan->noise.kind, " names a kind of noise"));
  if (plan->noise.kind->before && !json_object_get(r->privacy, "noise_weights")) {
    plan->noise.kind = plan->noise.kind->before;
  }
  plan->analysis = same(analysis, dperm_analysis_name(DPERM_ANALYSIS_PAPER)) ? DPERM_ANALYSIS_PAPER
                                                                             : DPERM_ANALYSIS_TIGHT;
  bool whole = (plan->mechanism != DPERM_MECHANISM_OBJECTIVE ||
                same(analysis, dperm_analysis_name(plan->analysis))) &&
               read_positive(r->privacy, "epsilon", &model->claim.epsilon) &&
               read_positive(r->privacy, "beta", &plan->noise.beta);
  if (plan->mechanism == DPERM_MECHANISM_DESCENT) {
    const json_t *descent = json_object_get(r->privacy, "descent");
    double clip = 0;
    whole = whole && read_count(descent, "steps", &plan->descent.steps) &&
            plan->descent.steps <= DESCENT_STEPS_MOST && read_positive(descent, "clip", &clip) &&
            clip == descent_clip && read_positive(descent, "deviation", &plan->descent.grid);
    plan->descent.grid = ldexp(plan->descent.grid, -GAUSSIAN_BITS);
  }
  return sound(r, whole, "its privacy block is not whole");
}

/* What the release promised; a model that was not released has none. */
static dperm_status read_numerics(const reading *r, const json_t *numerics, dperm_model *model) {
  release_plan *out = &model->release;
  double num = 0, step = 0;
  size_t sensitivity = 0;
  bool whole = read_positive(numerics, "epsilon_core", &out->epsilon.core) &&
               read_positive(numerics, "epsilon_num", &num) &&
               read_positive(numerics, "lattice_step", &step) &&
               read_count(numerics, "lattice_sensitivity", &sensitivity) &&
               read_positive(numerics, "solution_error", &out->solution_error) &&
               read_positive(numerics, "delta", &model->claim.delta_numerics) &&
               frexp(step, &out->step_exponent) == 0.5 && ratio_value(ratio_below(num)) == num;
  TRY(sound(r, whole, "its numerics block is not whole"));
  out->step_exponent--;
  out->epsilon.num = ratio_below(num);
  out->sensitivity = sensitivity;
  model->plan.epsilon = out->epsilon.core;
  /* The first files say 0 where the numerics' delta is what is proved. */
  model->claim.delta =
      fmax(model->claim.delta_numerics, json_number_value(json_object_get(r->privacy, "delta")));
  return sound(r, model->claim.delta < 1, "its delta says nothing");
}

/* Which data sets are neighbours, and how many rows there were: a number, or one near it. */
static dperm_status read_rows(const reading *r, dperm_model *model) {
  const char *word = json_text_at(r->privacy, "neighbours");
  bool about = same(word, neighbours_word(DPERM_NEIGHBOURS_ADD_REMOVE));
  TRY(known(r, !word || about || same(word, neighbours_word(DPERM_NEIGHBOURS_REPLACE)),
            " is private for neighbours"));
  model->claim.neighbours = about ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE;
  model->plan.neighbours = model->claim.neighbours;
  bool counted =
      read_count(r->root, about ? "rows_about" : "rows", &model->rows) &&
      read_count(r->root, about ? "rows_about_fitted" : "rows_fitted", &model->rows_fitted);
  bool silent = !about || (!given(r->root, "rows") && !given(r->root, "rows_fitted"));
  return sound(r, counted && silent, "its number of rows is not a positive number");
}

/* For whom the claim is: for one row, unless the file says a person with several. */
static dperm_status read_unit(const reading *r, dperm_model *model) {
  const json_t *rows = json_object_get(r->privacy, "rows_per_person");
  const char *unit = json_text_at(r->privacy, "unit");
  bool noisy = model->plan.mechanism != DPERM_MECHANISM_NONE;
  bool persons = json_is_integer(rows) && json_integer_value(rows) == 0,
       ruled = same(json_text_at(r->privacy, "person_rule"), PERSON_RULE);
  guarantee *claim = &model->claim;
  claim->rows_per_person = rows && !persons ? (size_t)json_integer_value(rows) : 1;
  claim->epsilon_row = claim->epsilon;
  bool whole = claim->rows_per_person >= 1 && (!rows || json_is_integer(rows)) &&
               persons == ruled &&
               (!persons || read_count(r->privacy, "person_rows", &claim->person_rows)) &&
               claim->person_rows <= PERSON_ROWS_MOST &&
               same(unit ? unit : "row", guarantee_unit(claim) == 1 ? "row" : "person");
  if (noisy && json_object_get(r->privacy, "epsilon_row")) {
    whole = read_positive(r->privacy, "epsilon_row", &claim->epsilon_row) && whole;
  }
  claim->epsilon_fit = claim->epsilon_class = claim->epsilon_row;
  return sound(r, whole, "its unit of privacy is not clear");
}

/* The reservation in a ledger that paid for it. */
static dperm_status read_ledger(const reading *r, dperm_model *model) {
  const json_t *ledger = given(r->root, "ledger");
  const char *digest = json_text_at(ledger, "digest");
  size_t id = 0;
  if (!ledger) {
    return DPERM_OK;
  }
  TRY(sound(r, read_count(ledger, "id", &id) && digest && strlen(digest) == DPERM_DIGEST_SIZE - 1,
            "its ledger entry is not whole"));
  model->ledger_entry = id;
  memcpy(model->ledger_digest, digest, DPERM_DIGEST_SIZE);
  return DPERM_OK;
}

static dperm_status read_claim(const reading *r, dperm_model *model) {
  const json_t *stamp = json_object_get(r->root, "private");
  const char *name = json_text_at(r->privacy, "mechanism");
  privacy_plan *plan = &model->plan;
  int kind = DPERM_MECHANISM_OBJECTIVE;
  while (name && kind <= DPERM_MECHANISM_DESCENT &&
         !same(name, dperm_mechanism_name((dperm_mechanism)kind))) {
    kind++;
  }
  TRY(known(r, kind <= DPERM_MECHANISM_DESCENT, " names a privacy mechanism"));
  plan->mechanism = (dperm_mechanism)kind;
  plan->delta_reg = json_number_value(json_object_get(r->privacy, "delta_reg"));
  model->claim = guarantee_of_file(json_is_true(stamp));
  bool claims_too_much =
      json_is_true(stamp) && (given(r->root, "reason") || kind == DPERM_MECHANISM_NONE);
  bool whole = name && json_is_boolean(stamp) && !claims_too_much &&
               read_positive(r->privacy, "lambda", &plan->lambda) && plan->delta_reg >= 0;
  TRY(sound(r, whole, "its privacy block is not whole"));
  if (kind != DPERM_MECHANISM_NONE) {
    TRY(read_noise(r, model));
    TRY(read_numerics(r, json_object_get(r->privacy, "numerics"), model));
  }
  TRY(read_unit(r, model));
  TRY(read_ledger(r, model));
  return json_is_true(stamp) ? DPERM_OK
                             : read_text(r, json_object_get(r->root, "reason"),
                                         "it does not say why it is not private", &model->reason);
}

/* Weights follow from the schema and are stated all the same, for readers that do not know how. */
static dperm_status check_noise_weights(const reading *r, const noise_plan *noise) {
  const json_t *one = json_object_get(r->privacy, "noise_weight");
  const json_t *blocks = json_object_get(r->privacy, "noise_weights");
  bool fits = true;
  if (noise->kind && noise->kind->weight) {
    double t = noise->kind->weight(noise);
    fits = isnan(t) ? noise->kind->weights && json_is_null(one)
                    : json_is_number(one) && json_number_value(one) == t;
  }
  if (noise->kind && noise->kind->weights) {
    json_auto_t *expected = block_weights_json(noise);
    FAIL_IF(!expected, r->err, DPERM_OUT_OF_MEMORY, "%s: out of memory; close other programs",
            r->doc->name);
    fits = fits && (json_array_size(expected) > 0 ? json_equal(blocks, expected) : !blocks);
  }
  return sound(r, fits, "its noise does not fit its schema");
}

/* ---- all of it */

/* The constants of our own losses follow from their names; the first files left them out. */
static dperm_status read_loss(const reading *r, dperm_model *model) {
  const json_t *loss = json_object_get(r->root, "loss"), *h = json_object_get(loss, "h");
  dperm_loss own;
  TRY(read_text(r, json_object_get(loss, "name"), "its loss has no name", &model->loss));
  model->loss_h = json_is_number(h) ? json_number_value(h) : (double)NAN;
  TRY(sound(r, model_read_quantile(loss, model), "the quantile of its loss is not clear"));
  if (!json_object_get(loss, "lipschitz") && !json_object_get(loss, "smoothness") &&
      dperm_loss_by_name(model->loss, model->loss_h, &own, NULL) == DPERM_OK) {
    model->loss_lipschitz = own.lipschitz;
    model->loss_smoothness = own.smoothness;
    return DPERM_OK;
  }
  bool has = read_positive(loss, "lipschitz", &model->loss_lipschitz) &&
             read_positive(loss, "smoothness", &model->loss_smoothness);
  return sound(r, has, "its loss has no constants");
}

/* All but the directions of the kernel. */
static dperm_status read_model(const reading *r, dperm_model *model, stated_kernel *k) {
  json_t *selection = json_object_get(r->root, "selection");
  TRY(check_format(r));
  TRY(model_digest(r->root, model->digest, r->err));
  TRY(sound(r, same(json_text_at(r->root, "digest"), model->digest),
            "its digest does not fit its content"));
  TRY(read_claim(r, model));
  TRY(read_loss(r, model));
  TRY(read_rows(r, model));
  TRY(read_encoding(r, model));
  TRY(sound(r, model_refined_fits(r->privacy, model),
            "its claim does not count what refining its schema cost"));
  TRY(read_classes(r, model));
  TRY(sound(r, model_multiclass_fits(r->root, model),
            "it does not say how its classes were learned, or its loss cannot learn them so"));
  const share_kind *unclear = model_read_shares(r->root, model);
  if (unclear) {
    char how[64];
    (void)snprintf(how, sizeof how, "its %s is not clear", unclear->file);
    return sound(r, false, how);
  }
  char doubt[128];
  TRY(sound(r, model_read_evaluation(r->root, model, doubt, sizeof doubt), doubt));
  TRY(read_class_weights(r, model));
  bool several = model->classes.count > 2 && model->plan.mechanism != DPERM_MECHANISM_NONE;
  TRY(sound(r, !several || read_positive(r->privacy, "epsilon_class", &model->claim.epsilon_class),
            "it does not say what each class has of epsilon"));
  TRY(read_kernel(r, model, k));
  model->selection = json_is_object(selection) ? json_incref(selection) : NULL;
  TRY(read_weights(r, &k->kernel, model));
  model_shape_noise(model);
  const row_bounds rows =
      model->schema ? model->schema->bounds : row_bounds_of_norm(model->inputs, model->norm_bound);
  model->plan.noise.body =
      model->plan.mechanism == DPERM_MECHANISM_OBJECTIVE
          ? kernel_bounds(&k->kernel, &rows).body
          : row_bounds_of_norm(model_fitted(model), 1).body; /* a ball's noise */
  return check_noise_weights(r, &model->plan.noise);
}

/* With the directions of its kernel, which are drawn again from its seed, where there is a place
 * for the model; else it is checked alone. */
dperm_status model_of_document(const json_document *doc, dperm_model **out, dperm_error *err) {
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  stated_kernel k = {.kernel = {.kind = DPERM_KERNEL_NONE}};
  const reading r = {doc, doc->root, json_object_get(doc->root, "privacy"), err};
  TRY(memory_new(1, sizeof *model, &model, err));
  TRY(read_model(&r, model, &k));
  if (out && k.kernel.kind != DPERM_KERNEL_NONE) {
    TRY(feature_map_draw(&k.kernel, k.kind, model->inputs, NULL, &model->map, err));
  }
  if (out) {
    *out = TAKE(model);
  }
  return DPERM_OK;
}

dperm_status dperm_model_read(const char *path, dperm_model **out, dperm_error *err) {
  OWNED(json_document_free) json_document doc = {0};
  TRY(model_document_read(path, &doc, err));
  return model_of_document(&doc, out, err);
}

dperm_status dperm_model_parse(const char *text, size_t length, const char *name, dperm_model **out,
                               dperm_error *err) {
  FAIL_IF(length > MODEL_LIMIT, err, DPERM_INVALID_MODEL, "%s: too long for a model", name);
  OWNED(json_document_free)
  json_document doc = {.name = name, .text = text, .length = length, .blame = DPERM_INVALID_MODEL};
  TRY(json_document_parse(&doc, err));
  return model_of_document(&doc, out, err);
}
