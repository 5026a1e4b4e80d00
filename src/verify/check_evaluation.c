/* An evaluation on records that the run held out (docs/proofs/holdout.md). A record is in one part,
 * whatever it says: in the fit's, which has epsilon but for what the evaluation sees, or in the
 * other, whose counts have an epsilon of their own. So the claim must cover either, with a schema
 * that was refined from all of the records before, and not their sum. The noise of the counts is
 * that of two for each record that is replaced, one for each that is added (evaluation.md 2). */
#include <math.h>
#include <string.h>

#include "base/functions.h"
#include "verify/checks.h"

unsigned long long held_out_of(const verifier *v, unsigned long long rows) {
  const double share = json_number_value(field_at(v->root, "evaluation.share"));
  return share > 0 && share < 1 ? (unsigned long long)floor((double)rows * share) : 0;
}

bool evaluation_epsilon(verifier *v, const char *name, double *out) {
  *out = 0;
  return !field_is_object(v, "evaluation") || field_positive(v, name, "evaluation.epsilon", out);
}

/* How many were held out is public, or in nothing but noisy counts. */
static void check_part(verifier *v) {
  unsigned long long rows = 0, held = 0;
  double share = 0;
  if (!field_positive(v, "evaluation", "evaluation.share", &share) ||
      !field_count(v, "evaluation", rows_field(v), &rows)) {
    return;
  }
  const bool silent = by_adding(v) && field_is_null(v, "evaluation.rows");
  const bool counted = !by_adding(v) && field_count(v, "evaluation", "evaluation.rows", &held) &&
                       held == held_out_of(v, rows);
  finding(v, share < 1 && (silent || counted), "held out",
          "a share of %s of %llu rows%s, by coins that the file does not have", shown(share).text,
          rows, by_adding(v) ? ", nobody knows how many" : "");
}

/* In eighths of a record's rate: the first table's; one finds the cells of two classes' scores, two
 * are for groups. */
static double table_eighths(const verifier *v) {
  return 8 - (class_fits_of(v) == 1) - 2 * field_is_object(v, "evaluation.groups");
}

/* The noise is discrete Laplace: of rate r it has the variance 2q/(1 − q)², q = e^−r. */
static void check_counts(verifier *v, double epsilon, unsigned long long persons_rows) {
  double deviation = 0;
  if (!field_positive(v, "evaluation", "evaluation.cells.noise_sd", &deviation)) {
    return;
  }
  const double moved = by_adding(v) ? 1 : 2; /* counts */
  const double rate = epsilon / (double)persons_rows / moved * table_eighths(v) / 8;
  const double least = sqrt(2 * math_exp(-rate)) / -math_expm1(-rate);
  /* rates are rounded down, to 20 bits */
  const bool right =
      deviation >= least * (1 - 1e-9) && deviation <= least * (1 + 1e-5 * (1 + rate));
  finding(v, right, "counts",
          "noise of deviation %s >= %s, that of a rate of %s for each of %g counts",
          shown(deviation).text, shown(least).text, shown(rate).text, moved);
}

void check_evaluation(verifier *v) {
  const char *unit = by_adding(v) ? "add-remove" : "replace";
  unsigned long long persons_rows = 0;
  double epsilon = 0;
  epsilon_parts p;
  if (!field_is_object(v, "evaluation")) {
    if (field_at(v->root, "evaluation") && !field_is_null(v, "evaluation")) {
      fails(v, "evaluation", "is neither an object nor null");
    }
    return;
  }
  check_part(v);
  const json_t *stated = field_at(v->root, "evaluation.rows_per_person");
  const bool persons = person_rows(v) > 0, whole = json_is_integer(stated);
  if ((!persons && !field_count(v, "evaluation", "evaluation.rows_per_person", &persons_rows)) ||
      !evaluation_epsilon(v, "evaluation", &epsilon) || !read_parts(v, "evaluation", &p)) {
    return;
  }
  const bool unit_same =
      persons ? whole && json_integer_value(stated) == 0 : persons_rows == p.rows;
  const bool same = unit_same && field_is(v->root, "evaluation.neighbours", unit);
  const bool before = json_number_value(field_at(v->root, "privacy.epsilon_charged")) < p.whole &&
                      field_at(v->root, "privacy.epsilon_charged");
  const interval cost =
      interval_add(interval_of(epsilon), interval_of(before ? p.refined + p.composed : 0));
  finding_covered(v, "evaluation", same, cost, "privacy.epsilon",
                  "on records that the fit did not see, for %s%s", shown(epsilon).text,
                  before ? " and the schema's refinement before" : "");
  if (!field_at(v->root, "label")) { /* of a regression the noise stands nowhere but in intervals */
    check_counts(v, epsilon, persons ? 1 : persons_rows);
  }
}
