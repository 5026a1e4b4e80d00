/* What the matrix kinds share: cutting rows and adding up the pieces. */
#include "matrix/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/double_double.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "base/thread_pool.h"
#include "base/vector.h"

void matrix_free(matrix *x) {
  if (x) {
    x->kind->free(x);
  }
}

typedef struct apply_job {
  const matrix *x;
  const double *f;
  size_t k;
  double *z, *works; /* one for each worker: they hold nothing between blocks */
} apply_job;

static void apply_block(void *context, size_t block, size_t worker) {
  const apply_job *job = context;
  const matrix *x = job->x;
  size_t from = block * MATRIX_BLOCK, left = x->rows - from;
  if (cancel_poll(x->cancel)) {
    return;
  }
  x->kind->apply_rows(x, from, left < MATRIX_BLOCK ? left : MATRIX_BLOCK, job->f, job->k,
                      job->z + from * job->k, job->works + x->work_size * worker);
}

dperm_status matrix_apply_blocks(const matrix *x, const double *f, size_t k, double *z,
                                 dperm_error *err) {
  apply_job job = {.x = x, .f = f, .k = k, .z = z};
  scratch work;
  scratch_init(&work);
  TRY(scratch_take(&work, x->work_size * pool_workers(), sizeof *job.works, &job.works, err));
  pool_run_cancellable((x->rows + MATRIX_BLOCK - 1) / MATRIX_BLOCK, apply_block, &job, x->cancel);
  scratch_free(&work);
  return cancel_check(x->cancel, err);
}

dperm_status matrix_apply_both(const matrix *x, const double *f, matrix_turn *turn, void *context,
                               double *g, dperm_error *err) {
  if (x->kind->apply_both) {
    return x->kind->apply_both(x, f, turn, context, g, err);
  }
  dperm_status status = DPERM_OK;
  double *both = NULL;
  scratch work;
  scratch_init(&work);
  TRY_OR_DONE(scratch_take(&work, 2 * x->rows, sizeof *both, &both, err));
  TRY_OR_DONE(x->kind->apply(x, f, 1, both, err));
  turn(context, 0, x->rows, both, both + x->rows);
  TRY_OR_DONE(x->kind->apply_transposed(x, both + x->rows, 1, g, err));
done:
  scratch_free(&work);
  return status;
}

static size_t power_of_two_below(size_t number) {
  size_t power = 1;
  while (power < STRIPES_MOST && 2 * power <= number) {
    power *= 2;
  }
  return power;
}

size_t stripe_count(size_t rows, size_t doubles) {
  const size_t budget = (size_t)256 << 20;
  size_t by_rows = power_of_two_below(rows / STRIPE_UNIT);
  size_t by_memory = power_of_two_below(doubles ? budget / sizeof(double) / doubles : STRIPES_MOST);
  size_t least = by_rows < 2 ? by_rows : 2, count = by_rows < by_memory ? by_rows : by_memory;
  return count < least ? least : count;
}

/* s/count of the units, rounded down: the same fraction gives the same row in every cut. */
size_t stripe_start(size_t rows, size_t count, size_t s) {
  size_t units = (rows + STRIPE_UNIT - 1) / STRIPE_UNIT;
  size_t start = (units / count * s + units % count * s / count) * STRIPE_UNIT;
  return start < rows ? start : rows;
}

/* ---- among processes */

/* Of fewer stripes than processes, the first processes have one each. */
static size_t first_stripe(size_t count, const ranks *r, size_t rank) {
  return (count * rank + r->count - 1) / r->count;
}

static size_t owner_of(size_t count, const ranks *r, size_t s) {
  size_t rank = 0;
  while (first_stripe(count, r, rank + 1) <= s) {
    rank++;
  }
  return rank;
}

stripe_cut stripes_here(const matrix *x, size_t doubles) {
  ranks *r = x->spread;
  size_t count = r ? stripe_count(x->total, 0) : stripe_count(x->rows, doubles);
  return r ? (stripe_cut){count, first_stripe(count, r, r->rank),
                          first_stripe(count, r, r->rank + 1)}
           : (stripe_cut){count, 0, count};
}

size_t stripe_row(const matrix *x, const stripe_cut *cut, size_t s) {
  return stripe_start(rows_in_all(x), cut->count, s) - (x->spread ? x->first : 0);
}

void stripes_of_rank(size_t total, const ranks *r, size_t *first, size_t *rows) {
  size_t count = stripe_count(total, 0);
  *first = stripe_start(total, count, first_stripe(count, r, r->rank));
  *rows = stripe_start(total, count, first_stripe(count, r, r->rank + 1)) - *first;
}

/* to += from, for parts of `size` doubles. */
typedef void add_part(double *to, const double *from, size_t size);

static void add_doubles(double *to, const double *from, size_t size) {
  vector_axpy(to, 1, from, size);
}

/* High halves, then low ones. */
static void add_dd(double *to, const double *from, size_t size) {
  size_t half = size / 2;
  for (size_t i = 0; i < half; i++) {
    double_double sum =
        dd_add((double_double){to[i], to[half + i]}, (double_double){from[i], from[half + i]});
    to[i] = sum.hi;
    to[half + i] = sum.lo;
  }
}

/* A pair of parts that may stand in different processes: the second goes to where the first is.
 * Lower stripes come first, so each process sends before it waits, and the leader never sends. */
static bool join_pair(const matrix *x, const stripe_cut *cut, size_t to, size_t from, double *parts,
                      size_t size, double *theirs, add_part *add) {
  ranks *r = x->spread;
  size_t to_rank = r ? owner_of(cut->count, r, to) : 0,
         from_rank = r ? owner_of(cut->count, r, from) : 0;
  bool mine = !r || to_rank == r->rank, sent = r && from_rank == r->rank;
  double *into = mine ? parts + (to - cut->from) * size : NULL;
  if (to_rank == from_rank) {
    if (mine) {
      add(into, parts + (from - cut->from) * size, size);
    }
    return true;
  }
  if (sent) {
    return r->send(r, to_rank, parts + (from - cut->from) * size, size * sizeof *parts);
  }
  if (mine) {
    if (!r->receive(r, from_rank, theirs, size * sizeof *theirs)) {
      return false;
    }
    add(into, theirs, size);
  }
  return true;
}

/* Pairwise: neighbours at distance 1, then 2, 4, 8. The total is left in the first part, which is
 * the leader's. */
static bool join_pairs(const matrix *x, const stripe_cut *cut, double *parts, size_t size,
                       double *theirs, add_part *add) {
  bool fine = true;
  for (size_t apart = 1; apart < cut->count; apart *= 2) {
    for (size_t s = 0; s + apart < cut->count; s += 2 * apart) {
      fine = fine && join_pair(x, cut, s, s + apart, parts, size, theirs, add);
    }
  }
  return fine;
}

static dperm_status join(const matrix *x, const stripe_cut *cut, dperm_status status, double *parts,
                         size_t size, add_part *add, double *total, dperm_error *err) {
  ranks *r = x->spread;
  double *theirs = NULL;
  if (r && status == DPERM_OK) {
    status = memory_new(size, sizeof *theirs, &theirs, err);
  }
  status = ranks_agree(r, status, err);
  if (status == DPERM_OK) {
    bool fine = join_pairs(x, cut, parts, size, theirs, add);
    if (total && ranks_lead(r)) {
      memcpy(total, parts, size * sizeof *total);
    }
    if (r && !(fine && r->share(r, 0, total, size * sizeof *total))) {
      status = ranks_fail(r, err);
    }
  }
  free(theirs);
  return status;
}

/* The same pairs where all parts are here, some columns at a time. */
enum { SLICE = 2048 };

typedef struct slice_job {
  size_t stripes, size;
  double *parts, *total;
} slice_job;

static void join_slice(void *context, size_t slice, size_t worker) {
  const slice_job *job = context;
  (void)worker;
  size_t from = slice * SLICE, count = job->size - from < SLICE ? job->size - from : SLICE;
  double *parts = job->parts + from;
  for (size_t apart = 1; apart < job->stripes; apart *= 2) {
    for (size_t s = 0; s + apart < job->stripes; s += 2 * apart) {
      add_doubles(parts + s * job->size, parts + (s + apart) * job->size, count);
    }
  }
  memcpy(job->total + from, parts, count * sizeof *parts);
}

/* total[i] = Σ_s parts[s·size + i]; the parts, of the stripes that are here, are used up. `status`
 * is how making them went. */
static dperm_status stripes_join(const matrix *x, const stripe_cut *cut, dperm_status status,
                                 double *parts, size_t size, double *total, dperm_error *err) {
  if (x->spread || status != DPERM_OK) {
    return join(x, cut, status, parts, size, add_doubles, total, err);
  }
  slice_job job = {cut->count, size, parts, total};
  pool_run((size + SLICE - 1) / SLICE, join_slice, &job);
  return DPERM_OK;
}

enum { APART = 16 /* doubles between the work of two threads: out of each other's cache lines */ };

typedef struct sum_job {
  const matrix *x;
  const stripe_sum *how;
  const stripe_cut *cut;
  double *parts, *works;
} sum_job;

static void sum_stripe(void *context, size_t s, size_t worker) {
  const sum_job *job = context;
  const stripe_sum *how = job->how;
  size_t at = job->cut->from + s;
  double *total = job->parts + s * how->size;
  memset(total, 0, how->size * sizeof *total); /* here, in parallel: a Gram matrix is long */
  how->add(how->context, stripe_row(job->x, job->cut, at), stripe_row(job->x, job->cut, at + 1),
           total, job->works + worker * (how->work_size + APART));
}

/* The sums of the stripes that are here, one behind the other in `work`. */
static dperm_status sum_parts(const matrix *x, const stripe_sum *how, const stripe_cut *cut,
                              scratch *work, double **parts, dperm_error *err) {
  size_t stripes = cut->to - cut->from, works = pool_workers() * (how->work_size + APART);
  sum_job job = {.x = x, .how = how, .cut = cut};
  TRY(scratch_take_raw(work, stripes * how->size, sizeof *job.parts, &job.parts, err));
  TRY(scratch_take(work, works, sizeof *job.works, &job.works, err));
  pool_run_cancellable(stripes, sum_stripe, &job, x->cancel);
  *parts = job.parts;
  return cancel_check(x->cancel, err);
}

dperm_status stripes_sum(const matrix *x, const stripe_sum *how, double *out, dperm_error *err) {
  const stripe_cut cut = stripes_here(x, how->cut_size);
  double *parts = NULL;
  scratch work;
  scratch_init(&work);
  dperm_status status = sum_parts(x, how, &cut, &work, &parts, err);
  status = stripes_join(x, &cut, status, parts, how->size, out, err);
  scratch_free(&work);
  return status;
}

dperm_status stripes_sum_dd(const matrix *x, const stripe_sum *how, double *out, double *out_rest,
                            dperm_error *err) {
  const stripe_cut cut = stripes_here(x, how->cut_size);
  size_t half = how->size / 2;
  double *parts = NULL, *both = NULL;
  scratch work;
  scratch_init(&work);
  dperm_status status = sum_parts(x, how, &cut, &work, &parts, err);
  if (status == DPERM_OK) {
    status = scratch_take(&work, how->size, sizeof *both, &both, err);
  }
  status = join(x, &cut, status, parts, how->size, add_dd, both, err);
  if (status == DPERM_OK && both) {
    memcpy(out, both, half * sizeof *out);
    memcpy(out_rest, both + half, half * sizeof *out_rest);
  }
  scratch_free(&work);
  return status;
}
