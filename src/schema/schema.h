/* The schema inside the library: everything about a record that is known in public. schema_parse.c
 * makes it from JSON, schema_layout.c derives places and bounds, encode.c uses it. */
#pragma once

#include <jansson.h>
#include <stdatomic.h>

#include "base/lookup.h"
#include "base/owned.h"
#include "base/status.h"
#include "random/row_bounds.h"
#include "schema/class_list.h"

typedef enum column_type {
  COLUMN_NUMERIC,
  COLUMN_CATEGORICAL,
  COLUMN_IGNORE,
  COLUMN_LABEL
} column_type;
typedef enum column_transform { TRANSFORM_NONE, TRANSFORM_LOG1P } column_transform;
typedef enum column_scale { SCALE_MAX, SCALE_CENTER } column_scale;
typedef enum row_rule { ROWS_CLIP, ROWS_FIXED } row_rule;
typedef enum missing_rule { MISSING_ZERO, MISSING_CATEGORY, MISSING_DROP } missing_rule;

typedef struct schema_column {
  char *name;
  column_type type;
  double weight;

  /* numeric: an entry is weight·(t(x) − middle)/half, with x clamped to [min, max] before and the
   * quotient to [−1, 1] after, so rounding cannot pass the bound */
  double min, max;
  column_transform transform;
  column_scale scale;
  double middle, half;

  /* categorical: category names in encoded order, and which category a value is */
  lookup values;
  class_list categories;
  int32_t other;     /* the category of all other values, or LOOKUP_NONE */
  int32_t reference; /* the category that is left out: encodes as zeros; or LOOKUP_NONE */

  /* place in an encoded row, from schema_layout */
  size_t first, width;
  size_t missing_at; /* encoded column of "missing", or SIZE_MAX */
} schema_column;

struct dperm_schema {
  atomic_int owners;
  json_t *json; /* as given, for the model file */
  bool header;
  char separator;
  char *comment; /* prefix of lines to skip, or NULL */
  lookup missing;
  missing_rule on_missing;
  row_rule rows;
  bool intercept;

  schema_column *columns;
  size_t column_count;

  char *label_column;
  lookup labels;       /* value → class; of two, 0 is negative and 1 positive */
  int32_t label_other; /* class of all other values, or LOOKUP_NONE */
  class_list classes;

  /* from schema_layout */
  size_t dims;
  double min_divisor; /* a row is divided by at least this: max(1, ρ), or the fixed divisor */
  double max_norm;    /* the largest norm before division */
  body_run *runs;     /* of the body in `bounds` */
  row_bounds bounds;
};

/* Derives places, scales and row divisors; refuses what cannot be encoded. */
dperm_status schema_layout(dperm_schema *schema, dperm_error *err);

/* One more owner; dperm_schema_free gives back one. */
dperm_schema *schema_share(const dperm_schema *schema);
OWNED_HANDLE(dperm_schema, dperm_schema_free)

/* From an already parsed tree, as a model file holds it. */
dperm_status schema_from_json(json_t *json, const char *name, dperm_schema **out, dperm_error *err);
