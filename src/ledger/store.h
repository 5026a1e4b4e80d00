/* The ledger's file: making, opening and locking it, and what SQLite says when it cannot. All that
 * is done to the file happens between store_begin and store_commit. */
#pragma once

#include <pthread.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/owned.h"
#include "base/status.h"
#include "dperm/ledger.h"
#include "dperm/verify.h"

/* Version 2 is that of dperm 0.1; version 3 has no indexes, and records that say which key the
 * ledger has; version 4 has records with terms, which say how charges add up; in version 5 data
 * sets may be parts of others, and charges may say what they held out. */
enum {
  LEDGER_VERSION = 5,
  LEDGER_KEY_SIZE = 32,
  LEDGER_MARK = 0x6470726d /* "dprm" in the file's header, where SQLite keeps such marks */
};

struct dperm_ledger {
  char *path; /* as it was given, for messages; SQLite has the file's own name */
  sqlite3 *db;
  pthread_mutex_t turn; /* of the thread whose transaction runs */
  pid_t process;        /* that opened it */
  struct stat about;    /* the file, as it was opened */
  int version;          /* of the file, as of the transaction that runs */
  struct chain *known;  /* what was read of it; NULL for nothing yet (ledger/chain.h) */
  char finding[400];    /* of the check that failed last */
  int space;            /* a file that holds space for the commits of */
  size_t reserved;      /* so many charges; -1 and 0 for none */
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
/* Keeps what was written and ends the transaction; after success it survives a loss of power. */
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

/* A check's finding, of a record or of none: fails as store_fail_damaged does, and keeps the words
 * for dperm_ledger_verify in ledger->finding. */
#define NO_RECORD INT64_MIN
dperm_status store_unsound(dperm_ledger *ledger, int64_t record, dperm_error *err,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/* ---- tables (tables.c) */

/* Into a new file, with its key and no record yet. */
dperm_status tables_make(dperm_ledger *ledger, const unsigned char key[LEDGER_KEY_SIZE],
                         dperm_error *err);

/* Makes the tables of an older version those of today; its records keep the digests they have. */
dperm_status tables_update(dperm_ledger *ledger, dperm_error *err);

/* Every object of the file must be, to the letter, one of its version's; none may be missing. */
dperm_status tables_check(dperm_ledger *ledger, dperm_error *err);
