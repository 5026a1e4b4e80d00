/* dperm_statement_write: one page for a lawyer and a data-protection officer, from a model file
 * and, if there is one, the ledger that paid for it. It says nothing that the file does not say,
 * and derives the claim again before repeating it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_read.h"
#include "base/text.h"
#include "dperm/verify.h"
#include "loss/loss.h"
#include "model/model.h"
#include "model/model_file.h"
#include "report/evaluation_words.h"
#include "report/payment.h"

enum { WHOM_SIZE = 80 };

/* What verification found, and what the ledger says. */
typedef struct evidence {
  bool holds;
  size_t steps, failed;
  char first_failure[400];
  payment paid, paid_for_schema;
} evidence;

typedef struct statement {
  const char *path;
  const dperm_model *model;
  const evidence *seen;
  char epsilon[DOUBLE_TEXT_SIZE]; /* as written */
  char whom[WHOM_SIZE];           /* "record", or "person with at most 5 records" */
  char unit[WHOM_SIZE];           /* "one record", or "the at most 5 records of one person" */
  const char *event;              /* what of that makes next to no difference */
  bool person;
  bool adding; /* neighbours add-remove */
} statement;

/* ---- evidence */

static void see_line(void *context, dperm_finding finding, const char *line) {
  evidence *e = context;
  e->steps += finding != DPERM_FINDING_REMARK;
  if (finding == DPERM_FINDING_FAILS && e->failed++ == 0) {
    (void)snprintf(e->first_failure, sizeof e->first_failure, "%s", line);
  }
}

/* ---- the page, from the top */

static const char *kind_of_model(const dperm_model *model) {
  if (model->map) {
    return "a kernel machine on random features";
  }
  const loss_kind *loss = loss_kind_named(model->loss);
  return loss && loss->model ? loss->model : "a linear support-vector machine or the like";
}

/* Whether noise spends delta. If not, the program is, but for an event of that probability, one of
 * which epsilon holds for every single outcome (privacy.md 8); if so, the factor of a single
 * outcome may be passed more often than that, and only probabilities of events are bounded. */
static bool spends_delta(const dperm_model *m) {
  return m->claim.delta > 2 * m->claim.delta_numerics;
}

/* How many records are told on average, at the very worst: each of them with probability delta. */
static double records_told(const dperm_model *m) {
  return m->claim.delta * (double)m->rows;
}

/* The guide's words for a size of epsilon: this page must not promise more than it keeps. A small
 * epsilon says little where delta is none of the tiny ones: of few records, too. */
static const char *how_little(const dperm_model *m) {
  const double epsilon = m->claim.epsilon;
  if (m->claim.delta >= 0.01) { /* the larger part of what is promised, whatever epsilon is */
    return "may learn a great deal";
  }
  if (epsilon > 4 || records_told(m) > 0.1 || m->claim.delta > 0.001) {
    return "may learn a bounded but not small amount";
  }
  if (epsilon <= 1.5) {
    return epsilon <= 0.5 ? "learns next to nothing" : "learns very little";
  }
  return "learns a limited amount";
}

/* With even odds beforehand the best guess is right with at most this probability, in percent: half
 * of 1 + P(S) − P′(S), where P(S) ≤ e^ε P′(S) + δ and the same of the complements. */
static double guessed_right(double epsilon, double delta) {
  return 100 * fmin(1, (exp(epsilon) + delta) / (1 + exp(epsilon)));
}

static void write_summary(report *p, const statement *s) {
  if (!dperm_model_is_private(s->model)) {
    report_add(
        p, REPORT_LEAD,
        "This model is not private. It guarantees nothing to anyone: %s. Do not release it if the "
        "records are confidential.",
        s->model->reason);
  } else if (!s->seen->holds) {
    report_add(
        p, REPORT_LEAD,
        "The claim in this file does not follow from its own numbers (%s). Do not rely on it.",
        s->seen->first_failure);
  } else if (spends_delta(s->model)) {
    report_add(p, REPORT_LEAD,
               "Anyone who sees this model %s about any one %s in the data it was made from, "
               "whatever else they know: %s can raise the probability of any event from p to at "
               "most %.3g times p plus %.2g.",
               how_little(s->model), s->whom, s->event, exp(s->model->claim.epsilon),
               s->model->claim.delta);
  } else {
    report_add(p, REPORT_LEAD,
               "Anyone who sees this model %s about any one %s in the data it was made from, "
               "whatever else they know: %s makes no outcome more than %.3g times as likely, or as "
               "unlikely, apart from events with a probability of at most %.2g.",
               how_little(s->model), s->whom, s->event, exp(s->model->claim.epsilon),
               s->model->claim.delta);
  }
}

static void write_classes(report *p, const statement *s) {
  const class_list *classes = &s->model->classes;
  char names[400];
  size_t used = 0;
  if (classes->count == 2) {
    report_row(p, "model", "%s: %s that tells \"%s\" from \"%s\"", s->path, kind_of_model(s->model),
               classes->names[0], classes->names[1]);
    return;
  }
  for (size_t i = 0; i < classes->count && used < sizeof names; i++) {
    used += (size_t)snprintf(names + used, sizeof names - used, "%s\"%.60s\"", i ? ", " : "",
                             classes->names[i]);
  }
  report_row(p, "model", "%s: %s for %s %zu classes%s (%s%s)", s->path, kind_of_model(s->model),
             s->model->joint ? "all" : "each of", classes->count,
             s->model->joint ? " at once" : " against all others", names,
             used < sizeof names ? "" : "…");
}

/* What δ is, for somebody who has to explain it. */
static void write_delta(report *p, const dperm_model *m) {
  if (!spends_delta(m)) {
    report_row(p, "what δ is for",
               "noise beyond the length that the program certifies, which is too rare to be seen");
    return;
  }
  const double at_most = 2 * m->claim.delta;
  char twice[80] = ""; /* of 1 or more it would say nothing */
  if (at_most < 1) {
    (void)snprintf(twice, sizeof twice, ", but twice that factor with at most %.3g", at_most);
  }
  report_row(
      p, "what δ is for",
      "an allowance for bad luck, fixed in advance: Gaussian noise protects at least as well as a "
      "program that reveals everything with probability δ and otherwise stays within ε. Single "
      "outcomes may exceed the factor e^ε with a probability above δ%s (of δ, %.2g is for noise "
      "beyond the length that the program certifies)",
      twice, m->claim.delta_numerics);
  report_row(p, "δ and the records",
             "in the worst case each of the %s%zu records is revealed with probability δ: %.2g of "
             "them on average, where good practice is far below one",
             m->claim.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? "about " : "", m->rows,
             records_told(m));
}

/* What of the budget is not the fit's. */
static void write_shares(report *p, const dperm_model *m) {
  const double *shares = m->claim.shares;
  if (shares[SHARE_SCHEMA] > 0) {
    report_row(
        p, "of that",
        "ε = %.6g for the schema: the records decided, with noise, about weights, bins and groups; "
        "%s",
        shares[SHARE_SCHEMA],
        m->claim.composed.epsilon > 0 ? "with what follows it costs no more than (ε, δ) together"
                                      : "the rest is for what follows");
  }
  for (share_id s = SHARE_AFTER_FIT; s < SHARE_COUNT; s++) {
    json_auto_t *value = share_kinds[s].value ? model_share_value(m, s) : NULL;
    char number[DOUBLE_TEXT_SIZE] = "";
    if (json_is_number(value)) {
      (void)snprintf(number, sizeof number, "%.4g", json_number_value(value));
    }
    if (shares[s] > 0) {
      report_row(p, "of that", "ε = %.6g %s%s", shares[s], share_kinds[s].statement,
                 json_is_string(value) ? json_string_value(value)
                 : json_is_null(value) ? "none was found"
                                       : number);
    }
  }
}

static void write_facts(report *p, const statement *s) {
  const dperm_model *m = s->model;
  static const char *const how[] = {
      [DPERM_MECHANISM_OBJECTIVE] =
          "random noise in the optimization problem (objective perturbation)",
      [DPERM_MECHANISM_OUTPUT] = "random noise added to the solution (output perturbation)",
      [DPERM_MECHANISM_NONE] = "no noise",
      [DPERM_MECHANISM_DESCENT] = "random noise in every step of the optimization (noisy descent)"};
  const char *method = json_string_value(json_object_get(m->selection, "method"));
  report_add(p, REPORT_HEADING, "The release");
  write_classes(p, s);
  report_row(p, "fingerprint", "%s", m->digest);
  if (s->adding) {
    report_row(p, "made from", "records whose number is private; about %zu by a public estimate",
               m->rows);
  } else {
    report_row(p, "made from", "%zu records; this number is treated as public", m->rows);
  }
  if (!dperm_model_is_private(m)) {
    return;
  }
  report_row(p, "privacy budget", "(ε, δ) = (%s, %.2g), for every %s", s->epsilon, m->claim.delta,
             s->whom);
  write_shares(p, m);
  write_delta(p, m);
  report_row(p, "how", "%s", how[m->plan.mechanism]);
  if (method) {
    report_row(p, "choice",
               "one of %zu candidates, chosen by the method \"%s\"; the budget covers the choice",
               json_array_size(json_object_get(m->selection, "candidates")), method);
  }
}

/* What an epsilon for records added or removed says about what a record says: removing it and
 * adding another are two steps (docs/proofs/neighbours.md). */
static void write_replaced(report *p, const statement *s) {
  const guarantee twice = guarantee_replaced(&s->model->claim);
  if (twice.delta >= 1) {
    report_add(p, REPORT_TEXT,
               "The budget is about whether a %s is in the data at all. It promises nothing about "
               "what is said there: for two such steps (1 + e^ε)δ is 1 or more.",
               s->whom);
    return;
  }
  report_add(
      p, REPORT_TEXT,
      "The budget is about whether a %s is in the data at all, as in most programs of this kind. "
      "What is said there is protected too: two data sets that differ in it alone are two such "
      "steps apart, which amounts to (ε, δ) = (%.6g, %.2g). So someone who thinks it as likely as "
      "not that a %s says a certain thing, and guesses after seeing the model, is right with a "
      "probability of at most %.4g percent.",
      s->whom, twice.epsilon, twice.delta, s->person ? "person's record" : "record",
      guessed_right(twice.epsilon, twice.delta));
}

static void write_guarantee(report *p, const statement *s) {
  report_add(p, REPORT_HEADING, "What is guaranteed, and to whom");
  report_add(
      p, REPORT_TEXT,
      "To every %s in the data%s. The model was made with random noise, and any set of possible "
      "models has nearly the same probability whether %s; %s how nearly. This holds against anyone "
      "who cannot break the random source, as with cryptographic keys and signatures: even against "
      "someone who knows all other records, has other data to compare with, or learns more later. "
      "Nothing done with the model afterwards can undo it.",
      s->whom, s->person ? "" : ", and so to every person who has one record in it",
      s->adding   ? s->person ? "a person is in the data or not" : "a record is in the data or not"
      : s->person ? "a person's records say one thing or another"
                  : "a record says one thing or another",
      spends_delta(s->model) ? "ε and δ say" : "ε says");
  report_add(p, REPORT_TEXT,
             "For example, someone who thinks it as likely as not that a %s, and guesses after "
             "seeing the model, is right with a probability of at most %.4g percent.",
             s->adding   ? s->person ? "person is in the data" : "record is in the data"
             : s->person ? "person's records say a certain thing"
                         : "record says a certain thing",
             guessed_right(s->model->claim.epsilon, s->model->claim.delta));
  if (s->adding) {
    write_replaced(p, s);
  }
}

static void write_mathematics(report *p, const statement *s) {
  report_add(p, REPORT_HEADING, "In mathematics");
  report_add(p, REPORT_LINE, "P(M(D) ∈ S) ≤ e^ε · P(M(D′) ∈ S) + δ,   ε = %s,  δ = %.2g",
             s->epsilon, s->model->claim.delta);
  report_add(p, REPORT_TEXT,
             "for every set S of models and all data sets D, D′ of %s%zu records%s %s %s. M "
             "is the program, rounding included, that gives the weights as they stand in the file.",
             s->adding ? "at most " : "",
             s->adding ? add_remove_rows_most(s->model->rows) : s->model->rows,
             s->adding ? ", of which one has" : " each that differ in", s->unit,
             s->adding ? "more than the other" : "replaced by any other");
}

static void write_spending(report *p, const statement *s) {
  const dperm_model *model = s->model;
  report_add(p, REPORT_HEADING, "What was spent, and what is left");
  if (s->seen->paid.found) {
    payment_write(p, model, &s->seen->paid, &s->seen->paid_for_schema);
  } else if (model->ledger_entry) {
    report_add(p, REPORT_TEXT,
               "The release was charged to a ledger, as entry %llu (receipt %.16s…). The custodian "
               "can add what is left: dperm statement --model … --ledger …",
               (unsigned long long)model->ledger_entry, model->ledger_digest);
  } else {
    report_add(
        p, REPORT_TEXT,
        "No ledger was charged. Budgets of several releases from the same records add up, and "
        "without a ledger only the custodian's own notes say how many there were.");
  }
}

static void write_limits(report *p, const statement *s) {
  report_add(p, REPORT_HEADING, "What is not promised");
  report_add(p, REPORT_ITEM,
             "That nothing is learned about groups: a model may say what holds for people in "
             "general, with or without any one of them.");
  report_add(p, REPORT_ITEM,
             "Anything about other releases from the same records: their ε and δ must be added%s.",
             s->seen->paid.entry.order > 0 ? ", or composed as this ledger does" : "");
  if (!s->person) {
    report_add(p, REPORT_ITEM,
               "The same strength for someone with several records: k of them are protected at k "
               "times ε and with a larger δ.");
  }
  report_add(p, REPORT_HEADING, "What is assumed");
  report_add(p, REPORT_ITEM,
             "The schema (ranges, categories, labels)%s, the options and the %s "
             "were chosen without looking at the records.",
             s->model->claim.shares[SHARE_SCHEMA] > 0
                 ? ", apart from the refinement that the budget covers"
                 : "",
             s->adding ? "estimate of the number of records" : "number of records");
  if (s->person) {
    report_add(p, REPORT_ITEM, "No person has more than %zu records in the data.",
               s->model->claim.rows_per_person);
  }
  report_add(
      p, REPORT_ITEM,
      "The computer's random source is secure: no one can tell its bits from true randomness with "
      "the computing power there is. Its arithmetic is IEEE 754, rounded to nearest, its "
      "mathematical functions are accurate to two units in the last place, and the program that "
      "ran is dperm as published.");
  report_add(p, REPORT_ITEM,
             "Whatever was declared is true: the constants of a custom loss, and that data "
             "declared public are public.");
  report_add(p, REPORT_ITEM,
             "Run time, memory use and whether a run failed are not part of the release: nothing "
             "is promised against someone who watches the computer at work.");
}

static void write_checks(report *p, const statement *s) {
  report_add(p, REPORT_HEADING, "How to check it");
  report_add(
      p, REPORT_TEXT,
      s->seen->holds
          ? "dperm %s derived the claim again from the file, with independent arithmetic: all %zu "
            "steps hold. Anyone who has the file can repeat this:"
          : "dperm %s could not derive the claim from the file: not all of %zu steps hold. To see "
            "which fail:",
      dperm_version(), s->seen->steps);
  report_add(p, REPORT_LINE, "dperm verify --model %s", s->path);
  report_add(p, REPORT_TEXT,
             "Anyone who has the program can measure its privacy from outside, and the custodian "
             "can check the ledger of what was spent:");
  report_add(p, REPORT_LINE, "dperm audit --all");
  report_add(p, REPORT_LINE, "dperm ledger verify LEDGER;  dperm ledger show LEDGER --model %s",
             s->path);
  report_add(p, REPORT_TEXT,
             "The proofs are in dperm's docs/privacy.md; SECURITY.md says what is defended against "
             "whom. The program wrote this page from the file and repeats what the file says; it "
             "is not legal advice.");
}

dperm_status dperm_statement(const char *name, const char *text, size_t length,
                             dperm_ledger *ledger, bool html, char **page, dperm_error *err) {
  OWNED(dperm_model_free_at) dperm_model *model = NULL;
  OWNED(report_discard) report p = {.out = NULL};
  OWNED_MEMORY char *read = NULL; /* once, so that both see the same */
  evidence seen = {0};
  if (!text) {
    TRY(file_read_all(name, MODEL_LIMIT, &read, &length, err));
    text = read;
    name = path_for_people(name);
  }
  TRY(dperm_model_parse(text, length, name, &model, err));
  TRY(dperm_model_verify(name, text, length, NULL, see_line, &seen, &seen.holds, err));
  if (ledger) {
    TRY(payment_of_model(ledger, model, &seen.paid, err));
    TRY(payment_of_schema(ledger, model, &seen.paid_for_schema, err));
  }
  statement s = {.path = name,
                 .model = model,
                 .seen = &seen,
                 .whom = "record",
                 .unit = "one record",
                 .person = model->claim.rows_per_person > 1,
                 .adding = model->claim.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE};
  (void)format_double(model->claim.epsilon, false, s.epsilon);
  if (s.person) {
    (void)snprintf(s.whom, sizeof s.whom, "person with at most %zu records",
                   model->claim.rows_per_person);
    (void)snprintf(s.unit, sizeof s.unit, "the at most %zu records of one person",
                   model->claim.rows_per_person);
  }
  s.event = s.adding   ? s.person ? "whether that person is there at all"
                                  : "whether that record is there at all"
            : s.person ? "what the records of that person say"
                       : "what that record says";
  TRY(report_open(&p, html, dperm_model_is_private(model) ? "Privacy statement" : "No privacy",
                  err));
  write_summary(&p, &s);
  write_facts(&p, &s);
  evaluation_words(&p, model);
  if (dperm_model_is_private(model)) {
    write_guarantee(&p, &s);
    write_mathematics(&p, &s);
    write_spending(&p, &s);
    write_limits(&p, &s);
    write_checks(&p, &s);
  }
  return report_close(&p, page, err);
}
