/* What commands share: how a failure is reported, results on stdout, and the processes of a job. */
#pragma once

#include <dperm.h>
#include <dperm/ranks.h>

#include "usage.h"

/* "dperm: message" on stderr, with the words that a charge stays spent if there was one; the exit
 * status that fits: 2 for wrong usage, 130 after Ctrl-C, else 1. */
int report_error(const dperm_error *err);

/* All results so far are on stdout. */
dperm_status session_flush_stdout(dperm_error *err);
/* Success of writing all results to stdout; 1 with a message if not. */
int session_finish_stdout(void);

/* The processes of the job that mpirun started this one in; NULL if it did not. */
dperm_ranks *session_ranks(void);
/* Joins them; all but the leader say nothing from now on. `many` is whether the command can do with
 * more than one. False with a message. */
bool session_join(bool many);
/* Leaves them; a failure of one is a failure of all. Returns the exit status. */
int session_leave(int exit_status);
