/* The chain of records, read from the first to the head with nothing taken on trust: no index, no
 * stored sum. Each record must fit its digest, follow the one before and continue its data set's
 * sums; the head must be the last of them, and the key the one that they commit to. Every charge
 * begins with it, and its budget is what was added up here.
 *
 * A handle keeps what it has read: the next transaction reads on behind that, from records that
 * must follow the last one it knows. What it knows cannot become less by damage to the file. */
#pragma once

#include "ledger/amount.h"
#include "ledger/reading.h"
#include "ledger/record.h"

/* A data set as the records so far have left it. */
typedef struct dataset_state {
  char name[NAME_SIZE], data[DPERM_DIGEST_SIZE]; /* of the data; empty before the first charge */
  reading reading;                               /* how charges add up, with the total */
  amounts spent, costs; /* plain sums, and what it costs by the reading, those of its parts too */
  int64_t rows_per_person;
  double person;  /* of charges per person, which column tells them apart; 0 before the first */
  int64_t opened; /* the record that did, */
  size_t whole;   /* and one more than the place of the data set that it is a part of; 0 for none */
  bool charged;   /* it, or a part of it */
} dataset_state;

typedef struct chain {
  record last; /* all zeros before the first */
  int64_t count, reserved, committed;
  dataset_state *datasets;
  size_t dataset_count, dataset_capacity;
  int64_t *commits; /* of record i: -1 for a reservation, then the number of its commit; else 0 */
  size_t commit_capacity;
  unsigned char key[LEDGER_KEY_SIZE];
  char key_digest[DPERM_DIGEST_SIZE];
  bool keyed;                    /* a record commits to the key */
  const char *wanted;            /* a head noted before, or NULL */
  int64_t wanted_at;             /* the record that has it; 0 for none yet */
  char noted[DPERM_DIGEST_SIZE]; /* the head as the file's attribute has it; "" if none, or found */
} chain;

/* NULL where there is none. */
dataset_state *chain_find(const chain *c, const char *dataset);
/* The first data set but `self` (may be NULL) whose data have one of two digests; NULL for none. */
const dataset_state *chain_find_data(const chain *c, const dataset_state *self, const char *digest,
                                     const char *other);
/* What this is a part of: whoever is charged, it is charged too. NULL for none. */
dataset_state *chain_whole(const chain *c, const dataset_state *part);
/* What became of an entry: -1 for an open reservation, the number of its commit, 0 for no such. */
int64_t chain_commit_of(const chain *c, uint64_t entry);

/* ---- transactions */

/* As store_begin, with file and chain checked: ledger->known is up to date with the ledger. */
dperm_status chain_begin(dperm_ledger *ledger, bool write, dperm_ledger **held, dperm_error *err);
/* Adds a record, and reads it back. */
dperm_status chain_append(dperm_ledger *ledger, record *r, dperm_error *err);
/* Inside of a transaction: checks the file and reads the chain up to the head. */
dperm_status chain_read(dperm_ledger *ledger, dperm_error *err);

/* For OWNED: ends a transaction that was not committed, and gives up ledger->known. */
void chain_cancel(dperm_ledger **held);
OWNED_HANDLE(dperm_ledger, dperm_ledger_free)
