/* What the noise's norm makes of a row: R_K with |x|_K <= R_K for every row that the schema, the
 * features or the norm allow (privacy.md 5). A new kind of noise is an entry of the table at the
 * end, with a function that derives its R_K here, on its own. The schema is read again from its
 * JSON, and nothing is taken from the code that encodes rows: a column of the file, its line and a
 * cross have one nonzero entry at most each, of at most r_g = min(1, w_g/D), where every row is
 * divided by D or more. */
#include <math.h>

#include "base/memory.h"
#include "verify/checks.h"

/* Pairs of cos and sin have norm 1 up to rounding (privacy.md 2). */
static const double features_norm = 1.0 + 0x1p-48;

bool row_bound(verifier *v, const char *name, double *out) {
  if (field_is_object(v, "kernel")) {
    *out = features_norm;
    return true;
  }
  return field_is_null(v, "kernel") ? field_positive(v, name, "encoding.norm", out)
                                    : fails(v, name, "kernel is not clear");
}

/* ---- the schema's groups */

typedef struct shape_group {
  unsigned long long width;
  double weight;
  bool always; /* counts in rho: categories, bins, sure crosses and the intercept */
} shape_group;

typedef struct shape {
  shape_group *list;                  /* of encoded columns, as the schema has them, */
  unsigned long long groups, columns; /* so many; all their columns */
  unsigned long long blocks;          /* groups of two or more */
  interval divisor;                   /* D: max(1, rho), or the largest norm before division */
  interval sum;                       /* of all r_g */
} shape;

static void shape_clear(shape *s) {
  free(s->list);
}

/* r_g */
static interval radius_of(const shape *s, size_t g) {
  return interval_min(interval_of(1), interval_div(interval_of(s->list[g].weight), s->divisor));
}

static double number_or(const json_t *object, const char *key, double otherwise) {
  const json_t *number = json_object_get(object, key);
  return number ? json_number_value(number) : otherwise;
}

/* A numeric column's bins; 0 if unclear, as for "auto". Cuts at the ends of the range add none. */
static unsigned long long count_bins(const json_t *column) {
  const json_t *bins = json_object_get(column, "bins"), *cut;
  unsigned long long count = 1;
  size_t i;
  double min = number_or(column, "min", 0), max = number_or(column, "max", 0);
  if (!json_is_array(bins)) {
    return json_integer_value(bins) > 0 ? (unsigned long long)json_integer_value(bins) : 0;
  }
  json_array_foreach(bins, i, cut) {
    count += json_number_value(cut) > min && json_number_value(cut) < max;
  }
  return count;
}

/* Values of a categorical column, or bins; 0 for other columns. */
static unsigned long long count_values(const json_t *column) {
  if (field_is(column, "type", "categorical")) {
    return json_array_size(json_object_get(column, "values")) +
           json_object_size(json_object_get(column, "groups"));
  }
  return field_is(column, "type", "numeric") ? count_bins(column) : 0;
}

/* A column's line, if it has one, and the rest of what it becomes; false where it is not clear. */
static bool read_column(const json_t *schema, const json_t *column, shape_group out[2]) {
  bool numeric = field_is(column, "type", "numeric"), binned = json_object_get(column, "bins");
  unsigned long long values = count_values(column);
  if (!numeric && !field_is(column, "type", "categorical")) {
    return field_is(column, "type", "ignore") || field_is(column, "type", "label") ||
           field_is(column, "type", "group");
  }
  double line = numeric && binned ? number_or(column, "line", 0) : 0;
  out[0] = (shape_group){line != 0, line, false};
  out[1] = (shape_group){numeric && !binned ? 1 : values, number_or(column, "weight", 1),
                         !numeric || binned};
  if (json_is_string(json_object_get(column, "reference"))) {
    out[1].width -= out[1].width > 0;
  }
  bool clear = out[1].width > 0 && line >= 0;
  out[1].width += field_is(schema, "on_missing", "category");
  return clear;
}

/* Whether some value of the column takes all that is not listed. */
static bool takes_all(const json_t *column) {
  const json_t *group;
  const char *name;
  if (json_object_get(column, "bins")) {
    return true;
  }
  json_object_foreach(json_object_get(column, "groups"), name, group) {
    if (json_is_string(group)) {
      return true;
    }
  }
  return false;
}

/* Parts of a column that a cross after the fit tells apart: its values and "missing", up to 5, or 4
 * parts of more values, and "missing"; 4 of a straight line. */
static unsigned long long count_parts(const json_t *column, bool category) {
  bool line = field_is(column, "type", "numeric") && !json_object_get(column, "bins");
  unsigned long long values = line ? 4 : count_values(column);
  return (values + category > 5 ? 4 : values) + category;
}

static bool is_after_fit(const json_t *cross) {
  return json_is_true(json_object_get(cross, "after_fit"));
}

/* Pairs of two columns' values. They are always there if nothing can be missing or unknown. */
static bool read_cross(const json_t *schema, const json_t *cross, shape_group *out) {
  const json_t *list = json_object_get(schema, "columns"), *column;
  const json_t *pair = json_is_object(cross) ? json_object_get(cross, "columns") : cross;
  bool category = field_is(schema, "on_missing", "category"), clear = json_array_size(pair) == 2;
  const bool after = is_after_fit(cross);
  size_t i;
  *out = (shape_group){1, json_is_object(cross) ? number_or(cross, "weight", 1) : 1, category};
  for (size_t p = 0; p < 2; p++) {
    const char *name = json_string_value(json_array_get(pair, p));
    unsigned long long values = 0;
    json_array_foreach(list, i, column) {
      if (name && field_is(column, "name", name)) {
        values = after ? count_parts(column, category) : count_values(column) + category;
        out->always = out->always && takes_all(column);
      }
    }
    clear = clear && values > category && values < 1ULL << 31 && out->width < 1ULL << 31;
    out->width *= values;
  }
  return clear;
}

unsigned long long added_weights(const verifier *v) {
  const json_t *schema = field_at(v->root, "schema"), *cross;
  unsigned long long added = 0;
  size_t i;
  json_array_foreach(json_object_get(schema, "crosses"), i, cross) {
    shape_group cells;
    added += is_after_fit(cross) && read_cross(schema, cross, &cells) ? cells.width : 0;
  }
  return added;
}

/* A schema of version 2 has one unless it says otherwise; others the other way round. With a
 * numeric label it is of version 2 if it does not say. */
bool has_intercept(const json_t *schema) {
  const json_t *said = json_object_get(schema, "intercept"),
               *version = json_object_get(schema, "version"),
               *label = json_object_get(schema, "label");
  const bool numeric = !version && json_object_get(label, "type");
  return said ? json_is_true(said) : numeric || json_integer_value(version) == 2;
}

/* Another version could mean anything. */
static bool known_version(const json_t *schema) {
  const json_t *version = json_object_get(schema, "version");
  return !version || json_integer_value(version) == 1 || json_integer_value(version) == 2;
}

/* Groups of the schema's item i: of a column, then of a cross, last the intercept. */
static bool read_groups(const json_t *schema, size_t i, shape_group out[2]) {
  const json_t *list = json_object_get(schema, "columns");
  const json_t *crosses = json_object_get(schema, "crosses");
  size_t columns = json_array_size(list);
  out[0] = out[1] = (shape_group){0, 1, true};
  if (i < columns) {
    return read_column(schema, json_array_get(list, i), out);
  }
  if (i - columns < json_array_size(crosses)) {
    const json_t *cross = json_array_get(crosses, i - columns);
    return is_after_fit(cross) || read_cross(schema, cross, &out[0]);
  }
  out[0].width = has_intercept(schema);
  return true;
}

/* D is the root of the sum of squares of the weights: of all if rows are divided by it as they are,
 * else of those that are always there, and 1 at least. */
static bool read_shape(verifier *v, shape *out) {
  const json_t *schema = field_at(v->root, "schema"), *list = json_object_get(schema, "columns");
  const json_t *dims = field_at(v->root, "encoding.dims");
  const size_t items = json_array_size(list) + json_array_size(json_object_get(schema, "crosses"));
  bool fixed = field_is(schema, "rows", "fixed");
  interval squares = interval_of(0);
  *out = (shape){.sum = interval_of(0)};
  if (!known_version(schema) ||
      memory_new(2 * (items + 1), sizeof *out->list, &out->list, NULL) != DPERM_OK) {
    return false;
  }
  for (size_t i = 0; i <= items; i++) {
    shape_group group[2];
    if (!read_groups(schema, i, group)) {
      return false;
    }
    for (const shape_group *g = group; g < group + 2; g++) {
      if (g->width == 0) {
        continue;
      }
      if (!(g->weight > 0 && g->weight < 1e100)) {
        return false;
      }
      if (fixed || g->always) {
        interval w = interval_of(g->weight);
        squares = interval_add(squares, interval_mul(w, w));
      }
      out->list[out->groups++] = *g;
      out->blocks += g->width > 1;
      out->columns += g->width;
    }
  }
  out->divisor = interval_sqrt(squares);
  out->divisor = fixed ? out->divisor : interval_max(interval_of(1), out->divisor);
  for (size_t g = 0; g < out->groups; g++) {
    out->sum = interval_add(out->sum, radius_of(out, g));
  }
  bool known = fixed || field_is(schema, "rows", "clip") || !json_object_get(schema, "rows");
  return json_is_array(list) && known && out->groups > 0 && json_is_integer(dims) &&
         (unsigned long long)json_integer_value(dims) == out->columns + added_weights(v);
}

/* ---- R_K */

static bool of_schema(const verifier *v) {
  return field_is_null(v, "kernel") && field_is(v->root, "encoding.source", "schema");
}

static bool l2_bound(verifier *v, interval r2, interval *out) {
  *out = r2;
  return true;
}

/* sqrt(d) R2; of a schema's rows min(sqrt(G), sum of r_g). */
static bool l1_bound(verifier *v, interval r2, interval *out) {
  if (of_schema(v)) {
    OWNED(shape_clear) shape s = {0};
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
  OWNED(shape_clear) shape s = {0};
  *out = interval_of(1);
  return !of_schema(v) || read_shape(v, &s);
}

/* The weight that the file states for the noise of block or group i; 1 in files that state none. */
static double stated_weight(const verifier *v, size_t i) {
  const json_t *weights = field_at(v->root, "privacy.noise_weights");
  return weights ? json_number_value(json_array_get(weights, i)) : 1;
}

static bool stated_weights_clear(verifier *v, unsigned long long count, const char *each) {
  const json_t *weights = field_at(v->root, "privacy.noise_weights");
  bool clear = !weights || json_array_size(weights) == count;
  for (size_t i = 0; clear && i < count; i++) {
    clear = stated_weight(v, i) > 0 && stated_weight(v, i) < 1e100;
  }
  return clear ||
         fails(v, "noise_weights", "privacy.noise_weights are not %llu positive numbers, one a %s",
               count, each);
}

/* ---- mixed noise */

/* A term w |x_g|_1 or t |rest|_2 of the norm: weight and greatest length in a row, rounded up. */
typedef struct term {
  double weight, radius;
} term;

/* t: needed where columns stand alone, and nowhere else. */
static bool alone_weight(verifier *v, const shape *s, double *out) {
  *out = 0;
  if (s->groups > s->blocks) {
    return field_positive(v, "noise_weight", "privacy.noise_weight", out);
  }
  return field_is_null(v, "privacy.noise_weight") ||
         fails(v, "noise_weight", "privacy.noise_weight is of no column");
}

/* One for each block, and one for all columns that stand alone; their number. */
static size_t read_terms(const verifier *v, const shape *s, double t, term *out) {
  interval squares = interval_of(0);
  size_t count = 0;
  for (size_t g = 0; g < s->groups; g++) {
    const interval r = radius_of(s, g);
    if (s->list[g].width > 1) {
      out[count] = (term){stated_weight(v, count), interval_upper(r)};
      count++;
    } else {
      squares = interval_add(squares, interval_mul(r, r));
    }
  }
  out[count] = (term){t, interval_upper(interval_sqrt(squares))};
  return count + (s->groups > s->blocks);
}

/* sum of min(r, phi w)^2 less R2^2: its sign leads to the best phi, and nothing rests on it. */
static double excess(const term *terms, size_t count, double phi, double r2) {
  double sum = -r2 * r2;
  for (size_t i = 0; i < count; i++) {
    double x = phi * terms[i].weight < terms[i].radius ? phi * terms[i].weight : terms[i].radius;
    sum += x * x;
  }
  return sum;
}

/* The largest sum of w x with 0 <= x <= r and sum of x^2 <= R2^2 is at most the sum of w r; and for
 * every phi > 0 at most R2^2/(2 phi) + the sum of the largest w x - x^2/(2 phi) of each term. That
 * is w r - r^2/(2 phi) where phi w >= r, and w^2 phi/2 at most in any case. */
static interval largest_sum(const term *terms, size_t count, interval r2) {
  double low = 0, high = 0, radius = interval_upper(r2);
  for (size_t i = 0; i < count; i++) {
    double full = terms[i].radius / terms[i].weight;
    high = full > high ? full : high;
  }
  for (int i = 0; i < 200; i++) {
    double middle = low + (high - low) / 2;
    *(excess(terms, count, middle, radius) <= 0 ? &low : &high) = middle;
  }
  const interval phi = interval_of(high), twice = interval_add(phi, phi);
  interval dual = interval_div(interval_mul(r2, r2), twice), plain = interval_of(0);
  for (size_t i = 0; i < count; i++) {
    const interval w = interval_of(terms[i].weight), r = interval_of(terms[i].radius);
    const interval wr = interval_mul(w, r), rise = interval_mul(w, phi);
    interval most = interval_at_most(r, rise)
                        ? interval_sub(wr, interval_div(interval_mul(r, r), twice))
                        : interval_div(interval_mul(w, rise), interval_of(2));
    dual = interval_add(dual, most);
    plain = interval_add(plain, wr);
  }
  return interval_min(dual, plain);
}

/* |x| = sum over blocks of w_g |x_g|_1 + t |rest|_2. A block has one nonzero entry at most, so its
 * l1 norm is its l2 norm, and the squares of all of these sum up to R2^2 at most. */
static bool mixed_bound(verifier *v, interval r2, interval *out) {
  OWNED(shape_clear) shape s = {0};
  double t = 0;
  if (!of_schema(v) || !read_shape(v, &s) || s.blocks == 0 ||
      !stated_weights_clear(v, s.blocks, "block") || !alone_weight(v, &s, &t)) {
    return false;
  }
  OWNED_MEMORY term *terms = NULL;
  if (memory_new(s.blocks + 1, sizeof *terms, &terms, NULL) != DPERM_OK) {
    return false;
  }
  *out = largest_sum(terms, read_terms(v, &s, t, terms), r2);
  return true;
}

/* ---- gaussian noise */

/* sum of w² t over the groups, 0 <= t <= r², sum of t <= R2²: at most mu R2² + the sum of r² (w² -
 * mu) where that is above zero, for every mu >= 0. */
static interval squares_bound(const verifier *v, const shape *s, interval r2, interval mu) {
  interval sum = interval_mul(mu, interval_mul(r2, r2));
  for (size_t g = 0; g < s->groups; g++) {
    const interval r = radius_of(s, g), w = interval_of(stated_weight(v, g));
    interval over = interval_max(interval_of(0), interval_sub(interval_mul(w, w), mu));
    sum = interval_add(sum, interval_mul(interval_mul(r, r), over));
  }
  return sum;
}

/* |x|² = sum of w_g² |x_g|²; without weights |x|_2 itself, as for output perturbation. */
static bool gaussian_bound(verifier *v, interval r2, interval *out) {
  OWNED(shape_clear) shape s = {0};
  *out = r2;
  if (!field_at(v->root, "privacy.noise_weights")) {
    return true;
  }
  if (!of_schema(v) || !field_is(v->root, "privacy.mechanism", "objective") || !read_shape(v, &s) ||
      !stated_weights_clear(v, s.groups, "group")) {
    return false;
  }
  double least = stated_weight(v, 0);
  for (size_t i = 1; i < s.groups; i++) {
    least = fmin(least, stated_weight(v, i));
  }
  const interval w = interval_of(least), zero = interval_of(0);
  *out = interval_sqrt(
      interval_min(squares_bound(v, &s, r2, zero), squares_bound(v, &s, r2, interval_mul(w, w))));
  return true;
}

/* ---- what it says */

static const noise_shape shapes[] = {
    {"l2", true, false, l2_bound, NULL},          {"l1", false, false, l1_bound, "norm1"},
    {"group", false, false, body_bound, "body"},  {"linf", false, false, body_bound, "body"},
    {"mixed", false, false, mixed_bound, "body"}, {"gaussian", true, true, gaussian_bound, "body"}};

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
  interval rk = interval_of(INFINITY);
  if (kind && kind->line && row_bound(v, "body", &r2)) {
    bool clear = kind->row_bound(v, interval_of(r2), &rk);
    finding(v, clear, kind->line,
            clear ? "%s noise: |x| <= %s" : "how long a row is for %s noise is not clear (%s)",
            kind->name, shown(interval_upper(rk)).text);
  }
}
