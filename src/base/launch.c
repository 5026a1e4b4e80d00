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

/* Slurm's counts in a step only. */
static bool has_number(const char *name) {
  return number_in(name) > 0 &&
         (name[0] != 'S' || is_set("SLURM_STEP_ID") || is_set("SLURM_STEPID"));
}

/* The first that counts, or NULL. */
static const char *first_of(const char *const *names, bool (*counts)(const char *name)) {
  while (*names && !counts(*names)) {
    names++;
  }
  return *names;
}

/* Sizes are of Open MPI, MPICH and its kin, MVAPICH, IBM's jsrun, Cray's PALS, Flux, and a step of
 * Slurm. Where none is said, a rank above 0 or several on this machine still tell of others. */
launch launch_read(void) {
  static const char *const sizes[] = {
      "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",      "MV2_COMM_WORLD_SIZE",
      "JSM_NAMESPACE_SIZE",   "PALS_SIZE",     "FLUX_JOB_SIZE",
      "SLURM_STEP_NUM_TASKS", "PMIX_JOB_SIZE", NULL};
  static const char *const ranks[] = {"PMIX_RANK",   "PMI_RANK",       "OMPI_COMM_WORLD_RANK",
                                      "PALS_RANKID", "FLUX_TASK_RANK", NULL};
  static const char *const wires[] = {
      "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",       "PMI_RANK",  "PMI_FD",      "PMI_PORT",
      "MV2_COMM_WORLD_SIZE",  "PMIX_NAMESPACE", "PMIX_RANK", "PALS_RANKID", NULL};
  static const char here[] = "MPI_LOCALNRANKS";
  const char *size = first_of(sizes, has_number), *rank = first_of(ranks, has_number);
  const char *wire = first_of(wires, is_set);
  bool wired = wire != NULL;
  if (size) {
    return (launch){number_in(size), true, wired, size};
  }
  if (rank) {
    return (launch){number_in(rank) + 1, false, wired, rank};
  }
  if (number_in(here) > 1) {
    return (launch){number_in(here), false, wired, here};
  }
  return wired ? (launch){0, false, true, wire} : (launch){1, true, false, NULL};
}
