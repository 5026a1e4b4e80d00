/* BLAKE2b over a word for the kind of identity, then the file's digest, or the number of rows and
 * their prints (row_fingerprint.c) in ascending order. Encoded rows: their number and width, and
 * for each row its label, the number of its entries that are not zero, their columns and values. */
#include "data/identity.h"

#include <sodium.h>

#include "base/memory.h"

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
  OWNED_MEMORY row_fingerprint *sorted = NULL;
  TRY(memory_new(count, sizeof *sorted, &sorted, err));
  memcpy(sorted, data->prints, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_prints);
  begin(&state, "given   ");
  add(&state, &rows, sizeof rows);
  add(&state, sorted, count * sizeof *sorted);
  (void)crypto_generichash_final(&state, out, IDENTITY_SIZE);
  return DPERM_OK;
}

/* ---- rows as they were encoded */

/* The digest of rows from, …, to − 1. */
static dperm_status digest_block(const dperm_data *data, size_t from, size_t to,
                                 unsigned char out[IDENTITY_SIZE], dperm_error *err) {
  crypto_generichash_state state;
  OWNED(row_fingerprinter_close) row_fingerprinter row = {0};
  TRY(row_fingerprinter_open_for(data->x, &row, err));
  begin(&state, "block   ");
  for (size_t i = from; i < to; i++) {
    const uint32_t *columns = NULL;
    const double *values = NULL;
    const uint64_t count = row_nonzeros(&row, data->x, i, &columns, &values);
    add(&state, &data->labels[i], sizeof data->labels[i]);
    add(&state, &count, sizeof count);
    add(&state, columns, (size_t)count * sizeof *columns);
    add(&state, values, (size_t)count * sizeof *values);
  }
  (void)crypto_generichash_final(&state, out, IDENTITY_SIZE);
  return DPERM_OK;
}

static dperm_status identity_of_rows(const dperm_data *data, unsigned char out[IDENTITY_SIZE],
                                     dperm_error *err) {
  const uint64_t size[2] = {data->x->rows, data->x->cols};
  unsigned char digest[IDENTITY_SIZE];
  crypto_generichash_state state;
  begin(&state, "rows    ");
  add(&state, size, sizeof size);
  for (size_t from = 0, to = 0; from < data->x->rows; from = to) {
    to = data->x->rows - from < IDENTITY_BLOCK ? data->x->rows : from + IDENTITY_BLOCK;
    TRY(digest_block(data, from, to, digest, err));
    add(&state, digest, sizeof digest);
  }
  (void)crypto_generichash_final(&state, out, IDENTITY_SIZE);
  return DPERM_OK;
}

/* ---- rows that may be among processes */

/* Each process has its own stripes' digests, zeros for the others: sums are all of them. */
dperm_status identity_of_stripes(const dperm_data *data, unsigned char out[IDENTITY_SIZE],
                                 dperm_error *err) {
  enum { WORDS = IDENTITY_SIZE / sizeof(uint64_t) };
  uint64_t words[STRIPES_MOST][WORDS] = {{0}};
  unsigned char digest[IDENTITY_SIZE];
  const uint64_t size[2] = {rows_in_all(data->x), data->x->cols};
  const stripe_cut cut = stripes_here(data->x, 0);
  crypto_generichash_state state;
  dperm_status status = DPERM_OK;
  if (sodium_init() < 0) {
    status = error_set(err, DPERM_UNSUPPORTED, "libsodium could not start; check the installation");
  }
  for (size_t s = cut.from; status == DPERM_OK && s < cut.to; s++) {
    status = digest_block(data, stripe_row(data->x, &cut, s), stripe_row(data->x, &cut, s + 1),
                          digest, err);
    memcpy(words[s], digest, sizeof digest);
  }
  TRY(ranks_add(data->x->spread, status, &words[0][0], (size_t)STRIPES_MOST * WORDS, err));
  begin(&state, "stripes ");
  add(&state, size, sizeof size);
  add(&state, words, cut.count * sizeof *words);
  (void)crypto_generichash_final(&state, out, IDENTITY_SIZE);
  return DPERM_OK;
}

/* Which record stands where, with its label and person: of rows from memory and selections, whose
 * identity is the same in any order. Of spread rows other processes have the labels. */
static void identity_of_places(const dperm_data *data, data_identity *out) {
  const size_t count = rows_in_all(data->x);
  crypto_generichash_state state;
  begin(&state, "places  ");
  add(&state, data->prints, count * sizeof *data->prints);
  if (data->x->rows == count) {
    add(&state, data->labels, count * sizeof *data->labels);
  }
  if (data->persons) {
    add(&state, data->persons->of_row, count * sizeof *data->persons->of_row);
  }
  out->ordered = true;
  (void)crypto_generichash_final(&state, out->order, IDENTITY_SIZE);
}

dperm_status identity_of_data(const dperm_data *data, data_identity *out, dperm_error *err) {
  *out = data->identity ? *data->identity : (data_identity){.ordered = false};
  if (data->identity) {
    return DPERM_OK;
  }
  FAIL_IF(sodium_init() < 0, err, DPERM_UNSUPPORTED,
          "libsodium could not start; check the installation");
  if (data->from_file) {
    identity_of_file(data->file_digest, out);
    return DPERM_OK;
  }
  FAIL_IF(!data->prints, err, DPERM_INVALID_ARGUMENT,
          "the rows were read without their file's identity, which the ledger needs; read them "
          "with no_identity = 0");
  TRY(identity_of_prints(data, out->given, err));
  identity_of_places(data, out);
  if (data->x->rows < rows_in_all(data->x)) {
    memcpy(out->encoded, out->given, IDENTITY_SIZE);
    return DPERM_OK;
  }
  return identity_of_rows(data, out->encoded, err);
}
