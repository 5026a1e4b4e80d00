# dperm verify: right models, wrong ones, wrong usage. Right ones with a claim that covers rounding
# come from the fuzzer's corpus.
load helpers

right() { cp "$DPERM_SOURCE/tests/fuzz/corpus/verify_fuzz/$1" model.json; }

@test "a right model follows, line by line" {
  for model in objective output paper stopping custom; do
    right $model
    "$DPERM" verify --model model.json > lines 2> message
    [ ! -s message ]
    ! grep -q '^FAILS' lines
    grep -q '^ok     beta: ' lines
    grep -q '^ok     epsilon: epsilon_core + 2 epsilon_num = ' lines
    grep -q '^ok     claim: (epsilon, delta) = (0.5, .*e-4[34]) for replacing one record of 10000$' lines
    grep -q '^note   not in the file: that the program drew its noise from a secure source, ' lines
  done
  grep -q '^note   the loss is not dperm.s own' lines
}

@test "the line that does not hold is marked, and named on stderr" {
  right objective
  change 'm["privacy"]["beta"] *= 1.01'
  "$DPERM" verify --model changed.json > lines 2> message && return 1
  [ "$(grep -c '^FAILS' lines)" -eq 2 ]
  grep -q '^FAILS  beta: .* <= epsilon_core' lines
  grep -q '^FAILS  claim: (epsilon, delta) = ' lines
  [ "$(wc -l < message)" -eq 1 ]
  grep -q '^dperm: changed.json: the privacy claim does not follow; beta: ' message
  change 'm["histograms"] = {"epsilon": 0.1}'
  says 1 'FAILS  shares: "histograms" states an epsilon' "$DPERM" verify --model changed.json
  sed 's/"rows":10000/"rows":10001/' model.json > damaged.json
  run "$DPERM" verify --model damaged.json
  [ "$status" -eq 1 ]
  [[ "$output" == *"FAILS  digest: does not fit the content"*"FAILS  rows_fitted:"* ]]
}

@test "every kind of noise is checked, with the weight of mixed noise" {
  for noise in l2 l1 group linf mixed; do
    "$DPERM" train --force "${people[@]}" --epsilon 1 --noise $noise --out model.json 2> /dev/null
    "$DPERM" verify --model model.json > lines
    grep -q "^ok     noise: $noise, " lines
    change 'm["privacy"]["beta"] *= 1.000001'
    says 1 "FAILS  beta:" "$DPERM" verify --model changed.json
  done
  grep -q '^ok     body: mixed noise: |x| <= 1.25' lines
  change 'm["privacy"]["noise_weight"] *= 1.000001'
  says 1 "FAILS  beta:" "$DPERM" verify --model changed.json
  change 'm["privacy"]["noise_weights"] = [1.000001]'
  says 1 "FAILS  beta:" "$DPERM" verify --model changed.json
  change 'm["privacy"]["noise_weight"] = None'
  run "$DPERM" verify --model changed.json
  [ "$status" -eq 1 ]
  [[ "$output" == *"FAILS"*"noise_weight"* ]]
}

@test "what was fitted is what the chosen candidate says" {
  right stopping
  for member in loss h gamma features; do
    change "m['selection']['candidates'][m['selection']['chosen']]['$member'] = 'auto'"
    run "$DPERM" verify --model changed.json
    [ "$status" -eq 1 ]
    [[ "$output" == *"FAILS"* ]]
  done
}

@test "json holds the same lines" {
  right stopping
  "$DPERM" verify --model model.json --json > good.json
  change 'm["selection"]["rounds_mean"] = 7.0; m["loss"]["name"] = "\"\\\x1b[31m"'
  run "$DPERM" verify --model changed.json
  [ "$status" -eq 1 ]
  [[ "$output" != *$'\x1b'* ]]
  "$DPERM" verify --model changed.json --json > bad.json 2> message && return 1
  py <<'P'
good, bad = json.load(open("good.json")), json.load(open("bad.json"))
assert list(good) == list(bad) == ["verdict", "lines", "remarks"]
assert good["verdict"] == "follows" and all(l["holds"] is True for l in good["lines"])
assert bad["verdict"] == "does not follow"
names = [l["text"].split(":")[0] for l in bad["lines"] if not l["holds"]]
assert names == ["chosen", "beta", "delta", "headline", "claim"], names
assert any(r.startswith("not in the file: that the candidates") for r in good["remarks"])
P
}

@test "a freshly trained model verifies" {
  for options in "" "--mechanism output" "--analysis paper" "--loss huber" "--loss smooth-hinge" \
    "--kernel gaussian --gamma 0.5 --features 10" "--lambda 0.1 --delta-reg 0.01"; do
    "$DPERM" train --force "${people[@]}" --epsilon 1 $options --out m.json 2> /dev/null
    run "$DPERM" verify --model m.json
    [ "$status" -eq 0 ] || { echo "$options: $output"; return 1; }
  done
  for method in split stopping "stopping --rounds geometric" "public --public-data others.csv"; do
    "$DPERM" tune --force "${people[@]}" --epsilon 1 --lambda 0.1,auto --method $method --out m.json 2> /dev/null
    run "$DPERM" verify --model m.json
    [ "$status" -eq 0 ] || { echo "$method: $output"; return 1; }
  done
}

@test "a model that is not private does not follow" {
  train_none
  says 1 "FAILS  private: the model does not claim to be private: trained without" "$DPERM" verify --model model.json
  "$DPERM" train --force "${people[@]}" --epsilon 1 --seed 3 --out m.json 2> /dev/null
  run "$DPERM" verify --model m.json
  [ "$status" -eq 1 ]
  [[ "$output" == *"FAILS  private: "*seed* ]]
  # and nothing else fails for that, but a claim: not a schema that the run refined itself
  for how in "" "--neighbours add-remove --rows-about 120" "--noise gaussian --delta 1e-6"; do
    "$DPERM" train --force "${people[@]}" --epsilon 20 --refine 0.1 --seed 3 $how --out model.json 2> /dev/null
    "$DPERM" verify --model model.json > lines && return 1
    [ "$(grep '^FAILS' lines | cut -d: -f1 | tr -d '\n')" = "FAILS  privateFAILS  claim" ] || { cat lines; return 1; }
    grep -q "^ok     refined: the schema's refinement, for this unit, cost " lines
  done
  change 'm["private"] = True; m["reason"] = None'
  says 1 "FAILS  refined: the schema's refinement, private and for this unit," "$DPERM" verify --model changed.json
}

@test "what is no model is refused in one line" {
  fails 1 "people.csv:1:3: not valid JSON" "$DPERM" verify --model people.csv
  fails 1 "schema.json: not a dperm model" "$DPERM" verify --model schema.json
  fails 1 "nothing.json: cannot open" "$DPERM" verify --model nothing.json --json
}

charged() { # how the budget adds up, then options of the run
  rm -f l.db
  "$DPERM" ledger init l.db --dataset people --epsilon 9 --delta 1e-4 $1 2> /dev/null
  shift
  "$DPERM" train --force "${people[@]}" --refine none --epsilon 0.5 --out m.json \
    --ledger l.db --dataset people "$@" 2> /dev/null
  "$DPERM" verify --model m.json --ledger l.db > lines || { cat lines; return 1; }
  grep -q "^ok     charge: entry 2 paid epsilon " lines
  ! grep -q "that a ledger was charged" lines
}

@test "with its ledger, what a model paid covers what follows from its file" {
  charged "--composition plain"
  ! grep -q " price: " lines
  charged "--composition renyi"
  grep -q "^ok     price: entry 2 costs .* by Renyi order 3.5, and what follows from the claim is " lines
  for how in "" "--loss huber" "--mechanism output"; do
    charged "--composition renyi" --noise gaussian --delta 1e-8 $how
    grep -q "^ok     price: entry 2 costs .* by Renyi order 3.5, and what follows from the file is " lines
  done
  charged "--composition renyi" --noise gaussian --delta 1e-8 --neighbours add-remove --rows-about 100
  grep -q "^ok     charge: .*, twice over where records are replaced" lines
  charged "--composition renyi --neighbours add-remove" --noise gaussian --delta 1e-8 --neighbours add-remove --rows-about 100
  grep -q "what follows from the file is " lines
  run "$DPERM" verify --model m.json --ledger l.db --json
  [[ "$output" == *'price: entry 2 costs '* ]]
}

@test "a model that can be read only once is held against its ledger all the same" {
  charged "--composition plain"
  "$DPERM" verify --model - --ledger l.db < m.json > piped
  cat m.json | "$DPERM" verify --model /dev/stdin --ledger l.db > again
  cmp lines piped
  cmp lines again
}

@test "a schema that was refined and paid for before has an entry of its own" {
  account=(--ledger l.db --dataset people)
  "$DPERM" ledger init l.db --dataset people --epsilon 9 --composition renyi --delta 1e-6 2> /dev/null
  "$DPERM" refine --force "${people[@]}" --epsilon 2 --out narrow.json "${account[@]}" 2> /dev/null
  "$DPERM" train --force --data people.csv --schema narrow.json --epsilon 0.5 --out m.json "${account[@]}" 2> /dev/null
  "$DPERM" verify --model m.json --ledger l.db > lines
  grep -q "^ok     charge: entry 4 paid epsilon 0.5 and delta .*, which covers the model's, but for its schema's part" lines
  grep -q "^ok     charge: entry 2 paid epsilon 2 and delta .*, which covers its schema's refinement" lines
  [ "$(grep -c "^ok     price: entry [24] costs " lines)" -eq 2 ]
}

@test "a model of another ledger, and a ledger that is none" {
  charged "--composition plain"
  cp l.db first.db
  mv m.json first.json
  charged "--composition plain"
  run "$DPERM" verify --model first.json --ledger l.db
  [ "$status" -eq 1 ]
  [[ "$output" == *"FAILS  charge: l.db: entry 2 is not the one that the model was charged as"* ]]
  "$DPERM" train --force "${people[@]}" --epsilon 0.5 --out free.json 2> /dev/null
  run "$DPERM" verify --model free.json --ledger l.db
  [[ "$output" == *"FAILS  charge: l.db: the model was not charged to any ledger"* ]]
  fails 1 "people.csv" "$DPERM" verify --model m.json --ledger people.csv
}
