/* A file that appears whole or not at all: written beside its place, flushed to the disk, then
 * renamed. Standard output and devices, which cannot be renamed, are written directly. */
#ifndef DPERM_BASE_FILE_WRITE_H
#define DPERM_BASE_FILE_WRITE_H

#include "base/status.h"

typedef struct output_file output_file;

/* `path` NULL or "-" is standard output; else it must outlive the output. */
dperm_status output_open(const char *path, output_file **out, dperm_error *err);
/* The same for private records: whatever it replaces, the file is its owner's alone. */
dperm_status output_open_private(const char *path, output_file **out, dperm_error *err);
dperm_status output_write(output_file *file, const char *bytes, size_t length, dperm_error *err);
/* Asks the system to begin with bringing to the disk what is written so far, so that a commit has
 * less to wait for. Where it cannot, nothing happens. */
void output_start_flushing(output_file *file);
/* Success means: all bytes are where they belong. The output is gone either way. */
dperm_status output_commit(output_file *file, dperm_error *err);
/* Leaves no trace. NULL is fine, so it can follow a commit that set the pointer to NULL. */
void output_discard(output_file *file);

#endif
