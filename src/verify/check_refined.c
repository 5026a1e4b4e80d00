/* What the schema's refinement cost, and that the claim counts it: by its epsilon, added to the
 * fit's, or in steps that are composed with its gaussian noise (docs/proofs/gaussian.md 7). */
#include "verify/checks.h"

/* Steps that choose columns, each no cheaper than the question for a shape (docs/proofs/bins.md) */
enum { PICKS_MOST = 4 };

/* ---- what is composed */

static bool read_optional(verifier *v, const char *name, const char *path, double *out) {
  *out = 0;
  return !field_at(v->root, path) || field_positive(v, name, path, out);
}

/* Of nothing else it is proved. */
static bool one_gaussian_fit(const verifier *v) {
  bool tight = field_is(v->root, "privacy.mechanism", "output") ||
               field_is(v->root, "privacy.mechanism", "descent") ||
               (field_is(v->root, "privacy.mechanism", "objective") &&
                field_is(v->root, "privacy.analysis", "tight"));
  return tight && field_is(v->root, "privacy.noise", "gaussian") && !unit_is_person(v) &&
         !field_is_object(v, "selection") && (class_fits_of(v) == 1 || classes_joint(v)) &&
         json_number_value(field_at(v->root, "privacy.epsilon_charged")) ==
             json_number_value(field_at(v->root, "privacy.epsilon"));
}

/* Questions lead to fits of lines, counts and a question for a shape to fits with counts; of each
 * column that is counted one count is moved, or two. */
static bool ways_whole(const verifier *v, const composed_steps *s) {
  const step_law *law = &s->law;
  size_t columns = 0, i;
  const json_t *column;
  json_array_foreach(field_at(v->root, "schema.columns"), i, column) {
    columns += field_is(column, "type", "numeric") ||
               (law->questions[1] == 0 && field_is(column, "type", "categorical"));
  }
  bool asked = law->questions[0] > 0 || law->questions[1] > 0;
  bool counted = law->counts > 0 || law->questions[1] > 0;
  bool stated = (s->reach[0] > 0) == asked && (s->reach[1] > 0) == counted &&
                (s->kappa[0] > 0) == asked && (s->kappa[1] > 0) == counted;
  return stated && (law->counts > 0) == (law->each > 0) && law->counts <= COUNTS_MOST &&
         law->counts <= (by_adding(v) ? 1 : 2) * columns && (law->picks > 0) == (law->pick > 0) &&
         law->picks <= PICKS_MOST && (law->picks == 0 || law->pick >= law->questions[1]) &&
         (law->picks == 0 || law->questions[1] > 0) && (law->questions[1] == 0 || law->counts > 0);
}

bool read_composed(verifier *v, const char *name, composed_steps *out) {
  unsigned long long counts = 0, picks = 0;
  double cost = 0;
  *out = (composed_steps){.counted = false};
  step_law *law = &out->law;
  if (!read_optional(v, name, "privacy.composed.scale", &law->questions[0]) ||
      !read_optional(v, name, "privacy.composed.shape", &law->questions[1]) ||
      !read_optional(v, name, "privacy.composed.pick_epsilon", &law->pick) ||
      !read_optional(v, name, "privacy.composed.count_epsilon", &law->each) ||
      !read_optional(v, name, "privacy.composed.lines.kappa", &out->kappa[0]) ||
      !read_optional(v, name, "privacy.composed.lines.reach", &out->reach[0]) ||
      !read_optional(v, name, "privacy.composed.counted.kappa", &out->kappa[1]) ||
      !read_optional(v, name, "privacy.composed.counted.reach", &out->reach[1]) ||
      !field_positive(v, name, "schema.refined.epsilon", &cost) ||
      (law->pick > 0 && !field_count(v, name, "privacy.composed.picks", &picks)) ||
      (law->each > 0 && !field_count(v, name, "privacy.composed.counts", &counts))) {
    return false;
  }
  law->picks = picks <= COUNTS_MOST ? (size_t)picks : COUNTS_MOST + 1;
  law->counts = counts <= COUNTS_MOST ? (size_t)counts : COUNTS_MOST + 1;
  out->counted = !interval_at_most(interval_of(cost), steps_cost(law, false));
  return (one_gaussian_fit(v) && ways_whole(v, out)) ||
         fails(v, name,
               "privacy.composed is about one fit with gaussian noise for one record, whose run "
               "paid for the schema, and states each way that there is");
}

/* That the steps are all that the schema may have cost, whatever was answered. */
static bool steps_cover(const composed_steps *s, double cost, double later) {
  const interval all = steps_cost(&s->law, true);
  return interval_at_most(interval_of(cost), all) && interval_at_most(interval_of(later), all);
}

/* A model that does not claim to be private has a line of its own, and no other fails for that. */
static bool claims_privacy(const verifier *v) {
  return json_is_true(field_at(v->root, "private"));
}

/* Whether the refinement is one that can be added: private, and for the same unit. */
static bool refined_alike(const verifier *v) {
  const json_t *rows = field_at(v->root, "privacy.rows_per_person");
  const json_t *refined = field_at(v->root, "schema.refined.rows_per_person");
  const char *neighbours = json_string_value(field_at(v->root, "schema.refined.neighbours"));
  const char *person = json_string_value(field_at(v->root, "schema.refined.person"));
  return (!claims_privacy(v) || json_is_true(field_at(v->root, "schema.refined.private"))) &&
         neighbours &&
         (person_rows(v) > 0 ? person && field_is(v->root, "schema.person", person) : !person) &&
         field_is(v->root, "privacy.neighbours", neighbours) && json_is_integer(refined) &&
         json_integer_value(refined) == (rows ? json_integer_value(rows) : 1);
}

void check_refined(verifier *v) {
  const char *privately = claims_privacy(v) ? "private and " : "";
  double cost = 0, stated = 0;
  epsilon_parts p;
  if ((!field_at(v->root, "schema.refined") && !field_at(v->root, "privacy.epsilon_refined") &&
       !field_at(v->root, "privacy.composed")) ||
      !field_positive(v, "refined", refined_cost(v), &cost) ||
      !field_positive(v, "refined", "privacy.epsilon_refined", &stated) ||
      !read_parts(v, "refined", &p)) {
    return;
  }
  if (field_at(v->root, "privacy.composed")) {
    composed_steps steps;
    const double later = json_number_value(field_at(v->root, "schema.refined.later"));
    if (read_composed(v, "refined", &steps)) {
      finding(v, refined_alike(v) && stated == cost && steps_cover(&steps, cost, later), "refined",
              "the schema's refinement, %sfor this unit, cost %s in steps that are "
              "composed with the noise (beta)",
              privately, shown(cost).text);
    }
    return;
  }
  interval sum = interval_add(interval_add(interval_of(cost), p.after_fit), p.fits);
  finding_covered(v, "refined", refined_alike(v) && stated == cost, sum, "privacy.epsilon",
                  "the schema's refinement, %sfor this unit, cost %s as the claim "
                  "counts; with %llu epsilon_row%s that",
                  privately, shown(cost).text, p.rows,
                  interval_above_zero(p.after_fit) ? " and all other shares" : "");
}
