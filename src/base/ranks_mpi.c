/* Talk between processes by MPI. Only the thread that joined talks. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>

#include "base/launch.h"
#include "base/memory.h"
#include "base/ranks.h"

enum { TAG = 0x6470 };

/* MPI counts in int: long messages go in pieces. */
enum { PIECE = 1 << 30 };

static int piece_of(size_t size) {
  return size < PIECE ? (int)size : PIECE;
}

static bool mpi_send(ranks *r, size_t to, const void *bytes, size_t size) {
  const char *at = bytes;
  (void)r;
  for (; size > 0; at += piece_of(size), size -= (size_t)piece_of(size)) {
    if (MPI_Send(at, piece_of(size), MPI_BYTE, (int)to, TAG, MPI_COMM_WORLD) != MPI_SUCCESS) {
      return false;
    }
  }
  return true;
}

static bool mpi_receive(ranks *r, size_t from, void *bytes, size_t size) {
  char *at = bytes;
  (void)r;
  for (; size > 0; at += piece_of(size), size -= (size_t)piece_of(size)) {
    if (MPI_Recv(at, piece_of(size), MPI_BYTE, (int)from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) !=
        MPI_SUCCESS) {
      return false;
    }
  }
  return true;
}

static bool mpi_share(ranks *r, size_t from, void *bytes, size_t size) {
  char *at = bytes;
  (void)r;
  for (; size > 0; at += piece_of(size), size -= (size_t)piece_of(size)) {
    if (MPI_Bcast(at, piece_of(size), MPI_BYTE, (int)from, MPI_COMM_WORLD) != MPI_SUCCESS) {
      return false;
    }
  }
  return true;
}

static bool mpi_most(ranks *r, uint64_t *number) {
  uint64_t mine = *number;
  (void)r;
  return MPI_Allreduce(&mine, number, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD) == MPI_SUCCESS;
}

/* Where the talk is lost, MPI_Finalize might wait for those who are gone; a process that ends
 * without it has mpirun end the others. */
static void mpi_free(ranks *r) {
  int ended = 0;
  if (!r->lost && MPI_Finalized(&ended) == MPI_SUCCESS && !ended) {
    (void)MPI_Finalize();
  }
  free(r);
}

static bool start(int *count, int *rank) {
  int begun = 0, level = 0;
  return MPI_Initialized(&begun) == MPI_SUCCESS &&
         (begun || MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) == MPI_SUCCESS) &&
         MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS &&
         MPI_Comm_size(MPI_COMM_WORLD, count) == MPI_SUCCESS &&
         MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS;
}

/* MPI must see as many processes as were started: each of several that sees only itself would do
 * the whole work, charge for it and write the same file. */
static dperm_status come_together(const launch *started, int *count, int *rank, dperm_error *err) {
  if (!started->wired) { /* Open MPI would end the program rather than say so */
    FAIL(err, DPERM_UNSUPPORTED,
         "%zu processes were started (%s), but not for MPI, so each would do the whole work; start "
         "them with mpirun or srun --mpi=pmix, or run it once (srun -n 1)",
         started->count, started->by);
  }
  if (!start(count, rank)) {
    FAIL(err, DPERM_UNSUPPORTED, "MPI could not start; check the installation of Open MPI");
  }
  size_t seen = (size_t)*count;
  if (started->exact ? started->count != seen : started->count > seen) {
    FAIL(err, DPERM_UNSUPPORTED,
         "%zu processes were started (%s), but MPI sees %d; start them with the mpirun of the MPI "
         "that dperm was built with, or run it once (srun -n 1)",
         started->count, started->by, *count);
  }
  return DPERM_OK;
}

dperm_status ranks_of_job(ranks **out, dperm_error *err) {
  const launch started = launch_read();
  int count = 1, rank = 0;
  ranks *r = NULL;
  *out = NULL;
  if (started.exact && started.count == 1) {
    return DPERM_OK;
  }
  TRY(come_together(&started, &count, &rank, err));
  TRY(memory_new(1, sizeof *r, &r, err));
  *r = (ranks){.count = (size_t)count,
               .rank = (size_t)rank,
               .send = mpi_send,
               .receive = mpi_receive,
               .share = mpi_share,
               .most = mpi_most,
               .free = mpi_free};
  *out = r;
  return DPERM_OK;
}
