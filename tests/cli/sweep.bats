#!/usr/bin/env bats
# dperm sweep: the CSV, interruptions, and every wrong call.
load helpers

sweep() { "$DPERM" sweep "${people[@]}" "$@"; }

# Enough work to be killed in the middle of.
grid=(--loss logistic,huber --mechanism none,output,objective --lambda 1e-3,1e-2,auto
  --epsilon 0.1,1 --folds 5 --draws 40 --threads 2)

@test "one line of CSV for each cell, with an empty epsilon for none" {
  sweep --loss logistic,huber --mechanism none,output,objective --noise l2,l1 \
    --lambda 1e-2,auto --epsilon 0.5,1 --folds 3 --draws 2 > cells.csv
  [ "$(head -n 1 cells.csv)" = "loss,mechanism,noise,lambda,epsilon,error_mean,error_se,runs,baseline,auc_mean,auc_se,log_loss_mean,log_loss_se,baseline_log_loss" ]
  # 2 losses x (2 lambdas x (none 1 + output 2 + objective 4))
  [ "$(wc -l < cells.csv)" -eq $((1 + 2 * 2 * 7)) ]
  [ "$(grep -c '^[a-z]*,none,,[^,]*,,0\.[0-9]*,0\.[0-9]*,3,0.441667,' cells.csv)" -eq 4 ]
  [ "$(grep -c '^[a-z]*,output,l2,' cells.csv)" -eq 8 ]
  [ "$(grep -c '^[a-z]*,objective,l[12],[^,]*,\(0.5\|1\),0\.[0-9]*,0\.[0-9]*,6,0.441667,' cells.csv)" -eq 16 ]
  grep -q '^logistic,objective,l1,auto,0.5,' cells.csv
  grep -q '^logistic,objective,l1,0.01,1,' cells.csv
}

@test "a file appears whole, its journal goes, and what was done is told" {
  succeeds sweep --epsilon 1 --draws 2 --out cells.csv
  [ "$output" = "cells.csv: 1 cell, 20 models" ]
  [ -s cells.csv ]
  [ ! -e cells.csv.journal ]
  [ "$(ls -a | grep -c 'cells.csv')" -eq 1 ]
}

@test "killed at any write, the same command goes on to the same bytes" {
  sweep "${grid[@]}" > whole.csv
  for call in 1 2 3 4 5 9 20 41; do # each run goes on where the one before it died
    run preloaded "$LEDGER_FAULT" LEDGER_FAULT_KILL=$call "$DPERM" sweep --data people.csv \
      --schema schema.json "${grid[@]}" --out cells.csv
    [ "$status" -eq 137 ]
    [ ! -e cells.csv ]
  done
  sweep "${grid[@]}" --out cells.csv 2> said
  cmp whole.csv cells.csv
  [ ! -e cells.csv.journal ]
}

@test "Ctrl-C says how to go on" {
  mkfifo gate # it waits there with one part done, of 640 that take long
  preloaded "$LEDGER_FAULT" LEDGER_FAULT_GATE=gate LEDGER_FAULT_GATE_AT="2 fdatasync cells.csv.journal" \
    "$DPERM" sweep "${people[@]}" --epsilon 0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8 \
    --loss logistic,huber --lambda 1e-3,1e-2,1e-1,auto --draws 1000 --out cells.csv 2> said &
  child=$!
  at_gate kill -INT "$child"
  status=0
  wait "$child" || status=$?
  [ "$status" -eq 130 ]
  grep -q "cells.csv.journal has what is done" said
  [ ! -e cells.csv ]
  [ -e cells.csv.journal ]
}

@test "a journal of other options, data or of something else is refused" {
  long=(--loss logistic,huber --lambda 1e-3,1e-2,1e-1 --epsilon 0.1,0.2,0.4,0.8)
  # killed when the first part is to be written
  run preloaded "$LEDGER_FAULT" LEDGER_FAULT_KILL=3 "$DPERM" sweep "${people[@]}" "${long[@]}" --draws 4 --out cells.csv
  [ "$status" -eq 137 ]
  cp cells.csv.journal kept
  fails 1 "cells.csv.journal:1:1: not a journal of this sweep" sweep "${long[@]}" --draws 5 --out cells.csv
  cmp kept cells.csv.journal
  echo "my notes" > cells.csv.journal
  says 1 "not a journal" sweep --epsilon 1 --out cells.csv
  [ "$(cat cells.csv.journal)" = "my notes" ]
}

@test "cells that are no better than the most frequent class are said to be so" {
  { head -1 people.csv && grep ',yes$' people.csv && grep -m 1 ',no$' people.csv; } > mostly.csv
  "$DPERM" sweep --data mostly.csv --schema schema.json --mechanism none --lambda 1e9 --folds 2 2> words > cells.csv
  grep -q '^1 of 1 cell is no better than always naming the most frequent class, which is wrong for 0\.' words
  share=$(awk -F, 'NR > 1 {n++; yes += $3 == "yes"} END {printf "%.6f", 1 - yes / n}' mostly.csv)
  [ "$(cut -d, -f9 cells.csv | tail -n +2 | sort -u)" = "$share" ]
}

@test "cells are compared by error, AUC or log loss" {
  for metric in error auc log-loss; do
    "$DPERM" sweep --data people.csv --schema schema.json --loss logistic,huber --mechanism none --lambda 1e-3,1 \
      --folds 3 --metric $metric --json 2> words > $metric.json
    grep '^best by ' words > $metric.words
  done
  cmp error.json auc.json
  py <<'P'
cells = json.load(open("error.json"))
best = {"error": (min, "error_mean"), "auc": (max, "auc_mean"), "log-loss": (min, "log_loss_mean")}
for metric, (pick, key) in best.items():
    values = [c[key] for c in cells if c[key] is not None]
    assert "%.4g" % pick(values) in open(metric + ".words").read(), metric
assert all((c["log_loss_mean"] is None) == (c["loss"] == "huber") and 0 < c["auc_mean"] <= 1 for c in cells)
p = cells[0]["baseline"]
assert abs(cells[0]["baseline_log_loss"] + p * math.log(p) + (1 - p) * math.log(1 - p)) < 1e-9
P
  fails 2 "--metric must be error, auc, log-loss, rmse or mae" "$DPERM" sweep --data people.csv --schema schema.json --epsilon 1 --metric f1
}

@test "records to test on instead of folds" {
  head -n 60 people.csv > test.csv
  sweep --test-data test.csv --mechanism none,objective --epsilon 1 --draws 7 > cells.csv
  grep -q '^logistic,none,,auto,,0\.[0-9]*,,1,0\.[0-9]*,0\.[0-9]*,,0\.[0-9]*,,0\.[0-9]*$' cells.csv
  grep -q '^logistic,objective,auto,auto,1,0\.[0-9]*,0\.[0-9]*,7,0\.[0-9]*,' cells.csv
}

@test "cells for programs say how each was learned" {
  sweep --json --mechanism none,objective --epsilon 1 --draws 2 --multiclass one-vs-rest > cells.json
  python3 -c 'import json
cells = json.load(open("cells.json"))
assert [(c["mechanism"], c["noise"], c["multiclass"]) for c in cells] == [
    ("none", None, "one-vs-rest"), ("objective", "auto", "one-vs-rest")], cells
assert [(c["delta_given"], c["neighbours"]) for c in cells] == [(None, None), (0, "replace")], cells'
  sweep --json --epsilon 1 --delta 1e-6 --draws 2 --neighbours add-remove --rows-about 100 > cells.json
  python3 -c 'import json
assert [(c["delta_given"], c["neighbours"]) for c in json.load(open("cells.json"))] == [(1e-6, "add-remove")]'
}

@test "records are asked in each run, as train asks them" {
  awk 'BEGIN {print "amount,y"; for (i = 0; i < 9000; i++) printf "%d,%d\n", i * 71 % 97, (i * 71 % 97 > 30 && i * 71 % 97 < 60)}' > band.csv
  echo '{"label": {"column": "y", "positive": ["1"], "negative": ["0"]}, "columns": [{"name": "amount", "type": "numeric",
    "min": 0, "max": 100}]}' > band.json
  head -n 2000 band.csv > test.csv
  band=(--data band.csv --schema band.json --draws 3 --json)
  for way in "--folds 2" "--test-data test.csv"; do
    "$DPERM" sweep "${band[@]}" $way --epsilon 0.001,3 > cells.json
    "$DPERM" sweep "${band[@]}" $way --epsilon 3 --bins none > lines.json
    python3 -c 'import json
few, asked = json.load(open("cells.json"))
(lines,) = json.load(open("lines.json"))
assert asked["error_mean"] < 0.1 < 0.25 < lines["error_mean"], (asked, lines)
# runs choose lambda for the rows that each has; without a question it is one for all
assert asked["lambda"] is None and few["lambda"] > 0 and lines["lambda"] > 0, (few, asked)'
  done
  "$DPERM" sweep "${band[@]}" --epsilon 3 --lambda 0.01 --refine ask | grep -q '"lambda": 0.01'
}

@test "a schema that drops rows is fine: the records are public" {
  sed 's/"columns"/"on_missing": "drop", "columns"/' schema.json > drops.json
  echo "?,nurse,yes" >> people.csv
  "$DPERM" sweep --data people.csv --schema drops.json --epsilon 1 --draws 2 | grep -q '^logistic,objective,'
}

@test "a cell without a fit has an empty line and a reason" {
  succeeds sweep --epsilon 0.1 --lambda 1e-9,1 --delta-reg 0 --draws 2 --out cells.csv
  grep -q '^logistic,objective,auto,1e-09,0.1,,,0,0\.[0-9]*,,,,,0\.[0-9]*$' cells.csv
  grep -q '^logistic,objective,auto,1,0.1,0\.' cells.csv
  [[ "$output" == *"no fit for logistic objective, noise auto, lambda 1e-09, epsilon 0.1: "* ]]
  run sweep --epsilon 0.1 --lambda 1e-9 --delta-reg 0 --draws 2
  [ "$status" -ne 0 ]
  [ "${#lines[@]}" -eq 1 ]
}

@test "wrong calls are one line and exit 2" {
  run sweep; fails_with 2 "--epsilon is missing"
  run "$DPERM" sweep --epsilon 1; fails_with 2 "--data is missing"
  run sweep --epsilon 1,,2; fails_with 2 "--epsilon must be a list"
  run sweep --epsilon 1,x; fails_with 2 '--epsilon must be positive, not "x"'
  run sweep --epsilon -1; fails_with 2 "--epsilon must be positive"
  run sweep --epsilon 1,1.0; fails_with 2 "--epsilon has 1.0 twice"
  run sweep --epsilon 1 --lambda 0.1,0; fails_with 2 "--lambda must be a positive number"
  run sweep --epsilon 1 --lambda 1e-2,0.01; fails_with 2 "twice"
  run sweep --epsilon 1 --loss logistic,hinge; fails_with 2 'no loss is called "hinge"'
  run sweep --epsilon 1 --mechanism some; fails_with 2 "--mechanism must be"
  run sweep --epsilon 1 --noise l3; fails_with 2 "--noise must be"
  run sweep --epsilon 1 --mechanism none; fails_with 2 "--epsilon does not go with --mechanism none"
  run sweep --epsilon 1 --mechanism output --noise l1; fails_with 2 "has l2 or gaussian noise only"
  run sweep --epsilon 1 --mechanism output --analysis paper; fails_with 2 "are for --mechanism objective"
  run sweep --mechanism none --rows-per-person 2; fails_with 2 "--rows-per-person does not go"
  run sweep --epsilon 1 --loss huber --h 0.1,0.2; fails_with 2 "--h takes one value"
  run sweep --epsilon 1 --folds 1; fails_with 2 "folds"
  run sweep --epsilon 1 --folds 1000; fails_with 2 "folds"
  run sweep --epsilon 1 --folds 0; fails_with 2 "--folds"
  run sweep --epsilon 1 --draws 0; fails_with 2 "--draws"
  run sweep --epsilon 1 --folds 3 --test-data people.csv; fails_with 2 "--folds does not go"
  run sweep --epsilon 1 --out people.csv; fails_with 2 "--out would replace an input"
  run sweep --epsilon 1 --data people.csv; fails_with 2 "is given twice"
  run "$DPERM" sweep --data - --test-data - --schema schema.json --epsilon 1; fails_with 2 "standard input"
}

@test "work that fails is one line, exit 1, and leaves nothing" {
  run sweep --epsilon 1 --test-data missing.csv --out cells.csv; fails_with 1 "missing.csv"
  leaves_no cells.csv
  run sweep --epsilon 1 --out nowhere/cells.csv; fails_with 1 "nowhere/cells.csv"
  run sweep --epsilon 1 --out .; fails_with 1 "."
  [ ! -e cells.csv.journal ]
}
