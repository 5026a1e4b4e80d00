/* See tables.h. Records are written once: triggers refuse the slip of a hand, and the chain of
 * digests shows what was done with intent. */
#include "ledger/tables.h"

#define FIXED                                                                                      \
  "CREATE TRIGGER records_stay BEFORE DELETE ON records"                                           \
  " BEGIN SELECT RAISE(ABORT, 'records of a ledger stay'); END;"                                   \
  "CREATE TRIGGER records_stay_as_they_are BEFORE UPDATE ON records"                               \
  " BEGIN SELECT RAISE(ABORT, 'records of a ledger stay as they are'); END;"

const char ledger_tables[] =
    "PRAGMA application_id = 0x6470726d;"
    "PRAGMA user_version = 2;"
    "CREATE TABLE ledger (only INTEGER PRIMARY KEY CHECK (only = 1), key BLOB NOT NULL,"
    " records INTEGER NOT NULL, head TEXT NOT NULL);"
    "CREATE TABLE records (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, dataset TEXT NOT NULL,"
    " time TEXT NOT NULL, command TEXT NOT NULL, mechanism TEXT NOT NULL, epsilon TEXT NOT NULL,"
    " delta TEXT NOT NULL, spent_epsilon TEXT NOT NULL, spent_delta TEXT NOT NULL,"
    " data TEXT NOT NULL, token TEXT NOT NULL, entry INTEGER NOT NULL, artifact TEXT NOT NULL,"
    " previous TEXT NOT NULL, digest TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1,"
    " rows_per_person INTEGER NOT NULL DEFAULT 1);"
    "CREATE INDEX records_by_dataset ON records (dataset, id);"
    "CREATE INDEX records_that_open ON records (id) WHERE kind = 'open';"
    "CREATE UNIQUE INDEX records_by_entry ON records (entry) WHERE kind = 'commit';" FIXED;

const char ledger_from_version_1[] =
    "ALTER TABLE records ADD COLUMN version INTEGER NOT NULL DEFAULT 1;"
    "ALTER TABLE records ADD COLUMN rows_per_person INTEGER NOT NULL DEFAULT 1;"
    "PRAGMA user_version = 2;";

const char *ledger_columns(int version) {
  return version == 1
             ? "id, kind, dataset, time, command, mechanism, epsilon, delta, spent_epsilon,"
               " spent_delta, data, token, entry, artifact, previous, digest, 1, 1"
             : "id, kind, dataset, time, command, mechanism, epsilon, delta, spent_epsilon,"
               " spent_delta, data, token, entry, artifact, previous, digest, version,"
               " rows_per_person";
}
