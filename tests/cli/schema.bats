# dperm schema check: good and bad schemas.
load helpers

@test "the examples' schemas are sound" {
  for s in "$DPERM_SOURCE"/examples/schemas/*.json; do
    "$DPERM" schema check "$s" > /dev/null
  done
}

@test "schemas from documentation alone hold all attributes, and nothing but what it says" {
  for s in "adult 14 106" "bank 16 52" "credit 23 32"; do
    read -r name attributes dims <<< "$s"
    file="$DPERM_SOURCE/examples/schemas/$name.json"
    run "$DPERM" schema check "$file"
    [[ "$status" -eq 0 && "$output" == *"encoded columns  $dims"* ]]
    ATTRIBUTES=$attributes python3 - "$file" <<< '
import json, os, sys
schema = json.load(open(sys.argv[1]))
assert set(schema) <= {"header", "missing", "comment", "on_missing", "intercept", "label", "columns", "version"} and schema["version"] == 1, schema.keys()
assert len(schema["columns"]) == int(os.environ["ATTRIBUTES"]) + 1
for column in schema["columns"]:
    assert set(column) <= {"name", "type", "min", "max", "values"} and column["type"] != "ignore", column'
  done
}

@test "counts are for the custodian only" {
  printf 'age,job,rich\n300,nurse,yes\n?,pilot,no\n' > odd.csv
  run "$DPERM" schema check schema.json --data odd.csv
  [[ "$output" != *clamped* ]]
  run bash -c '"$DPERM" schema check schema.json --data odd.csv --unsafe-diagnostics 2>&1 > /dev/null'
  [[ "${lines[2]}" =~ age\ +1\ +0\ +1 ]]
  [[ "${lines[3]}" =~ job\ +0\ +1\ +0 ]]
  fails 2 "needs --data" "$DPERM" schema check schema.json --unsafe-diagnostics
}

refuses() {
  printf '%s' "$1" > bad.json
  fails 1 "$2" "$DPERM" schema check bad.json
}

@test "bad schemas are refused with line and column" { # every rule: schema_test.c
  label='"label": {"column": "y", "positive": ["1"], "negative": ["0"]}'
  refuses '' 'bad.json:1:'
  refuses "{$label, \"colums\": []}" 'unknown key "colums"'
  refuses "{$label, \"columns\": [
 {\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 1},
 {\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 1}]}" 'bad.json:3:2: column "a" stands here a second time'
  refuses "{$label, \"missing\": [\"0\"], \"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 1}]}" 'value "0" of column "y" is in "missing" too'
  refuses '' 'bad.json:1:'
}

without_version() { # the schema of these tests with other members in place of its version
  sed "s/\"version\": 1,/${1:-}/" schema.json
}

@test "a schema without a version keeps its meaning, and check, plan and train say what 2 would change" {
  change='the schema has no "version", so it is read as 1: "version": 2 would add an intercept and centre column "age" ("scale": "center"); with "version": 1 it stays as it is'
  without_version > old.json
  [ "$("$DPERM" schema check old.json 2>&1 > /dev/null)" = "remark: $change" ]
  "$DPERM" plan --rows 100000 --schema old.json --epsilon 1 2> said > /dev/null
  grep -qxF "remark: $change" said
  "$DPERM" schema check old.json --json 2> /dev/null > old.report
  python3 -c 'import json; r = json.load(open("old.report")); assert r["version"] == 1 and r["version_2"] == r["remarks"][0]'
  for command in train "tune --lambda 1e-2,1e-3"; do
    "$DPERM" $command --force --data people.csv --schema old.json --epsilon 1 --seed 1 --out old.model 2> said
    grep -qxF "old.json: $change" said
    "$DPERM" $command --force "${people[@]}" --epsilon 1 --seed 1 --out said.model 2> said
    ! grep -q version said
    weights_are_equal old.model said.model
  done
}

weights_are_equal() {
  python3 - "$@" << 'P'
import json, sys
a, b = (json.load(open(name)) for name in sys.argv[1:])
assert a["weights"] == b["weights"], (a["weights"], b["weights"])
P
}

@test "version 2 is what it says, in models, their verification and predictions too" {
  without_version '"version": 2,' > two.json
  without_version '"intercept": true,' | sed 's/"max": 100/&, "scale": "center"/' > spelt.json
  [ -z "$("$DPERM" schema check two.json 2>&1 > /dev/null)" ]
  for name in two spelt; do
    "$DPERM" train --force --data people.csv --schema $name.json --epsilon 1 --seed 1 --out $name.model 2> /dev/null
    "$DPERM" predict --model $name.model --data people.csv --out $name.csv
  done
  weights_are_equal two.model spelt.model
  cmp two.csv spelt.csv
  "$DPERM" train --force --data people.csv --schema two.json --epsilon 1 --out m.json 2> /dev/null
  "$DPERM" verify --model m.json > /dev/null
  sed 's/"version": 2/"version": 1/' m.json > other.json # one column less than weights
  run "$DPERM" verify --model other.json
  [[ "$status" -eq 1 && "$output" == *"FAILS  "* ]]
  "$DPERM" refine --force --data people.csv --schema two.json --epsilon 5 --fit-epsilon 5 --out refined.json 2> /dev/null
  grep -q '"version": 2' refined.json
}

@test "wrong usage" {
  fails 2 "missing" "$DPERM" schema
  fails 2 "no action" "$DPERM" schema inspect schema.json
  fails 1 "none.json: cannot open" "$DPERM" schema check none.json
}

binned() { # a schema with bins, lines and crosses; more keys
  cat << END
{"label": {"column": "rich", "positive": ["yes"], "negative": ["no"]}, "missing": ["?"], ${1:-}
 "columns": [{"name": "age", "type": "numeric", "min": 0, "max": 100, "bins": [20, 40], "line": 0.5},
  {"name": "job", "type": "categorical", "groups": {"nurse": ["nurse"], "other": "*"}}],
 "crosses": [["age", "job"]]}
END
}

@test "bins, lines and crosses are described" {
  binned > s.json
  succeeds "$DPERM" schema check s.json --data people.csv
  [[ "$output" == *"encoded columns  12"* && "$output" == *"(3 bins, line 0.5)"* ]]
  [[ "$output" == *"age*job: pairs, 6 encoded columns, entry at most 0.7071"* && "$output" == *"120 rows fit"* ]]
  "$DPERM" schema check s.json --json > out.json
  python3 - << 'END'
import json
found = json.load(open("out.json"))
assert [(c["bins"], c["line"], c["dims"]) for c in found["columns"]] == [(3, 0.5, 4), (0, 0, 2)]
assert [(c["columns"], c["dims"]) for c in found["crosses"]] == [(["age", "job"], 6)]
END
}

@test "models with bins and crosses verify, and do not with other weights" {
  for keys in '' '"rows": "fixed",' '"on_missing": "category", "intercept": true,'; do
    binned "$keys" > s.json
    for noise in l2 l1 group linf mixed; do
      "$DPERM" train --force --data people.csv --schema s.json --epsilon 1 --noise $noise --out m.json 2> /dev/null
      "$DPERM" verify --model m.json > lines || { cat lines; false; }
    done
  done
  # Small weights, so that R1 is their sum. A larger one makes rows longer than the noise was made for.
  sed 's/"line": 0.5/"line": 0.125, "weight": 0.2/; s/"\*"}/&, "weight": 0.2/
    s/\["age", "job"\]/{"columns": ["age", "job"], "weight": 0.25}/' <(binned) > s.json
  "$DPERM" train --force --data people.csv --schema s.json --epsilon 1 --noise l1 --out m.json 2> /dev/null
  "$DPERM" verify --model m.json > /dev/null
  for change in 's/"line": 0.125/"line": 0.9/' 's/"weight": 0.25/"weight": 0.9/'; do
    sed "$change" m.json > heavy.json
    run "$DPERM" verify --model heavy.json
    [[ "$status" -eq 1 && "$output" == *"FAILS  beta: "* ]]
  done
  for change in 's/"bins": \[/&10, /' 's/"bins": \[20, 40\]/"bins": "auto"/' 's/"line": 0.125/"line": 0/' \
    's/"line": 0.125/"line": -1/'; do
    sed "$change" m.json > other.json # other columns than weights, or none that are clear
    ! cmp -s m.json other.json
    run "$DPERM" verify --model other.json
    [[ "$status" -eq 1 && "$output" == *"FAILS  norm1: "* ]]
  done
}

@test "bins that are not chosen yet are kept, and no part of an encoded file" {
  sed 's/\[20, 40\]/"auto"/' <(binned) > s.json
  says 0 "bins: chosen by the number of rows and epsilon" "$DPERM" schema check s.json
  "$DPERM" encode --data people.csv --schema s.json --out rows.dperm 2> /dev/null
  "$DPERM" train --force --data rows.dperm --epsilon 2 --seed 1 --out a.json 2> /dev/null
  "$DPERM" train --force --data people.csv --schema s.json --epsilon 2 --seed 1 --out b.json 2> /dev/null
  cmp a.json b.json
}
