/* The rows the proof speaks of: how long one can be, how many the fit saw, and what choosing among
 * candidates costs (privacy.md 1, 2 and 7). */
#include <math.h>
#include <string.h>

#include "verify/checks.h"

/* The norm is 1 whatever the directions are. */
static void check_kernel(verifier *v) {
  static const char *const kernels[] = {"gaussian", "laplacian", "cauchy", NULL};
  const char *kernel = NULL;
  unsigned long long features = 0;
  if (field_text(v, "kernel", "kernel.name", &kernel) &&
      field_count(v, "kernel", "kernel.features", &features)) {
    bool known = field_among(v->root, "kernel.name", kernels);
    finding(v, known && features % 2 == 0, "kernel",
            "%.60s, %llu features in pairs of cos and sin: |x|_2 <= 1 + 2^-48", kernel, features);
  }
}

/* Both row rules of a schema, and the reader of svmlight, end at norm 1; rows from memory are
 * scaled to the norm that the caller declared. */
void check_norm(verifier *v) {
  const char *source = NULL;
  double norm = 0;
  if (field_text(v, "norm", "encoding.source", &source) &&
      field_positive(v, "norm", "encoding.norm", &norm)) {
    bool memory = strcmp(source, "memory") == 0;
    bool file = strcmp(source, "schema") == 0 || strcmp(source, "svmlight") == 0;
    finding(v, memory || (file && norm == 1), "norm", "rows from %.60s have |x|_2 <= %s", source,
            shown(norm).text);
  }
  if (!field_is_null(v, "kernel")) {
    check_kernel(v);
  }
}

/* Were rows with missing values dropped, n would depend on the records. */
void check_missing_values(verifier *v) {
  static const char *const kept_by[] = {"zero", "category", NULL};
  if (field_is(v->root, "encoding.source", "schema")) {
    bool kept =
        field_is_object(v, "schema") && (!field_at(v->root, "schema.on_missing") ||
                                         field_among(v->root, "schema.on_missing", kept_by));
    finding(v, kept, "on_missing", "no row is dropped, so their number depends on no record");
  }
}

/* ---- the number of rows */

bool by_adding(const verifier *v) {
  return field_is(v->root, "privacy.neighbours", "add-remove");
}

const char *rows_field(const verifier *v) {
  return by_adding(v) ? "rows_about" : "rows";
}

const char *fitted_field(const verifier *v) {
  return by_adding(v) ? "rows_about_fitted" : "rows_fitted";
}

void check_rows(verifier *v) {
  bool split = selected_by(v, "split"), stops = selected_by(v, "stopping");
  unsigned long long rows = 0, fitted = 0, held = 0, portion = 0;
  if (by_adding(v)) { /* nothing may tell how many records there were */
    bool silent = (field_is_null(v, "rows") || !field_at(v->root, "rows")) &&
                  (field_is_null(v, "rows_fitted") || !field_at(v->root, "rows_fitted"));
    finding(v, silent, "rows", "null: how many records there were is private too");
  }
  if (!field_count(v, fitted_field(v), rows_field(v), &rows) ||
      !field_count(v, fitted_field(v), fitted_field(v), &fitted) ||
      (split && !field_count(v, fitted_field(v), "selection.portion", &portion)) ||
      (stops && !field_count(v, fitted_field(v), "selection.holdout_rows", &held))) {
    return;
  }
  const unsigned long long portions =
                               json_array_size(field_at(v->root, "selection.candidates")) + 1,
                           kept = rows - held_out_of(v, rows); /* from the evaluation */
  bool right = split ? portion == kept / portions && fitted == portion
                     : held < kept && fitted == kept - held;
  finding(v, right, fitted_field(v), "n = %llu of %llu rows%s%s", fitted, rows,
          kept < rows ? ", less those that were held out for the evaluation" : "",
          split   ? ", one of equal portions for candidates and the choice"
          : stops ? ", less those held out"
                  : "");
}

/* ---- the choice */

static void check_split(verifier *v) {
  static const char *const selectors[] = {"permute-and-flip", "exponential", NULL};
  const char *selector = NULL;
  double epsilon = 0;
  if (field_text(v, "selection", "selection.selector", &selector) &&
      field_positive(v, "selection", fit_epsilon(v), &epsilon)) {
    bool known = field_among(v->root, "selection.selector", selectors);
    finding(v, known, "selection",
            "disjoint portions: a record touches one fit or the choice (%.60s), each at epsilon "
            "= %s",
            selector, shown(epsilon).text);
  }
}

/* 2 eps of a round for logarithmic K, 3 for geometric (privacy.md 7); K's mean enters delta. */
static void check_stopping(verifier *v) {
  const char *rounds = NULL;
  double round = 0, mean = 0;
  if (!field_text(v, "selection", "selection.rounds", &rounds) ||
      !field_positive(v, "selection", "selection.epsilon_round", &round) ||
      !field_positive(v, "selection", "selection.rounds_mean", &mean)) {
    return;
  }
  int factor = strcmp(rounds, "geometric") == 0 ? 3 : strcmp(rounds, "logarithmic") == 0 ? 2 : 0;
  if (factor == 0) {
    fails(v, "selection", "rounds %.60s are not known here", rounds);
    return;
  }
  finding_covered(v, "selection", true, interval_mul(interval_of(factor), interval_of(round)),
                  row_epsilon(v), "random stopping, %s rounds: %d epsilon_round", rounds, factor);
}

/* Whether a candidate's member is what was fitted. What may be left to dperm ("auto") is then open;
 * files from before the `later` members lack them. */
static bool fits_offer(const json_t *offered, const json_t *fitted, bool open, bool later) {
  const char *word = json_string_value(offered);
  if (!offered || (open && word && strcmp(word, "auto") == 0)) {
    return offered || later;
  }
  if (!fitted || json_is_null(fitted)) {
    return json_is_null(offered);
  }
  return json_is_number(offered) && json_is_number(fitted)
             ? json_number_value(offered) == json_number_value(fitted)
             : json_equal(offered, fitted);
}

/* ---- the candidates */

static bool positive_number(const json_t *value) {
  double x = json_number_value(value);
  return json_is_number(value) && x > 0 && x < (double)INFINITY;
}

/* Noise that is known, and goes with the mechanism. Gaussian noise of any candidate that the
 * records may have chosen spends a delta, which the claim must then have. */
static bool noise_good(const verifier *v, const json_t *candidate) {
  const noise_shape *kind =
      noise_shape_find(json_string_value(json_object_get(candidate, "noise")));
  double delta = json_number_value(field_at(v->root, "privacy.delta"));
  double numerics = json_number_value(field_at(v->root, "privacy.numerics.delta"));
  bool paid = selected_by(v, "public") || !kind || !kind->gaussian || delta > numerics;
  return field_is(candidate, "noise", "auto") ||
         (kind && paid && (kind->output || !field_is(candidate, "mechanism", "output")));
}

static bool loss_good(const json_t *candidate) {
  const char *name = json_string_value(json_object_get(candidate, "loss"));
  const json_t *h = json_object_get(candidate, "h");
  const known_loss *known = name ? known_loss_find(name) : NULL;
  return name && (!known         ? json_is_null(h) || json_is_number(h)
                  : known->has_h ? positive_number(h)
                                 : json_is_null(h));
}

static bool kernel_good(const json_t *candidate) {
  const json_t *gamma = json_object_get(candidate, "gamma"),
               *features = json_object_get(candidate, "features");
  json_int_t count = json_integer_value(features);
  return (json_is_null(gamma) && json_is_null(features)) ||
         (positive_number(gamma) && count > 0 && count % 2 == 0);
}

static bool multiclass_good(const verifier *v, const json_t *candidate) {
  bool joint = field_is(candidate, "multiclass", "joint");
  bool several = class_fits_of(v) > 1;
  if (json_is_null(json_object_get(candidate, "multiclass"))) {
    return !several;
  }
  return several && (joint ? field_is(candidate, "loss", "logistic")
                           : field_is(candidate, "multiclass", "one-vs-rest"));
}

/* What is wrong with a candidate that was fitted to the records, or might have been: its member's
 * name, or NULL. Files from before there were the first three members do not have them. */
static const char *wrong_member(const verifier *v, const json_t *candidate) {
  static const char *const mechanisms[] = {"objective", "output", "descent", NULL};
  const json_t *weights = json_object_get(candidate, "class_weights"), *weight = NULL;
  const char *name = NULL;
  json_object_foreach((json_t *)weights, name, weight) {
    if (!positive_number(weight)) {
      return "class_weights";
    }
  }
  return json_object_get(candidate, "mechanism") && !field_among(candidate, "mechanism", mechanisms)
             ? "mechanism"
         : json_object_get(candidate, "noise") && !noise_good(v, candidate)           ? "noise"
         : json_object_get(candidate, "multiclass") && !multiclass_good(v, candidate) ? "multiclass"
         : !loss_good(candidate)                                                      ? "loss"
         : !field_is(candidate, "lambda", "auto") &&
                 !positive_number(json_object_get(candidate, "lambda"))
             ? "lambda"
         : !kernel_good(candidate)             ? "kernel"
         : weights && !json_is_object(weights) ? "class_weights"
                                               : NULL;
}

/* A candidate that is not private makes the choice so, whichever was chosen (privacy.md 8.6). */
static void check_candidates(verifier *v) {
  const json_t *candidates = field_at(v->root, "selection.candidates");
  size_t count = json_array_size(candidates);
  for (size_t i = 0; i < count; i++) {
    const char *wrong = wrong_member(v, json_array_get(candidates, i));
    if (wrong) {
      fails(v, "candidates",
            "candidate %zu has a %s that no private fit has, and the choice looked at it", i,
            wrong);
      return;
    }
  }
  finding(v, count > 0, "candidates", "%zu, each with a private mechanism", count);
}

static void check_chosen(verifier *v) {
  static const char *const pairs[][2] = {
      {"loss", "loss.name"},           {"h", "loss.h"},
      {"lambda", "privacy.lambda"},    {"gamma", "kernel.gamma"},
      {"features", "kernel.features"}, {"mechanism", "privacy.mechanism"}, /* later: */
      {"noise", "privacy.noise"},      {"multiclass", "multiclass"}};
  const json_t *candidates = field_at(v->root, "selection.candidates");
  const json_t *chosen = field_at(v->root, "selection.chosen");
  json_int_t index = json_integer_value(chosen);
  size_t count = json_array_size(candidates);
  if (!json_is_integer(chosen) || index < 0 || (unsigned long long)index >= count) {
    fails(v, "chosen", "selection.chosen is none of the %zu candidates", count);
    return;
  }
  const json_t *candidate = json_array_get(candidates, (size_t)index);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    const json_t *offered = json_object_get(candidate, pairs[i][0]);
    const json_t *fitted = field_at(v->root, pairs[i][1]);
    const bool descent = i == 5 && field_is(candidate, "mechanism", "objective") &&
                         field_is(v->root, "privacy.mechanism", "descent"); /* what it comes to */
    if (!descent && !fits_offer(offered, fitted, i == 2 || i >= 5, i >= 5)) {
      fails(v, "chosen", "candidate %zu has another %s than %s", (size_t)index, pairs[i][0],
            pairs[i][1]);
      return;
    }
  }
  finding(v, true, "chosen", "candidate %zu of %zu is the one that was fitted", (size_t)index,
          count);
}

void check_selection(verifier *v) {
  const char *method = json_string_value(field_at(v->root, "selection.method"));
  unsigned long long public_rows = 0;
  if (field_is_null(v, "selection")) {
    finding(v, true, "selection", "none: all of epsilon goes to %s",
            class_fits_of(v) > 1 ? "the classes' fits" : "one fit");
    return;
  }
  if (selected_by(v, "split")) {
    check_split(v);
  } else if (selected_by(v, "stopping")) {
    check_stopping(v);
  } else if (!selected_by(v, "public")) {
    fails(v, "selection", "its method \"%.60s\" is not known here", method ? method : "");
    return;
  } else if (field_count(v, "selection", "selection.public_rows", &public_rows)) {
    finding(v, true, "selection", "on %llu rows that are public: costs nothing", public_rows);
  }
  check_candidates(v);
  check_chosen(v);
}
