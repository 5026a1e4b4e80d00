/* See interval_design.h. */
#include "intervals/interval_design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const unsigned interval_parts[INTERVAL_STAGES] = {13, 13, 5};
const char *const interval_keys[INTERVAL_STAGES] = {"scales", "correlations", "spread"};

/* ---- the schema */

static dperm_status check_column(const schema_column *column, dperm_error *err) {
  FAIL_IF(column->type == COLUMN_NUMERIC && (column->binned || column->bins_auto), err,
          DPERM_INVALID_SCHEMA,
          "intervals are of a number's slope, and column \"%.64s\" has bins; leave one of the two "
          "out",
          column->name);
  FAIL_IF(column->type == COLUMN_CATEGORICAL && column->levels < 2, err, DPERM_INVALID_SCHEMA,
          "column \"%.64s\" has one value, of which there is no effect; ignore it", column->name);
  return DPERM_OK;
}

static dperm_status check_schema(const dperm_schema *schema, dperm_error *err) {
  FAIL_IF(schema->cross_count > 0, err, DPERM_INVALID_SCHEMA,
          "intervals are not made for crosses; leave one of the two out");
  FAIL_IF(schema->person != NO_PERSON, err, DPERM_INVALID_SCHEMA,
          "intervals are for records, and the schema has persons; leave one of the two out");
  FAIL_IF(schema->on_missing == MISSING_CATEGORY, err, DPERM_INVALID_SCHEMA,
          "intervals are not made for \"on_missing\": \"category\"; choose \"zero\"");
  for (size_t i = 0; i < schema->column_count; i++) {
    TRY(check_column(&schema->columns[i], err));
  }
  return DPERM_OK;
}

dperm_status interval_schema(const dperm_schema *schema, dperm_schema **out, dperm_error *err) {
  json_auto_t *json = NULL;
  TRY(check_schema(schema, err));
  FAIL_IF(schema->refined.epsilon > 0, err, DPERM_INVALID_SCHEMA,
          "intervals do not know how the records chose this schema's columns; give the schema as "
          "it was before it was refined");
  TRY(json_made(json_deep_copy(schema->json), &json, err));
  TRY(json_put(json, "rows", json_string("fixed"), err));
  TRY(json_put(json, "intercept", json_true(), err));
  json_t *columns = json_object_get(json, "columns");
  for (size_t i = 0; i < schema->column_count; i++) {
    const schema_column *column = &schema->columns[i];
    if (column->weight != 1) { /* which would hide a column from the fit, not make it less known */
      TRY(json_put(json_array_get(columns, i), "weight", json_integer(1), err));
    }
    if (column->type == COLUMN_CATEGORICAL && column->reference == LOOKUP_NONE) {
      TRY(json_put(json_array_get(columns, i), "reference",
                   json_string(column->categories.names[0]), err));
    }
  }
  return schema_from_json(json, "schema", out, err);
}

/* ---- the columns */

static interval_group group_of(const dperm_schema *schema, size_t i) {
  const schema_column *column = &schema->columns[i];
  const bool number = column->type == COLUMN_NUMERIC;
  interval_group g = {.first = column->first,
                      .count = column->width,
                      .column = i,
                      .radius = schema_entry_bound(schema, column->weight)};
  g.kind = number ? INTERVAL_NUMBER : g.count == 1 ? INTERVAL_BIT : INTERVAL_BLOCK;
  if (number) {
    const double least = (column_transformed(column, column->min) - column->middle) / column->half;
    g.low = least < 0 ? -1 : 0;
  }
  return g;
}

dperm_status interval_design_of(const dperm_schema *schema, const dperm_loss *loss, size_t rows,
                                double epsilon, interval_design *out, dperm_error *err) {
  OWNED(interval_design_clear) interval_design made = {.columns = schema->dims - 1};
  TRY(check_schema(schema, err));
  FAIL_IF(schema->rows != ROWS_FIXED || !schema->intercept, err, DPERM_INVALID_SCHEMA,
          "intervals need rows that are divided alike, and an intercept");
  FAIL_IF(made.columns == 0 || made.columns > INTERVAL_COLUMNS, err, DPERM_INVALID_SCHEMA,
          "intervals are for 1 to %d encoded columns, and the schema has %zu; group categories, or "
          "ignore some",
          INTERVAL_COLUMNS, made.columns);
  TRY(memory_new(schema->column_count, sizeof *made.groups, &made.groups, err));
  for (size_t i = 0; i < schema->column_count; i++) {
    const column_type type = schema->columns[i].type;
    if (type != COLUMN_NUMERIC && type != COLUMN_CATEGORICAL) {
      continue;
    }
    interval_group *g = &made.groups[made.group_count];
    *g = group_of(schema, i);
    for (size_t j = g->first; j < g->first + g->count; j++) {
      made.group_of[j] = made.group_count;
    }
    made.group_count++;
  }
  made.constant = schema_entry_bound(schema, 1);
  made.logistic = strcmp(loss->name, "logistic") == 0;
  made.h = loss->parameter;
  made.curve = loss->smoothness;
  made.rows = (double)rows;
  made.part = ratio_below(epsilon_share(epsilon, INTERVAL_PARTS));
  *out = made;
  made = (interval_design){0};
  return DPERM_OK;
}

/* A proposal of noise is kept with e^(−Dε/2·STEPS) (random/integer_body.c), and sums are of 64
 * bits: an entry is at most c, 2/h₀ or 2ωc/h₀ long, with h₀ ≥ c/50 and ω ≤ 1/h₀, so 5000h of
 * log-cosh; a product at most 2^36. */
dperm_status interval_check(const dperm_schema *schema, const dperm_loss *loss, size_t rows,
                            double epsilon, dperm_error *err) {
  OWNED(interval_design_clear) interval_design design = {0};
  const double tries = 8, narrow = 0x1p-12, wide = 1, most = 0x1p62;
  TRY(interval_design_of(schema, loss, rows, epsilon, &design, err));
  const double sums = (double)interval_released(&design, INTERVAL_SCALES),
               share = ratio_value(interval_rate(&design, INTERVAL_SCALES));
  FAIL_IF(sums * share > tries * 2 * BODY_STEPS, err, DPERM_INVALID_ARGUMENT,
          "intervals of %zu columns take too long to blur at an epsilon of %g; give them a smaller "
          "share, or fewer columns",
          design.columns, epsilon);
  FAIL_IF(!design.logistic && !(design.h >= narrow && design.h <= wide), err,
          DPERM_INVALID_ARGUMENT, "intervals are for an h from %g to %g; leave h out", narrow,
          wide);
  const double entry = 5000; /* also of the h that records are asked for: c is 4096 at most */
  const gram_noise products = {1 + design.columns,
                               (uint64_t)INTERVAL_SQUARES << 2 * INTERVAL_ROOT_BITS,
                               interval_rate(&design, INTERVAL_PAIRS)};
  TRY(gram_noise_check(&products, err));
  FAIL_IF((double)rows * ldexp(entry, INTERVAL_UNIT_BITS) > most, err, DPERM_UNSUPPORTED,
          "intervals are for at most %.0f records; leave intervals out",
          most / ldexp(entry, INTERVAL_UNIT_BITS));
  return DPERM_OK;
}

void interval_design_clear(interval_design *design) {
  free(design->groups);
  *design = (interval_design){0};
}

ratio interval_rate(const interval_design *design, interval_stage_id stage) {
  return (ratio){design->part.over * interval_parts[stage], design->part.under};
}

size_t interval_released(const interval_design *design, interval_stage_id stage) {
  size_t numbers = 0;
  for (size_t i = 0; i < design->group_count; i++) {
    numbers += design->groups[i].kind == INTERVAL_NUMBER;
  }
  return stage == INTERVAL_SCALES  ? 1 + design->columns + numbers
         : stage == INTERVAL_PAIRS ? gram_entries(1 + design->columns)
                                   : 2 * design->columns;
}

/* ---- whole numbers */

interval_ends interval_ends_of(double low, double high) {
  const double units = 1 << INTERVAL_UNIT_BITS;
  return (interval_ends){floor(low * units), ceil(high * units)};
}

dperm_status interval_body_add(integer_body *body, size_t count, double low, double high,
                               dperm_error *err) {
  const interval_ends ends = interval_ends_of(low, high);
  const int64_t least = (int64_t)ends.least, most = (int64_t)ends.most,
                far = most > -least ? most : -least;
  return integer_body_add(body, count, (uint64_t)(most - least), 2 * (uint64_t)far, err);
}
