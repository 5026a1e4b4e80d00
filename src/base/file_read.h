/* Bytes from a file, plain or gzip (by content), or from standard input. */
#pragma once

#include <sys/stat.h>

#include "base/owned.h"
#include "base/status.h"

typedef struct byte_source byte_source;

/* BLAKE2b-256 of a file's bytes, unpacked: what the file is, whatever it is called. */
enum { FILE_DIGEST_SIZE = 32 };

/* `path` and `progress` (may be NULL) must outlive the source. "-" is standard input. */
dperm_status byte_source_open(const char *path, const dperm_progress *progress, byte_source **out,
                              dperm_error *err);
void byte_source_close(byte_source *source);
OWNED_HANDLE(byte_source, byte_source_close)

/* Whether the last byte that was read ends a line; so does nothing at all. */
bool byte_source_ends_line(const byte_source *source);

/* Up to `capacity` bytes (and no more than 2^30); `*got` = 0 only at the end. A gzip stream that
 * ends early is an error, not an end; so is anything behind it but another one. Ticks progress with
 * the bytes of the file (compressed ones, if it is) read so far. */
dperm_status byte_source_read(byte_source *source, char *buffer, size_t capacity, size_t *got,
                              dperm_error *err);

/* From now on there is a digest of the bytes handed to byte_source_add, in order. */
dperm_status byte_source_digest(byte_source *source, dperm_error *err);
void byte_source_add(byte_source *source, const char *bytes, size_t count);
/* The digest of all bytes added; false if none was asked for. */
bool byte_source_digested(const byte_source *source, unsigned char out[FILE_DIGEST_SIZE]);

/* Whether there is a file to open: before something else is blamed for a missing one. */
dperm_status file_check_there(const char *path, dperm_error *err);

/* "-" becomes "standard input": what to call a path in a message. */
const char *path_for_people(const char *path);

/* A whole small file as terminated text; more than `limit` bytes is an error. The caller frees. */
dperm_status file_read_all(const char *path, size_t limit, char **text, size_t *length,
                           dperm_error *err);

/* Whether a file is unchanged, by its metadata. The time of the last change of the inode (ctime) is
 * part of it: unlike that of the content, no program can set it back. */
static inline bool file_same(const struct stat *before, const struct stat *now) {
  const struct timespec *a[] = {&before->st_mtim, &before->st_ctim};
  const struct timespec *b[] = {&now->st_mtim, &now->st_ctim};
  bool same = before->st_dev == now->st_dev && before->st_ino == now->st_ino &&
              before->st_size == now->st_size;
  for (int i = 0; i < 2; i++) {
    same = same && a[i]->tv_sec == b[i]->tv_sec && a[i]->tv_nsec == b[i]->tv_nsec;
  }
  return same;
}
