/* What the guarantee means for the three risks of opinion 05/2014 of the Article 29 Working Party:
 * singling out, linking and inferring. All figures follow from the claim alone:
 * - of a test between two neighbours that accuses wrongly with probability a, the other's outcomes
 *   have at most min(e^ε·a + δ, 1 − e^−ε·(1 − a − δ)): the definition, for a set and its
 * complement;
 * - odds that somebody has who knows all other records change by at most the ratio of an outcome's
 *   probabilities: e^ε, but for events of probability δ where noise is pure; else twice that, but
 *   for outcomes of probability 2δ, as P ≤ e^ε·P′ + δ and P′ < P/(2e^ε) leave P ≤ 2δ. */
#include <math.h>
#include <stdio.h>

#include "base/functions.h"
#include "report/card.h"

static const double one_in_hundred = 0.01;

/* Of one hundred, rounded up: what is said is a bound. */
static double in_hundred(double probability) {
  return fmin(100, ceil(probability * 1e4) / 1e2);
}

static double most_found(double epsilon, double delta, double wrongly) {
  return fmin(
      1, fmin(math_exp(epsilon) * wrongly + delta, 1 - math_exp(-epsilon) * (1 - wrongly - delta)));
}

static double most_believed(double before, double factor) {
  return factor * before / (factor * before + 1 - before);
}

/* By how much odds change, and how improbable is what that leaves out. */
typedef struct odds {
  double factor, beyond;
} odds;

static odds odds_of(const guarantee *claim, bool spends) {
  return (odds){(spends ? 2 : 1) * math_exp(claim->epsilon), (spends ? 2 : 1) * claim->delta};
}

static void write_singling(report *p, const statement *s) {
  const guarantee *claim = &s->model->claim;
  report_row(p, "singling out",
             "The file holds weights and no record. Somebody who knows all other records may test "
             "with the model whether %s in the data%s. A test that says so wrongly in 1 of 100 "
             "cases says so rightly in at most %.4g of 100.",
             s->person ? "a certain person's records are" : "a certain record is",
             s->adding   ? ""
             : s->person ? ", and not others in their place"
                         : ", and not another in its place",
             in_hundred(most_found(claim->epsilon, claim->delta, one_in_hundred)));
}

static void write_linking(report *p, const statement *s) {
  const odds o = odds_of(&s->model->claim, card_spends_delta(s->model));
  static const char after[] =
      "Other releases from the same records add their own ε (and δ) to this one";
  if (o.beyond >= 1) {
    report_row(
        p, "linking",
        "δ is so large that nothing is promised against comparing the model with other data. %s.",
        after);
    return;
  }
  report_row(p, "linking",
             "The bound holds against comparison with any other data. Whoever knows all other "
             "records and thought it 1 in 100 likely that %s known from elsewhere is in these data "
             "too thinks it at most %.4g in 100 likely after seeing the model. %s.",
             s->person ? "a person" : "a record",
             in_hundred(most_believed(one_in_hundred, o.factor)), after);
}

/* "columns "a" and 3 others that the schema marks sensitive", or nothing. */
static void name_sensitive(const dperm_schema *schema, char *out, size_t size) {
  size_t count = 0;
  const char *first = "";
  for (size_t i = 0; schema && i < schema->column_count; i++) {
    if (schema->columns[i].sensitive) {
      first = count++ > 0 ? first : schema->columns[i].name;
    }
  }
  char others[40] = "";
  if (count > 1) {
    (void)snprintf(others, sizeof others, " and %zu more", count - 1);
  }
  (void)snprintf(out, size, "%s%.64s%s%s%s", count > 0 ? " (\"" : "", first, count > 0 ? "\"" : "",
                 others, count > 0 ? ", marked as sensitive, included)" : "");
}

static void write_inferring(report *p, const statement *s) {
  const guarantee claim = s->adding ? guarantee_replaced(&s->model->claim) : s->model->claim;
  const odds o = odds_of(&claim, card_spends_delta(s->model));
  static const char general[] =
      "What holds for people in general can be inferred with the model, about people in the data "
      "and others alike: that is what it is for, and no ε bounds it";
  char sensitive[160];
  name_sensitive(s->model->schema, sensitive, sizeof sensitive);
  if (o.beyond >= 1) {
    report_row(
        p, "inferring",
        "%s. Of what a record itself adds to that nothing is promised: δ is too large for it.",
        general);
    return;
  }
  report_row(p, "inferring",
             "%s. What is bounded is what %s adds to that: whoever knows all other records and "
             "thought it 1 in 100 likely that %s a certain thing%s thinks it at most %.4g in 100 "
             "likely after seeing the model; who thought it 50 in 100 likely, at most %.4g.",
             general, s->person ? "a person's own presence" : "a record itself",
             s->person ? "a person's records say" : "a record says", sensitive,
             in_hundred(most_believed(one_in_hundred, o.factor)),
             in_hundred(most_believed(0.5, o.factor)));
}

void card_write_criteria(report *p, const statement *s) {
  const dperm_model *m = s->model;
  const odds o = odds_of(&m->claim, card_spends_delta(m));
  report_heading(p, "Singling out, linking and inferring");
  report_text(p,
              "By these three risks the Article 29 Working Party's opinion 05/2014 judges whether "
              "data are anonymous. ε and δ bound what the model adds to each, for every %s; they "
              "do not bound what somebody knows from elsewhere.",
              s->whom);
  write_singling(p, s);
  write_linking(p, s);
  write_inferring(p, s);
  if (o.beyond < 1) {
    report_text(p,
                "Likelihoods are apart from outcomes with a probability of at most %.2g%s. Whether "
                "the model is anonymous is a question of law; these figures inform the answer and "
                "do not give it.",
                s->adding ? odds_of(&(guarantee){.delta = guarantee_replaced(&m->claim).delta},
                                    card_spends_delta(m))
                                .beyond
                          : o.beyond,
                s->adding ? " (of inferring; of linking less)" : "");
  }
}
