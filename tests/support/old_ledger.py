"""Writes a ledger again as version 2 of the file was: with indexes, and no word about the key.

old_ledger.py LEDGER [--hollow]

With --hollow the index that charges were looked up in lacks all records but the first two, as a
damaged page could leave it.
"""

import hashlib
import os
import sqlite3
import sys

LEDGER = """CREATE TABLE ledger (only INTEGER PRIMARY KEY CHECK (only = 1), key BLOB NOT NULL,\
 records INTEGER NOT NULL, head TEXT NOT NULL)"""
RECORDS = """CREATE TABLE records (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, dataset TEXT NOT NULL,\
 time TEXT NOT NULL, command TEXT NOT NULL, mechanism TEXT NOT NULL, epsilon TEXT NOT NULL,\
 delta TEXT NOT NULL, spent_epsilon TEXT NOT NULL, spent_delta TEXT NOT NULL,\
 data TEXT NOT NULL, token TEXT NOT NULL, entry INTEGER NOT NULL, artifact TEXT NOT NULL,\
 previous TEXT NOT NULL, digest TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1,\
 rows_per_person INTEGER NOT NULL DEFAULT 1)"""
BY_DATASET = "CREATE INDEX records_by_dataset ON records (dataset, id)"
OTHERS = [
    "CREATE INDEX records_that_open ON records (id) WHERE kind = 'open'",
    "CREATE UNIQUE INDEX records_by_entry ON records (entry) WHERE kind = 'commit'",
    "CREATE TRIGGER records_stay BEFORE DELETE ON records"
    " BEGIN SELECT RAISE(ABORT, 'records of a ledger stay'); END",
    "CREATE TRIGGER records_stay_as_they_are BEFORE UPDATE ON records"
    " BEGIN SELECT RAISE(ABORT, 'records of a ledger stay as they are'); END",
]
DIGESTED = (
    "id kind dataset time command mechanism epsilon delta spent_epsilon spent_delta"
    " rows_per_person token data entry artifact previous"
).split()


def read(path):
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    records = [dict(r) for r in db.execute("SELECT * FROM records ORDER BY id")]
    key = db.execute("SELECT key FROM ledger").fetchone()[0]
    db.close()
    return key, records


def digest(record):
    lines = ["dperm-ledger/2"] + [record[k] for k in DIGESTED]
    text = "".join(f"{line}\n" for line in lines)
    return hashlib.blake2b(text.encode(), digest_size=32).hexdigest()


def write(path, key, records, hollow):
    os.remove(path)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    db = sqlite3.connect(path)
    db.executescript(f"PRAGMA application_id = {0x6470726D}; PRAGMA user_version = 2")
    for sql in [LEDGER, RECORDS, BY_DATASET + (" WHERE id < 3" if hollow else "")] + OTHERS:
        db.execute(sql)
    previous = ""
    for record in records:
        record["version"], record["previous"] = 2, previous
        record.pop("terms")  # which version 4 brought
        if record["kind"] == "open":
            record["artifact"] = ""
        record["digest"] = previous = digest(record)
        places = ", ".join(":" + name for name in record)
        db.execute(f"INSERT INTO records ({', '.join(record)}) VALUES ({places})", record)
    db.execute("INSERT INTO ledger VALUES (1, ?, ?, ?)", (key, len(records), previous))
    if hollow:
        db.execute("PRAGMA writable_schema = ON")
        db.execute(
            "UPDATE sqlite_master SET sql = ? WHERE name = 'records_by_dataset'", (BY_DATASET,)
        )
    db.commit()
    db.close()


if __name__ == "__main__":
    write(sys.argv[1], *read(sys.argv[1]), "--hollow" in sys.argv)
