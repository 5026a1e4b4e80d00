# dperm audit: what it prints, its exit status, the picture, other people's trainers, wrong usage.
load helpers

@test "one audit is one object, with the keys of the interface" {
  "$DPERM" audit --draws 20000 --seed 1 > one.json 2> table
  grep -q '^objective  *huber  *1  *[0-9e.-]*  *0[.][0-9]* .*not refuted$' table
  "$DPERM" audit --mechanism output --loss logistic --epsilon 3 --draws 20000 --seed 1 --threads 1 > two.json 2> table
  py <<'P'
one, two = json.load(open("one.json")), json.load(open("two.json"))
keys = ["mechanism", "variant", "epsilon_claimed", "delta_claimed", "epsilon_lower_bound", "confidence", "draws", "verdict"]
assert list(one) == list(two) == keys, list(one)
assert (one["mechanism"], one["variant"], two["mechanism"], two["variant"]) == (
    "objective", "huber", "output", "logistic")
assert one["epsilon_claimed"] == 1 and 0.85 < one["epsilon_lower_bound"] <= 1
assert two["epsilon_claimed"] == 3 and 2 < two["epsilon_lower_bound"] <= 3
assert one["draws"] == 20000 and one["confidence"] == 0.998
assert one["verdict"] == "not refuted"
P
}

@test "a seed makes it reproducible, whatever the threads" {
  "$DPERM" audit --mechanism jacobian --draws 5000 --seed 3 --threads 1 > a 2> /dev/null
  "$DPERM" audit --mechanism jacobian --draws 5000 --seed 3 --threads 2 > b 2> /dev/null
  "$DPERM" audit --mechanism jacobian --draws 5000 --seed 4 --threads 2 > c 2> /dev/null
  cmp a b
  ! cmp -s a c
}

@test "all audits are an array and a table" {
  "$DPERM" audit --all --draws 300 --seed 1 > all.json 2> table
  py <<'P'
rows = json.load(open("all.json"))
assert all(r["verdict"] == "not refuted" for r in rows)
names = {r["mechanism"] for r in rows}
assert names == {"output", "objective", "jacobian", "gaussian-output", "gaussian-objective",
                 "gaussian-jacobian", "add-output", "add-objective", "add-jacobian", "add-gaussian-output",
                 "add-gaussian-objective", "elliptic", "joint", "add-joint", "gaussian-joint", "add-gaussian-joint",
                 "shape", "intercept", "weights",
                 "selector", "split", "stopping", "refine", "add-refine", "bins", "columns", "scale", "add-scale", "width", "add-width", "calibration", "add-calibration", "intervals", "pairs", "add-pairs", "persons", "add-persons", "held-out", "add-held-out", "score", "add-score", "noise", "lattice", "rows"}, names
for mechanism in ("output", "objective", "jacobian", "gaussian-output", "gaussian-objective", "add-gaussian-output",
                  "add-gaussian-objective", "weights"):
    losses = {r["variant"] for r in rows if r["mechanism"] == mechanism}
    numbers = {"log-cosh", "huber-regression", "quantile", "poisson"} if mechanism != "weights" else set()
    assert losses == {"huber", "smooth-hinge", "logistic"} | numbers, losses
assert [r["mechanism"] for r in rows if r["epsilon_lower_bound"] is None] == ["noise"] * 6 + [
    "lattice", "rows"]
for r in rows:
    noisy = "gaussian" in r["mechanism"] or r["mechanism"] == "elliptic"
    law = r["epsilon_lower_bound"] is None
    assert r["delta_claimed"] is None if law else (r["delta_claimed"] >= 0.002) == noisy, r
    assert noisy or law or r["delta_claimed"] < 1e-30, r
assert len(open("table").read().splitlines()) == len(rows) + 1
open("names", "w").write("\n".join(sorted(names)) + "\n")
P
  "$DPERM" help audit | tr -s ' ,;.()' '\n' > words
  while read -r name; do grep -qx -e "$name" words; done < names
}

@test "gaussian noise is audited at any delta" {
  for mechanism in gaussian-output gaussian-jacobian add-gaussian-objective "gaussian-joint --variant output" elliptic; do
    "$DPERM" audit --mechanism $mechanism --delta 0.1 --draws 2000 --seed 1 > "$mechanism" 2> /dev/null
    tr -s ' \n' ' ' < "$mechanism" | grep -q '"delta_claimed": 0.1, .*"verdict": "not refuted"'
  done
  run "$DPERM" audit --mechanism gaussian-joint --variant jacobian
  fails_with 2 'no audit is called "gaussian-joint jacobian"; dperm help audit'
  # What a claim allows for with probability 0.1 is not seen at 1e-6.
  "$DPERM" audit --mechanism gaussian-output --delta 1e-6 --draws 20000 --seed 1 > small 2> /dev/null
  "$DPERM" audit --mechanism gaussian-output --draws 20000 --seed 1 > usual 2> /dev/null
  py <<'P'
small, usual = json.load(open("small")), json.load(open("usual"))
assert small["delta_claimed"] == 1e-6 and usual["delta_claimed"] == 0.02
assert 0.1 < small["epsilon_lower_bound"] < 0.8 < usual["epsilon_lower_bound"] <= 1, (small, usual)
P
}

@test "the noise is one line for each kind" {
  "$DPERM" audit --mechanism noise --draws 20000 --seed 1 > noise.json 2> table
  "$DPERM" audit --mechanism noise --variant mixed --draws 20000 --seed 1 > mixed.json 2> /dev/null
  py <<'P'
rows, mixed = json.load(open("noise.json")), json.load(open("mixed.json"))
kinds = ["l2", "l1", "group", "linf", "mixed", "gaussian"]
assert [r["variant"] for r in rows] == kinds and {r["mechanism"] for r in rows} == {"noise"}
assert all(0 < r["distance"] <= r["limit"] and r["verdict"] == "not refuted" for r in rows)
assert rows[-2] == mixed
lines = open("table").read().splitlines()
assert [line.split()[1] for line in lines[1:]] == kinds, lines
P
  run "$DPERM" audit --mechanism noise --variant l7
  fails_with 2 'no audit is called "noise l7"'
}

@test "another trainer's mistake is found, and its mended self passes" {
  # A seed of its own for each of the two files, or a sound trainer would be refuted now and then.
  cat > seeded.py <<'P'
import os, random, runpy, sys
random.seed(os.path.basename(sys.argv[-2]))
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
P
  trainer="python3 seeded.py $DPERM_SOURCE/examples/audit_me.py"
  says 1 '"verdict": "refuted"' "$DPERM" audit --command "$trainer" --epsilon 1 --draws 20000
  "$DPERM" audit --command "$trainer --right" --epsilon 1 --draws 20000 > out 2> table
  tr -s ' \n' ' ' < out | grep -q '"mechanism": "command".*"draws": 18000, "verdict": "not refuted"'
  # at a claim of 1.5 even the mistaken one is fine
  "$DPERM" audit --command "$trainer" --epsilon 1.5 --draws 20000 > out 2> table
}

@test "a trainer that prints one model a call is called again" {
  cat > one.sh <<'S'
echo "$1" >> calls
sed -n 101p "$1" | sed 's/.*,/[/; s/$/]/'
S
  run "$DPERM" audit --command "sh one.sh" --draws 100
  [ "$status" -eq 1 ]
  [ "$(wc -l < calls)" -eq 200 ]
  [ "$(sort -u calls | wc -l)" -eq 2 ]
  [ ! -e "$(head -n 1 calls)" ]
}

@test "records of one's own" {
  echo 5 > a; echo 7 > b
  run "$DPERM" audit --command "repeat() { for i in \$(seq 1 \$2); do cat \$1; done; }; repeat" \
    --first a --second b --draws 500
  [ "$status" -eq 1 ]
  [[ "$output" == *'"verdict": "refuted"'* ]]
}

@test "a trainer that does not do what it should is one line" {
  fails 1 "the command failed with status 1" "$DPERM" audit --command false --draws 100
  fails 1 "the command printed nothing" "$DPERM" audit --command true --draws 100
  fails 1 "a line must be a JSON array of numbers" "$DPERM" audit --command "echo hello" --draws 100
  fails 1 "a line must be a JSON array of numbers" "$DPERM" audit --command "echo '[1, 2'; :" --draws 100
  fails 1 "all of the same length" "$DPERM" audit --command "echo 1; echo '[1, 2]'; :" --draws 100
  fails 1 "a line must be a JSON array of numbers" "$DPERM" audit --command "echo nan; :" --draws 100
}

@test "wrong usage" {
  fails 2 'no audit is called "magic"' "$DPERM" audit --mechanism magic
  fails 2 'no audit is called "objective hinge"' "$DPERM" audit --loss hinge
  fails 2 "--epsilon must be a positive number" "$DPERM" audit --epsilon 0
  fails 2 "between 0.001 and 20" "$DPERM" audit --epsilon 30
  fails 2 "--draws must be a whole number" "$DPERM" audit --draws 0
  fails 2 "--all runs every audit" "$DPERM" audit --all --loss huber
  fails 2 "--command goes with" "$DPERM" audit --command true --seed 1
  fails 2 "go with --command" "$DPERM" audit --first a
  for delta in -0.1 1 7; do
    fails 2 "--delta must be at least 0 and below 1" "$DPERM" audit --command "touch ran; echo" --delta $delta
    fails 2 "--delta must be above 0 and below 1" "$DPERM" audit --mechanism gaussian-output --delta $delta
  done
  leaves_no ran
  fails 2 "--delta must be above 0 and below 1" "$DPERM" audit --mechanism gaussian-output --delta 0
  fails 2 'audits of gaussian noise' "$DPERM" audit --mechanism joint --delta 0.01
  fails 2 "not with --all" "$DPERM" audit --all --delta 0.01
  fails 2 "--first and --second go together" "$DPERM" audit --command true --first a
  run "$DPERM" audit --command true --draws 50
  [ "$status" -ne 0 ]
  succeeds "$DPERM" help audit
  [[ "$output" == *"usage: dperm audit"*"--command CMD"* ]]
}
