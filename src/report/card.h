/* The page of dperm_statement: what a model file says, for a lawyer and a data-protection officer.
 * Each part is a file of its own; all see the same facts, and none says more than the claim that
 * was derived again (statement.c). */
#pragma once

#include "base/text.h"
#include "model/model.h"
#include "report/about.h"
#include "report/payment.h"
#include "report/report.h"

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
  const json_t *file; /* the model's own JSON */
  const evidence *seen;
  const about *said;              /* by whoever publishes it */
  char epsilon[DOUBLE_TEXT_SIZE]; /* as written */
  char whom[WHOM_SIZE];           /* "record", or "person with at most 5 records" */
  char unit[WHOM_SIZE];           /* "one record", or "the at most 5 records of one person" */
  const char *event;              /* what of that makes next to no difference */
  const char *person_column;      /* by which records are of one person, or NULL */
  const char *units;              /* what is counted: "records", or "persons" */
  bool person;
  bool adding; /* neighbours add-remove */
} statement;

/* Whether noise spends delta. If not, the program is, but for an event of that probability, one of
 * which epsilon holds for every single outcome (privacy.md 8); if so, the factor of a single
 * outcome may be passed more often than that, and only probabilities of events are bounded. */
bool card_spends_delta(const dperm_model *model);
/* How many records are told on average, at the very worst: each of them with probability delta. */
double card_records_told(const dperm_model *model);
/* With even odds beforehand the best guess is right with at most this probability, in percent: half
 * of 1 + P(S) − P′(S), where P(S) ≤ e^ε P′(S) + δ and the same of the complements. */
double card_guessed_right(double epsilon, double delta);

/* The parts, from the top. */
void card_write_summary(report *p, const statement *s);
void card_write_release(report *p, const statement *s);
void card_write_columns(report *p, const statement *s);
/* `evaluation` is the model's member, or NULL. */
void card_write_quality(report *p, const json_t *evaluation);
void card_write_guarantee(report *p, const statement *s);
void card_write_criteria(report *p, const statement *s);
void card_write_mathematics(report *p, const statement *s);
void card_write_spending(report *p, const statement *s);
void card_write_limits(report *p, const statement *s);
void card_write_checks(report *p, const statement *s);
