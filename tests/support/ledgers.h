/* What tests of ledgers share: a folder of their own with a ledger in it, small data, charges
 * without a fit, and a look at the lines of a verification. */
#ifndef DPERM_TESTS_LEDGERS_H
#define DPERM_TESTS_LEDGERS_H

#include "ledger/charge.h"
#include "support.h"

typedef struct ledger_home {
  char folder[1024], path[1056];
  dperm_data *data, *others; /* 60 rows each, not the same */
} ledger_home;

/* cmocka's setup and teardown: *state is a ledger_home whose ledger gives "people" epsilon 1. */
int ledger_home_begin(void **state);
int ledger_home_end(void **state);
#define LEDGER_TEST(name) TEST_OF(name, ledger_home_begin, ledger_home_end, ledger_home *home)

/* A budget of plain sums for a data set, in a new ledger or one that is there. */
dperm_status ledger_create(const char *path, const char *dataset, const char *epsilon,
                           const char *delta, size_t rows_per_person, dperm_error *err);
/* The same with Renyi composition of this order. */
dperm_status ledger_create_order(const char *path, const char *dataset, const char *epsilon,
                                 const char *delta, double order, dperm_error *err);
/* A part of a data set; epsilon NULL: with its totals. */
dperm_status ledger_create_part(const char *path, const char *dataset, const char *epsilon,
                                const char *whole, dperm_error *err);
dperm_ledger *opened(const ledger_home *home);
/* The same, or one beside it whose budget is for records added and removed. */
dperm_ledger *ledger_for(const ledger_home *home, dperm_neighbours neighbours);

/* Ratios and slack of a Gaussian fit at (0.1, 1e-8). */
extern const privacy_curve small_curve;

/* What a run would ask for, with one row per person, for the data with this number. */
charge_request request_for(const char *dataset, double epsilon, double delta, unsigned char data);
/* Reserves in an open ledger, for data 1 of "people"; and what the ledger's head says. */
dperm_status charge_open(dperm_ledger *ledger, double epsilon, dperm_charge *out, dperm_error *err);
dperm_status head_of(dperm_ledger *ledger, dperm_error *err);
/* Reserves in the ledger at `path`, for the data with this number. */
dperm_status charge_it(const char *path, const char *dataset, double epsilon, double delta,
                       unsigned char data, dperm_charge *out, dperm_error *err);
/* The same of which a curve tells more (may be NULL). */
dperm_status charge_with_curve(const char *path, const char *dataset, double epsilon, double delta,
                               const privacy_curve *curve, unsigned char data, dperm_charge *out,
                               dperm_error *err);
/* As charge_it, committed at once. */
void charge_whole(const char *path, const char *dataset, double epsilon, unsigned char data);

/* Statements on the file itself, past the triggers that guard it. */
void tamper(const char *path, const char *sql);

/* The first line of a verification that does not hold; "" if all do. */
typedef struct chain_verdict {
  char first[400];
  size_t failures;
} chain_verdict;
chain_verdict verdict_of(const char *path, const char *head);

#endif
