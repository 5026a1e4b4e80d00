/* See mpi_job.h. */
#include "output/mpi_job.h"

#include <fcntl.h>
#include <unistd.h>

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

bool job_join(bool many) {
  dperm_error err;
  if (dperm_ranks_join(&job, &err) != DPERM_OK) {
    return refuse(report_error(&err));
  }
  if (!job_leads()) {
    silence();
  }
  if (!many && dperm_ranks_count(job) > 1) {
    return refuse(wrong_usage("this command runs as one process, and %zu were started; run it "
                              "without mpirun",
                              dperm_ranks_count(job)));
  }
  return true;
}

int job_leave(int exit_status) {
  dperm_error failure = *reported_error();
  dperm_status status = exit_status ? DPERM_CANCELLED : DPERM_OK;
  if (dperm_ranks_agree(job, status, &failure) != DPERM_OK && !exit_status) {
    exit_status = report_error(&failure);
  }
  dperm_ranks_free(job);
  job = NULL;
  return exit_status;
}
