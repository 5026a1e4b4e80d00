/* An OpenBLAS that is built with OpenMP sets OpenMP's number with its own, so ours comes behind it.
 * OpenMP's number belongs to the calling thread; OpenBLAS has only one for the whole process, so
 * two concurrent calls may restore it out of order. It is a number of threads, never a result. */
#include "base/threads.h"

#include <cblas.h>
#include <lapacke.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/memory.h"

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

dperm_status blas_take_room(dperm_error *err) {
  enum { ROOM = 140 << 20 }; /* OpenBLAS 0.3 takes 128 MB for a thread */
  static atomic_bool taken;
  double one = 1;
  if (!atomic_load(&taken)) {
    TRY(memory_probe(ROOM, err));
    (void)LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', 1, &one, 1);
    atomic_store(&taken, true);
  }
  return DPERM_OK;
}
