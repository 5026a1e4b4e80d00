/* See session.h. */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "progress_bar.h"
#include "signals.h"

/* The last one, for the other processes of a job. */
static dperm_error failure;

int report_error(const dperm_error *err) {
  progress_bar_wipe();
  failure = *err;
  char buffer[96];
  (void)complain("%s%s", err->message, run_spent(err->message, buffer));
  if (err->status == DPERM_CANCELLED) {
    return 128 + (signals_caught() ? signals_caught() : SIGINT);
  }
  return err->status == DPERM_INVALID_ARGUMENT ? EXIT_WRONG_USAGE : EXIT_WORK_FAILED;
}

dperm_status session_flush_stdout(dperm_error *err) {
  if (fflush(stdout) == 0 && !ferror(stdout)) {
    return DPERM_OK;
  }
  return fail(err, DPERM_IO_ERROR, "standard output: cannot write (%s); check free space",
              strerror(errno));
}

int session_finish_stdout(void) {
  dperm_error err;
  return session_flush_stdout(&err) == DPERM_OK ? 0 : report_error(&err);
}

/* ---- a job of several processes */

static dperm_ranks *job;

dperm_ranks *session_ranks(void) {
  return job;
}

static void silence(void) {
  int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) {
    (void)dup2(nowhere, STDOUT_FILENO);
    (void)dup2(nowhere, STDERR_FILENO);
    (void)close(nowhere);
  }
}

bool session_join(bool many) {
  dperm_error err;
  if (dperm_ranks_join(&job, &err) != DPERM_OK) {
    return refuse(report_error(&err));
  }
  if (dperm_ranks_rank(job) > 0) {
    silence();
  }
  if (!many && dperm_ranks_count(job) > 1) {
    return refuse(wrong_usage("this command runs as one process, and %zu were started; run it "
                              "without mpirun",
                              dperm_ranks_count(job)));
  }
  return true;
}

int session_leave(int exit_status) {
  dperm_status status = exit_status ? DPERM_CANCELLED : DPERM_OK;
  if (dperm_ranks_agree(job, status, &failure) != DPERM_OK && !exit_status) {
    exit_status = report_error(&failure);
  }
  dperm_ranks_free(job);
  job = NULL;
  return exit_status;
}
