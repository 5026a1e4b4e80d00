# A secure random source that fails, before or in the middle of the work (tests/fault/random_fault.c
# stands in for the system's): one clear line, status 1 and no model; never an abort.
load helpers

faulty() { run preloaded "$RANDOM_FAULT" "$@"; }

train_private() { # the fault, then options
  fault=$1
  shift
  faulty "$fault" "$DPERM" train "${people[@]}" --epsilon 1 --out model.json "$@"
}

# Wide rows, so that noise takes several buffers of bits: question 1 is at the start, each of the
# others before a buffer.
wide_rows() {
  for i in $(seq 1 50); do
    echo "$((i % 2 * 2 - 1)) $i:1 $((i + 100)):0.5"
  done > wide.svm
}

@test "without a secure source, or one that fails before the noise, nothing is trained" {
  for mechanism in objective output; do
    train_private RANDOM_FAULT_AFTER=0 --mechanism $mechanism
    fails_with 1 "the system gives no secure random bits"
    train_private RANDOM_FAULT_AFTER=1 --mechanism $mechanism
    fails_with 1 "the system's secure random source failed during the work; nothing is released"
    leaves_no model.json
  done
}

@test "a source that fails in the middle of the noise releases nothing" {
  wide_rows
  for mechanism in objective output; do
    for k in 1 2 3 4; do
      faulty RANDOM_FAULT_AFTER=$k "$DPERM" train --data wide.svm --dims 150 --epsilon 1 \
        --mechanism $mechanism --out model.json
      fails_with 1 "the system's secure random source failed during the work; nothing is released"
      leaves_no model.json
    done
  done
}

@test "a source that fails under a kernel or while tuning releases nothing" {
  train_private RANDOM_FAULT_AFTER=1 --kernel gaussian --gamma 1 --features 20
  fails_with 1 "nothing is released"
  leaves_no model.json
  for method in split stopping; do
    faulty RANDOM_FAULT_AFTER=1 "$DPERM" tune "${people[@]}" --epsilon 1 \
      --lambda 1e-2,1e-1 --method $method --out model.json
    fails_with 1 "nothing is released"
    leaves_no model.json
  done
}

@test "a failure after the last draw, and interrupted calls, do no harm" {
  train_private RANDOM_FAULT_AFTER=1000
  [ "$status" -eq 0 ]
  [ -e model.json ]
  wide_rows
  faulty RANDOM_FAULT_INTERRUPTED=1 "$DPERM" train --data wide.svm --dims 150 --epsilon 1 --out wide.json
  [ "$status" -eq 0 ]
  [ -e wide.json ]
}
