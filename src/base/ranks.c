/* See ranks.h. */
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
  if (r->broken) {
    FAIL(status == DPERM_OK ? err : NULL, status == DPERM_OK ? DPERM_IO_ERROR : status,
         "a process of this job has failed before; nothing was released");
  }
  /* The first rank that is not well has the largest number. */
  uint64_t first = status == DPERM_OK ? 0 : r->count - r->rank;
  if (!r->most(r, &first)) {
    return ranks_fail(r, err);
  }
  if (first == 0) {
    return DPERM_OK;
  }
  size_t from = r->count - (size_t)first;
  dperm_error told = {status, "a process of this job failed"};
  if (from == r->rank && err) {
    memcpy(told.message, err->message, sizeof told.message);
  }
  if (!r->share(r, from, &told, sizeof told)) {
    return ranks_fail(r, err);
  }
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
  return !r || r->most(r, number) ? DPERM_OK : ranks_fail(r, err);
}

dperm_status ranks_add(ranks *r, dperm_status status, uint64_t *numbers, size_t count,
                       dperm_error *err) {
  enum { PIECE = 256 };
  uint64_t theirs[PIECE];
  TRY(ranks_agree(r, status, err));
  if (!r) {
    return DPERM_OK;
  }
  bool fine = true;
  for (size_t at = 0; at < count && fine; at += PIECE) {
    size_t piece = count - at < PIECE ? count - at : PIECE, size = piece * sizeof *numbers;
    if (r->rank > 0) {
      fine = r->send(r, 0, numbers + at, size);
    }
    for (size_t from = 1; r->rank == 0 && fine && from < r->count; from++) {
      fine = r->receive(r, from, theirs, size);
      for (size_t i = 0; fine && i < piece; i++) {
        numbers[at + i] += theirs[i];
      }
    }
  }
  return fine && r->share(r, 0, numbers, count * sizeof *numbers) ? DPERM_OK : ranks_fail(r, err);
}

/* By the variables of Open MPI, of MPICH and its kin, and of Slurm's own start of either. */
bool ranks_started(size_t *count) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"};
  *count = 1;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *text = getenv(names[i]);
    if (text && *text) {
      unsigned long number = strtoul(text, NULL, 10);
      *count = number > 0 ? (size_t)number : 1;
      return true;
    }
  }
  return false;
}

/* ---- the public handle */

dperm_status dperm_ranks_join(dperm_ranks **out, dperm_error *err) {
  return ranks_of_job(out, err);
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
  if (r) {
    r->free(r);
  }
}
