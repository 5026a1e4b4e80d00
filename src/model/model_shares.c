/* What the shares of epsilon after a fit released: objects of a model's file, and their meaning for
 * the model. A model that was just made and one that was read take the same way. */

#include <math.h>

#include "base/memory.h"
#include "intervals/interval_design.h"
#include "loss/loss.h"
#include "mechanism/pair_table.h"
#include "mechanism/temperature.h"
#include "model/model_file.h"

/* One of the public grid, to the bit: as chosen; of a loss that has probabilities. */
static bool take_calibration(const json_t *stated, dperm_model *model) {
  const json_t *place = json_object_get(stated, "quarter_octaves");
  const json_t *grid = json_object_get(stated, "grid");
  const json_t *value = json_object_get(stated, "inverse_temperature");
  const loss_kind *kind = loss_kind_named(model->loss);
  json_int_t at = json_integer_value(place);
  model->inverse_temperature = json_number_value(value);
  return json_is_integer(place) && at >= TEMPERATURE_FIRST && at <= TEMPERATURE_LAST &&
         json_integer_value(json_array_get(grid, 0)) == TEMPERATURE_FIRST &&
         json_integer_value(json_array_get(grid, 1)) == TEMPERATURE_LAST &&
         json_array_size(grid) == 2 && json_is_number(value) &&
         temperature_at((size_t)(at - TEMPERATURE_FIRST)) == model->inverse_temperature && kind &&
         kind->joint && (model->classes.count == 2 || model->joint);
}

/* "a*b", which names of encoded columns are too, of the last cross; NULL for want of memory. */
static json_t *pair_json(const dperm_schema *schema) {
  const size_t *pair = schema->crosses[schema->cross_count - 1].columns;
  return json_sprintf("%s*%s", schema->columns[pair[0]].name, schema->columns[pair[1]].name);
}

/* One pair, which the schema has as its one cross after the fit; or none was left to choose. */
static bool take_pairs(const json_t *stated, dperm_model *model) {
  const json_t *pair = json_object_get(stated, "pair");
  const dperm_schema *schema = model->schema;
  if (json_is_null(pair) || !schema || schema->after_fit == 0) {
    return json_is_null(pair) && schema && schema->after_fit == 0;
  }
  json_auto_t *own = pair_json(schema);
  const schema_cross *last = &schema->crosses[schema->cross_count - 1];
  return own && json_equal(own, pair) && last->width == schema->after_fit &&
         model->classes.count == 2 && !model->map;
}

dperm_status model_add_pair(dperm_model *model, const dperm_schema *schema, const double *offsets,
                            json_t **released, dperm_error *err) {
  const schema_cross *cross = &schema->crosses[schema->cross_count - 1];
  const size_t parts = column_parts(&schema->columns[cross->columns[1]]), first = cross->first;
  double *weights = NULL;
  TRY(memory_new(schema->dims, sizeof *weights, &weights, err));
  for (size_t j = 0; j < schema->dims; j++) {
    const size_t cell = j - first;
    weights[j] = j < first             ? model->weights[j]
                 : cell < cross->width ? offsets[cell / parts * PAIR_PARTS + cell % parts]
                                       : model->weights[j - cross->width];
  }
  if (model->plan.noise.body.runs == model->schema->runs) { /* the same in both */
    model->plan.noise.body.runs = schema->runs;
  }
  free(model->weights);
  dperm_schema_free(model->schema);
  model->weights = weights;
  model->schema = schema_share(schema);
  model->inputs = model->dims = schema->dims;
  *released = json_pack("{s:o}", "pair", pair_json(schema));
  return DPERM_OK;
}

/* Three vectors of whole numbers, as long as the columns say, for a design that has intervals. */
static bool take_intervals(const json_t *stated, dperm_model *model) {
  OWNED(interval_design_clear) interval_design design = {0};
  dperm_loss loss;
  bool sound =
      model->schema && !model->map && model->classes.count <= 2 &&
      model_loss(model, &loss, NULL) == DPERM_OK &&
      interval_design_of(model->schema, &loss, model->rows_fitted, 1, &design, NULL) == DPERM_OK;
  for (interval_stage_id s = 0; sound && s < INTERVAL_STAGES; s++) {
    const json_t *list = json_object_get(stated, interval_keys[s]), *own;
    size_t i;
    sound = json_array_size(list) == interval_released(&design, s);
    json_array_foreach(list, i, own) {
      sound = sound && json_is_integer(own);
    }
  }
  return sound;
}

/* Whether the share can release such an object; what the library uses of it is taken over. */
static bool (*const takers[SHARE_COUNT])(const json_t *stated, dperm_model *model) = {
    [SHARE_CALIBRATION] = take_calibration,
    [SHARE_PAIRS] = take_pairs,
    [SHARE_INTERVALS] = take_intervals,
};

dperm_status model_take_share(dperm_model *model, share_id share, json_t *released,
                              dperm_error *err) {
  FAIL_IF(!released, err, DPERM_OUT_OF_MEMORY,
          "out of memory while stating what a share of epsilon released");
  FAIL_IF(!takers[share](released, model), err, DPERM_NUMERIC_ERROR,
          "what %s would release is not sound; nothing is released", share_kinds[share].option);
  json_decref(model->released[share]);
  model->released[share] = json_incref(released);
  return DPERM_OK;
}

json_t *model_share_value(const dperm_model *model, share_id share) {
  const json_t *released = model->released[share];
  return released ? json_incref(json_object_get(released, share_kinds[share].value))
                  : json_figure(share_kinds[share].without);
}

json_t *model_share_json(const dperm_model *model, share_id share) {
  json_t *object = json_object();
  const char *key;
  json_t *member;
  json_object_foreach(model->released[share], key, member) {
    json_set(&object, key, json_incref(member));
  }
  json_set(&object, "epsilon", json_real(model->claim.shares[share]));
  return object;
}

const share_kind *model_read_shares(const json_t *root, dperm_model *model) {
  model->inverse_temperature = 1;
  for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    json_t *stated = json_object_get(root, share_kinds[s].file);
    const json_t *epsilon = json_object_get(stated, "epsilon");
    double *share = &model->claim.shares[s];
    if (!stated) { /* files without one have no such key */
      continue;
    }
    *share = json_number_value(epsilon);
    bool counted = json_is_number(epsilon) && *share > 0 &&
                   *share < model->claim.epsilon; /* false without a mechanism */
    if (!counted || model_take_share(model, s, stated, NULL) != DPERM_OK) {
      return &share_kinds[s];
    }
  }
  bool added = model->schema && model->schema->after_fit > 0;
  return added && !model->released[SHARE_PAIRS] ? &share_kinds[SHARE_PAIRS] : NULL;
}

/* ---- what the schema's steps and the noise cost together, and within what all fits keep */

static json_t *way_json(const noise_way *way) {
  return json_pack("{s:f, s:f}", "kappa", way->kappa, "reach", way->reach);
}

static const char *const question_keys[QUESTIONS_MOST] = {"scale", "shape"};
static const char *const way_keys[NOISE_WAYS] = {"lines", "counted"};

json_t *model_composed_json(const composition *c) {
  json_t *object = json_object();
  for (size_t i = 0; i < QUESTIONS_MOST; i++) {
    if (c->questions[i].count > 0) {
      json_set(&object, question_keys[i], json_real(c->questions[i].epsilon));
    }
  }
  if (c->picks.count > 0) {
    json_set(&object, "pick_epsilon", json_real(c->picks.epsilon));
    json_set(&object, "picks", json_count(c->picks.count));
  }
  if (c->counts.count > 0) {
    json_set(&object, "count_epsilon", json_real(c->counts.epsilon));
    json_set(&object, "counts", json_count(c->counts.count));
  }
  for (size_t i = 0; i < NOISE_WAYS; i++) {
    if (c->ways[i].reach > 0) {
      json_set(&object, way_keys[i], way_json(&c->ways[i]));
    }
  }
  return object;
}

/* A number above zero, or 0 where there is none; else it is not whole. `*known` members so far. */
static double number_at(const json_t *object, const char *key, size_t *known, bool *whole) {
  const json_t *value = json_object_get(object, key);
  const double number = json_number_value(value);
  *known += value != NULL;
  *whole = *whole && (!value || (json_is_number(value) && number > 0));
  return number;
}

static bool read_composed(const json_t *privacy, const noise_kind *kind, guarantee *claim) {
  const json_t *object = json_object_get(privacy, "composed");
  composition *c = &claim->composed;
  bool whole = json_is_object(object) && kind->needs_delta;
  size_t known = 0;
  if (!object) {
    return true;
  }
  for (size_t i = 0; i < QUESTIONS_MOST; i++) {
    c->questions[i].epsilon = number_at(object, question_keys[i], &known, &whole);
    c->questions[i].count = c->questions[i].epsilon > 0;
  }
  c->picks.epsilon = number_at(object, "pick_epsilon", &known, &whole);
  const double picks = number_at(object, "picks", &known, &whole);
  c->counts.epsilon = number_at(object, "count_epsilon", &known, &whole);
  const double counts = number_at(object, "counts", &known, &whole);
  for (size_t i = 0; i < NOISE_WAYS; i++) {
    const json_t *way = json_object_get(object, way_keys[i]);
    size_t both = 0;
    c->ways[i].kappa = number_at(way, "kappa", &both, &whole);
    c->ways[i].reach = number_at(way, "reach", &both, &whole);
    known += way != NULL;
    whole = whole && (!way || (both == 2 && json_object_size(way) == 2));
  }
  c->epsilon = claim->epsilon_row;
  whole = whole && known == json_object_size(object) && counts <= STEPS_MOST &&
          counts == floor(counts) && picks <= STEPS_MOST && picks == floor(picks);
  c->picks.count = whole ? (size_t)picks : 0;
  c->counts.count = whole ? (size_t)counts : 0;
  return whole;
}

/* ---- the cost of a refined schema, as a file states it beside the schema itself */

/* All of epsilon was charged, or no less than the rest of it where another entry paid for the
 * refinement; sums are rounded to decimals of 50 bits. */
bool model_refined_fits(const json_t *privacy, dperm_model *model) {
  static const schema_refined none = {0};
  const schema_refined *refined = model->schema ? &model->schema->refined : &none;
  const json_t *stated = json_object_get(privacy, "epsilon_refined");
  const json_t *charged = json_object_get(privacy, "epsilon_charged");
  guarantee *claim = &model->claim;
  bool noisy = model->plan.mechanism != DPERM_MECHANISM_NONE;
  claim->epsilon_charged = claim->epsilon;
  if (!noisy || (refined->epsilon == 0 && !stated)) {
    return !json_object_get(privacy, "composed");
  }
  claim->epsilon_charged = json_number_value(charged);
  /* its own run knew the answer that led to it; other runs count the dearest */
  const double cost = claim->epsilon_charged < claim->epsilon
                          ? fmax(refined->epsilon, refined->later)
                          : refined->epsilon;
  claim->shares[SHARE_SCHEMA] = cost;
  return refined->epsilon > 0 && json_is_number(stated) && json_number_value(stated) == cost &&
         json_is_number(charged) && claim->epsilon_charged > 0 &&
         claim->epsilon_charged <= claim->epsilon &&
         claim->epsilon_charged >= claim->epsilon * (1 - 0x1p-40) - cost &&
         guarantee_unit(claim) == refined->rows_per_person &&
         claim->neighbours == refined->neighbours &&
         (refined->is_private || !guarantee_is_private(claim)) &&
         read_composed(privacy, model->plan.noise.kind, claim);
}
