# What people read: names and files may hold anything, and none of it reaches a terminal as it is;
# -q says nothing but errors; --json is JSON wherever there is a result.
load helpers

# ESC, newline, CR, DEL, C1 (in UTF-8 and alone), what is not UTF-8, a mark that turns the direction.
hostile=$'x\x1b[31m\n\r\x7f\xc2\x9b31m\x9b\xff\xe2\x80\xaey'

# Nothing in the files but text: no control character but the end of a line, all of it UTF-8.
plain() {
  iconv -f UTF-8 -t UTF-8 "$@" > /dev/null
  ! grep -naP '[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]' "$@"
}

fails_somehow() {
  ! "$@" > shown 2> said
}

fails_visibly() { # the command's stderr is one line about the hostile name, and visible
  fails_somehow "$@"
  plain said shown
  [ "$(wc -l < said)" -eq 1 ] || { cat said; return 1; }
  grep -q '^dperm: ' said
  grep -qF '\x1b[31m\x0a\x0d\x7f\u009b31m\x9b\xff\u202ey' said || { echo "$*"; cat -v said; return 1; }
}

@test "a path that no file has" {
  train_none
  for call in "train --schema schema.json --mechanism none --out m --data" "predict --data people.csv --model" \
    "score --data people.csv --model" "verify --model" "statement --model" "explain --model" "schema check" \
    "schema draft --public-data" "schema import --label y" "ledger show" "ledger verify" "plan --rows 9 --epsilon 1 --schema" \
    "encode --schema schema.json --out m --data" "sweep --schema schema.json --mechanism none --data"; do
    fails_visibly "$DPERM" $call "$hostile"
  done
}

dictionary() { # dictionary.json, in which a column has this name
  python3 -c 'import json, sys
print(json.dumps({"fields": [{"name": "rich", "type": "boolean"}, {"name": sys.argv[1], "type": "integer"}]}))' "$1" \
    > dictionary.json
}

@test "a path that cannot be written, an option, a command, a value" {
  train_none
  dictionary age
  for call in "train --data people.csv --schema schema.json --mechanism none --out" \
    "predict --model model.json --data people.csv --out" "statement --model model.json --out" "explain --model model.json --out" \
    "schema draft -q --public-data people.csv --out" "schema import -q dictionary.json --label rich --out" "encode --data people.csv --schema schema.json --out" \
    "sweep --data people.csv --schema schema.json --mechanism none --folds 2 --out" "demo --rows 10 --out"; do
    fails_visibly "$DPERM" $call "nowhere/$hostile"
  done
  fails_visibly "$DPERM" "$hostile"
  fails_visibly "$DPERM" help "$hostile"
  fails_visibly "$DPERM" plan "--$hostile"
  fails_visibly "$DPERM" plan --rows "$hostile"
  fails_visibly "$DPERM" schema "$hostile" schema.json
  fails_somehow "$DPERM" train --force "${people[@]}" --epsilon 1 --mechanism "$hostile" --out m
  plain said
}

@test "names in files: columns, classes, values, data sets" {
  # JSON cannot hold bytes that are not UTF-8, so the rest of it.
  py <<'P'
name = "x\x1b[31m\n\r\x7f\x9b31m\u202ey"
schema = {"label": {"column": "rich", "positive": ["yes" + name], "negative": ["no"]},
          "columns": [{"name": "age" + name, "type": "numeric", "min": 0, "max": 100},
                      {"name": "job", "type": "categorical", "values": ["a" + name, "b", "c"], "reference": "a" + name}]}
json.dump(schema, open("hostile.json", "w"))
quoted = '"' + name + '"'
open("hostile.csv", "w").write('"age' + name + '",job,rich\n' + '1,b,no\n2,c,"yes' + name + '"\n' * 1)
open("column.csv", "w").write('"' + name + '",job,rich\n1,b,no\n')
open("label.csv", "w").write('"age' + name + '",job,rich\n1,b,"' + name + '"\n')
open("wrong.json", "w").write(json.dumps(dict(schema, **{name: 1})))
P
  "$DPERM" schema check hostile.json --data hostile.csv --unsafe-diagnostics > shown 2> said
  plain shown said
  "$DPERM" schema check hostile.json --json > shown
  plain shown
  python3 -c 'import json; assert json.load(open("shown"))["columns"][0]["name"] == "agex\x1b[31m\n\r\x7f\x9b31m\u202ey"'
  dictionary $'x\x1b[31m\n\r\x7f\xc2\x9b31m\xe2\x80\xaey'
  "$DPERM" schema import --force dictionary.json --label rich > import.json 2> said
  plain said
  fails_somehow "$DPERM" schema import --force dictionary.json --label $'x\x1b[31m\n\r\x7f\xc2\x9b31m\xe2\x80\xaey'
  plain said shown
  "$DPERM" schema draft --force --public-data hostile.csv --out draft.json > shown 2> said
  plain shown said
  "$DPERM" train --force --data hostile.csv --schema hostile.json --mechanism none --out m.json > shown 2> said
  plain shown said
  "$DPERM" statement --model m.json > shown
  plain shown
  "$DPERM" statement --model m.json --html > shown
  plain shown
  for form in "" --html --json; do
    "$DPERM" explain --model m.json $form > shown
    plain shown
  done
  for file in column.csv label.csv; do
    fails_somehow "$DPERM" train --force --data $file --schema hostile.json --mechanism none --out m2.json
    plain said
    [ "$(wc -l < said)" -eq 1 ]
  done
  fails_somehow "$DPERM" schema check wrong.json
  plain said
  [ "$(wc -l < said)" -eq 1 ]
  fails_somehow "$DPERM" ledger init l.db --dataset "$hostile" --epsilon 1
  plain said
  "$DPERM" ledger init l.db --dataset $'sp\xc3\xa4t\xe2\x80\xae' --epsilon 1 > shown 2> said || true
  plain shown said
  "$DPERM" ledger show l.db > shown 2> said || true
  plain shown said
}

@test "files that are nothing but bytes" {
  python3 -c 'import random; open("noise", "wb").write(random.Random(7).randbytes(3000))'
  for call in "train --schema schema.json --mechanism none --out m --data" "verify --model" "schema check" "ledger show" \
    "schema draft --public-data" "schema import --label y"; do
    fails_somehow "$DPERM" $call noise
    plain said
  done
  printf '#!/bin/sh\nprintf "\\033[31m\\233\\n"\n' > trainer
  chmod +x trainer
  fails_somehow "$DPERM" audit --command ./trainer --draws 10
  plain said shown
}

@test "quiet: nothing on stderr but errors, the result all the same" {
  "$DPERM" ledger init l.db --dataset people --epsilon 9 -q 2> said
  [ ! -s said ]
  dictionary age
  "$DPERM" demo --rows 300 --out d > /dev/null
  while IFS= read -r line; do
    read -ra call <<< "$line"
    rm -f out # which may be a schema, that no other command replaces
    "$DPERM" "${call[@]}" > with 2> said
    [ -s said ] || { echo "$line: says nothing anyway"; return 1; }
    rm -f out
    "$DPERM" "${call[@]}" -q > without 2> said
    [ ! -s said ] || { echo "$line:"; cat said; return 1; }
    cmp with without || { echo "$line"; return 1; }
  done <<'T'
train --force --data people.csv --schema schema.json --mechanism none --out out
train --force --data people.csv --schema schema.json --epsilon 1 --seed 1 --out out
tune --force --data people.csv --schema schema.json --epsilon 1 --seed 1 --lambda 0.1,0.2 --out out
refine --force --data people.csv --schema schema.json --epsilon 1 --seed 1 --out out
encode --data people.csv --schema schema.json --out out
schema draft --public-data people.csv
schema import dictionary.json --label rich
sweep --data people.csv --schema schema.json --mechanism none --folds 2 --out out
audit --mechanism output --draws 2000 --seed 1
T
  "$DPERM" train --force --quiet --data people.csv --schema schema.json --epsilon 1 --ledger l.db --dataset people --out out 2> said
  [ ! -s said ]
  fails 1 "nothing.csv: cannot open" "$DPERM" train --force -q --data nothing.csv --schema schema.json --mechanism none --out out
  fails 2 "--rows is missing" "$DPERM" plan -q
}

@test "json wherever there is a result" {
  "$DPERM" demo --rows 300 --out d > /dev/null
  train_none
  printf 'x\n' > $'odd "name"\x1b'
  while IFS= read -r line; do
    keys=${line#* : }
    read -ra call <<< "${line% : *}"
    rm -f out
    "$DPERM" "${call[@]}" --json > result.json 2> said || [ "${call[0]}" = verify ]
    python3 - "$keys" <<'P' || { echo "$line"; cat result.json; return 1; }
import json, sys
found = json.load(open("result.json"))
found = found[0] if isinstance(found, list) else found
missing = set(sys.argv[1].split()) - set(found)
assert not missing, missing
P
  done <<'T'
train --force --data people.csv --schema schema.json --mechanism none --out out : model rows weights classes private reason mechanism epsilon delta rows_per_person ledger
train --force --data people.csv --schema schema.json --epsilon 1 --out out --dry-run : dry_run private epsilon delta ledger
refine --force --data people.csv --schema schema.json --epsilon 5 --fit-epsilon 20 --out out : schema rows weights refined private epsilon rows_per_person ledger
tune --force --data people.csv --schema schema.json --epsilon 1 --lambda 0.1,0.2 --out out : model method candidates private epsilon
plan --rows 100 --schema schema.json --epsilon 1 : epsilon lambda beta noise
score --model model.json --data people.csv : rows errors error_rate
score --model model.json --data people.csv --epsilon 1 : private epsilon error_rate ledger
score --model model.json --data people.csv --epsilon 1 --dry-run : dry_run epsilon
verify --model model.json : verdict lines remarks
explain --model model.json : private epsilon scale weights outputs assumed not_examined
sweep --data people.csv --schema schema.json --mechanism none,output --epsilon 1 --folds 2 : loss mechanism noise lambda lambda_given epsilon delta_given neighbours error_mean error_se baseline runs impossible
audit --mechanism output --draws 2000 : mechanism epsilon_claimed epsilon_lower_bound verdict
encode --data people.csv --schema schema.json --out out : file rows
ledger init l.db --dataset people --epsilon 1 : datasets entries records head
ledger show l.db : datasets entries records head
ledger verify l.db : verdict lines remarks
schema check schema.json : schema classes dims norm norm1 drops_rows columns data rows
schema check schema.json --data people.csv : data rows
T
  "$DPERM" train --force "${people[@]}" --epsilon 0.5 --ledger l.db --dataset people --out out --json > result.json 2> said
  [ ! -s said ]
  py <<'P'
r = json.load(open("result.json"))
assert r["private"] is True and r["epsilon"] == 0.5 and r["reason"] is None and r["rows"] == 120
assert r["ledger"]["dataset"] == "people" and r["ledger"]["epsilon_left"] == "0.5" and r["ledger"]["id"] == 2, r
assert json.load(open("out"))["ledger"]["digest"] == r["ledger"]["digest"]
P
  for call in "train --data people.csv --schema schema.json --mechanism none --out -" \
    "encode --data people.csv --schema schema.json --out -"; do
    fails 2 "standard output" "$DPERM" $call --json
  done
}
