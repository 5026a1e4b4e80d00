/* Results that a command writes by itself, to a file that appears whole or not at all, or to
 * standard output. */
#pragma once

#include <dperm/output.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct atomic_file {
  FILE *stream; /* write here: memory, until all is there */
  char *text;
  size_t length;
  dperm_output *place;
} atomic_file;

/* True if `path` is, or can become, a plain file: neither "-" nor a device. */
bool atomic_file_plain(const char *path);

/* `path` NULL or "-" is standard output. Fails where the file cannot be written. */
dperm_status atomic_file_open(const char *path, atomic_file *out, dperm_error *err);
/* Success means: all bytes are in their place. */
dperm_status atomic_file_commit(atomic_file *file, dperm_error *err);
/* Frees it, written or not. */
void atomic_file_discard(atomic_file *file);
