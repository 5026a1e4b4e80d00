# The command as a whole: help, version, demo, the example program, the installed package.
load helpers

@test "version and help" {
  run "$DPERM" --version
  [[ "$output" =~ ^dperm\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
  [ "$output" = "$("$DPERM" -V)" ]
  fails 2 "unexpected argument" "$DPERM" -V more
  succeeds "$DPERM" help
  for command in train plan predict score schema demo; do
    [[ "$output" == *"$command"* ]]
    says 0 "usage: dperm $command" "$DPERM" help $command
    [ "$output" = "$("$DPERM" $command --help)" ]
    run "$DPERM" help
  done
}

@test "no command, an unknown command" {
  fails 2 "a command is missing" "$DPERM"
  fails 2 "no command is called \"tarin\"" "$DPERM" tarin
  fails 2 "no command is called" "$DPERM" help tarin
}

@test "little memory is enough to start, and too little for a fit is said in a line" {
  [[ "$(ldd "$DPERM")" != *lib?san* ]] || skip "a sanitizer takes all addresses there are"
  [[ "$(ldd "$DPERM")" != *blas* && "$(ldd "$DPERM")" != *lapack* ]]
  export DPERM_THREADS=1
  for command in "--version" "help" "help train" "plan --dims 5 --lambda 0.01 --rows 1000 --epsilon 1"; do
    export command
    run bash -c 'ulimit -v 40000; timeout -s KILL 60 "$DPERM" $command 2>&1'
    [ "$status" -eq 0 ] || { echo "$command: $output"; return 1; }
  done
  awk 'BEGIN {for (i = 1; i <= 60; i++) printf "%d 1:0.%d 2:0.%d\n", i % 2 * 2 - 1, i % 7, i % 5 + 1}' > rows.svm
  run bash -c 'ulimit -v 60000; timeout -s KILL 60 "$DPERM" train --data rows.svm --dims 20 --kernel gaussian --gamma 1 --features 200000 --epsilon 1 --out m.json 2>&1'
  fails_with 1 "memory"
  [ "${#lines[@]}" -eq 1 ]
  leaves_no m.json
}

@test "DPERM_THREADS is a number, or the command says so" {
  for wrong in 0 two -1 2.5 4097; do
    DPERM_THREADS=$wrong run "$DPERM" plan --dims 5 --lambda 0.01 --rows 1000 --epsilon 1
    fails_with 2 "DPERM_THREADS must be a whole number from 1 to 4096, not \"$wrong\""
  done
  for right in 1 4096 ""; do
    DPERM_THREADS=$right run "$DPERM" plan --dims 5 --lambda 0.01 --rows 1000 --epsilon 1
    [ "$status" -eq 0 ]
  done
}

@test "help to a full disk is an error" {
  fails 1 "standard output: cannot write" bash -c '"$DPERM" help 2>&1 > /dev/full'
}

@test "demo tells its story, and its private model beats the constant guess" {
  succeeds "$DPERM" demo --rows 20000 --out d
  [[ "$output" == *"What epsilon = 1 means"*"but for a probability of delta = 1.3e-43"* && "$output" == *"d/model.json"* ]]
  grep -q '"private": true' d/model.json
  for f in schema.json people.csv others.csv model.json predictions.csv; do [ -s d/$f ]; done
  # The same model again, from a seed: its error must not depend on the day.
  "$DPERM" train --data d/people.csv --schema d/schema.json --epsilon 1 --seed 1 --out m.json 2> /dev/null
  "$DPERM" score --model m.json --data d/others.csv > score.json
  py <<'P'
s = json.load(open("score.json"))
rich = sum(r["income"] == "high" for r in csv.DictReader(open("d/others.csv")))
assert s["error_rate"] < 0.9 * rich / s["rows"], s
P
}

@test "demo records are the same for the same seed and differ for another" {
  "$DPERM" demo --rows 500 --seed 7 --out a > /dev/null
  "$DPERM" demo --rows 500 --seed 7 --out b > /dev/null
  "$DPERM" demo --rows 500 --seed 9 --out c > /dev/null
  cmp a/people.csv b/people.csv
  ! cmp -s a/people.csv c/people.csv
}

@test "demo with bad arguments" {
  fails 2 "--rows must be" "$DPERM" demo --rows 0
  echo x > occupied
  fails 1 "occupied" "$DPERM" demo --rows 10 --out occupied
}

@test "the example program trains and predicts" {
  "$DPERM" demo --rows 2000 --out d > /dev/null
  succeeds "$EXAMPLE" d/schema.json d/people.csv d/others.csv
  [[ "$output" =~ ^667\ rows,\ error\ rate\ 0\.[0-9]+$ ]]
  [ "$(wc -l < "$DPERM_SOURCE/examples/train_and_predict.c")" -lt 60 ]
}

@test "an installed dperm is found by pkg-config" {
  case "$DPERM_BUILD" in *san*) skip "sanitizers do not install" ;; esac
  cmake --install "$DPERM_BUILD" --prefix "$PWD/root" > /dev/null
  pc=$(dirname "$(find root -name dperm.pc)")
  lib=$(dirname "$(find "$PWD/root" -name libdperm.so)")
  sed -i "s|^prefix=.*|prefix=$PWD/root|" "$pc/dperm.pc"
  cc "$DPERM_SOURCE/examples/train_and_predict.c" -o by_pc \
    $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs dperm)
  root/bin/dperm demo --rows 300 --out d > /dev/null
  LD_LIBRARY_PATH=$lib ./by_pc d/schema.json d/people.csv d/others.csv
}
