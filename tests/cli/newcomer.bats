# What somebody meets who tries the command for the first time, and mistypes: each slip has one line
# that names it, and nothing is spent or left over.
load helpers

@test "a demo has a limit, and says what it has left when it is stopped" {
  fails 2 "--rows must be at most 10000000" "$DPERM" demo --rows 99999999999999 --out d
  "$DPERM" demo --rows 10000000 --out d > /dev/null 2> err &
  demo=$!
  timeout 3000 bash -c 'until [ -e d/schema.json ]; do sleep 0.1; done' # the records come next
  kill -TERM $demo
  wait $demo && code=0 || code=$?
  [ "$code" -eq 143 ]
  [ "$(cat err)" = "dperm: stopped on request while making records; other files of the demo stay" ]
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
  fails 1 "check free space; m.json is written; the charge (entry 2 of the ledger) stays spent" printing
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
  fails 2 "an action is missing: check, draft or import" "$DPERM" schema
  fails 2 'no action is called "foo"; use check, draft or import' "$DPERM" schema foo
  fails 2 'no action is called "--json"' "$DPERM" schema --json check schema.json
  fails 2 "an action is missing: init, show or verify" "$DPERM" ledger
  fails 2 'no action is called "foo"; use init, show or verify' "$DPERM" ledger foo
}

@test "a letter that is no option is called one" {
  for word in -x -V -; do
    run "$DPERM" train $word
    [ $word = - ] || fails_with 2 "unknown option $word"
    [ $word != - ] || fails_with 2 'unexpected argument "-"'
  done
}

@test "no name, and no standard input" {
  fails 2 "--data is empty; name a file" "$DPERM" train --data "" --schema schema.json --epsilon 1 --out m.json
  fails 2 "FILE is empty; name a file" "$DPERM" ledger show ""
  run bash -c '"$DPERM" train --data - --format csv --schema schema.json --epsilon 1 --out m.json 2>&1 <&-'
  fails_with 1 "standard input is closed; give it the records, or name a file"
  leaves_no m.json
}

@test "numbers out of range are told the range that is there" {
  plan() { "$DPERM" plan --rows 1000 --dims 3 "$@"; }
  run "$DPERM" train "${people[@]}" --epsilon 1 --kernel gaussian --features 10 --gamma 1e300 --out m.json
  fails_with 2 "gamma = 1e+300; choose it above 0 and at most 1e100"
  fails 2 "epsilon = 1e+300; choose it between 1e-09 and 30.9 (a guarantee beyond that says nothing)" plan --epsilon 1e300
  fails 2 "epsilon = 1e-300; choose it between 1e-09 and 30.9 for each fit: as many times that where" plan --epsilon 1e-300
  [[ "$output" != *beyond* ]]
  succeeds plan --epsilon 30.9
  fails 2 "--rows must be a whole number from 1 to 9223372036854775807, not" "$DPERM" plan --rows 99999999999999999999
  for classes in 0 1 x; do
    fails 2 "--classes must be a whole number from 2, not \"$classes\"" plan --epsilon 1 --classes $classes
  done
  fails 2 "norm-guess = 1e-300 makes lambda = " plan --epsilon 1 --norm-guess 1e-300
}

@test "what would have no effect is refused" {
  fails 2 "h does not go with the logistic loss" "$DPERM" train "${people[@]}" --epsilon 1 --h 0.1 --out m.json
  fails 2 "--h does not go with this --loss" "$DPERM" sweep "${people[@]}" --epsilon 1 --h 0.1
  "$DPERM" sweep "${people[@]}" --epsilon 1 --loss logistic,huber --h 0.1 --draws 1 --folds 2 --out cells.csv
  run "$DPERM" plan --rows 1000 --dims 3 --epsilon 1 --class-weights a=2
  fails_with 2 "--class-weights goes with --schema, which names the classes"
}

@test "help is found for every word that there is" {
  fails 2 "schema draft: --public-data is missing; see 'dperm help schema draft'" "$DPERM" schema draft
  fails 2 "schema import: DICTIONARY is missing; see 'dperm help schema import'" "$DPERM" schema import
  [[ "$("$DPERM" help schema)" == *"usage: dperm schema ACTION"*"draft "*"import "* ]]
  [[ "$("$DPERM" help completion)" == *"usage: dperm completion bash|zsh|fish"* ]]
  [[ "$("$DPERM" help)" == *"'dperm -V'"* ]]
  [[ "$("$DPERM" help sweep)" == *"csv|svmlight|encoded"* ]]
  [[ "$("$DPERM" help predict)" == *"else of the predicted class"* ]]
}

@test "a sweep does not go on with a journal that it refuses" {
  sweep() { "$DPERM" sweep "${people[@]}" --epsilon 1 --draws 1 --folds 2 --out cells.csv; }
  echo "somebody's diary" > cells.csv.journal
  fails 1 "cells.csv.journal" sweep
  grep -q diary cells.csv.journal
}

@test "a signal while a pipe is being opened ends the run as a signal does" {
  mkfifo pipe
  for how in "--data pipe --format csv --out m.json" "--data people.csv --out pipe"; do
    "$DPERM" train $how --schema schema.json --epsilon 1 2> err &
    run_of=$!
    asleep=0 # time and again: it waits in open(), there is nothing else that it could wait for
    while [ $asleep -lt 10 ]; do
      [ "$(cut -d' ' -f3 /proc/$run_of/stat)" = S ] && asleep=$((asleep + 1)) || asleep=0
      sleep 0.05
    done
    kill -TERM $run_of
    wait $run_of && code=0 || code=$?
    [ "$code" -eq 143 ] || { echo "$how: $code $(cat err)"; return 1; }
    grep -q "stopped on request" err
    leaves_no m.json
  done
}

@test "a zero character in a schema is named without a library's words" {
  sed 's/farmer/x\\u0000z/' schema.json > zero.json
  fails 1 'not valid JSON (\u0000, which no text may hold); mend the text there' "$DPERM" schema check zero.json
}

@test "encoded records are checked against a schema too" {
  "$DPERM" encode "${people[@]}" --out people.dperm 2> /dev/null
  succeeds "$DPERM" schema check schema.json --data people.dperm
  [[ "$output" == *"people.dperm: 120 rows fit the schema" ]]
  run "$DPERM" schema check schema.json --data people.dperm --unsafe-diagnostics
  fails_with 2 "there are no counts: encoded and selected records have none"
  sed 's/100/101/' schema.json > other.json
  run "$DPERM" schema check other.json --data people.dperm
  fails_with 1 "encoded under a schema with other columns, ranges, values or labels"
}

@test "records in another form than is expected are told which" {
  "$DPERM" encode "${people[@]}" --out people.dperm 2> /dev/null
  for call in "train --schema schema.json --epsilon 1 --out m.json --format csv --data" "schema draft --public-data"; do
    fails 1 "people.dperm: this is an encoded file" "$DPERM" $call people.dperm
  done
  for other in ';' '|' '\t'; do
    tr , "$other" < people.csv > others.csv
    run "$DPERM" schema check schema.json --data others.csv
    fails_with 1 "the header is one field, but has \"$other\"; if that is between its columns, put \"separator\": \"$other\" into"
    sed "s/^{/{\"separator\": \"${other/\\/\\\\}\",/" schema.json > separated.json
    "$DPERM" schema check separated.json --data others.csv > /dev/null
  done
  tr '\n' '\r' < people.csv > returns.csv
  run "$DPERM" schema check schema.json --data returns.csv
  fails_with 1 'the header has no label column "rich" (its lines end in CR alone: convert them to LF)'
}

@test "a file that is no text is named as what it is, whatever it is called" {
  while IFS='|' read -r begin is; do
    printf "$begin" > others.csv
    for call in "train --schema schema.json --epsilon 1 --out m.json --data" "schema draft --public-data" "encode --schema schema.json --out e --data"; do
      fails 1 "others.csv:1:1: the file is $is; save it as CSV in UTF-8" "$DPERM" $call others.csv
    done
    gzip -c others.csv > others.csv.gz
    fails 1 "others.csv.gz:1:1: the file is $is; save it" "$DPERM" schema draft --public-data others.csv.gz
  done << 'F'
PAR1\x15\x04\x15\x10|a Parquet file
PK\x03\x04\x14\x00|a spreadsheet or a zip archive
\xd0\xcf\x11\xe0\xa1\xb1|a spreadsheet
ARROW1\0\0|an Arrow file
\x89HDF\r\n\x1a\n|an HDF5 file
SQLite format 3\0|a database of SQLite
$FL2@(#) SPSS|one of SPSS
<stata_dta><header>|one of Stata
RDX3\nX\n|one of R
\xff\xfea\0|UTF-16
BZh91AY&SY|packed by bzip2
\x28\xb5\x2f\xfd|packed by zstd
F
  for name in PAR1 BZh9 'SQLite for all' RDX3 ARROW1; do # a column of that name is none
    printf '%s,y\n1,0\n2,1\n' "$name" > named.csv
    "$DPERM" schema draft --public-data named.csv > /dev/null 2>&1
  done
}

@test "messages about JSON quote nothing, and tell what was cut" {
  train_none
  head -c 700 model.json > cut.json
  fails 1 "(it ends too early: a bracket is open, or the file is damaged)" "$DPERM" verify --model cut.json
  sed 's/farmer/far"mer/' schema.json > odd.json
  run "$DPERM" schema check odd.json
  fails_with 1 "not valid JSON ("
  [[ "$output" != *mer* ]]
}
