/* See old_ledgers.h. The statements are those of the old versions, letter by letter. */
#include "old_ledgers.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ledger/chain.h"
#include "support.h"

enum { RECORDS_MOST = 64 };

static const char tables[] =
    "PRAGMA application_id = 0x6470726d;"
    "CREATE TABLE ledger (only INTEGER PRIMARY KEY CHECK (only = 1), key BLOB NOT NULL,"
    " records INTEGER NOT NULL, head TEXT NOT NULL);"
    "CREATE TABLE records (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, dataset TEXT NOT NULL,"
    " time TEXT NOT NULL, command TEXT NOT NULL, mechanism TEXT NOT NULL, epsilon TEXT NOT NULL,"
    " delta TEXT NOT NULL, spent_epsilon TEXT NOT NULL, spent_delta TEXT NOT NULL,"
    " data TEXT NOT NULL, token TEXT NOT NULL, entry INTEGER NOT NULL, artifact TEXT NOT NULL,"
    " previous TEXT NOT NULL, digest TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1,"
    " rows_per_person INTEGER NOT NULL DEFAULT 1%s);";
static const char terms_column[] = ", terms TEXT NOT NULL DEFAULT ''"; /* of version 4 */
static const char indexes[] =                                          /* of version 2 */
    "CREATE INDEX records_by_dataset ON records (dataset, id);"
    "CREATE INDEX records_that_open ON records (id) WHERE kind = 'open';"
    "CREATE UNIQUE INDEX records_by_entry ON records (entry) WHERE kind = 'commit';";
static const char triggers[] =
    "CREATE TRIGGER records_stay BEFORE DELETE ON records"
    " BEGIN SELECT RAISE(ABORT, 'records of a ledger stay'); END;"
    "CREATE TRIGGER records_stay_as_they_are BEFORE UPDATE ON records"
    " BEGIN SELECT RAISE(ABORT, 'records of a ledger stay as they are'); END;";

static size_t read_records(const char *path, record *out, unsigned char key[LEDGER_KEY_SIZE]) {
  dperm_ledger *ledger = NULL, *held = NULL;
  assert_ok(dperm_ledger_open(path, &ledger, err));
  assert_ok(chain_begin(ledger, false, &held, err));
  size_t count = (size_t)ledger->known->count;
  assert_true(count <= RECORDS_MOST);
  memcpy(key, ledger->known->key, LEDGER_KEY_SIZE);
  for (size_t i = 0; i < count; i++) {
    assert_ok(record_read(ledger, (int64_t)i + 1, &out[i], err));
  }
  assert_ok(store_commit(&held, err));
  dperm_ledger_free(ledger);
  return count;
}

static void run(sqlite3 *db, const char *sql) {
  char *message = NULL;
  if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
    fail_msg("%s: %s", sql, message);
  }
}

static void write_record(sqlite3 *db, const record *r) {
  char sql[2000];
  (void)snprintf(sql, sizeof sql,
                 "INSERT INTO records VALUES (%d, '%s', '%s', '%s', '%s', '%s', '%s', '%s', '%s',"
                 " '%s', '%s', '%s', %d, '%s', '%s', '%s', %d, %d%s);"
                 "UPDATE ledger SET records = %d, head = '%s'",
                 (int)r->id, r->kind, r->dataset, r->time, r->command, r->mechanism, r->epsilon,
                 r->delta, r->spent_epsilon, r->spent_delta, r->data, r->token, (int)r->entry,
                 r->artifact, r->previous, r->digest, (int)r->version, (int)r->rows_per_person,
                 r->version < 4 ? "" : ", ''", (int)r->id, r->digest);
  run(db, sql);
}

void ledger_as_of_version(const char *path, int version) {
  static record all[RECORDS_MOST];
  unsigned char key[LEDGER_KEY_SIZE];
  char sql[4000], made[2000], hex[2 * LEDGER_KEY_SIZE + 1];
  sqlite3 *db = NULL;
  size_t count = read_records(path, all, key);
  for (size_t i = 0; i < LEDGER_KEY_SIZE; i++) {
    (void)snprintf(hex + 2 * i, 3, "%02x", key[i]);
  }
  (void)unlink(path);
  (void)close(open(path, O_WRONLY | O_CREAT | O_EXCL, 0600));
  assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
  (void)snprintf(made, sizeof made, tables, version < 4 ? "" : terms_column);
  (void)snprintf(sql, sizeof sql,
                 "%s%s%s PRAGMA user_version = %d;"
                 "INSERT INTO ledger VALUES (1, x'%s', 0, '')",
                 made, version < 3 ? indexes : "", triggers, version, hex);
  run(db, sql);
  for (size_t i = 0; i < count; i++) {
    all[i].version = version;
    assert_string_equal(all[i].terms, ""); /* which no older version has */
    if (version < 3 && strcmp(all[i].kind, "open") == 0) {
      all[i].artifact[0] = '\0';
    }
    memcpy(all[i].previous, i ? all[i - 1].digest : "", i ? DPERM_DIGEST_SIZE : 1);
    record_digest(&all[i], all[i].digest);
    write_record(db, &all[i]);
  }
  (void)sqlite3_close(db);
}
