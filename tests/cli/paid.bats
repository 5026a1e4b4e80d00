# What was paid for is not lost: outputs are never ledgers or inputs, what can fail fails before the
# charge, and a failure behind it says that the charge stays spent.
load helpers
load ledger_helpers

train() { "$DPERM" train --force "${people[@]}" --epsilon 0.1 "${account[@]}" --out "$@"; }
spent="; the charge (entry 2 of the ledger) stays spent"

# Nothing was charged, and the ledger is what it was.
untouched() {
  cmp l.db before.db || { echo "the ledger was changed: $output"; return 1; }
  holds
}

# ---- outputs that are ledgers

@test "the ledger in use, and what SQLite keeps beside it, is no output, by whatever name it goes" {
  begin
  cp l.db before.db
  ln l.db hard.db
  ln -s l.db soft.db
  ln -s . folder
  for out in l.db ./l.db "$PWD/l.db" folder/l.db hard.db soft.db folder/soft.db /proc/self/cwd/l.db; do
    fails 2 "train: --out would replace an input; name another file" train "$out"
    DPERM_LEDGER=l.db fails 2 "a ledger of dperm" "$DPERM" train --force "${people[@]}" --epsilon 0.1 --ledger none --out "$out"
  done
  [ -L soft.db ]
  for suffix in journal wal shm; do
    for name in l.db ./l.db folder/l.db soft.db; do
      fails 2 "belongs to a ledger of dperm, which no output replaces" train "$name-$suffix"
      [ ! -e "$name-$suffix" ]
    done
    : > "l.db-$suffix"
    ln -s "l.db-$suffix" link
    fails 2 "belongs to a ledger of dperm" train link
    rm "l.db-$suffix" link
  done
  untouched
}

@test "no command writes over a ledger, even one that nobody has named" {
  train_none
  begin
  cp l.db before.db
  ln l.db hard.svg
  check() {
    [ "$status" -eq 2 ] || { echo "$*: status $status: $output"; return 1; }
    [[ "${lines[0]}" == *"a ledger of dperm, which no output replaces; name another file"* ]] ||
      { echo "$*: $output"; return 1; }
    untouched
  }
  for command in \
    "train --data people.csv --schema schema.json --epsilon 1 --out l.db" \
    "train --data people.csv --schema schema.json --mechanism none --lambda 0.1 --out l.db" \
    "tune --data people.csv --schema schema.json --epsilon 1 --lambda 0.1,0.2 --out l.db" \
    "encode --data people.csv --schema schema.json --out l.db" \
    "predict --model model.json --data people.csv --out l.db" \
    "statement --model model.json --out l.db" \
    "schema draft --public-data people.csv --out l.db" \
    "schema import schema.json --label rich --out l.db" \
    "sweep --data people.csv --schema schema.json --epsilon 1 --out l.db" \
    "sweep --data people.csv --schema schema.json --epsilon 1 --plot hard.svg" \
    "sweep --data people.csv --schema schema.json --epsilon 1 --html l.db"; do
    run "$DPERM" $command
    check "$command"
  done
  ln l.db swept.csv.journal
  run "$DPERM" sweep "${people[@]}" --epsilon 1 --out swept.csv
  fails_with 2 "swept.csv.journal: a ledger of dperm, which no output replaces"
  mkdir demo
  for name in schema.json people.csv others.csv model.json predictions.csv; do
    ln l.db "demo/$name"
    fails 2 "demo/$name: a ledger of dperm, which no output replaces" "$DPERM" demo --rows 100 --out demo
    [ "$(ls demo)" = "$name" ]
    rm "demo/$name"
  done
  fails 2 "--out would replace an input" "$DPERM" statement --model model.json --ledger l.db --out l.db
  untouched
}

@test "neither standard output nor standard error is sent into a ledger" {
  train_none
  begin
  cp l.db before.db
  for command in "score --model model.json --data people.csv" "plan --rows 10 --dims 2 --epsilon 1" \
    "train --data people.csv --schema schema.json --mechanism none --lambda 1 --out -"; do
    for into in '>>' '1<>'; do
      fails 2 "standard output goes to an input or a ledger" bash -c '"$DPERM" '"$command"' 2>&1 '"$into l.db"
    done
  done
  untouched
  run bash -c '"$DPERM" plan --rows 10 --dims 2 --epsilon 1 2>> l.db'
  [ "$status" -eq 2 ]
}

@test "a symbolic link stays a link: it is written through, and refused where it leads nowhere" {
  train_none
  begin
  cp l.db before.db
  ln -s nowhere.json dangling
  ln -s loop loop
  for out in dangling loop; do
    for command in "train --epsilon 0.1 ${account[*]}" "tune --epsilon 0.1 --lambda 1,2 ${account[*]}" \
      "predict --model model.json" "encode" "sweep --epsilon 1 --draws 1" "sweep --epsilon 1 --draws 1 --html"; do
      case "$command" in
      predict*) run "$DPERM" $command --data people.csv --out $out ;;
      *html) run "$DPERM" ${command% --html} "${people[@]}" --html $out ;;
      *) run "$DPERM" $command "${people[@]}" --out $out ;;
      esac
      fails_with 1 "$out: a symbolic link to a file that is not there; remove the link" || { echo "$command"; return 1; }
      [ -L $out ] && [ ! -e nowhere.json ]
    done
  done
  untouched
  echo old > swept.csv
  ln -s swept.csv link.csv
  "$DPERM" sweep "${people[@]}" --epsilon 1 --draws 1 --out link.csv 2> /dev/null
  [ -L link.csv ] && grep -q epsilon swept.csv
}

@test "another database, and a file with a ledger's suffix beside none, may be replaced" {
  python3 -c 'import sqlite3; c = sqlite3.connect("other.db"); c.execute("CREATE TABLE t(x)"); c.commit()'
  succeeds "$DPERM" train --force "${people[@]}" --epsilon 1 --out other.db
  succeeds "$DPERM" train --force "${people[@]}" --epsilon 1 --out other.db-journal
}

@test "a file that cannot be read might be a ledger, and is not replaced" {
  [ "$(id -u)" -ne 0 ] || humble="setpriv --bounding-set=-dac_override,-dac_read_search"
  echo secret > closed.json
  chmod 000 closed.json
  run ${humble:-} "$DPERM" train --force "${people[@]}" --epsilon 1 --out closed.json
  fails_with 1 "closed.json: there is a file that cannot be read (Permission denied), so it may be a ledger"
  chmod 600 closed.json
  [ "$(cat closed.json)" = secret ]
}

# ---- before the charge

@test "a model that could not be written is not charged: names and places" {
  begin
  cp l.db before.db
  long=$(printf 'x%.0s' $(seq 300))
  run train "$long"
  fails_with 1 "cannot write (File name too long); check the place, its permissions and free space; nothing is charged"
  fails 1 "cannot write (Not a directory)" train people.csv/m.json
  fails 1 "/dev/full: cannot write (No space left on device)" train /dev/full
  run "$DPERM" tune --force "${people[@]}" --epsilon 0.1 --lambda 0.1,0.2 "${account[@]}" --out "$long"
  fails_with 1 "cannot write (File name too long)"
  mkdir sticky
  chmod 1777 sticky
  echo '{}' > sticky/theirs.json
  if [ "$(id -u)" -eq 0 ]; then # somebody else's file where only its owner may replace it
    chown 12345 sticky sticky/theirs.json
    chmod 644 sticky/theirs.json
    cp -r people.csv schema.json sticky
    chmod -R a+r sticky
    run setpriv --reuid 23456 --clear-groups "$DPERM" train --force --data sticky/people.csv \
      --schema sticky/schema.json --epsilon 0.1 --out sticky/theirs.json
    [ "$status" -eq 1 ] && [[ "$output" == *"sticky/theirs.json: cannot write (Operation not permitted)"* ]] ||
      { echo "$output"; return 1; }
  fi
  untouched
}

@test "a limit on the size of files is met before the charge, and leaves nothing" {
  begin
  cp l.db before.db
  awk 'BEGIN {for (i = 1; i <= 60; i++) printf "%d 1:0.%d 2:0.%d\n", i % 2 * 2 - 1, i % 7, i % 5 + 1}' > rows.svm
  run bash -c 'ulimit -f 40; "$DPERM" train --force --data rows.svm --dims 9000 --epsilon 0.1 --ledger l.db --dataset people --out m.json'
  fails_with 1 "m.json: cannot write (File too large); check the place, its permissions and free space; nothing is charged"
  leaves_no m.json
  run bash -c 'ulimit -f 40; "$DPERM" train --force --data rows.svm --dims 9000 --epsilon 0.1 --ledger l.db --dataset people --out - 2>&1 > m.json'
  fails_with 1 "standard output: cannot write (File too large)"
  untouched
}

@test "a disk without space for the model is met before the charge" {
  begin
  cp l.db before.db
  for command in train "tune --lambda 0.1,0.2"; do
    faulty LEDGER_FAULT_FULL=1 LEDGER_FAULT_FULL_NAME=.m.json "$DPERM" $command "${people[@]}" \
      --epsilon 0.1 "${account[@]}" --out m.json
    fails_with 1 "m.json: cannot write (No space left on device); check the place, its permissions and free space; nothing is charged"
    leaves_no m.json
  done
  untouched
}

@test "the space that is taken is enough, and what is not used is given back" {
  begin
  faulty LEDGER_FAULT_LOG=log "$DPERM" train --force "${people[@]}" --epsilon 0.1 "${account[@]}" --out m.json
  [ "$status" -eq 0 ]
  grep -q "fallocate" log
  [ "$(tail -c 2 m.json)" = "}" ]
  [ "$(tr -d '\0' < m.json | wc -c)" -eq "$(wc -c < m.json)" ]
  "$DPERM" verify --model m.json > /dev/null
  rm m.json log
  leaves_no m.json
}

@test "a score that could not be shown is not charged" {
  train_none
  begin
  cp l.db before.db
  export score="score --model model.json --data people.csv --epsilon 0.1 --public-model --ledger l.db --dataset people"
  run bash -c '"$DPERM" $score 2>&1 >&-'
  fails_with 1 "standard output: cannot write (Bad file descriptor); check the place, its permissions and free space; nothing is charged"
  fails 1 "standard output: cannot write (No space left on device)" bash -c '"$DPERM" $score 2>&1 > /dev/full'
  fails 1 "standard output: cannot write (Bad file descriptor)" bash -c '"$DPERM" $score 2>&1 1< schema.json'
  run bash -c '{ mkfifo gone; exec 3<> gone 4> gone 3>&-; "$DPERM" $score 2>&1 >&4; }'
  fails_with 1 "standard output: cannot write (Broken pipe)"
  fails 1 "standard output: cannot write (File too large)" bash -c 'ulimit -f 0; "$DPERM" $score 2>&1 > shown'
  untouched
  succeeds bash -c '"$DPERM" $score 2>&1 > shown'
  [ "$(left)" = 0.9 ]
}

@test "memory that public numbers foresee is asked for before the charge" {
  [[ "$(ldd "$DPERM")" != *libasan* ]] || skip "a sanitizer takes all addresses there are"
  awk 'BEGIN {for (i = 1; i <= 60; i++) printf "%d 1:0.%d 2:0.%d\n", i % 2 * 2 - 1, i % 7, i % 5 + 1}' > rows.svm
  begin
  cp l.db before.db
  export DPERM_THREADS=1
  for fit in "train --dims 20 --kernel gaussian --gamma 1 --features 20000" "train --dims 300000" \
    "tune --dims 20 --kernel gaussian --gamma 1 --features 10000,20000" \
    "train --dims 20000 --kernel gaussian --gamma 1 --features 10000" "train --dims 40"; do
    succeeded=no
    for limit in 15000 20000 25000 30000 50000 80000 100000 140000 180000 200000 240000 270000 300000 400000; do
      export fit limit
      run bash -c 'ulimit -v $limit; timeout -s KILL 60 "$DPERM" $fit --data rows.svm --epsilon 0.01 --ledger l.db --dataset people --out m.json 2>&1'
      [ "$status" -ne 0 ] || { succeeded=yes; break; }
      untouched || { echo "$fit in $limit KB: $output"; return 1; }
    done
    [ "$succeeded" = yes ] || { echo "$fit: $output"; return 1; }
    rm -f m.json
    rm l.db # a file of its own: what is written over is noticed
    cp before.db l.db
  done
}

# ---- behind the charge

@test "a model that is lost behind the charge: the message says that it stays spent" {
  begin
  faulty LEDGER_FAULT_RENAME=m.json "$DPERM" train --force "${people[@]}" --epsilon 0.1 "${account[@]}" --out m.json
  fails_with 1 "m.json: cannot write (Input/output error); check the place, its permissions and free space$spent"
  [[ "$output" == *"$spent" ]]
  leaves_no m.json
  [ "$(left)" = 0.9 ]
  begin
  faulty LEDGER_FAULT_RENAME=m.json "$DPERM" tune --force "${people[@]}" --epsilon 0.1 --lambda 0.1,0.2 "${account[@]}" --out m.json
  fails_with 1 "m.json: cannot write (Input/output error)"
  [[ "$output" == *"$spent" ]]
  leaves_no m.json
  [ "$(left)" = 0.9 ]
}

# The data come by a pipe: while the command waits for them, and so has looked at the place of its output,
# something happens.
meanwhile() { # what, in Python; the command
  python3 - "$1" "$DPERM" "${@:2}" <<'P'
import fcntl, os, struct, subprocess, sys, termios
inward, data = os.pipe()
reader, out = os.pipe()
run = subprocess.Popen(sys.argv[2:], stdin=inward, stdout=out, stderr=subprocess.PIPE)
os.close(inward); os.close(out)
records = open("people.csv", "rb").read()
os.write(data, records[:100])
while struct.unpack("i", fcntl.ioctl(data, termios.FIONREAD, b"\0" * 4))[0]: pass
exec(sys.argv[1])
os.write(data, records[100:]); os.close(data)
message = run.stderr.read().decode(); status = run.wait()
print(message, end=""); sys.exit(status)
P
}

@test "a reader who leaves behind the charge: the message says that it stays spent" {
  train_none
  begin
  run meanwhile "os.close(reader)" score --model model.json --data - --epsilon 0.1 --public-model "${account[@]}"
  fails_with 1 "standard output: cannot write (Broken pipe)"
  [[ "$output" == *"$spent" ]]
  [ "$(left)" = 0.9 ]
  begin
  run meanwhile "os.close(reader)" train --data - --schema schema.json --epsilon 0.1 "${account[@]}" --out -
  fails_with 1 "standard output: cannot write (Broken pipe)"
  [[ "$output" == *"$spent" ]]
}

@test "a ledger that appears where the model goes is not replaced" {
  begin
  run meanwhile 'subprocess.check_call([sys.argv[2], "ledger", "init", "m.json", "--dataset", "x", "--epsilon", "1"], stderr=-3)' \
    train --data - --schema schema.json --epsilon 0.1 "${account[@]}" --out m.json
  fails_with 1 "m.json: a ledger of dperm, which no output replaces; name another file$spent"
  "$DPERM" ledger verify m.json > /dev/null
  [ -z "$(find . -name '.m.json.*')" ]
}

@test "streams that are closed are nobody's file" {
  succeeds bash -c '"$DPERM" train --force --data people.csv --schema schema.json --epsilon 1 --out m.json >&- 2>&- <&-'
  [ "$(head -c 1 m.json)" = "{" ]
  "$DPERM" verify --model m.json > /dev/null
}

@test "so is that of whatever schema the records may make" {
  [[ "$(ldd "$DPERM")" != *libasan* ]] || skip "a sanitizer takes all addresses there are"
  py <<'P'
draw = random.Random(1)
names = [f"c{i}" for i in range(55)]
with open("wide.csv", "w") as out:
    print(*names, "y", sep=",", file=out)
    for _ in range(3000):
        row = [draw.random() for _ in names]
        print(*(f"{x:.4f}" for x in row), "yes" if abs(row[0] - 0.5) > 0.25 else "no", sep=",", file=out)
columns = [{"name": name, "type": "numeric", "min": 0, "max": 1} for name in names]
json.dump({"columns": columns, "label": {"column": "y", "positive": ["yes"], "negative": ["no"]}}, open("wide.json", "w"))
P
  export DPERM_THREADS=1 fit limit
  for fit in train "tune --lambda 0.01,0.1" "tune --lambda 0.01,0.1 --method stopping"; do
    succeeded=no
    for limit in 25000 40000 60000 80000 100000 130000 160000 200000 250000 300000 400000; do
      rm -f l.db m.json
      "$DPERM" ledger init l.db --dataset d --epsilon 35 2> /dev/null
      run bash -c 'ulimit -v $limit; timeout -s KILL 60 "$DPERM" $fit --data wide.csv --schema wide.json --epsilon 30 --ledger l.db --dataset d --out m.json 2>&1'
      [ "$status" -ne 0 ] || { succeeded=yes; break; }
      "$DPERM" ledger show l.db --json | grep -q '"entries": \[\]' || { echo "$fit in $limit KB: $output"; "$DPERM" ledger show l.db; return 1; }
    done
    [ "$succeeded" = yes ] || { echo "$fit: $output"; return 1; }
    grep -q '"bins"' m.json
  done
}
