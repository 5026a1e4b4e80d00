/* The layout of an encoded file (docs/formats.md has it in words): a header with the schema, blocks
 * of four kinds that are pieces of four long arrays, a directory of the blocks, a trailer. All
 * numbers are little-endian; a block begins at a multiple of ENCODED_ALIGN, so that the blocks of
 * an array can be mapped one behind the other. The trailer is written last: a file without it is
 * not whole. */
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
  ENCODED_VERSION = 3, /* 1 had CRC-32 for its sums, at a third of the speed; */
  ENCODED_OLDEST = 2,  /* 2 has no flags but the first */
  ENCODED_MAGIC_SIZE = 8,
  ENCODED_ALIGN = 1 << 16,        /* a multiple of every usual page */
  ENCODED_ROWS = 1 << 18,         /* numbers in a full block of STARTS or LABELS */
  ENCODED_ENTRIES = 1 << 20,      /* numbers in a full block of COLUMNS or VALUES */
  ENCODED_SCHEMA_LIMIT = 64 << 20 /* bytes of its text */
};

/* The four arrays. */
typedef enum encoded_array {
  ENCODED_STARTS,  /* rows + 1 of uint64: where each row's entries begin */
  ENCODED_LABELS,  /* rows of double */
  ENCODED_COLUMNS, /* entries of uint32 */
  ENCODED_VALUES,  /* entries of double */
  ENCODED_ARRAYS
} encoded_array;

enum { ENCODED_FROM_SCHEMA = 0, ENCODED_FROM_SVMLIGHT = 1 };

typedef struct encoded_header {
  unsigned char magic[ENCODED_MAGIC_SIZE];
  uint32_t version, origin;
  uint64_t dims, schema_length, first_block;
  uint32_t zero, check; /* the sum of all before it, then of the schema's text */
} encoded_header;

typedef struct encoded_block {
  uint32_t array, check; /* the sum of its numbers, without what fills it up to ENCODED_ALIGN */
  uint64_t offset;
} encoded_block;

typedef struct encoded_trailer {
  unsigned char magic[ENCODED_MAGIC_SIZE];
  uint64_t rows, entries, most_entries; /* the last: in one row */
  uint64_t blocks, directory;           /* how many, and where their list begins */
  uint64_t flags;                       /* what makes the number of rows doubtful (row_doubts.h) */
  unsigned char source[FILE_DIGEST_SIZE]; /* of the bytes the rows were made of */
  uint32_t directory_check;               /* the sum of the directory, then of the header's check */
  uint32_t check;                         /* the sum of all of the trailer before it */
} encoded_trailer;

/* A sum against damage, not against malice: XXH3, faster than memory. `before` is 0, or the sum of
 * what stands in front. */
static inline uint32_t encoded_sum(uint32_t before, const void *bytes, size_t size) {
  return (uint32_t)XXH3_64bits_withSeed(bytes, size, before);
}

static inline size_t encoded_aligned(size_t bytes) {
  return (bytes + ENCODED_ALIGN - 1) / ENCODED_ALIGN * ENCODED_ALIGN;
}

static inline size_t encoded_number_size(encoded_array array) {
  return array == ENCODED_COLUMNS ? sizeof(uint32_t) : sizeof(double);
}

static inline size_t encoded_block_numbers(encoded_array array) {
  return array == ENCODED_STARTS || array == ENCODED_LABELS ? ENCODED_ROWS : ENCODED_ENTRIES;
}
