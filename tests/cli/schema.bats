# dperm schema check: good and bad schemas.
load helpers

@test "a sound schema is described" {
  run "$DPERM" schema check schema.json
  [ "$status" -eq 0 ]
  [[ "$output" == *"encoded columns  4"* && "$output" == *"at most 1"* ]]
}

@test "the examples' schemas are sound" {
  for s in "$DPERM_SOURCE"/examples/schemas/*.json; do
    "$DPERM" schema check "$s" > /dev/null
  done
}

@test "schemas from documentation alone hold all attributes, and nothing but what it says" {
  for s in "adult 14 106" "bank 16 52" "credit 23 34"; do
    read -r name attributes dims <<< "$s"
    file="$DPERM_SOURCE/examples/schemas/$name.json"
    run "$DPERM" schema check "$file"
    [[ "$status" -eq 0 && "$output" == *"encoded columns  $dims"* ]]
    ATTRIBUTES=$attributes python3 - "$file" <<< '
import json, os, sys
schema = json.load(open(sys.argv[1]))
assert set(schema) <= {"header", "missing", "comment", "on_missing", "intercept", "label", "columns"}, schema.keys()
assert len(schema["columns"]) == int(os.environ["ATTRIBUTES"]) + 1
for column in schema["columns"]:
    assert set(column) <= {"name", "type", "min", "max", "values"} and column["type"] != "ignore", column'
  done
}

@test "data are read against the schema" {
  run "$DPERM" schema check schema.json --data people.csv
  [ "$status" -eq 0 ]
  [[ "$output" == *"people.csv: 120 rows fit the schema"* ]]
}

@test "counts are for the custodian only" {
  printf 'age,job,rich\n300,nurse,yes\n?,pilot,no\n' > odd.csv
  run "$DPERM" schema check schema.json --data odd.csv
  [[ "$output" != *clamped* ]]
  run bash -c '"$DPERM" schema check schema.json --data odd.csv --unsafe-diagnostics 2>&1 > /dev/null'
  [[ "${lines[2]}" =~ age\ +1\ +0\ +1 ]]
  [[ "${lines[3]}" =~ job\ +0\ +1\ +0 ]]
  run "$DPERM" schema check schema.json --unsafe-diagnostics
  fails_with 2 "needs --data"
}

refuses() {
  printf '%s' "$1" > bad.json
  run "$DPERM" schema check bad.json
  fails_with 1 "$2"
}

@test "bad schemas are refused with line and column" {
  label='"label": {"column": "y", "positive": ["1"], "negative": ["0"]}'
  refuses '{"columns": [}' 'bad.json:1:'
  refuses "{
  $label,
  \"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": 1 \"max\": 2}]}" 'bad.json:3:'
  refuses "{$label, \"colums\": []}" 'unknown key "colums"'
  refuses "{$label, \"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"maxx\": 1}]}" 'unknown key "maxx"'
  refuses "{$label, \"columns\": [
 {\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 1},
 {\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 1}]}" 'bad.json:3:2: column "a" stands here a second time'
  refuses "{$label, \"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": 1, \"max\": 1}]}" 'must be below its "max"'
  refuses "{$label, \"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": 2, \"max\": 1}]}" 'must be below its "max"'
  refuses "{$label, \"columns\": [{\"name\": \"a\", \"type\": \"categorical\", \"values\": []}]}" 'at least one text'
  refuses "{$label, \"columns\": [{\"name\": \"a\", \"type\": \"categorical\"}]}" 'needs either "values" or "groups"'
  refuses "{$label, \"columns\": []}" 'at least one column'
  refuses "{$label}" 'at least one column'
  refuses '{"columns": [{"name": "a", "type": "numeric", "min": 0, "max": 1}]}' '"label" must be an object'
  refuses "{$label, \"missing\": [\"0\"], \"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 1}]}" 'label "0" is in "missing" too'
  refuses '[1, 2]' 'a schema is an object'
  refuses '' 'bad.json:1:'
}

@test "wrong usage" {
  run "$DPERM" schema
  fails_with 2 "missing"
  run "$DPERM" schema inspect schema.json
  fails_with 2 "no action"
  run "$DPERM" schema check none.json
  fails_with 1 "none.json: cannot open"
}
