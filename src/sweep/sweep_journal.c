/* Lines of text: "dperm-sweep 1 DIGEST", then "CELL FOLD COUNT NUMBER … CHECK" for each part, the
 * check a digest of the line before it under the sweep's own. Each line is flushed to the disk
 * before the next, so only the last one can be torn, and a torn one has no newline. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_write.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/text.h"
#include "sweep/sweep_run.h"

static const char title[] = "dperm-sweep 1 ";
enum { CHECK_BYTES = 8, HEX_DIGEST = 2 * SWEEP_DIGEST_SIZE + 1, HEX_CHECK = 2 * CHECK_BYTES + 1 };

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
  bool written = fwrite(bytes, 1, length, j->stream) == length && fflush(j->stream) == 0 &&
                 fdatasync(fileno(j->stream)) == 0;
  return written ? DPERM_OK : fail_system(j->path, errno, err);
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
static bool take_number(const char **at, const char *end, size_t *out) {
  const char *start = *at, *blank = memchr(start, ' ', (size_t)(end - start));
  *at = blank ? blank + 1 : end;
  return blank && parse_size((slice){start, (size_t)(blank - start)}, SIZE_MAX, out);
}

/* One line, without its newline. */
static dperm_status read_line(sweep *s, const char *line, size_t length, size_t number,
                              dperm_error *err) {
  const sweep_journal *j = &s->journal;
  OWNED_MEMORY uint64_t *numbers = NULL;
  char check[HEX_CHECK];
  size_t cell = 0, fold = 0, count = 0, wrong = 0;
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
    good = take_number(&at, end, &wrong);
    numbers[i] = wrong;
  }
  return good && at == end ? results_read(s, cell, fold, numbers, count, err)
                           : fail_damaged(j->path, number, err);
}

static dperm_status fail_title(const char *path, const char *line, dperm_error *err) {
  if (strncmp(line, title, strlen(title)) != 0) {
    FAIL(err, DPERM_INVALID_DATA,
         "%s:1:1: not a journal of a sweep; move it away, or name another output", path);
  }
  FAIL(err, DPERM_INVALID_DATA,
       "%s:1:1: the journal of another sweep, with other options, data or another version of "
       "dperm; give the same again to go on with it, or delete it",
       path);
}

/* Reads the lines behind `first`, and leaves the stream where the next one is to be written: a line
 * that was torn is cut off. */
static dperm_status read_lines(sweep *s, const char *first, dperm_error *err) {
  sweep_journal *j = &s->journal;
  ssize_t length = 0;
  off_t kept = 0;
  for (size_t number = 1; (length = getline(&j->line, &j->capacity, j->stream)) > 0; number++) {
    bool whole = j->line[length - 1] == '\n';
    if (number == 1 && strncmp(j->line, first, (size_t)length) != 0) {
      return fail_title(j->path, j->line, err);
    }
    if (!whole) {
      break;
    }
    if (number > 1) {
      TRY(read_line(s, j->line, (size_t)length - 1, number, err));
    }
    kept += length;
  }
  if (!feof(j->stream) || ftruncate(fileno(j->stream), kept) != 0 ||
      fseeko(j->stream, 0, SEEK_END) != 0) {
    return fail_system(j->path, errno, err);
  }
  return kept == 0 ? append(j, first, strlen(first), err) : DPERM_OK;
}

/* Nobody else's, and a file that can be appended to. */
static dperm_status open_file(sweep_journal *j, dperm_error *err) {
  struct stat about;
  TRY(protected_file_check(j->path, j->path, err));
  int file = open(j->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  j->stream = file < 0 ? NULL : fdopen(file, "a+");
  if (!j->stream) {
    int reason = errno;
    (void)close(file); /* of -1 does nothing */
    return fail_system(j->path, reason, err);
  }
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
    FAIL(err, DPERM_IO_ERROR, "%s: not a plain file; a sweep's journal needs one", j->path);
  }
  if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    FAIL(err, DPERM_IO_ERROR,
         "%s: another sweep is writing to this journal; wait for it, or name another output",
         j->path);
  }
  rewind(j->stream);
  return DPERM_OK;
}

dperm_status journal_open(sweep *s, const unsigned char digest[SWEEP_DIGEST_SIZE],
                          dperm_error *err) {
  char hex[HEX_DIGEST], first[sizeof title + HEX_DIGEST + 1];
  s->journal.path = s->how->journal;
  memcpy(s->journal.digest, digest, SWEEP_DIGEST_SIZE);
  (void)sodium_bin2hex(hex, sizeof hex, digest, SWEEP_DIGEST_SIZE);
  (void)snprintf(first, sizeof first, "%s%s\n", title, hex);
  TRY(open_file(&s->journal, err));
  return read_lines(s, first, err);
}

void journal_close(sweep_journal *j) {
  if (j->stream) {
    (void)fclose(j->stream);
  }
  free(j->line);
}
