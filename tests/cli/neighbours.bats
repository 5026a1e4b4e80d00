# Records added and removed (docs/proofs/neighbours.md): what the commands say, that nothing they print or
# write tells how many records there are, and what they refuse.
load helpers

adding=(--neighbours add-remove --rows-about 100)
train=(train --force --schema schema.json --epsilon 1 "${adding[@]}")

# The model without what records may decide.
public_part() {
  python3 -c 'import json, sys
model = json.load(open(sys.argv[1]))
del model["weights"], model["digest"]
print(json.dumps(model, sort_keys=True, indent=1))' "$1"
}

# Everything that leaves a run of these records, but the weights: words, JSON, model, statement, verification.
ways_out() { # data, folder
  mkdir "$2"
  "$DPERM" "${train[@]}" --data "$1" --seed 3 --out m.json > "$2/stdout" 2> "$2/stderr"
  "$DPERM" "${train[@]}" --data "$1" --seed 3 --out m.json --json > "$2/json" 2>> "$2/stderr"
  "$DPERM" "${train[@]}" --data "$1" --out secure.json 2> "$2/secure" # private, and says so
  "$DPERM" "${train[@]}" --data "$1" --out none.json --dry-run > "$2/dry" 2>&1
  "$DPERM" statement --model secure.json --out - | grep -v fingerprint > "$2/statement"
  "$DPERM" verify --model secure.json > "$2/verify"
  "$DPERM" verify --model secure.json --json > "$2/verify-json"
  public_part m.json > "$2/model"
  public_part secure.json > "$2/model-secure"
  wc -l < m.json > "$2/lines"
  for more in --error-only --counts; do # all but the noisy counts, and what is computed from them
    "$DPERM" score --model secure.json --data "$1" --epsilon 1 --neighbours add-remove $more 2> words |
      grep -v 'errors"\|error_rate\|class"\|interval\|correct\|positives\|negatives\|^ *[0-9.]*,\?$' > "$2/score$more"
    grep -v 'seems no better' words > "$2/score-words$more" # which follows from noisy counts
    "$DPERM" score --model secure.json --data "$1" --epsilon 1 --neighbours add-remove $more --dry-run > "$2/score-dry$more" 2>&1
  done
  score=("$DPERM" score --model secure.json --data "$1" --epsilon 1 --neighbours add-remove)
  "${score[@]}" --dry-run > "$2/evaluation-dry" 2>&1
  "${score[@]}" > made.json 2> words
  py > "$2/evaluation" <<'P'
e = json.load(open("made.json"))
print(list(e), [e[k] for k in ("private", "epsilon", "delta", "rows", "confidence", "groups")], e["cells"]["noise_sd"])
P
  grep -v 'always saying' words > "$2/evaluation-words"
}

@test "what leaves is the same for n and n + 1 records, and for none" {
  sed '$d' people.csv > fewer.csv
  head -1 people.csv > none.csv
  ways_out people.csv all
  ways_out fewer.csv fewer
  ways_out none.csv none
  diff -r all fewer
  diff -r all none
  grep -q '"rows": null' all/model
  grep -q '"rows_about": 100' all/model
  ! grep -rqw '120' all # the number of records
}

@test "in a ledger the entry is the same too, but for the digest of the data" {
  for data in people.csv fewer.csv; do
    [ -e "$data" ] || sed '$d' people.csv > "$data"
    "$DPERM" ledger init "$data.db" --dataset people --epsilon 9 2> /dev/null
    "$DPERM" "${train[@]}" --data "$data" --out "$data.json" --ledger "$data.db" --dataset people 2> "$data.words"
    "$DPERM" score --model "$data.json" --data "$data" --epsilon 1 --neighbours add-remove --ledger "$data.db" --dataset people \
      2>> "$data.words" > "$data.score"
    grep -q '"digest": ' "$data.score"
    "$DPERM" ledger show "$data.db" | grep -o 'objective.*\|discrete.*' | cut -d' ' -f1-6 > "$data.shown"
  done
  # what the noisy counts of a score say is noise
  diff <(grep -v 'always saying' people.csv.words) <(grep -v 'always saying' fewer.csv.words | sed 's/fewer/people/')
  diff people.csv.shown fewer.csv.shown
}

@test "a ledger's budget is for replaced records: an added one counts twice" {
  "$DPERM" ledger init l.db --dataset people --epsilon 3.9 2> /dev/null
  t=("${train[@]}" --data people.csv --ledger l.db --dataset people)
  why='it counts twice: it is for records added and removed, the budget for replaced ones'
  run "$DPERM" "${t[@]}" --out m.json --dry-run
  [ "${lines[0]}" = "this run costs epsilon 2 and delta 5.14e-43 ($why)" ]
  "$DPERM" "${t[@]}" --out m.json --dry-run --json | grep -q '"counted_twice": true'
  "$DPERM" "${t[@]}" --out m.json 2> words
  grep -qF "charged epsilon 2 and delta 5.14e-43 to \"people\" (entry 2; $why); 1.9 and" words # (1 + e) 1.38e-43
  "$DPERM" statement --model m.json --ledger l.db --out s.md
  grep -q 'counts as (2, 5.14e-43): its budget is for replaced records' s.md
  grep -q '^| left | ε = 1.9 ' s.md
  fails 1 "has epsilon 1.9 left of 3.9, and this run needs 2 ($why); nothing is released" "$DPERM" "${t[@]}" --out n.json
  score=(score --model m.json --data people.csv --epsilon 0.5 --ledger l.db --dataset people)
  run "$DPERM" "${score[@]}" --neighbours add-remove --dry-run
  [ "${lines[0]}" = "this run costs epsilon 1 and delta 0 ($why)" ]
  run "$DPERM" refine --force --schema schema.json --data people.csv --epsilon 0.5 "${adding[@]}" --out r.json --ledger l.db --dataset people --dry-run
  [ "${lines[0]}" = "this run costs epsilon 0 and delta 0" ] # it has nothing to refine
  "$DPERM" train --force --schema schema.json --data people.csv --epsilon 1 --out m.json --ledger l.db --dataset people --json --dry-run |
    grep -q '"counted_twice": false'
}

@test "a budget for added and removed records takes no release that states their number" {
  "$DPERM" ledger init l.db --dataset people --epsilon 1.5 --neighbours add-remove 2> words
  grep -q 'a budget of epsilon 1.5 per row, added or removed' words
  t=(--data people.csv --schema schema.json --ledger l.db --dataset people)
  "$DPERM" train --force "${t[@]}" --epsilon 1 "${adding[@]}" --out m.json 2> words
  grep -q 'charged epsilon 1 and' words
  ! grep -q 'twice' words
  fails 1 'is for records added and removed, whose number is private' "$DPERM" train --force "${t[@]}" --epsilon 0.1 --out n.json
  "$DPERM" ledger show l.db --json | grep -q '"neighbours": "add-remove"'
  "$DPERM" ledger show l.db --model m.json | grep -q committed
  "$DPERM" ledger verify l.db > /dev/null
  run "$DPERM" ledger init l.db --dataset others --epsilon 1 --neighbours none
  fails_with 2 '--neighbours must be replace or add-remove'
}

@test "no records at all train, from every kind of file" {
  : > none.csv
  : > none.svm
  sed 's/^{/{"header": false,/; s/\("columns": \[\)/\1 {"name": "rich", "type": "label"},/' schema.json > headless.json
  "$DPERM" train --force --data none.csv --schema headless.json --epsilon 1 "${adding[@]}" --out a.json 2> /dev/null
  "$DPERM" train --force --data none.svm --dims 4 --epsilon 1 "${adding[@]}" --out b.json 2> /dev/null
  "$DPERM" train --force --data none.svm --dims 4 --epsilon 1 "${adding[@]}" --mechanism output --out c.json 2> /dev/null
  head -1 people.csv | "$DPERM" "${train[@]}" --data - --out d.json 2> /dev/null
  for model in a b c d; do "$DPERM" verify --model $model.json > /dev/null; done
  "$DPERM" predict --model d.json --data people.csv --out p.csv 2> /dev/null
  fails 1 "none.svm: no rows" "$DPERM" train --force --data none.svm --dims 4 --epsilon 1 --out e.json
  fails 1 "none.csv: no rows" "$DPERM" "${train[@]}" --data none.csv --out e.json # a header is no record
}

@test "the words, and what it is worth" {
  "$DPERM" "${train[@]}" --data people.csv --lambda 0.05 --delta-reg 0 --noise l2 --out m.json 2> words
  grep -q 'from records whose number is private; .* for every record, added or removed' words
  "$DPERM" statement --model m.json --out s.md
  grep -q 'whether that record is there at all' s.md
  grep -q 'two such steps apart, which amounts to (ε, δ) = (2, 5.' s.md
  grep -q 'of at most 268435456 records, of which one has one record more than the other' s.md
  grep -q 'is right with a probability of at most 88.08 percent' s.md
  "$DPERM" verify --model m.json > lines
  grep -q 'adding or removing one record of about 100' lines
}

@test "a person's records, and several classes" {
  "$DPERM" "${train[@]}" --data people.csv --rows-per-person 3 --out m.json 2> words
  grep -q 'person with at most 3 rows, added or removed' words
  "$DPERM" verify --model m.json | grep -q "adding or removing one person's records, at most 3 of about 100"
  "$DPERM" statement --model m.json --out - | grep -q "whether that person is there at all"
  sed -i 's/"positive": \["yes"\], "negative": \["no"\]/"classes": ["no", "yes", "other"]/' schema.json
  "$DPERM" "${train[@]}" --data people.csv --out m.json 2> /dev/null
  "$DPERM" verify --model m.json > /dev/null
}

@test "a model that states more than it may, or less noise, does not verify" {
  "$DPERM" "${train[@]}" --data people.csv --out m.json 2> /dev/null
  edited() { # an assignment to model
    python3 -c 'import json, sys
model = json.load(open("m.json"))
exec(sys.argv[1])
json.dump(model, open("e.json", "w"))' "$1"
    ! "$DPERM" verify --model e.json > lines || { echo "$1 verifies"; return 1; }
  }
  edited 'model["rows"] = 120'
  grep -q 'FAILS  rows: null' lines
  edited 'model["privacy"]["neighbours"] = "replace-one"; model["rows"] = model["rows_fitted"] = 100'
  grep -q 'FAILS  beta: ' lines
  edited 'model["privacy"]["numerics"]["solution_error"] /= 4'
  grep -q 'FAILS  solution_error: ' lines
  edited 'model["rows_about_fitted"] = 1000'
  grep -q 'FAILS  rows_about_fitted: ' lines
  edited 'model["rows_about"] = model["rows_about_fitted"] = 99'
  grep -q 'FAILS  ' lines
}

@test "plan takes the figure, alone or beside the same number" {
  "$DPERM" plan --schema schema.json --epsilon 1 "${adding[@]}" > a
  "$DPERM" plan --schema schema.json --epsilon 1 "${adding[@]}" --rows 100 > b
  diff a b
  grep -q '^about 100 rows' a
  grep -q 'for every record: adding or removing' a
  "$DPERM" plan --dims 4 --epsilon 1 "${adding[@]}" --json | python3 -c 'import json, sys
plan = json.load(sys.stdin)
assert plan["rows"] is None and plan["rows_about"] == 100 and plan["neighbours"] == "add-remove"'
  fails 2 "the number of rows is private" "$DPERM" plan --dims 4 --epsilon 1 "${adding[@]}" --rows 120
  fails 2 "--rows is missing" "$DPERM" plan --dims 4 --epsilon 1
}

@test "a choice among candidates draws for each record, and tells no number" {
  sed '$d' people.csv > fewer.csv
  for method in split stopping; do
    for data in people.csv fewer.csv; do
      "$DPERM" tune --force --schema schema.json --epsilon 1.9 "${adding[@]}" --lambda 0.1,1 --method $method --data $data \
        --out m.json 2> $data.words
      "$DPERM" verify --model m.json | grep -v 'tau\|chosen\|weights\|beta\|lambda\|solution_error\|lattice' > $data.lines
      public_part m.json | grep 'portion\|holdout_rows\|rows' > $data.rows
    done
    diff people.csv.words fewer.csv.words
    diff people.csv.lines fewer.csv.lines
    diff people.csv.rows fewer.csv.rows
  done
  grep -q '"holdout_rows": 10' people.csv.rows # of about 100
  grep -q '"rows_about_fitted": 90' people.csv.rows
}

@test "records are asked about their numbers for noise alone, of none at all too" {
  head -1 people.csv > none.csv
  t=(train --force --schema schema.json --epsilon 1 --neighbours add-remove --rows-about 50000 --json --out m.json)
  for data in people none; do
    for ask in "" "--refine ask"; do # by default, too
      "$DPERM" "${t[@]}" --data $data.csv $ask > out.json 2> /dev/null
      "$DPERM" verify --model m.json > lines
      grep -q "ok     refined: the schema's refinement, .* cost 0.[01]35 .*; with 1 epsilon_row and all other shares that = \(1\|0.9999.*\) <= " lines
      python3 -c 'import json
out, model = json.load(open("out.json")), json.load(open("m.json"))
assert out["answer"] in ("bins", "lines") and out["epsilon_refined"] == (0.135 if out["answer"] == "bins" else 0.035) and out["epsilon"] == 1, out
assert out["rows"] is None and model["rows"] is None and model["private"] is True
assert model["schema"]["refined"]["neighbours"] == "add-remove"'
    done
  done
  "$DPERM" plan --schema schema.json --epsilon 1 --neighbours add-remove --rows-about 50000 --json | grep -q '"refined_by": "answer"'
  "$DPERM" ledger init l.db --dataset people --epsilon 3 2> /dev/null
  "$DPERM" "${t[@]}" --data people.csv --refine ask --ledger l.db --dataset people > out.json 2> /dev/null
  grep -q '"epsilon": "2"' out.json # for replaced records
  "$DPERM" "${t[@]}" --data people.csv --refine none > out.json 2> /dev/null
  grep -q '"answer": null' out.json
}

# Everything that leaves a refinement but its bins, and the model after it.
refined_ways_out() { # data, folder
  mkdir "$2"
  refine=(refine --force --data "$1" --schema schema.json --epsilon 0.3 --neighbours add-remove --rows-about 50000 --out s.json)
  "$DPERM" "${refine[@]}" --json --seed 3 | grep -v weights > "$2/json"
  "$DPERM" "${refine[@]}" --dry-run > "$2/dry" 2>&1
  "$DPERM" "${refine[@]}" 2> words
  sed 's/s.json: [0-9]* encoded/s.json: encoded/' words > "$2/words"
  python3 -c 'import json
schema = json.load(open("s.json"))
for column in schema["columns"]:
    column.pop("bins", None), column.pop("values", None), column.pop("groups", None)
print(json.dumps(schema, sort_keys=True, indent=1))' > "$2/schema"
  "$DPERM" train --force --schema s.json --epsilon 1 --neighbours add-remove --rows-about 50000 --data "$1" --out m.json 2> "$2/train"
  "$DPERM" verify --model m.json | grep refined > "$2/verify"
}

@test "a refined schema tells no number of records either, and models of it add up" {
  sed '$d' people.csv > fewer.csv
  head -1 people.csv > none.csv
  for data in people fewer none; do refined_ways_out $data.csv $data; done
  for part in json dry words schema verify; do
    cmp people/$part fewer/$part
    cmp people/$part none/$part
  done
  ! grep -rqw 120 people
  grep -q '"rows": null' people/json
  grep -q '"rows_about": 50000' people/json
  grep -q 's.json: encoded columns from about 50000 rows; epsilon = 0.3 for every record, added or removed' people/words
  grep -q '"neighbours": "add-remove"' people/schema
  grep -q "ok     refined: the schema's refinement, .* cost 0.3 .*; with 1 epsilon_row and all other shares that = 1.\(3\|2999.*\) <= " people/verify
  for command in "train --data people.csv" "tune --data people.csv --lambda 0.1,1" "sweep --data people.csv --draws 1" "plan --rows 120"; do
    out=(--out r.json)
    [[ $command != plan* ]] || out=()
    run "$DPERM" $command --schema s.json --epsilon 1 "${out[@]}"
    fails_with 2 "was refined for neighbours add-remove"
    run "$DPERM" $command --schema s.json --epsilon 1 --rows-per-person 2 "${out[@]}"
    fails_with 2 "persons with at most 1 rows, and this run is for replace and 2"
    leaves_no r.json
  done
  fails 2 "needs --rows-about" "$DPERM" refine --force "${people[@]}" --epsilon 1 --out t.json --neighbours add-remove
  run "$DPERM" refine --force "${people[@]}" --epsilon 1 --out t.json --rows-about 100
  fails_with 2 "--rows-about is for --neighbours add-remove"
  leaves_no t.json
}

@test "a schema's entry and its fit's each count by their own epsilon" {
  "$DPERM" ledger init l.db --dataset people --epsilon 30 --delta 1e-4 2> /dev/null
  t=(--data people.csv --neighbours add-remove --rows-about 50000 --ledger l.db --dataset people)
  "$DPERM" refine --force "${t[@]}" --schema schema.json --epsilon 4 --out s.json 2> /dev/null
  "$DPERM" train --force "${t[@]}" --schema s.json --epsilon 0.5 --delta 1e-6 --noise gaussian --out m.json 2> words
  grep -q 'charged epsilon 1 and delta 2.64e-6 to' words # (1 + e^0.5) 1e-6, not (1 + e^4.5) 1e-6
  "$DPERM" statement --model m.json --ledger l.db > s.md
  grep -q '^| in that ledger | it counts as (1, 2.64e-6): ' s.md
  grep -q '^| its schema | ε = 4, entry 2: charged when it was refined, where it counts as 8 |$' s.md
  "$DPERM" verify --model m.json --ledger l.db > /dev/null
}

@test "a sweep takes the figure for the rows that it trains on" {
  "$DPERM" sweep "${people[@]}" --epsilon 1 --folds 3 --draws 2 --bins none \
    --neighbours add-remove --rows-about 80 --mechanism objective,none --out s.csv 2> /dev/null
  [ "$(wc -l < s.csv)" -ge 3 ]
}

@test "no records at all are encoded, and the encoded file is trained on, counted and scored" {
  head -1 people.csv > none.csv
  : > none.svm
  fails 1 "none.csv: no rows; give a file with records" "$DPERM" encode --data none.csv --schema schema.json --out none.dperm
  [ ! -e none.dperm ]
  "$DPERM" encode --data none.csv --schema schema.json --neighbours add-remove --out none.dperm 2> /dev/null
  "$DPERM" encode --data none.svm --dims 3 --neighbours add-remove --out rows.dperm 2> /dev/null
  add=(--epsilon 1 --neighbours add-remove)
  for data in none rows; do
    "$DPERM" train --force --data $data.dperm "${add[@]}" --rows-about 100 --seed 1 --out m.json 2> /dev/null
    "$DPERM" score --model m.json --data $data.dperm "${add[@]}" --seed 1 > /dev/null 2>&1
    fails 1 "$data.dperm: no rows; give a file with records" "$DPERM" train --force --data $data.dperm --epsilon 1 --out m2.json
    [ ! -e m2.json ]
  done
  "$DPERM" train --force --data none.csv --schema schema.json "${add[@]}" --rows-about 100 --refine none --seed 1 --out plain.json 2> /dev/null
  "$DPERM" train --force --data none.dperm "${add[@]}" --rows-about 100 --seed 1 --out m.json 2> /dev/null
  cmp m.json plain.json
}

@test "a private score is made of noisy counts alone, of none at all too" {
  head -1 people.csv > none.csv
  "$DPERM" "${train[@]}" --data people.csv --out m.json 2> /dev/null
  score=(score --model m.json --neighbours add-remove)
  "$DPERM" "${score[@]}" --data people.csv --epsilon 90000 > evaluation.json 2> /dev/null
  "$DPERM" "${score[@]}" --data people.csv --epsilon 100000 --error-only > all.json 2> /dev/null # noise once in e^100000
  "$DPERM" "${score[@]}" --data people.csv --epsilon 100000 --counts > counts.json 2> /dev/null
  "$DPERM" "${score[@]}" --data none.csv --epsilon 100000 --error-only > none.json
  "$DPERM" "${score[@]}" --data none.csv --epsilon 90000 > nothing.json 2> /dev/null
  "$DPERM" score --model m.json --data people.csv > exact.json
  py <<'P'
def read(name):
    return json.load(open(name + ".json"))
everyone, counts, none, exact = (read(n) for n in ("all", "counts", "none", "exact"))
keys = ["private", "epsilon", "delta", "rows_per_person", "neighbours", "rows", "correct", "errors", "error_rate",
        "interval", "population_interval", "confidence"]
assert list(everyone) == keys + ["ledger"], list(everyone)
assert everyone["private"] is True and everyone["rows"] is None and everyone["neighbours"] == "add-remove"
assert everyone["errors"] == exact["errors"] and everyone["errors"] + everyone["correct"] == 120
assert everyone["error_rate"] == exact["error_rate"] and everyone["interval"] == [exact["error_rate"]] * 2
assert (counts["false_positives"], counts["false_negatives"]) == (exact["false_positives"], exact["false_negatives"])
assert counts["true_positives"] + counts["true_negatives"] == counts["correct"] == everyone["correct"]
assert none["private"] is True and (none["errors"], none["correct"], none["error_rate"]) == (0, 0, None)
assert none["interval"] == none["population_interval"] == [0, 1]
e, nothing = read("evaluation"), read("nothing")
assert e["rows"] is None and e["errors"] == exact["errors"] and e["error_rate"]["value"] == exact["error_rate"]
assert nothing["rows"] is None and nothing["error_rate"] == nothing["auc"] == {"value": None, "low": 0, "high": 1}
P
}

@test "a private score is for the model's neighbours, or the model is others'" {
  "$DPERM" "${train[@]}" --data people.csv --out m.json 2> /dev/null
  "$DPERM" train --force --schema schema.json --epsilon 1 --data people.csv --out r.json 2> /dev/null
  fails 2 "private for neighbours add-remove" "$DPERM" score --model m.json --data people.csv --epsilon 1
  run "$DPERM" score --model r.json --data people.csv --epsilon 1 --neighbours add-remove
  fails_with 2 "this model is private for neighbours replace"
  "$DPERM" score --model m.json --data people.csv --epsilon 1 --public-model > /dev/null 2>&1
  "$DPERM" score --model r.json --data people.csv --epsilon 1 --public-model --neighbours add-remove > s.json 2> /dev/null
  grep -q '"private": true' s.json
  fails 2 "go with --epsilon" "$DPERM" score --model m.json --data people.csv --neighbours add-remove
  run "$DPERM" score --model m.json --data people.csv --epsilon 1 --neighbours both
  fails_with 2 "--neighbours must be replace or add-remove"
  "$DPERM" ledger init l.db --dataset people --epsilon 1 --neighbours add-remove 2> /dev/null
  paid=(score --model r.json --data people.csv --public-model --ledger l.db --dataset people)
  "$DPERM" "${paid[@]}" --epsilon 0.5 --neighbours add-remove 2>&1 > /dev/null | grep -q 'charged epsilon 0.5 and delta 0 to'
  fails 1 'is for records added and removed, whose number is private' "$DPERM" "${paid[@]}" --epsilon 0.1
}

@test "what does not go together is refused by name" {
  t=(train --force --data people.csv --schema schema.json --out m.json --epsilon 1)
  fails 2 "needs --rows-about" "$DPERM" "${t[@]}" --neighbours add-remove
  fails 2 "--rows-about is for --neighbours add-remove" "$DPERM" "${t[@]}" --rows-about 100
  fails 2 "--neighbours must be replace or add-remove" "$DPERM" "${t[@]}" --neighbours both
  fails 2 "--rows-about must be a whole number from 1" "$DPERM" "${t[@]}" --neighbours add-remove --rows-about some
  fails 2 "--analysis paper is about replaced records" "$DPERM" "${t[@]}" "${adding[@]}" --analysis paper
  fails 2 "from 1 to 2^38" "$DPERM" "${t[@]}" --neighbours add-remove --rows-about 999999999999
  fails 2 "does not go with --mechanism none" "$DPERM" train --force "${people[@]}" --out m.json --mechanism none "${adding[@]}"
}
