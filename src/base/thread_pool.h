/* Work in pieces on a few threads that wait asleep. What a piece computes must depend on its number
 * alone; then so do results, whichever thread takes which piece.
 *
 * Not OpenMP's loops, for two reasons. Its threads wait by spinning, and where other programs use
 * the machine, a barrier waits for a thread that never got to run: small fits took ten times as
 * long. Here the caller takes pieces too and waits only for threads that hold one. And its threads
 * keep the rounding mode they were born with; these take over the caller's with every job, and
 * where a piece has spoilt it, the caller has it afterwards, as if it had done all the work itself.
 * OpenMP's number of threads (omp_set_num_threads, OMP_NUM_THREADS) says how many there are. */
#ifndef DPERM_BASE_THREAD_POOL_H
#define DPERM_BASE_THREAD_POOL_H

#include <stddef.h>

#include "base/cancel.h"

/* `worker` is below pool_workers() and belongs to this piece alone while it runs: the place of
 * its work space. */
typedef void pool_piece(void *context, size_t piece, size_t worker);

/* How many threads a job of the caller's may have, itself included. */
size_t pool_workers(void);

/* Runs piece(context, 0 … pieces − 1) and returns when all are done. On the caller's thread alone
 * if there is one piece, one worker, or another job under way. */
void pool_run(size_t pieces, pool_piece *piece, void *context);
/* The same for pieces that look at a watch (may be NULL): the caller goes on asking while it waits
 * for others' last pieces. */
void pool_run_cancellable(size_t pieces, pool_piece *piece, void *context, cancel_token *stop);

#endif
