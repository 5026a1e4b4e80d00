# dperm schema draft: a first schema from public records, which must fit the very same records.
load helpers

# Drafts from the file into drafted.json (remarks into remarks) and checks that the file fits.
drafts() {
  "$DPERM" schema draft --force --public-data "$@" --out drafted.json 2> remarks || { cat remarks; return 1; }
  "$DPERM" schema check drafted.json --data "$1" > checked || return 1
}

# The member at this place of drafted.json, e.g. "label.positive" or "columns.0.type".
drafted() {
  python3 -c '
import json, sys
at = json.load(open("drafted.json"))
for key in sys.argv[1].split("."):
    at = at[int(key)] if isinstance(at, list) else at[key]
print(json.dumps(at))' "$1"
}

remarked() {
  grep -qF -- "$1" remarks || { echo "\"$1\" is not in:"; cat remarks; return 1; }
}

refuses() { # the file's text (as printf takes it), the message, further arguments
  printf "$1" > odd.csv
  text=$2
  shift 2
  run "$DPERM" schema draft --force --public-data odd.csv --out none.json "$@"
  fails_with "${expected:-1}" "$text"
  leaves_no none.json
}

fits() { # the file's text, further arguments
  printf "$1" > odd.csv
  shift
  drafts odd.csv "$@"
}

@test "the census draft fits its records and trains" {
  "$DPERM" demo --rows 2000 --out d > /dev/null 2>&1
  drafts d/people.csv
  [ "$(drafted label)" = '{"column": "income", "positive": ["high"], "negative": ["low"]}' ]
  [ "$(drafted missing)" = '["", "?"]' ]
  [ "$(drafted columns.0)" = '{"name": "age", "type": "numeric", "min": 0, "max": 100, "scale": "max"}' ]
  [ "$(drafted columns.1.values)" = '["female", "male"]' ]
  [ "$(drafted columns.11.transform)" = '"log1p"' ]
  [ "$(drafted intercept) $(drafted rows) $(drafted on_missing)" = 'true "clip" "zero"' ]
  remarked 'use it only if they are public'
  remarked '"?" is taken for a missing value'
  "$DPERM" train --force --data d/people.csv --schema drafted.json --epsilon 1 --out m.json
  # other records of the same kind fit as well
  "$DPERM" schema check drafted.json --data d/others.csv > /dev/null
}

@test "the schema goes to standard output, remarks to stderr" {
  "$DPERM" schema draft --force --public-data people.csv > out.json 2> remarks
  "$DPERM" schema check out.json --data people.csv > /dev/null
  [ -z "$(grep -v '^remark: ' remarks)" ]
  remarked 'column "rich": the label; "yes" is positive (by convention)'
  [ "$("$DPERM" schema draft --force --public-data - < people.csv 2> /dev/null)" = "$(cat out.json)" ]
}

@test "a header is guessed, or told" {
  drafts people.csv
  [ "$(drafted header)" = true ]
  remarked 'the first line is taken for a header'
  tail -n +2 people.csv > bare.csv
  drafts bare.csv
  [ "$(drafted header) $(drafted columns.0.name)" = 'false "column1"' ]
  remarked 'the first line is taken for a record'
  drafts bare.csv --no-header --label column3
  [ "$(drafted label.column)" = '"column3"' ]
  run grep -c 'first line' remarks
  [ "$output" = 0 ]
  # a label's name in the first line settles it; numbers as names need --header
  { echo "2020,2021"; for i in 1 2 3; do echo "1,0"; echo "3,1"; done; } > years.csv
  drafts years.csv --header
  [ "$(drafted columns.0.name)" = '"2020"' ]
  drafts years.csv --label 2021
  [ "$(drafted header)" = true ]
}

@test "the label: any column, two classes or a list" {
  drafts people.csv --label job --positive judge
  [ "$(drafted label)" = '{"column": "job", "positive": ["judge"], "negative": "*"}' ]
  remarked 'all values but the positive ones are negative'
  succeeds "$DPERM" schema draft --force --public-data people.csv --label job
  drafts people.csv --label job
  [ "$(drafted label)" = '{"column": "job", "classes": ["farmer", "judge", "nurse"]}' ]
  remarked 'its 3 values are classes, which logistic regression learns in one fit'
  { echo "x,y"; for i in $(seq 63); do echo "$i,v$((i % 21))"; done; } > many.csv
  fails 2 '10 records or more are needed for each of over 20 values of the label in column "y" ("v0", "v1"' "$DPERM" schema draft --force --public-data many.csv --label y
  [[ "$output" == *'positive values'* ]]
  fails 2 'must be some, not all, of the values of the label in column "rich" ("no", "yes")' "$DPERM" schema draft --force --public-data people.csv --positive maybe
  fails 2 'must be some, not all, of the values' "$DPERM" schema draft --force --public-data people.csv --positive yes,no
  fails 1 'people.csv:1:1: no column is called "wealth"' "$DPERM" schema draft --force --public-data people.csv --label wealth
  drafts people.csv --positive no,never
  [ "$(drafted label.positive)" = '["no", "never"]' ]
  remarked 'check their spelling'
  { echo x,y; for i in 1 2 3 4 5; do echo "$i,cat"; echo "$i.5,cat"; echo "$i.1,dog"; done; } > pets.csv
  drafts pets.csv
  [ "$(drafted label.positive)" = '["dog"]' ]
  remarked 'the rarer value'
  refuses 'x,y\n1,a\n2,a\n' 'column "y" has one value only for a label'
  refuses 'x,y\n1,a\n2,\n' 'odd.csv:3:3: the label is missing'
  { echo x,y; seq 1 5000 | sed 's/.*/&,u&/'; } > many.csv
  fails 1 'too many different values for a label' "$DPERM" schema draft --force --public-data many.csv
}

@test "a label may have a thousand classes, each with its records" {
  { echo x,y; for n in $(seq 10); do seq 1000 | sed "s/.*/$n,c&/"; done; } > classes.csv
  drafts classes.csv
  [ "$(drafted label.classes | tr -cd c | wc -c)" -eq 1000 ]
  remarked 'its 1000 values are classes, which logistic regression learns in one fit'
  { cat classes.csv; for n in $(seq 20); do echo 1,more; done; } > more.csv
  fails 2 'over 1000 values of the label in column "y"' "$DPERM" schema draft --public-data more.csv --label y
  sed 's/c//' classes.csv | head -400 | awk -F, -v OFS=, '{$2 = NR > 1 ? NR % 30 : $2; print}' > amounts.csv
  drafts amounts.csv --label y
  remarked 'amounts? then give it "type": "numeric"'
  awk 'NR > 1 {$0 = NR % 2 "," NR * 7919 % 10007 / 10} {print}' classes.csv > prices.csv
  drafts prices.csv
  remarked 'a number from 0 to 1500, so models are regressions'
  [ "$(drafted label.type) $(drafted label.max)" = '"numeric" 1500' ]
  "$DPERM" train --data prices.csv --schema drafted.json --epsilon 1 --ledger none --out m.json 2> message || { cat message; false; }
}

@test "a column that nearly equals the label is pointed at: categories, and numbers by one cut" {
  awk 'BEGIN {print "score,status,half,y"
    for (i = 1; i <= 20000; i++) { y = i * 7919 % 10007 < 3000; odd = i * 104729 % 20011 % 200 == 0; s = odd ? !y : y
      printf "%.9f,%s,%d,%s\n", s / 2 + i * 104729 % 100003 / 200006, s ? "closed" : "open", i % 5 + 5 * (y && i % 2), y ? "bad" : "good"}}' > leak.csv
  drafts leak.csv
  grep -Eq 'column "status": tells the label by itself in 99.[45][0-9]* percent of these records .always naming the most frequent class: 7' remarks
  grep -Eq 'column "score": tells the label by itself in 99(\.[0-9]+)? percent' remarks
  ! grep -q 'column "half": tells' remarks
  [ "$(drafted columns.1.type)" = '"categorical"' ] # for a person to decide
  awk 'BEGIN {print "code,y"; for (i = 1; i <= 3000; i++) print (i % 97 ? "k" i % 5 : "k9") ",v" i % 5}' > several.csv
  drafts several.csv --label y
  grep -q 'column "code": tells the label by itself in 9[89]' remarks
}

@test "columns that say nothing new are ignored, and it is said why" {
  {
    echo number,sex,code,copy,when,price,note,same,leak,empty,y
    seq 1 200 | awk '{s = $1 % 2 ? "m" : "f"; y = $1 % 7 < 3 ? "yes" : "no"
      printf "%d,%s,%d,%s,2024-0%d-1%d,\"%d,000\",text %d,k,%s!,,%s\n", $1, s, $1 % 2 + 1, s,
        $1 % 9 + 1, $1 % 8, $1 % 60 + 1, $1 % 90, y, y}'
  } > dull.csv
  drafts dull.csv
  [ "$(python3 -c 'import json; print(*(c["type"] for c in json.load(open("drafted.json"))["columns"]))')" = \
    "ignore categorical ignore ignore ignore ignore ignore ignore ignore ignore label" ]
  remarked 'column "number": its values never repeat'
  remarked 'column "code": goes one to one with column "sex"'
  remarked 'column "copy": goes one to one with column "sex"'
  remarked 'column "when": too many different values'
  remarked 'column "price": too many different values'
  remarked 'column "note": too many different values'
  remarked 'column "same": one value only'
  remarked 'column "leak": decides the label alone'
  remarked 'column "empty": no value at all'
}

@test "of a number and its name the number is kept" {
  { echo level,n,y; for i in $(seq 1 60); do echo "L$((i % 4)),$((i % 4 + 1)),$((i % 7 / 4))"; done; } > twins.csv
  drafts twins.csv
  [ "$(drafted columns.0.type) $(drafted columns.1.type)" = '"ignore" "numeric"' ]
  remarked 'column "level": goes one to one with column "n"'
}

@test "missing markers are seen, or told" {
  { echo a,b,y; for i in $(seq 1 40); do echo "$i.5,x,0"; echo "NA,n/a,1"; echo "null,u,0"; done; } > gaps.csv
  drafts gaps.csv
  [ "$(drafted missing)" = '["", "NA", "n/a", "null"]' ]
  [ "$(drafted columns.0.type)" = '"numeric"' ]
  sed 's/NA/none/; s/null/none/' gaps.csv > odd.csv
  drafts odd.csv --missing none
  [ "$(drafted missing) $(drafted columns.0.type)" = '["none"] "numeric"' ]
  { echo a,y; for i in $(seq 1 99); do echo "$i,$((i % 2))"; done; echo "unknown,1"; } > mixed.csv
  drafts mixed.csv
  [ "$(drafted columns.0.type)" = '"ignore"' ]
  remarked 'mostly numbers, but also texts such as "unknown"'
  drafts mixed.csv --missing unknown,
  [ "$(drafted missing)" = '["unknown", ""]' ]
}

@test "odd files are drafted" {
  fits 'a;"b;c";y\r\n1;"q;""r""";yes\r\n\r\n 2 ;  z\t;no\r\n'
  [ "$(drafted separator) $(drafted columns.1.name)" = '";" "b;c"' ]
  remarked 'taken to be ";"'
  fits 'a\ty\n1\tu\n2\tv\n'
  [ "$(drafted separator)" = '"\t"' ]
  fits '\n \na\ty\n1\tu\n2\tv\n'
  fits 'a|y\n1|u\n2|v' --separator '|'
  fits 'a\ty\n1\tu\n2\tv\n' --separator tab
  fits '\xef\xbb\xbf,a,y\n0,"x\ny",u\n1,"z",v\n'
  [ "$(drafted columns.0.name)" = '""' ]
  fits 'a,y\n1e400,0\n2,1\n'
  remarked 'no column is left to learn from'
  fits 'a,y\n1e-320,0\n-2e300,1\n5,1\n'
  gzip -k people.csv
  drafts people.csv.gz
  [ "$(drafted columns.0.type)" = '"numeric"' ]
}

@test "bad files are refused with their place" {
  refuses '' 'odd.csv: no rows'
  refuses '\n\n' 'odd.csv: no rows'
  refuses 'a,b,y\n' 'odd.csv: no rows'
  refuses 'y\nyes\nno\n' 'odd.csv:1:1: one column only'
  refuses 'a,y\n1,0\n1,2,3\n' 'odd.csv:3:1: 3 fields where 2 are expected'
  refuses 'a,y\n1,0\n"1,2\n' 'odd.csv:3:1: this quote is never closed'
  refuses 'a,y\n1,\0\n' 'odd.csv:2:3: a NUL byte'
  refuses 'a,b,a,y\n1,2,3,0\n2,3,4,1\n' 'odd.csv:1:5: columns 1 and 3 are both called "a", and a schema knows columns by name; rename one'
  refuses 'a,\xe9\n1,0\n2,1\n' 'odd.csv:1:3: this is not UTF-8'
  refuses 'a,y\n1,\xe9\n2,1\n' 'odd.csv:2:3: this is not UTF-8'
  refuses 'a,b,y\n1,0,NA\n2,1,1\n' 'odd.csv:2:5: the label is missing'
  refuses '?,NA\n1,0\n2,1\n' 'odd.csv:1:3: the label is missing'
  fails 1 'none.csv: cannot open' "$DPERM" schema draft --force --public-data none.csv
}

@test "wrong usage of draft" {
  fails 2 '--public-data is missing' "$DPERM" schema draft --force
  fails 2 'exclude each other' "$DPERM" schema draft --force --public-data people.csv --header --no-header
  fails 2 'one byte or tab' "$DPERM" schema draft --force --public-data people.csv --separator ab
  fails 2 'the separator must be one byte' "$DPERM" schema draft --force --public-data people.csv --separator ' '
  fails 2 'twice' "$DPERM" schema draft --force --public-data people.csv --missing x,x
  fails 1 'a second time' "$DPERM" schema draft --force --public-data people.csv --positive yes,yes
  fails 2 'unknown option --data' "$DPERM" schema draft --force --data people.csv
  says 0 "usage: dperm schema draft --public-data FILE" "$DPERM" schema draft --force --help
}

@test "a column that is called like an identifier becomes no number, from records or a dictionary, and check points at it" {
  awk 'BEGIN {print "patient_id,ward_id,age,y"; for (i = 0; i < 3000; i++)
    printf "%d,%d,%d,%d\n", 100000 + i * 37 % 900, 1 + i % 7, 20 + i * 13 % 61, i % 3 == 0}' > visits.csv
  "$DPERM" schema draft --public-data visits.csv --out visits.json 2> remarks
  grep -q 'column "patient_id": called like an identifier of people or records: ignored; where it repeats' remarks
  echo '{"fields": [{"name": "patientId", "type": "integer", "constraints": {"minimum": 0, "maximum": 999999}},
    {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 120}},
    {"name": "y", "type": "string", "constraints": {"enum": ["0", "1"]}}]}' > dictionary.json
  "$DPERM" schema import dictionary.json --label y --out imported.json 2> remarks
  grep -q 'column "patientId": called like an identifier' remarks
  py <<'P'
types = lambda name: {c["name"]: c["type"] for c in json.load(open(name))["columns"]}
assert types("visits.json") == {"patient_id": "ignore", "ward_id": "categorical", "age": "numeric", "y": "label"}
assert types("imported.json") == {"patientId": "ignore", "age": "numeric", "y": "label"}
s = json.load(open("visits.json"))
s["columns"][0] = {"name": "patient_id", "type": "numeric", "min": 0, "max": 1000000}
json.dump(s, open("number.json", "w"))
P
  "$DPERM" schema check visits.json 2> remarks > /dev/null
  grep -q 'remark: column "patient_id": called like an identifier; if it tells persons apart' remarks
  "$DPERM" schema check number.json 2> remarks > /dev/null
  grep -q 'remark: column "patient_id": a number, but called like an identifier' remarks
  "$DPERM" schema check number.json --json 2> /dev/null | grep -q '"identifier": true'
}
