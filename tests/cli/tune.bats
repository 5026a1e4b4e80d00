# dperm tune, and kernels in every command: good and bad input.
load helpers

tune() { "$DPERM" tune --force "${people[@]}" --out m.json "$@"; }

# A larger file of the same shape.
many_people() {
  awk -v n="$1" 'BEGIN {
    split("farmer nurse judge", jobs, " "); print "age,job,rich"; x = 1
    for (i = 0; i < n; i++) {
      x = (x * 16807) % 2147483647; age = x % 90; job = int(x / 90) % 3 + 1
      print age "," jobs[job] "," (age + 20 * job > 85 ? "yes" : "no")
    }
  }' > many.csv
}

# Wrong usage in one line that holds this text, and nothing written.
refuses() { fails 2 "$1" "$DPERM" tune --force "${people[@]}" --out m.json "${@:2}"; }

@test "split writes a model that states the choice and what epsilon covers" {
  for selector in permute-and-flip exponential; do
    succeeds tune --epsilon 1 --loss huber,logistic --h 0.25,0.5 --lambda 0.01,0.1 --selector $selector
    [ "${lines[0]}" = "m.json: chosen among 6 candidates by split; (epsilon, delta) = (1, 1.4e-43) for every record, the choice included" ]
    [[ "${#lines[@]}" -eq 2 && "${lines[1]}" == "no ledger: "* ]]
    SELECTOR=$selector python3 - <<'P'
import json, math, os
m = json.load(open("m.json"))
s = m["selection"]
assert m["private"] is True and m["reason"] is None and m["privacy"]["epsilon"] == 1
assert list(s) == ["method", "selector", "candidates", "chosen", "portion", "bound"], list(s)
assert s["method"] == "split" and s["selector"] == os.environ["SELECTOR"]
assert m["rows"] == 120 and m["rows_fitted"] == s["portion"] == 120 // 7
names = [(c["loss"], c["h"], c["lambda"]) for c in s["candidates"]]
assert all((c["mechanism"], c["noise"], c["multiclass"]) == ("objective", "auto", None) for c in s["candidates"])
assert sorted(names, key=str) == sorted(
    [("huber", h, l) for h in (0.25, 0.5) for l in (0.01, 0.1)] +
    [("logistic", None, l) for l in (0.01, 0.1)], key=str), names
c = s["candidates"][s["chosen"]]
assert (c["loss"], c["h"], c["lambda"]) == (m["loss"]["name"], m["loss"]["h"], m["privacy"]["lambda"])
assert s["bound"]["delta"] == 0.05
assert abs(s["bound"]["excess_errors"] / (2 * math.log(5 / 0.05)) - 1) < 1e-5
P
    "$DPERM" plan --rows 17 --schema schema.json --epsilon 1 --json \
      $(python3 -c 'import json; m = json.load(open("m.json")); print("--loss", m["loss"]["name"], *(["--h", m["loss"]["h"]] if m["loss"]["h"] else []), "--lambda", m["privacy"]["lambda"])') > plan.json
    python3 -c 'import json; assert json.load(open("m.json"))["privacy"]["beta"] == json.load(open("plan.json"))["beta"]'
  done
}

@test "stopping states the share of a round and never the number of rounds" {
  for rounds in geometric logarithmic; do
    succeeds tune --epsilon 1 --lambda 0.01,0.1,auto --method stopping --rounds $rounds --holdout 0.25
    [[ "${#lines[@]}" -eq 2 && "${lines[1]}" == "no ledger: "* ]]
    ROUNDS=$rounds python3 - <<'P'
import json, os
m = json.load(open("m.json"))
s = m["selection"]
assert list(s) == ["method", "rounds", "rounds_mean", "epsilon_round", "candidates", "chosen", "holdout_rows"], list(s)
share = {"geometric": 1 / 3, "logarithmic": 1 / 2}[os.environ["ROUNDS"]]
assert share * (1 - 2e-6) < s["epsilon_round"] <= share
assert 9 <= s["rounds_mean"] < 9.0001 and s["holdout_rows"] == 30 and m["rows_fitted"] == 90
assert m["privacy"]["epsilon"] == 1 and m["private"] is True
assert s["candidates"][2]["lambda"] == "auto"
P
  done
}

@test "kernels and their grids are tuned, by every method" {
  for method in split stopping "public --public-data others.csv"; do
    succeeds tune --epsilon 2 --lambda 0.1 --kernel gaussian --gamma 0.5,2 --features 4,6 --method $method
    py <<'P'
m = json.load(open("m.json"))
c = m["selection"]["candidates"]
assert [(x["gamma"], x["features"]) for x in c] == [(.5, 4), (.5, 6), (2, 4), (2, 6)], c
k, one = m["kernel"], c[m["selection"]["chosen"]]
assert (k["gamma"], k["features"]) == (one["gamma"], one["features"]) and len(m["weights"]) == k["features"]
assert k["name"] == "gaussian" and k["kind"] == "orthogonal" and 0 < k["seed"] < 2 ** 53
assert m["encoding"]["dims"] == 4
P
  done
}

@test "what tune prints does not depend on the records" {
  sed '2,60s/,yes$/,no/' people.csv > other.csv
  for method in split stopping; do
    for data in people other; do
      "$DPERM" tune --force --data $data.csv --schema schema.json --epsilon 1 --lambda 0.01,0.1 \
        --method $method --out m.json 2> $data.message
    done
    cmp people.message other.message
  done
}

# ---- kernels in train, plan and predict

@test "train makes a kernel model of each kind, and says so in its file" {
  for kernel in gaussian laplacian cauchy; do
    succeeds "$DPERM" train --force "${people[@]}" --epsilon 1 --kernel $kernel --gamma 0.5 --features 10 --out m.json
    KERNEL=$kernel python3 - <<'P'
import json, os
m = json.load(open("m.json"))
k = m["kernel"]
assert list(k) == ["name", "gamma", "features", "kind", "seed"], list(k)
assert k["name"] == os.environ["KERNEL"] and k["gamma"] == 0.5 and k["features"] == 10
assert k["kind"] == ("orthogonal" if k["name"] == "gaussian" else "iid")
assert len(m["weights"]) == 10 and m["encoding"]["dims"] == 4
P
    "$DPERM" plan --rows 120 --schema schema.json --epsilon 1 --kernel $kernel --gamma 0.5 \
      --features 10 --json > plan.json
    python3 -c 'import json; m, p = json.load(open("m.json")), json.load(open("plan.json")); assert (m["privacy"]["beta"], m["privacy"]["lambda"], m["privacy"]["delta_reg"]) == (p["beta"], p["lambda"], p["delta_reg"])'
  done
  "$DPERM" train --force "${people[@]}" --epsilon 1 --kernel gaussian --gamma 0.5 \
    --features 10 --features-kind iid --out m.json 2> /dev/null
  grep -q '"kind": "iid"' m.json
}

# More rows than a block of the reader, fewer columns than features and more.
@test "a kernel model scores a file as it scores data in memory" {
  many_people 9000
  for features in 2 4 40; do
    "$DPERM" train --force --data many.csv --schema schema.json --epsilon 25 --lambda 1e-3 \
      --kernel gaussian --gamma 0.5 --features $features --seed 3 --unsafe-diagnostics \
      --out m.json 2> message
    "$DPERM" score --model m.json --data many.csv > score.json
    "$DPERM" predict --model m.json --data many.csv --out p.csv
    py <<'P'
found = re.search(r"training error\D+([0-9.]+)(%?)", open("message").read())
rate = float(found.group(1)) / (100 if found.group(2) else 1)
s = json.load(open("score.json"))
assert s["rows"] == 9000 and abs(s["error_rate"] - rate) < 1e-3, (s, rate)
rows = list(csv.DictReader(open("p.csv")))
assert len(rows) == 9000 and len(set(r["score"] for r in rows)) > 200
P
    head -n 301 many.csv > few.csv
    "$DPERM" predict --model m.json --data few.csv --out q.csv
    head -n 301 p.csv | cmp - q.csv
  done
}

@test "kernel options that cannot be are wrong usage, in train as in tune" {
  for command in train "tune --lambda 0.1,0.2"; do
    kernel() { # the message, then options
      fails 2 "$1" "$DPERM" $command --data people.csv --schema schema.json --epsilon 1 --out m.json "${@:2}"
    }
    for gamma in 0 -1 nan inf abc ""; do
      kernel "--gamma must be a" --kernel gaussian --gamma "$gamma" --features 10
    done
    for features in 0 7 -2 2.5 abc ""; do
      kernel "--features must be a" --kernel gaussian --gamma 1 --features "$features"
    done
    for features in 1000000000 10000000000 9000000000000000000; do
      kernel "GB of memory" --kernel gaussian --gamma 1 --features $features
    done
    for kernel in gaussian laplacian cauchy; do
      kernel "gamma = 1e+32 is too large for rows of norm up to" --kernel $kernel --gamma 1e32 --features 10
    done
    while IFS='|' read -r text words; do kernel "$text" $words; done <<'T'
--kernel must be gaussian, laplacian or cauchy|--kernel rbf --gamma 1 --features 10
--kernel needs --gamma and --features|--kernel gaussian --gamma 1
--kernel needs --gamma and --features|--kernel gaussian --features 10
are for --kernel|--gamma 1
are for --kernel|--features 10
are for --kernel|--features-kind iid
--features-kind is for --kernel gaussian|--kernel cauchy --gamma 1 --features 10 --features-kind iid
--features-kind must be orthogonal or iid|--kernel gaussian --gamma 1 --features 10 --features-kind square
T
  done
}

@test "lists are for tune" {
  for list in "--lambda 0.1,0.2" "--loss huber,logistic" "--h 0.1,0.2" "--gamma 1,2" "--features 2,4"; do
    for command in "train --data people.csv --out m.json" "plan --rows 100"; do
      fails 2 "takes one value here; lists are for tune" "$DPERM" $command --schema schema.json --epsilon 1 $list
    done
  done
  leaves_no m.json
}

# ---- bad requests

@test "empty and duplicate grids are wrong usage" {
  for list in "" "," "0.1," ",0.1" "0.1,,0.2"; do
    refuses "--lambda must be a list of values" --epsilon 1 --lambda "$list"
  done
  refuses "--lambda has more than 1000 values; give fewer" --epsilon 1 --lambda "$(seq -s , 1001)"
  refuses "--lambda has 0.1 twice" --epsilon 1 --lambda 0.1,0.2,0.1
  refuses "--lambda has 1e-1 twice" --epsilon 1 --lambda 0.1,0.2,1e-1
  refuses "--lambda has auto twice" --epsilon 1 --lambda auto,0.2,auto
  refuses "--loss has huber twice" --epsilon 1 --loss huber,huber
  refuses "--h has 0.50 twice" --epsilon 1 --loss huber --h 0.5,0.50
  refuses "--gamma has 1 twice" --epsilon 1 --kernel cauchy --gamma 1,1 --features 4
  refuses "--features has 04 twice" --epsilon 1 --kernel cauchy --gamma 1 --features 4,04
  refuses "candidates are too many" --epsilon 1 --lambda "$(seq -s, 1 400)" --loss huber \
    --h "$(seq -s, 1 400)"
}

@test "what cannot be asked for is wrong usage" {
  while IFS='|' read -r text words; do refuses "$text" $words; done <<'T'
--lambda must be a positive number or auto|--epsilon 1 --lambda 0.1,-1
--h must be a positive number|--epsilon 1 --loss huber --h 0.5,0
--gamma must be a positive number|--epsilon 1 --kernel cauchy --gamma 1,0 --features 4
--features must be an even number|--epsilon 1 --kernel cauchy --gamma 1 --features 4,5
no loss is called|--epsilon 1 --loss huber,hinge
--method must be split, stopping or public|--epsilon 1 --method bayes
--selector must be permute-and-flip or exponential|--epsilon 1 --selector gumbel
--rounds must be logarithmic or geometric|--epsilon 1 --method stopping --rounds poisson
--mechanism none leaves nothing to choose|--mechanism none
--epsilon is missing|--lambda 0.1,0.2
unknown option|--epsilon 1 --bogus 1
--selector is for --method split|--epsilon 1 --method stopping --selector exponential
are for --method stopping|--epsilon 1 --rounds geometric
are for --method stopping|--epsilon 1 --rounds-mean 5
--holdout is for|--epsilon 1 --holdout 0.2
--public-data goes with --method public|--epsilon 1 --public-data people.csv
--public-data goes with --method public|--epsilon 1 --method public
--holdout must be between 0 and 1|--epsilon 1 --method stopping --holdout 0
--holdout must be between 0 and 1|--epsilon 1 --method stopping --holdout 1
rounds|--epsilon 1 --lambda 0.1,0.2 --method stopping --rounds-mean 1
rounds|--epsilon 1 --lambda 0.1,0.2 --method stopping --rounds-mean 1e7
one candidate leaves nothing to choose|--epsilon 1
T
  fails 1 "on one side" tune --epsilon 1 --lambda 0.1,0.2 --method stopping --holdout 0.01
}

@test "public data of another shape are refused" {
  printf 'age,job\n30,nurse\n' > unlabelled.csv
  fails 1 "unlabelled.csv" tune --epsilon 1 --lambda 0.1,0.2 --method public --public-data unlabelled.csv
  printf 'height,rich\n180,yes\n' > foreign.csv
  fails 1 "foreign.csv" tune --epsilon 1 --lambda 0.1,0.2 --method public --public-data foreign.csv
  fails 1 "none.csv: cannot open" tune --epsilon 1 --lambda 0.1,0.2 --method public --public-data none.csv
  head -n 15 people.csv > small.csv
  fails 1 "on one side" tune --epsilon 1 --lambda 0.1,0.2 --method public --public-data small.csv
  leaves_no m.json
}

@test "Ctrl-C leaves nothing behind" {
  mkfifo gate
  for method in split "stopping --rounds geometric --rounds-mean 1e6"; do # not of one round, once in a million runs
    for question in 2 3; do # before the first bits, and in the middle of the work
      preloaded "$RANDOM_FAULT" RANDOM_FAULT_GATE=gate RANDOM_FAULT_GATE_AT=$question "$DPERM" tune --force \
        --data people.csv --schema schema.json --epsilon 1 --kernel gaussian --gamma 1,2,3,4 \
        --features 200 --method $method --out m.json 2> message &
      child=$!
      at_gate kill -INT "$child"
      wait "$child" && status=0 || status=$?
      [ "$status" -eq 130 ] || { echo "$method, $question: $status"; cat message; return 1; }
      leaves_no m.json
    done
  done
}
