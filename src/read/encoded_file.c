/* The frame of an encoded file: what is read before any record, with nothing taken on trust. After
 * it, every page lies inside the file, behind the one before, and there are as many as the number
 * of records needs; so no size that the file claims can be larger than the file. */
#include "read/encoded_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file_read.h"
#include "base/memory.h"

dperm_status encoded_damaged(const encoded_file *file, uint64_t at, const char *what,
                             dperm_error *err) {
  FAIL(err, DPERM_INVALID_DATA,
       "%s: byte %llu: %s; the file is damaged or cut: fetch it again, or encode the records again",
       file->path, (unsigned long long)at, what);
}

dperm_status encoded_machine_check(dperm_error *err) {
  FAIL_IF(__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || sizeof(size_t) != 8, err, DPERM_UNSUPPORTED,
          "encoded files are for 64-bit little-endian machines; use CSV here");
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

/* ---- header, trailer, directory */

static dperm_status read_header(encoded_file *file, dperm_error *err) {
  const encoded_header *h = file->header = (const void *)file->bytes;
  FAIL_IF(file->size < sizeof h->magic || memcmp(h->magic, ENCODED_MAGIC, sizeof h->magic) != 0,
          err, DPERM_INVALID_DATA,
          "%s: not an encoded file; leave the format to be seen, or encode it first", file->path);
  RETURN_IF(file->size < sizeof *h + sizeof *file->trailer,
            encoded_damaged(file, file->size, "it ends here", err));
  FAIL_IF(h->version != ENCODED_VERSION, err, DPERM_UNSUPPORTED,
          "%s: version %u of the format, where this dperm reads %d; %s", file->path, h->version,
          ENCODED_VERSION,
          h->version > ENCODED_VERSION ? "update dperm" : "encode the records again");
  RETURN_IF(
      h->schema_length > ENCODED_SCHEMA_LIMIT || h->schema_length > file->size - sizeof *h,
      encoded_damaged(file, offsetof(encoded_header, schema_length), "no schema is so long", err));
  const char *text = (const char *)file->bytes + sizeof *h;
  size_t length = (size_t)h->schema_length;
  uint32_t check = encoded_sum(0, h, offsetof(encoded_header, check));
  RETURN_IF(encoded_sum(check, text, length) != h->check,
            encoded_damaged(file, 0, "the header's sum is wrong", err));
  bool schema = h->origin == ENCODED_FROM_SCHEMA;
  RETURN_IF(schema != (length > 0) || (!schema && h->origin != ENCODED_FROM_SVMLIGHT) ||
                h->zero != 0 || (h->dims == 0) != schema || h->dims > INT32_MAX,
            encoded_damaged(file, 0, "the header makes no sense", err));
  TRY(schema ? dperm_schema_parse(text, length, file->path, &file->schema, err) : DPERM_OK);
  RETURN_IF(schema && file->schema->person_added,
            encoded_damaged(file, 0, "its persons have no column", err));
  return DPERM_OK;
}

static dperm_status read_trailer(encoded_file *file, dperm_error *err) {
  const uint64_t end = file->size - sizeof *file->trailer;
  RETURN_IF(file->size % ENCODED_UNIT != 0, encoded_damaged(file, file->size, "it ends here", err));
  const encoded_trailer *t = file->trailer = (const void *)(file->bytes + end);
  RETURN_IF(memcmp(t->magic, ENCODED_END, sizeof t->magic) != 0,
            encoded_damaged(file, end, "the end is missing", err));
  RETURN_IF(encoded_sum(0, t, offsetof(encoded_trailer, check)) != t->check,
            encoded_damaged(file, end, "the trailer's sum is wrong", err));
  RETURN_IF(t->rows > SIZE_MAX / TABLE_PAGE ||
                t->pages != (t->rows + TABLE_PAGE - 1) / TABLE_PAGE ||
                t->pages > file->size / sizeof *file->pages || t->directory % ENCODED_UNIT != 0 ||
                t->directory > end || end - t->directory != t->pages * sizeof *file->pages ||
                t->most_entries > file->header->dims || t->flags >= 1 << DOUBT_KINDS,
            encoded_damaged(file, end, "the trailer makes no sense", err));
  return DPERM_OK;
}

/* Pages stand one behind the other, without gaps or overlaps, up to the directory, and all but the
 * last are full. */
static dperm_status read_directory(encoded_file *file, dperm_error *err) {
  const encoded_trailer *t = file->trailer;
  const encoded_page *pages = file->pages = (const void *)(file->bytes + t->directory);
  uint32_t check = encoded_sum(0, pages, (size_t)t->pages * sizeof *pages);
  RETURN_IF(encoded_sum(check, &file->header->check, sizeof file->header->check) !=
                t->directory_check,
            encoded_damaged(file, t->directory, "the directory's sum is wrong", err));
  uint64_t at = encoded_aligned(sizeof *file->header + (size_t)file->header->schema_length);
  for (size_t p = 0; p < t->pages; p++) {
    uint64_t rows = p + 1 < t->pages ? TABLE_PAGE : t->rows - p * (uint64_t)TABLE_PAGE;
    RETURN_IF(pages[p].offset != at || pages[p].rows != rows || pages[p].size % ENCODED_UNIT != 0 ||
                  at > t->directory || pages[p].size > t->directory - at,
              encoded_damaged(file, t->directory, "a page is not what it must be", err));
    at += pages[p].size;
  }
  return at == t->directory ? DPERM_OK
                            : encoded_damaged(file, at, "there is something behind the pages", err);
}

/* ---- life */

static dperm_status map_file(encoded_file *file, dperm_error *err) {
  file->size = (size_t)file->about.st_size;
  RETURN_IF(file->size == 0, encoded_damaged(file, 0, "it is empty", err));
  void *place = mmap(NULL, file->size, PROT_READ, MAP_SHARED, file->fd, 0);
  FAIL_IF(place == MAP_FAILED, err, DPERM_IO_ERROR,
          "%s: cannot be mapped (%s); check the limits on address space", file->path,
          strerror(errno));
  file->bytes = place;
  return DPERM_OK;
}

dperm_status encoded_open(const char *path, encoded_file **out, dperm_error *err) {
  OWNED(encoded_close_at) encoded_file *file = NULL;
  TRY(encoded_machine_check(err));
  TRY(memory_new(1, sizeof *file, &file, err));
  atomic_init(&file->owners, 1);
  file->fd = -1;
  TRY(memory_copy_text(path, strlen(path), &file->path, err));
  const bool piped = strcmp(path, "-") == 0;
  file->fd = piped ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  FAIL_IF(!piped && (file->fd < 0 || fstat(file->fd, &file->about) != 0), err, DPERM_IO_ERROR,
          "%s: cannot open (%s); check the name and the permissions", path, strerror(errno));
  FAIL_IF(piped || !S_ISREG(file->about.st_mode), err, DPERM_IO_ERROR,
          "%s: encoded records are memory-mapped and cannot come from a pipe; name the file itself",
          path_for_people(path));
  TRY(map_file(file, err));
  TRY(read_header(file, err));
  TRY(read_trailer(file, err));
  TRY(read_directory(file, err));
  *out = TAKE(file);
  return DPERM_OK;
}

encoded_file *encoded_share(encoded_file *file) {
  if (file) {
    atomic_fetch_add(&file->owners, 1);
  }
  return file;
}

void encoded_close(encoded_file *file) {
  if (!file || atomic_fetch_sub(&file->owners, 1) != 1) {
    return;
  }
  if (file->bytes) {
    (void)munmap((void *)file->bytes, file->size);
  }
  if (file->fd >= 0) {
    (void)close(file->fd);
  }
  dperm_schema_free(file->schema);
  free(file->path);
  free(file);
}

dperm_status encoded_unchanged(const encoded_file *file, dperm_error *err) {
  struct stat now;
  FAIL_IF(fstat(file->fd, &now) != 0 || !file_same(&file->about, &now), err, DPERM_INVALID_DATA,
          "%s: was changed while it was read, so nothing is released; run again and leave it alone",
          file->path);
  return DPERM_OK;
}
