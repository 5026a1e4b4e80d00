/* See ranks.h. */
#include "base/ranks.h"

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

/* Some numbers at a time, in a buffer of their own. */
static bool add_some(ranks *r, uint64_t *numbers, size_t count) {
  enum { CAPACITY = 512 };
  uint64_t theirs[CAPACITY];
  bool fine = true;
  for (size_t done = 0, now = 0; fine && done < count; done += now) {
    now = count - done < CAPACITY ? count - done : CAPACITY;
    size_t size = now * sizeof *numbers;
    if (r->rank > 0) {
      fine = r->send(r, 0, numbers + done, size);
    }
    for (size_t from = 1; r->rank == 0 && fine && from < r->count; from++) {
      fine = r->receive(r, from, theirs, size);
      for (size_t i = 0; fine && i < now; i++) {
        numbers[done + i] += theirs[i];
      }
    }
    fine = fine && r->share(r, 0, numbers + done, size);
  }
  return fine;
}

dperm_status ranks_add(ranks *r, dperm_status status, uint64_t *numbers, size_t count,
                       dperm_error *err) {
  TRY(ranks_agree(r, status, err));
  return !r || add_some(r, numbers, count) ? DPERM_OK : ranks_fail(r, err);
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
