/* The layout of an encoded file (docs/formats.md has it in words): a header with the schema, pages
 * of records, a directory of the pages, a trailer. A page is one of a table (table/table.h) or, of
 * svmlight files, some sparse rows. All numbers are little-endian and at multiples of eight bytes,
 * so that the file can be mapped and used as it is. The trailer is written last: a file without it
 * is not whole. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

#include "base/file_read.h"

#define ENCODED_MAGIC                                                                              \
  "\x89"                                                                                           \
  "DPRM\r\n\x1a"
#define ENCODED_END "DPRMend\n"

enum {
  ENCODED_VERSION = 4, /* 1 to 3 held rows as one schema encodes them */
  ENCODED_MAGIC_SIZE = 8,
  ENCODED_UNIT = 8,
  ENCODED_SCHEMA_LIMIT = 64 << 20 /* bytes of its text */
};

enum { ENCODED_FROM_SCHEMA = 0, ENCODED_FROM_SVMLIGHT = 1 };

typedef struct encoded_header {
  unsigned char magic[ENCODED_MAGIC_SIZE];
  uint32_t version, origin;
  uint64_t dims; /* of svmlight; else 0 */
  uint64_t schema_length;
  uint32_t zero, check; /* the sum of all before it, then of the schema's text */
} encoded_header;

/* A line of the directory. */
typedef struct encoded_page {
  uint64_t offset, size;
  uint32_t rows, check; /* the sum of its bytes */
} encoded_page;

/* A page of a table begins with one of these for each column: where its different numbers stand,
 * from the page's beginning, and behind them its indexes (packed_column). */
typedef struct encoded_column {
  uint32_t distinct, width;
  uint64_t values;
} encoded_column;

/* A page of sparse rows is: rows + 1 uint64 (where each row's entries begin), a double for each
 * row's label, a double for each entry's value, a uint32 for each entry's column. */

typedef struct encoded_trailer {
  unsigned char magic[ENCODED_MAGIC_SIZE];
  uint64_t rows, most_entries; /* the latter: of a row, in a file of sparse ones */
  uint64_t pages, directory;   /* how many, and where their list begins */
  uint64_t flags;              /* what makes the number of rows doubtful (row_doubts.h) */
  unsigned char source[FILE_DIGEST_SIZE]; /* of the bytes the records were read from */
  uint32_t directory_check;               /* the sum of the directory, then of the header's check */
  uint32_t check;                         /* the sum of all of the trailer before it */
} encoded_trailer;

/* A sum against damage, not against malice: XXH3, faster than memory. `before` is 0, or the sum of
 * what stands in front. */
static inline uint32_t encoded_sum(uint32_t before, const void *bytes, size_t size) {
  return (uint32_t)XXH3_64bits_withSeed(bytes, size, before);
}

static inline size_t encoded_aligned(size_t bytes) {
  return (bytes + ENCODED_UNIT - 1) / ENCODED_UNIT * ENCODED_UNIT;
}
