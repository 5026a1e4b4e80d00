/* The schema inside the library: everything about a record that is known in public. schema_parse.c
 * makes it from JSON, schema_layout.c derives places and bounds, table/rows.c uses it. */
#pragma once

#include <math.h>
#include <stdatomic.h>

#include "base/functions.h"
#include "base/json_text.h"
#include "base/lookup.h"
#include "base/owned.h"
#include "dperm/ledger.h"
#include "random/row_bounds.h"
#include "schema/class_list.h"

typedef enum column_type {
  COLUMN_NUMERIC,
  COLUMN_CATEGORICAL,
  COLUMN_IGNORE,
  COLUMN_LABEL,
  COLUMN_GROUP /* categories that a record is counted by in evaluations; nothing is learned of them
                */
} column_type;
typedef enum column_transform { TRANSFORM_NONE, TRANSFORM_LOG1P } column_transform;
typedef enum column_scale { SCALE_MAX, SCALE_CENTER } column_scale;
typedef enum row_rule { ROWS_CLIP, ROWS_FIXED } row_rule;
typedef enum missing_rule { MISSING_ZERO, MISSING_CATEGORY, MISSING_DROP } missing_rule;

typedef struct schema_column {
  char *name;
  column_type type;
  double weight;

  /* for people: no row depends on them */
  char *source;   /* where its range or values come from, or NULL */
  bool sensitive; /* what it says of people needs more care than the rest */

  /* numeric: an entry is weight·(t(x) − middle)/half, with x clamped to [min, max] before and the
   * quotient to [−1, 1] after, so rounding cannot pass the bound */
  double min, max;
  column_transform transform;
  column_scale scale;
  bool scale_given; /* the file says so itself */
  double middle, half;

  /* numeric with bins: one-hot like a category, entry `weight`; the scaled number times `line` may
   * stand beside the block, in a column of its own */
  bool binned;    /* the cuts are known */
  bool bins_auto; /* "auto": not before the number of rows and ε are */
  double *cuts;   /* strictly increasing, inside of (min, max), in the units of the column */
  size_t cut_count;
  double line; /* 0 for none */

  /* categorical: category names in encoded order, and which category a value is */
  lookup values;
  class_list categories;
  int32_t other;     /* the category of all other values, or LOOKUP_NONE */
  int32_t reference; /* the category that is left out: encodes as zeros; or LOOKUP_NONE */

  /* place in an encoded row, from schema_layout */
  size_t first, width; /* of all that the column becomes */
  size_t block;        /* the first column behind the line; `first` without one */
  size_t missing_at;   /* encoded column of "missing", or SIZE_MAX */
  size_t levels;       /* values that a cross tells apart, "missing" included if it is a category;
                          of a line, parts of its range */
  bool crossed;        /* some cross has it, */
  size_t level;        /* and it is this one of the columns that any has */
} schema_column;

/* A person's records count together as one (docs/proofs/persons.md). */
#define NO_PERSON SIZE_MAX
enum { PERSON_ROWS_MOST = 1000, PERSON_ROWS_USUAL = 100 };

/* A column has cells in a table. */
static inline bool column_type_has_cells(column_type type) {
  return type == COLUMN_NUMERIC || type == COLUMN_CATEGORICAL || type == COLUMN_GROUP;
}

#define NO_GROUP SIZE_MAX

enum {
  WEIGHT_MOST = 1000000, /* of a column */
  BINS_MOST = 4096,
  CROSSES_MOST = 4096,
  /* Of one cross. So the levels of its columns fit beside the flags of an entry (table/rows.c). */
  PAIRS_MOST = 1 << 20,
  /* What a cross after the fit tells apart of a column: its levels, or four parts of many, and
   * "missing". */
  PARTS_MOST = 5,
  PARTS_OF_MANY = 4
};

/* A one-hot block for the pairs of values of two columns. Level a of the first and b of the second
 * is encoded column first + a·(levels of the second) + b. */
typedef struct schema_cross {
  size_t columns[2]; /* of the schema */
  double weight;
  size_t first, width;
  bool after_fit; /* of parts of its columns, with entries of 1 that no row is divided for: what a
                     model added when its weights were released (run/pairs.c). No fit may see it */
} schema_cross;

/* What a schema says of the records that it was refined from: its "refined" object, which
 * dperm_refine writes and every later model counts in its claim (privacy.md 8.9). All zeros: the
 * schema was made without records. */
typedef struct schema_refined {
  double epsilon; /* what it cost, for one record, or for a person with */
  double later;   /* what it counts in other runs, where that is more: what another answer of
                     the records would have cost; else 0 */
  size_t rows_per_person; /* at most so many; 0: any number (guarantee_unit), */
  const char *person;     /* of persons whom this column tells apart; else NULL */
  dperm_neighbours neighbours;
  bool is_private;                 /* false: its noise came from a seed, or the like */
  uint64_t entry;                  /* number of its reservation in a ledger, 0 for none, */
  char receipt[DPERM_DIGEST_SIZE]; /* and the receipt, empty without one */
} schema_refined;

/* What members that are not given mean: 1 has no intercept and scales by the larger bound, 2 has
 * one and centres. A schema that does not say is of version 1, as all were before there was
 * another, or of 2 where its label is a number, which none of 1 could have. */
enum { SCHEMA_VERSION_1 = 1, SCHEMA_VERSION = 2 };

struct dperm_schema {
  atomic_int owners;
  json_t *json; /* as given, for the model file */
  int version;
  bool version_given;
  bool header;
  char separator;
  char *comment; /* prefix of lines to skip, or NULL */
  lookup missing;
  missing_rule on_missing;
  row_rule rows;
  bool intercept, intercept_given; /* the file says so itself */

  schema_column *columns;
  size_t column_count;
  size_t group;       /* the column that evaluations give rates by, or NO_GROUP */
  size_t person;      /* of the columns, one of type ignore: whose records are whose; NO_PERSON: */
  size_t person_rows; /* each is a person's own. Else so many of a person's count, at most; or 0 */
  bool person_added;  /* the file does not list that column: none that was written by dperm */
  schema_cross *crosses;             /* their blocks stand behind those of all columns */
  size_t cross_count, crossed_count; /* and the columns of which they are */
  size_t after_fit;                  /* columns of a row from crosses after the fit, the last */

  char *label_column;
  schema_column *target; /* a numeric label, as a column of its own, or NULL; else */
  lookup labels;         /* value → class; of two, 0 is negative and 1 positive */
  int32_t label_other;   /* class of all other values, or LOOKUP_NONE */
  class_list classes;

  schema_refined refined; /* what it cost the records that it was made from, if any */

  /* from schema_layout */
  size_t dims;
  size_t most_entries; /* in a row */
  double min_divisor;  /* a row is divided by at least this: max(1, ρ), or the fixed divisor */
  double max_norm;     /* the largest norm before division */
  body_run *runs;      /* of the body in `bounds` */
  row_bounds bounds;
};

/* The public range of a numeric label; zeros: there is none. */
typedef struct label_range {
  double min, max;
} label_range;

static inline bool label_range_known(label_range range) {
  return range.min < range.max;
}
/* Fails where it is too narrow, or too wide, for what follows. */
dperm_status label_range_check(label_range range, dperm_error *err);
static inline double label_range_half(label_range range) {
  return range.max / 2 - range.min / 2;
}
/* A number as fits have it: in [−1, 1], so that residuals have a unit (loss/link.h). And back. */
static inline double label_scaled(label_range range, double x) {
  const double middle = range.min / 2 + range.max / 2;
  return fmin(fmax((x - middle) / label_range_half(range), -1), 1);
}
static inline double label_of_score(label_range range, double score) {
  const double x = range.min / 2 + range.max / 2 + label_range_half(range) * score;
  return fmin(fmax(x, range.min), range.max);
}
static inline label_range schema_label_range(const dperm_schema *schema) {
  return schema->target ? (label_range){schema->target->min, schema->target->max}
                        : (label_range){0, 0};
}

/* Derives places, scales and row divisors; refuses what cannot be encoded. */
dperm_status schema_layout(dperm_schema *schema, dperm_error *err);

/* An entry of this weight, as a row stores it, is at most so long. */
double schema_entry_bound(const dperm_schema *schema, double weight);
/* No entry of the column is longer; 0 where there is none. */
double schema_column_bound(const dperm_schema *schema, size_t column);
/* "numeric", "categorical", "ignore", "label" and "group", by column_type; then NULL. */
extern const char *const column_type_names[];

/* How many of its columns are numeric or categorical. */
size_t schema_encoded_columns(const dperm_schema *schema);

/* Fails where "bins" are still "auto": then the layout is that of the column without them. */
dperm_status schema_check_resolved(const dperm_schema *schema, dperm_error *err);

/* The number of bins; 0 without. */
static inline size_t column_bins(const schema_column *column) {
  return column->binned ? column->cut_count + 1 : 0;
}

static inline double column_transformed(const schema_column *column, double x) {
  return column->transform == TRANSFORM_LOG1P ? math_log1p(x) : x;
}

/* How many parts a cross after the fit tells apart, and a level's; "missing" is the last. */
static inline size_t column_parts(const schema_column *column) {
  const size_t missing = column->missing_at != SIZE_MAX, real = column->levels - missing;
  return (real + missing <= PARTS_MOST ? real : PARTS_OF_MANY) + missing;
}
static inline size_t column_part(const schema_column *column, size_t level) {
  const size_t missing = column->missing_at != SIZE_MAX, real = column->levels - missing;
  return level == real                  ? column_parts(column) - 1
         : column->levels <= PARTS_MOST ? level
                                        : level * PARTS_OF_MANY / real;
}

/* How many values or parts of its first (0) or second column a cross tells apart; and the name of
 * one, as dperm_schema_feature_name gives it. */
size_t schema_cross_parts(const dperm_schema *schema, const schema_cross *cross, size_t which);
size_t schema_cross_name(const dperm_schema *schema, const schema_cross *cross, size_t which,
                         size_t place, char *name, size_t capacity);

/* Where the columns of crosses after the fit begin: before the intercept. */
static inline size_t schema_after_fit_first(const dperm_schema *schema) {
  return schema->dims - schema->intercept - schema->after_fit;
}
/* The schema with crosses of these pairs of columns after the fit, behind its own. */
typedef struct column_pair {
  size_t a, b; /* of the schema */
} column_pair;
dperm_status schema_with_pairs(const dperm_schema *schema, const column_pair *pairs, size_t count,
                               dperm_schema **out, dperm_error *err);
/* Fails where there are such crosses: rows of them are longer than any noise is made for. */
dperm_status schema_check_fit(const dperm_schema *schema, dperm_error *err);

/* One more owner; dperm_schema_free gives back one. */
dperm_schema *schema_share(const dperm_schema *schema);
OWNED_HANDLE(dperm_schema, dperm_schema_free)

/* The names as an array, the range or null, and the "refined" object; NULL for want of memory. */
json_t *classes_json(const class_list *classes);
json_t *label_range_json(label_range range);
json_t *schema_refined_json(const schema_refined *refined);

/* What a person should know of it who wants accuracy, from the schema alone: a list of texts. NULL
 * for want of memory. */
json_t *schema_remarks(const dperm_schema *schema);
/* What version 2 would change in one of version 1: a text, or null for nothing. */
json_t *schema_version_remark(const dperm_schema *schema);

/* From an already parsed tree, as a model file holds it. */
dperm_status schema_from_json(json_t *json, const char *name, dperm_schema **out, dperm_error *err);

/* A piece of JSON goes to the caller; without it memory ran out while it was made. */
dperm_status json_made(json_t *made, json_t **out, dperm_error *err);
/* The same for a member of an object, which owns it from then on. */
dperm_status json_put(json_t *object, const char *key, json_t *made, dperm_error *err);
