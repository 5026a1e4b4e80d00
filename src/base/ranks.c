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
  if (!r->combine(r, false, &first, 1)) {
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
