/* Plain bytes as they are, gzip through zlib's inflate. Not through its gzread, which takes
 * anything behind the first member that is no other member for the end of the file: rows would go
 * missing silently. Here every byte of a file counts, as for `gzip -t`. */
#include "base/file_read.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/progress.h"

/* Packed bytes at a time. */
enum { PACKED = 1 << 18 };

struct byte_source {
  const char *path;
  const dperm_progress *progress;
  int fd;
  uint64_t size;
  uint64_t raw;          /* bytes of the file so far */
  bool line_ended;       /* with the last byte so far, unpacked */
  bool gzip, file_ended; /* nothing more to read from the file */
  bool behind;           /* a member of a gzip file: the next begins, or the file ends */
  z_stream unpack;       /* its next_in and avail_in are what was read ahead, packed or not */
  unsigned char *ahead;
  void *digest_space;
  crypto_generichash_state *digest; /* in it; NULL unless asked for */
};

const char *path_for_people(const char *path) {
  return strcmp(path, "-") == 0 ? "standard input" : path;
}

static dperm_status fail_source(const char *path, const char *cannot, dperm_error *err) {
  FAIL_IF(errno == EBADF && strcmp(path, "-") == 0, err, DPERM_IO_ERROR,
          "standard input is closed; give it the records, or name a file");
  FAIL(err, DPERM_IO_ERROR, "%s: cannot %s (%s); check the name, the permissions and the disk",
       path_for_people(path), cannot, strerror(errno));
}

static dperm_status fail_memory(const byte_source *source, dperm_error *err) {
  FAIL(err, DPERM_OUT_OF_MEMORY, "%s: out of memory", path_for_people(source->path));
}

static dperm_status tick(const byte_source *source, dperm_error *err) {
  return progress_tick(source->progress, "reading", source->raw - source->unpack.avail_in,
                       source->size, err);
}

/* Some bytes of the file as they are; none at its end. After a signal the tick may ask to stop. */
static dperm_status read_raw(byte_source *source, void *buffer, size_t capacity, size_t *got,
                             dperm_error *err) {
  ssize_t count = 0;
  while ((count = read(source->fd, buffer, capacity)) < 0 && errno == EINTR) {
    TRY(tick(source, err));
  }
  TRY(count < 0 ? fail_source(source->path, "read", err) : DPERM_OK);
  source->raw += (uint64_t)count;
  source->file_ended = count == 0;
  *got = (size_t)count;
  return DPERM_OK;
}

/* Reads ahead until there are `wanted` bytes or the file ends. */
static dperm_status look_ahead(byte_source *source, size_t wanted, dperm_error *err) {
  z_stream *z = &source->unpack;
  if (z->avail_in < wanted && z->avail_in > 0) {
    memmove(source->ahead, z->next_in, z->avail_in);
  }
  while (z->avail_in < wanted && !source->file_ended) {
    size_t got = 0;
    TRY(read_raw(source, source->ahead + z->avail_in, PACKED - z->avail_in, &got, err));
    z->next_in = source->ahead;
    z->avail_in += (unsigned)got;
  }
  return DPERM_OK;
}

static bool member_ahead(const z_stream *z) {
  return z->avail_in >= 2 && z->next_in[0] == 0x1f && z->next_in[1] == 0x8b;
}

dperm_status file_check_there(const char *path, dperm_error *err) {
  bool there = strcmp(path, "-") == 0 || access(path, R_OK) == 0;
  return there ? DPERM_OK : fail_source(path, "open", err);
}

dperm_status byte_source_open(const char *path, const dperm_progress *progress, byte_source **out,
                              dperm_error *err) {
  OWNED(byte_source_close_at) byte_source *source = NULL;
  TRY(memory_new(1, sizeof *source, &source, err));
  source->path = path;
  source->progress = progress;
  source->line_ended = true;
  bool standard = strcmp(path, "-") == 0;
  while ((source->fd = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)) < 0 &&
         errno == EINTR) { /* a named pipe waits for its other end; a signal may ask to stop */
    FAIL_IF(!progress || !progress->tick, err, DPERM_CANCELLED,
            "%s: stopped on request while opening", path);
    TRY(progress_tick(progress, "reading", 0, 1, err));
  }
  struct stat about;
  bool open_now = source->fd >= 0 && fstat(source->fd, &about) == 0;
  TRY(open_now ? DPERM_OK : fail_source(path, "open", err));
  source->size = S_ISREG(about.st_mode) && about.st_size > 0 ? (uint64_t)about.st_size : 0;
  TRY(memory_raw(PACKED, 1, &source->ahead, err));
  TRY(look_ahead(source, 2, err));
  if (member_ahead(&source->unpack)) {
    source->gzip = inflateInit2(&source->unpack, 16 + MAX_WBITS) == Z_OK;
    TRY(source->gzip ? DPERM_OK : fail_memory(source, err));
  }
  *out = TAKE(source);
  return DPERM_OK;
}

void byte_source_close(byte_source *source) {
  if (source) {
    if (source->gzip) {
      (void)inflateEnd(&source->unpack);
    }
    if (source->fd >= 0) {
      (void)close(source->fd);
    }
    free(source->ahead);
    free(source->digest_space);
    free(source);
  }
}

bool byte_source_ends_line(const byte_source *source) {
  return source->line_ended;
}

/* ---- gzip */

/* To the next member, or the end of the file. */
static dperm_status pass_member(byte_source *source, dperm_error *err) {
  z_stream *z = &source->unpack;
  TRY(look_ahead(source, 2, err));
  if (member_ahead(z)) {
    source->behind = false;
    (void)inflateReset(z);
  } else if (z->avail_in > 0) {
    FAIL(err, DPERM_IO_ERROR,
         "%s: something that is not gzip stands behind the packed data; the file is damaged, "
         "fetch it again",
         path_for_people(source->path));
  }
  return DPERM_OK;
}

static dperm_status inflate_some(byte_source *source, dperm_error *err) {
  z_stream *z = &source->unpack;
  TRY(look_ahead(source, 1, err));
  FAIL_IF(z->avail_in == 0, err, DPERM_IO_ERROR,
          "%s: the gzip stream ends early; the file is cut, fetch it again",
          path_for_people(source->path));
  int code = inflate(z, Z_NO_FLUSH);
  source->behind = code == Z_STREAM_END;
  TRY(code == Z_MEM_ERROR ? fail_memory(source, err) : DPERM_OK);
  FAIL_IF(code != Z_OK && code != Z_BUF_ERROR && code != Z_STREAM_END, err, DPERM_IO_ERROR,
          "%s: cannot read (%s); the file or the disk is damaged", path_for_people(source->path),
          z->msg ? z->msg : "this is not gzip");
  return DPERM_OK;
}

static dperm_status read_packed(byte_source *source, char *buffer, unsigned ask, size_t *got,
                                dperm_error *err) {
  z_stream *z = &source->unpack;
  z->next_out = (unsigned char *)buffer;
  z->avail_out = ask;
  while (z->avail_out > 0) {
    if (source->behind) {
      TRY(pass_member(source, err));
    }
    if (source->behind) {
      break;
    }
    TRY(inflate_some(source, err));
  }
  *got = ask - z->avail_out;
  return DPERM_OK;
}

/* ---- both */

static dperm_status read_plain(byte_source *source, char *buffer, unsigned ask, size_t *got,
                               dperm_error *err) {
  z_stream *z = &source->unpack;
  if (z->avail_in == 0) {
    return read_raw(source, buffer, ask, got, err);
  }
  unsigned count = z->avail_in < ask ? z->avail_in : ask;
  memcpy(buffer, z->next_in, count);
  z->next_in += count;
  z->avail_in -= count;
  *got = count;
  return DPERM_OK;
}

dperm_status byte_source_read(byte_source *source, char *buffer, size_t capacity, size_t *got,
                              dperm_error *err) {
  unsigned ask = capacity < (1U << 30) ? (unsigned)capacity : 1U << 30;
  *got = 0;
  TRY(tick(source, err));
  TRY(source->gzip ? read_packed(source, buffer, ask, got, err)
                   : read_plain(source, buffer, ask, got, err));
  source->line_ended = *got ? buffer[*got - 1] == '\n' : source->line_ended;
  return DPERM_OK;
}

void byte_source_add(byte_source *source, const char *bytes, size_t count) {
  if (source->digest && count > 0) {
    (void)crypto_generichash_update(source->digest, (const unsigned char *)bytes, count);
  }
}

dperm_status byte_source_digest(byte_source *source, dperm_error *err) {
  FAIL_IF(sodium_init() < 0, /* which also finds the fast way for this processor */
          err, DPERM_UNSUPPORTED, "libsodium could not start; check the installation");
  const size_t unit = _Alignof(crypto_generichash_state); /* more than malloc's */
  TRY(memory_raw(sizeof *source->digest + unit, 1, &source->digest_space, err));
  const size_t behind = (size_t)((uintptr_t)source->digest_space % unit);
  source->digest = (void *)((char *)source->digest_space + unit - behind);
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
  OWNED(byte_source_close_at) byte_source *source = NULL;
  OWNED_MEMORY char *buffer = NULL;
  size_t used = 0, capacity = 0, got = 0;
  TRY(byte_source_open(path, NULL, &source, err));
  do {
    TRY(memory_reserve(&buffer, &capacity, used + (1U << 16), 1, err));
    TRY(byte_source_read(source, buffer + used, capacity - used - 1, &got, err));
    used += got;
    FAIL_IF(used > limit, err, DPERM_INVALID_DATA,
            "%s: larger than %zu bytes; this is not such a file", path_for_people(path), limit);
  } while (got > 0);
  buffer[used] = '\0';
  *text = TAKE(buffer);
  *length = used;
  return DPERM_OK;
}
