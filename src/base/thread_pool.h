/* The library's threads: a job is cut into pieces, and a few threads of one pool take them. What a
 * piece computes must depend on its number alone; then so do results, whichever thread takes which
 * piece. base/threads.h gives the number of threads.
 *
 * Idle threads sleep; the caller takes pieces too and waits only for threads that hold one, so a
 * job never waits for a thread that the system has not scheduled. (OpenMP's threads spin: on a busy
 * machine small fits took ten times as long.) Threads take over the caller's floating-point
 * environment with every job; if a piece changes it, the caller has the change afterwards, as if it
 * had done all the work itself. */
#pragma once

#include <stddef.h>

/* `worker` is below pool_workers() and belongs to this piece alone while it runs: the index of its
 * work space. Worker 0 is the caller's own thread. */
typedef void pool_piece(void *context, size_t piece, size_t worker);

/* How many threads a job of this thread may have, itself included: 1 inside of a piece. */
size_t pool_workers(void);

/* Runs piece(context, 0 … pieces − 1) and returns when all are done. On the caller's thread alone
 * if there is one piece or one worker, or if the pool runs another job. The pieces have the
 * caller's token (base/progress.h), which the caller goes on polling while it waits for the last of
 * them. */
void pool_run(size_t pieces, pool_piece *piece, void *context);
