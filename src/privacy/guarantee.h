/* What a release guarantees, as a value: the pair (epsilon, delta), for whom, and every reason why
 * it guarantees nothing. All compositions of docs/privacy.md 8 (classes, rounds, portions, persons,
 * numerics) are in guarantee.c and nowhere else. A fit, a choice, a score and a ledger entry carry
 * one such value, and whether something calls itself private follows from it alone.
 *
 * Neighbours are data sets of the same size that differ in one unit's records, replaced by any
 * others ("replace-one"), or data sets of which one has a unit's records that the other lacks
 * ("add-remove", docs/proofs/neighbours.md). The same compositions hold for both. */
#pragma once

#include <stdbool.h>

#include "privacy/composition.h"
#include "privacy/shares.h"

/* Why something is not private: one list feeds the flags and their texts. Each is known from what
 * a caller asked for and said, never from what the records hold, since it leaves with the result;
 * what the records alone can show ends a run instead (privacy.md 8.7, 5). Flags from
 * REASON_TAKEN_CLASSES to REASON_TAKEN_WEIGHTS are those of dperm_taken, shifted by
 * REASONS_TAKEN_SHIFT. */
#define REASON_LIST(X)                                                                             \
  X(REASON_NO_MECHANISM, 0, "trained without a privacy mechanism")                                 \
  X(REASON_SEEDED, 1, "the noise came from a seed, for tests and experiments")                     \
  X(REASON_UNDECLARED, 2,                                                                          \
    "a custom loss or regularizer does not declare how precisely it is evaluated")                 \
  X(REASON_IN_FILE, 3, "its file says so")                                                         \
  X(REASON_DIAGNOSTICS, 4, "unsafe diagnostics tell exact things about the records")               \
  X(REASON_MODEL, 5, "the model is not private, and may have been made from these records")        \
  X(REASON_REPEATED, 7, "some records were taken several times")                                   \
  X(REASON_TAKEN_CLASSES, 8, "the classes were taken from the records")                            \
  X(REASON_TAKEN_NORM, 9, "the bound on the norm of rows was taken from the records")              \
  X(REASON_TAKEN_RANGES, 10, "ranges of columns were taken from the records")                      \
  X(REASON_TAKEN_CATEGORIES, 11, "categories were taken from the records")                         \
  X(REASON_TAKEN_COLUMNS, 12, "the columns or their order were taken from the records")            \
  X(REASON_TAKEN_SCALES, 13, "values were scaled or chosen by the records as a whole")             \
  X(REASON_TAKEN_WEIGHTS, 14, "the weights of classes were taken from the records")                \
  X(REASON_REFINED, 24, "the schema was refined from records in a way that is not private")

typedef enum privacy_reason {
#define REASON_ENUM(name, bit, text) name = 1 << (bit),
  REASON_LIST(REASON_ENUM)
#undef REASON_ENUM
} privacy_reason;
enum { REASONS_TAKEN_SHIFT = 8, REASONS_TEXT_SIZE = 1200 };

typedef struct guarantee {
  double epsilon, delta;  /* the whole claim, for one record, or for */
  size_t rows_per_person; /* a person with at most so many records if more than one */
  size_t person_rows;     /* or for a person with any number of records, of which so many count, as
                             one together (docs/proofs/persons.md); 0 for no persons. All other
                             numbers are those of a record then */
  dperm_neighbours neighbours;
  double delta_numerics;      /* of delta what numerics cost, above zero in every run */
  double delta_given;         /* what delta may be at most, the caller's; 0: the numerics' alone */
  double shares[SHARE_COUNT]; /* what of epsilon is not the fit's, 0 where there is none; */
  double epsilon_charged;     /* and what the run itself is to be charged: less than all of it where
                                 the schema was paid for before */
  double epsilon_evaluated;   /* what an evaluation costs the records that all else leaves out; 0 */
  double epsilon_row;         /* what is left for each record, */
  double epsilon_fit;         /* for each fit of a model to it (less with random stopping) */
  double epsilon_class; /* and for each of the fits that more than two classes take (all of it if
                           they are joint), or each count */
  double delta_class;   /* of delta_given in the same way, for the noise of a class; 0 without any
                           (docs/proofs/gaussian.md 6) */
  composition composed; /* what a fit with gaussian noise has instead of the last four, and */
  bool counted;         /* by which of its ways */
  unsigned reasons;     /* why not, if it is not private; 0 if it is */
} guarantee;

/* How random stopping chooses the number of its rounds (privacy.md 7). */
typedef enum rounds_kind { ROUNDS_NONE, ROUNDS_BY_LOGARITHMIC, ROUNDS_BY_GEOMETRIC } rounds_kind;

/* A run in public numbers. Portions of a split need none of their own: a record is in one. */
typedef struct private_run {
  double epsilon;
  dperm_neighbours neighbours;
  double delta; /* what may be spent on noise and numerics together; 0: numerics alone */
  size_t rows_per_person, person_rows, classes;
  bool joint; /* the classes are learned in one fit, which has noise for each of them */
  rounds_kind rounds;
  double rounds_mean; /* of the law that is drawn from, rounded up; not used without rounds */
  double shares[SHARE_COUNT]; /* parts of the run's epsilon, 0 for none; */
  bool schema_before;         /* the schema's comes on top of it, as another run made that */
  double evaluated;           /* of an evaluation on records that nothing else sees; 0 for none */
} private_run;

/* The theorem of docs/privacy.md 8 for runs that release weights, as numbers: epsilon is divided
 * from the whole down, the numerics' delta is composed from a fit up, and what is left of a given
 * delta is divided like epsilon. The claim is for noise that needs no delta; see below. */
guarantee guarantee_of_run(const private_run *run);
/* What a run guarantees that with this claim also releases something of records that nothing else
 * of it sees, at so much epsilon: a record is in one part, so the larger of both, with the schema
 * that was paid for before (docs/proofs/holdout.md). */
guarantee guarantee_with_apart(guarantee g, double epsilon);
/* The claim of a run whose noise spends all of the delta that it was given, or none of it. */
guarantee guarantee_spending(guarantee g, bool spends_delta);
/* The claim of a fit with gaussian noise, where steps before it are composed with that. */
guarantee guarantee_composed(guarantee g);
/* Counts with integer noise: no numerics, delta = 0. Replaced, one record moves a number of errors
 * by one, and two of the four counts of a confusion matrix, which have half of epsilon each
 * (privacy.md 8.8). Added or removed, it moves one of all counts that a table consists of
 * (docs/proofs/neighbours.md 8). epsilon_class is the rate of each count's noise. */
guarantee guarantee_of_counts(double epsilon, size_t rows_per_person, bool confusion,
                              dperm_neighbours neighbours);
/* Histograms of so many columns, each with integer noise: a record moves two counts of each by one
 * (one count, if it is added or removed: docs/proofs/neighbours.md 6),
 * and each has an equal share of epsilon; epsilon_class is the rate of a count's noise (privacy.md
 * 8.9). */
guarantee guarantee_of_histograms(double epsilon, size_t rows_per_person, size_t columns,
                                  dperm_neighbours neighbours);
/* What an add-remove claim is worth where records are replaced: (2ε, (1 + e^ε)δ), rounded up
 * (docs/proofs/neighbours.md 5). A replace claim has no finite add-remove one. */
guarantee guarantee_replaced(const guarantee *g);
/* As files say it: "replace-one", "add-remove". */
const char *neighbours_word(dperm_neighbours neighbours);
/* For whom, as files and ledgers say it: the records of a person, at most; 1 for a single record,
 * and 0 for a person with any number of them. */
size_t guarantee_unit(const guarantee *g);
/* No mechanism at all. */
guarantee guarantee_of_nothing(void);

/* What a model's file claims, all but its numbers: private, or not for a reason that is in it. */
guarantee guarantee_of_file(bool claims_private);

/* The only test of the stamp. */
bool guarantee_is_private(const guarantee *g);
/* The same claim, or one with these reasons too. */
guarantee guarantee_with(guarantee g, unsigned reasons);
/* The reasons in one line, "; " between them; empty if there are none. */
void guarantee_reasons(const guarantee *g, char text[REASONS_TEXT_SIZE]);
/* Refuses a claim whose delta from rounding alone is above 1e-30: epsilon is then so large that
 * the odds of an uncertified release, e^-100, count. And one whose given delta is no more than
 * that. */
dperm_status guarantee_check(const guarantee *g, dperm_error *err);

/* epsilon/parts, rounded down so that `parts` times it is at most epsilon, exactly. */
double epsilon_share(double epsilon, size_t parts);
/* Both together, as people write it: 0.1 and 0.2 are 0.3, which as a double is less than their sum.
 * epsilon_rest takes what is missing from one of them. */
double epsilon_sum(double a, double b);
/* The largest double that with `part` is at most `whole`, exactly; below 0 if the part is more. */
double epsilon_rest(double whole, double part);

/* A claim with neighbours add-remove is about data sets of at most so many records, for a public
 * figure near their number: 268 million, or four times the figure. Rounding is bounded for all of
 * them, as their number may decide nothing (docs/proofs/neighbours.md). */
uint64_t add_remove_rows_most(uint64_t about);
/* The same where persons are counted: for so many, or about so many, of them, of whom each has this
 * many records at most that count; their number is as private. */
uint64_t person_rows_most(uint64_t persons, uint64_t rows);
enum { ROWS_ABOUT_BITS = 38 }; /* the figure is at most 2^this */

/* The noise of a fit is certified but for odds of e^-NOISE_TAIL (privacy.md 6.1). */
enum { NOISE_TAIL = 100 };
