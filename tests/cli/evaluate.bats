# --evaluate: records that a run keeps from all but one evaluation, and their later scores.
load helpers
load ledger_helpers

held() { # trains on people.csv with some held out; more options
  "$DPERM" train --force "${people[@]}" --epsilon 1 --evaluate 0.25 --out m.json "$@"
}

@test "the model states the evaluation, and the claim stays epsilon" {
  succeeds held
  [[ "${lines[0]}" == "m.json: 4 weights from 90 rows; (epsilon, delta) = (1, "*") for every record (objective perturbation)" ]]
  [[ "${lines[1]}" == "m.json: on 30 rows that it was not shown, "* ]]
  [ "${lines[2]}" = "m.json: no ledger keeps which records these were, so nothing else can be scored on them" ]
  "$DPERM" verify --model m.json > lines
  grep -q '^ok     rows_fitted: n = 90 of 120 rows, less those that were held out for the evaluation$' lines
  grep -q '^ok     held out: a share of 0.25 of 120 rows, by coins that the file does not have$' lines
  grep -q '^ok     evaluation: on records that the fit did not see, for 1 = 1 <= epsilon = 1$' lines
  grep -q '^ok     counts: noise of deviation ' lines
  grep -q '^ok     claim: (epsilon, delta) = (1, ' lines
  "$DPERM" statement --model m.json | grep -q '^## How well it predicts$'
  py <<'P'
m = json.load(open("m.json"))
e = m["evaluation"]
assert (m["rows"], m["rows_fitted"], e["rows"], e["share"], e["epsilon"]) == (120, 90, 30, 0.25, 1), e
assert "token" not in json.dumps(m) and "coins" not in json.dumps(m)
P
  "$DPERM" train --force "${people[@]}" --epsilon 1 --out plain.json 2> /dev/null
  grep -q '^  "evaluation": null,$' plain.json
}

@test "nobody is told how many were held out where that is private" {
  succeeds held --neighbours add-remove --rows-about 100
  [[ "${lines[1]}" == "m.json: on records that it was not shown, "* ]]
  "$DPERM" verify --model m.json | grep -q '^ok     held out: a share of 0.25 of 100 rows, nobody knows how many, '
  py <<'P'
m = json.load(open("m.json"))
assert m["evaluation"]["rows"] is None and (m["rows_about"], m["rows_about_fitted"]) == (100, 75), m
P
}

@test "a choice has its own holdout beside it" {
  "$DPERM" tune --force "${people[@]}" --epsilon 1 --evaluate 0.25 --lambda 0.1,0.2 --method stopping --holdout 0.2 --out m.json 2> /dev/null
  "$DPERM" verify --model m.json | grep -q '^ok     rows_fitted: n = 72 of 120 rows, less those that were held out for the evaluation, less those held out$'
  "$DPERM" tune --force "${people[@]}" --epsilon 1 --evaluate 0.25 --lambda 0.1,0.2 --out m.json 2> /dev/null
  "$DPERM" verify --model m.json | grep -q '^ok     rows_fitted: n = 30 of 120 rows'
}

@test "a plan says how many rows the fit has" {
  "$DPERM" plan --rows 120 --dims 3 --epsilon 1 --evaluate 0.25 > text 2> /dev/null
  grep -q '^90 of them for the fit, 30 held out for its evaluation$' text
  "$DPERM" plan --rows 120 --dims 3 --epsilon 1 --evaluate 0.25 --json > with.json 2> /dev/null
  "$DPERM" plan --rows 90 --dims 3 --epsilon 1 --json > without.json 2> /dev/null
  py <<'P'
a, b = (json.load(open(n)) for n in ("with.json", "without.json"))
assert (a["rows"], a["rows_fitted"], b["rows"], b["rows_fitted"]) == (120, 90, 90, 90)
assert {k for k in a if a[k] != b[k]} == {"rows"}
P
}

@test "the ledger is charged once, and scores the same part again" {
  begin 3
  held "${account[@]}" 2> message
  grep -q '^l.db: charged epsilon 1 and delta ' message
  ! grep -q 'no ledger keeps' message
  "$DPERM" verify --model m.json --ledger l.db | grep -q '^ok     charge: entry 2 paid epsilon 1 '
  again=(score --model m.json --data people.csv --held-out --epsilon 0.5)
  "$DPERM" "${again[@]}" "${account[@]}" > s.json 2> /dev/null
  grep -q '"rows": 30,' s.json
  "$DPERM" "${again[@]}" --error-only "${account[@]}" 2> /dev/null | grep -q '"rows": 30,'
  [ "$(left)" = 1 ]
  holds
  fails 2 "only the ledger knows" "$DPERM" "${again[@]}"
  fails 2 "no public model's" "$DPERM" "${again[@]}" --public-model "${account[@]}"
  head -100 people.csv > other.csv
  fails 1 "these are not the data that the model was trained on" \
    "$DPERM" score --model m.json --data other.csv --held-out --epsilon 0.5 "${account[@]}"
  "$DPERM" train --force "${people[@]}" --epsilon 0.5 --out plain.json "${account[@]}" 2> /dev/null
  fails 1 "knows of no records that were held out of this model" \
    "$DPERM" score --model plain.json --data people.csv --held-out --epsilon 0.1 "${account[@]}"
  fails 2 "go with --epsilon" "$DPERM" score --model m.json --data people.csv --held-out
}

@test "what a file may not say is named" {
  held 2> /dev/null
  for change in 'm["evaluation"]["epsilon"] = 1.5' 'm["evaluation"]["rows"] = 31' 'm["evaluation"]["share"] = 0.3' \
    'm["evaluation"]["cells"]["noise_sd"] /= 2' 'm["evaluation"]["neighbours"] = "add-remove"' 'm["rows_fitted"] = 120' \
    'm["evaluation"] = None' 'm["evaluation"] = 3' 'm["evaluation"]["rows_per_person"] = 2' \
    'm["evaluation"]["cells"]["noise_sd"] *= 2' 'm["evaluation"]["error_rate"]["high"] += 0.01' \
    'm["evaluation"]["finding"] = "the best model"' 'm["evaluation"]["cells"]["counts"][1][0] += 1'; do
    CHANGE=$change py <<'P'
m = json.load(open("m.json"))
exec(os.environ["CHANGE"])
m.pop("digest")
json.dump(m, open("changed.json", "w"))
P
    run "$DPERM" verify --model changed.json
    [ "$status" -eq 1 ] || { echo "$change"; return 1; }
    [[ "$(grep -v '^FAILS  \(digest\|file\|claim\)' <<< "$output")" == *"FAILS  "* ]] || { echo "$change: $output"; return 1; }
  done
  mv m.json model.json
  change 'm["evaluation"]["auc"]["certified"] = True'
  fails 1 'changed.json: damaged model, its evaluation has a member "certified" that this dperm does not know' \
    "$DPERM" predict --model changed.json --data people.csv
}

@test "groups are those of the model's schema, whatever schema the records were encoded under" {
  py <<'P'
s = json.load(open("schema.json"))
column = next(c for c in s["columns"] if c["type"] == "categorical")
s["group"] = column["name"]
json.dump(s, open("grouped.json", "w"))
P
  for cells in schema grouped; do
    "$DPERM" encode --data people.csv --schema $cells.json --out $cells.dperm 2> /dev/null
    for how in "schema None" "grouped True" "grouped True --refine 0.4"; do
      read -r fit there more <<< "$how"
      "$DPERM" train --force --data $cells.dperm --schema $fit.json --epsilon 9 --evaluate 0.25 $more --out m.json 2> /dev/null
      "$DPERM" verify --model m.json | grep -q "^ok     figures: "
      there=$there py <<'P'
m = json.load(open("m.json"))
assert str(m["evaluation"]["groups"] and True) == os.environ["there"], m["evaluation"]["groups"]
P
    done
  done
}

@test "a refinement merges rare categories, but none of those that rates are asked for" {
  py <<'P'
s = json.load(open("schema.json"))
column = next(c for c in s["columns"] if c["type"] == "categorical")
column["values"] += list("abcdef")
json.dump(s, open("rare.json", "w"))
json.dump({**s, "group": column["name"]}, open("grouped.json", "w"))
P
  for schema in rare grouped; do
    "$DPERM" refine --force --data people.csv --schema $schema.json --epsilon 20 --seed 1 --out $schema.refined 2> /dev/null
  done
  py <<'P'
rare, grouped = ([c for c in json.load(open(f"{n}.refined"))["columns"] if c["name"] == "job"][0] for n in ("rare", "grouped"))
assert "groups" in rare and len(grouped["values"]) == 9, (rare, grouped)
P
}

share() { "$DPERM" train --force "${people[@]}" --epsilon 1 --out m.json --evaluate "$1"; }

@test "wrong shares" {
  fails 2 "--evaluate must be a share above 0 and below 1" share 1
  fails 2 "--evaluate" share -1
  fails 2 "--evaluate" share much
  fails 1 "to hold out 0.05 of 120 leaves fewer than 10 on one side; choose another share" share 0.05
  fails 2 "--evaluate does not go with --mechanism none" "$DPERM" train --force "${people[@]}" --mechanism none --evaluate 0.2 --out m.json
  fails 2 "--evaluate is for train and tune" "$DPERM" sweep "${people[@]}" --epsilon 1 --evaluate 0.2
}
