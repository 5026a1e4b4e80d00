/* Lines of text: "dperm-sweep 1 DIGEST", then "CELL FOLD COUNT NUMBER … CHECK" for each part, the
 * check a digest of the line before it under the sweep's own. Lines are appended in one write each
 * and flushed to the disk, so only the last one can be torn, and a torn one has no newline. */
#define _GNU_SOURCE
#include "pipeline/sweep_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/protected_file.h"

static const char title[] = "dperm-sweep 1 ";
enum { CHECK_BYTES = 8, HEX_DIGEST = 2 * SWEEP_DIGEST_SIZE + 1, HEX_CHECK = 2 * CHECK_BYTES + 1 };

struct sweep_journal {
  const char *path;
  int file;
  unsigned char digest[SWEEP_DIGEST_SIZE];
  char *line;
  size_t capacity;
};

static dperm_status fail_system(const char *path, int reason, dperm_error *err) {
  FAIL(err, DPERM_IO_ERROR,
       "%s: cannot keep the sweep's journal (%s); check the place, its permissions and free space",
       path, strerror(reason));
}

static dperm_status fail_damaged(const char *path, size_t line, dperm_error *err) {
  FAIL(err, DPERM_INVALID_DATA,
       "%s:%zu:1: this journal of a sweep is damaged; delete it to begin the sweep anew", path,
       line);
}

/* A keyed digest of a line, so that neither a flipped digit nor a line of another sweep passes. */
static void line_check(const sweep_journal *j, const char *line, size_t length,
                       char out[HEX_CHECK]) {
  unsigned char whole[crypto_generichash_BYTES];
  (void)crypto_generichash(whole, sizeof whole, (const unsigned char *)line, length, j->digest,
                           sizeof j->digest);
  (void)sodium_bin2hex(out, HEX_CHECK, whole, CHECK_BYTES);
}

/* ---- writing */

static dperm_status append(sweep_journal *j, const char *bytes, size_t length, dperm_error *err) {
  while (length > 0) {
    ssize_t wrote = write(j->file, bytes, length);
    if (wrote < 0 && errno == EINTR) {
      continue;
    }
    if (wrote <= 0) {
      return fail_system(j->path, errno, err);
    }
    bytes += wrote;
    length -= (size_t)wrote;
  }
  return fdatasync(j->file) == 0 ? DPERM_OK : fail_system(j->path, errno, err);
}

dperm_status journal_add(sweep_journal *j, size_t cell, size_t fold, const uint64_t *numbers,
                         size_t count, dperm_error *err) {
  char check[HEX_CHECK];
  TRY(memory_reserve(&j->line, &j->capacity, 21 * (count + 3) + HEX_CHECK + 2, 1, err));
  size_t length = (size_t)snprintf(j->line, j->capacity, "%zu %zu %zu ", cell, fold, count);
  for (size_t i = 0; i < count; i++) {
    length += (size_t)snprintf(j->line + length, j->capacity - length, "%" PRIu64 " ", numbers[i]);
  }
  line_check(j, j->line, length, check);
  length += (size_t)snprintf(j->line + length, j->capacity - length, "%s\n", check);
  return append(j, j->line, length, err);
}

/* ---- reading */

/* A number and the blank behind it. */
static bool take_number(const char **at, const char *end, uint64_t *out) {
  const char *start = *at;
  uint64_t value = 0;
  for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
    uint64_t digit = (uint64_t)(**at - '0');
    if (value > (UINT64_MAX - digit) / 10) {
      return false;
    }
    value = 10 * value + digit;
  }
  *out = value;
  return *at > start && *at < end && *(*at)++ == ' ';
}

/* One line, without its newline. */
static dperm_status read_line(const sweep_journal *j, const char *line, size_t length,
                              size_t number, sweep_part_reader *read, void *context,
                              dperm_error *err) {
  char check[HEX_CHECK];
  uint64_t cell = 0, fold = 0, count = 0, *numbers = NULL;
  if (length < HEX_CHECK) {
    return fail_damaged(j->path, number, err);
  }
  const char *at = line, *end = line + length - (HEX_CHECK - 1);
  line_check(j, line, (size_t)(end - line), check);
  bool good = memcmp(check, end, HEX_CHECK - 1) == 0 && take_number(&at, end, &cell) &&
              take_number(&at, end, &fold) && take_number(&at, end, &count) && count <= length;
  if (!good) {
    return fail_damaged(j->path, number, err);
  }
  TRY(memory_new(count, sizeof *numbers, &numbers, err));
  for (size_t i = 0; good && i < count; i++) {
    good = take_number(&at, end, &numbers[i]);
  }
  dperm_status status = good && at == end ? read(context, cell, fold, numbers, count, err)
                                          : fail_damaged(j->path, number, err);
  free(numbers);
  return status;
}

/* The whole lines of `text`; *kept is where they end. */
static dperm_status read_lines(const sweep_journal *j, const char *text, size_t length,
                               const char *first, sweep_part_reader *read, void *context,
                               size_t *kept, dperm_error *err) {
  *kept = 0;
  for (size_t number = 1; *kept < length; number++) {
    const char *line = text + *kept, *newline = memchr(line, '\n', length - *kept);
    if (!newline) {
      return DPERM_OK; /* torn */
    }
    size_t size = (size_t)(newline - line);
    if (number > 1) {
      TRY(read_line(j, line, size, number, read, context, err));
    } else if (size + 1 != strlen(first) || memcmp(line, first, size) != 0) {
      if (size < strlen(title) || memcmp(line, title, strlen(title)) != 0) {
        FAIL(err, DPERM_INVALID_DATA,
             "%s:1:1: not a journal of a sweep; move it away, or name another output", j->path);
      }
      FAIL(err, DPERM_INVALID_DATA,
           "%s:1:1: the journal of another sweep, with other options, data or another version of "
           "dperm; give the same again to go on with it, or delete it",
           j->path);
    }
    *kept += size + 1;
  }
  return DPERM_OK;
}

static dperm_status read_file(int file, const char *path, char **text, size_t *length,
                              dperm_error *err) {
  size_t capacity = 0;
  *length = 0;
  for (;;) {
    TRY(memory_reserve(text, &capacity, *length + 65536, 1, err));
    ssize_t got = read(file, *text + *length, capacity - *length);
    if (got < 0 && errno != EINTR) {
      return fail_system(path, errno, err);
    }
    if (got == 0) {
      return DPERM_OK;
    }
    *length += got > 0 ? (size_t)got : 0;
  }
}

/* Nobody else's, and a file that can be appended to. */
static dperm_status open_file(const char *path, int *file, dperm_error *err) {
  struct stat about;
  TRY(protected_file_check(path, path, err));
  *file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (*file < 0) {
    return fail_system(path, errno, err);
  }
  if (fstat(*file, &about) != 0 || !S_ISREG(about.st_mode)) {
    FAIL(err, DPERM_IO_ERROR, "%s: not a plain file; a sweep's journal needs one", path);
  }
  if (flock(*file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    FAIL(err, DPERM_IO_ERROR,
         "%s: another sweep is writing to this journal; wait for it, or name another output", path);
  }
  return DPERM_OK;
}

dperm_status journal_open(const char *path, const unsigned char digest[SWEEP_DIGEST_SIZE],
                          sweep_part_reader *read_part, void *context, sweep_journal **out,
                          dperm_error *err) {
  dperm_status status = DPERM_OK;
  sweep_journal *j = NULL;
  char *text = NULL, hex[HEX_DIGEST], first[sizeof title + HEX_DIGEST + 1];
  size_t length = 0, kept = 0;
  TRY(memory_new(1, sizeof *j, &j, err));
  j->path = path;
  j->file = -1;
  memcpy(j->digest, digest, sizeof j->digest);
  (void)sodium_bin2hex(hex, sizeof hex, digest, SWEEP_DIGEST_SIZE);
  (void)snprintf(first, sizeof first, "%s%s\n", title, hex);
  TRY_OR_DONE(open_file(path, &j->file, err));
  TRY_OR_DONE(read_file(j->file, path, &text, &length, err));
  TRY_OR_DONE(read_lines(j, text, length, first, read_part, context, &kept, err));
  bool torn = kept == 0 && length < strlen(first) && memcmp(text, first, length) == 0;
  if (kept == 0 && !torn) {
    FAIL_AND_DONE(err, DPERM_INVALID_DATA,
                  "%s:1:1: not a journal of a sweep; move it away, or name another output", path);
  }
  if (kept < length && ftruncate(j->file, (off_t)kept) != 0) {
    TRY_OR_DONE(fail_system(path, errno, err));
  }
  if (kept == 0) {
    TRY_OR_DONE(append(j, first, strlen(first), err));
  }
  *out = j;
  j = NULL;
done:
  free(text);
  journal_close(j);
  return status;
}

void journal_close(sweep_journal *j) {
  if (j) {
    if (j->file >= 0) {
      (void)close(j->file);
    }
    free(j->line);
    free(j);
  }
}
