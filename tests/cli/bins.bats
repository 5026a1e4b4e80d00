# "bins": "auto" and --bins: bins that follow from the number of rows and epsilon.
load helpers

# The schema with "bins" for age, and the one that a model holds.
with_bins() { sed "s/\"max\": 100}/\"max\": 100, \"bins\": $1}/" schema.json; }
schema_of() { python3 -c 'import json, sys; print(json.dumps(json.load(open(sys.argv[1]))["schema"]))' "$1"; }
bins_of() { schema_of "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)["columns"][0].get("bins"))'; }
train() { # data, schema, model, more
  "$DPERM" train --force --data "$1" --schema "$2" --seed 7 --out "$3" "${@:4}" 2> /dev/null
}

# Six thousand records.
setup_crowd() { (cat people.csv; for _ in $(seq 49); do tail -n +2 people.csv; done) > crowd.csv; }

@test "auto bins follow from rows, epsilon and columns, and the model's schema has them" {
  setup_crowd
  with_bins '"auto"' > auto.json
  train crowd.csv auto.json m.json --epsilon 0.24 # 2 columns: 720
  [ "$(bins_of m.json)" = 4 ]
  train crowd.csv auto.json m.json --epsilon 0.26
  [ "$(bins_of m.json)" = 8 ]
  train crowd.csv auto.json m.json --epsilon 1.01
  [ "$(bins_of m.json)" = 16 ]
  "$DPERM" train --force --data people.csv --schema auto.json --mechanism none --out m.json 2> /dev/null
  [ "$(bins_of m.json)" = 4 ] # as at epsilon 10
  train crowd.csv auto.json m.json --epsilon 0.52 --rows-per-person 2
  [ "$(bins_of m.json)" = 8 ]
}

@test "--bins auto gives them to columns without, and leaves others alone" {
  train people.csv schema.json m.json --epsilon 3 --bins auto
  [ "$(bins_of m.json)" = 4 ]
  train people.csv schema.json m.json --epsilon 3
  [ "$(bins_of m.json)" = None ]
  train people.csv schema.json m.json --epsilon 3 --bins none
  [ "$(bins_of m.json)" = None ]
  with_bins 3 > three.json
  train people.csv three.json m.json --epsilon 3 --bins auto
  [ "$(bins_of m.json)" = 3 ]
  with_bins '"auto"' > auto.json
  train people.csv auto.json a.json --epsilon 3 --bins none
  train people.csv schema.json b.json --epsilon 3 --bins auto
  cmp a.json b.json
}

@test "the same model as with its own schema, from records and encoded ones" {
  sed '2s/^\(.*\),farmer/"\1",farmer/' people.csv > quoted.csv
  train people.csv schema.json m.json --epsilon 3 --bins auto
  schema_of m.json > own.json
  for data in people.csv quoted.csv; do
    train $data own.json n.json --epsilon 3
    cmp m.json n.json
    train $data schema.json n.json --epsilon 3 --bins auto
    cmp m.json n.json
  done
  "$DPERM" encode --data people.csv --schema own.json --out people.dperm 2> /dev/null
  "$DPERM" train --force --data people.dperm --epsilon 3 --seed 7 --out n.json 2> /dev/null
  cmp m.json n.json
  "$DPERM" train --force --data people.dperm --schema schema.json --bins auto --epsilon 3 --seed 7 --out n.json 2> /dev/null
  cmp m.json n.json
}

@test "rows that a schema drops do not count" {
  with_bins '"auto"' | sed 's/"missing"/"on_missing": "drop", "missing"/' > drop.json
  (cat people.csv; sed '1d; s/^[0-9]*/?/' people.csv) > half.csv
  "$DPERM" train --force --data half.csv --schema drop.json --mechanism none --out m.json 2> /dev/null
  "$DPERM" train --force --data people.csv --schema drop.json --mechanism none --out n.json 2> /dev/null
  cmp m.json n.json
}

@test "tune counts what each candidate is trained on" {
  setup_crowd
  tuned() {
    "$DPERM" tune --force --data crowd.csv --schema schema.json --lambda 0.01,0.1 --seed 1 --bins auto \
      --out m.json "$@" 2> /dev/null
  }
  tuned --epsilon 0.7 # 2000 rows
  [ "$(bins_of m.json)" = 4 ]
  tuned --epsilon 0.8
  [ "$(bins_of m.json)" = 8 ]
  tuned --epsilon 0.5 --method stopping # 5400 rows, half of epsilon
  [ "$(bins_of m.json)" = 4 ]
  tuned --epsilon 0.6 --method stopping
  [ "$(bins_of m.json)" = 8 ]
  tuned --epsilon 0.26 --method public --public-data others.csv
  [ "$(bins_of m.json)" = 8 ]
}

@test "plan is about the bins that train will use" {
  setup_crowd
  for epsilon in 0.2 0.3 1.1; do
    train crowd.csv schema.json m.json --epsilon $epsilon --bins auto
    run "$DPERM" plan --rows 6000 --schema schema.json --epsilon $epsilon --bins auto --json
    [ "$(python3 -c 'import json; print(len(json.load(open("m.json"))["weights"]))')" = \
      "$(python3 -c 'import json, sys; print(json.loads(sys.argv[1])["dims"])' "$output")" ]
  done
  fails 2 "--bins goes with --schema" "$DPERM" plan --rows 120 --dims 5 --epsilon 1 --bins auto
}

@test "schema check reads records under a schema with auto bins" {
  with_bins '"auto"' > auto.json
  says 0 "120 rows fit the schema" "$DPERM" schema check auto.json --data people.csv
  sed '5s/^[0-9]*/old/' people.csv > bad.csv
  says 1 "bad.csv:5:" "$DPERM" schema check auto.json --data bad.csv
}

@test "an encoded file has no bins of its own: any that go with its columns can be asked for" {
  "$DPERM" encode "${people[@]}" --out people.dperm 2> /dev/null
  with_bins '"auto"' > auto.json
  for how in "--bins auto" "--bins none" "--schema auto.json" "--schema schema.json"; do
    "$DPERM" train --force --data people.dperm $how --epsilon 3 --seed 1 --out a.json 2> /dev/null
    "$DPERM" train --force "${people[@]}" $how --epsilon 3 --seed 1 --out b.json 2> /dev/null ||
      "$DPERM" train --force --data people.csv $how --epsilon 3 --seed 1 --out b.json 2> /dev/null
    cmp a.json b.json
  done
  echo "+1 1:0.5" > s.svm
  run "$DPERM" train --force --data s.svm --dims 2 --epsilon 1 --bins auto --out m.json
  fails_with 2 "bins are for columns that a schema describes"
  fails 2 "--bins must be none or auto" "$DPERM" train --force "${people[@]}" --epsilon 1 --bins some --out m.json
}

# 108 of 120 rows: 4 bins at any epsilon; 5400 of 6000: 4 at 0.1 and 0.2, 8 at 0.4, 16 at 4 and without a mechanism.
sweep() { "$DPERM" sweep --data crowd.csv --schema schema.json --bins auto --draws 3 "$@"; }
grid=(--mechanism none,objective --lambda 0.01,auto --epsilon 4,0.1,0.4,0.2)

@test "cells of a sweep do not depend on how they are grouped" {
  setup_crowd
  sweep "${grid[@]}" > all.csv
  [ "$(wc -l < all.csv)" -eq 11 ]
  sweep "${grid[@]:0:4}" --epsilon 0.1,0.2,0.4 > some.csv
  [ "$(grep -cxFf some.csv all.csv)" -eq 9 ]
  (sweep --mechanism none --lambda 0.01,auto
    for e in 4 0.1 0.4 0.2; do sweep --epsilon $e --lambda 0.01,auto | tail -n 2; done) > each.csv
  cmp <(sort all.csv) <(sort each.csv)
  with_bins 8 > eight.json # at epsilon 0.4 that is what they got
  "$DPERM" sweep --data crowd.csv --schema eight.json --draws 3 --epsilon 0.4 | tail -n 1 > eight.csv
  grep -xFf eight.csv all.csv
  sweep "${grid[@]}" --test-data others.csv > tested.csv
  [ "$(wc -l < tested.csv)" -eq 11 ]
}

@test "a sweep over several kinds of bins goes on after a kill, and its journal goes" {
  setup_crowd
  sweep "${grid[@]}" > whole.csv
  for call in 1 5 20 30 60; do
    run preloaded "$LEDGER_FAULT" LEDGER_FAULT_KILL=$call "$DPERM" sweep --data crowd.csv \
      --schema schema.json --bins auto --draws 3 "${grid[@]}" --out cells.csv
    [ "$status" -eq 137 ]
    [ ! -e cells.csv ]
  done
  [ -e cells.csv.journal ]
  sweep "${grid[@]}" --out cells.csv 2> said
  cmp whole.csv cells.csv
  grep -q "went on with cells.csv.journal" said
  [ "$(ls | grep -c journal)" -eq 0 ]
  cp people.csv other.csv.journal
  fails 2 "journal" "$DPERM" sweep --data other.csv.journal --format csv --schema schema.json --epsilon 1 --out other.csv
}

@test "where one kind of bins has no fit at all, the others are swept" {
  setup_crowd
  sweep --epsilon 1,85 > cells.csv 2> said # an epsilon that leaves no delta
  grep -q "^logistic,objective,auto,auto,85,,,0,0\.[0-9]*," cells.csv
  grep -q "^logistic,objective,auto,auto,1,0" cells.csv
  grep -q "no fit for .*epsilon 85" said
  fails 2 "epsilon" "$DPERM" sweep "${people[@]}" --bins auto --epsilon 75,85
}

@test "plan advises on each column" {
  with_bins 8 > eight.json
  succeeds "$DPERM" plan --rows 1000 --schema eight.json --epsilon 1
  [[ "$output" == *"of noise"*"useful bins"*"age "*" 8 "*" 4"*"job "*" 3 "* ]]
  "$DPERM" plan --rows 1000 --schema eight.json --epsilon 1 --json > p.json
  "$DPERM" plan --rows 1000 --schema schema.json --epsilon 1 --mechanism output --json > q.json
  "$DPERM" plan --rows 1000 --dims 5 --epsilon 1 --json > r.json
  py <<'P'
age, job = json.load(open("p.json"))["columns"]
assert (age["name"], age["crossed_with"], age["dims"], age["bins"], job["bins"]) == ("age", None, 8, 4, None)
assert abs(age["noise_share"] + job["noise_share"] - 1) < 1e-12
age, job = json.load(open("q.json"))["columns"]
assert abs(age["noise_share"] - 0.25) < 1e-12 # one of four
assert "columns" not in json.load(open("r.json"))
P
}

# A hundred columns whose classes are close to each other on a line, and in bins of their own.
setup_crowds() {
  awk 'BEGIN {
    printf "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": [\"0\"]}, \"columns\": ["
    for (j = 0; j < 100; j++) printf "%s{\"name\": \"c%d\", \"type\": \"numeric\", \"min\": 0, \"max\": 200}", j ? ", " : "", j
    print "]}"}' > crowds.json
  awk 'BEGIN {
    for (j = 0; j < 100; j++) printf "c%d,", j
    print "y"
    for (i = 0; i < 3500; i++) {
      for (j = 0; j < 100; j++) printf "%d,", i % 2 ? 45 : 55
      print i % 2
    }}' > crowds.csv
}

@test "what can be read only once is asked like a file" {
  setup_crowds
  "$DPERM" train --force --data <(cat crowds.csv) --format csv --schema crowds.json --epsilon 20 --seed 1 --out m.json 2> /dev/null
  "$DPERM" train --force --data crowds.csv --schema crowds.json --epsilon 20 --seed 1 --out n.json 2> said
  grep -q "asked privately how to use their numbers" said
  cmp m.json n.json
}

@test "the model's space is taken for bins before records choose them" {
  py <<'P'
columns = [{"name": n, "type": "numeric", "min": 0, "max": 100} for n in "abcd"]
json.dump({"label": {"column": "y", "positive": ["1"], "negative": ["0"]}, "columns": columns}, open("crowds.json", "w"))
with open("crowds.csv", "w") as out:
    print("a,b,c,d,y", file=out)
    for i in range(3500): # a band in each column
        print(*[(i * 7 + j) % 101 for j in range(4)], int(30 < i * 7 % 101 < 60), sep=",", file=out)
P
  "$DPERM" ledger init l.db --dataset crowds --epsilon 40 2> /dev/null
  "$DPERM" train --force --data crowds.csv --schema crowds.json --epsilon 20 --out m.json 2> /dev/null
  [ "$(bins_of m.json)" != None ]
  size=$(($(wc -c < m.json) / 1024)) # what is written then is larger than that
  run bash -c "ulimit -f $size; '$DPERM' train --data crowds.csv --schema crowds.json --epsilon 20 --ledger l.db \
    --dataset crowds --out n.json"
  [ "$status" -eq 1 ]
  [[ "$output" == *"cannot write"*"nothing is charged" ]]
  "$DPERM" train --force --data crowds.csv --schema crowds.json --epsilon 20 --ledger l.db --dataset crowds --out n.json
}

@test "by a Renyi order the dearest plan counts, that a weight, a shape or counts may lead to" {
  py <<'P'
for width in 200, 5:
    names = [f"c{i}" for i in range(width)]
    draw = random.Random(1)
    with open(f"{width}.csv", "w") as out:
        print(*names, "y", sep=",", file=out)
        for i in range(50):
            print(*(draw.randrange(100) for _ in names), "yes" if i % 2 else "no", sep=",", file=out)
    columns = [{"name": name, "type": "numeric", "min": 0, "max": 100} for name in names]
    label = {"column": "y", "positive": ["yes"], "negative": ["no"]}
    json.dump({"columns": columns, "label": label}, open(f"{width}.json", "w"))
P
  while read -r width how; do
    rm -f l.db m.json
    "$DPERM" ledger init l.db --dataset d --epsilon 20 --delta 1e-6 --composition renyi --order 8 --neighbours add-remove 2> /dev/null
    "$DPERM" train --force --data $width.csv --schema $width.json --epsilon 0.15 --delta 1e-8 --neighbours add-remove \
      --noise gaussian --rows-about 20000 --ledger l.db --dataset d --out m.json $how 2> /dev/null
    "$DPERM" ledger show l.db --json | python3 -c '
import json, sys
entry, = json.load(sys.stdin)["entries"]
terms = dict(word.split("=") for word in entry["terms"].split())
assert float(terms["pure"]) > 0 and float(terms["cost"]) < 0.02 and float(terms["cost_delta"]) < 1e-20, terms
assert ("counted" in terms) == (sys.argv[1] == "5" and "--refine" not in sys.argv), terms' $width $how
    "$DPERM" verify --model m.json --ledger l.db | grep -q "^ok     price: .* what follows from the file is "
  done <<< "200 --loss huber
5
5 --refine 0.1
5 --mechanism output
5 --calibrate 0.1"
}
