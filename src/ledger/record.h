/* One record of a ledger. There are four kinds: "open" gives a data set its totals, "reserve"
 * charges it, "commit" says what a reservation became; "key" says which key a ledger of an older
 * version had when it was brought up to date. Records are only ever added; each carries its data
 * set's state after it (what is spent, which data), for people who read the file, and the digest of
 * the record before it, so that none can be changed, taken away or moved without a trace. */
#pragma once

#include "ledger/reading.h"
#include "ledger/store.h"

enum { NAME_SIZE = 101, TIME_SIZE = 21, WORD_SIZE = 40 };

typedef struct record {
  int64_t id;           /* 1, 2, 3, … */
  char kind[WORD_SIZE]; /* "open", "reserve", "commit" or "key" */
  char dataset[NAME_SIZE];
  char time[TIME_SIZE]; /* UTC, "2026-01-31T12:00:00Z"; never before that of the record before */
  char command[WORD_SIZE], mechanism[WORD_SIZE];             /* reserve */
  char epsilon[DPERM_AMOUNT_SIZE], delta[DPERM_AMOUNT_SIZE]; /* open: totals; reserve: charge */
  char spent_epsilon[DPERM_AMOUNT_SIZE], spent_delta[DPERM_AMOUNT_SIZE];
  char data[DPERM_DIGEST_SIZE];  /* keyed digest of the data; empty before the first charge */
  char token[DPERM_DIGEST_SIZE]; /* reserve: 32 random bytes */
  int64_t entry; /* commit: the reservation; open: what opened the data set it is a part of; or 0 */
  char artifact[DPERM_DIGEST_SIZE]; /* commit: digest of what was released; open, key: of the key */
  char previous[DPERM_DIGEST_SIZE], digest[DPERM_DIGEST_SIZE];
  int64_t version;         /* how it is digested: 2 to 5 */
  int64_t rows_per_person; /* open, reserve: the unit of the amounts */
  char terms[TERMS_SIZE];  /* open: how charges add up; reserve: what it costs by that */
} record;

/* A statement over records: "SELECT <its columns> FROM records NOT INDEXED <rest>". */
dperm_status record_query(dperm_ledger *ledger, const char *rest, sqlite3_stmt **out,
                          dperm_error *err);
/* The statement's next record; its kind is empty if fields are not texts and numbers that fit. */
dperm_status record_next(dperm_ledger *ledger, sqlite3_stmt *query, record *out, bool *found,
                         dperm_error *err);
/* The record with this number, found by its place in the table; one that is not there, or does not
 * fit its digest, comes out with an empty kind. */
dperm_status record_read(dperm_ledger *ledger, int64_t id, record *out, dperm_error *err);

/* BLAKE2b-256 of all fields but the digest (docs/formats.md). */
void record_digest(const record *r, char out[DPERM_DIGEST_SIZE]);
bool record_fits(const record *r);
/* What records say of the ledger's key. */
void key_digest(const unsigned char key[LEDGER_KEY_SIZE], char out[DPERM_DIGEST_SIZE]);

/* What a model carries of its reservation. It leaves out all that depends on the data, and holds
 * the token, so that it reveals nothing without the ledger. */
void record_receipt(const record *r, char out[DPERM_DIGEST_SIZE]);
/* As record_read, of the reservation with this receipt: any other record has an empty kind. */
dperm_status record_reserved(dperm_ledger *ledger, uint64_t entry, const char *receipt, record *out,
                             dperm_error *err);

/* The head: the ledger's key, the number of records, the digest of the last. */
typedef struct ledger_head {
  unsigned char key[LEDGER_KEY_SIZE];
  int64_t records;
  char digest[DPERM_DIGEST_SIZE];
} ledger_head;
/* *sound: there is one such row, with valid fields. */
dperm_status record_head(dperm_ledger *ledger, ledger_head *out, bool *sound, dperm_error *err);

/* Adds a record behind the last one: gives it its number, version and digests, and moves the head.
 * Charges use chain_append (ledger/chain.h). */
dperm_status record_append(dperm_ledger *ledger, const record *last, record *r, dperm_error *err);

/* A data set's name: 1 to 100 bytes, no control characters. */
dperm_status record_check_name(const char *dataset, dperm_error *err);

/* Random bytes of the secure source: a ledger's key, the token of a reservation. */
dperm_status record_secret(unsigned char out[LEDGER_KEY_SIZE], dperm_error *err);

/* The time now, or `last` if that is later. */
void record_time_now(const char *last, char out[TIME_SIZE]);
