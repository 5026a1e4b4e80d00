/* What the noise's norm makes of a row: R_K with |x|_K <= R_K for every row that the schema, the
 * features or the norm allow (privacy.md 5). A new kind of noise is an entry of the table at the
 * end, with a function that derives its R_K here, on its own. The schema is read again from its
 * JSON, and nothing is taken from the code that encodes rows: a column of the file has one nonzero
 * entry at most, of at most r_g = min(1, w_g/D), where every row is divided by D or more. */
#include <string.h>

#include "verify/checks.h"

/* ---- the schema's columns */

typedef struct shape {
  uint64_t groups, columns; /* columns of the file that are encoded; encoded columns */
  uint64_t blocks;          /* groups of two or more encoded columns */
  const interval *divisor;  /* D: max(1, rho), or the largest norm before division */
  const interval *sum;      /* of all r_g */
} shape;

typedef struct shape_column {
  uint64_t width;
  double weight;
  bool always; /* a complete row has an entry of this weight: categorical, or the intercept */
} shape_column;

static bool says(const json_t *object, const char *key, const char *word) {
  const char *value = json_string_value(json_object_get(object, key));
  return value && strcmp(value, word) == 0;
}

/* Column i of the schema, or the intercept after the last; false where it is not clear. */
static bool read_column(const json_t *schema, size_t i, shape_column *out) {
  const json_t *list = json_object_get(schema, "columns"), *column = json_array_get(list, i);
  const json_t *weight = json_object_get(column, "weight");
  *out = (shape_column){0, 1, true};
  if (i == json_array_size(list)) {
    out->width = json_is_true(json_object_get(schema, "intercept"));
    return true;
  }
  out->always = says(column, "type", "categorical");
  out->weight = weight ? json_number_value(weight) : 1;
  if (out->always) {
    size_t values = json_array_size(json_object_get(column, "values"));
    size_t groups = json_object_size(json_object_get(column, "groups"));
    bool left_out = json_is_string(json_object_get(column, "reference"));
    out->width = values + groups > left_out ? values + groups - left_out : 0;
  } else if (says(column, "type", "numeric")) {
    out->width = 1;
  } else {
    return says(column, "type", "ignore") || says(column, "type", "label");
  }
  bool clear = out->width > 0;
  out->width += says(schema, "on_missing", "category");
  return clear && out->weight > 0 && out->weight < 1e100;
}

/* D: sums of squares of the weights, all of them or of those that are always there. */
static bool find_divisor(verifier *v, const json_t *schema, shape *out) {
  interval_arena *arena = &v->arena;
  bool fixed = says(schema, "rows", "fixed");
  interval *squares = interval_variable(arena, 0);
  for (size_t i = 0; i <= json_array_size(json_object_get(schema, "columns")); i++) {
    size_t mark = interval_mark(arena);
    shape_column column;
    if (!read_column(schema, i, &column)) {
      return false;
    }
    if (column.width > 0 && (fixed || column.always)) {
      const interval *w = interval_of(arena, column.weight);
      interval_set(arena, squares, interval_add(arena, squares, interval_mul(arena, w, w)));
    }
    interval_release(arena, mark);
    out->groups += column.width > 0;
    out->blocks += column.width > 1;
    out->columns += column.width;
  }
  const interval *root = interval_sqrt(arena, squares);
  bool short_one = !fixed && !interval_at_most(interval_of(arena, 1), root);
  out->divisor = short_one ? interval_of(arena, 1) : root;
  bool known = fixed || says(schema, "rows", "clip") || !json_object_get(schema, "rows");
  return known && out->groups > 0;
}

static void add_radii(verifier *v, const json_t *schema, shape *out) {
  interval_arena *arena = &v->arena;
  interval *sum = interval_variable(arena, 0);
  const interval *one = interval_of(arena, 1);
  for (size_t i = 0; i <= json_array_size(json_object_get(schema, "columns")); i++) {
    size_t mark = interval_mark(arena);
    shape_column column;
    if (read_column(schema, i, &column) && column.width > 0) {
      const interval *r = interval_div(arena, interval_of(arena, column.weight), out->divisor);
      interval_set(arena, sum, interval_add(arena, sum, interval_at_most(r, one) ? r : one));
    }
    interval_release(arena, mark);
  }
  out->sum = sum;
}

static bool read_shape(verifier *v, shape *out) {
  const json_t *schema = field_at(v->root, "schema");
  *out = (shape){0};
  if (!json_is_array(json_object_get(schema, "columns")) || !find_divisor(v, schema, out)) {
    return false;
  }
  add_radii(v, schema, out);
  const json_t *dims = field_at(v->root, "encoding.dims");
  return json_is_integer(dims) && (uint64_t)json_integer_value(dims) == out->columns;
}

/* ---- R_K */

static bool of_schema(const verifier *v) {
  const char *source = json_string_value(field_at(v->root, "encoding.source"));
  return field_is_null(v, "kernel") && source && strcmp(source, "schema") == 0;
}

static const interval *l2_bound(verifier *v, const interval *r2) {
  (void)v;
  return r2;
}

/* sqrt(d) R2; of a schema's rows min(sqrt(G), sum of r_g). */
static const interval *l1_bound(verifier *v, const interval *r2) {
  interval_arena *arena = &v->arena;
  if (of_schema(v)) {
    shape s;
    if (!read_shape(v, &s)) {
      return NULL;
    }
    const interval *root = interval_sqrt(arena, interval_of(arena, (double)s.groups));
    return interval_at_most(s.sum, root) ? s.sum : root;
  }
  const json_t *dims =
      field_at(v->root, field_is_object(v, "kernel") ? "kernel.features" : "encoding.dims");
  double d = json_is_integer(dims) ? (double)json_integer_value(dims) : 0;
  return d >= 1 ? interval_mul(arena, r2, interval_sqrt(arena, interval_of(arena, d))) : NULL;
}

/* 1: the body's radii are the bounds themselves. A reader must be able to tell them. */
static const interval *body_bound(verifier *v, const interval *r2) {
  shape s;
  (void)r2;
  return !of_schema(v) || read_shape(v, &s) ? interval_of(&v->arena, 1) : NULL;
}

/* |x| = sum over blocks of |x_g|_1 + t |rest|_2 <= sqrt(blocks + t^2) R2: a block has one nonzero
 * entry at most, so its l1 norm is its l2 norm, and Cauchy and Schwarz do the rest. */
static const interval *mixed_bound(verifier *v, const interval *r2) {
  interval_arena *arena = &v->arena;
  shape s;
  double weight = 0;
  if (!of_schema(v) || !read_shape(v, &s) || s.blocks == 0 || s.blocks == s.groups ||
      !field_positive(v, "noise_weight", "privacy.noise_weight", &weight)) {
    return NULL;
  }
  const interval *t = interval_of(arena, weight);
  const interval *sum =
      interval_add(arena, interval_of(arena, (double)s.blocks), interval_mul(arena, t, t));
  return interval_mul(arena, r2, interval_sqrt(arena, sum));
}

/* ---- what it says */

static void l1_state(verifier *v, const char *noise, const interval *rk) {
  (void)noise;
  (void)finding_report(v, rk != NULL, "norm1",
                       rk ? "|x|_1 <= %s" : "the bound on |x|_1 is not clear%s",
                       rk ? shown(interval_upper(rk)).text : "");
}

static void mixed_state(verifier *v, const char *noise, const interval *rk) {
  shape s;
  if (rk && read_shape(v, &s)) {
    (void)finding_report(v, true, "body",
                         "%s noise: %llu one-hot blocks and %llu other columns, |x| <= %s", noise,
                         (unsigned long long)s.blocks, (unsigned long long)(s.groups - s.blocks),
                         shown(interval_upper(rk)).text);
  } else {
    (void)finding_report(v, false, "body", "the schema has no one-hot blocks beside other columns");
  }
}

static void body_state(verifier *v, const char *noise, const interval *rk) {
  shape s = {0};
  if (!rk) {
    (void)finding_report(
        v, false, "body", "the schema does not give %llu encoded columns with clear bounds",
        (unsigned long long)json_integer_value(field_at(v->root, "encoding.dims")));
  } else if (of_schema(v) && read_shape(v, &s)) {
    (void)finding_report(v, true, "body",
                         "%s noise for %llu columns of the schema in %llu encoded ones: "
                         "|x_g|_1 <= r_g = min(1, w_g/D), D = %s, sum of r_g = %s",
                         noise, (unsigned long long)s.groups, (unsigned long long)s.columns,
                         shown(interval_lower(s.divisor)).text, shown(interval_upper(s.sum)).text);
  } else {
    (void)finding_report(v, true, "body", "%s noise, every entry within %s", noise,
                         field_is_object(v, "kernel") ? "sqrt(2/D)" : "the norm");
  }
}

static const noise_shape shapes[] = {{"l2", true, l2_bound, NULL},
                                     {"l1", false, l1_bound, l1_state},
                                     {"group", false, body_bound, body_state},
                                     {"linf", false, body_bound, body_state},
                                     {"mixed", false, mixed_bound, mixed_state}};

const noise_shape *noise_shape_find(const char *name) {
  for (size_t i = 0; name && i < sizeof shapes / sizeof *shapes; i++) {
    if (strcmp(shapes[i].name, name) == 0) {
      return &shapes[i];
    }
  }
  return NULL;
}

void check_shape(verifier *v) {
  size_t mark = interval_mark(&v->arena);
  const noise_shape *kind = noise_shape_find(json_string_value(field_at(v->root, "privacy.noise")));
  double r2 = 0;
  if (kind && kind->state && row_bound(v, "body", &r2)) {
    kind->state(v, kind->name, kind->row_bound(v, interval_of(&v->arena, r2)));
  }
  interval_release(&v->arena, mark);
}
