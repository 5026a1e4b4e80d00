/* Results that a command writes by itself, to a file that appears whole or not at all, or to
 * standard output. */
#pragma once

#include <dperm.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct atomic_file {
  FILE *stream;     /* write here */
  const char *path; /* NULL for standard output */
  char *target;     /* that, or where a symbolic link leads, which stays; NULL: not renamed */
  char *temporary;  /* beside it, until it is whole; NULL for what cannot be renamed */
} atomic_file;

/* Whether `path` is, or can become, a plain file: neither "-" nor a device. */
bool atomic_file_plain(const char *path);

/* `path` NULL or "-" is standard output. */
dperm_status atomic_file_open(const char *path, atomic_file *out, dperm_error *err);
/* Success means: all bytes are in their place. The file is closed either way. */
dperm_status atomic_file_commit(atomic_file *file, dperm_error *err);
/* Leaves no trace. */
void atomic_file_discard(atomic_file *file);
