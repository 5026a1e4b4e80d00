# dperm train: good and bad input.
load helpers

@test "train writes a model that says it is not private" {
  succeeds "$DPERM" train --force "${people[@]}" --mechanism none --out model.json
  [ "$output" = "model.json: 4 weights from 120 rows; not private: trained without a privacy mechanism" ]
  py <<'P'
m = json.load(open("model.json"))
assert m["format"] == "dperm-model/1"
assert m["private"] is False and "without a privacy mechanism" in m["reason"]
assert m["privacy"]["mechanism"] == "none" and m["privacy"]["epsilon"] is None
assert m["privacy"]["lambda"] == 1 / 120
assert m["rows"] == m["rows_fitted"] == 120
assert m["classes"] == ["no", "yes"] and len(m["weights"]) == 4
assert m["schema"]["columns"][1]["values"] == ["farmer", "nurse", "judge"]
P
}

@test "a model file holds the documented keys and nothing else" {
  train_none
  run python3 -c 'import json; m = json.load(open("model.json")); print(*m); print(*m["privacy"])'
  [ "${lines[0]}" = "format private reason privacy loss rows rows_fitted selection ledger classes evaluation encoding schema kernel weights dperm_version digest" ]
  [ "${lines[1]}" = "definition epsilon delta neighbours unit rows_per_person epsilon_row mechanism analysis noise noise_weight beta delta_reg lambda numerics" ]
}

@test "unsafe diagnostics go to stderr with a warning" {
  run bash -c '"$DPERM" train --force --data people.csv --schema schema.json --mechanism none \
    --out model.json --unsafe-diagnostics 2>&1 > /dev/null'
  [ "$status" -eq 0 ]
  [[ "$output" == *"warning"*"training error"*"iterations"* ]]
}

@test "svmlight data need no schema" {
  printf '+1 1:0.5 3:1\n-1 2:0.25\n+1 1:1 # a comment\n\n-1 2:3\n' > rows.svm
  succeeds "$DPERM" train --force --data rows.svm --dims 3 --mechanism none --lambda 0.1 --out model.json
  run "$DPERM" predict --model model.json --data rows.svm
  [ "${lines[0]}" = "prediction,score,probability" ]
  [[ "${lines[1]}" == "+1,"* && "${lines[2]}" == "-1,"* ]]
}

@test "an existing model is replaced, keeping its permissions and a symbolic link" {
  echo old > real.json
  chmod 640 real.json
  ln -s real.json link.json
  train_none people.csv schema.json link.json
  [ -L link.json ] && [ "$(stat -c %a real.json)" = 640 ]
  grep -q dperm-model real.json
}

@test "a private model says so, with all that its claim needs" {
  succeeds "$DPERM" train --force "${people[@]}" --epsilon 1 --lambda 0.05 --out model.json
  [ "${lines[0]}" = "model.json: 4 weights from 120 rows; (epsilon, delta) = (1, 1.4e-43) for every record (objective perturbation)" ]
  [ "${lines[1]}" = "no ledger: nothing counts this epsilon against a budget; see 'dperm help ledger'" ]
  [ "${#lines[@]}" -eq 2 ]
  "$DPERM" plan --rows 120 --schema schema.json --epsilon 1 --lambda 0.05 --json > plan.json
  py <<'P'
m, p = json.load(open("model.json")), json.load(open("plan.json"))
q = m["privacy"]
assert m["private"] is True and m["reason"] is None
assert q["definition"] == "(epsilon, delta)-differential privacy" and q["neighbours"] == "replace-one"
assert (q["epsilon"], q["delta"], q["mechanism"], q["analysis"], q["noise"]) == (1, p["delta"], "objective", "tight", "mixed")
assert q["delta"] == q["numerics"]["delta"] > (1 + math.e) * math.exp(-100)
assert q["noise_weights"] == [1]  # one block of three columns, one alone
assert q["noise_weight"] == round((1 / 3) ** 0.25 * 256) / 256
assert (q["beta"], q["lambda"], q["delta_reg"]) == (p["beta"], p["lambda"], p["delta_reg"])
P
}

@test "a private model file holds the same keys as a plain one, and weights of mixed noise" {
  train_none people.csv schema.json plain.json
  for mechanism in objective output; do
    "$DPERM" train --force "${people[@]}" --epsilon 1 --mechanism $mechanism --out private.json 2> /dev/null
    py <<'P'
a, b = json.load(open("plain.json")), json.load(open("private.json"))
mixed = b["privacy"]["noise"] == "mixed"
assert [key for key in b["privacy"] if key not in a["privacy"]] == ["noise_weights"] * mixed
b["privacy"].pop("noise_weights", None)
assert list(a) == list(b) and list(a["privacy"]) == list(b["privacy"])
P
  done
}

@test "noise is fresh each time, and the same under a seed, which is no longer private" {
  for i in 1 2; do
    "$DPERM" train --force "${people[@]}" --epsilon 1 --out secure$i.json 2> /dev/null
    "$DPERM" train --force "${people[@]}" --epsilon 1 --seed 5 --threads $i --out seeded$i.json 2> message
  done
  ! cmp -s secure1.json secure2.json
  cmp seeded1.json seeded2.json
  grep -q "not private: the noise came from a seed" message
  python3 -c 'import json; m = json.load(open("seeded1.json")); assert m["private"] is False and "seed" in m["reason"]'
}

@test "a schema that drops rows is refused by private fits and by plans, with the reason" {
  sed 's/"missing"/"on_missing": "drop", "missing"/' schema.json > drop.json
  for command in "train --mechanism objective" "train --mechanism output" "tune --lambda 0.1,1" \
    "tune --lambda 0.1,1 --method stopping" "tune --lambda 0.1,1 --method public --public-data people.csv"; do
    run "$DPERM" $command --data people.csv --schema drop.json --epsilon 1 --out m
    fails_with 1 "the number of rows depends on the records"
    leaves_no m
  done
  fails 1 "drops rows" "$DPERM" plan --rows 100 --schema drop.json --epsilon 1
}

@test "comment lines that could be records are refused by a private fit" {
  sed 's/"missing"/"comment": "#", "missing"/' schema.json > comment.json
  { echo "# made up"; cat people.csv; } > above.csv
  "$DPERM" train --force --data above.csv --schema comment.json --epsilon 1 --out m 2> /dev/null
  rm m
  sed '5s/^/#/' people.csv > among.csv
  fails 1 "among.csv: comment lines stand where records can" "$DPERM" train --force --data among.csv --schema comment.json --epsilon 1 --out m
  train_none among.csv comment.json m
}

@test "data of one format do not take the other's arguments" {
  printf '+1 1:1\n-1 2:1\n' > rows.svm
  fails 2 "take no schema" "$DPERM" train --force --data rows.svm --schema schema.json --dims 2 --mechanism none --out m
  fails 2 "leave the number of columns out" "$DPERM" train --force "${people[@]}" --dims 4 --mechanism none --out m
  printf '\3757zXZ\0' > people.csv.xz
  run "$DPERM" train --force --data people.csv.xz --schema schema.json --mechanism none --out m
  fails_with 1 "people.csv.xz:1:1: the file is packed by xz; save it as CSV in UTF-8, plain or packed by gzip"
  leaves_no m
}

@test "an epsilon that cannot be is refused" {
  for epsilon in 0 -1 nan inf 1e999 abc; do
    fails 2 "--epsilon must be a positive number" "$DPERM" train --force "${people[@]}" --epsilon "$epsilon" --out m
  done
  for epsilon in 1e6 101 1e-300; do
    fails 2 "choose it between" "$DPERM" train --force "${people[@]}" --epsilon "$epsilon" --out m
  done
  leaves_no m
}

@test "options that do not go together are wrong usage" {
  train() { "$DPERM" train --force "${people[@]}" --out m "$@"; }
  fails 2 "--epsilon does not go with --mechanism none" train --mechanism none --epsilon 1
  fails 2 "are for --mechanism objective" train --mechanism output --epsilon 1 --delta-reg 1
  run train --mechanism output --epsilon 1 --noise mixed
  fails_with 2 "kinds of --noise other than l2 and gaussian are for --mechanism objective"
  fails 2 "--noise does not go with --mechanism none" train --mechanism none --noise gaussian
  fails 2 "--noise must be auto, l2, l1, group, linf, mixed or gaussian" train --epsilon 1 --noise l3
  fails 2 "--noise gaussian needs --delta, which has no default" train --epsilon 1 --noise gaussian
  fails 2 "--analysis paper has no gaussian noise" train --epsilon 1 --noise gaussian --delta 1e-6 --analysis paper
  fails 2 "--delta does not go with --mechanism none" train --mechanism none --delta 1e-6
  fails 2 "--analysis must be" train --epsilon 1 --analysis loose
  fails 2 "--norm-guess must be a positive number" train --epsilon 1 --norm-guess 0
  leaves_no m
}

@test "private output tells nothing that depends on the records" {
  "$DPERM" train --force "${people[@]}" --epsilon 1 --out a.json 2> message-a
  { cat people.csv; } | sed '2,60s/,yes$/,no/' > other.csv
  "$DPERM" train --force --data other.csv --schema schema.json --epsilon 1 --out a.json 2> message-b
  cmp message-a message-b
}

@test "bad numbers are wrong usage" {
  fails 2 "--lambda must be" "$DPERM" train --force "${people[@]}" --mechanism none --out m --lambda ""
  for lambda in 0 -1 nan inf 1e999 0x10 abc; do
    run "$DPERM" train --force "${people[@]}" --mechanism none --out model.json --lambda "$lambda"
    fails_with 2 "--lambda must be a positive number or auto"
    leaves_no model.json
  done
  fails 2 "--h must be a positive number" "$DPERM" train --force "${people[@]}" --mechanism none --out m --loss huber --h 0
  fails 2 "--threads must be a whole number" "$DPERM" train --force "${people[@]}" --mechanism none --out m --threads 0
}

@test "wrong words are wrong usage" {
  fails 2 "--epsilon is missing" "$DPERM" train --force "${people[@]}" --out m
  fails 2 "only one of the inputs" "$DPERM" train --force --data - --schema - --mechanism none --out m
  fails 2 "unknown option --bogus" "$DPERM" train --force "${people[@]}" --mechanism none --out m --bogus 1
  fails 2 "--mechanism must be" "$DPERM" train --force "${people[@]}" --mechanism magic --out m
  fails 2 "no loss is called" "$DPERM" train --force "${people[@]}" --mechanism none --loss hinge --out m
  fails 2 "--out is missing" "$DPERM" train --force "${people[@]}" --mechanism none
  fails 2 "--data is given twice" "$DPERM" train --force --data people.csv --data people.csv --mechanism none --out m
  fails 2 "need a schema" "$DPERM" train --force --data people.csv --mechanism none --out m
  fails 2 "unexpected argument" "$DPERM" train --force extra --data people.csv --mechanism none --out m
}

@test "a file that is not there, or cannot be read, or is a folder" {
  fails 1 "none.csv: cannot open" "$DPERM" train --force --data none.csv --schema schema.json --mechanism none --out m
  fails 1 "none.json: cannot open" "$DPERM" train --force --data people.csv --schema none.json --mechanism none --out m
  fails 1 ".: cannot read (Is a directory)" "$DPERM" train --force --data . --schema schema.json --mechanism none --out m
  # Without a schema, as for files that are encoded or svmlight, where a missing schema is no news.
  for command in train sweep encode; do
    for file in none.dperm none.svm none.csv; do
      run "$DPERM" $command --data $file --mechanism none --out m
      [ $command != encode ] || run "$DPERM" encode --data $file --out m
      fails_with 1 "$file: cannot open (No such file or directory)"
    done
  done
  train_none
  fails 1 "none.svm: cannot open" "$DPERM" predict --model model.json --data none.svm
}

# One bad file at a time: content, then the text expected in the message. (Every rule: encode_test.c, svmlight_test.c.)
refuses_csv() {
  printf "$1" > bad.csv
  fails 1 "$2" "$DPERM" train --force --data bad.csv --schema schema.json --mechanism none --out model.json
}
refuses_svm() {
  printf "$1" > bad.svm
  fails 1 "$2" "$DPERM" train --force --data bad.svm --dims 3 --mechanism none --out model.json
}

@test "bad records are refused with their place" {
  refuses_csv 'age,job,rich\n30,nurse,yes\n30,nurse\n' 'bad.csv:3:1: 2 fields where 3 are expected'
  refuses_csv 'age,job,rich\n30,"nurse,yes\n' 'bad.csv:2:4: this quote is never closed'
  refuses_csv 'age,job,rich\nold,nurse,yes\n' 'bad.csv:2:1: column "age" is not a finite number'
  refuses_csv 'age,job,rich\n30,nurse,maybe\n' 'bad.csv:2:10: the label'
  refuses_csv 'age,job,rich\n3\0000,nurse,yes\n' 'bad.csv:2:2: a NUL byte'
  refuses_csv '' 'bad.csv: no rows'
  refuses_csv 'age,work,rich\n30,nurse,yes\n' 'bad.csv:1:1: the header has no column "job"'
  refuses_svm '+1 1:1 1:2\n' 'bad.svm:1:8: the index is not above the one before'
  refuses_svm '+1 1:1e999\n' 'bad.svm:1:4: the value is not a finite number'
  refuses_svm '0 1:1\n-1 1:1\n' 'bad.svm:2:1: labels 0 and -1'
  refuses_svm '# nothing\n' 'bad.svm: no rows'
  fails 2 "(dims)" "$DPERM" train --force --data bad.svm --mechanism none --out model.json
}

@test "messages never quote a record" {
  for line in SECRET,nurse,yes 30,nurse,SECRET; do
    printf 'age,job,rich\n%s\n' $line > bad.csv
    run "$DPERM" train --force --data bad.csv --schema schema.json --mechanism none --out model.json
    [ "$status" -eq 1 ]
    [[ "$output" != *SECRET* ]]
  done
}

@test "a cut gzip file is refused" {
  gzip -k people.csv
  head -c 200 people.csv.gz > cut.csv.gz
  run "$DPERM" train --force --data cut.csv.gz --schema schema.json --mechanism none --out model.json
  fails_with 1 "the gzip stream ends early"
  leaves_no model.json
}

@test "a stop signal leaves nothing behind" {
  mkfifo slow.csv
  "$DPERM" train --force --data slow.csv --schema schema.json --mechanism none --out model.json \
    2> message &
  worker=$!
  exec 7> slow.csv # it has opened its end, so it minds signals by now
  echo "age,job,rich" >&7
  kill -INT $worker
  (yes "30,nurse,yes" | head -n 100000 >&7) 2> /dev/null || true
  exec 7>&-
  status=0
  wait $worker || status=$?
  [ "$status" -eq 130 ]
  grep -q "stopped on request" message
  leaves_no model.json
}

@test "an epsilon whose numerics have a delta above 1e-30 is refused, with the reason" {
  for options in "--epsilon 100" "--epsilon 31" "--epsilon 500 --rows-per-person 10"; do
    run "$DPERM" train --force "${people[@]}" $options --out model.json
    [ "$status" -ne 0 ]
    [ "${#lines[@]}" -eq 1 ]
    [ ! -e model.json ]
  done
  fails 2 "would leave a delta of 1.1e-30, above 1e-30" "$DPERM" train --force "${people[@]}" --epsilon 31 --out model.json
  fails 2 "choose an epsilon of at most 30.9" "$DPERM" plan --rows 120 --schema schema.json --epsilon 40
  "$DPERM" train --force "${people[@]}" --epsilon 30.9 --out model.json 2> /dev/null
  "$DPERM" verify --model model.json > /dev/null
}
