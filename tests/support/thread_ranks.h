/* A job of several processes in one: each rank is a thread, and messages are copies. So what is
 * true of rows among processes can be tested without MPI. */
#ifndef DPERM_TESTS_THREAD_RANKS_H
#define DPERM_TESTS_THREAD_RANKS_H

#include "base/ranks.h"

/* Runs `work` on every rank at once, and returns when all have ended. Assertions are for the
 * caller: cmocka knows its own thread only. */
void thread_ranks_run(size_t count, void (*work)(ranks *r, void *context), void *context);
/* With rows from this rank on: 0, or 1 for a leader without any. */
void thread_ranks_run_from(size_t rows_from, size_t count, void (*work)(ranks *r, void *context),
                           void *context);

#endif
