# --class-weights: public weights of classes, from the command line to model, verification, statement,
# plan, tuning and sweep; what is refused; and that a model file cannot claim more by other weights.
load helpers

weights_of() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1])).get("class_weights"))' "$1"; }

@test "weights stand in the model, which is private, verifies and says so" {
  for how in "--mechanism objective" "--mechanism output" "--noise l2" "--noise group" "--loss huber" "--analysis paper"; do
    "$DPERM" train --force "${people[@]}" --epsilon 1 --class-weights no=1,yes=10 $how --out m.json 2> message
    grep -q '(epsilon, delta) = (1, ' message
    [ "$(weights_of m.json)" = "[0.1, 1.0]" ]
    "$DPERM" verify --model m.json > lines
    grep -q '^ok     class_weights: from 0.1 to 1, so L and c hold for every record$' lines
  done
  "$DPERM" statement --model m.json > page
  "$DPERM" predict --model m.json --data people.csv > /dev/null
  "$DPERM" train --force "${people[@]}" --epsilon 1 --out plain.json 2> /dev/null
  [ "$(weights_of plain.json)" = None ]
  ! "$DPERM" verify --model plain.json | grep -q class_weights
}

@test "the noise and its price are those without weights" {
  "$DPERM" plan --rows 120 --schema schema.json --epsilon 1 --json > without
  "$DPERM" plan --rows 120 --schema schema.json --epsilon 1 --json --class-weights yes=10 > with
  diff without with
  "$DPERM" plan --rows 120 --schema schema.json --epsilon 1 --class-weights yes=10 | grep -q '^class weights: '
  fails 2 "--class-weights goes with --schema" "$DPERM" plan --rows 120 --dims 5 --epsilon 1 --class-weights anything=10
  run "$DPERM" plan --rows 120 --schema schema.json --epsilon 1 --class-weights maybe=10
  fails_with 2 '"maybe" has a weight and is no class; the first two of 2 are "no" and "yes"'
}

@test "tuning states the weights of its candidates" {
  for method in split stopping; do
    "$DPERM" tune --force "${people[@]}" --epsilon 2 --lambda 0.1,0.2 --class-weights yes=3 --method $method --out m.json 2> /dev/null
    [ "$(weights_of m.json)" != None ]
    "$DPERM" verify --model m.json > /dev/null
    py <<'P'
m = json.load(open("m.json"))
assert all(c["class_weights"] == {"yes": 3.0} for c in m["selection"]["candidates"])
P
  done
}

@test "several classes: a record counts by its own class in every fit" {
  sed -i 's/"positive": \["yes"\], "negative": \["no"\]/"classes": ["no", "yes", "other"]/' schema.json
  "$DPERM" train --force "${people[@]}" --epsilon 3 --class-weights no=2,other=8 --out m.json 2> /dev/null
  [ "$(weights_of m.json)" = "[0.25, 0.125, 1.0]" ]
  "$DPERM" verify --model m.json > lines
  grep -q '^ok     class_weights: from 0.125 to 1' lines
  grep -q '^ok     classes: one fit for all 3' lines
  "$DPERM" train --force "${people[@]}" --epsilon 3 --class-weights no=2,other=8 --multiclass one-vs-rest --out m.json 2> /dev/null
  "$DPERM" verify --model m.json | grep -q '^ok     classes: one against the rest for each of 3'
}

@test "names with equals signs, and svmlight's own names" {
  sed -i 's/yes/>=50/g; s/\bno\b/<=50/g' people.csv schema.json
  "$DPERM" train --force "${people[@]}" --epsilon 1 --class-weights '<=50=1,>=50=4' --out m.json 2> /dev/null
  [ "$(weights_of m.json)" = "[0.25, 1.0]" ]
  printf '%s\n' '+1 1:0.5' '-1 2:0.5' '-1 1:0.1' > rows.svm
  "$DPERM" train --force --data rows.svm --dims 2 --epsilon 1 --class-weights +1=2 --out m.json 2> /dev/null
  [ "$(weights_of m.json)" = "[0.5, 1.0]" ]
}

@test "what is wrong is said in one line, and nothing is written" {
  refused() { # exit status, words, weights
    run "$DPERM" train --force "${people[@]}" --epsilon 1 --out m.json --class-weights "$3"
    fails_with "$1" "$2"
    leaves_no m.json
  }
  for wrong in yes yes= =3 yes=0 yes=-1 yes=nan yes=inf yes=1, ,yes=1 yes=1,,no=1 ''; do
    refused 2 "--class-weights must be NAME=W,NAME=W with public numbers above zero" "$wrong"
  done
  refused 2 'not "balanced"; balanced weights would count the records, which is not private' balanced
  refused 2 '"maybe" has a weight and is no class' maybe=2
  refused 2 'class "yes" has two weights; give one' yes=2,yes=3
  refused 2 'give a number between 1e-06 and 1e+06' yes=1e9
}

@test "a falsified weight does not let a claim pass" {
  "$DPERM" train --force "${people[@]}" --epsilon 1 --class-weights yes=10 --out model.json 2> /dev/null
  # As given, and not divided: ten times the slope that beta is for.
  change 'm["class_weights"] = [1.0, 10.0]'
  says 1 "FAILS  class_weights: from 1 to 10" "$DPERM" verify --model changed.json
  [[ "$output" == *"FAILS  claim: "* ]]
  [[ "$output" != *"FAILS  digest"* ]]
  fails 1 "a class weight is not a number above 0 and at most 1" "$DPERM" predict --model changed.json --data people.csv
}
