# Numeric labels, from the schema to predictions: fits of every kind, verified; what only classes can have is
# refused in words; wrong labels are named at their place; every door gives the same model.
load helpers

# 4,000 records of two numbers, a category and a price that follows them, with errors of 40.
setup() {
  cd "$BATS_TEST_TMPDIR"
  py <<'P'
draw = random.Random(1)
with open("flats.csv", "w") as file:
    print("id,area,age,town,price", file=file)
    for i in range(4000):
        area, age, town = draw.uniform(20, 120), draw.uniform(0, 60), draw.choice("abc")
        price = 200 + 4 * area - 3 * age + 150 * (town == "a") + draw.gauss(0, 40)
        print(f"p{i % 3000},{area:.2f},{age:.1f},{town},{price:.2f}", file=file)
schema = {"label": {"column": "price", "type": "numeric", "min": 0, "max": 1000}, "columns": [
    {"name": "id", "type": "ignore"}, {"name": "area", "type": "numeric", "min": 0, "max": 200},
    {"name": "age", "type": "numeric", "min": 0, "max": 100}, {"name": "town", "type": "categorical", "values": list("abc")}]}
json.dump(schema, open("flats.json", "w"))
json.dump({**schema, "person": "id", "rows_per_person": 2}, open("persons.json", "w"))
P
}

flats=(--data flats.csv --schema flats.json)
figure() {
  "$DPERM" score --model "$1" --data flats.csv 2> /dev/null > figures
  py "$2" <<< 'print(json.load(open("figures"))[sys.argv[1]])'
}

@test "the default predicts prices on their own scale, and verify derives its claim" {
  "$DPERM" train "${flats[@]}" --epsilon 3 --seed 1 --out m.json 2> message
  grep -q 'the records were asked privately how far their labels lie apart, for .*: h = 0.*25, in halves' message
  "$DPERM" score --model m.json --data flats.csv > score.json
  "$DPERM" predict --model m.json --data flats.csv --out p.csv
  py <<'P'
m, s = json.load(open("m.json")), json.load(open("score.json"))
assert (m["classes"], m["label"], m["loss"]["name"], m["loss"]["h"] in (0.125, 0.25)) == ([], {"min": 0, "max": 1000}, "log-cosh", True)
assert s["rmse"] < 50 and s["r2"] > 0.85 and s["baseline"]["rmse"] > 130, s
low, high = s["sampling_intervals"]["rmse"]
assert low < s["rmse"] < high
lines = open("p.csv").read().split()
values = [float(v) for v in lines[1:]]
labels = [float(line.split(",")[4]) for line in open("flats.csv").read().split()[1:]]
assert lines[0] == "prediction" and all(0 <= v <= 1000 for v in values)
mean = sum((v - y) ** 2 for v, y in zip(values, labels)) / 4000
assert abs(mean ** 0.5 - s["rmse"]) < 1e-9 * s["rmse"]
P
  "$DPERM" train --force "${flats[@]}" --epsilon 3 --ledger none --out m.json 2> /dev/null
  says 0 'label: a number, clamped to a public range' "$DPERM" verify --model m.json
  "$DPERM" statement --model m.json > card.md
  "$DPERM" train --force "${flats[@]}" --epsilon 3 --delta 1e-6 --neighbours add-remove --rows-about 4000 --noise gaussian \
    --ledger none --out m.json 2> message
  grep -q 'how far their labels lie apart, for epsilon 0.0.* of that: h = 0.*[24], in halves' message
  says 0 'for this unit, cost 0.015 as the claim counts' "$DPERM" verify --model m.json
  "$DPERM" train --force "${flats[@]}" --epsilon 3 --seed 1 --out m.json 2> /dev/null
  "$DPERM" explain --model m.json > explained
  grep -q 'effects on the value of "price"' explained
  "$DPERM" explain --model m.json --json > e.json
  py <<'P'
area = next(c for c in json.load(open("e.json"))["outputs"][0]["columns"] if c["name"] == "area")
assert 700 < area["line"]["effect"] < 1100 and area["line"]["verdict"] != "grey", area # 4 each, from 0 to 200
P
}

@test "every loss, mechanism, noise and kind of neighbours is verified" {
  for how in "--loss log-cosh --h 0.2" "--loss huber-regression" "--loss quantile --quantile 0.9" "--mechanism output" \
    "--loss poisson" "--loss poisson --delta 1e-6 --bins auto" \
    "--noise l1" "--delta 1e-6" "--delta 1e-6 --loss quantile --quantile 0.2 --noise gaussian" "--bins auto" "--refine auto" \
    "--delta 1e-6 --loss huber-regression --mechanism output --noise gaussian" \
    "--neighbours add-remove --rows-about 4100" "--neighbours add-remove --rows-about 4100 --delta 1e-6 --noise gaussian" \
    "--rows-per-person 2" "--analysis paper" "--kernel gaussian --gamma 1 --features 20" "--lambda 0.01 --delta-reg 0.01"; do
    "$DPERM" train --force "${flats[@]}" --epsilon 2 $how --out m.json 2> message || { cat message; false; }
    "$DPERM" verify --model m.json > lines || { echo "$how"; grep -v ^ok lines; false; }
  done
  "$DPERM" train --force --data flats.csv --schema persons.json --epsilon 2 --out m.json 2> message
  grep -q 'from 3000 persons' message
  "$DPERM" verify --model m.json > /dev/null
  py "$(figure m.json rows)" <<< 'assert sys.argv[1] == "3000", sys.argv' # each once
  "$DPERM" plan --rows 4000 --schema flats.json --epsilon 1 > /dev/null
}

@test "a quantile is predicted, and an outlier moves no fit far" {
  "$DPERM" train "${flats[@]}" --epsilon 10 --loss quantile --quantile 0.9 --h 0.01 --seed 1 --out m.json 2> /dev/null
  py "$(figure m.json at_or_below)" <<< 'assert 0.86 < float(sys.argv[1]) < 0.94, sys.argv[1]'
  "$DPERM" train --force "${flats[@]}" --mechanism none --out m.json 2> /dev/null
  sed '2,40s/[^,]*$/1e9/' flats.csv > wild.csv # clamped, and then one of many
  "$DPERM" train --data wild.csv --schema flats.json --mechanism none --out w.json 2> /dev/null
  py "$(figure m.json rmse)" "$(figure w.json rmse)" <<< 'assert float(sys.argv[2]) < 1.05 * float(sys.argv[1]), sys.argv'
}

@test "what a file says of a regression is checked: each forgery fails" {
  "$DPERM" train "${flats[@]}" --epsilon 1 --loss quantile --quantile 0.8 --lambda 0.02 --out m.json 2> /dev/null
  for change in 'm["label"]["max"] = 2000' 'del m["label"]' 'm["loss"]["quantile"] = 0.5' 'del m["loss"]["quantile"]' \
    'm["loss"]["h"] *= 2' 'm["loss"]["name"] = "logistic"' 'm["loss"]["lipschitz"] = 0.5' 'p["beta"] *= 1.01' \
    'm["classes"] = ["no", "yes"]' 'm["schema"]["label"]["min"] = -1000' 'm["loss"]["quantile"] = 1.5'; do
    forgery_shows "$change"
  done
}

@test "an evaluation of prices is private, stated, verified and on the card" {
  evaluated() { "$DPERM" train --force "$@" --epsilon 3 --evaluate 0.5 --loss quantile --quantile 0.8 --out m.json 2> message; }
  evaluated "${flats[@]}"
  grep -q 'm.json: on 2000 rows that it was not shown, the model errs less than always saying .*: pinball loss ' message
  for change in 'rmse"]["high"] += 1' 'mae"]["value"] *= 1.1' 'r2"]["low"] -= .01' 'pinball"]["low"] -= 1' \
    'at_or_below"]["value"] = .123' 'baseline"]["pinball"] *= 2' 'baseline"]["mean"] += 1' 'baseline"]["median"] = 500' \
    'finding"] = "the best model"' 'sums"]["sums"][2] += 999999' 'sums"]["counts"][0] += 9' 'sums"]["clamped_at"] *= 2' \
    'sums"]["sums"] = []' 'epsilon"] = 2' 'rows"] = 1999' 'sums"] = None' 'confidence"] = .99'; do
    forgery_shows "m[\"evaluation\"][\"$change"
  done
  "$DPERM" statement --model m.json > card.md
  grep -q 'pinball loss' card.md
  "$DPERM" train --force "${flats[@]}" --epsilon 3 --seed 1 --loss quantile --quantile 0.8 --out m.json 2> /dev/null
  "$DPERM" score --model m.json --data flats.csv --epsilon 2 --seed 1 > s.json 2> /dev/null
  "$DPERM" score --model m.json --data flats.csv > exact.json 2> /dev/null
  py <<'P'
s, exact = json.load(open("s.json")), json.load(open("exact.json"))
for key in ("rmse", "mae", "pinball", "at_or_below", "r2"):
    f = s[key]
    assert f["low"] <= f["value"] <= f["high"] and f["high"] - f["low"] > 1e-3, (key, f)
    assert f["low"] - (f["high"] - f["low"]) < exact[key] < f["high"] + (f["high"] - f["low"]), (key, f, exact[key])
assert abs(s["baseline"]["quantile"] - exact["baseline"]["quantile"]) < 40 and s["rows"] == 4000
P
  evaluated --data flats.csv --schema persons.json
  says 0 'ok     figures: all figures and intervals follow from the sums' "$DPERM" verify --model m.json
  evaluated "${flats[@]}" --neighbours add-remove --rows-about 4000
  says 0 'ok     figures: all figures and intervals follow from the sums' "$DPERM" verify --model m.json
  py <<< 'assert json.load(open("m.json"))["evaluation"]["rows"] is None'
}

@test "a choice among regressions is by their distances, and verified" {
  for method in "split" "split --selector exponential" "stopping --rounds-mean 20"; do
    "$DPERM" tune --force "${flats[@]}" --epsilon 20 --lambda 0.003,5 --method $method --out m.json 2> message
    says 0 'selection: ' "$DPERM" verify --model m.json
    # a single round of stopping takes any candidate
    method=$method py <<< 'm = json.load(open("m.json")); assert m["selection"]["chosen"] == 0 or "stopping" in os.environ["method"]'
  done
  fails 2 'predicts another quantile than the first' "$DPERM" tune "${flats[@]}" --epsilon 20 --loss log-cosh,quantile \
    --quantile 0.9 --out x.json
  "$DPERM" tune --force "${flats[@]}" --epsilon 20 --loss log-cosh,huber-regression --out m.json 2> message
  grep -q 'chosen among 2 candidates by split' message
  "$DPERM" score --model m.json --data flats.csv | grep -q '"rmse"'
}

@test "a sweep compares regressions by how far they err, and goes on where it stopped" {
  sweep=(sweep "${flats[@]}" --loss log-cosh,quantile --quantile 0.9 --mechanism none,objective --epsilon 0.5,8 --folds 3 --draws 2)
  "$DPERM" "${sweep[@]}" --out cells.csv 2> words
  grep -q '^best by root of the mean square error: log-cosh none' words
  "$DPERM" "${sweep[@]}" --json --metric mae --html page.html > cells.json 2> /dev/null
  grep -q 'How far private models err' page.html
  "$DPERM" train --force "${flats[@]}" --mechanism none --out m.json 2> /dev/null
  py "$(figure m.json rmse)" <<'P'
rows, cells = list(csv.DictReader(open("cells.csv"))), json.load(open("cells.json"))
assert [row["loss"] for row in rows] == ["log-cosh"] * 3 + ["quantile"] * 3 and "error_mean" not in rows[0]
first = rows[0]
assert abs(float(first["rmse_mean"]) / float(sys.argv[1]) - 1) < 0.05 and float(first["baseline_rmse"]) > 130
assert all(float(row["rmse_mean"]) > 0.99 * float(first["rmse_mean"]) for row in rows)  # no noise is the best
assert float(rows[3]["mae_mean"]) > 1.2 * float(first["mae_mean"])  # of nine tenths, which is no middle
assert [round(cell["mae_mean"], 6) for cell in cells] == [float(row["mae_mean"]) for row in rows]
P
  "$DPERM" sweep "${flats[@]}" --epsilon 8 --folds 2 --draws 1 2> /dev/null | grep -q '^log-cosh,objective,auto,auto,8,'
}

@test "counts have a mean that grows by factors, and a range from 0" {
  py <<'P'
draw = random.Random(3)
with open("visits.csv", "w") as file:
    print("age,town,visits", file=file)
    for i in range(5000):
        age, town = draw.uniform(0, 100), draw.choice("abc")
        # a sum of many rare ones: nearly Poisson's law
        mean = math.exp(0.2 + 0.015 * age + 0.7 * (town == "a"))
        print(f"{age:.1f},{town},{sum(draw.random() < mean / 60 for _ in range(60))}", file=file)
json.dump({"label": {"column": "visits", "type": "numeric", "min": 0, "max": 30}, "columns": [
    {"name": "age", "type": "numeric", "min": 0, "max": 100},
    {"name": "town", "type": "categorical", "values": list("abc")}]}, open("visits.json", "w"))
P
  for loss in poisson log-cosh; do
    "$DPERM" train --data visits.csv --schema visits.json --epsilon 5 --loss $loss --seed 1 --out $loss.json 2> message
    "$DPERM" score --model $loss.json --data visits.csv > $loss.score 2> /dev/null
  done
  "$DPERM" predict --model poisson.json --data visits.csv --out p.csv
  "$DPERM" explain --model poisson.json > explained
  grep -q 'on the log of the mean of "visits"' explained
  py <<'P'
own, other = (json.load(open(name + ".score")) for name in ("poisson", "log-cosh"))
assert own["rmse"] < 0.98 * other["rmse"] and own["r2"] > 0.25, (own, other)
values = [float(line) for line in list(open("p.csv"))[1:]]
assert 0 < min(values) and max(values) <= 30 and max(values) > 3 * min(values)
P
  sed 's/"min": 0, "max": 30/"min": 1, "max": 30/' visits.json > one.json
  fails 2 'poisson is for counts, and this label begins at 1; give it a "min" of 0' \
    "$DPERM" train --data visits.csv --schema one.json --epsilon 1 --loss poisson --out x.json
  fails 2 'poisson is for counts' "$DPERM" plan --rows 5000 --schema one.json --epsilon 1 --loss poisson
  fails 2 'h does not go with this --loss' "$DPERM" train --data visits.csv --schema visits.json --epsilon 1 --loss poisson --h 0.1 --out x.json
  "$DPERM" train --data visits.csv --schema visits.json --epsilon 1 --loss poisson --out m.json 2> /dev/null
  for change in 'm["loss"]["smoothness"] = 0.5' 'm["label"]["min"] = 1' 'm["loss"]["name"] = "logistic"' 'p["beta"] *= 1.01'; do
    forgery_shows "$change"
  done
}

@test "wrong labels are named at their place, and what is for classes alone is refused" {
  sed '3s/[^,]*$/dear/' flats.csv > bad.csv
  fails 1 'bad.csv:3' "$DPERM" train --data bad.csv --schema flats.json --epsilon 1 --out x.json
  fails_with 1 'the label in column "price" is not a finite number'
  sed '3s/[^,]*$//' flats.csv > bad.csv
  fails 1 'the label in column "price" is not a finite number' "$DPERM" train --data bad.csv --schema flats.json --epsilon 1 --out x.json
  fails 2 'choose log-cosh, huber-regression, quantile or poisson' "$DPERM" train "${flats[@]}" --epsilon 1 --loss huber --out x.json
  for more in "--class-weights a=2" "--pairs 0.1" "--calibrate 0.1"; do
    fails 2 '' "$DPERM" train "${flats[@]}" --epsilon 1 $more --out x.json
  done
  fails 2 '--quantile is for --loss quantile' "$DPERM" train "${flats[@]}" --epsilon 1 --quantile 0.3 --out x.json
  fails 2 'in whole thousandths' "$DPERM" train "${flats[@]}" --epsilon 1 --loss quantile --quantile 0.12345 --out x.json
  fails 2 'the label is a number; give --metric rmse or mae' "$DPERM" sweep "${flats[@]}" --epsilon 1 --metric auc
  "$DPERM" train "${flats[@]}" --epsilon 1 --out m.json 2> /dev/null
  fails 1 'a count of errors is of classes' "$DPERM" score --model m.json --data flats.csv --epsilon 1 --error-only
  for label in '"min": 5, "max": 5' '"min": 0' '"min": 0, "max": 1e300' '"min": 0, "max": 9, "classes": ["a"]'; do
    sed "s/\"min\": 0, \"max\": 1000/$label/" flats.json > bad.json
    fails 1 'bad.json:1' "$DPERM" schema check bad.json
  done
}

@test "every door gives the same model: gzip, an encoded file, a pipe, threads" {
  "$DPERM" train "${flats[@]}" --epsilon 1 --seed 5 --out m.json 2> /dev/null
  "$DPERM" encode "${flats[@]}" --out flats.enc 2> /dev/null
  gzip -k flats.csv
  "$DPERM" train --data flats.csv.gz --schema flats.json --epsilon 1 --seed 5 --out z.json 2> /dev/null
  "$DPERM" train --data flats.enc --schema flats.json --epsilon 1 --seed 5 --out e.json 2> /dev/null
  "$DPERM" train --data - --schema flats.json --epsilon 1 --seed 5 --out p.json < flats.csv 2> /dev/null
  "$DPERM" train "${flats[@]}" --epsilon 1 --seed 5 --threads 3 --out t.json 2> /dev/null
  for other in z e p t; do cmp m.json $other.json; done
}
