/* Communication by MPI. Only the thread that joined uses it, over a communicator of its own:
 * messages of the program that the library is part of cannot meet ours, errors come back to us and
 * not to its error handler, and MPI is ended here only if it was begun here. */
#include <mpi.h>

#include "base/memory.h"
#include "base/ranks.h"

enum { TAG = 0x6470 };

typedef struct mpi_job {
  MPI_Comm comm;
  bool begun_here;
} mpi_job;

static MPI_Comm comm_of(void *context) {
  return ((const mpi_job *)context)->comm;
}

/* MPI counts in int: long messages go in pieces. */
enum { PIECE = 1 << 30 };
typedef enum transfer { SEND, RECEIVE, BROADCAST } transfer;

static bool move(void *context, transfer how, size_t peer, void *bytes, size_t size) {
  char *at = bytes;
  MPI_Comm comm = comm_of(context);
  int code = MPI_SUCCESS, whom = (int)peer, piece = 0;
  for (; size > 0 && code == MPI_SUCCESS; at += piece, size -= (size_t)piece) {
    piece = size < PIECE ? (int)size : PIECE;
    code = how == SEND      ? MPI_Send(at, piece, MPI_BYTE, whom, TAG, comm)
           : how == RECEIVE ? MPI_Recv(at, piece, MPI_BYTE, whom, TAG, comm, MPI_STATUS_IGNORE)
                            : MPI_Bcast(at, piece, MPI_BYTE, whom, comm);
  }
  return code == MPI_SUCCESS;
}

static bool mpi_send(void *context, size_t to, const void *bytes, size_t size) {
  return move(context, SEND, to, (void *)bytes, size);
}

static bool mpi_receive(void *context, size_t from, void *bytes, size_t size) {
  return move(context, RECEIVE, from, bytes, size);
}

static bool mpi_share(void *context, size_t from, void *bytes, size_t size) {
  return move(context, BROADCAST, from, bytes, size);
}

static bool mpi_combine(void *context, bool sum, uint64_t *numbers, size_t count) {
  int code = MPI_SUCCESS, piece = 0;
  for (; count > 0 && code == MPI_SUCCESS; numbers += piece, count -= (size_t)piece) {
    piece = count < PIECE ? (int)count : PIECE;
    code = MPI_Allreduce(MPI_IN_PLACE, numbers, piece, MPI_UINT64_T, sum ? MPI_SUM : MPI_MAX,
                         comm_of(context));
  }
  return code == MPI_SUCCESS;
}

/* Where communication is lost, MPI might wait for processes that are gone; a process that ends
 * without MPI_Finalize has mpirun end the others. */
static void mpi_end(void *context, bool lost) {
  mpi_job *own = context;
  int ended = 0;
  if (!lost && MPI_Finalized(&ended) == MPI_SUCCESS && !ended) {
    (void)MPI_Comm_free(&own->comm);
    if (own->begun_here) {
      (void)MPI_Finalize();
    }
  }
  free(own);
}

static bool host_began(void) {
  int begun = 0;
  return MPI_Initialized(&begun) == MPI_SUCCESS && begun;
}

/* Unless the host has initialized MPI it is done here, for good: it can be begun and ended once. */
static bool begin(mpi_job *r) {
  int ended = 0, level = 0;
  r->begun_here = !host_began();
  return MPI_Finalized(&ended) == MPI_SUCCESS && !ended &&
         (!r->begun_here ||
          MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) == MPI_SUCCESS);
}

static bool connect(mpi_job *r, int *count, int *rank) {
  return MPI_Comm_dup(MPI_COMM_WORLD, &r->comm) == MPI_SUCCESS &&
         MPI_Comm_set_errhandler(r->comm, MPI_ERRORS_RETURN) == MPI_SUCCESS &&
         MPI_Comm_size(r->comm, count) == MPI_SUCCESS &&
         MPI_Comm_rank(r->comm, rank) == MPI_SUCCESS;
}

/* MPI must see as many processes as were started: each of several that sees only itself would do
 * the whole work, charge for it and write the same file. */
static dperm_status come_together(const launch *started, mpi_job *r, dperm_collective *out,
                                  dperm_error *err) {
  int count = 1, rank = 0;
  /* Open MPI would end the program instead of failing. */
  FAIL_IF(!started->wired && !host_began(), err, DPERM_UNSUPPORTED,
          "%zu processes were started (%s), but not for MPI, so each would do the whole work; "
          "start them with mpirun or srun --mpi=pmix, or run it once (srun -n 1); if this process "
          "is alone, unset %s",
          started->count, started->by, started->by);
  FAIL_IF(!begin(r) || !connect(r, &count, &rank), err, DPERM_UNSUPPORTED,
          "MPI could not start; check the installation of Open MPI, and that this process has not "
          "ended MPI already");
  size_t seen = (size_t)count;
  bool exact = started->exact && r->begun_here; /* a host may have started some by MPI itself */
  FAIL_IF(
      exact ? started->count != seen : started->count > seen, err, DPERM_UNSUPPORTED,
      "%zu processes were started (%s), but MPI sees %d; start them with the mpirun of the MPI "
      "that dperm was built with, or run it once (srun -n 1); if this process is alone, unset %s",
      started->count, started->by, count, started->by);
  out->count = seen;
  out->rank = (size_t)rank;
  return DPERM_OK;
}

dperm_status dperm_ranks_join(ranks **out, dperm_error *err) {
  const launch started = launch_read();
  OWNED_MEMORY mpi_job *job = NULL;
  *out = NULL;
  if (started.exact && started.count == 1 && !host_began()) {
    return DPERM_OK;
  }
  TRY(memory_new(1, sizeof *job, &job, err));
  dperm_collective how = {.context = job,
                          .send = mpi_send,
                          .receive = mpi_receive,
                          .share = mpi_share,
                          .combine = mpi_combine,
                          .end = mpi_end};
  TRY(come_together(&started, job, &how, err));
  TRY(dperm_ranks_of(&how, out, err));
  job = NULL;
  return DPERM_OK;
}
