# mpirun -n P dperm …: the same model whatever P, one charge, one voice, and no model if a process
# dies.
load helpers

many() { # the number of processes, then the command
  local count=$1
  shift
  OMP_NUM_THREADS=1 OMPI_MCA_btl_base_warn_component_unused=0 timeout 100 mpirun \
    --allow-run-as-root --oversubscribe --quiet -n "$count" "$DPERM" "$@"
}

rows() { # how many
  awk -v n="$1" 'BEGIN {for (i = 0; i < n; i++)
    printf "%d %d:.%d %d:.%d 40:.%d\n", i * i % 7 < 3, 1 + i % 13, 1 + i % 9, 20 + i % 11, 1 + i % 8, i % 10}'
}

setup_rows() {
  rows "$1" > rows.svm
  "$DPERM" encode --data rows.svm --dims 40 --out rows.dperm 2> /dev/null
}

@test "1, 2, 3 and 4 processes give the model of none, to the bit" {
  setup_rows 6000
  for how in "train --epsilon 1" "train --mechanism none" "tune --epsilon 1 --lambda 0.1,0.01"; do
    # shellcheck disable=SC2086
    "$DPERM" $how --data rows.dperm --seed 2 --out alone.json 2> /dev/null
    for count in 1 2 3 4; do
      # shellcheck disable=SC2086
      many $count $how --data rows.dperm --seed 2 --out many.json 2> /dev/null
      cmp alone.json many.json
    done
  done
  many 2 train --data rows.svm --dims 40 --epsilon 1 --seed 2 --out many.json 2> /dev/null
  "$DPERM" train --data rows.svm --dims 40 --epsilon 1 --seed 2 --out alone.json 2> /dev/null
  cmp alone.json many.json
}

@test "records and a schema are shared too, also fewer rows than make a stripe" {
  "$DPERM" train --data people.csv --schema schema.json --seed 2 --epsilon 1 --out alone.json 2> /dev/null
  many 3 train --data people.csv --schema schema.json --seed 2 --epsilon 1 --out many.json 2> /dev/null
  cmp alone.json many.json
}

@test "several processes charge a ledger once and speak with one voice" {
  setup_rows 6000
  "$DPERM" ledger init ledger --dataset rows --epsilon 2
  run many 3 train --data rows.dperm --epsilon 1 --out model.json --ledger ledger --dataset rows
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 2 ]
  "$DPERM" ledger verify ledger
  "$DPERM" ledger show ledger --model model.json
  [ "$("$DPERM" ledger show ledger --json | grep -c '"entry":')" -eq 1 ]
  run many 2 train --data rows.dperm --epsilon 1.5 --out second.json --ledger ledger --dataset rows
  [ "$status" -ne 0 ]
  leaves_no second.json
  [ "$("$DPERM" ledger show ledger --json | grep -c '"entry":')" -eq 1 ]
}

@test "a failure is one line, whoever has it" {
  setup_rows 6000
  size=$(stat -c %s rows.dperm)
  # in the last values, which only the last process reads
  printf 'x' | dd of=rows.dperm bs=1 seek=$((size - 70000)) conv=notrunc 2> /dev/null
  run many 3 train --data rows.dperm --epsilon 1 --out model.json
  [ "$status" -ne 0 ]
  [ "$(grep -c '^dperm: ' <<< "$output")" -eq 1 ]
  leaves_no model.json
  run many 2 train --data nowhere.dperm --dims 3 --epsilon 1 --out model.json
  [ "$status" -ne 0 ]
  [ "$(grep -c '^dperm: ' <<< "$output")" -eq 1 ]
  run many 2 train --data rows.svm --dims 40 --epsilon 1 --out /nowhere/model.json
  [ "$status" -ne 0 ]
  [ "$(grep -c '^dperm: ' <<< "$output")" -eq 1 ]
  run many 2 train --data rows.svm
  [ "$status" -ne 0 ]
  [ "$(grep -c '^dperm: ' <<< "$output")" -eq 1 ]
}

@test "commands that cannot share work refuse several processes" {
  setup_rows 600
  run many 2 encode --data rows.svm --dims 40 --out second.dperm
  [ "$status" -ne 0 ]
  [ "$(grep -c '^dperm: encode: only train, tune and sweep share work' <<< "$output")" -eq 1 ]
  leaves_no second.dperm
}

@test "a process that is killed ends the job, without a model, and the charge stays" {
  setup_rows 20000
  "$DPERM" ledger init ledger --dataset rows --epsilon 100
  for victim in 0 1 2; do
    rm -f model.json
    # kernel features keep it busy for long
    OMP_NUM_THREADS=1 timeout 60 mpirun --allow-run-as-root --oversubscribe --quiet -n 3 bash -c '
      echo $$ > pid.$OMPI_COMM_WORLD_RANK
      exec "$0" train --data rows.dperm --epsilon 1 --kernel gaussian --gamma 0.1 --features 1000 \
        --out model.json --ledger ledger --dataset rows' "$DPERM" > out 2>&1 &
    job=$!
    for _ in $(seq 1 200); do # until it is charged: the work has begun
      [ "$("$DPERM" ledger show ledger --json 2> /dev/null | grep -c '"entry":')" -gt $victim ] && break
      sleep 0.1
    done
    kill -KILL "$(cat pid.$victim)"
    wait $job && status=0 || status=$?
    [ "$status" -ne 0 ] && [ "$status" -ne 124 ]
    leaves_no model.json
    "$DPERM" ledger verify ledger
    [ "$("$DPERM" ledger show ledger --json | grep -c '"entry":')" -eq $((victim + 1)) ]
    for rank in 0 1 2; do
      ! kill -0 "$(cat pid.$rank)" 2> /dev/null
    done
  done
  [ "$("$DPERM" ledger show ledger | grep -c 'stays spent')" -eq 3 ]
}
