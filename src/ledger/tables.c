/* The tables of a ledger, as SQL (docs/formats.md says what each column means), and the check that
 * a file has these and nothing else: a trigger, view or table of somebody else's making could
 * change what a statement of ours does. Records are written once: triggers refuse the slip of a
 * hand, the chain of digests shows intent. Our own connection runs no triggers at all. */
#include <stdio.h>
#include <string.h>

#include "ledger/store.h"

/* What SQLite keeps of an object, and the versions of the file that have it. */
typedef struct object {
  const char *type, *name, *table, *sql;
  int first, last;
} object;

#define COLUMNS                                                                                    \
  "CREATE TABLE records (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, dataset TEXT NOT NULL,"       \
  " time TEXT NOT NULL, command TEXT NOT NULL, mechanism TEXT NOT NULL, epsilon TEXT NOT NULL,"    \
  " delta TEXT NOT NULL, spent_epsilon TEXT NOT NULL, spent_delta TEXT NOT NULL,"                  \
  " data TEXT NOT NULL, token TEXT NOT NULL, entry INTEGER NOT NULL, artifact TEXT NOT NULL,"      \
  " previous TEXT NOT NULL, digest TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1,"             \
  " rows_per_person INTEGER NOT NULL DEFAULT 1"
#define TERMS_COLUMN "terms TEXT NOT NULL DEFAULT ''"

/* In version 2 there were indexes. A damaged one hid charges; now every charge reads the records
 * themselves, and there is nothing to look up in. */
static const object objects[] = {
    {"table", "ledger", "ledger",
     "CREATE TABLE ledger (only INTEGER PRIMARY KEY CHECK (only = 1), key BLOB NOT NULL,"
     " records INTEGER NOT NULL, head TEXT NOT NULL)",
     2, LEDGER_VERSION},
    {"table", "records", "records", COLUMNS ")", 2, 3},
    {"table", "records", "records", COLUMNS ", " TERMS_COLUMN ")", 4, LEDGER_VERSION},
    {"index", "records_by_dataset", "records",
     "CREATE INDEX records_by_dataset ON records (dataset, id)", 2, 2},
    {"index", "records_that_open", "records",
     "CREATE INDEX records_that_open ON records (id) WHERE kind = 'open'", 2, 2},
    {"index", "records_by_entry", "records",
     "CREATE UNIQUE INDEX records_by_entry ON records (entry) WHERE kind = 'commit'", 2, 2},
    {"trigger", "records_stay", "records",
     "CREATE TRIGGER records_stay BEFORE DELETE ON records"
     " BEGIN SELECT RAISE(ABORT, 'records of a ledger stay'); END",
     2, LEDGER_VERSION},
    {"trigger", "records_stay_as_they_are", "records",
     "CREATE TRIGGER records_stay_as_they_are BEFORE UPDATE ON records"
     " BEGIN SELECT RAISE(ABORT, 'records of a ledger stay as they are'); END",
     2, LEDGER_VERSION},
};

enum { OBJECTS = sizeof objects / sizeof *objects };

static bool belongs(const object *o, int version) {
  return o->first <= version && version <= o->last;
}

/* ---- making */

static dperm_status set_pragma(dperm_ledger *ledger, const char *name, int value,
                               dperm_error *err) {
  char sql[64];
  (void)snprintf(sql, sizeof sql, "PRAGMA %s = %d", name, value);
  return store_run(ledger, sql, err);
}

static dperm_status set_version(dperm_ledger *ledger, dperm_error *err) {
  TRY(set_pragma(ledger, "user_version", LEDGER_VERSION, err));
  ledger->version = LEDGER_VERSION;
  return DPERM_OK;
}

dperm_status tables_make(dperm_ledger *ledger, const unsigned char key[LEDGER_KEY_SIZE],
                         dperm_error *err) {
  OWNED(sqlite3_finalize_at) sqlite3_stmt *statement = NULL;
  TRY(set_pragma(ledger, "application_id", LEDGER_MARK, err));
  for (size_t i = 0; i < OBJECTS; i++) {
    TRY(belongs(&objects[i], LEDGER_VERSION) ? store_run(ledger, objects[i].sql, err) : DPERM_OK);
  }
  TRY(set_version(ledger, err));
  TRY(store_prepare(ledger, "INSERT INTO ledger VALUES (1, ?, 0, '')", &statement, err));
  (void)sqlite3_bind_blob(statement, 1, key, LEDGER_KEY_SIZE, SQLITE_STATIC);
  return store_step(ledger, statement, &(bool){false}, err);
}

dperm_status tables_update(dperm_ledger *ledger, dperm_error *err) {
  if (ledger->version < 3) {
    TRY(store_run(ledger,
                  "DROP INDEX records_by_dataset; DROP INDEX records_that_open;"
                  "DROP INDEX records_by_entry",
                  err));
  }
  if (ledger->version < 4) {
    TRY(store_run(ledger, "ALTER TABLE records ADD COLUMN " TERMS_COLUMN, err));
  }
  return set_version(ledger, err);
}

/* ---- checking */

static bool same_text(sqlite3_stmt *query, int column, const char *expected) {
  const char *text = (const char *)sqlite3_column_text(query, column);
  return text && strcmp(text, expected) == 0;
}

static bool is_ours(sqlite3_stmt *query, int version, bool seen[OBJECTS]) {
  for (size_t i = 0; i < OBJECTS; i++) {
    const object *o = &objects[i];
    if (!seen[i] && belongs(o, version) && same_text(query, 0, o->type) &&
        same_text(query, 1, o->name) && same_text(query, 2, o->table) &&
        same_text(query, 3, o->sql)) {
      seen[i] = true;
      return true;
    }
  }
  return false;
}

dperm_status tables_check(dperm_ledger *ledger, dperm_error *err) {
  OWNED(sqlite3_finalize_at) sqlite3_stmt *query = NULL;
  bool seen[OBJECTS] = {false}, more = false;
  TRY(store_prepare(ledger, "SELECT type, name, tbl_name, sql FROM main.sqlite_master", &query,
                    err));
  TRY(store_step(ledger, query, &more, err));
  while (more) {
    if (!is_ours(query, ledger->version, seen)) {
      const char *type = (const char *)sqlite3_column_text(query, 0);
      const char *name = (const char *)sqlite3_column_text(query, 1);
      return store_unsound(ledger, NO_RECORD, err,
                           "file: the %.20s \"%.60s\" in it was not made by dperm",
                           type ? type : "thing", name ? name : "");
    }
    TRY(store_step(ledger, query, &more, err));
  }
  for (size_t i = 0; i < OBJECTS; i++) {
    RETURN_IF(belongs(&objects[i], ledger->version) && !seen[i],
              store_unsound(ledger, NO_RECORD, err, "file: the %s \"%s\" is gone or was changed",
                            objects[i].type, objects[i].name));
  }
  return DPERM_OK;
}
