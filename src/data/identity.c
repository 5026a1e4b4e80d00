/* BLAKE2b over a word for the kind of identity, then the file's digest, or the number of rows and
 * their prints (row_fingerprint.h) in ascending order. Encoded rows: their number and width, and
 * for each row its label, the number of its entries that are not zero, their columns and values. */
#include "data/identity.h"

#include <sodium.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"

enum { IDENTITY_BLOCK = 8192 };

static void begin(crypto_generichash_state *state, const char kind[8]) {
  (void)crypto_generichash_init(state, NULL, 0, IDENTITY_SIZE);
  (void)crypto_generichash_update(state, (const unsigned char *)kind, 8);
}

static void add(crypto_generichash_state *state, const void *bytes, size_t size) {
  (void)crypto_generichash_update(state, bytes, size);
}

void identity_of_file(const unsigned char digest[FILE_DIGEST_SIZE], data_identity *out) {
  crypto_generichash_state state;
  begin(&state, "file    ");
  add(&state, digest, FILE_DIGEST_SIZE);
  (void)crypto_generichash_final(&state, out->given, IDENTITY_SIZE);
  memcpy(out->encoded, out->given, IDENTITY_SIZE);
}

/* ---- rows as they were given */

static int compare_prints(const void *a, const void *b) {
  return memcmp(a, b, sizeof(row_fingerprint));
}

/* Of all rows, also those that other processes have: a selection knows the prints of them all. */
static dperm_status identity_of_prints(const dperm_data *data, unsigned char out[IDENTITY_SIZE],
                                       dperm_error *err) {
  const size_t count = rows_in_all(data->x);
  const uint64_t rows = count;
  crypto_generichash_state state;
  row_fingerprint *sorted = NULL;
  TRY(memory_new(count, sizeof *sorted, &sorted, err));
  memcpy(sorted, data->prints, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_prints);
  begin(&state, "given   ");
  add(&state, &rows, sizeof rows);
  add(&state, sorted, count * sizeof *sorted);
  (void)crypto_generichash_final(&state, out, IDENTITY_SIZE);
  free(sorted);
  return DPERM_OK;
}

/* ---- rows as they were encoded */

/* Space for one row without its zeros. */
typedef struct sparse_row {
  double *dense; /* for kinds that keep zeros */
  uint32_t *columns;
  double *values;
} sparse_row;

static void add_row(crypto_generichash_state *state, const matrix *x, size_t i, double label,
                    sparse_row *row) {
  const uint32_t *columns = NULL;
  const double *values = row->dense;
  size_t given = x->cols, kept = 0;
  if (x->kind->entries) {
    given = x->kind->entries(x, i, &columns, &values);
  } else {
    x->kind->row(x, i, row->dense);
  }
  for (size_t e = 0; e < given; e++) {
    if (values[e] != 0) {
      row->columns[kept] = columns ? columns[e] : (uint32_t)e;
      row->values[kept++] = values[e];
    }
  }
  const uint64_t count = kept;
  add(state, &label, sizeof label);
  add(state, &count, sizeof count);
  add(state, row->columns, kept * sizeof *row->columns);
  add(state, row->values, kept * sizeof *row->values);
}

/* The digest of rows from, …, to − 1. */
static dperm_status digest_block(const dperm_data *data, size_t from, size_t to,
                                 unsigned char out[IDENTITY_SIZE], dperm_error *err) {
  dperm_status status = DPERM_OK;
  crypto_generichash_state state;
  sparse_row row = {NULL, NULL, NULL};
  size_t most = data->x->kind->entries ? data->x->row_entries : data->x->cols;
  TRY_OR_DONE(memory_new(data->x->kind->entries ? 1 : most, sizeof *row.dense, &row.dense, err));
  TRY_OR_DONE(memory_new(most, sizeof *row.columns, &row.columns, err));
  TRY_OR_DONE(memory_new(most, sizeof *row.values, &row.values, err));
  begin(&state, "block   ");
  for (size_t i = from; i < to; i++) {
    add_row(&state, data->x, i, data->labels[i], &row);
  }
  (void)crypto_generichash_final(&state, out, IDENTITY_SIZE);
done:
  free(row.dense);
  free(row.columns);
  free(row.values);
  return status;
}

typedef struct digest_job {
  const dperm_data *data;
  unsigned char (*digests)[IDENTITY_SIZE];
  atomic_bool failed;
} digest_job;

static void digest_piece(void *context, size_t b, size_t worker) {
  digest_job *job = context;
  size_t rows = job->data->x->rows, from = b * IDENTITY_BLOCK;
  (void)worker;
  if (digest_block(job->data, from, from + IDENTITY_BLOCK < rows ? from + IDENTITY_BLOCK : rows,
                   job->digests[b], NULL) != DPERM_OK) {
    atomic_store(&job->failed, true);
  }
}

static dperm_status identity_of_rows(const dperm_data *data, unsigned char out[IDENTITY_SIZE],
                                     dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t rows = data->x->rows, blocks = (rows + IDENTITY_BLOCK - 1) / IDENTITY_BLOCK;
  const uint64_t size[2] = {rows, data->x->cols};
  digest_job job = {.data = data};
  crypto_generichash_state state;
  TRY(memory_new(blocks, sizeof *job.digests, &job.digests, err));
  pool_run(blocks, digest_piece, &job);
  if (atomic_load(&job.failed)) {
    FAIL_AND_DONE(err, DPERM_OUT_OF_MEMORY, "out of memory while digesting the data");
  }
  begin(&state, "rows    ");
  add(&state, size, sizeof size);
  add(&state, job.digests, blocks * sizeof *job.digests);
  (void)crypto_generichash_final(&state, out, IDENTITY_SIZE);
done:
  free(job.digests);
  return status;
}

/* ---- rows that may be among processes */

typedef struct stripes_job {
  const dperm_data *data;
  stripe_cut cut;
  unsigned char (*digests)[IDENTITY_SIZE]; /* of all stripes */
  atomic_bool failed;
} stripes_job;

static void digest_stripe(void *context, size_t piece, size_t worker) {
  stripes_job *job = context;
  const matrix *x = job->data->x;
  size_t s = job->cut.from + piece;
  (void)worker;
  if (digest_block(job->data, stripe_row(x, &job->cut, s), stripe_row(x, &job->cut, s + 1),
                   job->digests[s], NULL) != DPERM_OK) {
    atomic_store(&job->failed, true);
  }
}

/* Each process has the digests of its own stripes and zeros for the others, so sums of whole
 * numbers are all of them. */
dperm_status identity_of_stripes(const dperm_data *data, unsigned char out[IDENTITY_SIZE],
                                 dperm_error *err) {
  enum { WORDS = IDENTITY_SIZE / sizeof(uint64_t) };
  uint64_t words[STRIPES_MOST][WORDS] = {{0}};
  unsigned char digests[STRIPES_MOST][IDENTITY_SIZE] = {{0}};
  const uint64_t size[2] = {rows_in_all(data->x), data->x->cols};
  stripes_job job = {.data = data, .cut = stripes_here(data->x, 0), .digests = digests};
  crypto_generichash_state state;
  dperm_status status = DPERM_OK;
  if (sodium_init() < 0) {
    status = error_set(err, DPERM_UNSUPPORTED, "libsodium could not start; check the installation");
  } else {
    pool_run(job.cut.to - job.cut.from, digest_stripe, &job);
    if (atomic_load(&job.failed)) {
      status = error_set(err, DPERM_OUT_OF_MEMORY, "out of memory while digesting the data");
    }
  }
  memcpy(words, digests, sizeof words);
  TRY(ranks_add(data->x->spread, status, &words[0][0], (size_t)STRIPES_MOST * WORDS, err));
  begin(&state, "stripes ");
  add(&state, size, sizeof size);
  add(&state, words, job.cut.count * sizeof *words);
  (void)crypto_generichash_final(&state, out, IDENTITY_SIZE);
  return DPERM_OK;
}

dperm_status identity_of_data(const dperm_data *data, data_identity *out, dperm_error *err) {
  if (sodium_init() < 0) {
    FAIL(err, DPERM_UNSUPPORTED, "libsodium could not start; check the installation");
  }
  if (data->from_file) {
    identity_of_file(data->file_digest, out);
    return DPERM_OK;
  }
  if (!data->prints) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "the rows were read without their file's identity, which the ledger needs; read them with "
         "no_identity = 0");
  }
  TRY(identity_of_prints(data, out->given, err));
  if (data->x->rows < rows_in_all(data->x)) {
    memcpy(out->encoded, out->given, IDENTITY_SIZE);
    return DPERM_OK;
  }
  return identity_of_rows(data, out->encoded, err);
}
