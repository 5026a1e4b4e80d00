/* A library without MPI: it knows a job of several processes when it sees one, and refuses. Each of
 * them would take itself for the only one, and spend and release the same again. */
#include "base/ranks.h"

dperm_status ranks_of_job(ranks **out, dperm_error *err) {
  size_t count = 0;
  *out = NULL;
  if (ranks_started(&count) && count > 1) {
    FAIL(
        err, DPERM_UNSUPPORTED,
        "this dperm was built without MPI, so %zu processes would each do the whole work; build it "
        "with -DDPERM_MPI=ON, or run it once",
        count);
  }
  return DPERM_OK;
}
