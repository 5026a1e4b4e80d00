# Persons: a schema's "person" makes the records of one count together as one, from the command line to model,
# verification, plan and ledger; by every door to the same bytes; and nothing tells how many records there are.
load helpers

# 600 persons with 1 to 12 records each, shuffled; two numbers and a category.
setup() {
  cd "$BATS_TEST_TMPDIR"
  py <<'P'
draw = random.Random(1)
rows = []
for p in range(600):
    base = draw.gauss(0, 1)
    for _ in range(1 + min(11, int(draw.expovariate(0.3)))):
        a, b, c = base + draw.gauss(0, 0.5), draw.gauss(0, 1), draw.choice("uv")
        rows.append(f"p{p:03d},{a:.3f},{b:.3f},{c},{int(a - b + (c == 'u') + draw.gauss(0, 1) > 0)}")
draw.shuffle(rows)
with open("visits.csv", "w") as file:
    print("id,a,b,c,y", *rows, sep="\n", file=file)
number = lambda name: {"name": name, "type": "numeric", "min": -4, "max": 4, "scale": "center"}
schema = {"label": {"column": "y", "positive": ["1"], "negative": ["0"]}, "intercept": True, "person": "id",
          "rows_per_person": 8, "columns": [number("a"), number("b"), {"name": "c", "type": "categorical", "values": ["u", "v"]}]}
json.dump(schema, open("visits.json", "w"))
del schema["person"], schema["rows_per_person"]
json.dump(schema, open("plain.json", "w"))
P
}

visits=(--data visits.csv --schema visits.json)

@test "a model of persons states them, and verify derives the claim" {
  "$DPERM" train "${visits[@]}" --epsilon 1 --loss huber --out m.json 2> message
  grep -q 'm.json: 5 weights from 600 persons; (epsilon, delta) = (1, .*) for every person (objective' message
  py <<'P'
m = json.load(open("m.json"))
p = m["privacy"]
assert (m["rows"], m["rows_fitted"], p["unit"], p["person_rule"], p["person_rows"], p["rows_per_person"]) == (600, 600, "person", "mean", 8, 0)
P
  says 0 'person: the mean over at most 8 records of each, whom "id" tells apart' "$DPERM" verify --model m.json
  says 0 'for replacing one person, with all their records, of 600' "$DPERM" verify --model m.json
  says 0 'for every person: replacing all records of one' "$DPERM" plan --rows 600 --schema visits.json --epsilon 1
  for how in "--mechanism output" "--neighbours add-remove --rows-about 600" "--loss smooth-hinge --bins auto" \
    "--refine auto" "--class-weights 1=3" "--calibrate 0.1 --pairs 0.1"; do
    "$DPERM" train --force "${visits[@]}" --epsilon 4 $how --out m.json 2> message || { cat message; false; }
    "$DPERM" verify --model m.json > /dev/null
    "$DPERM" statement --model m.json > /dev/null
  done
}

@test "what a file says of persons is checked: each forgery fails" {
  "$DPERM" train "${visits[@]}" --epsilon 1 --loss huber --lambda 0.002 --out m.json 2> /dev/null
  for change in 'p["person_rows"] = 1' 'p["person_rule"] = "sum"' 'del p["person_rule"]' 'p["person_rows"] = 9' \
    'del m["schema"]["person"]' 'p["rows_per_person"] = 1' 'p["unit"] = "row"' 'p["beta"] *= 1.01' \
    'm["loss"]["name"] = "mine"' 'p["noise"] = "gaussian"' 'p["analysis"] = "paper"' 'm["schema"]["rows_per_person"] = 2'; do
    forgery_shows "$change"
  done
}

@test "a schema that names no column, or a wrong one, is refused where a model is read" {
  py <<'P'
s = json.load(open("visits.json"))
json.dump({**s, "group": "c"}, open("grouped.json", "w"))
P
  "$DPERM" train --data visits.csv --schema grouped.json --epsilon 1 --refine none --evaluate 0.2 --out model.json 2> /dev/null
  while IFS='|' read -r edit message; do
    change "s = m['schema']; $edit"
    for command in "verify" "predict --data visits.csv" "score --data visits.csv" "statement"; do
      run "$DPERM" $command --model changed.json
      [ "$status" -eq 1 ] && { [ "$command" = verify ] || [[ "${#lines[@]}" = 1 && "$output" == *"$message"* ]]; } ||
        { echo "$edit, $command: $output"; return 1; }
    done
  done <<'E'
s['person'] = 'nobody'|its schema tells persons apart by no column, or not as its claim says
del s['person'], s['rows_per_person']|its schema tells persons apart by no column, or not as its claim says
s['rows_per_person'] = 9|its schema tells persons apart by no column, or not as its claim says
s['person'] = 'a'|column "a" tells persons apart, so nothing may be learned from it
s['person'] = 'y'|column "y" is the label's, and cannot tell persons apart
s['person'] = 7|"person"
s['group'] = 'nobody'|"group" must name a column with listed values
s['group'] = 'a'|"group" must name a column with listed values
s['group'] = 'id'|"group" must name a column with listed values
s['group'] = 7|"group"
E
}

@test "exact evaluations see each person once, as private ones do" {
  "$DPERM" train "${visits[@]}" --epsilon 3 --out m.json 2> /dev/null
  awk -F, 'NR == 1 || !seen[$1]++' visits.csv > first.csv
  [ "$(wc -l < first.csv)" -eq 601 ]
  "$DPERM" score --model m.json --data visits.csv > all.json 2> /dev/null
  "$DPERM" score --model m.json --data first.csv > first.json 2> /dev/null
  cmp all.json first.json
  "$DPERM" score --model m.json --data visits.csv --epsilon 50000 --public-model > private.json 2> /dev/null
  py <<'P'
exact, private = (json.load(open(name)) for name in ("all.json", "private.json"))
assert exact["rows"] == private["rows"] == 600 and exact["errors"] == private["errors"]
assert abs(exact["error_rate"] - private["error_rate"]["value"]) < 1e-12
P
}

@test "every door gives the same model, and runs that choose see each person once" {
  fit=(--schema visits.json --epsilon 3 --seed 7 --pairs 0.1 --calibrate 0.05)
  gzip -k visits.csv
  "$DPERM" encode "${visits[@]}" --out visits.dperm 2> /dev/null
  "$DPERM" train --data visits.csv "${fit[@]}" --out m.json 2> /dev/null
  for door in visits.csv.gz visits.dperm "visits.csv --threads 1"; do
    "$DPERM" train --force --data $door "${fit[@]}" --out other.json 2> /dev/null
    cmp m.json other.json
  done
  cat visits.csv | "$DPERM" train --force --data - "${fit[@]}" --out other.json 2> /dev/null
  cmp m.json other.json
  for how in "--method split" "--method stopping" "--neighbours add-remove --rows-about 600"; do
    "$DPERM" tune --force --data visits.dperm --schema visits.json --epsilon 4 --lambda 0.001,0.01 $how --out t.json 2> /dev/null
    says 0 'for ' "$DPERM" verify --model t.json
  done
  "$DPERM" sweep "${visits[@]}" --epsilon 2 --folds 2 --draws 2 --lambda 0.01 2> /dev/null | tail -1 | grep -q objective
}

@test "names are texts: where they stand and what they are changes nothing but whose record is whose" {
  "$DPERM" train "${visits[@]}" --epsilon 2 --seed 3 --out m.json 2> /dev/null
  sed '2,$s/^p/someone else, "quoted" /; 2,$s/^\([^,]*, "quoted" [0-9]*\)/"\1"/; s/"quoted"/""quoted""/' visits.csv > renamed.csv
  "$DPERM" train --force --data renamed.csv --schema visits.json --epsilon 2 --seed 3 --out other.json 2> /dev/null
  cmp m.json other.json
  awk -F, -v OFS=, '{print $4, $5, $2, $1, $3}' visits.csv > moved.csv
  "$DPERM" train --force --data moved.csv --schema visits.json --epsilon 2 --seed 3 --out other.json 2> /dev/null
  cmp m.json other.json
  py <<'P'
s = json.load(open("visits.json"))
s["header"] = False
s["columns"] = [{"name": "id", "type": "ignore"}] + s["columns"] + [{"name": "y", "type": "label"}]
json.dump(s, open("bare.json", "w"))
P
  tail -n +2 visits.csv > bare.csv
  "$DPERM" train --force --data bare.csv --schema bare.json --epsilon 2 --seed 3 --out bare.out 2> /dev/null
  py <<'P'
assert json.load(open("m.json"))["weights"] == json.load(open("bare.out"))["weights"]
P
  cut -d, -f2-4 visits.csv > nobody.csv # predictions need no names
  "$DPERM" predict --model m.json --data nobody.csv > without.csv
  "$DPERM" predict --model m.json --data visits.csv > with.csv
  cmp with.csv without.csv
}

@test "only the first of a person's records count, and how many there are is not told" {
  "$DPERM" train "${visits[@]}" --epsilon 2 --seed 3 --out m.json 2> message
  py <<'P'
# more records behind the eighth of each person, or behind all of them
lines = open("visits.csv").read().splitlines()
counts = {}
for line in lines[1:]:
    counts[line[:4]] = counts.get(line[:4], 0) + 1
many = [name for name, count in counts.items() if count >= 8]
with open("longer.csv", "w") as file:
    print(*lines, *[f"{name},{4 - i % 8},1,u,{i % 2}" for name in many for i in range(30)], sep="\n", file=file)
P
  "$DPERM" train --force --data longer.csv --schema visits.json --epsilon 2 --seed 3 --bins none --pairs none --out longer.json 2> other
  "$DPERM" train --force --data visits.csv --schema visits.json --epsilon 2 --seed 3 --bins none --pairs none --out m.json 2> message
  diff <(sed 's/longer/m/' other) message
  py <<'P'
a, b = (json.load(open(name)) for name in ("m.json", "longer.json"))
close = all(abs(x - y) < 1e-3 for x, y in zip(a.pop("weights"), b.pop("weights")))
del a["digest"], b["digest"]
assert close and a == b
P
  for command in train "refine --fit-epsilon 9"; do
    "$DPERM" $command --force --data longer.csv --schema visits.json --epsilon 2 --seed 3 --json --out x.json > a.json 2> /dev/null
    "$DPERM" $command --force --data visits.csv --schema visits.json --epsilon 2 --seed 3 --json --out x.json > b.json 2> /dev/null
    py <<'P'
a, b = (json.load(open(name)) for name in ("a.json", "b.json"))
assert a["rows"] == b["rows"] == 600
P
  done
}

@test "a budget is per person, or per row, and takes the charges of that unit alone" {
  "$DPERM" ledger init people.ledger --dataset visits --epsilon 3 --per-person 2> message
  grep -q 'has a budget of epsilon 3 per person' message
  says 0 'data set "visits", per person' "$DPERM" ledger show people.ledger
  "$DPERM" train "${visits[@]}" --epsilon 1 --ledger people.ledger --dataset visits --out m.json 2> /dev/null
  says 0 'ok     charge' "$DPERM" verify --model m.json --ledger people.ledger
  "$DPERM" ledger verify people.ledger > /dev/null
  fails 1 'is per person, whom a schema tells apart; name the column' "$DPERM" train --data visits.csv --schema plain.json \
    --epsilon 1 --ledger people.ledger --dataset visits --out other.json
  "$DPERM" ledger init rows.ledger --dataset visits --epsilon 3 2> /dev/null
  fails 1 'is per row; and this run is per person' "$DPERM" train "${visits[@]}" --epsilon 1 --ledger rows.ledger \
    --dataset visits --out other.json
  fails 2 'leave --rows-per-person out' "$DPERM" ledger init people.ledger --dataset more --epsilon 1 --per-person --rows-per-person 2
  sed 's/"person": "id"/"person": "b"/; s/{"name": "b",[^}]*}/{"name": "b", "type": "ignore"}/' visits.json > others.json
  fails 1 'were told apart by another column before' "$DPERM" train --data visits.csv --schema others.json --epsilon 1 \
    --ledger people.ledger --dataset visits --out other.json
  "$DPERM" refine "${visits[@]}" --epsilon 1 --ledger people.ledger --dataset visits --out r.json 2> /dev/null
  sed '0,/"person": "id"/s//"person": "nobody"/' r.json > edited.json
  fails 1 'was refined for persons whom column "id" tells apart' "$DPERM" schema check edited.json
  "$DPERM" train --force --data visits.csv --schema r.json --epsilon 1 --ledger people.ledger --dataset visits --out m.json 2> /dev/null
  "$DPERM" verify --model m.json --ledger people.ledger > /dev/null
}

@test "what nothing is proved of is refused, and so is a record of nobody" {
  train=("$DPERM" train "${visits[@]}" --epsilon 1 --out m.json)
  fails 2 'nothing is proved of gaussian noise for persons' "${train[@]}" --delta 1e-6
  fails 2 'leave rows per person out' "${train[@]}" --rows-per-person 3
  fails 2 'choose the analysis tight' "${train[@]}" --analysis paper
  sed '9s/^[^,]*//' visits.csv > nobody.csv
  fails 1 'nobody.csv:9:1: column "id" does not say whose record this is; give each person a name or number' \
    "$DPERM" train --data nobody.csv --schema visits.json --epsilon 1 --out m.json
  cut -d, -f2- visits.csv > none.csv
  fails 1 'the header has no column "id" that the schema lists' "$DPERM" train --data none.csv --schema visits.json --epsilon 1 --out m.json
  for change in 's["person"] = "a"' 's["person"] = "y"' 's["person"] = ""' 's["rows_per_person"] = 0' 's["rows_per_person"] = 2.5' \
    's["rows_per_person"] = 1001' 'del s["person"]' 's["person"] = 3'; do
    py "$change" <<'P'
s = json.load(open("visits.json"))
exec(sys.argv[1])
json.dump(s, open("wrong.json", "w"))
P
    run "$DPERM" schema check wrong.json
    [ "$status" -eq 1 ] && [ "${#lines[@]}" -eq 1 ] || { echo "$change: $output"; return 1; }
  done
}
