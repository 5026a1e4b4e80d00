/* A file that appears whole or not at all: written beside its place, flushed to the disk, then
 * renamed. Standard output and devices, which cannot be renamed, are written directly. What can be
 * known to fail at the end fails at the beginning; a ledger is never replaced. */
#pragma once

#include "base/owned.h"
#include "base/status.h"

typedef struct output_file output_file;

/* `path` NULL or "-" is standard output; else it must outlive the output. With `private`, for
 * records: whatever it replaces, the file is its owner's alone. */
dperm_status output_open(const char *path, bool private, output_file **out, dperm_error *err);
/* The same, to be kept in memory: output_take instead of a commit. */
dperm_status output_open_memory(output_file **out, dperm_error *err);
/* Fails for a symbolic link that leads nowhere, as output_open does. */
dperm_status output_link_check(const char *path, dperm_error *err);
/* Takes as much space as will be written, at most, so that a disk that is too full fails here and
 * not at the end. Where a file system, a pipe or a device cannot promise, nothing happens. */
dperm_status output_reserve(output_file *file, size_t bytes, dperm_error *err);
/* The temporary file, to be unlinked by a handler that ends the program at once; NULL if none. */
const char *output_temporary(const output_file *file);
dperm_status output_write(output_file *file, const char *bytes, size_t length, dperm_error *err);
/* Success means: all bytes are where they belong. The output is gone either way. */
dperm_status output_commit(output_file *file, dperm_error *err);
/* All bytes of an output in memory, with a zero behind them, for the caller to free. The output is
 * gone either way. */
dperm_status output_take(output_file *file, char **bytes, size_t *length, dperm_error *err);
/* Leaves no trace. NULL is fine, so it can follow a commit that set the pointer to NULL. */
void output_discard(output_file *file);
OWNED_HANDLE(output_file, output_discard)

/* Takes space beside a file, in one without a name: `*fd`, made where it is -1, has so many bytes
 * until it is cut or closed, or the program ends. Returns 0 or the errno of a failure. */
int space_hold(const char *beside, size_t bytes, int *fd);

/* Flushes the folder that `path` is in, so that a new name survives a crash, where that can be. */
void file_sync_folder(const char *path);

/* ---- files that no output may replace: ledgers, and what SQLite keeps beside them. A ledger that
 * is gone, or put back by a stray journal, is a budget to be spent again */

/* Fails if `path`, by whatever name or link it leads there, is a ledger or belongs to one, or if
 * that cannot be found out because the file cannot be read. `name` is the path in messages. */
dperm_status protected_file_check(const char *path, const char *name, dperm_error *err);
