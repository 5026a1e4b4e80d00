# Models and schemas that claim a charge which was another's. Receipts are no secrets, and digests of files
# have no key: whoever wants to can make these.
load helpers
load ledger_helpers

# model.json with the ledger's own receipt of entry $1, which whoever reads the ledger can make: $2.
claim_entry() {
  receipt=$(python3 - "$1" <<'P'
import hashlib, sqlite3, sys
names = ("id kind dataset time command mechanism epsilon delta spent_epsilon spent_delta rows_per_person terms token").split()
row = sqlite3.connect("file:l.db?mode=ro", uri=True).execute(f"SELECT version, {', '.join(names)} FROM records WHERE id = {sys.argv[1]}").fetchone()
print(hashlib.blake2b("".join(f"{line}\n" for line in (f"dperm-receipt/{row[0]}", *row[1:])).encode(), digest_size=32).hexdigest())
P
)
  change "m['ledger'] = {'id': $1, 'digest': '$receipt'}"
  mv changed.json "$2"
}

@test "an entry that was never committed has no models" {
  begin 9
  run preloaded "$RANDOM_FAULT" RANDOM_FAULT_AFTER=3 "$DPERM" train --force "${people[@]}" --refine none --epsilon 1 --out m.json "${account[@]}"
  fails_with 1 "the charge (entry 2 of the ledger) stays spent"
  for i in 1 2; do
    "$DPERM" train --force "${people[@]}" --refine none --epsilon 1 --out model.json 2> /dev/null
    claim_entry 2 forged$i.json
    "$DPERM" verify --model forged$i.json > /dev/null # without the ledger there is nothing to see
    run "$DPERM" verify --model forged$i.json --ledger l.db
    [ "$status" -eq 1 ]
    [[ "$output" == *"FAILS  charge: l.db: entry 2 was never committed: it released no model"* ]]
    fails 1 "l.db: entry 2 was never committed" "$DPERM" ledger show l.db --model forged$i.json
    fails 1 "l.db: entry 2 was never committed" "$DPERM" statement --model forged$i.json --ledger l.db
  done
  # The receipt is the right one: with a commit, what is wrong is the model.
  charge 1 m.json 2> /dev/null
  claim_entry 3 forged.json
  run "$DPERM" verify --model forged.json --ledger l.db
  [[ "$output" == *"FAILS  charge: l.db: entry 3 was committed for another model"* ]]
}

@test "an entry of a score has no models" {
  begin 9
  train_none
  "$DPERM" score --model model.json --data people.csv --epsilon 1 --public-model "${account[@]}" > /dev/null 2>&1
  "$DPERM" train --force "${people[@]}" --refine none --epsilon 1 --out model.json 2> /dev/null
  claim_entry 2 forged.json
  run "$DPERM" verify --model forged.json --ledger l.db
  [ "$status" -eq 1 ]
  [[ "$output" == *"FAILS  charge: l.db: entry 2 is not the one that the model was charged as"* ]]
}

# The schema $1 with its refinement's charge, and cost if given, exchanged: forged.json.
pay_by() { # the schema, a file with an object "ledger", an epsilon
  py "$@" <<'P'
s = json.load(open(sys.argv[1]))
r = s["refined"]
r["ledger"] = json.load(open(sys.argv[2]))["ledger"]
if len(sys.argv) > 3:
    r["epsilon"] = float(sys.argv[3])
lines = ["dperm-refined/1", "%g" % r["epsilon"], r["rows_per_person"], r["neighbours"], int(r["private"]), r["ledger"]["id"],
         r["ledger"]["digest"], r["dperm_version"]]
r["digest"] = hashlib.blake2b("".join(f"{l}\n" for l in lines).encode(), digest_size=32).hexdigest()
json.dump(s, open("forged.json", "w"))
P
}

refused() { # the entry
  run "$DPERM" train --force --data people.csv --schema forged.json --epsilon 1 --out m2.json "${account[@]}"
  fails_with 1 "l.db: entry $1 is not the one that the schema's refinement was charged as"
  leaves_no m2.json
}

@test "a schema that nobody paid for is not paid by the receipt of a model" {
  begin 99
  charge 2 m.json 2> /dev/null
  "$DPERM" refine --force "${people[@]}" --epsilon 2 --out unpaid.json 2> /dev/null
  pay_by unpaid.json m.json
  refused 2
  # A run that refined and fitted paid for a schema, but for its share alone.
  "$DPERM" train --force "${people[@]}" --epsilon 20 --refine 0.1 --out m.json "${account[@]}" 2> /dev/null
  pay_by unpaid.json m.json 20
  refused 4
  pay_by unpaid.json m.json 1
  refused 4
  python3 -c 'import json; json.dump(json.load(open("m.json"))["schema"], open("again.json", "w"))'
  "$DPERM" train --force --data people.csv --schema again.json --epsilon 1 --out m2.json "${account[@]}" 2> /dev/null
  "$DPERM" verify --model m2.json --ledger l.db > lines
  grep -q "^ok     charge: entry 4 paid epsilon 2 and delta .*, which covers its schema's refinement" lines
}
