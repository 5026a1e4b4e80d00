/* Signals that end a run. What the run has charged and what it is writing are kept here, as a
 * handler has to tell the one and remove the other. */
#pragma once

#include <dperm/ledger.h>
#include <dperm/output.h>

/* Standard input, output and error that were closed stay so: no file gets their numbers. */
void signals_keep_streams(void);
/* From now on Ctrl-C and SIGTERM ask the work to stop; a limit on file sizes is a plain error. */
void signals_catch(void);
/* The one that asked; 0 for none. */
int signals_caught(void);
/* Of one, a handler that is called with these flags. */
void signals_handle(int number, void (*handler)(int), int flags);

/* What this run is charged, filled by the library. */
dperm_charge *run_charge(void);
/* That a charge stays spent, to end a failure with; "" without one, or if `message` says so. */
const char *run_spent(const char *message, char buffer[96]);
/* What is being written: its temporary file goes even in a signal handler. NULL before free(). */
void run_keep_output(dperm_output *output);
