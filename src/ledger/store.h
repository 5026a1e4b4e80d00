/* The ledger's file: making, opening and locking it, and what SQLite says when it cannot. All that
 * is done to the file happens between store_begin and store_commit. */
#pragma once

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/owned.h"
#include "base/status.h"
#include "dperm/ledger.h"
#include "dperm/verify.h"

/* Version 1 knew rows only; version 2 had records with a version of their own and persons with
 * several rows; version 3 has no indexes, and records that say which key the ledger has; version 4
 * has records with terms, which say how charges add up. */
enum {
  LEDGER_VERSION = 4,
  LEDGER_KEY_SIZE = 32,
  LEDGER_MARK = 0x6470726d /* "dprm" in the file's header, where SQLite keeps such marks */
};

/* The last charge that was made, or tried, through a handle, and what it costs by the composition
 * of its data set (ledger/entries.c). */
typedef struct latest_charge {
  dperm_charge charge;
  char epsilon[DPERM_AMOUNT_SIZE], delta[DPERM_AMOUNT_SIZE];
  double order;
} latest_charge;

struct dperm_ledger {
  char *path; /* as it was given, for messages; SQLite has the file's own name */
  sqlite3 *db;
  pthread_mutex_t turn; /* of the thread whose transaction runs */
  pid_t process;        /* that opened it */
  struct stat about;    /* the file, as it was opened */
  int version;          /* of the file, as of the transaction that runs */
  struct chain *known;  /* what was read of it; NULL for nothing yet (ledger/chain.h) */
  latest_charge latest;
  int space;       /* a file that holds space for the commits of */
  size_t reserved; /* so many charges; -1 and 0 for none */
};

/* All but what chain.h knows: dperm_ledger_free for a ledger in use. */
void store_close(dperm_ledger *ledger);
OWNED_HANDLE(dperm_ledger, store_close)
OWNED_HANDLE(sqlite3_stmt, sqlite3_finalize)

/* A new file, empty and in a transaction, under a temporary name beside `path`; store_publish puts
 * it in its place, whole, and fails with *taken if another is there by then. The temporary name is
 * the caller's, to be given up with store_unlink once the ledger is closed. */
dperm_status store_create(const char *path, dperm_ledger **out, char **temporary, dperm_error *err);
dperm_status store_publish(dperm_ledger *ledger, const char *temporary, const char *path,
                           bool *taken, dperm_error *err);
void store_unlink(char **temporary);

/* The head's digest as an extended attribute of the file (user.dperm.head). No journal and no copy
 * written over the content changes it, and it moves with the file. So it shows when the content
 * went back in place: by a journal that a crash left under another name, or by an older copy. On a
 * file system without such attributes this one check is missing.
 *
 * The digest that was noted last; "" for none. */
void store_noted_head(const dperm_ledger *ledger, char out[DPERM_DIGEST_SIZE]);
/* Only for the writer, of a head that is on the disk. */
void store_note_head(const dperm_ledger *ledger, const char *digest);

/* One reader's view, or with `write` the only writer's: such a transaction waits for others, of
 * this program's threads and of other programs, and checks that the file is ours alone. Either
 * fails if another file has the ledger's name by now. OWNED(chain_cancel) dperm_ledger *held = NULL
 * holds the transaction, which keeps nothing unless store_commit succeeds. */
dperm_status store_begin(dperm_ledger *ledger, bool write, dperm_ledger **held, dperm_error *err);
/* Keeps what was written; after success it survives a loss of power, and the transaction is over.
 */
dperm_status store_commit(dperm_ledger **held, dperm_error *err);
/* Ends it without; chain_cancel also gives up what was read. */
void store_rollback(dperm_ledger *ledger);

/* In a transaction that reserves a charge: takes the space that its commit will need, so that a
 * disk that is nearly full refuses the charge rather than the model. In the one that commits it:
 * gives the space back, just before it is used. Of a charge that fails it stays taken as long as
 * the handle, and so it does for one that another handle commits. */
dperm_status store_hold_space(dperm_ledger *ledger, dperm_error *err);
void store_free_space(dperm_ledger *ledger);

dperm_status store_prepare(dperm_ledger *ledger, const char *sql, sqlite3_stmt **out,
                           dperm_error *err);
/* *found says whether there is a row; anything else is a failure. */
dperm_status store_step(dperm_ledger *ledger, sqlite3_stmt *statement, bool *found,
                        dperm_error *err);
dperm_status store_run(dperm_ledger *ledger, const char *sql, dperm_error *err);

/* The content is not what this program wrote. */
dperm_status store_fail_damaged(const dperm_ledger *ledger, const char *what, dperm_error *err);

/* ---- what a check finds (chain_check.c): every line of it for dperm_ledger_verify, the first
 * inconsistency for a transaction, which then refuses to go on */

enum { FINDING_SIZE = 400, FINDINGS_SHOWN = 20 };
#define NO_RECORD INT64_MIN

typedef struct findings {
  dperm_verify_line *line; /* gets them; NULL where the first failure is enough */
  void *context;
  size_t failures;
  char first[FINDING_SIZE]; /* failure */
} findings;

/* Adds one, of a record or of none. Of the failures only FINDINGS_SHOWN are given to `line`. */
void findings_add(findings *found, dperm_finding kind, int64_t id, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* An inconsistency, of the file or of a record. */
#define findings_fail(found, ...) findings_add(found, DPERM_FINDING_FAILS, NO_RECORD, __VA_ARGS__)
#define findings_fail_record(found, r, ...)                                                        \
  findings_add(found, DPERM_FINDING_FAILS, (r)->id, __VA_ARGS__)

/* No need to read on. */
static inline bool findings_suffice(const findings *found) {
  return found->failures > 0 && !found->line;
}

/* ---- tables (tables.c) */

/* Into a new file, with its key and no record yet. */
dperm_status tables_make(dperm_ledger *ledger, const unsigned char key[LEDGER_KEY_SIZE],
                         dperm_error *err);

/* Makes the tables of a file of an older version those of today; its records keep the digests they
 * have. */
dperm_status tables_update(dperm_ledger *ledger, dperm_error *err);

/* Every object of the file must be, to the letter, one that its version has; none may be missing.
 */
dperm_status tables_check(dperm_ledger *ledger, findings *found, dperm_error *err);
