/* The chain of records, read from the first to the head with nothing taken on trust: no index, no
 * stored sum. Each record must fit its digest, follow the one before and continue its data set's
 * sums; the head must be the last of them, and the key the one that they commit to. Every charge
 * begins with it, and its budget is what was added up here.
 *
 * A handle keeps what it has read: the next transaction reads on behind that, from records that
 * must follow the last one it knows. What it knows cannot become less by damage to the file. */
#ifndef DPERM_LEDGER_CHAIN_H
#define DPERM_LEDGER_CHAIN_H

#include "dperm/ledger.h"
#include "ledger/amount.h"
#include "ledger/doubts.h"
#include "ledger/record.h"

/* A data set as the records so far have left it. */
typedef struct holding {
  char name[NAME_SIZE], data[DPERM_DIGEST_SIZE]; /* of the data; empty before the first charge */
  amount total_epsilon, total_delta, spent_epsilon, spent_delta;
  int64_t rows_per_person;
} holding;

typedef struct chain {
  record last; /* all zeros before the first */
  int64_t count, reserved, committed;
  holding *holdings;
  size_t holding_count, holding_capacity;
  int64_t *fates; /* of record i: -1 for a reservation, then the number of its commit; else 0 */
  size_t fate_capacity;
  unsigned char key[LEDGER_KEY_SIZE];
  char key_digest[DPERM_DIGEST_SIZE];
  bool keyed;                    /* a record commits to the key */
  const char *wanted;            /* a head noted before, or NULL */
  int64_t wanted_at;             /* the record that has it; 0 for none yet */
  char noted[DPERM_DIGEST_SIZE]; /* the head as the file's attribute has it; "" if none, or found */
} chain;

/* Reads on, from the first record or behind the last one known, to the head. Doubts are told; a
 * failure is one to read. */
dperm_status chain_extend(chain *c, dperm_ledger *ledger, doubts *found, dperm_error *err);
void chain_clear(chain *c);

/* NULL where there is none. */
holding *chain_find(const chain *c, const char *dataset);
/* The data set that has these data; NULL where none has. */
const holding *chain_find_data(const chain *c, const char *data);
/* A reservation that nothing was committed for yet. */
bool chain_is_open(const chain *c, uint64_t entry);

/* ---- transactions (chain_charge.c) */

/* As store_begin, with the file and its chain checked: *out is what the ledger says, up to date.
 * store_end ends it. */
dperm_status chain_begin(dperm_ledger *ledger, bool write, const chain **out, dperm_error *err);
/* Adds a record, and reads it back. */
dperm_status chain_append(dperm_ledger *ledger, record *r, dperm_error *err);
/* A new ledger's, which has no record yet. */
dperm_status chain_start(dperm_ledger *ledger, dperm_error *err);

/* SQLite's own check of pages, and of indexes where a file still has some. */
dperm_status chain_check_pages(dperm_ledger *ledger, bool indexes, doubts *found, dperm_error *err);

#endif
