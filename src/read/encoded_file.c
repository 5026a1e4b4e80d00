/* The frame of an encoded file: what is read before any row, with nothing taken on trust. After it,
 * every block lies inside the file, aligned, behind the one before, and there are as many as the
 * declared sizes need; so no size that the file claims can be larger than the file. */
#include "read/encoded_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file_stamp.h"
#include "base/memory.h"

static dperm_status fail_damaged(const encoded_file *file, uint64_t at, const char *what,
                                 dperm_error *err) {
  FAIL(err, DPERM_INVALID_DATA,
       "%s: byte %llu: %s; the file is damaged or cut: fetch it again, or encode the records again",
       file->path, (unsigned long long)at, what);
}

dperm_status encoded_machine_check(dperm_error *err) {
  const uint16_t one = 1;
  unsigned char low = 0;
  memcpy(&low, &one, 1);
  long page = sysconf(_SC_PAGESIZE);
  if (low != 1 || sizeof(size_t) != 8 || page <= 0 || ENCODED_ALIGN % page != 0) {
    FAIL(err, DPERM_UNSUPPORTED,
         "encoded files are for 64-bit little-endian machines with pages of at most 64 KiB; use "
         "CSV here");
  }
  return DPERM_OK;
}

bool encoded_recognized(const char *path) {
  unsigned char start[ENCODED_MAGIC_SIZE];
  struct stat about; /* not a pipe: what is read from one is gone */
  if (strcmp(path, "-") == 0 || stat(path, &about) != 0 || !S_ISREG(about.st_mode)) {
    return false;
  }
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return false;
  }
  bool found = read(fd, start, sizeof start) == (ssize_t)sizeof start &&
               memcmp(start, ENCODED_MAGIC, sizeof start) == 0;
  (void)close(fd);
  return found;
}

/* ---- reading */

static dperm_status read_at(const encoded_file *file, uint64_t at, void *bytes, size_t size,
                            dperm_error *err) {
  unsigned char *to = bytes;
  while (size > 0) {
    ssize_t got = pread(file->fd, to, size, (off_t)at);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      FAIL(err, DPERM_IO_ERROR, "%s: cannot read (%s); the file or the disk is damaged", file->path,
           strerror(errno));
    }
    if (got == 0) {
      return fail_damaged(file, at, "it ends here", err);
    }
    to += got;
    at += (uint64_t)got;
    size -= (size_t)got;
  }
  return DPERM_OK;
}

static uint64_t file_size(const encoded_file *file) {
  return (uint64_t)file->about.st_size;
}

static dperm_status read_header(encoded_file *file, dperm_error *err) {
  encoded_header *h = &file->header;
  OWNED_MEMORY char *text = NULL;
  TRY(read_at(file, 0, h, sizeof *h, err));
  if (memcmp(h->magic, ENCODED_MAGIC, sizeof h->magic) != 0) {
    FAIL(err, DPERM_INVALID_DATA,
         "%s: not an encoded file; leave the format to be seen, or encode it first", file->path);
  }
  if (h->version < ENCODED_OLDEST || h->version > ENCODED_VERSION) {
    FAIL(err, DPERM_UNSUPPORTED,
         "%s: version %u of the format, where this dperm reads %d to %d; %s", file->path,
         h->version, ENCODED_OLDEST, ENCODED_VERSION,
         h->version > ENCODED_VERSION ? "update dperm" : "encode the records again");
  }
  if (h->schema_length > ENCODED_SCHEMA_LIMIT || h->schema_length > file_size(file)) {
    return fail_damaged(file, offsetof(encoded_header, schema_length), "no schema is so long", err);
  }
  size_t length = (size_t)h->schema_length;
  TRY(memory_new(length + 1, 1, &text, err));
  TRY(read_at(file, sizeof *h, text, length, err));
  uint32_t check = encoded_sum(0, h, offsetof(encoded_header, check));
  if (encoded_sum(check, text, length) != h->check) {
    return fail_damaged(file, 0, "the header's sum is wrong", err);
  }
  bool schema = h->origin == ENCODED_FROM_SCHEMA;
  if (schema != (length > 0) || (!schema && h->origin != ENCODED_FROM_SVMLIGHT) || h->zero != 0 ||
      h->dims == 0 || h->dims > INT32_MAX ||
      h->first_block != encoded_aligned(sizeof *h + length)) {
    return fail_damaged(file, 0, "the header makes no sense", err);
  }
  if (!schema) {
    return DPERM_OK;
  }
  TRY(dperm_schema_parse(text, length, file->path, &file->schema, err));
  TRY(schema_check_resolved(file->schema, err));
  return file->schema->dims == h->dims
             ? DPERM_OK
             : fail_damaged(file, offsetof(encoded_header, dims),
                            "the rows have other columns than the schema", err);
}

/* All that an encoder notes. */
enum { ALL_NOTED = DOUBT_COMMENTS | DOUBT_BLANKS | DOUBT_SPANS | DOUBT_LAST };

static dperm_status read_trailer(encoded_file *file, dperm_error *err) {
  encoded_trailer *t = &file->trailer;
  uint64_t size = file_size(file), end = size - sizeof *t;
  if (size < sizeof *t) {
    return fail_damaged(file, size, "it ends here", err);
  }
  TRY(read_at(file, end, t, sizeof *t, err));
  if (memcmp(t->magic, ENCODED_END, sizeof t->magic) != 0) {
    return fail_damaged(file, end, "the end is missing", err);
  }
  if (encoded_sum(0, t, offsetof(encoded_trailer, check)) != t->check) {
    return fail_damaged(file, end, "the trailer's sum is wrong", err);
  }
  if ((t->rows == 0 && t->entries > 0) || t->rows >= size / sizeof(uint64_t) ||
      t->entries >= size / sizeof(double) || t->most_entries > t->entries ||
      t->most_entries > file->header.dims || t->blocks > size / ENCODED_ALIGN ||
      t->directory > end || end - t->directory != t->blocks * sizeof(encoded_block) ||
      t->flags > (file->header.version < ENCODED_VERSION ? DOUBT_COMMENTS : ALL_NOTED)) {
    return fail_damaged(file, end, "the trailer makes no sense", err);
  }
  return DPERM_OK;
}

/* ---- the directory */

size_t encoded_numbers(const encoded_file *file, encoded_array array) {
  const encoded_trailer *t = &file->trailer;
  return (size_t)(array == ENCODED_STARTS   ? t->rows + 1
                  : array == ENCODED_LABELS ? t->rows
                                            : t->entries);
}

size_t encoded_block_bytes(const encoded_file *file, encoded_array array, size_t index) {
  size_t each = encoded_block_numbers(array), left = encoded_numbers(file, array) - index * each;
  return (left < each ? left : each) * encoded_number_size(array);
}

static dperm_status read_directory(encoded_file *file, dperm_error *err) {
  const encoded_trailer *t = &file->trailer;
  size_t count = (size_t)t->blocks, size = count * sizeof *file->blocks;
  TRY(memory_new(count, sizeof *file->blocks, &file->blocks, err));
  TRY(memory_new(count, sizeof *file->order, &file->order, err));
  TRY(read_at(file, t->directory, file->blocks, size, err));
  uint32_t check = encoded_sum(0, file->blocks, size);
  if (encoded_sum(check, &file->header.check, sizeof file->header.check) != t->directory_check) {
    return fail_damaged(file, t->directory, "the directory's sum is wrong", err);
  }
  size_t at = 0;
  for (encoded_array a = ENCODED_STARTS; a < ENCODED_ARRAYS; a++) {
    file->first[a] = at;
    for (size_t b = 0; b < count; b++) {
      if (file->blocks[b].array == (uint32_t)a) {
        file->order[at++] = b;
      }
    }
    size_t each = encoded_block_numbers(a), needed = (encoded_numbers(file, a) + each - 1) / each;
    if (at - file->first[a] != needed) {
      return fail_damaged(file, t->directory, "blocks are missing from the directory", err);
    }
  }
  file->first[ENCODED_ARRAYS] = at;
  if (at != count) {
    return fail_damaged(file, t->directory, "the directory lists blocks of no array", err);
  }
  return DPERM_OK;
}

size_t encoded_array_space(const encoded_file *file, encoded_array array) {
  return encoded_aligned(encoded_numbers(file, array) * encoded_number_size(array) + 1);
}

/* Blocks stand one behind the other, without gaps or overlaps, up to the directory. */
static dperm_status check_places(const encoded_file *file, dperm_error *err) {
  size_t seen[ENCODED_ARRAYS] = {0};
  uint64_t at = file->header.first_block;
  for (size_t b = 0; b < file->trailer.blocks; b++) {
    encoded_array array = (encoded_array)file->blocks[b].array;
    uint64_t bytes = encoded_block_bytes(file, array, seen[array]++);
    if (file->blocks[b].offset != at) {
      return fail_damaged(file, file->trailer.directory, "a block is not where it must be", err);
    }
    at += encoded_aligned(bytes);
    if (at > file->trailer.directory) {
      return fail_damaged(file, file->trailer.directory, "a block reaches beyond the blocks", err);
    }
  }
  return at == file->trailer.directory
             ? DPERM_OK
             : fail_damaged(file, at, "there is something behind the blocks", err);
}

/* ---- life */

dperm_status encoded_open(const char *path, encoded_file **out, dperm_error *err) {
  OWNED(encoded_close_at) encoded_file *file = NULL;
  TRY(encoded_machine_check(err));
  TRY(memory_new(1, sizeof *file, &file, err));
  file->fd = -1;
  TRY(memory_copy_text(path, strlen(path), &file->path, err));
  file->fd = strcmp(path, "-") == 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file->fd < 0 || fstat(file->fd, &file->about) != 0) {
    FAIL(err, DPERM_IO_ERROR, "%s: cannot open (%s); check the name and the permissions",
         path_for_people(path), strcmp(path, "-") == 0 ? "not a file" : strerror(errno));
  }
  if (!S_ISREG(file->about.st_mode)) {
    FAIL(err, DPERM_IO_ERROR, "%s: an encoded file is mapped, so it must be a plain file", path);
  }
  TRY(read_header(file, err));
  TRY(read_trailer(file, err));
  TRY(read_directory(file, err));
  TRY(check_places(file, err));
  *out = file;
  file = NULL;
  return DPERM_OK;
}

void encoded_close(encoded_file *file) {
  if (!file) {
    return;
  }
  for (encoded_array a = ENCODED_STARTS; a < ENCODED_ARRAYS; a++) {
    if (file->arrays[a]) {
      (void)munmap(file->arrays[a], encoded_array_space(file, a));
    }
  }
  if (file->fd >= 0) {
    (void)close(file->fd);
  }
  dperm_schema_free(file->schema);
  free(file->blocks);
  free(file->order);
  free(file->path);
  free(file);
}

unsigned encoded_doubts(const encoded_file *file) {
  bool untold = file->header.version < ENCODED_VERSION;
  return (unsigned)file->trailer.flags | (untold ? (unsigned)DOUBT_UNTOLD : 0);
}

dperm_status encoded_unchanged(const encoded_file *file, dperm_error *err) {
  struct stat now;
  if (fstat(file->fd, &now) != 0 || !file_same(&file->about, &now)) {
    FAIL(err, DPERM_INVALID_DATA,
         "%s: was changed while it was read, so nothing is released; run again and leave it alone",
         file->path);
  }
  return DPERM_OK;
}
