/* The processes of one job, each with its share of the rows ("ranks"; rank 0 leads). Messages go
 * from memory to memory: they may depend on records and noise. All ranks run the same steps on the
 * same numbers; only sums over rows are combined, and only the leader draws, selects, releases,
 * charges and writes.
 *
 * No rank waits for ever for one that has failed: every exchange begins with the status of all
 * ranks. A rank that has failed sends its status once, when its work ends; the others receive it at
 * their next exchange, end with the same error, and there are no more messages. A rank that dies
 * ends the job: that is for the system that started it. */
#pragma once

#include "base/status.h"
#include "dperm/ranks.h"

typedef struct dperm_ranks ranks; /* as the public header calls it */

struct dperm_ranks {
  size_t count, rank, rows_from; /* as the hooks say */
  bool broken;                   /* a failure was agreed on, or */
  bool lost;                     /* the communication itself failed */
  dperm_collective how;
};

/* By the hooks; false where they fail (ranks_fail). To be preceded by ranks_agree. */
bool ranks_send(ranks *r, size_t to, const void *bytes, size_t size);
bool ranks_receive(ranks *r, size_t from, void *bytes, size_t size);
bool ranks_broadcast(ranks *r, size_t from, void *bytes, size_t size);
bool ranks_combine(ranks *r, bool sum, uint64_t *numbers, size_t count);

/* In all of these NULL is a job of one process. */

static inline bool ranks_lead(const ranks *r) {
  return !r || r->rank == 0;
}

/* The same answer on every rank: success if `status` is that everywhere, else the failure of the
 * first rank that has one, with its message. */
dperm_status ranks_agree(ranks *r, dperm_status status, dperm_error *err);

/* Agrees; then the leader's bytes are everybody's. */
dperm_status ranks_share(ranks *r, dperm_status status, void *bytes, size_t size, dperm_error *err);

/* Agrees; then the largest of a number, and the sums of some. */
dperm_status ranks_most(ranks *r, dperm_status status, uint64_t *number, dperm_error *err);
dperm_status ranks_add(ranks *r, dperm_status status, uint64_t *numbers, size_t count,
                       dperm_error *err);

/* The last word of a run: the leader succeeds only if everybody has come so far, and hears nothing
 * more. */
dperm_status ranks_confirm(ranks *r, dperm_error *err);

/* What to do where the communication itself failed. */
dperm_status ranks_fail(ranks *r, dperm_error *err);

/* ---- how this process was started, by the environment: alone, or as one of several by mpirun,
 * srun and their kin. Whoever takes one of several for the only one spends and releases the same
 * several times */

typedef struct launch {
  size_t count;   /* of the processes started together; 1 for a process alone */
  bool exact;     /* else there are at least as many; 0: started for MPI, without a number */
  bool wired;     /* something is there that MPI can join the others by */
  const char *by; /* the variable that says so; NULL for none */
} launch;

launch launch_read(void);

/* dperm_ranks_join is in ranks_mpi.c, or in ranks_none.c where the library is built without MPI. It
 * fails where this process is one of several that cannot communicate. */
