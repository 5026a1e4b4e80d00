/* An encoded file, mapped: its pages as those of a table, or as sparse rows, without a copy.
 * Nothing in the file is trusted. Checksums find damage; every cell_value is checked against what
 * the schema inside allows, so that rows made of them keep their bounds, and every sparse row
 * against its norm. */
#pragma once

#include <stdatomic.h>
#include <sys/stat.h>

#include "base/owned.h"
#include "matrix/matrix.h"
#include "read/encoded_format.h"
#include "read/row_doubts.h"
#include "table/table.h"

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
