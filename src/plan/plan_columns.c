/* What each column of a schema costs, from public numbers. A column that is
 * left out, or has half its values, makes another schema; its noise is planned as the first one's
 * was. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/memory.h"
#include "loss/loss.h"
#include "plan/planned.h"
#include "random/noise.h"
#include "run/options.h"
#include "schema/auto_bins.h"

enum { PLANNED_MOST = 100 };

typedef struct advice {
  const dperm_schema *schema;
  dperm_options options; /* at the plan's lambda and delta_reg */
  size_t rows;
  guarantee claim; /* with what a fit has of it: epsilon_class is NaN without a mechanism */
  double rms;      /* of the plan's noise; NaN without */
  column_plan *columns;
  size_t count;
} advice;

/* ---- other schemas */

/* Without crosses that have this column. */
static void leave_crosses(json_t **root, const char *name) {
  json_t *crosses = json_object_get(*root, "crosses"), *kept = json_array(), *cross;
  size_t i;
  json_array_foreach(crosses, i, cross) {
    const json_t *pair = json_is_object(cross) ? json_object_get(cross, "columns") : cross;
    if (strcmp(json_string_value(json_array_get(pair, 0)), name) != 0 &&
        strcmp(json_string_value(json_array_get(pair, 1)), name) != 0) {
      json_append(&kept, json_incref(cross));
    }
  }
  json_set(root, "crosses", kept);
}

/* Half of a list of values or cuts, of which there is one less than bins, or of some groups. */
static json_t *half_of(json_t *given, bool cuts) {
  json_t *half = json_is_array(given) ? json_array() : json_object(), *value;
  const char *key;
  for (size_t i = cuts; i < json_array_size(given); i += 2) {
    (void)json_array_append(half, json_array_get(given, i));
  }
  json_object_foreach(given, key, value) {
    if (json_object_size(half) < (json_object_size(given) + 1) / 2) {
      (void)json_object_set(half, key, value);
    }
  }
  return half;
}

/* The column with half as many values; NULL where it has too few. Which ones go makes no difference
 * to the noise. */
static json_t *halved_column(const schema_column *column, json_t *object) {
  json_t *copy = json_copy(object), *bins = json_object_get(object, "bins");
  const json_t *values = json_object_get(object, "values");
  size_t levels = column->binned ? column_bins(column) : column->categories.count;
  if (levels < 4) {
    json_decref(copy);
    return NULL;
  }
  (void)json_object_del(copy, "reference"); /* one value less at most, as it has */
  if (json_is_integer(bins)) {
    (void)json_object_set_new(copy, "bins", json_integer(json_integer_value(bins) / 2));
  } else {
    const char *key = bins ? "bins" : values ? "values" : "groups";
    (void)json_object_set_new(copy, key, half_of(json_object_get(object, key), bins));
  }
  return copy;
}

/* A schema without item `at` of a list ("columns", "crosses"), or with `item`, which is taken over,
 * in its place, and for a column without its crosses. Fails where it is none. */
static dperm_status edited(const dperm_schema *schema, const char *key, size_t at, json_t *item,
                           bool uncrossed, dperm_schema **out, dperm_error *err) {
  json_auto_t *root = json_copy(schema->json);
  json_t *list = json_copy(json_object_get(schema->json, key));
  int failed = item ? json_array_set_new(list, at, item) : json_array_remove(list, at);
  json_set(&root, key, list);
  if (uncrossed) {
    leave_crosses(&root, schema->columns[at].name);
  }
  if (failed || !root) {
    FAIL(err, DPERM_OUT_OF_MEMORY, "out of memory while planning");
  }
  return schema_from_json(root, "schema", out, err);
}

/* ---- their noise */

/* The noise of a fit under a schema. */
static dperm_status plan_noise(const advice *a, const dperm_schema *schema, privacy_plan *out,
                               dperm_error *err) {
  const dperm_loss loss = options_loss(&a->options, schema->classes.count);
  const public_numbers given =
      fit_numbers(&a->options, &loss, &a->claim, a->rows, schema->dims, &schema->bounds);
  return privacy_plan_make(&given, out, err);
}

/* The rms norm under this schema over the plan's; NaN where there is no such schema or plan. */
static double relative(const advice *a, dperm_status made, dperm_schema *const *schema) {
  privacy_plan plan;
  return made == DPERM_OK && plan_noise(a, *schema, &plan, NULL) == DPERM_OK
             ? noise_rms_norm(&plan.noise) / a->rms
             : (double)NAN;
}

static void plan_without(const advice *a, column_plan *p) {
  OWNED(dperm_schema_free_at) dperm_schema *less = NULL;
  if (p->column == a->schema->column_count) {
    p->without =
        relative(a, edited(a->schema, "crosses", p->cross, NULL, false, &less, NULL), &less);
    return;
  }
  json_t *left =
      json_pack("{s:s, s:s}", "name", a->schema->columns[p->column].name, "type", "ignore");
  p->without = relative(a, edited(a->schema, "columns", p->column, left, true, &less, NULL), &less);
}

static void plan_halved(const advice *a, column_plan *p) {
  OWNED(dperm_schema_free_at) dperm_schema *less = NULL;
  const json_t *list = json_object_get(a->schema->json, "columns");
  json_t *half =
      p->column < a->schema->column_count
          ? halved_column(&a->schema->columns[p->column], json_array_get(list, p->column))
          : NULL;
  if (half) {
    p->halved =
        relative(a, edited(a->schema, "columns", p->column, half, false, &less, NULL), &less);
  }
}

/* ---- shares */

/* What the encoded columns from `first` on have of the noise. */
static double share_of(const noise_body *body, const double *shares, size_t first, size_t width) {
  double sum = 0;
  for (size_t i = 0, at = 0; i < body_count(body); i++) {
    const body_run *run = body_at(body, i);
    size_t end = at + run->groups * run->width, last = first + width;
    size_t from = at > first ? at : first, to = end < last ? end : last;
    sum += from < to ? (double)(to - from) * shares[i] : 0;
    at = end;
  }
  return sum;
}

static dperm_status find_shares(const advice *a, const noise_plan *noise, dperm_error *err) {
  const dperm_schema *schema = a->schema;
  const noise_body *body = &schema->bounds.body;
  OWNED_MEMORY double *shares = NULL;
  TRY(memory_new(body_count(body), sizeof *shares, &shares, err));
  noise_column_shares(noise, body, shares);
  for (size_t i = 0; i < a->count; i++) {
    column_plan *p = &a->columns[i];
    if (p->column < schema->column_count) {
      const schema_column *column = &schema->columns[p->column];
      p->noise_share = share_of(body, shares, column->first, column->width);
    } else {
      const schema_cross *cross = &schema->crosses[p->cross];
      p->noise_share = share_of(body, shares, cross->first, cross->width);
    }
  }
  return DPERM_OK;
}

/* Those with most of the noise, since every other schema is parsed anew. */
static void find_changes(const advice *a) {
  for (size_t i = 0; i < a->count; i++) {
    size_t before = 0;
    for (size_t j = 0; j < a->count && before < PLANNED_MOST; j++) {
      double mine = a->columns[i].noise_share, other = a->columns[j].noise_share;
      before += other > mine || (j < i && !(other < mine));
    }
    if (before < PLANNED_MOST) {
      plan_without(a, &a->columns[i]);
      plan_halved(a, &a->columns[i]);
    }
  }
}

static dperm_status find_noise(advice *a, dperm_error *err) {
  privacy_plan plan;
  TRY(plan_noise(a, a->schema, &plan, err));
  a->options.lambda = plan.lambda;
  if (plan.mechanism == DPERM_MECHANISM_OBJECTIVE) {
    a->options.delta_reg = plan.delta_reg;
  }
  a->rms = noise_rms_norm(&plan.noise);
  TRY(find_shares(a, &plan.noise, err));
  find_changes(a);
  return DPERM_OK;
}

/* ---- all of it */

static dperm_status list_columns(advice *a, dperm_error *err) {
  const dperm_schema *schema = a->schema;
  const column_plan unknown = {
      .noise_share = (double)NAN, .without = (double)NAN, .halved = (double)NAN};
  size_t encoded = schema_encoded_columns(schema);
  const bin_numbers paid =
      auto_bins_paid(a->rows, a->claim.epsilon_class, encoded > 0 ? encoded : 1);
  TRY(memory_new(encoded + schema->cross_count, sizeof *a->columns, &a->columns, err));
  for (size_t i = 0; i < schema->column_count; i++) {
    const schema_column *column = &schema->columns[i];
    if (column->type == COLUMN_NUMERIC || column->type == COLUMN_CATEGORICAL) {
      column_plan *p = &a->columns[a->count++];
      *p = unknown;
      p->column = i;
      bool line =
          column->type != COLUMN_NUMERIC || (!column->binned && auto_bins_standardized(column));
      p->bins = line ? 0 : auto_bins_of(column, paid);
    }
  }
  for (size_t i = 0; i < schema->cross_count; i++) {
    column_plan *p = &a->columns[a->count++];
    *p = unknown;
    p->column = schema->column_count;
    p->cross = i;
  }
  return DPERM_OK;
}

dperm_status plan_columns(const dperm_options *options, const planned_schema *planned, size_t rows,
                          column_plan **out, size_t *count, dperm_error *err) {
  advice a = {
      .schema = planned->schema, .options = *options, .rows = rows, .claim = planned->claim};
  TRY(regularizer_validate(&a.options.regularizer, a.schema->dims, err));
  TRY(list_columns(&a, err));
  *out = a.columns;
  *count = a.count;
  return isnan(a.claim.epsilon_class) || a.options.kernel.kind != DPERM_KERNEL_NONE
             ? DPERM_OK
             : find_noise(&a, err);
}
