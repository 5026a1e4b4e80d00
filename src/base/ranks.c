/* How the processes of a job agree, and how a process finds out whether it is one of several. */
#include "base/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- messages */

bool ranks_send(ranks *r, size_t to, const void *bytes, size_t size) {
  return size == 0 || r->how.send(r->how.context, to, bytes, size);
}

bool ranks_receive(ranks *r, size_t from, void *bytes, size_t size) {
  return size == 0 || r->how.receive(r->how.context, from, bytes, size);
}

/* A binomial tree: numbered from the root on, a process hears from the one without its last bit,
 * and tells those with one bit more below that. */
static bool share_by_tree(ranks *r, size_t root, void *bytes, size_t size) {
  const size_t own = (r->rank + r->count - root) % r->count;
  size_t bit = 1;
  while (bit < r->count && !(own & bit)) {
    bit *= 2;
  }
  bool fine = own == 0 || ranks_receive(r, (own - bit + root) % r->count, bytes, size);
  for (bit /= 2; fine && bit > 0; bit /= 2) {
    fine = own + bit >= r->count || ranks_send(r, (own + bit + root) % r->count, bytes, size);
  }
  return fine;
}

static void combine_pair(bool sum, uint64_t *to, const uint64_t *from, size_t count) {
  for (size_t i = 0; i < count; i++) {
    to[i] = sum ? to[i] + from[i] : from[i] > to[i] ? from[i] : to[i];
  }
}

/* The same tree, to the leader, and back. */
static bool combine_by_tree(ranks *r, bool sum, uint64_t *numbers, size_t count) {
  OWNED_MEMORY uint64_t *theirs = NULL;
  const size_t size = count * sizeof *numbers;
  bool fine = memory_raw(count, sizeof *theirs, &theirs, NULL) == DPERM_OK;
  size_t bit = 1;
  for (; fine && bit < r->count && !(r->rank & bit); bit *= 2) {
    if (r->rank + bit < r->count) {
      fine = ranks_receive(r, r->rank + bit, theirs, size);
      combine_pair(sum, numbers, theirs, fine ? count : 0);
    }
  }
  fine = fine && (r->rank == 0 || ranks_send(r, r->rank - bit, numbers, size));
  return fine && share_by_tree(r, 0, numbers, size);
}

bool ranks_broadcast(ranks *r, size_t from, void *bytes, size_t size) {
  return r->how.share ? size == 0 || r->how.share(r->how.context, from, bytes, size)
                      : share_by_tree(r, from, bytes, size);
}

bool ranks_combine(ranks *r, bool sum, uint64_t *numbers, size_t count) {
  return r->how.combine ? count == 0 || r->how.combine(r->how.context, sum, numbers, count)
                        : combine_by_tree(r, sum, numbers, count);
}

/* ---- agreement */

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
  if (r->lost && status == DPERM_OK) {
    return ranks_fail(r, err);
  }
  FAIL_IF(r->broken, status == DPERM_OK ? err : NULL, status == DPERM_OK ? DPERM_IO_ERROR : status,
          "a process of this job has failed before; nothing was released");
  /* The first rank that is not well has the largest number. */
  uint64_t first = status == DPERM_OK ? 0 : r->count - r->rank;
  TRY(ranks_combine(r, false, &first, 1) ? DPERM_OK : ranks_fail(r, err));
  if (first == 0) {
    return DPERM_OK;
  }
  size_t from = r->count - (size_t)first;
  dperm_error told = {status, "a process of this job failed"};
  if (from == r->rank && err) {
    memcpy(told.message, err->message, sizeof told.message);
  }
  TRY(ranks_broadcast(r, from, &told, sizeof told) ? DPERM_OK : ranks_fail(r, err));
  r->broken = true;
  if (err) {
    *err = told;
  }
  return told.status;
}

dperm_status ranks_share(ranks *r, dperm_status status, void *bytes, size_t size,
                         dperm_error *err) {
  TRY(ranks_agree(r, status, err));
  return !r || ranks_broadcast(r, 0, bytes, size) ? DPERM_OK : ranks_fail(r, err);
}

dperm_status ranks_most(ranks *r, dperm_status status, uint64_t *number, dperm_error *err) {
  TRY(ranks_agree(r, status, err));
  return !r || ranks_combine(r, false, number, 1) ? DPERM_OK : ranks_fail(r, err);
}

dperm_status ranks_add(ranks *r, dperm_status status, uint64_t *numbers, size_t count,
                       dperm_error *err) {
  TRY(ranks_agree(r, status, err));
  return !r || ranks_combine(r, true, numbers, count) ? DPERM_OK : ranks_fail(r, err);
}

dperm_status ranks_confirm(ranks *r, dperm_error *err) {
  char word = 1;
  bool fine = true;
  for (size_t from = 1; r && ranks_lead(r) && fine && from < r->count; from++) {
    fine = ranks_receive(r, from, &word, sizeof word);
  }
  fine = fine && (ranks_lead(r) || ranks_send(r, 0, &word, sizeof word));
  return fine ? DPERM_OK : ranks_fail(r, err);
}

/* ---- the public handle */

dperm_status dperm_ranks_of(const dperm_collective *how, dperm_ranks **out, dperm_error *err) {
  FAIL_IF(how->rank >= how->count || how->rows_from > 1 || how->rows_from >= how->count ||
              !how->send || !how->receive,
          err, DPERM_INVALID_ARGUMENT,
          "process %zu of %zu with rows from process %zu on; number processes from 0, give one of "
          "them rows at least, and hooks that send and receive",
          how->rank, how->count, how->rows_from);
  TRY(memory_new(1, sizeof **out, out, err));
  **out = (ranks){.count = how->count, .rank = how->rank, .rows_from = how->rows_from, .how = *how};
  return DPERM_OK;
}

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
  if (r && r->how.end) {
    r->how.end(r->how.context, r->lost);
  }
  free(r);
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
