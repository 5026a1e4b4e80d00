# mpirun -n P dperm …: the same model whatever P, one charge, one voice, and no model if a process
# dies.
load helpers

# Starting a job takes most of a second, so not every number of processes is tried with every call;
# `make test-full` tries more.
some() { # numbers of processes in any case, those in the long test
  echo "$1 ${DPERM_LONG:+$2}"
}

many() { # the number of processes, then the command
  local count=$1
  shift
  DPERM_THREADS=1 OMPI_MCA_btl_base_warn_component_unused=0 timeout 3000 mpirun \
    --allow-run-as-root --oversubscribe --quiet -n "$count" "$DPERM" "$@"
}

# A job of three whose leader comes to a gate after the named call (tests/fault/ledger_fault.c), and
# whose processes note who they are. A clock ends it only if it hangs.
gated() { # the call, then the command's arguments
  export DPERM_THREADS=1 LEDGER_FAULT_GATE=gate LEDGER_FAULT_GATE_AT=$1
  exec timeout 3000 mpirun --allow-run-as-root --oversubscribe --quiet -n 3 bash -c '
    echo $$ > pid.$OMPI_COMM_WORLD_RANK
    [ "$OMPI_COMM_WORLD_RANK" -ne 0 ] || export LD_PRELOAD="$LEDGER_FAULT"
    exec "$0" "$@"' "$DPERM" "${@:2}"
}

# No process of the job is left, or soon none: those that are there run in this test's folder.
job_is_gone() {
  for rank in 0 1 2; do
    timeout 3000 bash -c 'while [ "$(readlink "/proc/$1/cwd")" = "$PWD" ]; do sleep 0.05; done' - \
      "$(cat pid.$rank)"
  done
}

rows() { # how many
  awk -v n="$1" 'BEGIN {for (i = 0; i < n; i++)
    printf "%d %d:.%d %d:.%d 40:.%d\n", i * i % 7 < 3, 1 + i % 13, 1 + i % 9, 20 + i % 11, 1 + i % 8, i % 10}'
}

setup_rows() {
  rows "$1" > rows.svm
  "$DPERM" encode --data rows.svm --dims 40 --out rows.dperm 2> /dev/null
}

same_model() { # numbers of processes, then the command; with the noise of $seed, or of 2
  "$DPERM" "${@:2}" --force --seed "${seed:-2}" --out alone.json 2> /dev/null
  for count in $1; do
    many "$count" "${@:2}" --force --seed "${seed:-2}" --out many.json 2> /dev/null
    cmp alone.json many.json
  done
}

@test "persons whose records stand in the parts of several processes are the same" {
  awk 'BEGIN {print "id,x,rich"; for (i = 0; i < 6000; i++) printf "p%d,%d,%s\n", i * i % 1009, i % 17, (i % 3 ? "yes" : "no")}' > r.csv
  echo '{"label": {"column": "rich", "positive": ["yes"], "negative": ["no"]}, "person": "id", "rows_per_person": 4,
    "columns": [{"name": "x", "type": "numeric", "min": 0, "max": 20}]}' > s.json
  same_model "2 3" train --data r.csv --schema s.json --epsilon 3 --calibrate 0.1
  "$DPERM" encode --data r.csv --schema s.json --out r.dperm 2> /dev/null
  same_model "3" tune --data r.dperm --epsilon 3 --lambda 0.01,0.1
}

@test "a refinement is the same among processes, and one charge" {
  awk 'BEGIN {print "amount,job,rich"; for (i = 0; i < 6000; i++)
    printf "%d,%s,%s\n", i % 3 ? 400 + i % 300 : 0, substr("abcdefghi", i % 97 ? 1 + i % 3 : 4 + i % 6, 1), (i % 3 ? "yes" : "no")}' > r.csv
  echo '{"label": {"column": "rich", "positive": ["yes"], "negative": ["no"]}, "columns": [{"name": "amount", "type":
    "numeric", "min": 0, "max": 1000000}, {"name": "job", "type": "categorical", "values": ["a", "b", "c", "d", "e", "f",
    "g", "h", "i"]}]}' > wide.json
  same_model "3 $(some "" "2 4")" train --data r.csv --schema wide.json --epsilon 1 --refine auto
  same_model 2 refine --data r.csv --schema wide.json --epsilon 0.2
  "$DPERM" ledger init l.db --dataset people --epsilon 1 2> /dev/null
  many 3 train --force --data r.csv --schema wide.json --epsilon 0.75 --refine auto --out m.json --ledger l.db --dataset people 2> /dev/null
  "$DPERM" verify --model m.json > /dev/null
  "$DPERM" ledger show l.db --model m.json | grep -q '0.75'
  "$DPERM" ledger show l.db | grep -q '0.25 left of 1'
}

@test "1, 2, 3 and 4 processes give the model of none, to the bit" {
  setup_rows 6000
  same_model "1 2 3 4" train --data rows.dperm --epsilon 1
  same_model "$(some 3 "1 2 4")" train --data rows.dperm --mechanism none
  same_model "$(some 4 "1 2 3")" tune --data rows.dperm --epsilon 1 --lambda 0.1,0.01
  same_model 2 train --data rows.svm --dims 40 --epsilon 1
}

@test "columns that are chosen, and a pair of them, are the same among processes" {
  py <<'P'
draw = random.Random(5)
names = [f"x{j}" for j in range(11)]
with open("many.csv", "w") as file:
    print(*names, "u", "y", sep=",", file=file)
    for i in range(9000):
        x, u = [draw.gauss(5, 1) for _ in names], draw.uniform(0, 100)
        score = 0.2 * (abs(u - 50) - 25) + (2 if (x[0] > 5) != (x[1] > 5) else -2)
        print(*(f"{v:.3f}" for v in x), f"{u:.1f}", int(draw.random() < 1 / (1 + math.exp(-score))), sep=",", file=file)
json.dump({"label": {"column": "y", "positive": ["1"], "negative": ["0"]}, "columns": [
    {"name": name, "type": "numeric", "min": 0, "max": 100 if name == "u" else 10} for name in names + ["u"]]}, open("many.json", "w"))
P
  for how in "--epsilon 1" "--epsilon 3 --delta 1e-7 --neighbours add-remove --rows-about 9000"; do
    "$DPERM" train --force --data many.csv --schema many.json $how --pairs 0.2 --seed 3 --out one.json 2> /dev/null
    grep -q '"pair": *"x0\*x1"' one.json
    for count in 2 3; do
      many $count train --force --data many.csv --schema many.json $how --pairs 0.2 --seed 3 --out some.json 2> /dev/null
      cmp one.json some.json
    done
  done
}

@test "classes that are learned jointly are the same among processes, with any noise" {
  awk 'BEGIN {print "x,z,kind"; for (i = 0; i < 5000; i++) {c = i * i % 11 % 4
    printf "%.3f,%.3f,%s\n", (c % 2 ? 0.5 : -0.5) + (i % 41 - 20) / 80, (c > 1 ? 0.4 : -0.4) + (i % 53 - 26) / 90, substr("abcd", c + 1, 1)}}' > k.csv
  echo '{"label": {"column": "kind", "classes": ["a", "b", "c", "d"]}, "intercept": true, "columns": [{"name": "x", "type":
    "numeric", "min": -1, "max": 1}, {"name": "z", "type": "numeric", "min": -1, "max": 1}]}' > k.json
  joint=(train --data k.csv --schema k.json --multiclass joint --refine none)
  same_model "3 $(some "" "1 2 4")" "${joint[@]}" --epsilon 1
  same_model "2 $(some "" "3 4")" "${joint[@]}" --epsilon 1 --delta 1e-6 --noise gaussian
  same_model "$(some "" "2 3")" "${joint[@]}" --epsilon 1 --mechanism output
  same_model "$(some "" "2 3")" "${joint[@]}" --epsilon 1 --neighbours add-remove --rows-about 5000
}

@test "several processes charge a ledger once and speak with one voice" {
  setup_rows 6000
  "$DPERM" ledger init ledger --dataset rows --epsilon 2
  succeeds many 3 train --force --data rows.dperm --epsilon 1 --out model.json --ledger ledger --dataset rows
  [ "${#lines[@]}" -eq 2 ]
  "$DPERM" ledger verify ledger
  "$DPERM" ledger show ledger --model model.json
  [ "$("$DPERM" ledger show ledger --json | grep -c '"entry":')" -eq 1 ]
  run many 2 train --force --data rows.dperm --epsilon 1.5 --out second.json --ledger ledger --dataset rows
  [ "$status" -ne 0 ]
  leaves_no second.json
  [ "$("$DPERM" ledger show ledger --json | grep -c '"entry":')" -eq 1 ]
}

@test "tasks of Slurm that do not come together are refused, before anything is charged" {
  "$DPERM" ledger init ledger --dataset people --epsilon 2
  run_it=(train --force --data people.csv --schema schema.json --epsilon 1 --out model.json --ledger ledger --dataset people)
  export SLURM_NTASKS=4 SLURM_PROCID=1
  export SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4
  run "$DPERM" "${run_it[@]}" # srun --mpi=none
  fails_with 1 "4 processes were started (SLURM_STEP_NUM_TASKS), but not for MPI, so each would do the whole work; start them with mpirun or srun --mpi=pmix, or run it once (srun -n 1); if this process is alone, unset SLURM_STEP_NUM_TASKS"
  leaves_no model.json
  env -u SLURM_STEP_NUM_TASKS "$DPERM" ledger show ledger > shown
  grep -q '^0 entries' shown
  succeeds many 2 "${run_it[@]}" # mpirun in the same place has its own number
  rm model.json
  unset SLURM_STEP_ID SLURM_STEP_NUM_TASKS
  "$DPERM" "${run_it[@]}" # a script of sbatch
  [ "$("$DPERM" ledger show ledger --json | grep -c '"entry":')" -eq 2 ]
}

@test "a failure is one line, whoever has it" {
  setup_rows 6000
  size=$(stat -c %s rows.dperm)
  # in the last values, which only the last process reads
  printf 'x' | dd of=rows.dperm bs=1 seek=$((size - 70000)) conv=notrunc 2> /dev/null
  run many 3 train --force --data rows.dperm --epsilon 1 --out model.json
  [ "$status" -ne 0 ]
  [ "$(grep -c '^dperm: ' <<< "$output")" -eq 1 ]
  leaves_no model.json
  run many 2 train --force --data nowhere.dperm --dims 3 --epsilon 1 --out model.json
  [ "$status" -ne 0 ]
  [ "$(grep -c '^dperm: ' <<< "$output")" -eq 1 ]
  run many 2 train --force --data rows.svm --dims 40 --epsilon 1 --out /nowhere/model.json
  [ "$status" -ne 0 ]
  [ "$(grep -c '^dperm: ' <<< "$output")" -eq 1 ]
  run many 2 train --force --data rows.svm
  [ "$status" -ne 0 ]
  [ "$(grep -c '^dperm: ' <<< "$output")" -eq 1 ]
}

@test "commands that cannot share work refuse several processes" {
  setup_rows 600
  for call in "encode --data rows.svm --dims 40 --out second.dperm" "score --model m --data rows.svm"; do
    run many 2 $call
    [ "$status" -eq 2 ]
    [ "$(grep '^dperm: ' <<< "$output")" = "dperm: ${call%% *}: this command runs as one process, and 2 were \
started; run it without mpirun; see 'dperm help ${call%% *}'" ]
  done
  leaves_no second.dperm
}

@test "a process that is killed ends the job, without a model, and the charge stays" {
  setup_rows 6000
  "$DPERM" ledger init ledger --dataset rows --epsilon 100
  mkfifo gate
  entries=0
  for victim in $(some "0 2" 1); do
    rm -f model.json
    # at the end of the first transaction it is charged: the work has begun
    gated "1 unlink ledger-journal" train --data rows.dperm --epsilon 1 --kernel gaussian --gamma 0.1 \
      --features 1000 --out model.json --ledger ledger --dataset rows > out 2>&1 &
    job=$!
    at_gate bash -c 'kill -KILL "$(cat "pid.$1")"' - $victim
    wait $job && status=0 || status=$?
    [ "$status" -ne 0 ] && [ "$status" -ne 124 ]
    [ ! -e model.json ] # a temporary file may stay
    "$DPERM" ledger verify ledger
    [ "$("$DPERM" ledger show ledger --json | grep -c '"entry":')" -eq $((entries += 1)) ]
    job_is_gone
  done
  [ "$("$DPERM" ledger show ledger | grep -c 'stays spent')" -eq $entries ]
}

same_cells() { # numbers of processes, then the options
  "$DPERM" sweep "${@:2}" --out alone.csv 2> /dev/null
  for count in $1; do
    succeeds many "$count" sweep "${@:2}" --out many.csv
    [[ "${lines[-1]}" == "many.csv: "*" cell"*", $(awk -F, '{s += $8} END {print s}' alone.csv) models" ]]
    cmp alone.csv many.csv
    [ ! -e many.csv.journal ]
  done
}

@test "a sweep's CSV is the same whatever the number of processes" {
  setup_rows 3000
  rows 1700 > test.svm
  grid=(--data rows.svm --dims 40 --loss logistic,huber --mechanism none,output,objective --epsilon 0.1,1
    --lambda 0.01 --draws 5)
  same_cells "$(some "1 3" 2)" "${grid[@]}" --folds 3
  same_cells "$(some 2 "1 3")" "${grid[@]}" --test-data test.svm
  same_cells "$(some 3 "1 2")" "${grid[@]}" --folds 2 --kernel gaussian --gamma 0.5 --features 30
  same_cells 2 --data rows.dperm --epsilon 1 --folds 3
  same_cells 3 --data people.csv --schema schema.json --epsilon 1,15,20 --bins auto
  "$DPERM" sweep "${people[@]}" --epsilon 1 > alone.csv
  many 3 sweep --data people.csv --schema schema.json --epsilon 1 > many.csv 2> /dev/null
  cmp alone.csv many.csv
}

@test "several classes are counted over all processes" {
  awk 'BEGIN {srand(3); print "a,b,kind"; for (i = 0; i < 3000; i++)
    printf "%.3f,%.3f,%s\n", rand() + (i % 3 == 1), rand() + (i % 3 == 2), substr("abc", i % 3 + 1, 1)}' > three.csv
  cat > three.json <<'S'
{"label": {"column": "kind", "classes": ["a", "b", "c"]},
 "columns": [{"name": "a", "type": "numeric", "min": 0, "max": 2, "scale": "center"},
             {"name": "b", "type": "numeric", "min": 0, "max": 2, "scale": "center"}],
 "intercept": true}
S
  same_cells 3 --data three.csv --schema three.json --epsilon 1,3 --mechanism none,output,objective --folds 3
  for seed in $(some "1 2 3" "4 5 6"); do # the second candidate is hopeless: its errors must be seen
    same_model 3 tune --data three.csv --schema three.json --epsilon 3 --lambda 0.01,1e3
  done
}

@test "a sweep that fails says so in one line" {
  setup_rows 3000
  for wrong in "--data nowhere.dperm" "--data rows.dperm --out /nowhere/cells.csv" \
    "--data rows.dperm --folds 4000" "--data rows.dperm --test-data people.csv"; do
    run many 2 sweep --epsilon 1 $wrong
    [ "$status" -ne 0 ] && [ "$status" -ne 124 ]
    [ "$(grep -c '^dperm: ' <<< "$output")" -eq 1 ]
  done
}

@test "a sweep of which a process is killed leaves a journal, and any number goes on" {
  setup_rows 6000
  grid=(--data rows.dperm --loss logistic,huber --epsilon 0.1,0.2,0.5,1,2 --lambda 1e-3,1e-2
    --folds 4 --draws 6)
  "$DPERM" sweep "${grid[@]}" --out alone.csv 2> /dev/null
  mkfifo gate
  for victim in $(some "0 2" 1); do
    rm -f cells.csv cells.csv.journal
    # after its title the journal gets the first part that is done
    gated "2 fdatasync cells.csv.journal" sweep "${grid[@]}" --out cells.csv > out 2>&1 &
    job=$!
    at_gate bash -c 'kill -KILL "$(cat "pid.$1")"' - $victim
    wait $job && status=0 || status=$?
    [ "$status" -ne 0 ] && [ "$status" -ne 124 ]
    leaves_no cells.csv
    job_is_gone # and nobody holds the journal
    [ "$(wc -c < cells.csv.journal)" -gt 47 ]
    if [ $victim -eq 0 ]; then
      run "$DPERM" sweep "${grid[@]}" --out cells.csv
    else
      run many $((victim + 1)) sweep "${grid[@]}" --out cells.csv
    fi
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "went on with cells.csv.journal" ]
    cmp alone.csv cells.csv
    [ ! -e cells.csv.journal ]
  done
}

@test "a program that uses MPI itself keeps it, its messages and its error handler" {
  setup_rows 6000
  "$DPERM" train --force --data rows.svm --dims 40 --epsilon 1 --seed "${seed:-2}" --out alone.json 2> /dev/null
  for count in 1 3; do
    run timeout 3000 mpirun --allow-run-as-root --oversubscribe --quiet -n $count \
      "$DPERM_BUILD/tests/mpi_host" rows.svm 40 model.json
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    cmp alone.json model.json
  done
}

@test "the default is the same at every door of the command, and among processes" {
  awk 'BEGIN {print "amount,y"; for (i = 0; i < 33000; i++) printf "%d,%d\n", i % 97, (i % 97 > 30 && i % 97 < 60)}' > amounts.csv
  echo '{"label": {"column": "y", "positive": ["1"], "negative": ["0"]}, "columns": [{"name": "amount", "type": "numeric",
    "min": 0, "max": 100}]}' > amounts.json
  gzip -k amounts.csv
  "$DPERM" encode --data amounts.csv --schema amounts.json --out amounts.dperm 2> /dev/null
  for command in train "tune --lambda 0.01,0.1" "tune --lambda 0.01,0.1 --method stopping"; do
    same_model "$([ "$command" = train ] && echo "1 2 $(some "" 4)") 3" $command --data amounts.csv --schema amounts.json --epsilon 1
    grep -q '"refined"' alone.json && grep -q '"bins"' alone.json # a sample was asked, and counted
    for door in "--data amounts.csv.gz --schema amounts.json" "--data amounts.dperm" "--data - --schema amounts.json"; do
      "$DPERM" $command --force $door --epsilon 1 --seed 2 --out door.json < amounts.csv 2> /dev/null
      cmp alone.json door.json
    done
  done
  same_cells 3 --data amounts.csv --schema amounts.json --epsilon 1 --folds 2 --draws 2
}
