/* An encoded file, mapped: its pages as those of a table, or as sparse rows, without a copy.
 * Nothing in the file is trusted. Checksums find damage; every cell_value is checked against what
 * the schema inside allows, so that rows made of them keep their bounds, and every sparse row
 * against its norm. */
#pragma once

#include <stdatomic.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/owned.h"
#include "matrix/matrix.h"
#include "read/window.h"
#include "table/table.h"

/* ---- the layout (docs/formats.md has it in words): a header with the schema, pages of records, a
 * directory of the pages, a trailer. A page is one of a table (table/table.h) or, of svmlight
 * files, some sparse rows. All is little-endian and at multiples of eight bytes, so that the file
 * can be mapped and used as it is. The trailer is written last: without it a file is not whole. */

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
  uint64_t rows, most_entries;            /* the latter: of a row, in a file of sparse ones */
  uint64_t pages, directory;              /* how many, and where their list begins */
  uint64_t flags;                         /* what makes the number of rows doubtful (row_doubt) */
  unsigned char source[FILE_DIGEST_SIZE]; /* of the bytes the records were read from */
  uint32_t directory_check;               /* the sum of the directory, then of the header's check */
  uint32_t check;                         /* the sum of all of the trailer before it */
} encoded_trailer;

/* A sum against damage, not malice: XXH3. `before` is 0, or the sum of what stands in front. */
static inline uint32_t encoded_sum(uint32_t before, const void *bytes, size_t size) {
  return (uint32_t)XXH3_64bits_withSeed(bytes, size, before);
}

static inline size_t encoded_aligned(size_t bytes) {
  return (bytes + ENCODED_UNIT - 1) / ENCODED_UNIT * ENCODED_UNIT;
}

/* ---- a file that is open */

typedef struct encoded_file {
  atomic_int owners;
  char *path;
  int fd;
  struct stat about;          /* as it was when it was opened */
  const unsigned char *bytes; /* all of it, mapped */
  size_t size;
  const encoded_header *header; /* in the map, as these are: */
  const encoded_page *pages;
  const encoded_trailer *trailer;
  dperm_schema *schema; /* NULL for svmlight */
} encoded_file;

/* Whether this machine can map such files: 64 bits, little-endian. */
dperm_status encoded_machine_check(dperm_error *err);

/* Whether the file at `path` begins as an encoded one. */
bool encoded_recognized(const char *path);

/* Opens the file and checks its frame: header, schema, directory, trailer. No records yet. */
dperm_status encoded_open(const char *path, encoded_file **out, dperm_error *err);
encoded_file *encoded_share(encoded_file *file);
void encoded_close(encoded_file *file);
OWNED_HANDLE(encoded_file, encoded_close)

/* Records from, …, from + count − 1 as a table, or, of svmlight, as sparse rows with their labels,
 * after all that they need was checked. Damage is named by its place in the file. Both share the
 * file. */
dperm_status encoded_table(encoded_file *file, size_t from, size_t count,
                           const dperm_progress *progress, record_table **out, dperm_error *err);
dperm_status encoded_rows(encoded_file *file, size_t from, size_t count,
                          const dperm_progress *progress, matrix **out, double *labels,
                          dperm_error *err);

/* Fails if the file has changed since it was opened: what was checked is no longer what is read. */
dperm_status encoded_unchanged(const encoded_file *file, dperm_error *err);
/* Fails for what stands at this place. */
dperm_status encoded_damaged(const encoded_file *file, uint64_t at, const char *what,
                             dperm_error *err);
