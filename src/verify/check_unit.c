/* For whom the claim is: for one record, or for a person with at most K of them. The second follows
 * from the first at epsilon/K by group privacy (privacy.md 8.4): K neighbours lead from a data set
 * to one without that person. */
#include <string.h>

#include "verify/checks.h"
#include "verify/exact.h"

bool unit_rows(verifier *v, const char *name, uint64_t *out) {
  *out = 1;
  return !field_at(v->root, "privacy.rows_per_person") ||
         field_count(v, name, "privacy.rows_per_person", out);
}

bool unit_is_person(const verifier *v) {
  return json_integer_value(field_at(v->root, "privacy.rows_per_person")) > 1;
}

/* Files from before there were persons have no epsilon_row. */
static bool has_row_epsilon(const verifier *v) {
  return field_at(v->root, "privacy.epsilon_row") != NULL;
}

bool row_epsilon(verifier *v, const char *name, double *out) {
  return field_positive(v, name, has_row_epsilon(v) ? "privacy.epsilon_row" : "privacy.epsilon",
                        out);
}

const char *row_epsilon_name(const verifier *v) {
  return unit_is_person(v) ? "epsilon_row" : "epsilon";
}

void check_unit(verifier *v) {
  const json_t *stated = field_at(v->root, "privacy.unit");
  const char *unit = stated ? json_string_value(stated) : "row";
  uint64_t rows = 0;
  double row = 0, epsilon = 0;
  if (!unit_rows(v, "unit", &rows) || !row_epsilon(v, "unit", &row) ||
      !field_positive(v, "unit", "privacy.epsilon", &epsilon)) {
    return;
  }
  bool covered = exact_sum_at_most(0, (unsigned long)rows, row, epsilon);
  if (rows == 1) {
    (void)finding_report(v, covered && unit && strcmp(unit, "row") == 0, "unit",
                         covered ? "%.60s: the claim is for one record"
                                 : "%.60s, but epsilon_row is above epsilon",
                         unit ? unit : "not a text");
    return;
  }
  (void)finding_report(v, covered && unit && strcmp(unit, "person") == 0, "unit",
                       "%.60s with at most %llu rows: %llu epsilon_row = %s %s epsilon = %s",
                       unit ? unit : "not a text", (unsigned long long)rows,
                       (unsigned long long)rows,
                       shown(exact_sum_upper(0, (unsigned long)rows, row)).text,
                       covered ? "<=" : ">", shown(epsilon).text);
}
