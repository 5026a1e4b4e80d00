/* A library without MPI: it knows a job of several processes when it sees one, and refuses. Each of
 * them would take itself for the only one, and spend and release the same again. */
#include "base/ranks.h"

dperm_status dperm_ranks_join(ranks **out, dperm_error *err) {
  launch started = launch_read();
  *out = NULL;
  FAIL_IF(started.count != 1, err, DPERM_UNSUPPORTED,
          "this dperm was built without MPI, and %s says that it is one of several processes, each "
          "of which would do the whole work; build it with -DDPERM_MPI=ON, or run it once (srun -n "
          "1); if this process is alone, unset %s",
          started.by, started.by);
  return DPERM_OK;
}
