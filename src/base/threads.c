/* OpenMP's number of threads is the one that users know how to set (base/thread_pool.h goes by it),
 * and it belongs to the calling thread: calls of a program side by side do not see each other's. */
#include "base/threads.h"

#include <omp.h>

thread_scope threads_enter(int threads) {
  thread_scope scope = {omp_get_max_threads()};
  if (threads > 0) {
    omp_set_num_threads(threads);
  }
  return scope;
}

void threads_leave(thread_scope scope) {
  omp_set_num_threads(scope.before);
}
