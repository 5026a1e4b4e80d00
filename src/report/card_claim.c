/* What is guaranteed: in a sentence, in words and in mathematics. */
#include <math.h>

#include "base/functions.h"
#include "report/card.h"

/* ---- sizes */

bool card_spends_delta(const dperm_model *m) {
  return m->claim.delta > 2 * m->claim.delta_numerics;
}

double card_records_told(const dperm_model *m) {
  return m->claim.delta * (double)m->rows;
}

double card_guessed_right(double epsilon, double delta) {
  return 100 * fmin(1, (math_exp(epsilon) + delta) / (1 + math_exp(epsilon)));
}

/* The guide's words for a size of epsilon: this page must not promise more than it keeps. A small
 * epsilon says little where delta is none of the tiny ones: of few records, too. */
static const char *how_little(const dperm_model *m) {
  const double epsilon = m->claim.epsilon;
  if (m->claim.delta >= 0.01) { /* the larger part of what is promised, whatever epsilon is */
    return "may learn a great deal";
  }
  if (epsilon > 4 || card_records_told(m) > 0.1 || m->claim.delta > 0.001) {
    return "may learn a bounded but not small amount";
  }
  if (epsilon <= 1.5) {
    return epsilon <= 0.5 ? "learns next to nothing" : "learns very little";
  }
  return "learns a limited amount";
}

/* ---- the words */

void card_write_summary(report *p, const statement *s) {
  if (!dperm_model_is_private(s->model)) {
    report_add(p, REPORT_LEAD,
               "This model is not private. It guarantees nothing to anyone: %s. Do not release it "
               "if the records are confidential.",
               s->model->reason);
  } else if (!s->seen->holds) {
    report_add(
        p, REPORT_LEAD,
        "The claim in this file does not follow from its own numbers (%s). Do not rely on it.",
        s->seen->first_failure);
  } else if (card_spends_delta(s->model)) {
    report_add(p, REPORT_LEAD,
               "Anyone who sees this model %s about any one %s in the data it was made from, "
               "whatever else they know: %s can raise the probability of any event from p to at "
               "most %.3g times p plus %.2g.",
               how_little(s->model), s->whom, s->event, math_exp(s->model->claim.epsilon),
               s->model->claim.delta);
  } else {
    report_add(p, REPORT_LEAD,
               "Anyone who sees this model %s about any one %s in the data it was made from, "
               "whatever else they know: %s makes no outcome more than %.3g times as likely, or as "
               "unlikely, apart from events with a probability of at most %.2g.",
               how_little(s->model), s->whom, s->event, math_exp(s->model->claim.epsilon),
               s->model->claim.delta);
  }
}

/* What an epsilon for records added or removed says about what a record says: removing it and
 * adding another are two steps (docs/proofs/neighbours.md). */
static void write_replaced(report *p, const statement *s) {
  const guarantee twice = guarantee_replaced(&s->model->claim);
  if (twice.delta >= 1) {
    report_text(p,
                "The budget is about whether a %s is in the data at all. It promises nothing about "
                "what is said there: for two such steps (1 + e^ε)δ is 1 or more.",
                s->whom);
    return;
  }
  report_text(p,
              "The budget is about whether a %s is in the data at all, as in most programs of this "
              "kind. What is said there is protected too: two data sets that differ in it alone "
              "are two such steps apart, which amounts to (ε, δ) = (%.6g, %.2g). So someone who "
              "thinks it as likely as not that a %s says a certain thing, and guesses after seeing "
              "the model, is right with a probability of at most %.4g percent.",
              s->whom, twice.epsilon, twice.delta, s->person ? "person's record" : "record",
              card_guessed_right(twice.epsilon, twice.delta));
}

void card_write_guarantee(report *p, const statement *s) {
  report_heading(p, "What is guaranteed, and to whom");
  report_text(
      p,
      "To every %s in the data%s. The model was made with random noise, and any set of possible "
      "models has nearly the same probability whether %s; %s how nearly. This holds against anyone "
      "who cannot break the random source, as with cryptographic keys and signatures: even against "
      "someone who knows all other records, has other data to compare with, or learns more later. "
      "Nothing done with the model afterwards can undo it.",
      s->whom, s->person ? "" : ", and so to every person who has one record in it",
      s->adding   ? s->person ? "a person is in the data or not" : "a record is in the data or not"
      : s->person ? "a person's records say one thing or another"
                  : "a record says one thing or another",
      card_spends_delta(s->model) ? "ε and δ say" : "ε says");
  report_text(p,
              "For example, someone who thinks it as likely as not that a %s, and guesses after "
              "seeing the model, is right with a probability of at most %.4g percent.",
              s->adding   ? s->person ? "person is in the data" : "record is in the data"
              : s->person ? "person's records say a certain thing"
                          : "record says a certain thing",
              card_guessed_right(s->model->claim.epsilon, s->model->claim.delta));
  if (s->adding) {
    write_replaced(p, s);
  }
}

/* Of how much the claim is: so many records or persons, and no more records than rounding is
 * bounded for, where their number is private. */
static void sizes_of_claim(const statement *s, char *out, size_t size) {
  const dperm_model *m = s->model;
  const size_t rows = m->claim.person_rows;
  char persons[48] = "persons";
  if (!s->adding) {
    (void)snprintf(persons, sizeof persons, "%zu persons", m->rows);
  }
  if (rows > 0) {
    (void)snprintf(out, size, "%s, with at most %llu records in all,", persons,
                   (unsigned long long)person_rows_most(m->rows, rows));
  } else if (s->adding) {
    (void)snprintf(out, size, "at most %llu records",
                   (unsigned long long)add_remove_rows_most(m->rows));
  } else {
    (void)snprintf(out, size, "%zu records", m->rows);
  }
}

void card_write_mathematics(report *p, const statement *s) {
  char sizes[128];
  sizes_of_claim(s, sizes, sizeof sizes);
  report_heading(p, "In mathematics");
  report_add(p, REPORT_LINE, "P(M(D) ∈ S) ≤ e^ε · P(M(D′) ∈ S) + δ,   ε = %s,  δ = %.2g",
             s->epsilon, s->model->claim.delta);
  report_text(p,
              "for every set S of models and all data sets D, D′ of %s%s %s %s. M is the program, "
              "rounding included, that gives the weights as they stand in the file.",
              sizes, s->adding ? ", of which one has" : " each that differ in", s->unit,
              s->adding ? "more than the other" : "replaced by any other");
}
