# dperm plan: public numbers in, what to expect out.
load helpers

@test "the plan has the promised fields and they agree with each other" {
  "$DPERM" plan --rows 45222 --dims 104 --epsilon 0.1 --lambda 1e-3 --json > plan.json
  py <<'P'
p = json.load(open("plan.json"))
for key in ("epsilon", "lambda", "delta_reg", "beta", "noise", "expected_noise_norm", "noise_norm_q95", "excess_objective_q95"):
    assert key in p, key
assert abs(p["expected_noise_norm"] - 104 / p["beta"]) < 1e-9 * p["expected_noise_norm"]
n, total = 45222, p["lambda"] + p["delta_reg"]
bound = math.sqrt(2 * math.log(2) / p["lambda"])
excess = p["noise_norm_q95"] ** 2 / (2 * n * n * total) + p["delta_reg"] / 2 * bound ** 2
assert abs(p["excess_objective_q95"] - excess) < 1e-9 * excess
assert p["noise_norm_q50"] < p["expected_noise_norm"] < p["noise_norm_q95"]
P
}

@test "what train refuses of a kernel a plan refuses; the figure that add-remove needs is asked for at once" {
  run "$DPERM" plan --rows 100 --dims 3 --epsilon 1 --kernel gaussian --gamma 1e300 --features 4
  fails_with 2 "gamma = 1e+300; choose it above 0 and at most 1e100"
  fails 2 "--neighbours add-remove needs --rows-about" "$DPERM" plan --neighbours add-remove --dims 3 --epsilon 1
  fails 2 "--rows is missing" "$DPERM" plan --neighbours replace --dims 3 --epsilon 1
}

@test "the loss of a number needs no schema" {
  "$DPERM" plan --rows 5000 --dims 3 --epsilon 1 --loss huber-regression --json > plan.json
  py <<'P'
p = json.load(open("plan.json"))
assert p["coin_loss"] == 0.95, p["coin_loss"]  # of a residual of 1, at h = 0.1
P
}

@test "a plan for people, from a schema" {
  succeeds "$DPERM" plan --rows 120 --schema schema.json --epsilon 1
  [[ "$output" == *"120 rows of 4 columns"* && "$output" == *"beta"* && "$output" == *"excess objective"* ]]
}

@test "a plan without privacy says so" {
  says 0 "nothing is private" "$DPERM" plan --rows 100 --dims 4 --mechanism none
  "$DPERM" plan --rows 100 --dims 4 --mechanism none --json | python3 -c '
import json, sys
p = json.load(sys.stdin)
assert p["lambda"] == 0.01 and p["noise"] is None and p["beta"] is None and p["epsilon"] is None'
}

@test "numbers beyond all numbers are refused or null, never invalid JSON" {
  run "$DPERM" plan --rows 1 --dims 3 --norm 1e100 --epsilon 1e-9 --mechanism output --lambda 1e-80 --json
  [ "$status" -ne 0 ] || python3 -c 'import json, sys; json.loads(sys.argv[1])' "$output"
  fails 2 "columns" "$DPERM" plan --rows 10 --dims 4611686018427387903 --epsilon 1
}

@test "a guess of the norm changes the choice, not the bounds" {
  "$DPERM" plan --rows 100 --dims 3 --epsilon 1 --lambda .001 --json > a.json
  "$DPERM" plan --rows 100 --dims 3 --epsilon 1 --lambda .001 --norm-guess .01 --json > b.json
  python3 -c '
import json
a, b = json.load(open("a.json")), json.load(open("b.json"))
assert a["solution_norm_bound"] == b["solution_norm_bound"] and b["delta_reg"] > a["delta_reg"]'
}

@test "wrong usage" {
  fails 2 "--rows is missing" "$DPERM" plan --dims 4 --epsilon 1
  fails 2 "either --schema or --dims" "$DPERM" plan --rows 10 --epsilon 1
  fails 2 "either --schema or --dims" "$DPERM" plan --rows 10 --dims 4 --schema schema.json --epsilon 1
  fails 2 "--norm and --norm1 go with --dims" "$DPERM" plan --rows 10 --schema schema.json --norm 2 --epsilon 1
  fails 2 "--epsilon is missing" "$DPERM" plan --rows 10 --dims 4
  fails 2 "choose it between" "$DPERM" plan --rows 10 --dims 4 --epsilon 1000
  fails 1 "none.json: cannot open" "$DPERM" plan --rows 10 --schema none.json --epsilon 1
}

@test "every kind of noise side by side, from the schema alone" {
  "$DPERM" plan --rows 120 --schema schema.json --epsilon 1 --json > plan.json
  py <<'P'
p = json.load(open("plan.json"))
kinds = {k["noise"]: k for k in p["noise_kinds"]}
assert list(kinds) == ["l2", "l1", "group", "linf", "mixed"]
for k in kinds.values():
    assert sorted(k) == ["beta", "expected_noise_norm", "noise", "noise_norm_q95", "rms_noise_norm"]
best = min(kinds.values(), key=lambda k: k["rms_noise_norm"])
assert p["noise"] == best["noise"] and p["beta"] == best["beta"]
assert p["rms_noise_norm"] == best["rms_noise_norm"]
P
  run "$DPERM" plan --rows 120 --schema schema.json --epsilon 1
  [ "$(grep -c -- ' <-$' <<< "$output")" -eq 1 ]
  [[ "$output" == *"group "*"linf "*"mixed "* ]]
}

@test "sparse rows without a schema: --norm1" {
  "$DPERM" plan --rows 1000 --dims 100 --norm1 3 --epsilon 1 --json > plan.json
  python3 -c 'import json; p = json.load(open("plan.json")); assert p["noise"] == "l1" and p["norm1"] == 3'
  fails 2 "--norm1 go with --dims" "$DPERM" plan --rows 1000 --schema schema.json --norm1 3 --epsilon 1
}

@test "what to expect, in words" {
  run "$DPERM" plan --rows 1000000 --dims 5 --epsilon 1
  [[ "$output" == *"the noise is far below"* && "$output" == *"yours is sufficient"* ]]
  run "$DPERM" plan --rows 100 --dims 50 --epsilon 0.1
  [[ "$output" == *"the noise is above"* && "$output" == *"yours is too small"* ]]
  run "$DPERM" plan --rows 100 --dims 5 --epsilon 0.1 --lambda 1
  [[ "$output" == *"minimum epsilon      none"* && "$output" == *"minimum rows         none"* ]]
  "$DPERM" plan --rows 100 --dims 5 --epsilon 0.1 --lambda 1 --json | python3 -c '
import json, sys
p = json.load(sys.stdin)
assert p["epsilon_better_than_coin"] is None and p["rows_better_than_coin"] is None'
}

@test "very many columns are planned as quickly as few, and too many are refused at once" {
  succeeds "$DPERM" plan --rows 1000 --dims 2147483647 --epsilon 1 --json
  export ASAN_OPTIONS=allocator_may_return_null=1 # as malloc does, where there is a sanitizer
  run bash -c '"$DPERM" train --force --data <(printf "+1 1:1\n-1 2:1\n") --format svmlight --dims 2147483647 \
    --epsilon 1 --out /dev/null'
  fails_with 1 "out of memory"
  for rows in "--dims 10" "--schema schema.json"; do
    run "$DPERM" plan --rows 1000 $rows --epsilon 1 --kernel gaussian --gamma 1 --features 4294967296
    fails_with 2 "4294967296 features; give at most 2^31 - 2"
  done
  fails 2 "at most 2^31 columns" "$DPERM" plan --rows 1000 --dims 2147483648 --epsilon 1
  run "$DPERM" train --force "${people[@]}" --epsilon 1 --kernel gaussian --gamma 1 --features 4294967296 --out m.json
  fails_with 2 "4294967296 features would take"
  leaves_no m.json
}

@test "a plan says what the schema has of epsilon, or will get" {
  plan() { "$DPERM" plan --rows 4000 --epsilon 1 "$@"; }
  plan --schema schema.json | grep -q 'epsilon for schema   0.06         of that, for asking the records how'
  plan --schema schema.json --refine auto | grep -q 'epsilon for schema   0.08         of that, for the counts by which train'
  for no in "--bins none" "--bins auto" "--refine none" "--rows-per-person 11" "--kernel gaussian --gamma 1 --features 10"; do
    [[ "$(plan --schema schema.json $no)" != *"epsilon for schema"* ]]
  done
  [[ "$("$DPERM" plan --rows 4000 --mechanism none --schema schema.json)" != *"for schema"* ]]
  awk 'NR == 1; NR > 1 {for (i = 0; i < 40; i++) print}' people.csv > many.csv
  "$DPERM" refine --force --data many.csv --schema schema.json --epsilon 0.25 --out narrow.json 2> /dev/null
  plan --schema narrow.json | grep -q 'epsilon for schema   0.25         of that, already spent on refining the schema'
  plan --schema narrow.json | grep -q 'epsilon              1.25 '
  fails 1 "refined already" "$DPERM" plan --rows 4000 --epsilon 1 --schema narrow.json --refine auto
  fails 2 "--refine needs --schema" "$DPERM" plan --rows 4000 --epsilon 1 --dims 5 --refine auto
}

@test "a plan's epsilon is that of train, for programs too" {
  awk 'NR == 1; NR > 1 {for (i = 0; i < 40; i++) print}' people.csv > many.csv
  rows=$(($(wc -l < many.csv) - 1))
  for how in "" "--refine none" "--refine auto" "--refine 0.3" "--rows-per-person 2" "--bins auto"; do
    "$DPERM" plan --rows $rows --schema schema.json --epsilon 3 --json $how > plan.json
    "$DPERM" train --force --data many.csv --schema schema.json --epsilon 3 --json $how --out m.json > train.json 2> /dev/null
    py <<'P'
plan, train, model = (json.load(open(f)) for f in ("plan.json", "train.json", "m.json"))
assert plan["epsilon"] == train["epsilon"] == 3, (plan["epsilon"], train)
counts = 0.15 if train["answer"] == "bins" else 0 # of a shape that was found
assert abs(plan["epsilon_refined"] + counts - train["epsilon_refined"]) < 1e-12, (plan, train)
assert counts or abs(plan["epsilon_row"] - model["privacy"]["epsilon_row"]) < 1e-12
assert plan["refined_by"] == ("answer" if train["answer"] else "counts" if train["epsilon_refined"] else None), plan
P
  done
}

@test "a range from -r to r has no bins that pay, as auto gives it none" {
  sed 's/"min": [0-9.]*, "max": \([0-9.]*\)/"min": -\1, "max": \1/' schema.json > even.json
  "$DPERM" plan --rows 40000 --epsilon 1 --schema even.json --json > even.plan
  "$DPERM" plan --rows 40000 --epsilon 1 --schema schema.json --json > plain.plan
  "$DPERM" plan --rows 40000 --epsilon 1 --schema even.json --bins auto --json > auto.plan
  py <<'P'
even, plain, auto = (json.load(open(f + ".plan"))["columns"] for f in ("even", "plain", "auto"))
assert any(c["bins"] for c in plain) and not any(c["bins"] for c in even) and even[0]["dims"] == auto[0]["dims"] == 1
P
}

@test "norms beyond what a plan takes are told the limits" {
  fails 2 "a norm from 1e-100 to 1e100" "$DPERM" plan --rows 100 --dims 3 --epsilon 1 --norm 1e300
  fails 2 "norm1 = 1e-300; give one of at least 1e-100" "$DPERM" plan --rows 100 --dims 3 --epsilon 1 --norm1 1e-300
}

@test "the guide shows what its plan prints" {
  sed -n '/^\$ dperm plan --rows 45222/,/^```/p' "$DPERM_SOURCE/docs/guide.md" > shown
  read -ra call < shown
  (cd "$DPERM_SOURCE" && "$DPERM" "${call[@]:2}") > plan
  [ "$(grep -vc '^…\|^`\|^\$' shown)" -gt 9 ]
  ! grep -v '^…\|^`\|^\$' shown | grep -vxFf plan || { echo "is not in what the plan prints"; return 1; }
}
