/* What the noise's norm makes of a row: R_K with |x|_K <= R_K for every row that the schema, the
 * features or the norm allow (privacy.md 5). A new kind of noise is an entry of the table at the
 * end, with a function that derives its R_K here, on its own. The schema is read again from its
 * JSON, and nothing is taken from the code that encodes rows: a column of the file has one nonzero
 * entry at most, of at most r_g = min(1, w_g/D), where every row is divided by D or more. */
#include <string.h>

#include "verify/checks.h"

/* ---- the schema's columns */

typedef struct shape {
  unsigned long long groups, columns; /* columns of the file that are encoded; encoded columns */
  unsigned long long blocks;          /* groups of two or more encoded columns */
  interval divisor;                   /* D: max(1, rho), or the largest norm before division */
  interval sum;                       /* of all r_g */
} shape;

typedef struct shape_column {
  unsigned long long width;
  double weight;
  bool always; /* a complete row has an entry of this weight: categorical, or the intercept */
} shape_column;

/* Column i of the schema, or the intercept after the last; false where it is not clear. */
static bool read_column(const json_t *schema, size_t i, shape_column *out) {
  const json_t *list = json_object_get(schema, "columns"), *column = json_array_get(list, i);
  const json_t *weight = json_object_get(column, "weight");
  *out = (shape_column){0, 1, true};
  if (i == json_array_size(list)) {
    out->width = json_is_true(json_object_get(schema, "intercept"));
    return true;
  }
  out->always = field_is(column, "type", "categorical");
  out->weight = weight ? json_number_value(weight) : 1;
  if (out->always) {
    size_t values = json_array_size(json_object_get(column, "values"));
    size_t groups = json_object_size(json_object_get(column, "groups"));
    bool left_out = json_is_string(json_object_get(column, "reference"));
    out->width = values + groups > left_out ? values + groups - left_out : 0;
  } else if (field_is(column, "type", "numeric")) {
    out->width = 1;
  } else {
    return field_is(column, "type", "ignore") || field_is(column, "type", "label");
  }
  bool clear = out->width > 0;
  out->width += field_is(schema, "on_missing", "category");
  return clear && out->weight > 0 && out->weight < 1e100;
}

/* D is the root of the sum of squares of the weights: of all if rows are divided by it as they are,
 * else of those that are always there, and 1 at least. */
static bool read_shape(verifier *v, shape *out) {
  const json_t *schema = field_at(v->root, "schema"), *list = json_object_get(schema, "columns");
  const json_t *dims = field_at(v->root, "encoding.dims");
  bool fixed = field_is(schema, "rows", "fixed");
  const interval one = interval_of(1);
  interval squares = interval_of(0);
  shape_column column;
  *out = (shape){.sum = interval_of(0)};
  for (size_t i = 0; i <= json_array_size(list); i++) {
    if (!read_column(schema, i, &column)) {
      return false;
    }
    if (column.width > 0 && (fixed || column.always)) {
      interval w = interval_of(column.weight);
      squares = interval_add(squares, interval_mul(w, w));
    }
    out->groups += column.width > 0;
    out->blocks += column.width > 1;
    out->columns += column.width;
  }
  out->divisor = interval_sqrt(squares);
  out->divisor = fixed ? out->divisor : interval_max(one, out->divisor);
  for (size_t i = 0; i <= json_array_size(list); i++) {
    if (read_column(schema, i, &column) && column.width > 0) {
      interval r = interval_div(interval_of(column.weight), out->divisor);
      out->sum = interval_add(out->sum, interval_min(one, r));
    }
  }
  bool known = fixed || field_is(schema, "rows", "clip") || !json_object_get(schema, "rows");
  return json_is_array(list) && known && out->groups > 0 && json_is_integer(dims) &&
         (unsigned long long)json_integer_value(dims) == out->columns;
}

/* ---- R_K */

static bool of_schema(const verifier *v) {
  return field_is_null(v, "kernel") && field_is(v->root, "encoding.source", "schema");
}

static bool l2_bound(verifier *v, interval r2, interval *out) {
  (void)v;
  *out = r2;
  return true;
}

/* sqrt(d) R2; of a schema's rows min(sqrt(G), sum of r_g). */
static bool l1_bound(verifier *v, interval r2, interval *out) {
  shape s;
  if (of_schema(v)) {
    bool clear = read_shape(v, &s);
    *out = interval_min(s.sum, interval_sqrt(interval_of((double)s.groups)));
    return clear;
  }
  const json_t *dims =
      field_at(v->root, field_is_object(v, "kernel") ? "kernel.features" : "encoding.dims");
  *out = interval_mul(r2, interval_sqrt(interval_of((double)json_integer_value(dims))));
  return json_integer_value(dims) >= 1;
}

/* 1: the body's radii are the bounds themselves. A reader must be able to tell them. */
static bool body_bound(verifier *v, interval r2, interval *out) {
  shape s;
  (void)r2;
  *out = interval_of(1);
  return !of_schema(v) || read_shape(v, &s);
}

/* |x| = sum over blocks of |x_g|_1 + t |rest|_2 <= sqrt(blocks + t^2) R2: a block has one nonzero
 * entry at most, so its l1 norm is its l2 norm, and Cauchy and Schwarz do the rest. */
static bool mixed_bound(verifier *v, interval r2, interval *out) {
  shape s;
  double weight = 0;
  if (!of_schema(v) || !read_shape(v, &s) || s.blocks == 0 || s.blocks == s.groups ||
      !field_positive(v, "noise_weight", "privacy.noise_weight", &weight)) {
    return false;
  }
  interval t = interval_of(weight);
  interval sum = interval_add(interval_of((double)s.blocks), interval_mul(t, t));
  *out = interval_mul(r2, interval_sqrt(sum));
  return true;
}

/* ---- what it says */

static void l1_state(verifier *v, const char *noise, const interval *rk) {
  (void)noise;
  finding(v, rk != NULL, "norm1", rk ? "|x|_1 <= %s" : "the bound on |x|_1 is not clear%s",
          rk ? shown(interval_upper(*rk)).text : "");
}

static void mixed_state(verifier *v, const char *noise, const interval *rk) {
  shape s;
  if (rk && read_shape(v, &s)) {
    finding(v, true, "body", "%s noise: %llu one-hot blocks and %llu other columns, |x| <= %s",
            noise, s.blocks, (s.groups - s.blocks), shown(interval_upper(*rk)).text);
  } else {
    finding(v, false, "body", "the schema has no one-hot blocks beside other columns");
  }
}

static void body_state(verifier *v, const char *noise, const interval *rk) {
  shape s;
  if (!rk) {
    finding(v, false, "body", "the schema does not give %llu encoded columns with clear bounds",
            (unsigned long long)json_integer_value(field_at(v->root, "encoding.dims")));
  } else if (of_schema(v) && read_shape(v, &s)) {
    finding(v, true, "body",
            "%s noise for %llu columns of the schema in %llu encoded ones: "
            "|x_g|_1 <= r_g = min(1, w_g/D), D = %s, sum of r_g = %s",
            noise, s.groups, s.columns, shown(interval_lower(s.divisor)).text,
            shown(interval_upper(s.sum)).text);
  } else {
    finding(v, true, "body", "%s noise, every entry within %s", noise,
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
  const noise_shape *kind = noise_shape_find(json_string_value(field_at(v->root, "privacy.noise")));
  double r2 = 0;
  if (kind && kind->state && row_bound(v, "body", &r2)) {
    interval rk;
    bool clear = kind->row_bound(v, interval_of(r2), &rk);
    kind->state(v, kind->name, clear ? &rk : NULL);
  }
}
