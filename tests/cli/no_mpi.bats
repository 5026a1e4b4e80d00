# A build without MPI (tests/CMakeLists.txt runs this or mpi.bats): it must not take one of several
# processes for the only one.
load helpers

@test "a process of a job of several is refused: each would spend and release the same again" {
  for name in OMPI_COMM_WORLD_SIZE PMI_SIZE; do
    run env $name=2 "$DPERM" train --data people.csv --schema schema.json --epsilon 1 --out model.json
    fails_with 1 "built without MPI, so 2 processes would each do the whole work"
    leaves_no model.json
    env $name=1 "$DPERM" train --data people.csv --schema schema.json --epsilon 1 --out model.json
    rm model.json
  done
}

@test "the library does not depend on MPI" {
  ! ldd "$DPERM" | grep -i 'libmpi'
}
