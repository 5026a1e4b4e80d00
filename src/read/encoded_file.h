/* An encoded file, mapped: its rows as the arrays that a sparse matrix is made of, without a copy.
 * Nothing in the file is trusted. Checksums find damage; and because privacy rests on bounds, every
 * row is checked against what the schema inside allows, as the encoder would have made it. */
#pragma once

#include <sys/stat.h>

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
  unsigned char *arrays[ENCODED_ARRAYS];
} encoded_file;

/* Whether this machine can map such files: 64 bits, little-endian, pages of at most 64 KiB. */
dperm_status encoded_machine_check(dperm_error *err);

/* Whether the file at `path` begins as an encoded one. */
bool encoded_recognized(const char *path);

/* Opens the file and checks its frame: header, schema, directory, trailer. No rows yet. */
dperm_status encoded_open(const char *path, encoded_file **out, dperm_error *err);
void encoded_close(encoded_file *file);

/* Maps rows from, …, from + count − 1 and checks all that is read: the blocks' sums, and every row
 * against its bounds. Damage is named by its place in the file. To be called once. */
dperm_status encoded_map(encoded_file *file, size_t from, size_t count,
                         const dperm_progress *progress, dperm_error *err);

/* What makes the number of its rows doubtful (row_doubts.h). */
unsigned encoded_doubts(const encoded_file *file);

/* Fails if the file has changed since it was opened: what was checked is no longer what is read. */
dperm_status encoded_unchanged(const encoded_file *file, dperm_error *err);

/* The numbers in an array, and the bytes of a block without what fills it up. */
size_t encoded_numbers(const encoded_file *file, encoded_array array);
size_t encoded_block_bytes(const encoded_file *file, encoded_array array, size_t index);

static inline const encoded_block *encoded_block_at(const encoded_file *file, encoded_array array,
                                                    size_t index) {
  return &file->blocks[file->order[file->first[array] + index]];
}

/* The arrays. */
static inline size_t *encoded_starts(const encoded_file *file) {
  return (size_t *)(void *)file->arrays[ENCODED_STARTS];
}
static inline double *encoded_labels(const encoded_file *file) {
  return (double *)(void *)file->arrays[ENCODED_LABELS];
}
static inline uint32_t *encoded_columns(const encoded_file *file) {
  return (uint32_t *)(void *)file->arrays[ENCODED_COLUMNS];
}
static inline double *encoded_values(const encoded_file *file) {
  return (double *)(void *)file->arrays[ENCODED_VALUES];
}

/* Rows from, …, from + count − 1, whose starts are known to be in order, against their bounds.
 * False, with the row in *bad, if one is not as the encoder makes them. */
typedef struct row_rules row_rules;
dperm_status row_rules_new(const encoded_file *file, row_rules **out, dperm_error *err);
void row_rules_free(row_rules *rules);
bool row_rules_hold(const row_rules *rules, const encoded_file *file, size_t from, size_t count,
                    size_t *bad);
