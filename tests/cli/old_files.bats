# What dperm 0.1 wrote goes on opening, and what its files claim too much is named.
load helpers

setup() {
  cd "$BATS_TEST_TMPDIR"
  cp "$DPERM_SOURCE"/tests/fixtures/dperm-0.1/* .
  chmod 600 people.ledger
}

@test "models of dperm 0.1 predict what they predicted" {
  for model in model tuned person seeded; do
    sum=$("$DPERM" predict --model $model.json --data records.csv | sha256sum)
    grep -q "^${sum%% *}  $model$" predictions.sha256
  done
}

@test "verify names a claim of pure epsilon, and the pair that is proved" {
  for model in model tuned person; do
    run "$DPERM" verify --model $model.json
    [ "$status" -eq 1 ]
    [ "$(grep -c '^FAILS' <<< "$output")" -eq 2 ]
    grep -q '^FAILS  headline: pure epsilon, delta = 0 covers what is proved, ' <<< "$output"
    grep -qE '^FAILS  claim: .* for replacing .* of 400$' <<< "$output"
    grep -q '^note   written by dperm 0.1: the advisory in SECURITY.md' <<< "$output"
  done
  grep -q '^## Advisory' "$DPERM_SOURCE/SECURITY.md"
}

@test "mixed noise without weights of blocks is still verified and used" {
  cp "$DPERM_SOURCE"/tests/fixtures/mixed-unweighted/model.json then.json
  sum=$("$DPERM" predict --model then.json --data records.csv | sha256sum)
  [ "${sum%% *}" = a524f657fca0a559c01d57f6b246d6a044f8012f847122881dce5a4adbda2cf7 ]
  "$DPERM" verify --model then.json > lines
  grep -q '^ok     body: mixed noise: |x| <= 2.95' lines
  "$DPERM" statement --model then.json > /dev/null
  sed 's/"beta": 0.0/"beta": 0.1/' then.json > changed.json
  ! cmp -s then.json changed.json
  says 1 "FAILS  beta: " "$DPERM" verify --model changed.json
}

@test "a seeded model of dperm 0.1 stays one that is not private" {
  says 1 "the noise came from a seed" "$DPERM" verify --model seeded.json
}

@test "a ledger of dperm 0.1 is shown, verified, charged and still knows its models" {
  "$DPERM" ledger verify people.ledger > /dev/null
  "$DPERM" ledger show people.ledger | grep -q 'epsilon  1.25 left of 2'
  "$DPERM" ledger show people.ledger --model model.json > /dev/null
  "$DPERM" train --data records.csv --schema schema.json --epsilon 1 --out new.json \
    --ledger people.ledger --dataset people 2> /dev/null
  "$DPERM" ledger verify people.ledger > /dev/null
  "$DPERM" ledger show people.ledger | grep -q 'epsilon  0.25 left of 2'
  for model in model tuned new; do
    "$DPERM" ledger show people.ledger --model $model.json > /dev/null
  done
  run "$DPERM" train --data records.csv --schema schema.json --epsilon 0.5 --out more.json \
    --ledger people.ledger --dataset people
  [ "$status" -eq 1 ]
  [ ! -e more.json ]
}

# QR rounds as BLAS does, so the last bits may differ between machines.
@test "a model with orthogonal directions by QR predicts what it predicted" {
  cp "$DPERM_SOURCE"/tests/fixtures/orthogonal-qr/* .
  "$DPERM" predict --model model.json --data rows.svm --out now.csv
  py <<'P'
assert json.load(open("model.json"))["kernel"]["kind"] == "orthogonal"
then, now = (list(csv.DictReader(open(name))) for name in ("predictions.csv", "now.csv"))
assert len(then) == len(now) == 40
for a, b in zip(then, now):
    assert a["prediction"] == b["prediction"] and abs(float(a["score"]) - float(b["score"])) < 1e-11, (a, b)
P
  "$DPERM" train --data rows.svm --dims 80 --mechanism none --lambda 0.01 --kernel gaussian --gamma 0.7 \
    --features 60 --seed 3 --out new.json 2> /dev/null
  grep -q '"kind": "hadamard"' new.json
}
