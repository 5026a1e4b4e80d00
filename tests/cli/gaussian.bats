# Gaussian noise at (epsilon, delta), from the command line: what is stated, checked, warned of and
# refused.
load helpers

train() {
  "$DPERM" train --force "${people[@]}" --refine none --epsilon 1 --out m.json "$@"
}

field() { # of the model's privacy block
  python3 -c 'import json,sys; print(json.load(open("m.json"))["privacy"]'"$1"')'
}

@test "a model with gaussian noise states delta, and its claim follows" {
  for how in "--noise gaussian" "--mechanism output --noise gaussian" "--noise gaussian --loss huber" \
    "--noise gaussian --loss smooth-hinge" "--noise gaussian --rows-per-person 3" \
    "--noise gaussian --kernel gaussian --gamma 1 --features 20"; do
    train $how --delta 1e-6 2> message || { cat message; return 1; }
    grep -q "(epsilon, delta) = (1, 1e-06) for every" message
    [ "$(field '["delta"]')" = 1e-06 ]
    [ "$(field '["noise"]')" = gaussian ]
    "$DPERM" verify --model m.json > lines
    # a smoothed hinge has a line that proves a little more than the one its noise was made for
    grep -qE "ok     headline: delta = 1e-06 covers what is proved, 9\\.(99999|[5-9].*hinge)" \
      <(sed "s/$/ $how/" lines)
  done
}

# Any line above the slack is a proof; the one that the noise was made for is hard to meet again where
# the loss hardly bends beside epsilon.
@test "a smoothed hinge with hardly any slack follows, too" {
  for how in "--h 1000 --lambda 0.2" "--h 0.5 --lambda 1e3" "--h 1000 --lambda 1e6"; do
    train --noise gaussian --delta 1e-6 --loss smooth-hinge $how 2> /dev/null
    "$DPERM" verify --model m.json || { echo "$how"; return 1; }
  done
}

@test "a model that was changed does not follow" {
  sed -i 's/"max": 100/"max": 100, "weight": 0.1/' schema.json # so that deviations differ
  train --noise gaussian --delta 1e-6 2> /dev/null
  for change in 'p["beta"] *= 1.0001' 'p["delta"] *= 0.999' 'p["noise_weights"][0] *= 1.01' \
    'p["lambda"] *= 0.99' 'p["analysis"] = "paper"'; do
    python3 -c 'import json; m = json.load(open("m.json")); p = m["privacy"]; '"$change"'; json.dump(m, open("n.json", "w"))'
    run "$DPERM" verify --model n.json
    [ "$status" -eq 1 ]
    grep -qE "^FAILS  (headline|beta|body)" <<< "$output" || { echo "$change: $output"; return 1; }
  done
}

@test "pure noise spends no delta, and plan says so" {
  train --noise l2 --delta 1e-6 2> words
  grep -q "m.json: the delta of 1e-06 is not spent: this noise is pure" words
  python3 -c 'import json; p = json.load(open("m.json"))["privacy"]; assert p["delta"] == p["numerics"]["delta"] < 1e-40'
  "$DPERM" plan --rows 120 --schema schema.json --epsilon 1 --delta 1e-6 --noise l2 > plan
  grep -q "^delta given          1e-06        not spent: l2 noise needs none" plan
  "$DPERM" plan --rows 120 --schema schema.json --epsilon 1 --delta 1e-6 --noise gaussian > plan
  grep -q "^delta                1e-06        additive slack, for the tails of" plan
  grep -q "^delta of numerics    .* part of delta, for noise beyond" plan
}

# One plan compares all kinds at one Λ, which is given, the same for all losses: with each kind at the Λ
# that is best for it alone the choice of Λ would be compared, too (0.48 to 0.50 for the SVMs).
@test "dense rows have at most half of the shortest pure noise, for all losses, by dims or by a schema" {
  python3 -c 'import json
print(json.dumps({"columns": [{"name": f"x{j}", "type": "numeric", "min": -1, "max": 1} for j in range(100)],
                  "label": {"column": "y", "positive": ["1"], "negative": ["0"]}, "rows": "clip"}))' > dense.json
  for how in {"--dims 100","--schema dense.json --bins none --refine none"}" --lambda 1e-3 --loss "{logistic,huber,smooth-hinge} \
    "--dims 100"; do # the last one where Λ is chosen
    "$DPERM" plan --rows 50000 $how --epsilon 0.5 --delta 1e-6 --json > plan.json
    py <<'P'
p = json.load(open("plan.json"))
assert p["noise"] == "gaussian" and p["dims"] == 100 and p["delta"] == p["delta_given"] == 1e-6, p
assert p["delta_numerics"] < 1e-40 and 0.999e-6 < p["delta_core"] < 1e-6
pure = min(k["rms_noise_norm"] for k in p["noise_kinds"] if k["noise"] != "gaussian")
assert p["rms_noise_norm"] <= 0.5 * pure, (p["rms_noise_norm"], pure)
P
  done
}

@test "a delta above 1/rows is warned of, and one that cannot be is refused" {
  train --noise gaussian --delta 0.01 2> message
  grep -q "^warning: delta = 0.01 is above 1/rows = 0.0083" message
  "$DPERM" plan --rows 100 --dims 5 --epsilon 1 --delta 0.02 -q 2> message > /dev/null # not hidden
  grep -q "^warning: delta = 0.02 is above 1/rows" message
  train --noise gaussian --delta 0.001 2> message
  ! grep -q warning message
  rm m.json
  for delta in 1 -1 1e-31; do
    fails 2 "delta = $delta; give 0, or from 1e-30" "$DPERM" train --force "${people[@]}" --epsilon 1 --delta $delta --out m.json
  done
  for delta in 1e-400 -0.001e-330 1e309; do # the first two would be 0, which is allowed
    run "$DPERM" train --force "${people[@]}" --epsilon 1 --delta=$delta --out m.json
    fails_with 2 "--delta must be a finite number, not \"$delta\", which is too large or too small for a double"
  done
  succeeds "$DPERM" plan --rows 100 --dims 5 --epsilon 1 --delta 0e-400 # which is 0
  leaves_no m.json
}

@test "a claim is printed with all its digits, and a sweep warns of its delta too" {
  train --noise gaussian --delta 0.999999 2> message
  grep -qF "(epsilon, delta) = (1, 0.999999) for every record" message
  "$DPERM" sweep "${people[@]}" --epsilon 1 --noise gaussian --delta 0.01 --folds 2 --draws 1 > cells 2> message
  grep -q "^warning: delta = 0.01 is above 1/rows = 0.0083" message
  "$DPERM" sweep "${people[@]}" --epsilon 1 --noise gaussian --delta 0.001 --folds 2 --draws 1 > cells 2> message
  ! grep -q "above 1/rows" message
}

@test "tuning divides delta, and the chosen model's claim follows" {
  for method in "split" "stopping --rounds-mean 3" "stopping --rounds geometric --rounds-mean 4"; do
    "$DPERM" tune --force "${people[@]}" --epsilon 2 --delta 1e-4 --noise gaussian \
      --lambda 0.1,1 --method $method --out m.json 2> /dev/null
    [ "$(field '["delta"]')" = 0.0001 ]
    "$DPERM" verify --model m.json > lines
    grep -q "ok     headline: delta = 0.0001 covers what is proved, " lines
  done
}

@test "several classes, and a refined schema, share delta" {
  sed 's/"positive": \["yes"\], "negative": \["no"\]/"classes": ["no", "yes", "other"]/' schema.json > several.json
  "$DPERM" train --force --data people.csv --schema several.json --epsilon 2 --delta 1e-4 --noise gaussian \
    --multiclass one-vs-rest --out m.json 2> /dev/null
  "$DPERM" verify --model m.json > /dev/null
  "$DPERM" train --force "${people[@]}" --epsilon 20 --delta 1e-4 --noise gaussian --refine 0.5 --out m.json 2> /dev/null
  [ "$(field '["delta"]')" = 0.0001 ]
  "$DPERM" verify --model m.json > /dev/null
}

# Of one number, uniform on 0 to 100, whose ends say yes: a shape that is found, and counted. At epsilon 1 its
# score is 59 scales of the noise above the bar: it is missed with odds of e^-59. (Labels by the last digit have no shape:
# one is seen with odds of e^-7.)
shaped() {
  python3 - > shape.csv << 'P'
import random
random.seed(1)
print("x,y")
for _ in range(20000):
    x = random.uniform(0, 100)
    print(f"{x:.3f},{int(abs(x - 50) > 25)}")
P
  cat > shape.json << 'S'
{"label": {"column": "y", "positive": ["1"], "negative": ["0"]}, "intercept": true, "on_missing": "zero",
 "columns": [{"name": "x", "type": "numeric", "min": 0, "max": 100}]}
S
}

@test "what the schema costs is composed with the noise, and every number of it is checked" {
  shaped
  by_shape=(train --data shape.csv --schema shape.json --epsilon 1 --delta 1e-6 --noise gaussian)
  for added in "" "--neighbours add-remove --rows-about 20000"; do
    rm -f model.json
    "$DPERM" "${by_shape[@]}" $added --out model.json 2> /dev/null
    "$DPERM" verify --model model.json > lines
    grep -q "ok     refined: .* cost 0.085 in steps that are composed with the noise" lines
    grep -q "ok     beta: .*, with all that the schema cost" lines
    for i in "c['scale'] *= .9" "c['shape'] *= .5" "c['count_epsilon'] *= .9" "c['counts'] -= 1" "c['counts'] = 65" \
      "c['counts'] = -1" "c['lines']['reach'] *= 1.1" "c['counted']['reach'] *= 1.02" "c['counted']['reach'] *= .99" \
      "c['counted']['kappa'] *= 2.5" "c['counted']['kappa'] *= .5" "c.pop('counted')" "c.pop('counts')" "c['more'] = 1" "c['lines']['more'] = 1" \
      "p['composed'] = 1" "p.pop('composed')" "p['beta'] *= 1.01" "p['epsilon'] *= .999" "p['delta'] *= .9"; do
      change "p = m['privacy']; c = p['composed']; $i"
      run "$DPERM" verify --model changed.json
      [ "$status" -eq 1 ] || { echo "$added $i: $output"; return 1; }
    done
    "$DPERM" statement --model model.json > page
    tr -s ' \n' ' ' < page | grep -q "with what follows it costs no more than (ε, δ) together"
  done
  # Pure noise has nothing to be composed with.
  rm -f model.json
  "$DPERM" train --force --data shape.csv --schema shape.json --epsilon 1 --out model.json 2> /dev/null
  change "p = m['privacy']; p['epsilon'] = p['epsilon_charged'] = .815; p['composed'] = {'count_epsilon': .1, 'counts': 2}"
  run "$DPERM" verify --model changed.json
  [[ "$status" -eq 1 && "$output" == *"FAILS  refined: privacy.composed is about one fit with gaussian noise"* ]]
  fails 1 "" "$DPERM" statement --model changed.json
  # Of a person's rows the parts add up as they did.
  "$DPERM" "${by_shape[@]}" --rows-per-person 2 --out m.json 2> /dev/null
  "$DPERM" verify --model m.json > lines
  grep -q "ok     refined: .* <= epsilon = 1" lines
}

@test "a model of lines states what counts would have had, and claims that are composed follow" {
  shaped
  awk -F, 'NR == 1 { print; next } { print $1 "," substr($1, length($1)) % 2 }' shape.csv > flat.csv # by the last digit
  lines=
  for _ in $(seq 40); do # each may find a shape all the same
    rm -f model.json
    "$DPERM" train --force --data flat.csv --schema shape.json --epsilon 1 --delta 1e-6 --noise gaussian --out model.json 2> message
    ! grep -q ": as lines of weight" message || { lines=1 && break; }
  done
  [ -n "$lines" ]
  "$DPERM" verify --model model.json > /dev/null
  for i in "c.pop('counted')" "c['counted']['reach'] *= 1.1" "c.pop('lines')" "c['lines']['reach'] *= .9" \
    "c['counts'] = 1" "c['counts'] = 4; c['count_epsilon'] *= .5"; do
    change "c = m['privacy']['composed']; $i"
    run "$DPERM" verify --model changed.json
    [ "$status" -eq 1 ] || { echo "$i: $output"; return 1; }
  done
  # A slack so small that its square is nothing; and where each way has another line of slack.
  for options in "--epsilon 1 --delta 1e-6 --lambda 1e165 --refine 0.3" "--epsilon 1.5 --delta 1e-3" \
    "--epsilon 1 --delta 1e-6 --lambda 1e-4 --delta-reg 1e-4" "--epsilon 1 --delta 1e-6 --delta-reg 0.01" \
    "--epsilon 0.5 --delta 1e-3 --loss smooth-hinge" "--epsilon 3 --delta 1e-9 --mechanism output"; do
    rm -f m.json
    "$DPERM" train --force --data shape.csv --schema shape.json --noise gaussian $options --out m.json 2> /dev/null
    "$DPERM" verify --model m.json > /dev/null
  done
}

@test "a ledger by a Renyi order is charged for both, as the model's own numbers say" {
  shaped
  "$DPERM" ledger init l.db --dataset d --epsilon 9 --delta 1e-4 --composition renyi 2> /dev/null
  "$DPERM" train --force --data shape.csv --schema shape.json --epsilon 0.5 --delta 1e-8 --noise gaussian --out m.json \
    --ledger l.db --dataset d 2> /dev/null
  "$DPERM" verify --model m.json --ledger l.db > lines
  grep -q "ok     charge: entry 2 paid epsilon 0.5 and delta 1e-08, which covers the model's" lines
  grep -q "ok     price: .* what follows from the file is" lines
  "$DPERM" ledger verify l.db > /dev/null
}

@test "a ledger is charged the whole of delta" {
  "$DPERM" ledger init l.db --dataset people --epsilon 3 --delta 1e-5 2> /dev/null
  train --noise gaussian --delta 6e-6 --ledger l.db --dataset people 2> message
  grep -q 'charged epsilon 1 and delta 6.*e-06 to "people"\|charged epsilon 1 and delta 0.000006' message
  run train --noise gaussian --delta 6e-6 --ledger l.db --dataset people
  [ "$status" -eq 1 ]
  train --noise l2 --delta 6e-6 --ledger l.db --dataset people 2> message # spends none of it
  "$DPERM" ledger verify l.db > /dev/null
}

@test "the statement explains delta" {
  train --noise gaussian --delta 1e-6 2> /dev/null
  "$DPERM" statement --model m.json > page
  grep -q "an allowance for bad luck, fixed in advance" page
  grep -q "in the worst case each of the 120 records is revealed with probability δ: 0.00012 of them on average, where good practice is far below one" page
  # (epsilon, delta) bounds events, not the factor of a single outcome (docs/proofs/gaussian.md 1)
  grep -q "what that record says can raise the probability of any event from p to at most 2.72 times p plus 1e-06" page
  grep -q "is right with a probability of at most 73.11 percent" page
  grep -q "above δ, but twice that factor with at most 2e-06" page
  ! grep -q "apart from events" page
  train --noise l2 2> /dev/null
  "$DPERM" statement --model m.json > page
  grep -q "what that record says makes no outcome more than 2.72 times as likely, or as unlikely, apart from events" page
}

@test "sweep compares gaussian noise with others" {
  "$DPERM" sweep "${people[@]}" --epsilon 1 --delta 1e-4 --noise l2,gaussian,auto \
    --mechanism objective,output --folds 2 --draws 2 --seed 1 --lambda 0.1 > cells 2> /dev/null
  [ "$(grep -c ',gaussian,' cells)" -eq 2 ]
  fails 2 "--noise gaussian needs --delta" "$DPERM" sweep "${people[@]}" --epsilon 1 --noise gaussian --folds 2 --draws 2
}
