# A build without MPI (tests/CMakeLists.txt runs this or mpi.bats): it must not take one of several
# processes for the only one.
load helpers

@test "a process of a job of several is refused: each would spend and release the same again" {
  for name in OMPI_COMM_WORLD_SIZE PMI_SIZE; do
    run env $name=2 "$DPERM" train "${people[@]}" --epsilon 1 --out model.json
    fails_with 1 "built without MPI, and "
    leaves_no model.json
    env $name=1 "$DPERM" train "${people[@]}" --epsilon 1 --out model.json
    rm model.json
  done
}

@test "a step of Slurm is refused, a script of sbatch is not" {
  export SLURM_NTASKS=3 SLURM_PROCID=0
  "$DPERM" train "${people[@]}" --epsilon 1 --out model.json
  rm model.json
  export SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=3
  run "$DPERM" train "${people[@]}" --epsilon 1 --out model.json
  fails_with 1 "SLURM_STEP_NUM_TASKS says that it is one of several processes, each of which would do the whole work; build it with -DDPERM_MPI=ON, or run it once (srun -n 1); if this process is alone, unset SLURM_STEP_NUM_TASKS"
  leaves_no model.json
  unset SLURM_STEP_NUM_TASKS
  run env PMIX_NAMESPACE=x PMIX_RANK=0 "$DPERM" train "${people[@]}" --epsilon 1 --out model.json
  fails_with 1 "built without MPI, and PMIX_NAMESPACE says that it is one of several processes"
  [[ "$output" == *"if this process is alone, unset PMIX_NAMESPACE" ]]
  run env PMI_FD=3 "$DPERM" train "${people[@]}" --epsilon 1 --out model.json
  fails_with 1 "PMI_FD says that it is one of several processes" # the variable that is there
  leaves_no model.json
}

@test "the library does not depend on MPI" {
  ! ldd "$DPERM" | grep -i 'libmpi'
}
