/* See mpi_job.h. */
#include "output/mpi_job.h"

#include <fcntl.h>
#include <unistd.h>

#include "output/handles.h"
#include "output/message.h"

static dperm_ranks *job;

dperm_ranks *job_ranks(void) {
  return job;
}

bool job_leads(void) {
  return dperm_ranks_rank(job) == 0;
}

static void silence(void) {
  int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) {
    (void)dup2(nowhere, STDOUT_FILENO);
    (void)dup2(nowhere, STDERR_FILENO);
    (void)close(nowhere);
  }
}

dperm_status job_join(bool many, dperm_error *err) {
  TRY(dperm_ranks_join(&job, err));
  if (!job_leads()) {
    silence();
  }
  RETURN_IF(!many && dperm_ranks_count(job) > 1,
            wrong_usage(err,
                        "this command runs as one process, and %zu were started; run it "
                        "without mpirun",
                        dperm_ranks_count(job)));
  return DPERM_OK;
}

/* The leader alone ends with the failure: mpirun ends a job as soon as one of its processes has
 * failed, and might do so before the leader has said why. */
dperm_status job_leave(dperm_status status, dperm_error *err) {
  const bool leads = job_leads();
  dperm_error of_all = *err;
  dperm_status all = dperm_ranks_agree(job, status, &of_all);
  dperm_ranks_free(job);
  job = NULL;
  if (status == DPERM_OK && all != DPERM_OK) {
    *err = of_all;
    status = all;
  }
  return leads ? status : DPERM_OK;
}
