# CONTRIBUTING.md's recipes, followed in a copy of the tree: what they list is all there is to do.
load helpers

# The files that a section of CONTRIBUTING.md names in its numbered steps.
listed() {
  awk -v title="## $1" '$0 == title { inside = 1; next } /^## / { inside = 0 } inside && /^[0-9]\./ { step = 1 }
    inside && /^$/ { step = 0 } inside && step' "$DPERM_SOURCE/CONTRIBUTING.md" |
    grep -oE '`(src|tests|include|cli|python)/[^` ]+`' | tr -d '`' | sort -u
}

# What differs between the trees "plain" and $1; names of the toy become those of the recipe.
changed() {
  diff -rq plain "$1" | sed "s/^Only in $1\/\(.*\): /\1\//; s/^Files plain\/\(.*\) and .*/\1/; s/$2/$3/" | sort
}

copy() {
  mkdir "$1"
  (cd "$DPERM_SOURCE" && tar -cf - CMakeLists.txt cmake src include cli python tests docs examples) | tar -xf - -C "$1"
}

# One tree and one build for both.
@test "a loss and a share of epsilon are added by their recipes: what these list is all" {
  copy plain
  copy loss
  "$DPERM_SOURCE/tests/recipes/add-loss" loss
  changed loss pseudo_huber yourloss > files
  listed "How to add a loss" | diff - files
  [ "$(wc -l < files)" -eq 4 ]

  copy share
  "$DPERM_SOURCE/tests/recipes/add-share" share
  changed share positives.c yours.c > files
  listed "How to add a share of epsilon" | diff - files
  [ "$(wc -l < files)" -le 12 ]
  rm -r plain loss
  mv share tree
  "$DPERM_SOURCE/tests/recipes/add-loss" tree

  cmake -S tree -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DDPERM_BENCH=OFF \
    -DDPERM_WERROR=ON > log
  ninja -C build dperm dperm_command loss_conformance_test >> log || { tail -20 log; false; }
  DPERM_LOSS=pseudo-huber build/tests/loss_conformance_test > suite 2>&1 || { cat suite; false; }
  grep -q "pseudo-huber, h = 0.5:.*declared" suite

  # The loss needs no change of the command: it asks the library for names.
  DPERM=$PWD/build/dperm
  "$DPERM" train --force --help | grep -q "pseudo-huber"
  "$DPERM" train --force "${people[@]}" --epsilon 1 --loss pseudo-huber --h 0.3 --out model.json -q
  "$DPERM" verify --model model.json
  grep -q '"name": *"pseudo-huber"' model.json

  # The share: of epsilon 4 a quarter and, with it, a tenth for the temperature. The claim is the whole.
  "$DPERM" plan --rows 120 --schema schema.json --refine none --epsilon 4 --positives 0.25 --json > plan.json
  "$DPERM" train --force --data people.csv --schema schema.json --refine none --epsilon 4 --positives 0.25 \
    --calibrate 0.1 --out model.json --json > report.json 2> message
  python3 - <<'PYTHON'
import json
m, report, plan = (json.load(open(f + ".json")) for f in ("model", "report", "plan"))
rows = report["rows"]
assert m["private"] and m["privacy"]["epsilon"] == 4 and report["epsilon"] == 4
assert m["positives"]["epsilon"] == 1 == report["epsilon_positives"] == plan["epsilon_positives"]
assert m["positives"]["positive_records"] == report["positive_records"] and -30 < report["positive_records"] < rows + 30
assert 2.59 < m["privacy"]["epsilon_row"] <= 2.6 and 2.99 < plan["epsilon_row"] <= 3
PYTHON
  "$DPERM" verify --model model.json > lines
  grep -q '^ok     positives: about .* records, counted for 1; with 1 epsilon_row and all other shares' lines
  "$DPERM" statement --model model.json | tr '\n' ' ' | tr -s ' ' | grep -q 'ε = 1 to count the records of the positive class: about'
  for edit in 'm["positives"]["epsilon"] = 1.1' 'm["positives"]["positive_records"] = 0.5' 'm["privacy"]["epsilon"] = 3.9'; do
    change "$edit"
    run "$DPERM" verify --model changed.json
    [ "$status" -ne 0 ]
    [[ "$output" == *"FAILS  positives: "* ]] || { echo "$edit: $output"; return 1; }
  done
}
