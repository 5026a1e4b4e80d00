# CONTRIBUTING.md's recipes, followed in a copy of the tree: what they list is all there is to do.
load helpers

# The files that a section of CONTRIBUTING.md names in its numbered steps.
listed() {
  awk -v title="## $1" '$0 == title { inside = 1; next } /^## / { inside = 0 } inside && /^[0-9]\./ { step = 1 }
    inside && /^$/ { step = 0 } inside && step' "$DPERM_SOURCE/CONTRIBUTING.md" |
    grep -oE '`(src|tests|include|cli|python)/[^` ]+`' | tr -d '`' | sort -u
}

@test "a loss is added by the recipe: four files, its suite, a model" {
  mkdir tree
  (cd "$DPERM_SOURCE" && tar -cf - CMakeLists.txt cmake src include cli python tests docs examples) | tar -xf - -C tree
  cp -r tree plain
  "$DPERM_SOURCE/tests/recipes/add-loss" tree
  diff -rq plain tree | sed 's/^Only in tree\/\(.*\): /\1\//; s/^Files plain\/\(.*\) and .*/\1/' |
    sed 's/pseudo_huber/yourloss/' | sort > changed
  listed "How to add a loss" > steps
  diff steps changed
  [ "$(wc -l < changed)" -eq 4 ]

  cmake -S tree -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DDPERM_BENCH=OFF \
    -DDPERM_WERROR=ON > log
  ninja -C build dperm loss_conformance_test >> log || { tail -20 log; false; }
  build/tests/loss_conformance_test > suite 2>&1 || { cat suite; false; }
  grep -q "pseudo-huber, h = 0.5:.*declared" suite

  # The command needs no change, not even another build: it asks the library for names.
  export LD_LIBRARY_PATH=$PWD/build
  "$DPERM" train --help | grep -q "pseudo-huber"
  "$DPERM" train "${people[@]}" --epsilon 1 --loss pseudo-huber --h 0.3 --out model.json -q
  "$DPERM" verify --model model.json
  grep -q '"name": *"pseudo-huber"' model.json
}
