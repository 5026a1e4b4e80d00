/* How the processes of a job agree, and how a process finds out whether it is one of several. */
#include "base/ranks.h"

#include <stdlib.h>
#include <string.h>

dperm_status ranks_fail(ranks *r, dperm_error *err) {
  r->broken = r->lost = true;
  FAIL(err, DPERM_IO_ERROR,
       "the processes of this job can no longer talk to each other; nothing was released: run it "
       "again");
}

dperm_status ranks_agree(ranks *r, dperm_status status, dperm_error *err) {
  if (!r) {
    return status;
  }
  FAIL_IF(r->broken, status == DPERM_OK ? err : NULL, status == DPERM_OK ? DPERM_IO_ERROR : status,
          "a process of this job has failed before; nothing was released");
  /* The first rank that is not well has the largest number. */
  uint64_t first = status == DPERM_OK ? 0 : r->count - r->rank;
  TRY(r->combine(r, false, &first, 1) ? DPERM_OK : ranks_fail(r, err));
  if (first == 0) {
    return DPERM_OK;
  }
  size_t from = r->count - (size_t)first;
  dperm_error told = {status, "a process of this job failed"};
  if (from == r->rank && err) {
    memcpy(told.message, err->message, sizeof told.message);
  }
  TRY(r->share(r, from, &told, sizeof told) ? DPERM_OK : ranks_fail(r, err));
  r->broken = true;
  if (err) {
    *err = told;
  }
  return told.status;
}

dperm_status ranks_share(ranks *r, dperm_status status, void *bytes, size_t size,
                         dperm_error *err) {
  TRY(ranks_agree(r, status, err));
  return !r || r->share(r, 0, bytes, size) ? DPERM_OK : ranks_fail(r, err);
}

dperm_status ranks_most(ranks *r, dperm_status status, uint64_t *number, dperm_error *err) {
  TRY(ranks_agree(r, status, err));
  return !r || r->combine(r, false, number, 1) ? DPERM_OK : ranks_fail(r, err);
}

dperm_status ranks_add(ranks *r, dperm_status status, uint64_t *numbers, size_t count,
                       dperm_error *err) {
  TRY(ranks_agree(r, status, err));
  return !r || r->combine(r, true, numbers, count) ? DPERM_OK : ranks_fail(r, err);
}

/* ---- the public handle */

dperm_status dperm_ranks_agree(dperm_ranks *r, dperm_status status, dperm_error *err) {
  return ranks_agree(r, status, err);
}

size_t dperm_ranks_count(const dperm_ranks *r) {
  return r ? r->count : 1;
}

size_t dperm_ranks_rank(const dperm_ranks *r) {
  return r ? r->rank : 0;
}

void dperm_ranks_free(dperm_ranks *r) {
  if (r) {
    r->free(r);
  }
}

/* ---- how this process was started. Sizes are in the order of their authority: under Slurm, mpirun
 * starts its helpers by srun, and what they start inherits the size of that step beside mpirun's
 * own.
 *
 * Slurm: SLURM_NTASKS is the size of the job, and is set in a script of sbatch and in the shell of
 * salloc, which are one process each. What srun starts has SLURM_STEP_NUM_TASKS and SLURM_STEP_ID
 * as well, and only that counts. With --mpi=pmix nothing but these says how many there are. */

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
  static const char *const numbers[] = {"PMIX_RANK",   "PMI_RANK",       "OMPI_COMM_WORLD_RANK",
                                        "PALS_RANKID", "FLUX_TASK_RANK", NULL};
  static const char *const wires[] = {
      "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",       "PMI_RANK",  "PMI_FD",      "PMI_PORT",
      "MV2_COMM_WORLD_SIZE",  "PMIX_NAMESPACE", "PMIX_RANK", "PALS_RANKID", NULL};
  static const char here[] = "MPI_LOCALNRANKS";
  const char *size = first_of(sizes, has_number), *rank = first_of(numbers, has_number);
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
