# --pairs: a share of epsilon for what two columns say only together, from the command line to schema, model,
# predictions, verification, statement, plan and ledger; what is refused, and before what is paid.
load helpers

# Runs without a seed that expect the pair miss it once in e^60: its residuals are 200 scales of the noise ahead.
# 4,000 records whose label is 1 where exactly one of two columns is high, one a number and one a category.
setup() {
  cd "$BATS_TEST_TMPDIR"
  python3 - <<'P'
import json, random
draw = random.Random(1)
with open("xor.csv", "w") as file:
    print("a,b,c,y", file=file)
    for i in range(4000):
        a, b, c = draw.uniform(0, 10), draw.choice(["low", "high", "none"]), draw.uniform(0, 1)
        y = ((a > 5) != (b == "high")) if draw.random() < 0.95 else draw.random() < 0.5
        print(f"{a:.3f},{b},{c:.3f},{int(y)}", file=file)
numeric = lambda name, high: {"name": name, "type": "numeric", "min": 0, "max": high}
json.dump({"label": {"column": "y", "positive": ["1"], "negative": ["0"]}, "intercept": True,
           "columns": [numeric("a", 10), {"name": "b", "type": "categorical", "values": ["low", "high", "none"]},
                       numeric("c", 1)]}, open("xor.json", "w"))
P
}

xor=(--data xor.csv --schema xor.json)

error_of() { "$DPERM" score --model "$1" --data xor.csv --ledger none --json 2> /dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["error_rate"])'; }

below() { python3 -c 'import sys; sys.exit(not float(sys.argv[1]) < float(sys.argv[2]))' "$1" "$2"; }

@test "tune and sweep look for a pair as train does, and random stopping for none" {
  head -3001 xor.csv > some.csv
  { head -1 xor.csv && tail -1000 xor.csv; } > others.csv
  tune=("$DPERM" tune --force --data some.csv --schema xor.json --epsilon 24 --lambda auto,0.001 --out m.json)
  for how in "" "--method public --public-data others.csv" "--neighbours add-remove --rows-about 3000" "--loss logistic,huber"; do
    "${tune[@]}" $how --seed 3 2> message
    grep -q 'm.json: epsilon .* of that was spent on what two columns say only together: a\*b' message
    below "$(error_of m.json)" 0.2
    "${tune[@]}" $how 2> /dev/null
    "$DPERM" verify --model m.json | grep -q 'ok     pairs: '
    "$DPERM" statement --model m.json > /dev/null
  done
  "${tune[@]}" --method stopping 2> message
  ! grep -q 'only together' message
  ! grep -q after_fit m.json
  python3 - <<'P'
import json
m = json.load(open("m.json")) # a model of rounds that states a share for pairs
m["pairs"] = {"epsilon": 0.5, "pair": None}
json.dump(m, open("forged.json", "w"))
P
  ! "$DPERM" verify --model forged.json > /dev/null 2>&1
  below "$("$DPERM" sweep "${xor[@]}" --epsilon 12 --folds 2 --draws 2 2> /dev/null | tail -1 | cut -d, -f6)" 0.2
}

@test "two columns that say nothing alone are found, by every loss, noise and kind of neighbours" {
  for how in "" "--loss huber" "--loss smooth-hinge --bins none" "--mechanism output" "--delta 1e-6" "--rows-per-person 2" \
    "--neighbours add-remove --rows-about 4000" "--class-weights 1=2" "--refine none" "--refine auto"; do
    "$DPERM" train --force "${xor[@]}" --epsilon 12 $how --pairs 0.2 --seed 3 --out m.json 2> message
    grep -q 'm.json: epsilon 2.4 of that was spent on what two columns say only together: a\*b' message
    below "$(error_of m.json)" 0.2
    "$DPERM" train --force "${xor[@]}" --epsilon 12 $how --pairs none --seed 3 --out m.json 2> /dev/null
    below 0.24 "$(error_of m.json)"
    ! grep -q after_fit m.json
    "$DPERM" train --force "${xor[@]}" --epsilon 12 $how --pairs 0.2 --out m.json 2> /dev/null
    "$DPERM" verify --model m.json > lines
    grep -q '^ok     pairs: .*, with a table of [0-9]* cells after the fit for 2.4[0-9]*; with . epsilon_row and all other shares' lines
    grep -q '^ok     weights: ' lines
  done
}

@test "the default spends 1800/rows where that is a small part, and nothing else is changed" {
  "$DPERM" plan --rows 4000 --schema xor.json --epsilon 4 --json > plan.json
  "$DPERM" train --force "${xor[@]}" --epsilon 4 --seed 5 --json --out m.json > report.json 2> /dev/null
  "$DPERM" train --force "${xor[@]}" --epsilon 4 --seed 5 --pairs auto --out n.json 2> /dev/null
  cmp m.json n.json
  py <<'P'
plan, report, model = (json.load(open(f)) for f in ("plan.json", "report.json", "m.json"))
assert abs(plan["epsilon_pairs"] - 0.45) < 1e-12 and report["epsilon_pairs"] == plan["epsilon_pairs"] == model["pairs"]["epsilon"]
assert report["pair"] == model["pairs"]["pair"] == "a*b"
cross = model["schema"]["crosses"][-1]
assert cross == {"columns": ["a", "b"], "after_fit": True}, cross
assert len(model["weights"]) == model["encoding"]["dims"] == report["weights"]
P
  "$DPERM" train --force "${xor[@]}" --epsilon 4 --out m.json 2> /dev/null
  "$DPERM" statement --model m.json | tr '\n' ' ' | tr -s ' ' | grep -q 'ε = 0.45 for what two columns say only together, a table of cells: [abc].\*[abc] '
  "$DPERM" plan --rows 4000 --schema xor.json --epsilon 4 | tr '\n' ' ' | tr -s ' ' | grep -q 'for what two columns say only together'
  for how in "--epsilon 2.9" "--epsilon 4 --bins none" "--epsilon 4 --refine none" "--epsilon 4 --calibrate 0.05" \
    "--epsilon 4 --kernel gaussian --gamma 1 --features 8" "--epsilon 31" "--epsilon 5.8 --rows-per-person 2"; do
    "$DPERM" plan --rows 4000 --schema xor.json $how --json | grep -q '"epsilon_pairs": 0[,.]'
  done
  "$DPERM" plan --rows 4000 --schema xor.json --epsilon 2 --neighbours add-remove --json 2> /dev/null > plan.json ||
    "$DPERM" plan --schema xor.json --epsilon 2 --neighbours add-remove --rows-about 4000 --json > plan.json
  py <<'P'
assert abs(json.load(open("plan.json"))["epsilon_pairs"] - 0.225) < 1e-12
P
}

@test "scores have the cell's weight, wherever the records come from" {
  "$DPERM" train --force "${xor[@]}" --epsilon 6 --seed 2 --out m.json 2> /dev/null
  "$DPERM" predict --model m.json --data xor.csv --out p.csv 2> /dev/null
  "$DPERM" encode --data xor.csv --schema xor.json --out xor.dperm 2> /dev/null
  gzip -k xor.csv
  for from in xor.dperm xor.csv.gz; do
    "$DPERM" predict --model m.json --data $from --out q.csv 2> /dev/null
    cmp p.csv q.csv
    rm q.csv
    "$DPERM" train --force --data $from --schema xor.json --epsilon 6 --seed 2 --threads 1 --out n.json 2> /dev/null
    cmp <(grep -o '"weights.*' m.json) <(grep -o '"weights.*' n.json)
  done
  mv m.json model.json
  change 'm["weights"][-13:-1] = [0] * 12'
  printf '1,,0.5,1\n1,unknown,0.5,1\n' >> xor.csv # in no cell
  "$DPERM" predict --model model.json --data xor.csv --out with.csv 2> /dev/null
  "$DPERM" predict --model changed.json --data xor.csv --out without.csv 2> /dev/null
  py <<'P'
import bisect
model = json.load(open("model.json"))
table, bins = model["weights"][-13:-1], model["schema"]["columns"][0].get("bins", [2.5, 5, 7.5])
assert any(table) and all(w * 1024 == int(w * 1024) and abs(w) <= 2 for w in table)
for row, plus, minus in zip(*(csv.DictReader(open(f)) for f in ("xor.csv", "with.csv", "without.csv"))):
    part, parts = bisect.bisect_right(bins, float(row["a"])), len(bins) + 1
    part = part if parts <= 5 else part * 4 // parts
    known = row["b"] in ("low", "high", "none")
    cell = table[part * 3 + ("low", "high", "none").index(row["b"])] if known else 0
    assert abs(float(plus["score"]) - float(minus["score"]) - cell) < 1e-12, (row, cell)
P
}

@test "a model whose pair was edited does not verify, and a schema with a pair is no schema for a fit" {
  "$DPERM" train --force "${xor[@]}" --epsilon 4 --out model.json 2> /dev/null
  "$DPERM" verify --model model.json > /dev/null
  for edit in 'm["pairs"]["epsilon"] = 0.46' 'm["pairs"]["pair"] = "a*c"' 'm["pairs"]["pair"] = None' 'del m["pairs"]' \
    'm["weights"][-2] += 2**-11' 'm["weights"][-2] = 3' 'm["schema"]["crosses"][-1]["after_fit"] = False' \
    'm["schema"]["crosses"].append({"columns": ["a", "c"], "after_fit": True})' 'm["privacy"]["epsilon"] = 3.9' \
    'm["schema"]["crosses"] = []' 'm["pairs"]["more"] = 1' \
    'm["pairs"]["epsilon"] = 1e-13; m["privacy"]["epsilon"] = m["privacy"]["epsilon_charged"] = 3.56'; do
    change "$edit"
    run "$DPERM" verify --model changed.json
    [ "$status" -ne 0 ] || { echo "$edit"; return 1; }
  done
  python3 -c 'import json; json.dump(json.load(open("model.json"))["schema"], open("s.json", "w"))'
  for command in "train --data xor.csv --out n.json" "tune --data xor.csv --lambda 0.1,1 --out n.json" "plan --rows 4000" \
    "sweep --data xor.csv --draws 1 --out n.csv"; do
    run "$DPERM" $command --schema s.json --epsilon 4
    [ "$status" -ne 0 ]
    [[ "$output" == *'was added to a model after its fit; take it out'* ]] || { echo "$command: $output"; return 1; }
  done
  python3 - <<'P'
import json
s = json.load(open("xor.json"))
json.dump({**s, "crosses": [{"columns": ["a", "c"], "after_fit": True}]}, open("s.json", "w"))
wide = [{"name": f"k{i}", "type": "categorical", "values": ["0", "1"]} for i in range(95)]
pairs = [[wide[i]["name"], wide[j]["name"]] for i in range(95) for j in range(i)][:4000]
json.dump({**s, "columns": wide, "crosses": pairs}, open("wide.json", "w"))
P
  run "$DPERM" refine --force --data xor.csv --out n.json --schema s.json --epsilon 4
  fails_with 1 "was added to a model after its fit; take it out"
  "$DPERM" schema check s.json | grep -q "a\*c: pairs, 16 encoded columns, entry at most 1 (a model's own: no fit takes it)"
  leaves_no n.json
  "$DPERM" plan --schema wide.json --rows 100000 --epsilon 5 --json | grep -q '"epsilon_pairs": 0[,.]' # too many crosses
}

@test "what has no pairs is refused before the charge" {
  "$DPERM" ledger init l.db --dataset people --epsilon 9 2> /dev/null
  paid=(--ledger l.db --dataset people --out n.json)
  run "$DPERM" train --force "${xor[@]}" --epsilon 1 --kernel gaussian --gamma 1 --features 8 --pairs 0.1 "${paid[@]}"
  fails_with 2 "pairs of columns are looked for in linear models of two classes"
  sed 's/"positive": \["1"\], "negative": \["0"\]/"classes": ["0", "1", "2"]/' xor.json > three.json
  run "$DPERM" train --force --data xor.csv --schema three.json --epsilon 1 --pairs 0.1 "${paid[@]}"
  fails_with 2 "pairs of columns are looked for in linear models of two classes"
  python3 -c 'import json
s = json.load(open("xor.json")); s["columns"] = s["columns"][:1]; json.dump(s, open("one.json", "w"))'
  run "$DPERM" train --force --data xor.csv --schema one.json --epsilon 1 --pairs 0.1 "${paid[@]}"
  fails_with 2 "here are none to choose from"
  run "$DPERM" train --force "${xor[@]}" --mechanism none --pairs 0.1 --out n.json
  fails_with 2 "--pairs does not go with --mechanism none"
  run "$DPERM" tune --force "${xor[@]}" --epsilon 1 --lambda 0.1,1 --pairs 0.1 "${paid[@]}"
  fails_with 2 "--pairs has a share of its own in train alone; leave it out, or give auto or none"
  run "$DPERM" train --force "${xor[@]}" --epsilon 1 --pairs 1 "${paid[@]}"
  fails_with 2 "--pairs must be a share above 0 and below 1, auto or none"
  leaves_no n.json
  "$DPERM" ledger show l.db --json 2> /dev/null | grep -q '"epsilon_spent": "0"'
  "$DPERM" train --force "${xor[@]}" --epsilon 4 "${paid[@]}" 2> message
  grep -q 'charged epsilon 4' message
}
