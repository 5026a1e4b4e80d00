/* How many threads the matrix operations use, for the span of one call into the library. */
#ifndef DPERM_BASE_THREADS_H
#define DPERM_BASE_THREADS_H

typedef struct thread_scope {
  int before;
} thread_scope;

/* `threads` = 0 keeps OpenMP's own number. */
thread_scope threads_enter(int threads);
void threads_leave(thread_scope scope);

#endif
