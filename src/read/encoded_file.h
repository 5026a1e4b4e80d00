/* An encoded file, mapped: its rows as the arrays that a sparse matrix is made of, without a copy.
 * Nothing in the file is trusted. Checksums find damage; and because privacy rests on bounds, every
 * row is checked against what the schema inside allows, as the encoder would have made it. */
#pragma once

#include <sys/stat.h>

#include "base/owned.h"
#include "read/encoded_format.h"
#include "read/row_doubts.h"
#include "schema/schema.h"

typedef struct encoded_file {
  char *path;
  int fd;
  struct stat about; /* as it was when it was opened */
  encoded_header header;
  encoded_trailer trailer;
  encoded_block *blocks;            /* of all arrays, in the order of the file */
  size_t *order;                    /* their places in `blocks`, array by array */
  size_t first[ENCODED_ARRAYS + 1]; /* where an array's begin in `order` */
  dperm_schema *schema;             /* NULL for svmlight */

  /* The rows that are mapped, and the whole arrays: all else of them must not be touched. */
  size_t from, count;
  union {
    unsigned char *arrays[ENCODED_ARRAYS];
    struct {
      size_t *starts;
      double *labels;
      uint32_t *columns;
      double *values;
    };
  };
} encoded_file;

/* Whether this machine can map such files: 64 bits, little-endian, pages of at most 64 KiB. */
dperm_status encoded_machine_check(dperm_error *err);

/* Whether the file at `path` begins as an encoded one. */
bool encoded_recognized(const char *path);

/* Opens the file and checks its frame: header, schema, directory, trailer. No rows yet. */
dperm_status encoded_open(const char *path, encoded_file **out, dperm_error *err);
void encoded_close(encoded_file *file);
OWNED_HANDLE(encoded_file, encoded_close)

/* Maps rows from, …, from + count − 1 and checks all that is read: the blocks' sums, and every row
 * against its bounds. Damage is named by its place in the file. To be called once. */
dperm_status encoded_map(encoded_file *file, size_t from, size_t count,
                         const dperm_progress *progress, dperm_error *err);

/* What makes the number of its rows doubtful (row_doubts.h). */
unsigned encoded_doubts(const encoded_file *file);

/* Fails if the file has changed since it was opened: what was checked is no longer what is read. */
dperm_status encoded_unchanged(const encoded_file *file, dperm_error *err);

/* The numbers in an array, its address space (one byte more at least, so that an empty array has an
 * address too), and the bytes of a block without what fills it up. */
size_t encoded_numbers(const encoded_file *file, encoded_array array);
size_t encoded_array_space(const encoded_file *file, encoded_array array);
size_t encoded_block_bytes(const encoded_file *file, encoded_array array, size_t index);

static inline const encoded_block *encoded_block_at(const encoded_file *file, encoded_array array,
                                                    size_t index) {
  return &file->blocks[file->order[file->first[array] + index]];
}

/* What the encoder makes of a row. */
typedef struct row_rules {
  size_t dims, classes;
  uint32_t *group_of; /* of each encoded column; NULL where only the norm is bounded */
  double *radius;     /* of its group */
} row_rules;

/* To be cleared after a failure too. */
dperm_status row_rules_init(const encoded_file *file, row_rules *rules, dperm_error *err);
void row_rules_clear(row_rules *rules);
/* Rows from, …, from + count − 1, whose starts are known to be in order, against their bounds.
 * False, with the row in *bad, if one is not as the encoder makes them. */
bool row_rules_hold(const row_rules *rules, const encoded_file *file, size_t from, size_t count,
                    size_t *bad);
