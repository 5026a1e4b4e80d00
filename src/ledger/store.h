/* The ledger's file: making, opening and locking it, and what SQLite says when it cannot. All that
 * is done to the file happens between store_begin and store_end. */
#pragma once

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/status.h"

/* Version 1 knew rows only; version 2 had records with a version of their own and persons with
 * several rows; version 3 has no indexes, and records that say which key the ledger has. */
enum {
  LEDGER_VERSION = 3,
  LEDGER_KEY_SIZE = 32,
  LEDGER_MARK = 0x6470726d /* "dprm" in the file's header, where SQLite keeps such marks */
};

struct dperm_ledger {
  char *path; /* as it was given, for messages; the file's own name is store_file's */
  sqlite3 *db;
  pthread_mutex_t turn; /* of the thread whose transaction runs */
  pid_t process;        /* that opened it */
  struct stat about;    /* the file, as it was opened */
  int version;          /* of the file, as of the transaction that runs */
  struct chain *known;  /* what was read of it; NULL for nothing yet (ledger/chain.h), and */
  void (*forget)(dperm_ledger *ledger); /* how to give it up; NULL with it */
};

/* A new file, empty and in a transaction, under a temporary name beside `path`; store_publish puts
 * it in its place, whole, and fails with *taken if another is there by then. store_abandon leaves
 * no trace. */
dperm_status store_create(const char *path, dperm_ledger **out, char **temporary, dperm_error *err);
dperm_status store_publish(dperm_ledger *ledger, const char *temporary, const char *path,
                           bool *taken, dperm_error *err);
void store_abandon(dperm_ledger *ledger, char *temporary);

/* The absolute name of the file that is open. */
const char *store_file(const dperm_ledger *ledger);

/* One reader's view, or with `write` the only writer's: such a transaction waits for others, of
 * this program's threads and of other programs, and checks that the file is ours alone. Either
 * fails if another file has the ledger's name by now. */
dperm_status store_begin(dperm_ledger *ledger, bool write, dperm_error *err);
/* Keeps what was written if `status` says so, and only then; returns what came of it. After success
 * the changes survive a loss of power. */
dperm_status store_end(dperm_ledger *ledger, dperm_status status, dperm_error *err);

/* The end of a transaction that keeps nothing. */
void store_cancel(dperm_ledger *ledger);

dperm_status store_prepare(dperm_ledger *ledger, const char *sql, sqlite3_stmt **out,
                           dperm_error *err);
/* *found says whether there is a row; anything else is a failure. */
dperm_status store_step(dperm_ledger *ledger, sqlite3_stmt *statement, bool *found,
                        dperm_error *err);
/* Runs a statement that gives no row, and finalizes it. */
dperm_status store_execute(dperm_ledger *ledger, sqlite3_stmt *statement, dperm_error *err);
dperm_status store_run(dperm_ledger *ledger, const char *sql, dperm_error *err);

/* The content is not what this program wrote. */
dperm_status store_fail_damaged(const dperm_ledger *ledger, const char *what, dperm_error *err);
