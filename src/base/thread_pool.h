/* The library's threads: a job is cut into pieces, and a few threads of one pool take them. What a
 * piece computes must depend on its number alone; then so do results, whichever thread takes which
 * piece.
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
 * caller's token (base/progress.h), which the caller goes on polling while it waits. */
void pool_run(size_t pieces, pool_piece *piece, void *context);

/* ---- how many: what a call into the library asks for, else DPERM_THREADS from the environment,
 * else the processors that this process may run on. What a call asks for belongs to the thread that
 * makes it: calls of a program side by side do not see each other's. */

typedef struct thread_scope {
  int before;
} thread_scope;

/* For the calls of this thread until threads_leave; `threads` = 0 changes nothing. */
thread_scope threads_enter(int threads);
/* OWNED(threads_leave) thread_scope threads = threads_enter(n); */
void threads_leave(const thread_scope *scope);

/* At least 1. */
int threads_allowed(void);
