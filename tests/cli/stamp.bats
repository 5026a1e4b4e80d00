# The stamp as a table, for the command: every way to a model times every reason not to be private.
# Model, verify, statement, the summary line and the ledger must say the same. (C: stamp_test.c,
# Python: test_stamp.py.)
load helpers

# A line "way | options" each; all write m.json.
ways() {
  cat <<'W'
train | train --epsilon 0.25
train, output | train --epsilon 0.25 --mechanism output
train, kernel | train --epsilon 0.25 --kernel gaussian --gamma 0.5 --features 4
train, persons | train --epsilon 0.25 --rows-per-person 1
train, encoded | encoded --epsilon 0.25
train, weights | train --epsilon 0.25 --class-weights yes=10
tune, split | tune --epsilon 0.25 --lambda 0.1,0.2
tune, stopping | tune --epsilon 0.25 --lambda 0.1,0.2 --method stopping
tune, weights | tune --epsilon 0.25 --lambda 0.1,0.2 --class-weights yes=10
tune, public | tune --epsilon 0.25 --lambda 0.1,0.2 --method public --public-data others.csv
W
}

make() { # the words of a way, and more options
  local command=$1
  shift
  rm -f m.json
  if [ "$command" = encoded ]; then
    "$DPERM" train --force --data people.dperm "$@" --out m.json 2> message
  else
    "$DPERM" "$command" "${people[@]}" "$@" --out m.json 2> message
  fi
}

all_say() { # "private", or words of the reason
  "$DPERM" statement --model m.json > page
  if [ "$1" = private ]; then
    "$DPERM" verify --model m.json > lines
    grep -q '^  "private": true,$' m.json
    grep -q '(epsilon, delta) = (0.25, ' message
    head -1 page | grep -q '^# Privacy statement$'
    delta=$(python3 -c 'import json; print("%.2g" % json.load(open("m.json"))["privacy"]["delta"])')
    grep -qF "(epsilon, delta) = (0.25, $delta) for every record" message
    grep -qF "| privacy budget | (ε, δ) = (0.25, $delta), for every record |" page
    exact=$(python3 -c 'import json; print(repr(json.load(open("m.json"))["privacy"]["delta"]))')
    grep -qF "ok     claim: (epsilon, delta) = (0.25, $exact) for replacing one record" lines
  else
    says 1 "$1" "$DPERM" verify --model m.json
    grep -q '^  "private": false,$' m.json
    grep -q "^  \"reason\": \".*$1" m.json
    grep -q "not private: .*$1" message
    head -1 page | grep -q '^# No privacy$'
    grep -q "$1" page
    ! grep -q 'ε =' page
  fi
}

@test "every way says private without a reason, all the same pair, and that a seed protects nobody" {
  "$DPERM" encode "${people[@]}" --out people.dperm 2> /dev/null
  while IFS='|' read -r way words; do
    echo "$way" # no || behind: it would let every check but the last pass
    make $words
    all_say private
    make $words --seed 3
    all_say "the noise came from a seed"
  done < <(ways)
}

@test "no mechanism is said, and tuning refuses it" {
  make train --mechanism none
  all_say "trained without a privacy mechanism"
  run "$DPERM" tune --force "${people[@]}" --mechanism none --lambda 0.1,0.2 --out m.json
  [ "$status" -eq 2 ]
}

@test "a choice on the private records themselves ends the run, whatever file they come from" {
  same="dperm: the public data are the private records, or mostly, so no budget covers a choice on them and nothing is released; choose on other records, or by the method split or stopping"
  "$DPERM" encode "${people[@]}" --out people.dperm 2> /dev/null
  cp people.csv copy.csv
  gzip -c people.csv > packed.csv.gz
  ln -s people.csv link.csv
  { head -1 people.csv; tail -n +2 people.csv | tac; } > turned.csv
  sed 2d people.csv > shorter.csv
  sed '2s/,no$/,yes/' people.csv > flipped.csv
  { cat people.csv; tail -n +2 people.csv; } > twice.csv
  { cat people.csv; tail -n +2 others.csv; } > hidden.csv
  head -111 people.csv > part.csv
  for public in people.csv copy.csv packed.csv.gz link.csv {turned,shorter,flipped,twice,hidden,part}.csv; do
    for seed in "" "--seed 3"; do
      run make tune --epsilon 0.25 --lambda 0.1,0.2 --method public --public-data $public $seed
      [ "$status" -eq 1 ] && [ ! -e m.json ] || { echo "$public"; return 1; }
      [ "$(cat message)" = "$same" ] || { echo "$public"; cat message; return 1; }
    done
  done
  run "$DPERM" tune --force --data people.dperm --epsilon 0.25 --lambda 0.1,0.2 --method public \
    --public-data people.dperm --out m.json
  [ "$status" -eq 1 ] && [ "$output" = "$same" ] && [ ! -e m.json ]
}

@test "a ledger charges the pair that the model states, and refuses what is not private" {
  "$DPERM" encode "${people[@]}" --out people.dperm 2> /dev/null
  while IFS='|' read -r way words; do
    rm -f l.db
    "$DPERM" ledger init l.db --dataset people --epsilon 1 2> /dev/null
    make $words --seed 3 --ledger l.db --dataset people && { echo "$way"; return 1; }
    [ ! -e m.json ]
    make $words --ledger l.db --dataset people || { echo "$way: $(cat message)"; return 1; }
    "$DPERM" ledger show l.db --json > shown.json
    python3 - <<'P' || { echo "$way"; return 1; }
import json
m, s = json.load(open("m.json")), json.load(open("shown.json"))
(entry,) = s["entries"]
assert float(entry["epsilon"]) == m["privacy"]["epsilon"] == 0.25
assert float(entry["delta"]) == m["privacy"]["delta"] == m["privacy"]["numerics"]["delta"] > 0
P
    DPERM_LEDGER=l.db make $words --seed 3 && { echo "$way: known data"; return 1; }
    [ ! -e m.json ]
  done < <(ways)
}

@test "records that a ledger knows are not public" {
  public=(tune --epsilon 0.25 --lambda 0.1,0.2 --method public --public-data others.csv)
  "$DPERM" ledger init l.db --dataset others --epsilon 1 2> /dev/null
  "$DPERM" ledger init l.db --dataset people --epsilon 1 2> /dev/null
  "$DPERM" train --force --data others.csv --schema schema.json --epsilon 0.25 --ledger l.db \
    --dataset others --out o.json 2> /dev/null
  cp l.db before.db
  for more in "--dataset people" "--dataset people --dry-run" "--dataset others"; do
    run make "${public[@]}" --ledger l.db $more
    [ "$status" -eq 1 ] && [ ! -e m.json ]
    grep -q '^dperm: l.db: these data are data set "others", and a choice made on them' message
    [ "$(wc -l < message)" -eq 1 ]
    DPERM_LEDGER=l.db run make "${public[@]}" $more
    [ "$status" -eq 1 ] && [ ! -e m.json ]
  done
  DPERM_LEDGER=l.db run make "${public[@]}" --seed 3
  [ "$status" -eq 1 ] && [ ! -e m.json ]
  cmp l.db before.db
  DPERM_LEDGER=l.db make "${public[@]}" --ledger none
}

@test "that public data are the private records is told behind the charge" {
  public=(tune --epsilon 0.25 --lambda 0.1,0.2 --method public --public-data people.csv --ledger l.db --dataset people)
  "$DPERM" ledger init l.db --dataset people --epsilon 1 2> /dev/null
  cp l.db before.db
  make "${public[@]}" --dry-run # by public numbers
  cmp l.db before.db
  run make "${public[@]}"
  [ "$status" -eq 1 ] && [ ! -e m.json ]
  [ "$(wc -l < message)" -eq 1 ]
  grep -q '^dperm: the public data are the private records, .* method split or stopping; the charge (entry 2 of the ledger) stays spent$' message
  "$DPERM" ledger show l.db --json > shown.json
  python3 -c 'import json
(entry,) = json.load(open("shown.json"))["entries"]
assert float(entry["epsilon"]) == 0.25 and entry["status"] == "reserved", entry'
}

@test "a private score says private, and a seed that it is not" {
  make train --mechanism none
  "$DPERM" score --model m.json --data people.csv --epsilon 0.25 > s.json 2> message
  grep -q '"private": false' s.json
  grep -q '^not private: the model is not' message
  "$DPERM" score --model m.json --data people.csv --epsilon 0.25 --public-model 2> /dev/null |
    grep -q '"private": true'
  "$DPERM" score --model m.json --data people.csv --epsilon 0.25 --public-model --seed 3 | grep -q '"private": false'
}
