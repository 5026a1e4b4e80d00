/* What a record says beyond amounts, as one text ("terms", docs/formats.md): how a data set's
 * charges are added up, and what a charge costs by that and why. "key=value" and blanks between,
 * keys in one order, numbers in one way to write them: a text that is not what terms_write makes of
 * it is refused. */
#pragma once

#include "ledger/amount.h"
#include "privacy/renyi.h"

enum { TERMS_SIZE = 900 };

typedef struct record_terms {
  bool adding; /* open, reserve: neighbours add-remove (docs/proofs/neighbours.md) */
  /* open: one Renyi order instead of plain sums, */
  bool renyi;
  double order;
  amount budget; /* and what divergences of that order may add up to */
  /* reserve: */
  double refined;      /* of its own epsilon, the schema's that it refined and then fitted; or 0 */
  privacy_curve curve; /* fits = 0: nothing but (epsilon, delta) is known */
  bool priced;         /* the data set counts by its order, and the charge costs this by it: */
  amounts cost;
} record_terms;

/* False for what is no such text. "" are the terms of plain sums. */
bool terms_parse(const char *text, record_terms *out);
void terms_write(const record_terms *terms, char out[TERMS_SIZE]);
