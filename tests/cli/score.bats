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
assert set(s) == {"finding", "confidence", "rows", "errors", "error_rate", "baseline", "difference", "false_positives",
                  "false_negatives", "auc", "log_loss", "precision", "recall", "roc", "calibration", "groups",
                  "sampling_intervals"} and list(s)[0] == "finding", list(s)
for name, (low, high) in s["sampling_intervals"].items():
    value = s[name]["error_rate"] if name == "baseline" else s[name]
    assert low <= value <= high, name
assert abs(s["difference"] - (s["error_rate"] - s["baseline"]["error_rate"])) < 1e-12
hits = sum(a > 0 and b for a, b in zip(p, y))
assert (s["precision"], s["recall"]) == (hits / sum(a > 0 for a in p), hits / sum(y)) and s["groups"] is None
at = s["roc"]["threshold"].index(0.5)
assert (s["roc"]["true_positive_rate"][at], s["roc"]["precision"][at]) == (s["recall"], s["precision"])
assert sum(s["calibration"]["records"]) == 120
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
  grep -q 'the model is no better than always saying "yes": error 0\.[0-9]*, against 0\.0' words
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
  "$DPERM" score --model model.json --data people.csv --epsilon 1 --error-only --public-model > private.json 2> message
  [ "$(cat message)" = "no ledger: nothing counts this epsilon against a budget; see 'dperm help ledger'" ]
  "$DPERM" score --model model.json --data people.csv --epsilon 100000 --counts --public-model > counts.json 2> /dev/null
  "$DPERM" score --model model.json --data people.csv --epsilon 2 --error-only --rows-per-person 4 --seed 3 --public-model > seeded.json 2> message
  [ ! -s message ]
  "$DPERM" score --model model.json --data people.csv --epsilon 0.5 --error-only --seed 3 --public-model > same.json
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

# The schema with another column for groups, and who is not of a listed one.
grouped() {
  awk -F, 'NR == 1 {print $0 ",town"; next} {print $0 "," (NR % 3 == 0 ? "north" : NR % 3 == 1 ? "south" : NR % 2 ? "" : "elsewhere")}' \
    people.csv > towns.csv
  sed 's/"columns": *\[/"group": "town", "columns": [{"name": "town", "type": "group", "values": ["north", "south"]}, /' \
    schema.json > towns.json
}

@test "an evaluation with hardly any noise has the exact figures, and those of groups" {
  grouped
  train_none towns.csv towns.json model.json
  train_none people.csv schema.json plain.json
  cmp <("$DPERM" predict --model model.json --data people.csv) <("$DPERM" predict --model plain.json --data people.csv)
  "$DPERM" score --model model.json --data towns.csv > exact.json
  "$DPERM" score --model model.json --data towns.csv --epsilon 90000 --public-model > private.json 2> /dev/null
  "$DPERM" predict --model model.json --data towns.csv --out p.csv
  py <<'P'
exact, e = (json.load(open(n + ".json")) for n in ("exact", "private"))
records = list(csv.DictReader(open("towns.csv")))
said = [r["prediction"] for r in csv.DictReader(open("p.csv"))]
assert e["private"] is True and e["epsilon"] == 90000 and e["delta"] == 0 and e["intervals"] == "noise and sampling"
for name in ("errors", "false_positives", "false_negatives", "rows"):
    assert e[name] == exact[name], name
for name in ("error_rate", "difference", "precision", "recall"):
    low, high = exact["sampling_intervals"][name]
    assert e[name]["value"] == exact[name] and abs(e[name]["low"] - low) + abs(e[name]["high"] - high) < 1e-9, name
assert abs(e["auc"]["value"] - exact["auc"]) < 0.01 and abs(e["log_loss"]["value"] - exact["log_loss"]) < 0.01
assert {k: e["baseline"][k] for k in ("class", "error_rate")} == exact["baseline"]
for found in (e, exact):
    assert found["groups"]["column"] == "town"
    for g in found["groups"]["rates"]:
        of = [(s, r["rich"]) for s, r in zip(said, records) if r["town"] == g["name"] or
              (g["name"] == "(other)" and r["town"] not in ("north", "south"))]
        assert len(of) > 10 and g["records"] == len(of)
        share = lambda some, all: len(some) / len(all) if all else None
        negative, positive = ([p for p in of if p[1] == y] for y in ("no", "yes"))
        assert g["error_rate"]["value"] == share([p for p in of if p[0] != p[1]], of)
        assert g["positive_rate"]["value"] == share(positive, of)
        assert g["false_positive_rate"]["value"] == share([p for p in negative if p[0] == "yes"], negative)
        assert g["false_negative_rate"]["value"] == share([p for p in positive if p[0] == "no"], positive)
        assert all(g[k]["low"] <= g[k]["value"] <= g[k]["high"] for k in g if k.endswith("rate") and g[k]["value"] is not None)
P
}

@test "an evaluation in a ledger has the digest of all that was released" {
  grouped
  "$DPERM" ledger init l.db --dataset people --epsilon 9 2> /dev/null
  "$DPERM" train --force --data towns.csv --schema towns.json --epsilon 1 --out m.json --ledger l.db --dataset people 2> /dev/null
  "$DPERM" score --model m.json --data towns.csv --epsilon 2 --ledger l.db --dataset people > e.json 2> words
  grep -q 'charged epsilon 2 ' words
  "$DPERM" ledger show l.db --json > shown.json
  py <<'P'
e, entry = json.load(open("e.json")), json.load(open("shown.json"))["entries"][-1]
numbers = [e["rows"], *("%.17g" % end for end in e["cells"]["ends"]), *(n for row in e["cells"]["counts"] for n in row)]
numbers += [n for g in e["groups"]["rates"] for row in g["counts"] for n in row]
text = "dperm-evaluation/1\n" + "".join(f"{n}\n" for n in numbers)
assert entry["artifact"] == hashlib.blake2b(text.encode(), digest_size=32).hexdigest()
assert (entry["mechanism"], entry["epsilon"], e["ledger"]["id"]) == ("discrete laplace, cells", "2", entry["entry"])
P
}

@test "a private score needs a number of rows that is public" {
  train_none
  sed 's/"missing"/"on_missing": "drop", "missing"/' schema.json > drop.json
  train_none people.csv drop.json dropping.json
  fails 1 "the schema drops rows with missing values" "$DPERM" score --model dropping.json --data people.csv --epsilon 1
  fails 2 "go with --epsilon" "$DPERM" score --model model.json --data people.csv --counts
  fails 2 "go with --epsilon" "$DPERM" score --model model.json --data people.csv --error-only
  fails 2 "spend epsilon differently" "$DPERM" score --model model.json --data people.csv --epsilon 1 --counts --error-only
  fails 2 "leaves less than 1e-12" "$DPERM" score --model model.json --data people.csv --epsilon 1e-11
  fails 2 "--epsilon must be a positive number" "$DPERM" score --model model.json --data people.csv --epsilon 0
  fails 2 "epsilon = 1e-14" "$DPERM" score --model model.json --data people.csv --epsilon 1e-14
}

@test "a count of errors is refused to a model of numbers" {
  awk -F, 'NR == 1 {print "age,job"; next} {print $1 "," $2}' people.csv > ages.csv
  cat > ages.json <<'S'
{"label": {"column": "age", "type": "numeric", "min": 0, "max": 100},
 "columns": [{"name": "job", "type": "categorical", "values": ["farmer", "nurse", "judge"]}]}
S
  "$DPERM" train --data ages.csv --schema ages.json --epsilon 1 --out ages.model 2> /dev/null
  for how in --error-only --counts; do
    fails 1 "the model predicts numbers" "$DPERM" score --model ages.model --data ages.csv --epsilon 1 $how
  done
}
