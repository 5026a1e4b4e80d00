# A ledger that was changed or damaged, an older and a newer one, and a machine that fails in every
# way it can.
load helpers
load ledger_helpers

@test "an outsider can recompute every digest" {
  begin 1
  charge 0.1 2> /dev/null
  "$DPERM" ledger init l.db --dataset more --epsilon 2 --rows-per-person 3 --delta 1e-6 --composition renyi 2> /dev/null
  python3 - <<'P'
import hashlib, json, sqlite3
db = sqlite3.connect("l.db"); db.row_factory = sqlite3.Row
digest = lambda lines: hashlib.blake2b("".join(f"{x}\n" for x in lines).encode(), digest_size=32).hexdigest()
previous = ""
key = db.execute("SELECT key FROM ledger").fetchone()[0]
for r in db.execute("SELECT * FROM records ORDER BY id"):
    if r["kind"] == "open":
        assert r["artifact"] == hashlib.blake2b(b"dperm-key/1\n" + key, digest_size=32).hexdigest()
    charge = [r[k] for k in "id kind dataset time command mechanism epsilon delta spent_epsilon spent_delta rows_per_person terms token".split()]
    assert r["version"] == 5 and r["digest"] == digest(["dperm-ledger/5"] + charge + [r["data"], r["entry"], r["artifact"], previous])
    if r["kind"] == "reserve":
        assert json.load(open("m.json"))["ledger"] == {"id": r["id"], "digest": digest(["dperm-receipt/5"] + charge)}
        file = hashlib.blake2b(open("people.csv", "rb").read(), digest_size=32).digest()
        identity = hashlib.blake2b(b"file    " + file, digest_size=32).digest()
        assert r["data"] == hashlib.blake2b(identity, key=key, digest_size=32).hexdigest()
    previous = r["digest"]
assert tuple(db.execute("SELECT records, head FROM ledger").fetchone()) == (4, previous)
P
}

@test "verify names what was changed" {
  begin 1
  charge 0.1 2> /dev/null
  charge 0.2 2> /dev/null
  succeeds "$DPERM" ledger verify l.db
  [ "${lines[0]}" = "ok     records: all 5 fit their digests and follow each other" ]
  [ "${lines[1]}" = "ok     sums: 1 data set, 2 charges (2 committed), none beyond its budget" ]
  head=${lines[2]##* }
  "$DPERM" ledger verify l.db --head "$head" > lines
  grep -q '^ok     noted head: is that of record 5' lines
  edit "DROP TRIGGER records_stay_as_they_are; UPDATE records SET epsilon = 0.01 WHERE id = 4; $GUARD"
  "$DPERM" ledger verify l.db > lines 2> message && return 1
  grep -q '^FAILS  record 4: was changed, it does not fit its digest$' lines
  grep -q '^dperm: l.db: the ledger does not hold; record 4: was changed' message
  "$DPERM" ledger verify l.db --json > v.json 2> /dev/null && return 1
  python3 -c 'import json; assert json.load(open("v.json"))["verdict"] == "does not hold"'
}

@test "a damaged page is a clear error, and nothing is charged" {
  begin 1
  charge 0.1 2> /dev/null
  cp l.db good.db
  pages=$(($(stat -c %s l.db) / 4096))
  for page in $(seq 0 $((pages - 1))); do
    cp good.db l.db
    python3 -c 'import random, sys; sys.stdout.buffer.write(bytes(random.Random(int(sys.argv[1])).choices(range(256), k=4096)))' "$page" |
      dd of=l.db bs=4096 seek="$page" conv=notrunc 2> /dev/null
    run "$DPERM" ledger verify l.db
    [ "$status" -eq 1 ] || { echo "page $page: $output"; return 1; }
    run charge 0.1 m2.json
    [ "$status" -eq 1 ] || { echo "page $page: $output"; return 1; }
    leaves_no m2.json
  done
}

@test "a planted trigger and a replaced key are named, and end all charges" {
  begin 1
  charge 0.1 2> /dev/null
  cp l.db good.db
  edit "CREATE TRIGGER t AFTER UPDATE ON ledger BEGIN DELETE FROM records WHERE id = new.records; END"
  run "$DPERM" ledger verify l.db
  [ "$status" -eq 1 ]
  [ "${lines[0]}" = 'FAILS  file: the trigger "t" in it was not made by dperm' ]
  fails 1 'l.db: damaged ledger, file: the trigger "t" in it was not made by dperm; see ' charge 0.1 m2.json
  cp good.db l.db
  edit "UPDATE ledger SET key = zeroblob(32)"
  run "$DPERM" ledger verify l.db
  [ "$status" -eq 1 ]
  [ "${lines[0]}" = "FAILS  record 1: was written under another key" ]
  fails 1 "l.db: damaged ledger, record 1: was written under another key" charge 0.1 m2.json
  leaves_no m2.json
}

@test "a ledger of version 2 is charged, and brought up to date by it" {
  begin 1
  charge 0.1 2> /dev/null
  python3 "$DPERM_SOURCE/tests/support/old_ledger.py" l.db
  says 0 "note   the ledger is of an older version, and another key would pass" "$DPERM" ledger verify l.db
  run "$DPERM" ledger show l.db
  [[ "$output" == *"0.9 left of 1"*"committed for "* ]]
  run charge 0.2
  [[ "${lines[1]}" == 'l.db: charged epsilon 0.2 and delta '*' to "people" (entry 5); 0.7 and '*' left' ]]
  holds
  "$DPERM" ledger show l.db --model m.json
  [ "$(python3 -c 'import sqlite3; print(*sqlite3.connect("l.db").execute("PRAGMA user_version").fetchone())')" = 5 ]
}

@test "a ledger from a newer version is refused" {
  begin 1
  python3 -c 'import sqlite3; sqlite3.connect("l.db").execute("PRAGMA user_version = 6")'
  fails 1 "l.db: ledger version 6 is newer than this dperm" charge 0.1
  fails 1 "is newer than this dperm" "$DPERM" ledger verify l.db
  leaves_no m.json
}

@test "a folder that cannot be written, a file that others can read, another owner" {
  mkdir closed
  "$DPERM" ledger init closed/l.db --dataset people --epsilon 1 2> /dev/null
  chmod 555 closed
  run humble "$DPERM" train --force "${people[@]}" --epsilon 0.1 --out m.json --ledger closed/l.db --dataset people
  fails_with 1 "closed/l.db: the ledger"
  run humble "$DPERM" ledger init closed/new.db --dataset people --epsilon 1
  fails_with 1 "closed/new.db: the ledger cannot be made (Permission denied)"
  chmod 755 closed
  chmod 400 closed/l.db
  run humble "$DPERM" train --force "${people[@]}" --epsilon 0.1 --out m.json --ledger closed/l.db --dataset people
  fails_with 1 "cannot be written, and nothing is released without it"
  humble "$DPERM" ledger verify closed/l.db > /dev/null
  chmod 644 closed/l.db
  fails 1 "mode 644 and has 1 name; run dperm as its owner, chmod 600 it" charge_to closed/l.db people
  leaves_no m.json
  [ "$(id -u)" -eq 0 ] || return 0
  chmod 600 closed/l.db
  chown 12345 closed/l.db
  fails 1 "the ledger must be yours alone, under one name, and it is of user 12345" charge_to closed/l.db people
  leaves_no m.json
}

@test "a disk that is full at any moment" {
  begin 100
  call=0
  status=1
  before=$(entries)
  while [ "$status" -ne 0 ] && [ "$call" -lt 200 ]; do
    call=$((call + 1))
    faulty LEDGER_FAULT_FULL=$call "$DPERM" train --force "${people[@]}" --epsilon 0.1 --out m.json "${account[@]}"
    code=$status said=$output now=$(entries)
    [ "$now" = "$before" ] || [ "$code" -eq 0 ] || [[ "$said" == *"; the charge (entry "*" of the ledger) "*" spent" ]] ||
      { echo "call $call: charged, and not a word of it: $said"; return 1; }
    before=$now
    holds || { echo "call $call: the ledger does not hold"; return 1; }
    if [ -e m.json ]; then
      "$DPERM" ledger show l.db --model m.json > /dev/null
    else
      [[ "$said" == "dperm: "*"o space"* || "$said" == "dperm: "*"cannot be read or written"* ]] &&
        [ "$code" -eq 1 ] && [ "$(wc -l <<< "$said")" -eq 1 ] || { echo "call $call: $said"; return 1; }
    fi
    rm -f m.json
    status=$code
  done
  [ "$call" -gt 20 ] && [ "$call" -lt 200 ]
}

@test "a disk that is full behind the charge: the commit has its space" {
  begin 100
  for i in $(seq 12); do # pages of the ledger get full and new ones begin
    faulty LEDGER_FAULT_SPACE=1000000 "$DPERM" train --force "${people[@]}" --epsilon 0.1 --out m.json "${account[@]}"
    [ "$status" -eq 0 ] || { echo "charge $i: $output"; return 1; }
    "$DPERM" ledger show l.db --model m.json > /dev/null
  done
  cp l.db before.db
  for space in 20000 40000 60000 80000; do # for the charge, and not for its end
    faulty LEDGER_FAULT_SPACE=$space "$DPERM" train --force "${people[@]}" --epsilon 0.1 --out m2.json "${account[@]}"
    fails_with 1 "l.db: no space is left for the ledger (No space left on device); check the place"
    [[ "$output" != *" spent"* ]]
    leaves_no m2.json
    cmp l.db before.db
  done
  [ "$(ls -A | grep -c '^l.db')" -eq 1 ]
}

@test "a clock that was set back: the record keeps the order" {
  begin 1
  charge 0.1 2> /dev/null
  faulty LEDGER_FAULT_CLOCK=-86400 "$DPERM" train --force "${people[@]}" --epsilon 0.1 --out m2.json "${account[@]}"
  [ "$status" -eq 0 ]
  holds
  [ "$(left)" = 0.8 ]
}

@test "a run that fails after its charge says that it stays spent" {
  begin 1
  run preloaded "$RANDOM_FAULT" RANDOM_FAULT_AFTER=3 "$DPERM" train --force "${people[@]}" --epsilon 0.1 --out m.json "${account[@]}"
  fails_with 1 "nothing is released; the charge (entry 2 of the ledger) stays spent"
  leaves_no m.json
  [ "$(left)" = 0.9 ]
  run "$DPERM" ledger show l.db
  [[ "$output" == *"reserved, never committed: stays spent"*"1 entry, 1 of them never committed"* ]]
  holds
}

@test "processes that race for the last of a budget" {
  begin 1
  for i in $(seq 1 8); do
    # One that the others kept waiting for too long (a slow disk) tries again, as it is told to.
    until charge 0.6 r$i.json 2> r$i.err || ! grep -q 'held the ledger for too long' r$i.err; do :; done &
  done
  wait
  [ "$(ls r*.json | wc -l)" -eq 1 ]
  [ "$(grep -l 'has epsilon 0.4 left of 1, and this run needs 0.6' r*.err | wc -l)" -eq 7 ]
  holds
}

@test "a budget that cannot be told is not given" {
  for name in new.db l.db; do
    begin
    run bash -c '"$DPERM" ledger init "$0" --dataset others --epsilon 1 --json > /dev/full' $name
    fails_with 1 "standard output: cannot write (No space left on device)"
    [ "$("$DPERM" ledger show l.db | grep -c others)" -eq 0 ]
    rm l.db
  done
  [ ! -e new.db ]
}

@test "ledgers that are none" {
  fails 1 "people.csv: is there and is no dperm ledger; name another file" "$DPERM" ledger show people.csv
  run "$DPERM" ledger init people.csv --dataset people --epsilon 1
  fails_with 1 "people.csv: is there and is no dperm ledger; name another file"
  fails 1 "none.db: no such ledger" "$DPERM" ledger verify none.db
  ln -s gone.db link.db
  for action in "init link.db --dataset people --epsilon 1" "show link.db"; do
    run "$DPERM" ledger $action
    fails_with 1 "link.db: a symbolic link to a file that is not there; remove the link, or name the file itself"
  done
  [ ! -e gone.db ] && [ "$(ls -A | grep -c new-)" -eq 0 ]
  run "$DPERM" ledger init none --dataset people --epsilon 1 # --ledger none could never charge it
  fails_with 2 "none stands for no ledger where one is charged; give it another name"
  for action in "init - --dataset people --epsilon 1" "show -" "verify -"; do
    fails 2 "-: a ledger is a file, never standard input or output" "$DPERM" ledger $action
  done
  fails 2 "-: a ledger is a file, never standard input or output" charge_to - people
  [ ! -e none ] && [ ! -e ./- ]
  : > empty.db
  fails 1 "empty.db: is there and is no dperm ledger; name another file" charge_to empty.db people
  run "$DPERM" ledger init empty.db --dataset people --epsilon 1
  fails_with 1 "empty.db: is there and is no dperm ledger; name another file"
}

@test "a ledger with two names is not charged" {
  begin
  ln l.db other.db
  fails 1 "has 2 names; run dperm as its owner, chmod 600 it, and remove other hard links" charge 0.1
  leaves_no m.json
  rm other.db
  charge 0.1 2> /dev/null
  [ "$(left)" = 0.9 ]
}
