/* How this process was started, by the environment: alone, or as one of several by
 * mpirun, srun and their kin. Whoever takes one of several for the only one spends and releases the
 * same several times. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct launch {
  size_t count;   /* of the processes started together; 1 for a process alone */
  bool exact;     /* else there are at least as many; 0: started for MPI, without a number */
  bool wired;     /* something is there that MPI can join the others by */
  const char *by; /* the variable that says so; NULL for none */
} launch;

launch launch_read(void);
