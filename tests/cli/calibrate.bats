# --calibrate: a share of epsilon for the temperature of probabilities, from the command line to model,
# predictions, verification, statement, plan and ledger; what is refused, and before what is paid.
load helpers

people=(--data people.csv --schema schema.json --refine none)

part() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["calibration"][sys.argv[2]])' "$1" "$2"; }

three() { # of three classes
  sed -i 's/"positive": \["yes"\], "negative": \["no"\]/"classes": ["no", "yes", "other"]/' schema.json
}

@test "a calibrated model states its temperature, verifies, and says what it cost" {
  for how in "--mechanism objective" "--mechanism output" "--noise gaussian --delta 1e-6" "--rows-per-person 3" \
    "--neighbours add-remove --rows-about 100" "--class-weights yes=3" "--kernel gaussian --gamma 1 --features 8"; do
    "$DPERM" train --force "${people[@]}" --epsilon 2 --calibrate 0.25 $how --out m.json 2> message
    grep -q '(epsilon, delta) = (2, ' message
    grep -q 'm.json: epsilon 0.5 of that was spent on calibrating probabilities: scores times ' message
    [ "$(part m.json epsilon)" = 0.5 ]
    [ "$(part m.json grid)" = "[-8, 24]" ]
    "$DPERM" verify --model m.json > lines
    grep -qE '^ok     calibration: inverse temperature .* for 0.5; with . epsilon_row and all other shares that = (2|1\.9.*) <= epsilon = 2$' lines
  done
  "$DPERM" statement --model m.json > page
  grep -q "| of that | ε = 0.5 to calibrate the model's probabilities: those of its scores times " page
  three
  "$DPERM" train --force "${people[@]}" --epsilon 2 --calibrate 0.25 --out m.json 2> /dev/null
  "$DPERM" verify --model m.json | grep -q '^ok     calibration: '
}

@test "nothing is there without the option, and its seed gives the same model" {
  "$DPERM" train --force "${people[@]}" --epsilon 1 --seed 3 --out m.json 2> /dev/null
  "$DPERM" train --force "${people[@]}" --epsilon 1 --seed 3 --calibrate none --out n.json 2> /dev/null
  cmp m.json n.json
  ! grep -q calibration m.json
  ! "$DPERM" verify --model m.json | grep -q calibration
}

@test "probabilities are those of scores times the number; predictions and scores are not touched" {
  for classes in 2 3; do
    [ $classes -eq 2 ] || three
    "$DPERM" train --force "${people[@]}" --epsilon 3 --seed 5 --calibrate 0.5 --out m.json 2> /dev/null
    "$DPERM" predict --model m.json --data people.csv --out p.csv 2> /dev/null
    "$DPERM" score --model m.json --data people.csv --json > s.json 2> /dev/null
    py <<'P'
model = json.load(open("m.json"))
b = model["calibration"]["inverse_temperature"]
assert b == 2 ** (model["calibration"]["quarter_octaves"] / 4)
rows = list(csv.DictReader(open("p.csv")))
if len(model["classes"]) == 2:
    for row in rows:
        p = 1 / (1 + math.exp(-b * float(row["score"])))
        assert abs(p - float(row["probability"])) < 1e-12
        assert (row["prediction"] == model["classes"][1]) == (float(row["score"]) > 0)
    truth = [r["rich"] for r in csv.DictReader(open("people.csv"))]
    loss = -sum(math.log(float(r["probability"]) if t == model["classes"][1] else 1 - float(r["probability"]))
                for r, t in zip(rows, truth)) / len(rows)
    assert abs(loss - json.load(open("s.json"))["log_loss"]) < 1e-9
else:
    assert all(1 / 3 <= float(row["probability"]) < 1 for row in rows)
P
  done
}

@test "the whole epsilon is charged once, and the price by an order covers the choice" {
  "$DPERM" ledger init l.db --dataset people --epsilon 9 --delta 1e-4 --composition renyi 2> /dev/null
  for noise in "--noise gaussian --delta 1e-8" ""; do
    "$DPERM" train --force "${people[@]}" $noise --epsilon 0.5 --calibrate 0.2 --out m.json --ledger l.db --dataset people 2> message
    grep -q 'charged epsilon 0.5 and ' message
    "$DPERM" verify --model m.json --ledger l.db > lines
    grep -q '^ok     price: ' lines
  done
  "$DPERM" ledger verify l.db > /dev/null 2>&1
  "$DPERM" train --force "${people[@]}" --epsilon 0.5 --calibrate 0.2 --dry-run --out n.json --ledger l.db --dataset people > message 2>&1
  leaves_no n.json
  grep -q 'epsilon 0.5' message
}

@test "a refinement and a temperature share one epsilon" {
  for how in auto 0.2 ask; do
    "$DPERM" train --force --data people.csv --schema schema.json --refine $how --epsilon 20 --calibrate 0.1 --out m.json 2> message
    grep -q '(epsilon, delta) = (20, ' message
    "$DPERM" verify --model m.json > lines
    grep -q '^ok     calibration: ' lines
    [ "$(part m.json epsilon)" = 2.0 ]
  done
  "$DPERM" refine --force --data people.csv --schema schema.json --epsilon 5 --fit-epsilon 20 --out refined.json 2> /dev/null
  "$DPERM" train --force --data people.csv --schema refined.json --epsilon 1 --calibrate 0.1 --out m.json 2> message
  grep -q '(epsilon, delta) = (6, ' message
  "$DPERM" statement --model m.json | grep -q '| of that | ε = 5 for the schema: .*; the rest is for what follows |'
  "$DPERM" verify --model m.json | grep -q '^ok     calibration: .* epsilon_row and all other shares that = .* <= epsilon = 6$'
}

@test "a plan shows the share, for nothing" {
  "$DPERM" plan --rows 50000 --dims 5 --epsilon 1 --calibrate 0.05 > plan
  grep -q '^epsilon to calibrate 0.05 ' plan
  "$DPERM" plan --rows 50000 --dims 5 --epsilon 1 --calibrate 0.05 --json > plan.json
  python3 -c 'import json; p = json.load(open("plan.json")); assert p["epsilon_calibrated"] == 0.05 and p["epsilon_row"] <= 0.95 and p["epsilon"] == 1'
  "$DPERM" plan --rows 200 --dims 5 --epsilon 1 --calibrate 0.05 2> message > /dev/null
  grep -q 'warning: calibration has an epsilon of 0.05, and 200 rows are too few for it' message
  run "$DPERM" plan --rows 100 --dims 3 --epsilon 1 --calibrate 1e-300 # refused in one line: no warning first
  fails_with 2 "give it a larger share"
  fails 2 "give it a larger share" "$DPERM" train --force "${people[@]}" --epsilon 1 --calibrate 1e-300 --out m.json
}

@test "auto calibrates where there are few records for each weight, and else spends nothing" {
  for how in "3000 40 1 0.05" "3000 5 1 0" "1900 40 1 0" "5000 40 1 0" "30000 40 0.1 0.005" "1500 40 1 0.05 --neighbours add-remove --rows-about 1500"; do
    set -- $how
    "$DPERM" plan --rows $1 --dims $2 --epsilon $3 --calibrate auto --json "${@:5}" > plan.json
    python3 -c 'import json, sys; p = json.load(open("plan.json"))["epsilon_calibrated"]; assert abs(p - float(sys.argv[1])) < 1e-9, (p, sys.argv)' $4
  done
  "$DPERM" plan --rows 3000 --dims 40 --epsilon 1 --loss huber --calibrate auto --json | grep -q '"epsilon_calibrated": 0'
  "$DPERM" train --force "${people[@]}" --epsilon 2 --seed 1 --calibrate auto --out m.json 2> message
  grep -q "^m.json: nothing was spent for calibrating probabilities: it would not pay here" message
  "$DPERM" train --force "${people[@]}" --epsilon 2 --seed 1 --out n.json 2> /dev/null
  cmp <(grep -o '"weights".*' m.json) <(grep -o '"weights".*' n.json)
  py <<'P'
draw = random.Random(1)
columns = [{"name": f"c{i}", "type": "numeric", "min": 0, "max": 1} for i in range(40)]
json.dump({"columns": columns, "label": {"column": "y", "positive": ["yes"], "negative": ["no"]}}, open("wide.json", "w"))
with open("wide.csv", "w") as out:
    print(*(c["name"] for c in columns), "y", sep=",", file=out)
    for i in range(300):
        print(*(draw.random() for _ in columns), "yes" if i % 2 else "no", sep=",", file=out)
P
  "$DPERM" train --force --data wide.csv --schema wide.json --epsilon 10 --calibrate auto --out k.json 2> message
  grep -q "epsilon 0.5 of that was spent on calibrating probabilities" message
  "$DPERM" verify --model k.json > /dev/null
  fails 2 "--calibrate must be a share above 0 and below 1, auto or none, not \"much\"" "$DPERM" train --force "${people[@]}" --epsilon 2 --calibrate much --out x.json
}

@test "shares that leave nothing to the fit are named, and the remedy, by plan and train alike" {
  for command in "plan --rows 120" "train --data people.csv --out m.json"; do
    run "$DPERM" $command --schema schema.json --epsilon 30 --refine 0.6 --calibrate 0.6
    fails_with 2 "the shares of refine and calibrate leave an epsilon of -6 for the fit, which is too little; give smaller ones"
    run "$DPERM" $command --schema schema.json --epsilon 30 --refine 0.6 --calibrate 0.4
    fails_with 2 "the shares of refine and calibrate leave an epsilon of "
    run "$DPERM" $command --schema schema.json --epsilon 30 --calibrate 0.97
    fails_with 2 "the shares of asking for bins (bins none asks nothing) and calibrate leave an epsilon of "
    leaves_no m.json
  done
  "$DPERM" plan --rows 120 --schema schema.json --epsilon 30 --calibrate 0.97 --refine none > /dev/null
}

@test "what cannot be calibrated is refused by name, before the charge" {
  "$DPERM" ledger init l.db --dataset people --epsilon 1 2> /dev/null
  refuses() { # status, text, options
    expected=$1 text=$2
    shift 2
    run "$DPERM" train --force "${people[@]}" --out m.json --ledger l.db --dataset people "$@"
    [ "$status" -eq "$expected" ]
    [[ "${lines[-1]}" == "dperm: "*"$text"* ]] || { echo "$output"; return 1; }
    leaves_no m.json
  }
  for word in 0 1 -0.5 much nan; do
    refuses 2 "--calibrate must be a share above 0 and below 1, auto or none" --epsilon 0.1 --calibrate $word
  done
  refuses 2 "only logistic loss has; with huber leave it out" --epsilon 0.1 --loss huber --calibrate 0.1
  [ "${#lines[@]}" -eq 1 ]
  refuses 2 "give it a larger share" --epsilon 0.1 --calibrate 1e-14
  run "$DPERM" train --force "${people[@]}" --mechanism none --calibrate 0.1 --out m.json
  fails_with 2 "--calibrate does not go with --mechanism none"
  for command in tune sweep; do
    run "$DPERM" $command --data people.csv --schema schema.json --epsilon 1 --calibrate 0.1 --out m.json
    fails_with 2 "--calibrate has a share of its own in train alone; leave it out"
  done
  three
  refuses 2 "with one-vs-rest leave it out" --epsilon 0.1 --multiclass one-vs-rest --calibrate 0.1
  "$DPERM" ledger show l.db --json > shown 2> /dev/null || "$DPERM" ledger show l.db > shown
  ! grep -q '"train"' shown
}

@test "a file whose claim leaves the choice out, or whose number is none of the grid, is found" {
  "$DPERM" train --force "${people[@]}" --epsilon 1 --calibrate 0.2 --out model.json 2> /dev/null
  for edit in 'm["calibration"]["epsilon"] = 0.21' 'm["calibration"]["inverse_temperature"] *= 1.01' \
    'm["calibration"]["grid"] = [-8, 40]' 'm["calibration"]["quarter_octaves"] += 1' 'm["privacy"]["epsilon"] = 0.99'; do
    change "$edit"
    run "$DPERM" verify --model changed.json
    [ "$status" -eq 1 ]
    [[ "$output" == *"FAILS  calibration: "* ]] || { echo "$edit: $output"; return 1; }
  done
}

@test "with neighbours add-remove a model of one record more differs in nothing but weights and what was chosen" {
  (cat people.csv; echo 50,judge,yes) > more.csv
  for data in people more; do
    "$DPERM" train --force --data $data.csv --schema schema.json --refine none --epsilon 2 --calibrate 0.25 --neighbours add-remove \
      --rows-about 100 --seed 4 --out $data.json 2> $data.message
    sed -i "s/$data.json/model/; s/times .*/times b/" $data.message
  done
  diff people.message more.message
  py <<'P'
def public(path):
    m = json.load(open(path))
    del m["weights"], m["digest"], m["calibration"]["inverse_temperature"], m["calibration"]["quarter_octaves"]
    return m
assert public("people.json") == public("more.json")
P
}
