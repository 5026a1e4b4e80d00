/* See launch.h. Sizes are in the order of their authority: under Slurm, mpirun starts its helpers
 * by srun, and what they start inherits the size of that step beside mpirun's own.
 *
 * Slurm: SLURM_NTASKS is the size of the job, and is set in a script of sbatch and in the shell of
 * salloc, which are one process each. What srun starts has SLURM_STEP_NUM_TASKS and SLURM_STEP_ID
 * as well, and only that counts. With --mpi=pmix nothing but these says how many there are. */
#include "base/launch.h"

#include <stdlib.h>

static size_t number_in(const char *name) {
  const char *text = getenv(name);
  return text && *text >= '0' && *text <= '9' ? (size_t)strtoul(text, NULL, 10) : 0;
}

static bool is_set(const char *name) {
  const char *text = getenv(name);
  return text && *text;
}

/* The first of them that is set, or NULL. */
static const char *first_set(const char *const *names) {
  while (*names && !is_set(*names)) {
    names++;
  }
  return *names;
}

/* The first that says a size: Open MPI, MPICH and its kin, MVAPICH, IBM's jsrun, Cray's PALS, Flux,
 * and a step of Slurm. */
static size_t read_size(const char **by) {
  static const char *const sizes[] = {
      "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",      "MV2_COMM_WORLD_SIZE",
      "JSM_NAMESPACE_SIZE",   "PALS_SIZE",     "FLUX_JOB_SIZE",
      "SLURM_STEP_NUM_TASKS", "PMIX_JOB_SIZE", NULL};
  static const char *const steps[] = {"SLURM_STEP_ID", "SLURM_STEPID", NULL};
  for (size_t i = 0; sizes[i]; i++) {
    bool counts = sizes[i][0] != 'S' || first_set(steps);
    if (counts && number_in(sizes[i]) > 0) {
      *by = sizes[i];
      return number_in(sizes[i]);
    }
  }
  return 0;
}

/* Where no size is said, a rank above 0 or several on this machine still tell of others. */
static size_t read_least(const char **by) {
  static const char *const ranks[] = {"PMIX_RANK",   "PMI_RANK",       "OMPI_COMM_WORLD_RANK",
                                      "PALS_RANKID", "FLUX_TASK_RANK", NULL};
  for (size_t i = 0; ranks[i]; i++) {
    if (number_in(ranks[i]) > 0) {
      *by = ranks[i];
      return number_in(ranks[i]) + 1;
    }
  }
  *by = "MPI_LOCALNRANKS";
  return number_in(*by);
}

launch launch_read(void) {
  static const char *const wires[] = {
      "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",       "PMI_RANK",  "PMI_FD",      "PMI_PORT",
      "MV2_COMM_WORLD_SIZE",  "PMIX_NAMESPACE", "PMIX_RANK", "PALS_RANKID", NULL};
  launch out = {.count = 1, .exact = true, .wired = first_set(wires) != NULL};
  size_t size = read_size(&out.by);
  if (size > 0) {
    out.count = size;
    return out;
  }
  size = read_least(&out.by);
  if (size > 1) {
    out.count = size;
    out.exact = false;
  } else if (out.wired) {
    out = (launch){.count = 0, .exact = false, .wired = true, .by = first_set(wires)};
  } else {
    out.by = NULL;
  }
  return out;
}
