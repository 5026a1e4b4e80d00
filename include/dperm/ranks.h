/* dperm: jobs of several processes, by MPI or by hooks of the program's own. */
#ifndef DPERM_RANKS_H
#define DPERM_RANKS_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The processes of a job, each with its share of the rows (rank 0 leads): those that mpirun started
 * (dperm_ranks_join), or others (dperm_ranks_of). Made from one thread, which alone may use it and
 * what is made with it. A program that uses MPI itself
 * begins it before (MPI_THREAD_FUNNELED or more) and ends it after: the library then talks over a
 * duplicate of MPI_COMM_WORLD and leaves the program's communicators and error handlers alone. If
 * it has to begin MPI, dperm_ranks_free ends it, for good. */
typedef struct dperm_ranks dperm_ranks;

/* How the processes of a job talk to each other where something else than MPI has started them. A
 * hook that returns false ends the job: every call then fails, before anything is released. The
 * program must then see to it that hooks of the other processes fail too, as they do where it
 * closes its connections. What is sent is as secret as the records. Called from the thread that
 * uses the handle. */
typedef struct dperm_collective {
  size_t count, rank;
  size_t rows_from; /* 0, or 1 for a leader without rows: it draws, releases, is charged, writes */
  void *context;    /* for the hooks */
  /* From one process to one, which calls the other of the two at once; of any size. A process
   * sends to and receives from one at a time, and messages keep their order. */
  bool (*send)(void *context, size_t to, const void *bytes, size_t size);
  bool (*receive)(void *context, size_t from, void *bytes, size_t size);
  /* These may be NULL: then they are made of the two. All processes call them at once. From one
   * process to all; and each number becomes the sum over all processes (modulo 2^64), or the
   * largest that any has. */
  bool (*share)(void *context, size_t from, void *bytes, size_t size);
  bool (*combine)(void *context, bool sum, uint64_t *numbers, size_t count);
  /* By dperm_ranks_free; `lost` if a hook has failed here. NULL for nothing. */
  void (*end)(void *context, bool lost);
} dperm_collective;

/* A job whose processes talk by these hooks, which are copied: to be freed before `context`. */
DPERM_API DPERM_CHECKED dperm_status dperm_ranks_of(const dperm_collective *how, dperm_ranks **out,
                                                    dperm_error *err);

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

/* The first of `rows` rows that belong to process `part` of the `parts` that have any (0 is the
 * first of them): it has those up to the next one's first, which for part = parts is `rows`. */
DPERM_API size_t dperm_ranks_first_row(size_t parts, size_t part, size_t rows);

/* Makes one data set of the records that every process of a job has from dperm_data_from_table,
 * its own rows (dperm_ranks_first_row) in their order under the same schema; a leader without rows
 * has an empty table. Then as dperm_data_read_spread has it, and a ledger knows the records as it
 * knows them in one process. Not of schemas with "person". After a failure `data` can only be
 * freed. `ranks` may be NULL. */
DPERM_API DPERM_CHECKED dperm_status dperm_data_spread(dperm_data *data, dperm_ranks *ranks,
                                                       dperm_error *err);

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
