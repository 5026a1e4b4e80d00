/* A program that uses MPI itself and has the library in it: mpi.bats starts several. It keeps a
 * message of its own under way during the work, with the library's own tag, and says what it finds
 * wrong; MPI, its error handler and its messages must be as they were.
 *   mpi_host ROWS.svm DIMS MODEL.json */
#include <dperm.h>
#include <dperm/random.h>
#include <dperm/ranks.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int complain(const char *what) {
  (void)fprintf(stderr, "mpi_host: %s\n", what);
  return EXIT_FAILURE;
}

static dperm_status train(const char *rows, size_t dims, const char *model_path, dperm_error *err) {
  dperm_source source = {.path = rows, .format = DPERM_FORMAT_SVMLIGHT, .dims = dims};
  dperm_ranks *ranks = NULL;
  dperm_data *data = NULL;
  dperm_random *random = NULL;
  dperm_model *model = NULL;
  dperm_options options;
  dperm_options_init(&options);
  options.epsilon = 1;
  options.threads = 1;
  dperm_status status = dperm_ranks_join(&ranks, err);
  int rank = 0, size = 0;
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  (void)MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (status == DPERM_OK &&
      (dperm_ranks_rank(ranks) != (size_t)rank || dperm_ranks_count(ranks) != (size_t)size)) {
    exit(complain("the library counts other processes than MPI"));
  }
  if (status == DPERM_OK) {
    status = dperm_data_read_spread(&source, ranks, NULL, &data, err);
  }
  if (status == DPERM_OK) {
    status = dperm_random_seeded(2, &random, err);
  }
  if (status == DPERM_OK) {
    options.random = random;
    status = dperm_train(data, &options, &model, err);
  }
  if (status == DPERM_OK && model) {
    status = dperm_model_write(model, model_path, err);
  }
  if (ranks) { /* all processes end alike, whoever writes */
    status = dperm_ranks_agree(ranks, status, err);
  }
  dperm_model_free(model);
  dperm_random_free(random);
  dperm_data_free(data);
  dperm_ranks_free(ranks);
  return status;
}

int main(int count, char **arguments) {
  int level = 0, rank = 0, size = 0, ended = 0, got = -1;
  MPI_Errhandler before, after;
  MPI_Request request;
  if (count != 4) {
    return complain("usage: mpi_host ROWS.svm DIMS MODEL.json");
  }
  (void)MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &level);
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  (void)MPI_Comm_size(MPI_COMM_WORLD, &size);
  (void)MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
  /* takes whatever comes on the program's own communicator */
  (void)MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  for (int turn = 0; turn < 2;
       turn++) { /* it can be joined again, as long as the program's MPI is there */
    dperm_error err = {DPERM_OK, ""};
    if (train(arguments[1], strtoul(arguments[2], NULL, 10), arguments[3], &err) != DPERM_OK) {
      return complain(err.message);
    }
  }
  if (MPI_Finalized(&ended) != MPI_SUCCESS || ended) {
    return complain("the library has ended the program's MPI");
  }
  (void)MPI_Comm_get_errhandler(MPI_COMM_WORLD, &after);
  if (before != after) {
    return complain("the library has changed the program's error handler");
  }
  int mine = 1000 + rank;
  (void)MPI_Send(&mine, 1, MPI_INT, (rank + 1) % size, 0x6470, MPI_COMM_WORLD);
  (void)MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (got != 1000 + (rank + size - 1) % size) {
    return complain("a message of the library came to the program");
  }
  return MPI_Finalize() == MPI_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
