/* The rows the proof speaks of: how long one can be, how many the fit saw, and what choosing among
 * candidates costs (privacy.md 1, 2 and 7). */
#include <stdio.h>
#include <string.h>

#include "verify/checks.h"
#include "verify/exact.h"

/* Pairs of cos and sin have norm 1 up to rounding (privacy.md 2). */
static const double features_norm = 1.0 + 0x1p-48;

const char *selection_method(const verifier *v) {
  const char *method = json_string_value(field_at(v->root, "selection.method"));
  return method ? method : "";
}

static bool stopping(const verifier *v) {
  return strcmp(selection_method(v), "stopping") == 0;
}

const char *fit_epsilon_name(const verifier *v) {
  return stopping(v) ? "epsilon_round" : row_epsilon_name(v);
}

bool fit_epsilon(verifier *v, const char *name, double *out) {
  return stopping(v) ? field_positive(v, name, "selection.epsilon_round", out)
                     : row_epsilon(v, name, out);
}

/* ---- the bound on a row */

bool row_bound(verifier *v, const char *name, double *out) {
  if (field_is_object(v, "kernel")) {
    *out = features_norm;
    return true;
  }
  return field_is_null(v, "kernel") ? field_positive(v, name, "encoding.norm", out)
                                    : finding_report(v, false, name, "kernel is not clear");
}

/* The norm is 1 whatever the directions; but a kind that is not known here may not be what it says.
 */
static void check_directions(verifier *v, bool gaussian) {
  const char *kind = NULL;
  uint64_t dims = 0;
  if (field_text(v, "kernel", "kernel.kind", &kind) &&
      field_count(v, "kernel", "encoding.dims", &dims)) {
    bool fast = strcmp(kind, "hadamard") == 0;
    bool known = fast || strcmp(kind, "iid") == 0 || strcmp(kind, "orthogonal") == 0;
    if (!known || (fast && !(gaussian && dims >= 64))) {
      (void)finding_report(v, false, "kernel",
                           known
                               ? "%.60s directions are for gaussian kernels over 64 columns or more"
                               : "%.60s directions are not known here",
                           kind);
    }
  }
}

static void check_kernel(verifier *v) {
  const char *kernel = NULL;
  uint64_t features = 0;
  if (field_text(v, "kernel", "kernel.name", &kernel) &&
      field_count(v, "kernel", "kernel.features", &features)) {
    bool known = strcmp(kernel, "gaussian") == 0 || strcmp(kernel, "laplacian") == 0 ||
                 strcmp(kernel, "cauchy") == 0;
    (void)finding_report(v, known && features % 2 == 0, "kernel",
                         known ? "%.60s, %llu features in pairs of cos and sin: |x|_2 <= 1 + 2^-48"
                               : "%.60s is not known here (%llu features)",
                         kernel, (unsigned long long)features);
    check_directions(v, strcmp(kernel, "gaussian") == 0);
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
    (void)finding_report(v, memory || (file && norm == 1), "norm",
                         memory || file ? "rows from %.60s have |x|_2 <= %s%s"
                                        : "rows from %.60s (norm %s) are not known here%s",
                         source, shown(norm).text, file && norm != 1 ? "; it must be 1" : "");
  }
  if (!field_is_null(v, "kernel")) {
    check_kernel(v);
  }
}

/* Were rows with missing values dropped, n would depend on the records. */
void check_missing_values(verifier *v) {
  const char *source = json_string_value(field_at(v->root, "encoding.source"));
  const json_t *rule = field_at(v->root, "schema.on_missing");
  const char *word = rule ? json_string_value(rule) : "zero";
  if (!source || strcmp(source, "schema") != 0) {
    return;
  }
  if (!field_is_object(v, "schema")) {
    (void)finding_report(v, false, "on_missing", "schema is not there");
    return;
  }
  bool kept = word && (strcmp(word, "zero") == 0 || strcmp(word, "category") == 0);
  (void)finding_report(v, kept, "on_missing",
                       kept ? "%.60s: no row is dropped, n does not depend on the records"
                            : "%.60s: the number of rows may depend on the records",
                       word ? word : "not a text");
}

/* ---- the number of rows */

static void check_split_rows(verifier *v, uint64_t rows, uint64_t fitted) {
  uint64_t portion = 0, candidates = json_array_size(field_at(v->root, "selection.candidates"));
  if (field_count(v, "rows_fitted", "selection.portion", &portion)) {
    (void)finding_report(v, portion == rows / (candidates + 1) && fitted == portion, "rows_fitted",
                         "%llu, a portion of %llu; %llu rows in %llu + 1 portions give %llu each",
                         (unsigned long long)fitted, (unsigned long long)portion,
                         (unsigned long long)rows, (unsigned long long)candidates,
                         (unsigned long long)(rows / (candidates + 1)));
  }
}

void check_rows(verifier *v) {
  uint64_t rows = 0, fitted = 0, holdout = 0;
  if (!field_count(v, "rows_fitted", "rows", &rows) ||
      !field_count(v, "rows_fitted", "rows_fitted", &fitted)) {
    return;
  }
  if (strcmp(selection_method(v), "split") == 0) {
    check_split_rows(v, rows, fitted);
  } else if (stopping(v)) {
    if (field_count(v, "rows_fitted", "selection.holdout_rows", &holdout)) {
      (void)finding_report(v, holdout < rows && fitted == rows - holdout, "rows_fitted",
                           "n = %llu; %llu rows less %llu held out", (unsigned long long)fitted,
                           (unsigned long long)rows, (unsigned long long)holdout);
    }
  } else {
    (void)finding_report(v, fitted == rows, "rows_fitted", "n = %llu of %llu rows",
                         (unsigned long long)fitted, (unsigned long long)rows);
  }
}

/* ---- the choice */

static void check_split(verifier *v) {
  const char *selector = NULL;
  double epsilon = 0;
  if (field_text(v, "selection", "selection.selector", &selector) &&
      fit_epsilon(v, "selection", &epsilon)) {
    bool known = strcmp(selector, "permute-and-flip") == 0 || strcmp(selector, "exponential") == 0;
    (void)finding_report(v, known, "selection",
                         known ? "disjoint portions: a record touches one fit or the choice "
                                 "(%.60s), each at epsilon = %s"
                               : "selector %.60s is not known here (epsilon = %s)",
                         selector, shown(epsilon).text);
  }
}

/* 2 eps of a round for logarithmic K, 3 for geometric (privacy.md 7); the mean of K enters delta.
 */
static void check_stopping(verifier *v) {
  const char *rounds = NULL;
  double round = 0, epsilon = 0, mean = 0;
  if (!field_text(v, "selection", "selection.rounds", &rounds) ||
      !field_positive(v, "selection", "selection.epsilon_round", &round) ||
      !row_epsilon(v, "selection", &epsilon) ||
      !field_positive(v, "selection", "selection.rounds_mean", &mean)) {
    return;
  }
  bool geometric = strcmp(rounds, "geometric") == 0;
  unsigned long factor = geometric ? 3 : 2;
  if (!geometric && strcmp(rounds, "logarithmic") != 0) {
    (void)finding_report(v, false, "selection", "rounds %.60s are not known here", rounds);
    return;
  }
  bool covered = exact_sum_at_most(0, factor, round, epsilon);
  (void)finding_report(v, covered, "selection",
                       "random stopping, %s rounds: %lu epsilon_round = %s %s %s = %s", rounds,
                       factor, shown(exact_sum_upper(0, factor, round)).text, covered ? "<=" : ">",
                       row_epsilon_name(v), shown(epsilon).text);
}

/* Whether a candidate's member is what was fitted; null stands for "does not apply". */
static bool same_value(const json_t *a, const json_t *b) {
  if (json_is_number(a) && json_is_number(b)) {
    return json_number_value(a) == json_number_value(b);
  }
  return a && b && json_equal(a, b);
}

static bool is_automatic(const json_t *value) {
  const char *word = json_string_value(value);
  return word && strcmp(word, "auto") == 0;
}

static void check_chosen(verifier *v) {
  static const char *const pairs[][2] = {{"loss", "loss.name"},
                                         {"h", "loss.h"},
                                         {"lambda", "privacy.lambda"},
                                         {"gamma", "kernel.gamma"},
                                         {"features", "kernel.features"}};
  const json_t *candidates = field_at(v->root, "selection.candidates");
  const json_t *chosen = field_at(v->root, "selection.chosen");
  json_int_t index = json_integer_value(chosen);
  size_t count = json_array_size(candidates);
  if (!json_is_integer(chosen) || index < 0 || (uint64_t)index >= count) {
    (void)finding_report(v, false, "chosen", "selection.chosen is none of the %zu candidates",
                         count);
    return;
  }
  const json_t *candidate = json_array_get(candidates, (size_t)index);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    const json_t *offered = json_object_get(candidate, pairs[i][0]);
    const json_t *fitted = field_at(v->root, pairs[i][1]);
    bool no_kernel = i >= 3 && field_is_null(v, "kernel") && json_is_null(offered);
    if (!no_kernel && !same_value(offered, fitted) && !(i == 2 && is_automatic(offered))) {
      (void)finding_report(v, false, "chosen", "candidate %zu has another %s than %s",
                           (size_t)index, pairs[i][0], pairs[i][1]);
      return;
    }
  }
  (void)finding_report(v, true, "chosen", "candidate %zu of %zu is the one that was fitted",
                       (size_t)index, count);
}

void check_selection(verifier *v) {
  const char *method = selection_method(v);
  uint64_t public_rows = 0;
  if (field_is_null(v, "selection")) {
    (void)finding_report(v, true, "selection", "none: all of epsilon goes to %s",
                         class_fits_of(v) > 1 ? "the classes' fits" : "one fit");
    return;
  }
  if (strcmp(method, "split") == 0) {
    check_split(v);
  } else if (strcmp(method, "stopping") == 0) {
    check_stopping(v);
  } else if (strcmp(method, "public") != 0) {
    (void)finding_report(v, false, "selection", "its method \"%.60s\" is not known here", method);
    return;
  } else if (field_count(v, "selection", "selection.public_rows", &public_rows)) {
    (void)finding_report(v, true, "selection", "on %llu rows that are public: costs nothing",
                         (unsigned long long)public_rows);
  }
  check_chosen(v);
}
