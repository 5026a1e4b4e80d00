/* An OpenBLAS that is built with OpenMP sets OpenMP's number with its own, so ours comes behind it.
 * OpenMP's number belongs to the calling thread; OpenBLAS has only one for the whole process, so
 * two concurrent calls may restore it out of order. It is a number of threads, never a result. */
#include "base/threads.h"

#include <cblas.h>
#include <omp.h>

thread_scope threads_enter(int threads) {
  thread_scope scope = {omp_get_max_threads(), openblas_get_num_threads()};
  if (scope.blas_before != 1) {
    openblas_set_num_threads(1);
  }
  omp_set_num_threads(threads > 0 ? threads : scope.openmp_before);
  return scope;
}

void threads_leave(thread_scope scope) {
  if (scope.blas_before != 1) {
    openblas_set_num_threads(scope.blas_before);
  }
  omp_set_num_threads(scope.openmp_before);
}
