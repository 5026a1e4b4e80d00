/* Spending, durably: reserve before there is anything to release, commit with its digest after. */
#pragma once

#include "data/identity.h"
#include "ledger/store.h"
#include "privacy/renyi.h"

enum { REQUEST_WORDS = 64 }; /* of which a record keeps the first 39 */

typedef struct charge_request {
  const char *dataset;
  const char *command, *mechanism; /* short ASCII words */
  dperm_neighbours neighbours;
  double epsilon, delta; /* per person with at most this many rows: */
  double refined;        /* of epsilon, the schema's that the run refines itself; or 0 */
  double counted;        /* or so much, by what the records answer */
  size_t rows_per_person;
  const char *person;          /* the column that tells persons apart, where rows_per_person is 0 */
  const privacy_curve *curves; /* what more is known of each plan that the run may follow: the */
  size_t curve_count;          /* dearest is charged; none if nothing is */
  data_identity identity;      /* of the data; the ledger keeps it under its key */
  double held;                 /* the share of the records that it holds out, by coins that follow
                                  from this secret, which only the ledger will have; or 0 and NULL */
  const unsigned char *secret; /* of LEDGER_KEY_SIZE bytes */
  bool costs_nothing; /* public numbers alone made the result, and epsilon and delta are 0 */
} charge_request;

/* Refuses what the data set cannot pay, other data than it is bound to, and data that are bound to
 * another name. With `dry_run` nothing is written, and neither is a charge that costs nothing. */
dperm_status charge_reserve(dperm_ledger *ledger, const charge_request *request, bool dry_run,
                            dperm_charge *out, dperm_error *err);
dperm_status charge_commit(dperm_ledger *ledger, uint64_t entry, const char *artifact,
                           dperm_error *err);

/* The secret and the share of the run that was charged as this entry, for these data. Fails where
 * they are others, and where it held nothing out. */
dperm_status charge_find_secret(dperm_ledger *ledger, uint64_t entry, const char *receipt,
                                const data_identity *identity,
                                unsigned char secret[LEDGER_KEY_SIZE], double *held,
                                dperm_error *err);

/* A model of a refined schema is charged for its fit alone: fails unless the ledger has the entry
 * that paid for the refinement, for as much as the schema says that it cost. `visit` (or NULL) is
 * shown the entry with the schema's part of its amounts. */
dperm_status charge_check_refined(dperm_ledger *ledger, const schema_refined *refined,
                                  dperm_entry_visitor *visit, void *context, dperm_error *err);

/* Fails if the ledger knows these data: for runs that are not private. `path` (or NULL) is what
 * the message calls them; `advice` says what to do. */
dperm_status charge_refuse_known(dperm_ledger *ledger, const data_identity *identity,
                                 const char *path, const char *advice, dperm_error *err);
