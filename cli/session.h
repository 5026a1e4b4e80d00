/* What commands share: errors as one line, the progress bar, Ctrl-C, the arguments that name
 * data. */
#pragma once

#include <dperm.h>
#include <dperm/output.h>
#include <dperm/ranks.h>

#include "usage.h"

/* "dperm: message" on stderr; the exit status that fits: 2 for wrong usage, 130 after Ctrl-C, else
 * 1. */
int report_error(const dperm_error *err);

/* A bar on stderr if that is a terminal, the work takes over a second and nobody said -q. It counts
 * public work only; while solving, it shows the time. Answers "stop" after Ctrl-C, so that the
 * library cleans up behind itself. */
const dperm_progress *session_progress(void);
/* Wipes the bar. */
void session_quiet(void);
/* The processes of the job that mpirun started this one in; NULL if it did not. */
dperm_ranks *session_ranks(void);
/* Joins them; all but the leader say nothing from now on. `many` is whether the command can do with
 * more than one. False with a message. */
bool session_join(bool many);
/* Leaves them; a failure of one is a failure of all. Returns the exit status. */
int session_leave(int exit_status);
/* From now on Ctrl-C and SIGTERM ask the work to stop; a limit on file sizes is an error like
 * others. */
void session_catch_signals(void);
/* Standard input, output and error that were closed stay so: no file gets their numbers. */
void session_keep_streams(void);

/* What this run is charged, filled by the library. From then on every failure that is reported ends
 * with the words that the charge stays spent. */
dperm_charge *session_charge(void);
/* What is being written; its temporary file goes even if the program ends in a signal handler. NULL
 * before it is freed. */
void session_keep_output(dperm_output *output);

/* All results so far are on stdout. */
dperm_status session_flush_stdout(dperm_error *err);
/* Success of writing all results to stdout; 1 with a message if not. */
int session_finish_stdout(void);
