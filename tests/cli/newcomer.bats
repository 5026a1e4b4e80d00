# What somebody meets who tries the command for the first time, and mistypes: each slip has one line
# that names it, and nothing is spent or left over.
load helpers

people=(--data people.csv --schema schema.json)

@test "a demo has a limit, and says what it has left when it is stopped" {
  run "$DPERM" demo --rows 99999999999999 --out d
  fails_with 2 "--rows must be at most 10000000"
  leaves_no d
  "$DPERM" demo --rows 10000000 --out d > /dev/null 2> err &
  demo=$!
  timeout 3000 bash -c 'until [ -e d/schema.json ]; do sleep 0.1; done' # the records come next
  kill -TERM $demo
  wait $demo && code=0 || code=$?
  [ "$code" -eq 143 ]
  [ "$(cat err)" = "dperm: stopped on request while making records; d holds schema.json" ]
  leaves_no d/people.csv
}

@test "JSON that cannot be printed costs nothing" {
  "$DPERM" ledger init l.db --dataset people --epsilon 5 2> /dev/null
  for command in train "tune --lambda 1e-2,1e-3"; do
    for where in '/dev/full' '&-'; do
      run bash -c '"$DPERM" '"$command"' --data people.csv --schema schema.json --epsilon 1 \
        --ledger l.db --dataset people --out m.json --json 2>&1 >'"$where"
      fails_with 1 "standard output: cannot write"
      [[ "$output" == *"; nothing is charged" ]]
      leaves_no m.json
    done
  done
  [[ "$("$DPERM" ledger show l.db)" == *"0 entries"* ]]
  printing() { # the disk fills up behind the question
    preloaded "$LEDGER_FAULT" LEDGER_FAULT_FULL=1 LEDGER_FAULT_FULL_NAME=report "$DPERM" train "${people[@]}" \
      --epsilon 1 --ledger l.db --dataset people --out m.json --json 2>&1 > report
  }
  run printing
  fails_with 1 "check free space; m.json is written; the charge (entry 2 of the ledger) stays spent"
  "$DPERM" verify --model m.json
}

@test "a mistyped head of a ledger is wrong usage, not a forged ledger" {
  "$DPERM" ledger init l.db --dataset people --epsilon 5 2> /dev/null
  for head in abc "" "$(printf '%064d' 0)0" "$(printf '%063d' 0)g"; do
    run "$DPERM" ledger verify l.db --head "$head"
    fails_with 2 "--head must be a digest as 'dperm ledger show' prints it: 64 hexadecimal digits"
  done
}

@test "actions come before what they need" {
  run "$DPERM" schema
  fails_with 2 "an action is missing: check or draft"
  run "$DPERM" schema foo
  fails_with 2 'no action is called "foo"; use check or draft'
  run "$DPERM" schema --json draft
  fails_with 2 "draft must be the first word"
  run "$DPERM" ledger
  fails_with 2 "an action is missing: init, show or verify"
  run "$DPERM" ledger foo
  fails_with 2 'no action is called "foo"; use init, show or verify'
}

@test "a letter that is no option is called one" {
  for word in -x -V -; do
    run "$DPERM" train $word
    [ $word = - ] || fails_with 2 "unknown option $word"
    [ $word != - ] || fails_with 2 '"-" is one word too many'
  done
}

@test "no name, and no standard input" {
  run "$DPERM" train --data "" --schema schema.json --epsilon 1 --out m.json
  fails_with 2 "--data is empty; name a file"
  run "$DPERM" ledger show ""
  fails_with 2 "FILE is empty; name a file"
  run bash -c '"$DPERM" train --data - --format csv --schema schema.json --epsilon 1 --out m.json 2>&1 <&-'
  fails_with 1 "standard input is closed; give it the records, or name a file"
  leaves_no m.json
}
