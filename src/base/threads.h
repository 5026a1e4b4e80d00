/* How many threads the matrix operations use, for the span of one call into the library. BLAS is
 * held to one thread meanwhile: our blocks are the parallel pieces, and a BLAS that splits a
 * product by the number of cores would round differently on another machine. */
#ifndef DPERM_BASE_THREADS_H
#define DPERM_BASE_THREADS_H

#include "base/status.h"

typedef struct thread_scope {
  int openmp_before, blas_before;
} thread_scope;

/* `threads` = 0 keeps OpenMP's own number. */
thread_scope threads_enter(int threads);
void threads_leave(thread_scope scope);

/* OpenBLAS waits forever for memory that it cannot have. Has it take the room that it keeps from
 * its first call on, or fails if there is none; call it where a wait would cost. */
dperm_status blas_take_room(dperm_error *err);

#endif
