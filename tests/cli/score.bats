# dperm score: good and bad input.
load helpers

@test "score counts as a naive count does" {
  train_none
  "$DPERM" score --model model.json --data people.csv > score.json
  "$DPERM" predict --model model.json --data people.csv --out p.csv
  python3 - <<'P'
import csv, json, math
s = json.load(open("score.json"))
y = [r["rich"] == "yes" for r in csv.DictReader(open("people.csv"))]
p = [float(r["score"]) for r in csv.DictReader(open("p.csv"))]
fp = sum(a > 0 and not b for a, b in zip(p, y))
fn = sum(a <= 0 and b for a, b in zip(p, y))
assert list(s) == ["rows", "errors", "error_rate", "false_positives", "false_negatives", "auc", "log_loss"]
assert (s["rows"], s["errors"], s["false_positives"], s["false_negatives"]) == (120, fp + fn, fp, fn)
assert abs(s["error_rate"] - (fp + fn) / 120) < 1e-15
pairs = [(a > b) + 0.5 * (a == b) for a, u in zip(p, y) if u for b, v in zip(p, y) if not v]
assert abs(s["auc"] - sum(pairs) / len(pairs)) < 1e-12
ll = sum(math.log1p(math.exp(-(1 if u else -1) * a)) for a, u in zip(p, y)) / 120
assert abs(s["log_loss"] - ll) < 1e-12
P
}

@test "log loss is null for hinges, auc is null with one class" {
  "$DPERM" train --data people.csv --schema schema.json --mechanism none --loss huber \
    --out model.json 2> /dev/null
  grep -v ',yes$' people.csv > noes.csv
  run "$DPERM" score --model model.json --data noes.csv
  [[ "$output" == *'"auc": null'* && "$output" == *'"log_loss": null'* ]]
}

@test "labels are needed, and must be known" {
  train_none
  cut -d, -f1,2 people.csv > unlabelled.csv
  run "$DPERM" score --model model.json --data unlabelled.csv
  fails_with 1 "no label column"
  printf 'age,job,rich\n30,nurse,maybe\n' > bad.csv
  run "$DPERM" score --model model.json --data bad.csv
  fails_with 1 "bad.csv:2:10: the label"
}

@test "wrong usage" {
  run "$DPERM" score --model model.json
  fails_with 2 "--data is missing"
  run "$DPERM" score --model none.json --data people.csv
  fails_with 1 "none.json: cannot open"
}
