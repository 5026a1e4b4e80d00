/* How epsilon is divided, and for whom the claim is.
 *
 * For one record, or for a person with at most K of them: the second follows from the first at
 * epsilon/K by group privacy (privacy.md 8.4), as K neighbours lead from a data set to one without
 * that person.
 *
 * A schema that was refined from records cost some of epsilon before the fit; both add up
 * (privacy.md 8.9), for one unit and one kind of neighbours.
 *
 * Other shares of epsilon were spent after the fit, each on a release that is private by itself and
 * made from the weights that are released before it, so that they add up too: the temperature of
 * the model's probabilities (docs/proofs/calibration.md), one of a public grid; a pair of columns
 * and its table (docs/proofs/pairs.md), which is the one cross of the schema after the fit.
 *
 * Several classes: a fit for each against all others, and every record is in each of them, so their
 * epsilons add up (privacy.md 8.2), and so do the odds that the noise of one is too long. Or one
 * fit of all of them, which has all of epsilon, with noise for each (docs/proofs/softmax.md).
 *
 * Weights of classes: a record's loss counts w times, so its slope and curvature are w times as
 * large, and L and c bound them for w at most 1 and for no other (docs/proofs/weights.md). */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "verify/checks.h"

enum { CLASSES_MOST = 1000 };
static const double share_least = 1e-12; /* for one row: noise is drawn for no less */

/* ---- what was spent after the fit */

/* b^4 is 2^j up to the rounding of b to a double, and j between the ends that this dperm has. */
static bool on_grid(verifier *v, double b) {
  const json_t *j = field_at(v->root, "calibration.quarter_octaves");
  const json_t *grid = field_at(v->root, "calibration.grid");
  json_int_t place = json_integer_value(j);
  if (!json_is_integer(j) || place < -8 || place > 24 || json_array_size(grid) != 2 ||
      json_integer_value(json_array_get(grid, 0)) != -8 ||
      json_integer_value(json_array_get(grid, 1)) != 24) {
    return false;
  }
  const interval square = interval_mul(interval_of(b), interval_of(b));
  return interval_near(interval_mul(square, square), interval_of(ldexp(1, (int)place)), 0x1p-50);
}

/* In one fit of a loss that has probabilities. */
static bool calibration_known(verifier *v, char words[SHARE_WORDS]) {
  double b = 0;
  if (!field_positive(v, "calibration", "calibration.inverse_temperature", &b)) {
    return false;
  }
  bool known = on_grid(v, b);
  bool one_fit = field_is(v->root, "loss.name", "logistic") &&
                 (class_fits_of(v) == 1 || classes_joint(v)) && !field_is_object(v, "selection");
  (void)snprintf(words, SHARE_WORDS,
                 "inverse temperature %s of the public grid, chosen for logistic loss in one fit",
                 shown(b).text);
  return known && one_fit;
}

/* One cross after the fit, "a*b", of two classes, no features, in one fit; or none, and null. */
static bool pairs_known(verifier *v, char words[SHARE_WORDS]) {
  const json_t *crosses = field_at(v->root, "schema.crosses"), *cross = NULL;
  const char *stated = json_string_value(field_at(v->root, "pairs.pair"));
  char own[SHARE_WORDS] = "";
  size_t i, count = 0;
  json_array_foreach(crosses, i, cross) {
    const json_t *pair = json_object_get(cross, "columns");
    if (json_is_true(json_object_get(cross, "after_fit"))) {
      const char *a = json_string_value(json_array_get(pair, 0)),
                 *b = json_string_value(json_array_get(pair, 1));
      (void)snprintf(own, sizeof own, "%s*%s", a ? a : "", b ? b : "");
      count++;
    }
  }
  (void)snprintf(words, SHARE_WORDS, "%.60s, with a table of %llu cells after the fit",
                 stated ? stated : "no pair of columns", added_weights(v));
  bool same = stated ? count == 1 && strncmp(own, stated, sizeof own - 1) == 0
                     : count == 0 && json_is_null(field_at(v->root, "pairs.pair"));
  same = same && json_object_size(json_object_get(v->root, "pairs")) == 2; /* and epsilon */
  return same && class_fits_of(v) == 1 && !field_is_object(v, "kernel") &&
         !selected_by(v, "stopping");
}

/* The shares that this dperm knows: the object that states one, with its epsilon, and whether it
 * may state what it does, in words (none where a field is not clear, which has its own line). */
static const struct spent_share {
  const char *file;
  bool (*known)(verifier *v, char words[SHARE_WORDS]);
} spent_shares[] = {
    {"calibration", calibration_known},
    {"pairs", pairs_known},
    {"intervals", intervals_known},
};
enum { SPENT_SHARES = sizeof spent_shares / sizeof *spent_shares };

static bool share_epsilon(verifier *v, const char *name, const struct spent_share *share,
                          double *out) {
  char path[64];
  (void)snprintf(path, sizeof path, "%s.epsilon", share->file);
  *out = 0;
  return !field_at(v->root, share->file) || field_positive(v, name, path, out);
}

/* The run that asked the records knew their answer, and had paid for every one; a run that was
 * charged for less than it claims counts the dearest answer. */
const char *refined_cost(const verifier *v) {
  const double whole = json_number_value(field_at(v->root, "privacy.epsilon")),
               charged = json_number_value(field_at(v->root, "privacy.epsilon_charged"));
  return charged < whole && field_at(v->root, "schema.refined.later") ? "schema.refined.later"
                                                                      : "schema.refined.epsilon";
}

bool read_parts(verifier *v, const char *name, epsilon_parts *out) {
  *out = (epsilon_parts){.after_fit = interval_of(0)};
  for (size_t i = 0; i < SPENT_SHARES; i++) {
    double cost = 0;
    if (!share_epsilon(v, name, &spent_shares[i], &cost)) {
      return false;
    }
    out->after_fit = interval_add(out->after_fit, interval_of(cost));
  }
  double row = 0;
  if ((field_at(v->root, "schema.refined") &&
       !field_positive(v, name, refined_cost(v), &out->refined)) ||
      !unit_rows(v, name, &out->rows) || !field_positive(v, name, row_epsilon(v), &row) ||
      !field_positive(v, name, "privacy.epsilon", &out->whole)) {
    return false;
  }
  out->fits = interval_mul(interval_of((double)out->rows), interval_of(row));
  if (field_at(v->root, "privacy.composed")) {
    out->composed = out->refined;
    out->refined = 0;
  }
  return true;
}

/* Whoever states an epsilon beside these spent one that the sum does not have. */
static void check_unknown_shares(verifier *v) {
  const char *name;
  json_t *object;
  json_object_foreach((json_t *)v->root, name, object) { /* which it does not change */
    bool known = strcmp(name, "privacy") == 0 || strcmp(name, "evaluation") == 0;
    for (size_t i = 0; i < SPENT_SHARES; i++) {
      known = known || strcmp(name, spent_shares[i].file) == 0;
    }
    if (!known && json_object_get(object, "epsilon")) {
      (void)fails(v, "shares",
                  "\"%.40s\" states an epsilon of a kind that is not known here; verify with the "
                  "version that made the model",
                  name);
    }
  }
}

void check_spent_shares(verifier *v) {
  check_unknown_shares(v);
  if (added_weights(v) > 0 && !field_at(v->root, "pairs")) {
    (void)fails(v, "pairs", "the schema has a cross after the fit, and nothing says what it cost");
  }
  for (const struct spent_share *s = spent_shares; s < spent_shares + SPENT_SHARES; s++) {
    double cost = 0;
    epsilon_parts p;
    char words[SHARE_WORDS] = "";
    if (!field_at(v->root, s->file) || !share_epsilon(v, s->file, s, &cost) ||
        !read_parts(v, s->file, &p)) {
      continue;
    }
    interval sum = interval_add(interval_add(interval_of(p.refined), p.after_fit), p.fits);
    bool known = s->known(v, words) && cost / (double)p.rows >= share_least;
    if (words[0]) {
      finding_covered(v, s->file, known, sum, "privacy.epsilon",
                      "%s for %s; with %llu epsilon_row and all other shares that", words,
                      shown(cost).text, p.rows);
    }
  }
}

bool finding_covered(verifier *v, const char *line, bool also, interval sum, const char *within,
                     const char *format, ...) {
  char what[2 * SHARE_WORDS];
  double bound = 0;
  va_list args;
  va_start(args, format);
  (void)vsnprintf(what, sizeof what, format, args);
  va_end(args);
  if (!field_positive(v, line, within, &bound)) {
    return false;
  }
  bool covered = interval_at_most(sum, interval_of(bound));
  return finding(v, covered && also, line, "%s = %s <= %s = %s", what,
                 shown(interval_upper(sum)).text, strrchr(within, '.') + 1, shown(bound).text);
}

/* ---- who gets which part */

bool selected_by(const verifier *v, const char *method) {
  return field_is(v->root, "selection.method", method);
}

bool unit_rows(verifier *v, const char *name, unsigned long long *out) {
  *out = 1;
  return person_rows(v) > 0 || !field_at(v->root, "privacy.rows_per_person") ||
         field_count(v, name, "privacy.rows_per_person", out);
}

bool unit_is_person(const verifier *v) {
  return json_integer_value(field_at(v->root, "privacy.rows_per_person")) > 1;
}

unsigned long long person_rows(const verifier *v) {
  const json_t *rows = field_at(v->root, "privacy.person_rows");
  return field_is(v->root, "privacy.person_rule", "mean") && json_integer_value(rows) > 0
             ? (unsigned long long)json_integer_value(rows)
             : 0;
}

/* Of what was taken for one record: that the schema says whose records are whose, and that no more
 * of them count than the noise was made for (docs/proofs/persons.md). */
static void check_persons(verifier *v, const epsilon_parts *p) {
  const json_t *most = field_at(v->root, "schema.rows_per_person");
  const unsigned long long rows = person_rows(v);
  const char *column = json_string_value(field_at(v->root, "schema.person"));
  const json_t *unit = field_at(v->root, "privacy.rows_per_person");
  bool any_number = json_is_integer(unit) && json_integer_value(unit) == 0;
  bool same = !most ? rows == 100 : (unsigned long long)json_integer_value(most) == rows;
  bool right = field_is(v->root, "privacy.unit", "person") && column && same && rows >= 1 &&
               rows <= 1000 && any_number && interval_at_most(p->fits, interval_of(p->whole));
  finding(v, right, "unit",
          "person: the mean over at most %llu records of each, whom \"%.60s\" tells apart, counts "
          "as one record",
          rows, column ? column : "");
}

/* Files from before there were persons have no epsilon_row. */
const char *row_epsilon(const verifier *v) {
  return field_at(v->root, "privacy.epsilon_row") ? "privacy.epsilon_row" : "privacy.epsilon";
}

const char *fit_epsilon(const verifier *v) {
  return selected_by(v, "stopping") ? "selection.epsilon_round" : row_epsilon(v);
}

size_t class_fits_of(const verifier *v) {
  size_t classes = json_array_size(json_object_get(v->root, "classes"));
  return classes > 2 ? classes : 1;
}

bool classes_joint(const verifier *v) {
  return class_fits_of(v) > 1 && field_is(v->root, "multiclass", "joint");
}

const char *class_epsilon(const verifier *v) {
  return class_fits_of(v) > 1 ? "privacy.epsilon_class" : fit_epsilon(v);
}

/* ---- lines */

void check_unit(verifier *v) {
  const json_t *stated = field_at(v->root, "privacy.unit");
  const char *unit = stated ? json_string_value(stated) : "row";
  epsilon_parts p;
  if (!read_parts(v, "unit", &p)) {
    return;
  }
  if (field_at(v->root, "privacy.person_rule") || field_at(v->root, "schema.person")) {
    check_persons(v, &p);
    return;
  }
  bool covered = interval_at_most(p.fits, interval_of(p.whole));
  bool right = covered && unit && strcmp(unit, p.rows == 1 ? "row" : "person") == 0;
  unit = unit ? unit : "not a text";
  if (p.rows == 1) {
    finding(v, right, "unit", "%.60s: the claim is for one record, at epsilon_row or more", unit);
  } else {
    finding_covered(v, "unit", right, p.fits, "privacy.epsilon",
                    "%.60s with at most %llu rows: %llu epsilon_row", unit, p.rows, p.rows);
  }
}

/* A regression has the range of its label instead, the schema's where there is one. */
static bool range_fits(verifier *v) {
  double ends[2] = {0, 0}, own[2] = {0, 0};
  bool known = field_number(v, "label", "label.min", &ends[0]) &&
               field_number(v, "label", "label.max", &ends[1]);
  if (known && field_is_object(v, "schema")) {
    known = field_number(v, "label", "schema.label.min", &own[0]) &&
            field_number(v, "label", "schema.label.max", &own[1]);
    known = known && (own[0] == ends[0] && own[1] == ends[1]);
  }
  const bool none = json_array_size(json_object_get(v->root, "classes")) == 0 &&
                    !field_at(v->root, "class_weights");
  return finding(v, known && none && ends[0] < ends[1], "label",
                 "a number, clamped to a public range; weights are for its distance from the "
                 "middle, in halves of that");
}

/* As many as the schema's label has, where there is a schema that says. */
static bool names_fit(verifier *v) {
  if (field_at(v->root, "label")) {
    return range_fits(v);
  }
  size_t count = json_array_size(json_object_get(v->root, "classes"));
  const json_t *label = field_at(v->root, "schema.label");
  const json_t *listed = json_object_get(label, "classes");
  size_t known = json_is_array(listed)                ? json_array_size(listed)
                 : json_is_object(listed)             ? json_object_size(listed)
                 : json_object_get(label, "positive") ? 2
                                                      : count;
  return (count >= 2 && count == known) ||
         fails(v, "classes", "%zu names, where %zu are expected", count, known >= 2 ? known : 2);
}

/* How more than two are learned must be said in words that are known here, where it is said. */
static bool multiclass_known(verifier *v) {
  bool stated = field_at(v->root, "multiclass"), several = class_fits_of(v) > 1;
  bool known = classes_joint(v) || field_is(v->root, "multiclass", "one-vs-rest");
  return !stated || (several && known) ||
         fails(v, "classes",
               "multiclass is neither \"joint\" nor \"one-vs-rest\", or there are two classes");
}

/* A model of one fit has nothing to divide. */
void check_classes(verifier *v) {
  size_t count = class_fits_of(v), fits = classes_joint(v) ? 1 : count;
  double share = 0;
  if (names_fit(v) && multiclass_known(v) && count > 1 &&
      field_positive(v, "classes", class_epsilon(v), &share)) {
    interval sum = interval_mul(interval_of((double)fits), interval_of(share));
    finding_covered(
        v, "classes", count <= CLASSES_MOST, sum, fit_epsilon(v), "%s %zu: %zu epsilon_class",
        classes_joint(v) ? "one fit for all" : "one against the rest for each of", count, fits);
  }
}

/* Without weights all classes count alike. */
void check_class_weights(verifier *v) {
  const json_t *weights = json_object_get(v->root, "class_weights");
  size_t count = json_array_size(json_object_get(v->root, "classes"));
  double most = 0, least = 1;
  bool numbers = json_is_array(weights) && json_array_size(weights) == count;
  for (size_t i = 0; numbers && i < count; i++) {
    const json_t *weight = json_array_get(weights, i);
    double value = json_number_value(weight);
    numbers = json_is_number(weight) && value > 0; /* a NaN is not */
    most = value > most ? value : most;
    least = value < least ? value : least;
  }
  if (weights) {
    finding(v, numbers && most <= 1, "class_weights",
            "from %s to %s, so L and c hold for every record", shown(least).text, shown(most).text);
  }
}
