# dperm encode, and its files wherever --data is.
load helpers

encode() { "$DPERM" encode "${people[@]}" --out people.dperm 2> /dev/null; }

@test "the encoded file is the same bytes whatever the number of threads" {
  awk 'BEGIN {for (i = 0; i < 400000; i++) print i % 97 ",0." i % 11 ",c" i % 3 "," i % 2}' > many.csv
  cat > many.json << 'END'
{"header": false, "label": {"column": "y", "positive": ["1"], "negative": ["0"]},
 "columns": [{"name": "a", "type": "numeric", "min": 0, "max": 100},
             {"name": "b", "type": "numeric", "min": 0, "max": 1},
             {"name": "c", "type": "categorical", "values": ["c0", "c1", "c2"]},
             {"name": "y", "type": "label"}]}
END
  for threads in 1 2 5; do
    DPERM_THREADS=$threads "$DPERM" encode --data many.csv --schema many.json --out $threads.dperm 2> /dev/null
  done
  cmp 1.dperm 2.dperm
  cmp 1.dperm 5.dperm
}

@test "predict and score take encoded files" {
  encode
  train_none
  cmp <("$DPERM" predict --model model.json --data people.csv) \
    <("$DPERM" predict --model model.json --data people.dperm)
  cmp <("$DPERM" score --model model.json --data people.csv) \
    <("$DPERM" score --model model.json --data people.dperm --format encoded)
}

@test "svmlight rows are encoded without a schema" {
  for i in $(seq 1 50); do
    echo "$((i % 2)) 1:0.$((i % 7)) 4:0.$((i % 5 + 1))"
  done > rows.svm
  "$DPERM" encode --data rows.svm --dims 4 --out rows.dperm
  "$DPERM" train --data rows.svm --dims 4 --epsilon 1 --seed 1 --out a.json 2> /dev/null
  "$DPERM" train --data rows.dperm --epsilon 1 --seed 1 --out b.json 2> /dev/null
  cmp a.json b.json
  run "$DPERM" predict --model <(train_none > /dev/null; cat model.json) --data rows.dperm
  [ "$status" -eq 1 ]
}

@test "an encoded file is its owner's alone, even where it replaces another" {
  umask 022
  echo old > people.dperm
  chmod 644 people.dperm
  encode
  [ "$(stat -c %a people.dperm)" = 600 ]
}

@test "the encoded rows are the same people to a ledger" {
  encode
  "$DPERM" ledger init ledger --dataset people --epsilon 3
  "$DPERM" train "${people[@]}" --epsilon 1 --out a.json --ledger ledger --dataset people 2> /dev/null
  "$DPERM" train --data people.dperm --epsilon 1 --out b.json --ledger ledger --dataset people
  run "$DPERM" train --data people.dperm --mechanism none --out c.json --ledger ledger
  [ "$status" -ne 0 ]
  "$DPERM" ledger verify ledger
}

@test "damage is named with its place, and nothing comes of it" {
  encode
  size=$(stat -c %s people.dperm)
  cp people.dperm damaged.dperm
  printf 'x' | dd of=damaged.dperm bs=1 seek=$((size - 200)) conv=notrunc 2> /dev/null
  fails 1 "damaged.dperm: byte " "$DPERM" train --data damaged.dperm --epsilon 1 --out model.json
  fails_with 1 "the sum of a page is wrong"
  leaves_no model.json
  head -c $((size - 80)) people.dperm > cut.dperm
  fails 1 "the end is missing" "$DPERM" train --data cut.dperm --epsilon 1 --out model.json
  head -c 50 people.dperm > tiny.dperm
  fails 1 "it ends here" "$DPERM" train --data tiny.dperm --epsilon 1 --out model.json
  fails 1 "not an encoded file" "$DPERM" train --data people.csv --format encoded --epsilon 1 --out model.json
  fails 1 "standard input: encoded records are memory-mapped and cannot come from a pipe; name the file" \
    "$DPERM" train --data - --format encoded --epsilon 1 --out model.json
}

@test "bad records and bad calls leave no encoded file" {
  echo "30,farmer" >> people.csv
  fails 1 "people.csv:122:1: 2 fields where 3 are expected" "$DPERM" encode "${people[@]}" --out people.dperm
  fails 2 "CSV data need a schema" "$DPERM" encode --data people.csv --out people.dperm
  fails 2 "--out would replace an input" "$DPERM" encode "${people[@]}" --out people.csv
  fails 2 "--out is missing" "$DPERM" encode "${people[@]}"
}

@test "standard input can be encoded" {
  "$DPERM" encode --data - --schema schema.json --out a.dperm < people.csv
  gzip -k people.csv
  "$DPERM" encode --data people.csv.gz --schema schema.json --out b.dperm
  encode
  cmp a.dperm people.dperm
  cmp b.dperm people.dperm
}

@test "a file that is cut while it is used ends the run with one line" {
  for i in $(seq 1 6000); do
    echo "$((i % 2)) $((i % 50 + 1)):0.5 $((i % 50 + 60)):0.25 200:0.1"
  done > rows.svm
  "$DPERM" encode --data rows.svm --dims 200 --out rows.dperm 2> /dev/null
  # The first bits are drawn when the file is open and checked, and the fit has not begun.
  mkfifo gate
  preloaded "$RANDOM_FAULT" RANDOM_FAULT_GATE=gate RANDOM_FAULT_GATE_AT=2 "$DPERM" train \
    --data rows.dperm --epsilon 1 --out model.json > out 2> err &
  run=$!
  at_gate truncate --size 0 rows.dperm
  wait $run && status=0 || status=$?
  [ "$status" -eq 1 ] || { echo "status $status"; cat err; return 1; }
  [ "$(wc -l < err)" -eq 1 ]
  grep -q '^dperm: a mapped file can no longer be read\|^dperm: rows.dperm: was changed while it was read' err || { cat err; return 1; }
  leaves_no model.json
}
