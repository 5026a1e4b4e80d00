# dperm score: good and bad input.
load helpers

@test "score counts as a naive count does" {
  train_none
  "$DPERM" score --model model.json --data people.csv > score.json
  "$DPERM" predict --model model.json --data people.csv --out p.csv
  py <<'P'
s = json.load(open("score.json"))
y = [r["rich"] == "yes" for r in csv.DictReader(open("people.csv"))]
p = [float(r["score"]) for r in csv.DictReader(open("p.csv"))]
fp = sum(a > 0 and not b for a, b in zip(p, y))
fn = sum(a <= 0 and b for a, b in zip(p, y))
assert list(s) == ["rows", "errors", "error_rate", "baseline", "false_positives", "false_negatives", "auc", "log_loss"]
assert (s["rows"], s["errors"], s["false_positives"], s["false_negatives"]) == (120, fp + fn, fp, fn)
assert abs(s["error_rate"] - (fp + fn) / 120) < 1e-15
pairs = [(a > b) + 0.5 * (a == b) for a, u in zip(p, y) if u for b, v in zip(p, y) if not v]
assert abs(s["auc"] - sum(pairs) / len(pairs)) < 1e-12
ll = sum(math.log1p(math.exp(-(1 if u else -1) * a)) for a, u in zip(p, y)) / 120
assert abs(s["log_loss"] - ll) < 1e-12
often = max((False, True), key=y.count)
assert s["baseline"] == {"class": "yes" if often else "no", "error_rate": (120 - y.count(often)) / 120}, s
P
}

@test "a model that is no better than the most frequent class is said to be so" {
  train_none
  { head -1 people.csv && grep ',yes$' people.csv && grep -m 1 ',no$' people.csv; } > mostly.csv
  "$DPERM" score --model model.json --data people.csv 2> words > /dev/null
  [ ! -s words ]
  "$DPERM" score --model model.json --data mostly.csv 2> words | grep -q '"class": "yes"'
  grep -q 'the model is no better than always saying "yes", which is wrong for 0\.0' words
  "$DPERM" score --model model.json --data mostly.csv -q 2> words > /dev/null
  [ ! -s words ]
}

@test "labels are needed, and must be known" {
  train_none
  cut -d, -f1,2 people.csv > unlabelled.csv
  fails 1 "no label column" "$DPERM" score --model model.json --data unlabelled.csv
  printf 'age,job,rich\n30,nurse,maybe\n' > bad.csv
  fails 1 "bad.csv:2:10: the label" "$DPERM" score --model model.json --data bad.csv
}

@test "a private score has noise, intervals and a budget" {
  train_none
  "$DPERM" score --model model.json --data people.csv > exact.json
  "$DPERM" score --model model.json --data people.csv --epsilon 1 --public-model > private.json 2> message
  [ "$(cat message)" = "no ledger: nothing counts this epsilon against a budget; see 'dperm help ledger'" ]
  "$DPERM" score --model model.json --data people.csv --epsilon 100000 --counts --public-model > counts.json 2> /dev/null
  "$DPERM" score --model model.json --data people.csv --epsilon 2 --rows-per-person 4 --seed 3 --public-model > seeded.json 2> message
  [ ! -s message ]
  "$DPERM" score --model model.json --data people.csv --epsilon 0.5 --seed 3 --public-model > same.json
  py <<'P'
exact, p, c, s, t = (json.load(open(n + ".json")) for n in ("exact", "private", "counts", "seeded", "same"))
keys = ["private", "epsilon", "delta", "rows_per_person", "neighbours", "rows", "errors", "error_rate", "interval",
        "population_interval", "confidence"]
assert list(p) == keys + ["ledger"], list(p)
assert list(c) == keys + ["true_positives", "false_positives", "false_negatives", "true_negatives", "baseline", "ledger"]
assert p["private"] is True and p["rows"] == 120 and p["ledger"] is None and p["confidence"] == 0.95
for q in (p, t):  # whatever was drawn
    assert q["error_rate"] == min(max(q["errors"] / 120, 0), 1)
    low, high = q["interval"]
    assert 0 <= low <= q["error_rate"] <= high <= 1
    assert q["population_interval"][0] <= low and high <= q["population_interval"][1]
reach = 6  # the least with P(|Y| > reach) <= 0.05 at epsilon 0.5
assert t["interval"] == [(t["errors"] - reach) / 120, (t["errors"] + reach) / 120], t
assert (c["false_positives"], c["false_negatives"]) == (exact["false_positives"], exact["false_negatives"])
assert c["errors"] == exact["errors"] and sum(c[k] for k in list(c)[11:15]) == 120
assert c["baseline"] == {**exact["baseline"], "interval": [exact["baseline"]["error_rate"]] * 2}, c
assert p["delta"] == 0  # integers only
assert s["private"] is False and s["rows_per_person"] == 4
assert (s["errors"], s["interval"]) == (t["errors"], t["interval"])
P
}

@test "a private score needs a number of rows that is public" {
  train_none
  sed 's/"missing"/"on_missing": "drop", "missing"/' schema.json > drop.json
  train_none people.csv drop.json dropping.json
  fails 1 "the schema drops rows with missing values" "$DPERM" score --model dropping.json --data people.csv --epsilon 1
  fails 2 "go with --epsilon" "$DPERM" score --model model.json --data people.csv --counts
  fails 2 "--epsilon must be a positive number" "$DPERM" score --model model.json --data people.csv --epsilon 0
  fails 2 "epsilon = 1e-14" "$DPERM" score --model model.json --data people.csv --epsilon 1e-14
}
