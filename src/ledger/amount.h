/* Amounts of a privacy budget as exact decimals: ten charges of 0.1 are 1, and nothing drifts. They
 * have 10 digits before and 110 behind the point; what does not fit is refused, not rounded. */
#pragma once

#include "dperm.h"
#include "dperm/ledger.h"

enum { AMOUNT_WHOLE = 10, AMOUNT_PLACES = 110, AMOUNT_DIGITS = AMOUNT_WHOLE + AMOUNT_PLACES };

typedef struct amount {
  unsigned char digits[AMOUNT_DIGITS]; /* the largest first */
} amount;

/* A decimal number such as "1", "0.25" or "1e-6", exactly. False on anything else, on what is
 * negative, and on what has too many digits. */
bool amount_parse(const char *text, amount *out);

/* An amount of ε and one of δ: a total, a charge, what is spent. */
typedef struct amounts {
  amount epsilon, delta;
} amounts;

/* The decimal that a double of the C interface means: the shortest decimal that reads back to it,
 * so that 0.1 is a tenth. A double of at most 24 significant bits is taken as it is: the private
 * choices round their epsilon down to 20 bits, and so stay below either (docs/ledger.md). */
bool amount_of_double(double value, amount *out);

/* False where the sum has too many digits. */
bool amount_add(const amount *a, const amount *b, amount *sum);
/* a ≥ b. */
void amount_subtract(const amount *a, const amount *b, amount *difference);
/* False where the last digit is odd: a half would need one more. */
bool amount_halve(amount *a);
int amount_compare(const amount *a, const amount *b);

/* The one way to write an amount: no exponent, no sign, no zeros but one before the point. */
void amount_text(const amount *a, char out[DPERM_AMOUNT_SIZE]);

/* The same for people: one that is long is cut to three digits, as "9.85e-44". */
void amount_brief(const amount *a, char out[DPERM_AMOUNT_SIZE]);

/* The same for both. */
bool amounts_parse(const char *epsilon, const char *delta, amounts *out);
/* Neither is more than the total's. */
bool amounts_cover(const amounts *total, const amounts *sums);
bool amounts_add(const amounts *a, const amounts *b, amounts *sum);
void amounts_subtract(const amounts *a, const amounts *b, amounts *difference);
void amounts_text(const amounts *a, char epsilon[DPERM_AMOUNT_SIZE], char delta[DPERM_AMOUNT_SIZE]);
