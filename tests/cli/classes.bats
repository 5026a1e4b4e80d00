# Several classes, from the schema to the statement.
load helpers

setup_classes() {
  py <<'P'
random.seed(3)
with open("flowers.csv", "w") as f:
    f.write("a,b,kind\n")
    for i in range(900):
        kind = i % 3
        a = random.gauss(0, 1) + (3 if kind == 1 else 0)
        b = random.gauss(0, 1) + (3 if kind == 2 else 0)
        f.write("%r,%r,%s\n" % (a, b, ["iris", "rose", "lily"][kind]))
P
  cat > flowers.json <<'S'
{
  "label": {"column": "kind", "classes": ["iris", "rose", "lily"]},
  "columns": [
    {"name": "a", "type": "numeric", "min": -3, "max": 6, "scale": "center"},
    {"name": "b", "type": "numeric", "min": -3, "max": 6, "scale": "center"}
  ],
  "intercept": true
}
S
}

@test "schema check names the classes and what they cost" {
  setup_classes
  succeeds "$DPERM" schema check flowers.json --data flowers.csv
  [[ "$output" == *"iris, rose, lily (one joint fit with logistic loss; else 3 fits, one against the rest, at epsilon/3)"* ]]
}

@test "classes keep their order in a file whose keys were sorted" {
  setup_classes
  sed -i 's/\["iris", "rose", "lily"\]/{"rose": ["rose"], "iris": ["iris"], "lily": ["lily"]}/' flowers.json
  "$DPERM" train --force --data flowers.csv --schema flowers.json --epsilon 3 --out m.json 2> /dev/null
  python3 -c 'import json; json.dump(json.load(open("m.json")), open("sorted.json", "w"), sort_keys=True)'
  "$DPERM" predict --model m.json --data flowers.csv --out a.csv
  "$DPERM" predict --model sorted.json --data flowers.csv --out b.csv
  cmp a.csv b.csv
  "$DPERM" verify --model sorted.json > /dev/null
}

@test "train, verify, predict and score three classes" {
  setup_classes
  succeeds "$DPERM" train --force --data flowers.csv --schema flowers.json --bins none --epsilon 3 --out m.json
  [[ "${lines[0]}" == "m.json: 3 weights for each of 3 classes from 900 rows; (epsilon, delta) = (3, 2.4e-42) for every record (objective perturbation)" ]]
  py <<'P'
m = json.load(open("m.json"))
assert m["private"] is True and m["privacy"]["epsilon"] == 3.0
assert m["privacy"]["epsilon_class"] == 3.0 and m["multiclass"] == "joint"
assert m["classes"] == ["iris", "rose", "lily"]
assert [len(w) for w in m["weights"]] == [3, 3, 3]
P
  says 0 "classes: one fit for all 3: 1 epsilon_class = 3 <= epsilon_row = 3" "$DPERM" verify --model m.json
  # What is learned is judged with the same noise every time.
  "$DPERM" train --force --data flowers.csv --schema flowers.json --bins none --epsilon 3 --seed 2 --out seeded.json 2> /dev/null
  "$DPERM" predict --model seeded.json --data flowers.csv --out p.csv
  "$DPERM" score --model seeded.json --data flowers.csv > s.json
  py <<'P'
rows = list(csv.DictReader(open("p.csv")))
truth = [r["kind"] for r in csv.DictReader(open("flowers.csv"))]
score = json.load(open("s.json"))
assert set(r["prediction"] for r in rows) == {"iris", "rose", "lily"}
assert all(1 / 3 <= float(r["probability"]) <= 1 for r in rows)
errors = sum(r["prediction"] != t for r, t in zip(rows, truth))
assert score["errors"] == errors and score["rows"] == 900 and errors < 300, errors
assert score["false_positives"] is None and score["auc"] is None and score["classes"] == 3
P
}

@test "a model whose classes have more than their share is found out" {
  setup_classes
  "$DPERM" train --force --data flowers.csv --schema flowers.json --bins none --epsilon 3 --multiclass one-vs-rest --out m.json 2> /dev/null
  sed -i 's/"epsilon_class": 1.0/"epsilon_class": 1.5/' m.json
  run "$DPERM" verify --model m.json
  [ "$status" -eq 1 ]
  [[ "$output" == *"FAILS  classes: one against the rest for each of 3: 3 epsilon_class = 4.5 <= epsilon_row = 3"* ]]
}

@test "the statement says how classes are learned" {
  setup_classes
  "$DPERM" train --force --data flowers.csv --schema flowers.json --bins none --epsilon 3 --out m.json 2> /dev/null
  run "$DPERM" statement --model m.json
  [[ "$output" == *'a logistic regression for all 3 classes at once ("iris", "rose", "lily")'* ]]
  "$DPERM" train --force --data flowers.csv --schema flowers.json --bins none --epsilon 3 --multiclass one-vs-rest --out m.json 2> /dev/null
  says 0 'for each of 3 classes against all others ("iris", "rose", "lily")' "$DPERM" statement --model m.json
}

@test "a plan for several classes, with and without a schema" {
  setup_classes
  "$DPERM" plan --rows 900 --schema flowers.json --bins none --epsilon 3 --multiclass one-vs-rest --json > with.json
  "$DPERM" plan --rows 900 --dims 3 --classes 3 --epsilon 3 --noise l2 --multiclass one-vs-rest --json > without.json
  "$DPERM" plan --rows 900 --dims 3 --classes 3 --epsilon 3 --noise l2 --json > joint.json
  "$DPERM" plan --rows 900 --dims 3 --epsilon 1 --noise l2 --json > one.json
  py <<'P'
a, b, one, joint = (json.load(open(p)) for p in ("with.json", "without.json", "one.json", "joint.json"))
assert joint["epsilon_class"] == 3 and joint["multiclass"] == "joint" and b["multiclass"] == "one-vs-rest"
assert one["multiclass"] is None and joint["beta"] > 1.3 * b["beta"]
assert a["classes"] == b["classes"] == 3 and a["epsilon_class"] == b["epsilon_class"] == 1
assert one["classes"] == 2 and one["beta"] == b["beta"] and one["lambda"] == b["lambda"]
P
  run "$DPERM" plan --rows 900 --schema flowers.json --bins none --epsilon 3
  [[ "$output" == *"classes              3            learned jointly"* ]]
  run "$DPERM" plan --rows 900 --schema flowers.json --bins none --epsilon 3 --loss huber
  [[ "$output" == *"epsilon of a class   1            for each of 3 fits"* ]]
  fails 2 "go with --dims" "$DPERM" plan --rows 900 --schema flowers.json --classes 3 --epsilon 3
}

@test "with a delta classes are learned by noisy descent" {
  setup_classes
  train=(train --force --data flowers.csv --schema flowers.json --bins none --epsilon 3 --delta 1e-5 --out m.json)
  succeeds "$DPERM" "${train[@]}"
  [[ "${lines[0]}" == *"(epsilon, delta) = (3, 1e-05) for every record (noisy descent)" ]]
  "$DPERM" verify --model m.json > verified
  grep -q "^ok     mechanism: noisy descent of classes learned jointly: 60 steps, slopes cut to 0.7" verified
  says 0 "random noise in every step of the optimization (noisy descent)" "$DPERM" statement --model m.json
  run "$DPERM" plan --rows 900 --schema flowers.json --bins none --epsilon 3 --delta 1e-5
  [[ "$output" == *"mechanism            descent      noise in every step towards the minimum"* ]]
  # Longer slopes, more steps or less noise than were paid for; and a file that does not say.
  for change in clip=0.07 clip=1.4 steps=61 deviation=1 steps= clip=-1; do
    py "$change" <<'P'
import sys
name, value = sys.argv[1].split("=")
m = json.load(open("m.json"))
m["privacy"]["descent"][name] = json.loads(value) if value else None
if name == "clip": # with all that goes with it
    m["privacy"]["beta"] *= 0.7 / float(value)
    m["privacy"]["descent"]["deviation"] /= 0.7 / float(value)
json.dump(m, open("changed.json", "w"))
P
    run "$DPERM" verify --model changed.json
    [ "$status" -eq 1 ] || { echo "$change: holds"; false; }
    [[ "$output" == *"FAILS  mechanism: "* || "$output" == *"FAILS  headline: "* ]] || { echo "$change: $output"; false; }
  done
  # The same by its name, on several threads and at every door; pure noise, and output perturbation, are what they were.
  "$DPERM" "${train[@]}" --seed 3 --threads 1 2> /dev/null && mv m.json one.json
  "$DPERM" "${train[@]}" --seed 3 --threads 2 --mechanism descent 2> /dev/null && cmp m.json one.json && rm m.json
  gzip -k flowers.csv
  "$DPERM" encode --data flowers.csv --schema flowers.json --out flowers.dperm 2> /dev/null
  for door in "--data flowers.csv.gz --schema flowers.json" "--data flowers.dperm" "--data - --schema flowers.json"; do
    "$DPERM" train --force $door --bins none --epsilon 3 --delta 1e-5 --seed 3 --out door.json < flowers.csv 2> /dev/null
    cmp one.json door.json && rm door.json
  done
  "$DPERM" score --model one.json --data flowers.csv > s.json
  py <<'P'
assert json.load(open("s.json"))["error_rate"] < 0.15
P
  for usual in "objective --noise l1" output; do
    "$DPERM" "${train[@]}" --mechanism $usual 2> /dev/null && grep -q "\"mechanism\": \"${usual%% *}\"" m.json && rm m.json
  done
  fails 2 "lambda = 1e-06; for classes that are learned jointly with gaussian noise give at least 0.000208333" \
    "$DPERM" "${train[@]}" --lambda 1e-6
  fails 2 "by descent, which has no delta-reg" "$DPERM" "${train[@]}" --noise gaussian --delta-reg 1
  fails 2 "descent is for three classes or more" "$DPERM" "${train[@]}" --multiclass one-vs-rest --mechanism descent
  fails 2 "descent has gaussian noise, and needs a delta" \
    "$DPERM" train --force --data flowers.csv --schema flowers.json --epsilon 3 --mechanism descent --out m.json
  leaves_no m.json
}

@test "classes are learned jointly or not, and not where there is no proof" {
  setup_classes
  train=(train --force --data flowers.csv --schema flowers.json --bins none --epsilon 3 --out m.json)
  fails 2 "--multiclass must be joint or one-vs-rest" "$DPERM" "${train[@]}" --multiclass both
  fails 2 "only logistic loss learns classes jointly" "$DPERM" "${train[@]}" --multiclass joint --loss huber
  run "$DPERM" "${train[@]}" --multiclass joint --analysis paper
  fails_with 2 "the paper's analysis does not cover classes that are learned jointly"
  leaves_no m.json
  "$DPERM" "${train[@]}" --loss huber 2> /dev/null
  grep -q '"multiclass": "one-vs-rest"' m.json
  sed -i 's/"multiclass": "one-vs-rest"/"multiclass": "joint"/' m.json
  run "$DPERM" verify --model m.json
  [ "$status" -eq 1 ]
  run "$DPERM" predict --model m.json --data flowers.csv
  [ "$status" -eq 1 ]
}

# The solver's last resort follows a minimizer while the width h of corners shrinks. What softmax has in
# that place is its number of classes: these records, at next to no regularization, led the walk there.
@test "records that all but coincide are learned, with next to no regularization" {
  cat > near.csv <<'R'
x0,x1,x2,y
0.3786613026322619,0.05811609995585744,0.4692082298679082,c1
0.37866128620554756,0.05811603674238224,0.4692083092878581,c1
0.3786612939638178,0.05811604601765263,0.46920831247581674,c0
0.5462317698682354,-0.23549694856967998,0.14205034555989351,c1
0.5465843767250868,-0.2355020644235893,0.1417117607382718,c2
0.37866127781843595,0.05811602458694086,0.46920829842857475,c2
0.37866128676707006,0.05811603753166909,0.46920830848475714,c2
0.37866497148850553,0.058112843765911415,0.4692101830699182,c0
R
  python3 -c 'import json
print(json.dumps({"columns": [{"name": n, "type": "numeric", "min": -1, "max": 1} for n in ("x0", "x1", "x2")],
                  "label": {"column": "y", "classes": ["c0", "c1", "c2"]}, "intercept": True, "rows": "fixed"}))' > near.json
  "$DPERM" train --force --data near.csv --schema near.json --epsilon 1 --mechanism output --lambda 1e-22 --refine none --out m.json
  "$DPERM" verify --model m.json
}
