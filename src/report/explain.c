/* dperm_model_explain: what each part of a model adds to a record's score, on the scale of the
 * records, with the noise in it (weight_noise.h). It repeats and computes from the model alone. */
#include "dperm/explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/functions.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/explain_intervals.h"
#include "report/explain_words.h"
#include "report/weight_noise.h"

static const char *const verdicts[] = {[WEIGHT_GREY] = "grey",
                                       [WEIGHT_STANDS] = "stands out",
                                       [WEIGHT_BEYOND] = "beyond the noise",
                                       [WEIGHT_NO_NOISE] = "no noise",
                                       [WEIGHT_UNKNOWN] = "not examined"};

/* Of what is not grey; only what was compared with noise counts as examined. */
typedef struct tally {
  size_t examined, standing, beyond;
} tally;

typedef struct explained {
  const dperm_model *model;
  const weight_noise *noise;
  const weight_parts *parts;
  size_t fit;
  tally *all;
  double unit; /* of a score: 1, or of a regression half the label's range */
} explained;

/* ---- one weight */

static json_t *level_json(const explained *e, const weight_part *part, size_t j, json_t *name) {
  const size_t at = e->fit * e->noise->dims + j;
  const double share = weight_noise_share(e->noise, part, e->fit, j);
  json_t *out = json_object();
  json_set(&out, "name", name);
  json_set(&out, "weight", json_figure(e->model->weights[at]));
  json_set(&out, "effect", json_figure(e->unit * part->entry * e->noise->value[at]));
  json_set(&out, "noise", json_figure(e->unit * part->entry * e->noise->estimate[at]));
  json_set(&out, "verdict", json_string(verdicts[weight_noise_verdict(e->noise, part, e->fit, j)]));
  json_set(&out, "share_needed", json_figure(share));
  return out;
}

/* ---- columns: every one has a list of levels, some a line */

typedef struct column_of_parts {
  json_t *json, *levels;
  double squares; /* of the effects that stand out */
  size_t count, standing;
} column_of_parts;

static void count_level(const explained *e, const weight_part *part, size_t j, double effect,
                        column_of_parts *column) {
  const weight_verdict verdict = weight_noise_verdict(e->noise, part, e->fit, j);
  const bool examined = verdict != WEIGHT_NO_NOISE && verdict != WEIGHT_UNKNOWN,
             stands = verdict == WEIGHT_STANDS || verdict == WEIGHT_BEYOND;
  column->squares += verdict == WEIGHT_GREY ? 0 : effect * effect;
  column->standing += stands;
  column->count += part->kind != PART_MISSING;
  e->all->examined += examined;
  e->all->standing += stands;
  e->all->beyond += verdict == WEIGHT_BEYOND;
}

static void add_level(const explained *e, const weight_part *part, size_t j, json_t *level,
                      column_of_parts *column) {
  const double effect = e->unit * part->entry * e->noise->value[e->fit * e->noise->dims + j];
  count_level(e, part, j, effect, column);
  json_append(&column->levels, level);
}

/* A line's effect is that of the whole range, from its lower end to its upper one. */
static void add_line(const explained *e, const weight_part *part, column_of_parts *column) {
  const dperm_schema *schema = e->model->schema;
  const schema_column *c = schema ? &schema->columns[part->source] : NULL;
  const double ends[2] = {c ? column_transformed(c, c->min) : -part->entry,
                          c ? column_transformed(c, c->max) : part->entry},
               half = c ? c->half : part->entry, range = (ends[1] - ends[0]) / half;
  const bool log = c && c->transform == TRANSFORM_LOG1P;
  weight_part whole = *part;
  whole.entry *= range;
  json_t *line = level_json(e, &whole, part->first, json_string("line"));
  const double effect =
      e->unit * whole.entry * e->noise->value[e->fit * e->noise->dims + part->first];
  json_set(&line, "low", json_figure(c ? c->min : ends[0]));
  json_set(&line, "high", json_figure(c ? c->max : ends[1]));
  json_set(&line, "transform", log ? json_string("log1p") : json_null());
  json_set(&line, log ? "per_doubling" : "per_unit",
           json_figure(effect / (ends[1] - ends[0]) * (log ? math_log1p(1) : 1)));
  count_level(e, part, part->first, effect / sqrt(12), column);
  json_set(&column->json, "line", line);
}

/* To six digits, for people. */
static void short_number(double value, char out[DOUBLE_TEXT_SIZE]) {
  const double places = 5 - floor(math_log10(fabs(value)));
  double by = 1;
  for (double left = fabs(places); left > 0 && isfinite(by); left--) {
    by *= 10; /* exact up to 10^22 */
  }
  const double rounded = places > 0 ? rint(value * by) / by : rint(value / by) * by;
  (void)format_double(isfinite(rounded) ? rounded : value, false, out);
}

static void add_cells(const explained *e, const weight_part *part, column_of_parts *column) {
  const schema_column *c = &e->model->schema->columns[part->source];
  for (size_t i = 0; i < part->count; i++) {
    char name[2 * DOUBLE_TEXT_SIZE + 8], low[DOUBLE_TEXT_SIZE], high[DOUBLE_TEXT_SIZE];
    const double from = i > 0 ? c->cuts[i - 1] : c->min,
                 to = i < c->cut_count ? c->cuts[i] : c->max;
    short_number(from, low);
    short_number(to, high);
    (void)snprintf(name, sizeof name, "%s to %s", low, high);
    json_t *level = level_json(e, part, part->first + i, json_string(name));
    json_set(&level, "low", json_figure(from));
    json_set(&level, "high", json_figure(to));
    add_level(e, part, part->first + i, level, column);
  }
}

static void add_categories(const explained *e, const weight_part *part, column_of_parts *column) {
  const dperm_schema *schema = e->model->schema;
  const schema_column *c = &schema->columns[part->source];
  json_t *given = json_array_get(json_object_get(schema->json, "columns"), part->source);
  for (size_t i = 0; i < part->count; i++) {
    const size_t skipped = c->reference != LOOKUP_NONE && i >= (size_t)c->reference;
    const char *name = c->categories.names[i + skipped];
    json_t *level = level_json(e, part, part->first + i, json_string(name));
    json_t *members = json_object_get(json_object_get(given, "groups"), name);
    if (json_is_array(members)) {
      json_set(&level, "values", json_incref(members));
    }
    add_level(e, part, part->first + i, level, column);
  }
  if (c->reference != LOOKUP_NONE) {
    json_set(&column->json, "reference", json_string(c->categories.names[c->reference]));
  }
}

static dperm_status place_json(const dperm_schema *schema, const schema_cross *cross, size_t which,
                               size_t place, json_t **out, dperm_error *err) {
  OWNED_MEMORY char *name = NULL;
  const size_t length = schema_cross_name(schema, cross, which, place, NULL, 0);
  TRY(memory_new(length + 1, 1, &name, err));
  (void)schema_cross_name(schema, cross, which, place, name, length + 1);
  *out = json_string(name);
  return DPERM_OK;
}

/* Each has the two values that it is of, the second column's within the first's. */
static dperm_status add_pairs(const explained *e, const weight_part *part, column_of_parts *column,
                              dperm_error *err) {
  const dperm_schema *schema = e->model->schema;
  const schema_cross *cross = &schema->crosses[part->source];
  const size_t each = schema_cross_parts(schema, cross, 1);
  for (size_t i = 0; i < part->count; i++) {
    json_auto_t *first = NULL, *second = NULL;
    const size_t j = part->first + i;
    TRY(place_json(schema, cross, 0, i / each, &first, err));
    TRY(place_json(schema, cross, 1, i % each, &second, err));
    json_t *name = json_sprintf("%s and %s", json_string_value(first), json_string_value(second)),
           *level = level_json(e, part, j, name);
    json_set(&level, "of", json_pack("[O, O]", first, second));
    add_level(e, part, j, level, column);
  }
  return DPERM_OK;
}

static json_t *line_name(const explained *e, const weight_part *part) {
  char name[32];
  (void)snprintf(name, sizeof name, "column %zu", part->source + 1);
  return e->model->schema ? json_string(e->model->schema->columns[part->source].name)
                          : json_string(name);
}

static const char *const kinds[] = {
    [PART_LINE] = "line",   [PART_CELLS] = "cells",     [PART_CATEGORIES] = "categories",
    [PART_PAIRS] = "pairs", [PART_AFTER_FIT] = "pairs", [PART_MISSING] = "missing",
    [PART_INTERCEPT] = "",
};

static void name_column(const explained *e, const weight_part *part, column_of_parts *column) {
  const dperm_schema *schema = e->model->schema;
  if (part->kind == PART_PAIRS || part->kind == PART_AFTER_FIT) {
    const size_t *of = schema->crosses[part->source].columns;
    const char *a = schema->columns[of[0]].name, *b = schema->columns[of[1]].name;
    json_set(&column->json, "name", json_sprintf("%s and %s", a, b));
    json_set(&column->json, "columns", json_pack("[s, s]", a, b));
  } else {
    json_set(&column->json, "name", line_name(e, part));
  }
  json_set(&column->json, "kind", json_string(kinds[part->kind]));
  json_set(&column->json, "first", json_count(part->first));
}

static dperm_status add_part(const explained *e, const weight_part *part, column_of_parts *column,
                             dperm_error *err) {
  json_t *missing = NULL;
  if (part->compared) {
    const size_t at = e->fit * e->parts->count + (size_t)(part - e->parts->list);
    json_set(&column->json, "no_value", json_figure(-e->unit * part->entry * e->noise->centre[at]));
  }
  switch (part->kind) {
  case PART_LINE:
    add_line(e, part, column);
    return DPERM_OK;
  case PART_CELLS:
    json_set(&column->json, "kind", json_string(kinds[PART_CELLS])); /* also with a line */
    add_cells(e, part, column);
    return DPERM_OK;
  case PART_CATEGORIES:
    add_categories(e, part, column);
    return DPERM_OK;
  case PART_MISSING:
    missing = level_json(e, part, part->first, json_string("(missing)"));
    add_level(e, part, part->first, missing, column);
    return DPERM_OK;
  default:
    return add_pairs(e, part, column, err);
  }
}

/* ---- all columns of a fit, in order of what stands out */

typedef struct ranked {
  json_t *json;
  double strength;
  size_t place;
} ranked;

static int in_rank(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  if (x->strength > y->strength || x->strength < y->strength) {
    return x->strength > y->strength ? -1 : 1;
  }
  return x->place < y->place ? -1 : x->place > y->place;
}

static bool same_column(const weight_part *a, const weight_part *b) {
  return a->source == b->source && a->kind < PART_PAIRS &&
         (b->kind < PART_PAIRS || b->kind == PART_MISSING);
}

/* The column that begins with part i; the number of its parts. */
static dperm_status make_column(const explained *e, size_t i, ranked *out, size_t *parts,
                                dperm_error *err) {
  const weight_part *first = &e->parts->list[i], *end = e->parts->list + e->parts->count;
  column_of_parts column = {.json = json_object(), .levels = json_array()};
  dperm_status status = DPERM_OK;
  name_column(e, first, &column);
  const weight_part *part = first;
  do {
    status = add_part(e, part, &column, err);
    part++;
  } while (status == DPERM_OK && part < end && same_column(first, part));
  const double strength = sqrt(column.squares / (double)(column.count > 0 ? column.count : 1));
  json_set(&column.json, "strength", json_figure(strength));
  json_set(&column.json, "standing_out", json_count(column.standing));
  json_set(&column.json, "levels", column.levels);
  *parts = (size_t)(part - first);
  *out = (ranked){column.json, isfinite(strength) ? strength : 0, i};
  return status;
}

static dperm_status columns_json(const explained *e, json_t **out, dperm_error *err) {
  OWNED_MEMORY ranked *list = NULL;
  size_t count = 0;
  dperm_status status = DPERM_OK;
  *out = NULL;
  TRY(memory_new(e->parts->count, sizeof *list, &list, err));
  for (size_t i = 0, parts = 1; status == DPERM_OK && i < e->parts->count; i += parts) {
    parts = 1;
    if (e->parts->list[i].kind != PART_INTERCEPT) {
      status = make_column(e, i, &list[count++], &parts, err);
    }
  }
  qsort(list, count, sizeof *list, in_rank);
  *out = json_array();
  for (size_t i = 0; i < count; i++) {
    json_append(out, list[i].json);
  }
  return status;
}

/* Without an intercept the centres of the parts still add something to every row. */
static json_t *intercept_json(const explained *e) {
  const weight_part *last = e->parts->list + e->parts->count - 1;
  double constant = 0;
  if (e->parts->count > 0 && last->kind == PART_INTERCEPT) {
    return level_json(e, last, last->first, json_string("(intercept)"));
  }
  for (size_t p = 0; p < e->parts->count; p++) {
    const weight_part *part = &e->parts->list[p];
    constant +=
        part->compared ? e->unit * part->entry * e->noise->centre[e->fit * e->parts->count + p] : 0;
  }
  return json_pack("{s:s, s:n, s:o, s:n, s:s, s:n}", "name", "(constant)", "weight", "effect",
                   json_figure(constant), "noise", "verdict", verdicts[WEIGHT_UNKNOWN],
                   "share_needed");
}

/* What a score speaks for: a class, or a regression's label. */
static const char *output_name(const explained *e) {
  const class_list *classes = &e->model->classes;
  const dperm_schema *schema = e->model->schema;
  return classes->count > 2    ? classes->names[e->fit]
         : classes->count == 2 ? classes->names[1]
         : schema              ? schema->label_column
                               : "label";
}

static dperm_status outputs_json(explained *e, json_t **out, dperm_error *err) {
  *out = json_array();
  for (e->fit = 0; e->fit < e->noise->fits; e->fit++) {
    json_t *columns = NULL, *output = json_object();
    dperm_status status = columns_json(e, &columns, err);
    json_set(&output, "class", json_string(output_name(e)));
    json_set(&output, "intercept", intercept_json(e));
    json_set(&output, "columns", columns);
    json_append(out, output);
    TRY(status);
  }
  return DPERM_OK;
}

/* ---- the whole */

static json_t *head_json(const dperm_model *model) {
  const bool noisy = model->plan.mechanism != DPERM_MECHANISM_NONE,
             counted = model->plan.neighbours == DPERM_NEIGHBOURS_REPLACE;
  dperm_loss made;
  json_t *out = json_object();
  json_set(&out, "private", json_boolean(dperm_model_is_private(model)));
  json_set(&out, "epsilon", noisy ? json_figure(model->claim.epsilon) : json_null());
  json_set(&out, "mechanism", json_string(dperm_mechanism_name(model->plan.mechanism)));
  json_set(&out, "noise", noisy ? json_string(model->plan.noise.kind->name) : json_null());
  json_set(&out, "loss", json_string(model->loss));
  json_set(&out, counted ? "rows" : "rows_about", json_count(model->rows));
  json_set(&out, "classes", classes_json(&model->classes));
  json_set(&out, "scale",
           json_string(model_of_counts(model)            ? "log of the mean"
                       : label_range_known(model->range) ? "value"
                       : model_log_loss(model, &made)    ? "log-odds"
                                                         : "score"));
  json_set(&out, "label", label_range_json(model->range));
  json_set(&out, "inverse_temperature", json_figure(model->inverse_temperature));
  return out;
}

static dperm_status explain_weights(const dperm_model *model, json_t **out, dperm_error *err) {
  OWNED(weight_parts_free) weight_parts parts = {0};
  OWNED(weight_noise_free) weight_noise noise = {0};
  tally all = {0};
  json_t *outputs = NULL;
  TRY(weight_parts_of(model, &parts, err));
  TRY(weight_noise_of(model, &parts, &noise, err));
  const bool numbers = label_range_known(model->range);
  explained e = {model,  &noise,
                 &parts, 0,
                 &all,   numbers && !model_of_counts(model) ? label_range_half(model->range) : 1};
  json_t *intervals = NULL;
  dperm_status status = outputs_json(&e, &outputs, err);
  status = status == DPERM_OK ? explain_intervals(model, e.unit, &intervals, err) : status;
  json_set(out, "weights", json_count(noise.fits * noise.dims));
  json_set(out, "examined", json_count(all.examined));
  json_set(out, "standing_out", json_count(all.standing));
  json_set(out, "beyond_the_noise", json_count(all.beyond));
  json_set(out, "deviations", json_figure(weight_noise_multiple));
  json_set(out, "outputs", outputs);
  if (intervals) {
    json_set(out, "intervals", intervals);
  }
  return status;
}

dperm_status dperm_model_explain(const dperm_model *model, char **json, dperm_error *err) {
  json_t *out = head_json(model);
  dperm_status status = DPERM_OK;
  *json = NULL;
  if (!model->map) {
    status = explain_weights(model, &out, err);
  }
  json_set(&out, "assumed", explain_assumed(model));
  json_set(&out, "not_examined", explain_not_examined(model));
  if (status != DPERM_OK) {
    json_decref(out);
    return status;
  }
  return json_give(out, json, err);
}
