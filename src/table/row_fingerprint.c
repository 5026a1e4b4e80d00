/* XXH3 rather than a cryptographic digest, since every data set pays for it and only some meet a
 * ledger. Whoever could make two records with one print would only have different people taken for
 * the same ones, which refuses or overcharges, and never the same for different. */
#include "table/row_fingerprint.h"

#include <xxhash.h>

#include "base/memory.h"

dperm_status row_fingerprinter_open(size_t entries, row_fingerprinter *out, dperm_error *err) {
  *out = (row_fingerprinter){0};
  TRY(memory_new(entries, sizeof *out->columns, &out->columns, err));
  TRY(memory_new(entries, sizeof *out->values, &out->values, err));
  return memory_new(entries, sizeof *out->dense, &out->dense, err);
}

void row_fingerprinter_close(row_fingerprinter *p) {
  free(p->columns);
  free(p->values);
  free(p->dense);
}

dperm_status row_fingerprinter_open_for(const matrix *x, row_fingerprinter *out, dperm_error *err) {
  size_t entries = x->kind->views ? x->row_entries : x->cols;
  return row_fingerprinter_open(entries > x->work_size ? entries : x->work_size, out, err);
}

/* Leaves zeros out. */
static size_t leave_zeros(row_fingerprinter *p, const uint32_t **columns, const double **values,
                          size_t count) {
  size_t kept = 0;
  for (size_t e = 0; e < count; e++) {
    p->columns[kept] = *columns ? (*columns)[e] : (uint32_t)e;
    p->values[kept] = (*values)[e];
    kept += (*values)[e] != 0;
  }
  *columns = p->columns;
  *values = p->values;
  return kept;
}

size_t row_nonzeros(row_fingerprinter *p, const matrix *x, size_t i, const uint32_t **columns,
                    const double **values) {
  size_t count = x->cols;
  *columns = NULL;
  *values = p->dense;
  if (x->kind->views) {
    row_view row;
    x->kind->views(x, i, 1, p->dense, &row);
    *columns = row.columns;
    *values = row.values;
    count = row.count;
  } else {
    x->kind->row(x, i, p->dense);
  }
  return leave_zeros(p, columns, values, count);
}

row_fingerprint row_fingerprint_of(row_fingerprinter *p, const uint32_t *columns,
                                   const double *values, size_t count) {
  count = leave_zeros(p, &columns, &values, count);
  XXH64_hash_t where = XXH3_64bits(columns, count * sizeof *columns);
  XXH128_hash_t all = XXH3_128bits_withSeed(values, count * sizeof *values, where);
  return (row_fingerprint){{all.low64, all.high64}};
}

row_fingerprint row_fingerprint_of_place(const unsigned char digest[FILE_DIGEST_SIZE], size_t row) {
  XXH128_hash_t all = XXH3_128bits_withSeed(digest, FILE_DIGEST_SIZE, row);
  return (row_fingerprint){{all.low64, all.high64}};
}

/* A quiet NaN may carry 51 bits and a sign. */
static double quiet(uint64_t carried) {
  const uint64_t bits = UINT64_C(0x7ff8000000000000) | (carried & UINT64_C(0x8007ffffffffffff));
  double value = 0;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Ways to write nothing, as programs have them that turn them into NaN, or do not. Whatever the
 * schema calls missing: by its list the same table would be other people under another schema. */
static bool writes_nothing(slice text) {
  static const char *const ways[] = {
      "",         "?",      "-",      ".",       "*",       "NA",      "N/A",  "n/a",
      "na",       "#N/A",   "#NA",    "<NA>",    "NaN",     "nan",     "NAN",  "-NaN",
      "-nan",     "NaT",    "NULL",   "null",    "Null",    "None",    "none", "NONE",
      "#N/A N/A", "(null)", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"};
  enum { LONGEST = 8 };
  slice bare = slice_trim(text);
  if (bare.length > LONGEST) {
    return false;
  }
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    if (slice_is(bare, ways[w])) {
      return true;
    }
  }
  return false;
}

double row_fingerprint_text(slice text) {
  double x = 0;
  if (writes_nothing(text)) {
    return row_fingerprint_missing();
  }
  number_result result = parse_double(text, &x);
  return result == NUMBER_OK || result == NUMBER_OVERFLOW
             ? x
             : quiet(XXH3_64bits(text.start, text.length));
}

double row_fingerprint_missing(void) {
  return quiet(0);
}
