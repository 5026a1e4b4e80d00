# dperm ledger, and the runs that are charged to one: budgets, refusals, what is shown.
load helpers
load ledger_helpers

@test "a budget is given, spent and shown" {
  run "$DPERM" ledger init l.db --dataset people --epsilon 1
  [ "$output" = 'l.db: data set "people" has a budget of epsilon 1 per row' ]
  [ "$(stat -c %a l.db)" = 600 ]
  succeeds charge 0.1
  [ "${lines[0]}" = "m.json: 4 weights from 120 rows; (epsilon, delta) = (0.1, 7.8e-44) for every record (objective perturbation)" ]
  [ "${lines[1]}" = 'l.db: charged epsilon 0.1 and delta 7.83e-44 to "people" (entry 2); 0.9 and 9.99e-31 left' ]
  [ "${#lines[@]}" -eq 2 ]
  DPERM_LEDGER=l.db run "$DPERM" ledger show
  [ "$output" = "$("$DPERM" ledger show l.db)" ]
  DPERM_LEDGER=l.db succeeds "$DPERM" ledger verify
  fails 2 'name the ledger, or set DPERM_LEDGER' "$DPERM" ledger show
  run "$DPERM" ledger show l.db
  [[ "$output" == *'data set "people", per row'*'epsilon  0.9 left of 1 (0.1 spent)'* ]]
  [[ "$output" == *"train    objective "*" 0.1 "*"committed for "* ]]
  [[ "$output" == *"1 entry, 0 of them never committed; head: record 3, digest "* ]]
}

@test "over budget nothing is written" {
  begin 0.5
  for command in train "tune --lambda 0.1,0.2" "tune --lambda 0.1,0.2 --method stopping"; do
    run "$DPERM" $command "${people[@]}" --epsilon 0.6 --out m.json "${account[@]}"
    fails_with 1 "has epsilon 0.5 left of 0.5, and this run needs 0.6"
    leaves_no m.json
  done
  "$DPERM" train --force "${people[@]}" --epsilon 1 --out free.json 2> /dev/null
  run "$DPERM" score --model free.json --data people.csv --epsilon 0.6 "${account[@]}"
  fails_with 1 "has epsilon 0.5 left of 0.5, and this run needs 0.6"
  [ "$(left)" = 0.5 ]
}

@test "train, tune and score are charged" {
  begin 1
  charge 0.25 2> /dev/null
  "$DPERM" tune --force "${people[@]}" --epsilon 0.25 --lambda 0.1,0.2 --out t.json "${account[@]}" 2> /dev/null
  "$DPERM" score --model m.json --data people.csv --epsilon 0.125 --error-only "${account[@]}" > s.json 2> message
  grep -q '^l.db: charged epsilon 0.125 and delta 0 to "people" (entry 6); 0.375 and 9.99e-31 left$' message
  "$DPERM" ledger show l.db --json > shown.json
  py <<'P'
shown, m, t, s = (json.load(open(n)) for n in ("shown.json", "m.json", "t.json", "s.json"))
e = shown["entries"]
assert [(x["command"], x["mechanism"], x["epsilon"], x["status"]) for x in e] == [
    ("train", "objective", "0.25", "committed"), ("tune", "objective, split", "0.25", "committed"),
    ("score", "discrete laplace", "0.125", "committed")], e
for entry, file in zip(e, (m, t, s)):
    assert file["ledger"] == {"id": entry["entry"], "digest": entry["digest"]}
assert (e[0]["artifact"], e[1]["artifact"]) == (m["digest"], t["digest"])
score = "dperm-score/1\n%d\n%d\n" % (s["rows"], s["errors"])
assert e[2]["artifact"] == hashlib.blake2b(score.encode(), digest_size=32).hexdigest()
d = shown["datasets"][0]
assert (d["epsilon_spent"], d["epsilon_left"], d["rows_per_person"]) == ("0.625", "0.375", 1)
P
  holds
}

@test "a dry run shows the charge and spends nothing" {
  begin 1
  succeeds "$DPERM" train --force "${people[@]}" --epsilon 0.3 --out m.json "${account[@]}" --dry-run
  [[ "${lines[0]}" == "this run costs epsilon 0.3 and delta "*"e-44" ]]
  [[ "${lines[1]}" == 'data set "people" of l.db would have epsilon 0.7 and delta 9.99e-31 left' ]]
  run "$DPERM" tune --force "${people[@]}" --epsilon 0.3 --lambda 0.1,0.2 --out m.json --dry-run
  [[ "$output" == "this run costs epsilon 0.3 "*"no ledger: it is charged to no budget" ]]
  fails 1 "this run needs 1.3" "$DPERM" train --force "${people[@]}" --epsilon 1.3 --out m.json "${account[@]}" --dry-run
  [ "$(left)" = 1 ]
}

@test "the environment names a default ledger and data set" {
  begin 1
  export DPERM_LEDGER=l.db
  fails 2 "--dataset is missing" "$DPERM" train --force "${people[@]}" --epsilon 0.1 --out m.json
  "$DPERM" train --force "${people[@]}" --epsilon 0.1 --out m.json --dataset people 2> /dev/null
  export DPERM_DATASET=people
  "$DPERM" train --force "${people[@]}" --epsilon 0.1 --out m.json 2> /dev/null
  [ "$(left)" = 0.8 ]
  run "$DPERM" train --force "${people[@]}" --epsilon 0.1 --out m.json --ledger none
  [[ "${lines[1]}" == "no ledger: "* ]]
  [ "$(left)" = 0.8 ]
  run env -u DPERM_LEDGER "$DPERM" train --force "${people[@]}" --epsilon 0.1 --out m.json
  fails_with 2 "DPERM_DATASET names a data set, but no ledger is charged"
  # What is not private is free, but not for data that the ledger knows.
  run "$DPERM" train --force "${people[@]}" --mechanism none --out m.json
  fails_with 1 'these data are data set "people", and a run that is not private would spend all'
  fails 1 "a run that is not private would spend all" "$DPERM" train --force "${people[@]}" --epsilon 0.1 --seed 1 --out m.json
  head -100 people.csv > some.csv
  "$DPERM" train --force --data some.csv --schema schema.json --mechanism none --out m.json 2> /dev/null
}

@test "runs that are not private cannot be charged" {
  begin 1
  run "$DPERM" train --force "${people[@]}" --mechanism none --out m.json "${account[@]}"
  fails_with 2 "a run that is not private cannot be charged"
  run "$DPERM" train --force "${people[@]}" --epsilon 0.1 --seed 1 --out m.json "${account[@]}"
  fails_with 2 "a run that is not private cannot be charged"
  leaves_no m.json
}

@test "a budget belongs to its data, under any schema and however they are packed" {
  begin 1
  "$DPERM" ledger init l.db --dataset twice --epsilon 5 2> /dev/null
  charge 0.1 2> /dev/null
  sed 's/"max": 100/"max": 200/' schema.json > wide.json
  gzip -k people.csv
  "$DPERM" train --force --data people.csv.gz --schema wide.json --epsilon 0.1 --out m2.json "${account[@]}" 2> /dev/null
  [ "$(left)" = 0.8 ]
  fails 1 'these data are data set "people" already, and people have one budget; use that name' charge_to l.db twice
  head -100 people.csv > some.csv
  run "$DPERM" train --force --data some.csv --schema schema.json --epsilon 0.1 --out m3.json "${account[@]}"
  fails_with 1 'these are not the data that "people" was charged for before; name their own data set, or give them one'
  leaves_no m3.json
  run "$DPERM" train --force "${people[@]}" --epsilon 0.1 --out m3.json --ledger l.db --dataset nobody
  fails_with 1 'the ledger has no data set "nobody"'
}

@test "a model finds its entry" {
  begin 1
  charge 0.1 a.json 2> /dev/null
  charge 0.2 b.json 2> /dev/null
  succeeds "$DPERM" ledger show l.db --model b.json
  [[ "$output" == *"      4  "*" 0.2 "*"committed for $(python3 -c 'import json; print(json.load(open("b.json"))["digest"][:12])')"* ]]
  "$DPERM" train --force "${people[@]}" --epsilon 1 --out free.json 2> /dev/null
  fails 1 "l.db: the model was not charged to any ledger" "$DPERM" ledger show l.db --model free.json
  "$DPERM" ledger init other.db --dataset people --epsilon 1 2> /dev/null
  fails 1 "entry 4 is not the one that the model was charged as" "$DPERM" ledger show other.db --model b.json
  grep -v '^FAILS' <("$DPERM" verify --model b.json) | grep -q "^note   not in the file: that a ledger was charged, as entry 4 says"
}

@test "a person with several rows" {
  "$DPERM" ledger init l.db --dataset visits --epsilon 2 --rows-per-person 4 2> message
  grep -q 'per person with at most 4 rows$' message
  run "$DPERM" train --force "${people[@]}" --epsilon 1 --out m.json --ledger l.db --dataset visits
  fails_with 1 'the budget of "visits" is per person with at most 4 rows, not 1; say 4 rows per person'
  run "$DPERM" train --force "${people[@]}" --epsilon 1 --rows-per-person 4 --out m.json --ledger l.db --dataset visits
  [[ "${lines[0]}" == *"(epsilon, delta) = (1, "*") for every person with at most 4 rows (objective perturbation)" ]]
  "$DPERM" plan --rows 120 --schema schema.json --epsilon 1 --rows-per-person 4 --json > person.json
  "$DPERM" plan --rows 120 --schema schema.json --epsilon 0.25 --json > row.json
  py <<'P'
m, p, r = (json.load(open(n)) for n in ("m.json", "person.json", "row.json"))
q = m["privacy"]
assert (q["epsilon"], q["unit"], q["rows_per_person"], q["epsilon_row"]) == (1, "person", 4, 0.25)
assert q["neighbours"] == "replace-one"
assert q["beta"] == p["beta"] == r["beta"] and q["numerics"]["delta"] == p["delta"] > 4 * r["delta"]
assert (p["epsilon"], p["rows_per_person"], p["epsilon_row"]) == (1, 4, 0.25)
P
  run "$DPERM" plan --rows 120 --schema schema.json --epsilon 1 --rows-per-person 4
  [[ "$output" == *"for every person with at most 4 rows:"*"epsilon of a row     0.25"* ]]
  says 0 "ok     unit: person with at most 4 rows: 4 epsilon_row = 1 <= epsilon = 1" "$DPERM" verify --model m.json
  [[ "$output" == *"note   not in the file: that no person has more rows than it says"* ]]
  run "$DPERM" train --force "${people[@]}" --mechanism none --rows-per-person 2 --out m.json
  fails_with 2 "--rows-per-person does not go with --mechanism none"
  run "$DPERM" train --force "${people[@]}" --epsilon 1 --rows-per-person 0 --out m.json
  fails_with 2 "--rows-per-person must be a whole number from 1"
}

@test "one Renyi order, fixed with the budget, is what charges add up by" {
  run "$DPERM" ledger init l.db --dataset people --epsilon 2 --delta 1e-6 --composition renyi --order 13
  [ "${lines[0]}" = 'l.db: data set "people" has a budget of epsilon 2 per row, by Renyi order 13' ]
  [[ "${lines[1]}" == "l.db: 1.084650297 of it is for charges: "*" the rest goes to the conversion" ]]
  DPERM_LEDGER=l.db run "$DPERM" ledger show
  [ "$output" = "$("$DPERM" ledger show l.db)" ]
  DPERM_LEDGER=l.db succeeds "$DPERM" ledger verify
  fails 2 'name the ledger, or set DPERM_LEDGER' "$DPERM" ledger show
  run "$DPERM" ledger show l.db
  [[ "$output" == *"  the first charge takes the rest, 0.915349703 and half of delta, for the conversion "* ]]
  for i in 1 2 3 4 5; do charge 0.1 m$i.json 2> /dev/null; done
  "$DPERM" ledger show l.db --json > shown.json
  py <<'P'
shown = json.load(open("shown.json"))
d, a, e = shown["datasets"][0], 13, 0.1
response = math.log((math.exp(a * e) + math.exp((1 - a) * e)) / (1 + math.exp(e))) / (a - 1)
budget = 2 - math.log1p(-1 / a) + (math.log(a) + math.log(0.999 * 0.5e-6)) / (a - 1)
near = lambda x, y: abs(float(x) - y) < 1e-8
assert (d["composition"], d["order"], d["epsilon_total"], d["epsilon_plain"]) == ("renyi", 13, "2", "0.5")
assert near(d["epsilon_left"], budget - 5 * response) and near(d["epsilon_spent"], 2 - budget + 5 * response)
assert float(d["delta_left"]) <= 0.5e-6 and near(d["delta_left"], 0.5e-6) and d["delta_plain"].startswith("0.0000")
entry = shown["entries"][0]
assert entry["epsilon"] == "0.1" and near(entry["cost_epsilon"], response) and entry["cost_delta"] == entry["delta"]
assert entry["terms"].startswith("cost=0.0")
P
  DPERM_LEDGER=l.db run "$DPERM" ledger show
  [ "$output" = "$("$DPERM" ledger show l.db)" ]
  DPERM_LEDGER=l.db succeeds "$DPERM" ledger verify
  fails 2 'name the ledger, or set DPERM_LEDGER' "$DPERM" ledger show
  run "$DPERM" ledger show l.db
  [[ "$output" == *'data set "people", per row, by Renyi order 13'*" left of 2 ("*" spent; plain sum 0.5)"* ]]
  [[ "$output" == *"  spent is what the charges below cost, and the conversion of divergences to epsilon, once, "* ]]
  [ "$(grep -c "  committed for .*; costs 0.0[0-9]*$" <<< "$output")" -eq 5 ]
  fails 1 "left of 2 by its Renyi order, and this run needs" charge 1.5
  run "$DPERM" ledger show l.db # left and spent add up to the eye
  [[ "$output" == *"  delta    4.99e-7 left of 0.000001 (5.00e-7 spent; "* ]]
  run "$DPERM" ledger verify l.db
  [[ "$output" == *"ok     sums: 1 data set, 5 charges (5 committed), none beyond its budget"* ]]
  "$DPERM" ledger show l.db --model m1.json > /dev/null
  "$DPERM" train --force "${people[@]}" --epsilon 0.1 --neighbours add-remove --rows-about 100 --out m.json "${account[@]}" 2> /dev/null
  "$DPERM" ledger show l.db --json > shown.json
  py <<'P'
e = json.load(open("shown.json"))["entries"][-1]
assert e["epsilon"] == "0.2" # what it is worth where records are replaced
assert [e["counted_twice"] for e in json.load(open("shown.json"))["entries"]] == [False] * 5 + [True]
P
  [ "$("$DPERM" ledger show l.db | grep -c '; twice, for records added and removed; costs ')" -eq 1 ]
  "$DPERM" ledger init l.db --dataset more --epsilon 1 --delta 1e-6 --composition renyi 2> message
  grep -q 'by Renyi order 2[0-9]$' message
  grep -q 'of it is for charges' message
  "$DPERM" ledger init l.db --dataset persons --epsilon 2 --delta 1e-6 --composition renyi --rows-per-person 3 2> message
  grep -q 'each costs a divergence of that order, for persons with several rows that of its epsilon, whatever the noise; the rest' message
  "$DPERM" help ledger init | tr -s ' \n' ' ' | grep -q 'train, tune, refine, score --epsilon'
  fails 2 "--composition renyi needs --delta" "$DPERM" ledger init l.db --dataset x --epsilon 2 --composition renyi
  run "$DPERM" ledger init l.db --dataset x --epsilon 2 --delta 1e-6 --composition zcdp
  fails_with 2 "--composition must be plain or renyi"
  fails 2 "--order is for --composition renyi" "$DPERM" ledger init l.db --dataset x --epsilon 2 --delta 1e-6 --order 8
  run "$DPERM" ledger init l.db --dataset x --epsilon 0.2 --delta 1e-6 --composition renyi --order 3
  fails_with 2 "order 3 leaves nothing of a total epsilon of 0.2"
  fails 2 "unknown option" "$DPERM" ledger show l.db --order 3
}

@test "a run says what it claims and what that costs by its data set's order" {
  gaussian=(train --force "${people[@]}" --refine none --epsilon 0.1 --delta 1e-8 --noise gaussian --out m.json)
  "$DPERM" ledger init l.db --dataset people --epsilon 2 --delta 1e-6 --composition renyi 2> /dev/null
  run "$DPERM" "${gaussian[@]}" "${account[@]}" --dry-run
  pattern='^this run claims epsilon 0.1 and delta 1.00e-8, and costs (0.00[0-9]+) and [0-9.]+e-[34][0-9] by Renyi order 13$'
  pattern=${pattern/1.00e-8/0.00000001}
  [[ "${lines[0]}" =~ $pattern ]] || { echo "$output"; return 1; }
  cost=${BASH_REMATCH[1]}
  "$DPERM" "${gaussian[@]}" "${account[@]}" --dry-run --json > dry.json
  "$DPERM" "${gaussian[@]}" "${account[@]}" --json > made.json 2> /dev/null
  COST=$cost python3 - <<'P'
import json, os
dry, made = json.load(open("dry.json")), json.load(open("made.json"))
for said in (dry["ledger"], made["ledger"]):
    assert (said["epsilon"], said["cost_epsilon"]) == ("0.1", os.environ["COST"]), said
    assert float(said["cost_delta"]) < 1e-35 and float(said["delta"]) == 1e-8, said
P
  run "$DPERM" "${gaussian[@]}" "${account[@]}"
  [[ "$output" == *'charged epsilon 0.1 and delta 0.00000001 to "people" (entry 4), which cost '"$cost and "*" by Renyi order 13; "*" left"* ]]
  "$DPERM" statement --model m.json --ledger l.db | grep -q "^| what it costs there | $cost, its Rényi divergence"
  # pure noise is often the shorter one, which auto takes, and the dearer one here
  "$DPERM" "${gaussian[@]/gaussian/l2}" "${account[@]}" 2> said
  grep -q "is not spent: .*; the ledger composes by a Renyi order, where --noise gaussian may cost less" said
  "$DPERM" "${gaussian[@]/gaussian/l2}" 2> said
  grep -q "is not spent: this noise is pure$" said
  "$DPERM" ledger init l.db --dataset plain --epsilon 1 2> /dev/null
  run "$DPERM" train --force --data others.csv --schema schema.json --epsilon 0.3 --out n.json --ledger l.db --dataset plain --json
  [[ "$output" == *'"cost_epsilon": "0.3"'* ]]
}

@test "exact results about records that the ledger knows are refused" {
  begin 1
  charge 0.1 2> /dev/null
  head -100 people.csv > some.csv
  gzip -k people.csv
  known=' is data set "people", and exact results would tell more of its records than any budget allows; use records that'
  exact=("score --model m.json --data" "sweep --schema schema.json --epsilon 1 --folds 2 --draws 1 --data"
    "schema draft --public-data" "schema check schema.json --unsafe-diagnostics --data")
  for command in "${exact[@]}"; do
    for file in people.csv people.csv.gz; do
      fails 1 "l.db: $file$known" env DPERM_LEDGER=l.db "$DPERM" $command $file
    done
    fails 1 "$known" "$DPERM" $command people.csv --ledger l.db
    DPERM_LEDGER=l.db "$DPERM" $command some.csv > /dev/null 2>&1
    DPERM_LEDGER=l.db "$DPERM" $command people.csv --ledger none > /dev/null 2>&1
    fails 1 "gone.db: no such ledger" env DPERM_LEDGER=gone.db "$DPERM" $command some.csv
  done
  run env DPERM_LEDGER=l.db "$DPERM" sweep --schema schema.json --epsilon 1 --data some.csv --test-data people.csv
  fails_with 1 "$known"
  "$DPERM" encode "${people[@]}" --out people.dperm 2> /dev/null
  fails 1 "$known" env DPERM_LEDGER=l.db "$DPERM" score --model m.json --data people.dperm
  fails 2 "standard input: can be read only once" env DPERM_LEDGER=l.db "$DPERM" score --model m.json --data - < some.csv
  run env DPERM_LEDGER=l.db DPERM_DATASET=people "$DPERM" train --force "${people[@]}" --epsilon 0.1 --out m2.json --unsafe-diagnostics
  fails_with 1 'these data are data set "people", and a run that is not private would spend all'
  run "$DPERM" train --force "${people[@]}" --epsilon 0.1 --out m2.json --unsafe-diagnostics "${account[@]}"
  fails_with 2 "a run that is not private cannot be charged"
  leaves_no m2.json
  DPERM_LEDGER=l.db "$DPERM" train --force --data some.csv --schema schema.json --epsilon 0.1 --out m2.json --unsafe-diagnostics 2> message
  grep -q "^no ledger: nothing counts this epsilon" message
  [ "$(left)" = 0.9 ]
}

@test "wrong usage" {
  fails 2 "--epsilon is missing" "$DPERM" ledger init l.db --dataset people
  fails 2 "--dataset is missing" "$DPERM" ledger init l.db --epsilon 1
  fails 2 'the total epsilon must be a decimal number above 0' "$DPERM" ledger init l.db --dataset people --epsilon much
  succeeds "$DPERM" ledger init j.db --dataset people --epsilon 1 --json
  fails 2 'no action is called "mend"; use init, show or verify' "$DPERM" ledger mend l.db
  fails 2 "unknown option" "$DPERM" ledger show l.db --epsilon 1
  fails 2 "unknown option --model" "$DPERM" ledger verify l.db --model m.json
  fails 2 "--dataset needs a ledger" "$DPERM" train --force "${people[@]}" --epsilon 0.1 --out m.json --dataset people
  begin 1
  fails 1 'data set "people" has its budget, and that stays' "$DPERM" ledger init l.db --dataset people --epsilon 2
  fails 1 'no data set "nobody"' "$DPERM" ledger show l.db --dataset nobody
}

@test "a part of a data set is charged to the whole too" {
  begin 1
  "$DPERM" ledger init l.db --dataset test --part-of people 2> message
  grep -q '^l.db: what "test" is charged counts for "people" too, of which it is a part$' message
  head -60 people.csv > test.csv
  charge 0.5 2> /dev/null
  fails 1 "as a part of this one, unless they share no person with it" \
    "$DPERM" score --model m.json --data test.csv --epsilon 0.2 "${account[@]}"
  "$DPERM" score --model m.json --data test.csv --epsilon 0.2 --ledger l.db --dataset test > /dev/null 2> message
  grep -q '^l.db: charged epsilon 0.2 and delta 0 to "test" (entry 5); 0.3 and ' message
  fails 1 'data set "people" has epsilon 0.3 left of 1, and this run needs 0.4' \
    "$DPERM" score --model m.json --data test.csv --epsilon 0.4 --ledger l.db --dataset test
  "$DPERM" ledger show l.db | grep -q '^data set "test", per row, part of "people", where it counts too$'
  "$DPERM" ledger show l.db --json > shown.json
  py <<'P'
people, test = json.load(open("shown.json"))["datasets"]
assert (people["part_of"], test["part_of"]) == (None, "people"), (people, test)
assert (people["epsilon_left"], test["epsilon_left"]) == ("0.3", "0.3"), (people, test)
P
  holds
  fails 1 'no data set "nobody" that another could be a part of' "$DPERM" ledger init l.db --dataset a --part-of nobody
  fails 2 'cannot have a larger budget' "$DPERM" ledger init l.db --dataset a --part-of people --epsilon 2
  fails 2 'a part is as the whole' "$DPERM" ledger init l.db --dataset a --part-of people --rows-per-person 2
  fails 2 'a part is as the whole' "$DPERM" ledger init l.db --dataset a --part-of people --composition renyi --delta 1e-6
}
