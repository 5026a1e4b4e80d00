/* The temperature of a model's probabilities (docs/proofs/calibration.md): a choice that is private
 * by itself, made with the weights that are released before it, so that its epsilon is added to
 * theirs. Its value is one of a public grid. Scores and weights do not change with it. */
#include "verify/checks.h"

bool calibration_cost(verifier *v, const char *name, double *out) {
  *out = 0;
  return !field_at(v->root, "calibration") || field_positive(v, name, "calibration.epsilon", out);
}

/* b^4 is 2^j up to the rounding of b to a double, and j between the ends that this dperm has. */
static bool on_grid(verifier *v, double b) {
  const json_t *j = field_at(v->root, "calibration.quarter_octaves");
  const json_t *grid = field_at(v->root, "calibration.grid");
  json_int_t place = json_integer_value(j);
  const interval margin = interval_of(0x1p-50);
  interval power = interval_of(1), square = interval_mul(interval_of(b), interval_of(b));
  interval fourth = interval_mul(square, square);
  for (json_int_t i = 0; i < place && place <= 24; i++) {
    power = interval_add(power, power);
  }
  for (json_int_t i = 0; i > place && place >= -8; i--) {
    power = interval_div(power, interval_of(2));
  }
  interval apart = interval_sub(fourth, power), most = interval_mul(power, margin);
  return json_is_integer(j) && place >= -8 && place <= 24 && json_array_size(grid) == 2 &&
         json_integer_value(json_array_get(grid, 0)) == -8 &&
         json_integer_value(json_array_get(grid, 1)) == 24 && interval_at_most(apart, most) &&
         interval_at_most(interval_sub(interval_of(0), most), apart);
}

/* What the schema has of epsilon, in files that have such a schema (check_refined). */
static bool refined_cost(verifier *v, double *out) {
  *out = 0;
  return !field_at(v->root, "schema.refined") ||
         field_positive(v, "calibration", "schema.refined.epsilon", out);
}

void check_calibration(verifier *v) {
  unsigned long long rows = 0;
  double cost = 0, b = 0, row = 0, refined = 0, epsilon = 0;
  if (!field_at(v->root, "calibration") || !calibration_cost(v, "calibration", &cost) ||
      !field_positive(v, "calibration", "calibration.inverse_temperature", &b) ||
      !refined_cost(v, &refined) || !unit_rows(v, "calibration", &rows) ||
      !field_positive(v, "calibration", row_epsilon(v).path, &row) ||
      !field_positive(v, "calibration", "privacy.epsilon", &epsilon)) {
    return;
  }
  interval fits = interval_mul(interval_of((double)rows), interval_of(row));
  interval sum = interval_add(interval_add(interval_of(refined), interval_of(cost)), fits);
  bool covered = interval_at_most(sum, interval_of(epsilon)), known = on_grid(v, b);
  bool one_fit = field_is(v->root, "loss.name", "logistic") &&
                 (class_fits_of(v) == 1 || classes_joint(v)) && !field_is_object(v, "selection");
  finding(v, covered && known && one_fit, "calibration",
          "inverse temperature %s%s, chosen for %s%s; with %llu epsilon_row%s that is %s, and "
          "epsilon = %s%s",
          shown(b).text, known ? "" : ", which is none of the public grid's", shown(cost).text,
          one_fit ? "" : " where it cannot be, which is for logistic loss in one fit alone", rows,
          refined > 0 ? " and the schema" : "", shown(interval_upper(sum)).text,
          shown(epsilon).text, covered ? " covers it" : " does not cover it");
}
