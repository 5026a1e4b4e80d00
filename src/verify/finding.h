/* How the verifier reads a model's public fields and says what it found: one line for each thing
 * that has to hold, "name: what". A field that is missing, of the wrong type or out of all range is
 * a line that does not hold, under the name of the check that needs it. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/text.h"
#include "dperm/ledger.h"
#include "dperm/verify.h"
#include "verify/interval.h"

typedef struct verifier {
  const json_t *root;
  dperm_verify_line *line; /* may be NULL */
  void *context;
  bool holds;          /* all lines so far */
  bool charge_checked; /* a ledger was asked */
  bool delta_known;    /* what gaussian noise costs at epsilon_core, which takes a while: */
  interval delta_core;
} verifier;

/* What a verification is told of the charge for a model: the entry of a ledger that paid for the
 * model, and the data set it was charged to. Amounts are decimals. */
typedef struct charged_entry {
  unsigned long long entry; /* 0: none */
  const char *trouble;      /* why there is none, or it is not the model's; NULL if it is */
  char epsilon[DPERM_AMOUNT_SIZE], delta[DPERM_AMOUNT_SIZE];
  double order; /* of the data set, 0 for plain sums: */
  char cost[DPERM_AMOUNT_SIZE], cost_delta[DPERM_AMOUNT_SIZE], total_epsilon[DPERM_AMOUNT_SIZE];
  bool adding;                        /* its budget is for records added and removed */
  const struct charged_entry *schema; /* that of the schema's refinement, where it is another one */
} charged_entry;

/* One line in printable ASCII: a model's texts send a terminal no commands. Whether it holds. */
bool finding_line(verifier *v, dperm_finding kind, const char *name, const char *mark,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Of what must hold: "name: what", and where it does not, "name: does not hold: what". */
#define finding(v, holds, name, ...)                                                               \
  finding_line(v, (holds) ? DPERM_FINDING_HOLDS : DPERM_FINDING_FAILS, name,                       \
               (holds) ? ": " : ": does not hold: ", __VA_ARGS__)
/* Of what is wrong, and of what cannot be checked from a file. */
#define fails(v, name, ...) finding_line(v, DPERM_FINDING_FAILS, name, ": ", __VA_ARGS__)
#define finding_remark(v, ...) finding_line(v, DPERM_FINDING_REMARK, "", "", __VA_ARGS__)

/* Members by path, as "privacy.numerics.delta"; NULL where there is none. */
const json_t *field_at(const json_t *root, const char *path);
/* Whether the field is this text, or one of a NULL-terminated list. */
bool field_is(const json_t *root, const char *path, const char *word);
bool field_among(const json_t *root, const char *path, const char *const *words);
/* Missing altogether is not the same as null. */
bool field_is_null(const verifier *v, const char *path);
bool field_is_object(const verifier *v, const char *path);

/* These report "name: PATH ..." and return false where the field is not what it must be. */
bool field_number(verifier *v, const char *name, const char *path, double *out);
bool field_positive(verifier *v, const char *name, const char *path, double *out);
bool field_count(verifier *v, const char *name, const char *path, unsigned long long *out);
bool field_text(verifier *v, const char *name, const char *path, const char **out);

/* A number as people write it; lives to the end of the statement. */
typedef struct number_text {
  char text[DOUBLE_TEXT_SIZE];
} number_text;
number_text shown(double value);
