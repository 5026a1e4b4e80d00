/* How epsilon is divided, and for whom the claim is.
 *
 * For one record, or for a person with at most K of them: the second follows from the first at
 * epsilon/K by group privacy (privacy.md 8.4), as K neighbours lead from a data set to one without
 * that person.
 *
 * A schema that was refined from records cost some of epsilon before the fit; both add up
 * (privacy.md 8.9), for one unit and one kind of neighbours.
 *
 * Several classes: a fit for each against all others, and every record is in each of them, so their
 * epsilons add up (privacy.md 8.2), and so do the odds that the noise of one is too long. Or one
 * fit of all of them, which has all of epsilon, with noise for each (docs/proofs/softmax.md).
 *
 * Weights of classes: a record's loss counts w times, so its slope and curvature are w times as
 * large, and L and c bound them for w at most 1 and for no other (docs/proofs/weights.md). */
#include <string.h>

#include "verify/checks.h"

enum { CLASSES_MOST = 1000 };

bool sum_covered(double a, double k, double b, double bound, number_text *shown_sum) {
  interval sum = interval_add(interval_of(a), interval_mul(interval_of(k), interval_of(b)));
  *shown_sum = shown(interval_upper(sum));
  return interval_at_most(sum, interval_of(bound));
}

/* ---- who gets which part */

bool selected_by(const verifier *v, const char *method) {
  return field_is(v->root, "selection.method", method);
}

bool unit_rows(verifier *v, const char *name, unsigned long long *out) {
  *out = 1;
  return !field_at(v->root, "privacy.rows_per_person") ||
         field_count(v, name, "privacy.rows_per_person", out);
}

bool unit_is_person(const verifier *v) {
  return json_integer_value(field_at(v->root, "privacy.rows_per_person")) > 1;
}

/* Files from before there were persons have no epsilon_row. */
epsilon_field row_epsilon(const verifier *v) {
  bool stated = field_at(v->root, "privacy.epsilon_row") != NULL;
  return (epsilon_field){stated ? "privacy.epsilon_row" : "privacy.epsilon",
                         unit_is_person(v) || field_at(v->root, "schema.refined") ||
                                 field_at(v->root, "calibration")
                             ? "epsilon_row"
                             : "epsilon"};
}

epsilon_field fit_epsilon(const verifier *v) {
  return selected_by(v, "stopping") ? (epsilon_field){"selection.epsilon_round", "epsilon_round"}
                                    : row_epsilon(v);
}

size_t class_fits_of(const verifier *v) {
  size_t classes = json_array_size(json_object_get(v->root, "classes"));
  return classes > 2 ? classes : 1;
}

bool classes_joint(const verifier *v) {
  return class_fits_of(v) > 1 && field_is(v->root, "multiclass", "joint");
}

epsilon_field class_epsilon(const verifier *v) {
  return class_fits_of(v) > 1 ? (epsilon_field){"privacy.epsilon_class", "epsilon_class"}
                              : fit_epsilon(v);
}

/* ---- lines */

void check_unit(verifier *v) {
  const json_t *stated = field_at(v->root, "privacy.unit");
  const char *unit = stated ? json_string_value(stated) : "row";
  unsigned long long rows = 0;
  double row = 0, epsilon = 0;
  number_text sum;
  if (!unit_rows(v, "unit", &rows) || !field_positive(v, "unit", row_epsilon(v).path, &row) ||
      !field_positive(v, "unit", "privacy.epsilon", &epsilon)) {
    return;
  }
  bool covered = sum_covered(0, (double)rows, row, epsilon, &sum);
  bool right = covered && unit && strcmp(unit, rows == 1 ? "row" : "person") == 0;
  unit = unit ? unit : "not a text";
  if (rows == 1) {
    finding(v, right, "unit",
            covered ? "%.60s: the claim is for one record"
                    : "%.60s, but epsilon_row is above epsilon",
            unit);
  } else {
    finding(v, right, "unit", "%.60s with at most %llu rows: %llu epsilon_row = %s %s epsilon = %s",
            unit, rows, rows, sum.text, covered ? "<=" : ">", shown(epsilon).text);
  }
}

/* Whether the refinement is one that can be added: private, and for the same unit. */
static bool refined_alike(const verifier *v) {
  const json_t *rows = field_at(v->root, "privacy.rows_per_person");
  const json_t *refined = field_at(v->root, "schema.refined.rows_per_person");
  const char *neighbours = json_string_value(field_at(v->root, "schema.refined.neighbours"));
  return json_is_true(field_at(v->root, "schema.refined.private")) && neighbours &&
         field_is(v->root, "privacy.neighbours", neighbours) && json_is_integer(refined) &&
         json_integer_value(refined) == (rows ? json_integer_value(rows) : 1);
}

void check_refined(verifier *v) {
  unsigned long long rows = 0;
  double cost = 0, stated = 0, row = 0, epsilon = 0;
  number_text sum;
  if (!field_at(v->root, "schema.refined") && !field_at(v->root, "privacy.epsilon_refined")) {
    return;
  }
  if (!field_positive(v, "refined", "schema.refined.epsilon", &cost) ||
      !field_positive(v, "refined", "privacy.epsilon_refined", &stated) ||
      !unit_rows(v, "refined", &rows) || !field_positive(v, "refined", row_epsilon(v).path, &row) ||
      !field_positive(v, "refined", "privacy.epsilon", &epsilon)) {
    return;
  }
  bool covered = sum_covered(cost, (double)rows, row, epsilon, &sum), alike = refined_alike(v);
  finding(v, covered && alike && stated == cost, "refined",
          !alike           ? "the schema's refinement, %s, is not private, or for another unit "
                             "(%llu rows: %s, epsilon = %s%s)"
          : stated != cost ? "the schema's refinement cost %s, which is not what the claim counts "
                             "(%llu rows: %s, epsilon = %s%s)"
                           : "the schema's refinement cost %s; with %llu epsilon_row that is %s, "
                             "and epsilon = %s%s",
          shown(cost).text, rows, sum.text, shown(epsilon).text,
          covered ? " covers it" : " does not cover it");
}

/* As many as the schema's label has, where there is a schema that says. */
static bool names_fit(verifier *v) {
  size_t count = json_array_size(json_object_get(v->root, "classes"));
  const json_t *label = field_at(v->root, "schema.label");
  const json_t *listed = json_object_get(label, "classes");
  size_t known = json_is_array(listed)                ? json_array_size(listed)
                 : json_is_object(listed)             ? json_object_size(listed)
                 : json_object_get(label, "positive") ? 2
                                                      : count;
  return (count >= 2 && count == known) ||
         finding(v, false, "classes", "%zu names, where %zu are expected", count,
                 known >= 2 ? known : 2);
}

/* How more than two are learned must be said in words that are known here, where it is said. */
static bool multiclass_known(verifier *v) {
  bool stated = field_at(v->root, "multiclass"), several = class_fits_of(v) > 1;
  bool known = classes_joint(v) || field_is(v->root, "multiclass", "one-vs-rest");
  return !stated || (several && known) ||
         finding(v, false, "classes",
                 "multiclass is neither \"joint\" nor \"one-vs-rest\", or "
                 "there are two classes");
}

/* A model of one fit has nothing to divide. */
void check_classes(verifier *v) {
  size_t count = class_fits_of(v), fits = classes_joint(v) ? 1 : count;
  double share = 0, epsilon = 0;
  number_text sum;
  if (names_fit(v) && multiclass_known(v) && count > 1 &&
      field_positive(v, "classes", class_epsilon(v).path, &share) &&
      field_positive(v, "classes", fit_epsilon(v).path, &epsilon)) {
    bool covered = sum_covered(0, (double)fits, share, epsilon, &sum) && count <= CLASSES_MOST;
    if (classes_joint(v)) {
      finding(v, covered, "classes", "all %zu in one fit: epsilon_class = %s %s %s = %s", count,
              sum.text, covered ? "<=" : ">", fit_epsilon(v).name, shown(epsilon).text);
      return;
    }
    finding(v, covered, "classes",
            "one against the rest for each of %zu: %zu epsilon_class = %s %s %s = %s", fits, fits,
            sum.text, covered ? "<=" : ">", fit_epsilon(v).name, shown(epsilon).text);
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
  if (numbers) {
    finding(v, most <= 1, "class_weights",
            most <= 1 ? "from %s to %s, so L and c hold for every record"
                      : "from %s to %s: above 1, where L and c do not hold",
            shown(least).text, shown(most).text);
  } else if (weights) {
    finding(v, false, "class_weights", "must be a number above zero for each of %zu classes",
            count);
  }
}
