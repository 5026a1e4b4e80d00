/* Reading through zlib, which hands plain files on unchanged. */
#include "base/file_read.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/progress.h"

struct byte_source {
  const char *path;
  const dperm_progress *progress;
  gzFile file;
  uint64_t size;
  uint64_t got;                     /* bytes so far */
  uint64_t left;                    /* of a part; UINT64_MAX for a whole file */
  crypto_generichash_state *digest; /* NULL unless asked for */
};

const char *path_for_people(const char *path) {
  return strcmp(path, "-") == 0 ? "standard input" : path;
}

dperm_status byte_source_open(const char *path, const dperm_progress *progress, byte_source **out,
                              dperm_error *err) {
  byte_source *source = NULL;
  int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    FAIL(err, DPERM_IO_ERROR, "%s: cannot open (%s); check the name and the permissions",
         path_for_people(path), strerror(errno));
  }
  dperm_status status = DPERM_OK;
  struct stat about;
  if (fstat(fd, &about) != 0) {
    FAIL_AND_DONE(err, DPERM_IO_ERROR, "%s: cannot open (%s); check the file",
                  path_for_people(path), strerror(errno));
  }
  if (S_ISDIR(about.st_mode)) {
    FAIL_AND_DONE(err, DPERM_IO_ERROR, "%s: is a directory; name a file", path_for_people(path));
  }
  TRY_OR_DONE(memory_new(1, sizeof *source, &source, err));
  source->path = path;
  source->progress = progress;
  source->size = S_ISREG(about.st_mode) && about.st_size > 0 ? (uint64_t)about.st_size : 0;
  source->left = UINT64_MAX;
  source->file = gzdopen(fd, "rb");
  if (!source->file) {
    FAIL_AND_DONE(err, DPERM_OUT_OF_MEMORY, "%s: out of memory", path_for_people(path));
  }
  fd = -1; /* belongs to zlib now */
  (void)gzbuffer(source->file, 1U << 18);
  *out = source;
  source = NULL;
done:
  if (fd >= 0) {
    close(fd);
  }
  free(source);
  return status;
}

dperm_status byte_source_open_part(const char *path, uint64_t from, uint64_t to,
                                   const dperm_progress *progress, byte_source **out,
                                   dperm_error *err) {
  byte_source *source = NULL;
  TRY(byte_source_open(path, progress, &source, err));
  if (gzseek(source->file, (z_off_t)from, SEEK_SET) < 0 || !gzdirect(source->file)) {
    byte_source_close(source);
    FAIL(err, DPERM_IO_ERROR, "%s: cannot be read from its middle", path_for_people(path));
  }
  source->left = to - from;
  *out = source;
  return DPERM_OK;
}

uint64_t byte_source_at(const byte_source *source) {
  z_off_t at = gztell(source->file);
  return at > 0 ? (uint64_t)at : 0;
}

void byte_source_close(byte_source *source) {
  if (source) {
    (void)gzclose_r(source->file);
    free(source->digest);
    free(source);
  }
}

uint64_t byte_source_got(const byte_source *source) {
  return source->got;
}

uint64_t byte_source_left(const byte_source *source) {
  if (source->left != UINT64_MAX) {
    return source->left;
  }
  bool plain = source->got > 0 && gzdirect(source->file);
  return plain && source->size > source->got ? source->size - source->got : 0;
}

static dperm_status tick(const byte_source *source, dperm_error *err) {
  z_off_t at = gzoffset(source->file);
  return progress_tick(source->progress, "reading", at > 0 ? (uint64_t)at : 0, source->size, err);
}

/* A signal that asks to stop shows as EINTR; zlib may have lost bytes then, so there is no going
 * on after one. */
static dperm_status fail_read(const byte_source *source, int reason, dperm_error *err) {
  int code = Z_OK;
  const char *zlib_reason = gzerror(source->file, &code);
  TRY(tick(source, err));
  FAIL(err, DPERM_IO_ERROR, "%s: cannot read (%s); the file or the disk is damaged",
       path_for_people(source->path), code == Z_ERRNO ? strerror(reason) : zlib_reason);
}

dperm_status byte_source_read(byte_source *source, char *buffer, size_t capacity, size_t *got,
                              dperm_error *err) {
  unsigned ask = capacity < (1U << 30) ? (unsigned)capacity : 1U << 30;
  ask = ask < source->left ? ask : (unsigned)source->left;
  TRY(tick(source, err));
  errno = 0;
  int count = gzread(source->file, buffer, ask);
  if (count < 0) {
    return fail_read(source, errno, err);
  }
  int code = Z_OK;
  (void)gzerror(source->file, &code);
  if (count == 0 && code == Z_BUF_ERROR) {
    FAIL(err, DPERM_IO_ERROR, "%s: the gzip stream ends early; the file is cut, fetch it again",
         path_for_people(source->path));
  }
  *got = (size_t)count;
  source->got += *got;
  source->left -= source->left == UINT64_MAX ? 0 : *got;
  return DPERM_OK;
}

void byte_source_add(byte_source *source, const char *bytes, size_t count) {
  if (source->digest && count > 0) {
    (void)crypto_generichash_update(source->digest, (const unsigned char *)bytes, count);
  }
}

dperm_status byte_source_digest(byte_source *source, dperm_error *err) {
  if (sodium_init() < 0) { /* it also finds the fast way for this processor */
    FAIL(err, DPERM_UNSUPPORTED, "libsodium could not start; check the installation");
  }
  source->digest = aligned_alloc(_Alignof(crypto_generichash_state), sizeof *source->digest);
  if (!source->digest) {
    FAIL(err, DPERM_OUT_OF_MEMORY, "%s: out of memory", path_for_people(source->path));
  }
  (void)crypto_generichash_init(source->digest, NULL, 0, FILE_DIGEST_SIZE);
  return DPERM_OK;
}

bool byte_source_digested(const byte_source *source, unsigned char out[FILE_DIGEST_SIZE]) {
  if (!source || !source->digest) {
    return false;
  }
  crypto_generichash_state state = *source->digest; /* asking does not end it */
  (void)crypto_generichash_final(&state, out, FILE_DIGEST_SIZE);
  return true;
}

dperm_status file_read_all(const char *path, size_t limit, char **text, size_t *length,
                           dperm_error *err) {
  dperm_status status = DPERM_OK;
  byte_source *source = NULL;
  char *buffer = NULL;
  size_t used = 0, capacity = 0, got = 0;
  TRY_OR_DONE(byte_source_open(path, NULL, &source, err));
  do {
    TRY_OR_DONE(memory_reserve(&buffer, &capacity, used + (1U << 16), 1, err));
    TRY_OR_DONE(byte_source_read(source, buffer + used, capacity - used - 1, &got, err));
    used += got;
    if (used > limit) {
      FAIL_AND_DONE(err, DPERM_INVALID_DATA, "%s: larger than %zu bytes; this is not such a file",
                    path_for_people(path), limit);
    }
  } while (got > 0);
  buffer[used] = '\0';
  *text = buffer;
  *length = used;
  buffer = NULL;
done:
  free(buffer);
  byte_source_close(source);
  return status;
}
