# No output replaces an input: every output of every command with every input of it, from the tables
# that the commands parse their arguments by ('dperm help --table'), by every name that a file can have.
load helpers

# Each two options of one action, of the given kinds, and the words of a call that has all else that it
# must have: "command action first second words…". (By awk: bats takes a millisecond for a line of bash.)
pairs_of() { # kind of the first, kind of the second
  "$DPERM" help --table | awk -v first="$1" -v second="$2" '
    { line[NR] = $0; action[NR] = $1 " " $2; name[NR] = $3; kind[NR] = $4; required[NR] = $5 == "required"; value[NR] = $6 }
    END {
      for (i = 1; i <= NR; i++) for (j = 1; j <= NR; j++) {
        if (i == j || action[i] != action[j] || kind[i] != first || kind[j] != second) continue
        words = action[i]; sub(/ -$/, "", words)
        for (k = 1; k <= NR; k++) {
          if (action[k] != action[i] || !required[k] || k == i || k == j) continue
          given = kind[k] == "input" ? "given.csv" : kind[k] == "output" ? "new" : kind[k] == "text" ? "x" : 1
          words = words " " (name[k] ~ /^--/ ? name[k] " " given : "given.csv")
        }
        print action[i], name[i], name[j], words
      }
    }'
}

add() { # an option or a positional, its value
  case $1 in --*) call+=("$1" "$2") ;; *) call+=("$2") ;; esac
}

refused() { # what was tried
  [ "$status" -eq 2 ] || { echo "$*: status $status: $output"; return 1; }
  [ "${#lines[@]}" -eq 1 ] || { echo "$*: not one line: $output"; return 1; }
  [[ "$output" == "dperm: "*"name another file"* ]] || { echo "$*: $output"; return 1; }
  cmp -s kept victim || { echo "$*: the file was changed"; return 1; }
  [ ! -e new ]
  ! compgen -G '.victim.*' > /dev/null && ! compgen -G 'victim.*' > /dev/null
}

# Calls the function with command, action, output and input of each pair; the other words are in `needed`.
pairs() {
  cp people.csv given.csv
  cp people.csv kept
  cp people.csv victim
  mkdir folder
  ln victim hard
  ln -s victim soft
  ln -s ../victim folder/far
  count=0
  while read -r command action written read_ words; do
    read -ra needed <<< "$words"
    "$@" "$command" "$action" "$written" "$read_" < /dev/null
    count=$((count + 1))
  done < <(pairs_of output input)
  [ "$count" -ge 20 ] || { echo "only $count pairs"; return 1; }
}

by_names() { # command, action, output, input; the other names take turns
  local others=(soft hard folder/far folder/../victim "$PWD/victim")
  for name in victim "${others[count % 5]}"; do
    call=("${needed[@]}")
    add "$4" victim
    add "$3" "$name"
    run "$DPERM" "${call[@]}"
    refused "$* as $name"
  done
}

by_stdin() {
  [ "$4" != --ledger ] || return 0 # a ledger is a file with a name
  local others=(/dev/stdin /proc/self/fd/0)
  for name in - "${others[count % 2]}"; do
    call=("${needed[@]}")
    add "$4" "$name"
    add "$3" victim
    run "$DPERM" "${call[@]}" < victim
    refused "$* from $name"
  done
}

by_stdout() { # nothing is said on stdout, so that the file stays as it is
  call=("${needed[@]}")
  add "$4" victim
  add "$3" elsewhere
  run bash -c '"$DPERM" "$@" 2>&1 >> victim' - "${call[@]}"
  refused "$* to standard output"
  [ "$4" = --ledger ] || {
    call=("${needed[@]}")
    add "$4" -
    add "$3" elsewhere
    run bash -c '"$DPERM" "$@" 2>&1 >> victim < victim' - "${call[@]}"
    refused "$* from standard input to standard output"
  }
  [ ! -e elsewhere ]
}

@test "no output is an input, by any name" {
  pairs by_names
}

@test "no output is the file that standard input comes from" {
  pairs by_stdin
}

@test "standard output is no input" {
  pairs by_stdout
}

@test "no two outputs are one file, and none is the journal of a sweep" {
  ln -s out soft
  tried=0
  while read -r _ _ first second words; do
    read -ra call <<< "$words"
    add "$first" out
    add "$second" ./out
    fails 2 "name one file; give each its own" "$DPERM" "${call[@]}" < /dev/null
    tried=$((tried + 1))
  done < <(pairs_of output output)
  [ "$tried" -ge 6 ]
  sweep=(sweep --data people.csv --schema schema.json --mechanism none --out cells)
  fails 2 "--html and the journal of --out name one file" "$DPERM" "${sweep[@]}" --html cells.journal
  cp people.csv cells.journal
  run "$DPERM" sweep --data - --schema schema.json --mechanism none --out cells < cells.journal
  fails_with 2 "the journal of --out would replace an input"
  cmp people.csv cells.journal
}

@test "the cases that were reported" {
  cp people.csv a.csv
  fails 2 "--out would replace an input" "$DPERM" train --data - --schema schema.json --mechanism none --out a.csv < a.csv
  ln -s a.csv a.svg
  fails 2 "--plot would replace an input" "$DPERM" sweep --data a.csv --schema schema.json --mechanism none --plot a.svg
  fails 2 "--html would replace an input" "$DPERM" sweep --data - --schema schema.json --mechanism none --html a.csv < a.csv
  cmp people.csv a.csv
  fails 2 "--plot is empty; name a file" "$DPERM" sweep --data a.csv --schema schema.json --mechanism none --plot ""
  # Standard input that is not read may be anything.
  "$DPERM" train "${people[@]}" --mechanism none --out m.json < a.csv 2> /dev/null
}

@test "a demo replaces nothing but what a demo has left" {
  mkdir mine
  for name in people.csv schema.json others.csv model.json predictions.csv; do
    rm -f mine/*
    echo "my own" > mine/$name
    run "$DPERM" demo --rows 100 --out mine
    fails_with 1 "mine/$name: is there already, and not as a demo has left it; choose another --out"
    [ "$(cat mine/$name)" = "my own" ]
    [ "$(ls mine)" = "$name" ]
  done
  rm schema.json
  fails 1 "./others.csv: is there already" "$DPERM" demo --rows 100 --out .
  [ ! -e schema.json ]
  "$DPERM" demo --rows 100 --out d > /dev/null
  "$DPERM" demo --rows 200 --out d > /dev/null # its own may go
  [ "$(wc -l < d/people.csv)" -eq 201 ]
  echo "1,2" >> d/people.csv
  cp -r d before
  fails 1 "d/people.csv: is there already" "$DPERM" demo --rows 100 --out d
  diff -r before d
  rm d/people.csv
  ln -s ../people.csv d/people.csv
  fails 1 "d/people.csv: is there already" "$DPERM" demo --rows 100 --out d
  [ "$(head -n 1 people.csv)" = "age,job,rich" ]
}

@test "a limit on the size of files leaves nothing half-written" {
  train_none
  "$DPERM" demo --rows 3000 --out d > /dev/null
  "$DPERM" train --data d/people.csv --schema d/schema.json --epsilon 1 --out big.json 2> /dev/null
  python3 -c 'import json; print(json.dumps({"fields": [{"name": f"column{i}", "type": "boolean"} for i in range(50)]}))' \
    > dictionary.json
  mkdir e
  : > before
  find . | sort > before
  while IFS= read -r line; do
    read -ra call <<< "$line"
    run bash -c 'ulimit -f 1; "$DPERM" "$@" 2>&1 > /dev/null | cat' - "${call[@]}"
    [[ "$output" == *"dperm: "* ]] || { echo "$line: $output"; return 1; }
    [ "$(grep -c "^dperm: " <<< "$output")" -eq 1 ] || { echo "$line: $output"; return 1; }
    diff before <(find . | sort) || { echo "$line: left something behind"; return 1; }
  done <<'T'
train --data d/people.csv --schema d/schema.json --mechanism none --out out
tune --data d/people.csv --schema d/schema.json --epsilon 1 --lambda 0.1,0.2 --out out
predict --model big.json --data d/people.csv --out out
encode --data d/people.csv --schema d/schema.json --out out
statement --model big.json --out out
explain --model big.json --html --out out
schema draft --public-data d/people.csv --out out
schema import dictionary.json --label column9 --out out
sweep --data people.csv --schema schema.json --mechanism none --folds 2 --html out
sweep --data people.csv --schema schema.json --mechanism none --folds 2 --plot out.svg
ledger init out --dataset people --epsilon 1
demo --rows 100 --out e
T
}

@test "a picture is whole, or an error" {
  sweep=(sweep --data people.csv --schema schema.json --mechanism none --folds 2)
  "$DPERM" "${sweep[@]}" --plot a.svg > /dev/null
  "$DPERM" "${sweep[@]}" --plot b.svg --html b.html > /dev/null <&-
  tail -c 20 b.svg | grep -q '</svg>'
  cmp a.svg b.svg
  mkdir bin
  printf '#!/bin/sh\ncat > /dev/null\n' > bin/gnuplot # says nothing, and that all is well
  chmod +x bin/gnuplot
  run env PATH="$PWD/bin:$PATH" "$DPERM" "${sweep[@]}" --out cells --plot c.svg
  fails_with 1 "gnuplot has not drawn the whole picture"
  leaves_no c.svg
  [ -z "$(find . -name 'c.svg*')" ]
}

@test "a model or a schema that is there stays, unless it is to be replaced" {
  forced=$("$DPERM" help --table | awk '$3 == "--force" {print $1, $2}')
  [ "$forced" = $'train -\ntune -\nrefine -\nschema draft\nschema import' ]
  echo kept > there && ln -s there link && cp there was
  "$DPERM" ledger init l.db --dataset people --epsilon 9 2> /dev/null
  account=(--ledger l.db --dataset people)
  fit=(--data people.csv --schema schema.json --epsilon 1)
  calls() { # the words of each command, with an output
    run "$DPERM" train "${fit[@]}" "${account[@]}" --out "$@"
    "$check"
    run "$DPERM" tune "${fit[@]}" "${account[@]}" --lambda 0.1,1 --out "$@"
    "$check"
    run "$DPERM" refine "${fit[@]}" "${account[@]}" --out "$@"
    "$check"
    run "$DPERM" schema draft --public-data people.csv --out "$@"
    "$check"
    run "$DPERM" schema import "$DPERM_SOURCE/examples/dictionaries/census.tableschema.json" --label income \
      --out "$@"
    "$check"
  }
  stays() {
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 1 ]
    cmp there was
    [[ "$output" == "dperm: "*": there is a file already; name another one, or give --force to replace it" ]]
  }
  check=stays
  for name in there ./link; do calls $name; calls $name -q; done
  "$DPERM" ledger show l.db | grep -q '9 left of 9'
  replaced() {
    [ "$status" -eq 0 ]
    ! cmp -s there was || false
    [ -L link ]
    cp was there
  }
  check=replaced
  calls there --force
  calls link --force
  "$DPERM" train "${fit[@]}" --out there --dry-run > /dev/null 2>&1 # writes none
  cmp there was
  : > there # holds nothing
  "$DPERM" train "${fit[@]}" --out there --seed 1 2> /dev/null
  [ -s there ]
  "$DPERM" train "${fit[@]}" --seed 1 --out /dev/null 2> /dev/null
}
