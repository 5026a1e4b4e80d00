/* What the matrix kinds share: cutting rows and adding up the pieces. */
#include "matrix/matrix.h"

#include "base/double_double.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "base/vector.h"

void matrix_free(matrix *x) {
  if (x) {
    x->kind->free(x);
  }
}

/* ---- blocks of rows */

typedef struct pass_job {
  const matrix *x;
  block_pass *each;
  const void *context;
  double *works; /* one for each worker: they hold nothing between blocks */
} pass_job;

static void pass_block(void *context, size_t block, size_t worker) {
  const pass_job *job = context;
  const matrix *x = job->x;
  size_t from = block * MATRIX_BLOCK, left = x->rows - from;
  if (!cancel_poll()) {
    job->each(job->context, x, from, left < MATRIX_BLOCK ? left : MATRIX_BLOCK,
              job->works + x->work_size * worker);
  }
}

dperm_status matrix_for_blocks(const matrix *x, block_pass *each, const void *context,
                               dperm_error *err) {
  pass_job job = {.x = x, .each = each, .context = context};
  OWNED(scratch_free) scratch work = {0};
  TRY(scratch_take(&work, x->work_size * pool_workers(), sizeof *job.works, &job.works, err));
  pool_run((x->rows + MATRIX_BLOCK - 1) / MATRIX_BLOCK, pass_block, &job);
  return cancel_check(err);
}

typedef struct application {
  const double *f;
  size_t k;
  double *z;
} application;

static void apply_block(const void *context, const matrix *x, size_t from, size_t count,
                        double *work) {
  const application *a = context;
  x->kind->apply_rows(x, from, count, a->f, a->k, a->z + from * a->k, work);
}

dperm_status matrix_apply(const matrix *x, const double *f, size_t k, double *z, dperm_error *err) {
  return matrix_for_blocks(x, apply_block, &(application){.f = f, .k = k, .z = z}, err);
}

/* ---- stripes */

static size_t power_of_two_below(size_t number) {
  size_t power = 1;
  while (power < STRIPES_MOST && 2 * power <= number) {
    power *= 2;
  }
  return power;
}

size_t stripe_count(uint64_t rows, size_t doubles) {
  const size_t budget = (size_t)256 << 20;
  size_t by_rows = power_of_two_below((size_t)(rows / STRIPE_UNIT));
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

/* Of fewer stripes than processes that have rows, the first of them have one each. */
static size_t first_stripe(size_t count, const ranks *r, size_t rank) {
  const size_t parts = r->count - r->rows_from;
  return rank < r->rows_from ? 0 : (count * (rank - r->rows_from) + parts - 1) / parts;
}

static size_t owner_of(size_t count, const ranks *r, size_t s) {
  size_t rank = 0;
  while (r && first_stripe(count, r, rank + 1) <= s) {
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

size_t dperm_ranks_first_row(size_t parts, size_t part, size_t rows) {
  const ranks r = {.count = parts > 0 ? parts : 1};
  size_t count = stripe_count(rows, 0);
  return stripe_start(rows, count, first_stripe(count, &r, part < r.count ? part : r.count));
}

/* ---- sums over stripes */

/* to += from. */
static void add_part(bool dd, double *to, const double *from, size_t size) {
  if (!dd) {
    vector_axpy(to, 1, from, size);
    return;
  }
  for (size_t i = 0, half = size / 2; i < half; i++) {
    double_double sum =
        dd_add((double_double){to[i], to[half + i]}, (double_double){from[i], from[half + i]});
    to[i] = sum.hi;
    to[half + i] = sum.lo;
  }
}

/* Doubles between the work of two threads: out of each other's cache lines. */
enum { APART = 16 };

typedef struct sum_job {
  const matrix *x;
  const stripe_sum *how;
  stripe_cut cut;
  double *parts, *works; /* the sums of the stripes that are here, one behind the other */
} sum_job;

static void sum_stripe(void *context, size_t s, size_t worker) {
  const sum_job *job = context;
  const stripe_sum *how = job->how;
  size_t at = job->cut.from + s;
  if (cancel_poll()) {
    return;
  }
  double *total = job->parts + s * how->size;
  memset(total, 0, how->size * sizeof *total); /* here, in parallel: a Gram matrix is long */
  how->add(how->context, stripe_row(job->x, &job->cut, at), stripe_row(job->x, &job->cut, at + 1),
           total, job->works + worker * (how->work_size + APART));
}

static dperm_status sum_parts(sum_job *job, scratch *work, dperm_error *err) {
  size_t stripes = job->cut.to - job->cut.from;
  size_t works = pool_workers() * (job->how->work_size + APART);
  TRY(scratch_take_raw(work, stripes * job->how->size, sizeof *job->parts, &job->parts, err));
  TRY(scratch_take_raw(work, works, sizeof *job->works, &job->works, err));
  pool_run(stripes, sum_stripe, job);
  return cancel_check(err);
}

/* A pair of parts that may stand in different processes: the second goes to where the first is.
 * Lower stripes come first, so each process sends before it waits, and the first with rows never
 * sends. */
static bool join_pair(const sum_job *job, size_t to, size_t from, double *theirs) {
  ranks *r = job->x->spread;
  const size_t rank = r ? r->rank : 0, size = job->how->size, bytes = size * sizeof *theirs;
  const size_t to_rank = owner_of(job->cut.count, r, to);
  const size_t from_rank = owner_of(job->cut.count, r, from);
  if (from_rank == rank) {
    theirs = job->parts + (from - job->cut.from) * size;
    if (to_rank != rank) {
      /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
      return ranks_send(r, to_rank, theirs, bytes);
    }
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
  } else if (to_rank == rank && !ranks_receive(r, from_rank, theirs, bytes)) {
    return false;
  }
  if (to_rank == rank) {
    add_part(job->how->dd, job->parts + (to - job->cut.from) * size, theirs, size);
  }
  return true;
}

dperm_status stripes_sum(const matrix *x, const stripe_sum *how, double *out, dperm_error *err) {
  ranks *r = x->spread;
  sum_job job = {.x = x, .how = how, .cut = stripes_here(x, how->size + how->beside)};
  const size_t bytes = how->size * sizeof *out;
  double *theirs = NULL;
  bool fine = true;
  OWNED(scratch_free) scratch work = {0};
  dperm_status status = sum_parts(&job, &work, err);
  if (r && status == DPERM_OK) {
    status = scratch_take_raw(&work, how->size, sizeof *theirs, &theirs, err);
  }
  TRY(ranks_agree(r, status, err));
  for (size_t apart = 1; apart < job.cut.count; apart *= 2) { /* neighbours at 1, 2, 4, 8 */
    for (size_t s = 0; s + apart < job.cut.count; s += 2 * apart) {
      fine = fine && join_pair(&job, s, s + apart, theirs);
    }
  }
  const size_t owner = owner_of(job.cut.count, r, 0);
  if (!r || r->rank == owner) {
    memcpy(out, job.parts, bytes);
  }
  fine = fine && (!r || ranks_broadcast(r, owner, out, bytes));
  return fine ? DPERM_OK : ranks_fail(r, err);
}
