/* How a data set's charges add up, fixed when it is given its budget: plain sums of epsilon and
 * delta, or sums of Renyi divergences of one order, converted once (docs/proofs/composition.md).
 * Either way a charge has two costs, each of which adds up, exactly, to a limit. */
#pragma once

#include <stdint.h>

#include "ledger/amount.h"
#include "privacy/renyi.h"

/* What a record says beyond amounts, as one text ("terms", docs/formats.md): how a data set's
 * charges are added up, and what a charge costs by that and why. "key=value" and blanks between, in
 * one order and one way to write numbers: what terms_write would write otherwise is refused. */
enum { TERMS_SIZE = 900 };

typedef struct record_terms {
  bool adding; /* open, reserve: neighbours add-remove (docs/proofs/neighbours.md) */
  /* open: one Renyi order instead of plain sums, */
  bool renyi;
  double order;
  amount budget; /* and what divergences of that order may add up to */
  /* reserve: */
  double refined; /* of its own epsilon, the schema's that it refined and then fitted; or 0 */
  double counted; /* or so much, if the records' answer led to counts; 0 where it cannot */
  double held;   /* the share of the records that only its evaluation saw, by coins that follow from
                    the record's token (ledger/charge.h); or 0 */
  double places; /* of these: a keyed digest of the records in their order, since coins are by
                    place; 0 for files, whose bytes have one */
  double person; /* a digest of the name of the column that tells persons apart; 0 without */
  privacy_curve curve; /* fits = 0: nothing but (epsilon, delta) is known */
  bool priced;         /* the data set counts by its order, and the charge costs this by it: */
  amounts cost;
} record_terms;

/* A digest of 48 bits, 1 or more, as terms have it. */
double terms_digest(const void *bytes, size_t size, const unsigned char *key, size_t key_size);

/* False for what is no such text. "" are the terms of plain sums. */
bool terms_parse(const char *text, record_terms *out);
void terms_write(const record_terms *terms, char out[TERMS_SIZE]);

typedef struct reading {
  bool adding; /* for records added and removed: what is for replaced ones is no part of it */
  bool renyi;
  double order;
  amounts total; /* as the budget was given */
  amounts limit; /* what costs add up to at most: the total, or the order's budget and half of
                    delta */
} reading;

/* Fixes the terms of a data set with this total. `order` 0 lets the total decide. */
dperm_status reading_fix(bool renyi, double order, const amounts *total, record_terms *out,
                         dperm_error *err);
/* What the terms that open a data set mean; false if they claim more than Lemma C2 gives. */
bool reading_of_terms(const record_terms *terms, const amounts *total, reading *out);

/* The amounts of a claim. Where it is for records added and removed, and they are replaced, it
 * counts `twice`: as (2ε, (1 + e^ε)δ), the first exactly (docs/proofs/neighbours.md 5). */
bool amounts_claimed(double epsilon, double delta, bool twice, amounts *out);
/* Whether a charge may be priced by its curve: it is for one record, of the data set's own kind of
 * neighbours, and fits the claim. Any other has no curve, in no record. */
bool reading_takes_curve(const reading *r, const amounts *claim, bool adding,
                         int64_t rows_per_person, const privacy_curve *curve);
/* What a release costs that is claimed to be (epsilon, delta)-private and of which the curve may
 * tell more; false where that has too many digits. */
bool reading_cost(const reading *r, const amounts *claim, const privacy_curve *curve,
                  amounts *cost);
/* Whether charges to a part of a data set cost the same in both, and its total is no more. */
bool reading_is_part(const reading *part, const reading *whole);
/* Whether the cost that a record states is no less than that. */
bool reading_covers(const reading *r, const amounts *claim, const record_terms *terms);

/* What people are told: spent, once anything is, with the conversion, and left for costs. */
void reading_shown(const reading *r, const amounts *costs, bool charged, amounts *spent,
                   amounts *left);
