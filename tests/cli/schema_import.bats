# dperm schema import: a data dictionary becomes a schema, and what it leaves open is left to a person.
load helpers

# Imports into imported.json, remarks into remarks.
imports() {
  "$DPERM" schema import --force "$@" --out imported.json 2> remarks || { cat remarks; return 1; }
  "$DPERM" schema check imported.json > checked || return 1
}

has() { # imported.json has this text, lines joined
  [[ "$(tr -s '\n ' ' ' < imported.json)" == *"$1"* ]] || { echo "$1 is not in:"; cat imported.json; return 1; }
}

remarked() {
  grep -qF -- "$1" remarks || { echo "\"$1\" is not in:"; cat remarks; return 1; }
}

same_but_sources() {
  python3 - "$@" << 'P'
import json, sys
schemas = [json.load(open(name)) for name in sys.argv[1:]]
sources = [{c.pop("source") for c in s["columns"] if "source" in c} for s in schemas]
assert schemas[0] == schemas[1] and all(len(texts) == 3 for texts in sources) and sources[0] != sources[1], sources
P
}

refuses() { # the dictionary's text, the message, further arguments
  printf '%s' "$1" > odd.json
  text=$2
  shift 2
  fails 1 "$text" "$DPERM" schema import --force odd.json --out none.json --label y "$@"
}

survey="$DPERM_SOURCE/examples/dictionaries"

@test "the census's code book reads the demo's people, as the guide goes" {
  "$DPERM" demo --rows 4000 --out census > /dev/null 2>&1
  imports "$survey/census.tableschema.json" --label income
  remarked 'column "investment_income": a number without a range: ignored'
  sed -i 's/{"name": "investment_income", "type": "ignore"}/{"name": "investment_income", "type": "numeric", "min": 0, "max": 1000000}/' imported.json
  grep -q 1000000 imported.json
  "$DPERM" plan --rows 4000 --schema imported.json --epsilon 10 | grep -q '^epsilon for schema '
  "$DPERM" train --force --data census/people.csv --schema imported.json --epsilon 10 --seed 1 --out m.json 2> /dev/null
  "$DPERM" score --model m.json --data census/others.csv |
    python3 -c 'import json, sys; assert json.load(sys.stdin)["error_rate"] < 0.2'
}

@test "the examples in both formats are one schema, which reads the survey and trains" {
  imports "$survey/survey.tableschema.json" --label insured
  cp imported.json frictionless.json
  imports "$survey/survey.csv-metadata.json" --label insured
  same_but_sources imported.json frictionless.json
  has '"separator": ";", "comment": "#", "missing": ["", "refused"],'
  has '"label": {"column": "insured", "positive": ["yes"], "negative": ["no"]}'
  has '{"name": "age", "type": "numeric", "min": 16, "max": 110, "source": "data dictionary, survey.csv: minimum and maximum"}'
  has '"min": 1910, "max": 2010, "source": "data dictionary, survey.csv: minimum and maximum"}'
  has '"values": ["north", "east", "south", "west"], "source": "data dictionary, survey.csv: list of values"}'
  has '"values": ["1", "2", "3"], "source": '
  has '"values": ["no", "yes"], "source": "data dictionary, survey.csv: true or false"}'
  for ignored in person interviewed income remarks; do
    has "{\"name\": \"$ignored\", \"type\": \"ignore\"}"
  done
  awk 'BEGIN {print "person;interviewed;age;born;health;income;region;schooling;employed;remarks;insured"
    for (i = 1; i <= 60; i++)
      printf "%d;2020-01-01;%d;%d;%d;100;north;%d;yes;none;%s\n", i, 20 + i, 2000 - i, i % 5 + 1, i % 3 + 1, i % 2 ? "no" : "yes"
    print "61;2020-01-01;refused;1950;;;west;2;refused;;no"}' > survey.csv
  "$DPERM" schema check imported.json --data survey.csv > /dev/null
  "$DPERM" train --force --data survey.csv --schema imported.json --epsilon 1 --out m.json 2> /dev/null
}

@test "every column that cannot be used has its remark" {
  imports "$survey/survey.tableschema.json" --label insured
  remarked 'if its ranges or values were counted from the private records, they betray them'
  remarked 'column "person": its values never repeat, or name records'
  remarked 'column "interviewed": dates or times: ignored'
  remarked 'column "health": whole numbers from 1 to 5, taken as a number, which needs one weight instead of 5'
  remarked 'column "income": a number without a range: ignored'
  remarked 'column "remarks": texts without a list of values: ignored; with one ("enum",'
  [ "$(grep -c '^remark: ' remarks)" -eq 7 ]
}

@test "the schema goes to standard output" {
  "$DPERM" schema import --force "$survey/survey.tableschema.json" --label insured > out.json 2> remarks
  imports "$survey/survey.tableschema.json" --label insured
  cmp out.json imported.json
  "$DPERM" schema import --force - --label insured < "$survey/survey.tableschema.json" 2> /dev/null | cmp - out.json
}

@test "a data package with several tables asks for one" {
  cat > package.json <<'P'
{"resources": [
  {"name": "a", "path": "a.csv", "schema": {"fields": [{"name": "y", "type": "boolean"}]}},
  {"name": "b", "path": "b.csv", "schema": {"fields": [
    {"name": "x", "type": "number", "constraints": {"minimum": 0, "maximum": 1}},
    {"name": "y", "type": "boolean"}]}}]}
P
  run "$DPERM" schema import --force package.json --label y
  fails_with 1 'package.json:1:15: 2 tables stand here; name one of them ("a", "a.csv", "b", "b.csv")'
  fails 1 '2 tables stand here; name one of them' "$DPERM" schema import --force package.json --label y --table c
  imports package.json --label y --table b
  has '"min": 0, "max": 1, "scale": "max", "source": "data dictionary, b: minimum and maximum"}'
  imports package.json --label y --table b.csv
  has '"positive": ["true", "True", "TRUE", "1"]'
}

@test "the name of a single table is its own, or refused" {
  refuses '{"url": "t.csv", "tableSchema": {"columns": [{"name": "y", "datatype": "boolean"}]}}' \
    'odd.json:1:1: 1 tables stand here; name one of them ("t.csv"), or none' --table nope
  imports odd.json --label y --table t.csv
  refuses '{"name": "t", "path": "t.csv", "schema": {"fields": [{"name": "y", "type": "boolean"}]}}' \
    'name one of them ("t", "t.csv")' --table nope
  imports odd.json --label y --table t
  imports odd.json --label y --table t.csv
  refuses '{"fields": [{"name": "y", "type": "boolean"}]}' \
    'name one of them (none has a name), or none' --table nope
  imports odd.json --label y
}

@test "the positive label is the caller's" {
  imports "$survey/survey.tableschema.json" --label insured --positive no
  has '{"column": "insured", "positive": ["no"], "negative": ["yes"]}'
  imports "$survey/survey.tableschema.json" --label region --positive north,south
  has '{"column": "region", "positive": ["north", "south"], "negative": ["east", "west"]}'
  imports "$survey/survey.tableschema.json" --label remarks --positive none
  has '"negative": "*"'
  remarked 'all values but the positive ones are negative'
  imports "$survey/survey.tableschema.json" --label region
  has '"classes": ["north", "east", "south", "west"]'
  run "$DPERM" schema import --force "$survey/survey.tableschema.json" --label region --positive nroth
  fails_with 2 'must be some, not all, of the values of the label in column "region" ("north", "east"'
  run "$DPERM" schema import --force "$survey/survey.tableschema.json" --label region --positive north,east,south,west
  fails_with 2 'the positive labels must be some, not all, of the values'
}

@test "a dictionary that is none is refused with its place" { # every rule: import_file_test.c
  refuses '' 'odd.json:1:1: not valid JSON'
  refuses '{"label": 1}' 'no data dictionary that dperm knows'
  refuses '{"label": {}, "columns": []}' 'this is a schema of dperm already; use it as it is'
  refuses '{"fields": [{"name": "y"}, {"title": "x"}]}' 'odd.json:1:28: "name" must be a text'
  refuses "$(head -c 5000 /dev/zero | tr '\0' '[')" 'maximum parsing depth'
  refuses '{"schema": "elsewhere.json"}' 'stands in another file, "elsewhere.json"; import that one'
  refuses '{"fields": [{"name": "y", "type": "boolean"}]}' 'there is no "columns"' --format csvw
  fails 2 "--format must be auto, frictionless or csvw" "$DPERM" schema import --force odd.json --label y --format xml
  fails 2 "--label is missing" "$DPERM" schema import --force odd.json
}
