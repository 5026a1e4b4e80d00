/* dperm: jobs of several processes (MPI). */
#ifndef DPERM_RANKS_H
#define DPERM_RANKS_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The processes of a job that mpirun started, each with its share of the rows (rank 0 leads). Made
 * from one thread, which alone may use it and what is made with it. A program that uses MPI itself
 * begins it before (MPI_THREAD_FUNNELED or more) and ends it after: the library then talks over a
 * duplicate of MPI_COMM_WORLD and leaves the program's communicators and error handlers alone. If
 * it has to begin MPI, dperm_ranks_free ends it, for good. */
typedef struct dperm_ranks dperm_ranks;

/* Every process of the job calls it. `*out` is NULL where this process was not started as one of a
 * job; counts as one of one. Fails in a job of several where the library is built without MPI. */
DPERM_API DPERM_CHECKED dperm_status dperm_ranks_join(dperm_ranks **out, dperm_error *err);
DPERM_API size_t dperm_ranks_count(const dperm_ranks *ranks);
DPERM_API size_t dperm_ranks_rank(const dperm_ranks *ranks);
/* The same answer in every process: success if all come with one, else the failure, and the
 * message, of the first that has any. Whoever fails outside of a call that all make, and leaves,
 * must say so here: the others learn it at their next step. */
DPERM_API DPERM_CHECKED dperm_status dperm_ranks_agree(dperm_ranks *ranks, dperm_status status,
                                                       dperm_error *err);
/* After all data that were read with it; every process does so. */
DPERM_API void dperm_ranks_free(dperm_ranks *ranks);

/* The same as dperm_data_read in every process of a job at once, each of which gets its share of
 * the rows. Whatever is then done with the data, all processes call with the same arguments, and
 * all succeed or all fail; only the leader draws noise, is charged, and gets a model (the others
 * NULL), and the model is bit for bit that of one process. `ranks` may be NULL. */
DPERM_API DPERM_CHECKED dperm_status dperm_data_read_spread(const dperm_source *source,
                                                            dperm_ranks *ranks,
                                                            const dperm_progress *progress,
                                                            dperm_data **out, dperm_error *err);

#ifdef __cplusplus
}
#endif
#endif
