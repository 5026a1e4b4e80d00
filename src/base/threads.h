/* How many threads a call into the library may use: what the call asks for, else DPERM_THREADS from
 * the environment, else the processors that this process may run on. What a call asks for belongs
 * to the thread that makes it: calls of a program side by side do not see each other's
 * (thread_pool.c). */
#pragma once

typedef struct thread_scope {
  int before;
} thread_scope;

/* For the calls of this thread until threads_leave; `threads` = 0 changes nothing. */
thread_scope threads_enter(int threads);
void threads_leave(thread_scope scope);
/* OWNED(threads_leave_at) thread_scope threads = threads_enter(n); */
static inline void threads_leave_at(const thread_scope *scope) {
  threads_leave(*scope);
}

/* At least 1. */
int threads_allowed(void);
