/* See ledger_edits.h. */
#include "ledger_edits.h"

#define SCHEMA "PRAGMA writable_schema = ON; UPDATE sqlite_master SET "
#define LAST "(SELECT max(id) FROM records)"

const ledger_edit ledger_edits[] = {
    /* records taken away, moved, added, of another kind */
    {.sql = "DELETE FROM records"},
    {.sql = "DELETE FROM records WHERE id = " LAST},
    {.sql = "DELETE FROM records WHERE id > 3"},
    {.sql = "DELETE FROM records WHERE id > 3; UPDATE ledger SET records = 3"},
    {.sql = "DELETE FROM records WHERE kind = 'reserve'"},
    {.sql = "DELETE FROM records WHERE id = 7; UPDATE records SET id = id - 1 WHERE id > 7;"
            "UPDATE ledger SET records = records - 1"},
    {.sql = "UPDATE records SET id = -id"},
    {.sql = "UPDATE records SET id = id + 1000 WHERE kind <> 'open'"},
    {.sql = "UPDATE records SET kind = 'commit' WHERE kind = 'reserve'"},
    {.sql = "UPDATE records SET kind = 'key' WHERE id = 9", .refit = 9},
    {.sql = "INSERT INTO records SELECT -5, kind, 'c', time, command, mechanism, '9', delta,"
            " spent_epsilon, spent_delta, data, token, entry, artifact, previous, digest, version,"
            " rows_per_person, terms FROM records WHERE id = 1",
     .refit = -5},
    {.sql = "INSERT INTO records SELECT " LAST " + 1, kind, 'd', time, command, mechanism, '9',"
            " delta, spent_epsilon, spent_delta, data, token, entry, artifact, (SELECT digest FROM"
            " records WHERE id = " LAST "), digest, version, rows_per_person, terms FROM records"
            " WHERE id = 1",
     .refit = 15},
    /* amounts, names, data, units, versions */
    {.sql = "UPDATE records SET epsilon = '0.01' WHERE kind = 'reserve'"},
    {.sql = "UPDATE records SET terms = 'cost=0 cost_delta=0'"},
    {.sql = "UPDATE records SET terms = 'cost=0 cost_delta=0' WHERE id = 14",
     .refit = 14,
     .head = true},
    {.sql = "UPDATE records SET epsilon = '0.01' WHERE id = 9", .refit = 9},
    {.sql = "UPDATE records SET epsilon = '9' WHERE kind = 'open'"},
    {.sql = "UPDATE records SET epsilon = '9' WHERE id = 1", .refit = 1},
    {.sql = "UPDATE records SET epsilon = '9' WHERE id = 12", .refit = 12},
    {.sql = "UPDATE records SET spent_epsilon = '0'"},
    {.sql = "UPDATE records SET spent_epsilon = '0.1' WHERE id = " LAST, .refit = 14, .head = true},
    {.sql = "UPDATE records SET dataset = 'd' WHERE id = " LAST, .refit = 14, .head = true},
    {.sql = "UPDATE records SET data = '' WHERE id = " LAST, .refit = 14, .head = true},
    {.sql = "UPDATE records SET data = ''"},
    {.sql = "UPDATE records SET dataset = 'c' WHERE dataset = 'a' AND kind <> 'open'"},
    {.sql = "UPDATE records SET dataset = CASE dataset WHEN 'a' THEN 'c' WHEN 'c' THEN 'a' ELSE "
            "dataset END WHERE kind = 'open'"},
    {.sql = "UPDATE records SET rows_per_person = 2 WHERE kind = 'open'"},
    {.sql = "UPDATE records SET version = 1"},
    {.sql = "UPDATE records SET version = 2 WHERE id = 1", .refit = 1},
    {.sql = "UPDATE records SET previous = ''"},
    {.sql = "UPDATE records SET digest = upper(digest)"},
    {.sql = "UPDATE records SET entry = 0, artifact = ''"},
    {.sql = "UPDATE records SET epsilon = CAST(epsilon AS BLOB)"},
    {.sql = "UPDATE records SET time = '2020-01-01T00:00:00Z' WHERE id = 14",
     .refit = 14,
     .head = true},
    /* the ledger's line about itself */
    {.sql = "UPDATE ledger SET key = zeroblob(32)"},
    {.sql = "UPDATE ledger SET key = CAST(hex(zeroblob(16)) AS TEXT)"},
    {.sql = "UPDATE ledger SET key = x''"},
    {.sql = "UPDATE ledger SET key = zeroblob(32); UPDATE records SET artifact ="
            " (SELECT digest FROM records WHERE id = 2) WHERE id = 1",
     .refit = 1},
    {.sql = "UPDATE ledger SET records = records - 1"},
    {.sql = "UPDATE ledger SET records = 2, head = (SELECT digest FROM records WHERE id = 2)"},
    {.sql = "UPDATE ledger SET records = 0, head = ''"},
    {.sql = "DELETE FROM ledger"},
    {.sql = "PRAGMA ignore_check_constraints = ON; UPDATE ledger SET only = 2"},
    {.sql = "PRAGMA ignore_check_constraints = ON; INSERT INTO ledger SELECT 0, key, 0, '' FROM "
            "ledger"},
    /* marks of the file */
    {.sql = "PRAGMA user_version = 1"},
    {.sql = "PRAGMA user_version = 2"},
    {.sql = "PRAGMA user_version = 2; CREATE INDEX records_by_dataset ON records (dataset, id);"
            "CREATE INDEX records_that_open ON records (id) WHERE kind = 'open';"
            "CREATE UNIQUE INDEX records_by_entry ON records (entry) WHERE kind = 'commit'"},
    {.sql = "PRAGMA user_version = 4"},
    {.sql = "PRAGMA user_version = 6"},
    {.sql = "PRAGMA application_id = 1"},
    {.sql = "PRAGMA journal_mode = WAL"},
    {.sql = "PRAGMA auto_vacuum = FULL; VACUUM", .harmless = true},
    {.sql = "PRAGMA page_size = 1024; VACUUM", .harmless = true},
    /* triggers */
    {.sql = "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records WHERE id = new.id; "
            "END"},
    {.sql = "CREATE TRIGGER t BEFORE INSERT ON records BEGIN SELECT RAISE(IGNORE); END"},
    {.sql = "CREATE TRIGGER t AFTER INSERT ON records BEGIN UPDATE records SET spent_epsilon = '0' "
            "WHERE id = new.id; END"},
    {.sql = "CREATE TRIGGER t BEFORE UPDATE ON ledger BEGIN SELECT RAISE(IGNORE); END"},
    {.sql =
         "CREATE TRIGGER t AFTER UPDATE ON ledger WHEN new.records > old.records BEGIN DELETE FROM"
         " records WHERE id = new.records; UPDATE ledger SET records = old.records, head = "
         "old.head;"
         " END"},
    /* views, tables and columns in the place of ours */
    {.sql = "ALTER TABLE records RENAME TO hidden; CREATE VIEW records AS SELECT * FROM hidden "
            "WHERE id < 3; CREATE TRIGGER t INSTEAD OF INSERT ON records BEGIN SELECT 1; END"},
    {.sql = "ALTER TABLE ledger RENAME TO hidden; CREATE VIEW ledger AS SELECT only, key, 2 AS "
            "records, (SELECT digest FROM records WHERE id = 2) AS head FROM hidden"},
    {.sql = "CREATE VIEW v AS SELECT 1"},
    {.sql = "CREATE TABLE extra (x)"},
    {.sql = "CREATE VIRTUAL TABLE extra USING fts5(x)"},
    {.sql = "ALTER TABLE records ADD COLUMN more TEXT"},
    {.sql = "ALTER TABLE records ADD COLUMN more TEXT GENERATED ALWAYS AS ('0') VIRTUAL"},
    {.sql = "ALTER TABLE ledger ADD COLUMN more INTEGER CHECK (records < 15)"},
    {.sql =
         "CREATE TABLE kept AS SELECT * FROM records; DROP TABLE records; CREATE TABLE records AS"
         " SELECT * FROM kept; DROP TABLE kept"},
    {.sql = "ANALYZE"},
    /* indexes, which a file of today has none of */
    {.sql = "CREATE INDEX i ON records (dataset, id)"},
    {.sql = "CREATE INDEX i ON records (dataset, id) WHERE id < 3"},
    {.sql = "CREATE INDEX i ON records (dataset, id) WHERE id < 3; " SCHEMA
            "sql = 'CREATE INDEX i ON records (dataset, id)' WHERE name = 'i'"},
    /* SQLite's own list of what is in the file */
    {.sql =
         SCHEMA "rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'ledger') WHERE name ="
                " 'records'"},
    {.sql = SCHEMA
     "rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'records') WHERE name ="
     " 'ledger'"},
    {.sql = SCHEMA "rootpage = 5 - rootpage WHERE type = 'table'"},
    {.sql = SCHEMA "sql = replace(sql, 'epsilon TEXT', 'epsilon BLOB') WHERE name = 'records'"},
    {.sql =
         SCHEMA "sql = replace(sql, 'PRIMARY KEY,', 'PRIMARY KEY DESC,') WHERE name = 'records'"},
    {.sql = SCHEMA "sql = substr(sql, 1, length(sql)) || ' WITHOUT ROWID' WHERE name = 'records'"},
    {.sql = SCHEMA "sql = sql || ' STRICT' WHERE name = 'records'"},
    {.sql = SCHEMA "tbl_name = 'ledger' WHERE name = 'records'"},
    {.sql = SCHEMA "name = 'Records' WHERE name = 'records'"},
    {.sql = "PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = 'records'"},
    {.sql =
         "PRAGMA writable_schema = ON; INSERT INTO sqlite_master SELECT * FROM sqlite_master WHERE"
         " name = 'records'"},
    {.sql = "VACUUM", .harmless = true},
};

const size_t ledger_edit_count = sizeof ledger_edits / sizeof *ledger_edits;
