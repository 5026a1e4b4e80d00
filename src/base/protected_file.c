/* A ledger is known by its first bytes, so that one that no argument names is not replaced either.
 * SQLite's own files are known by their names: that of a ledger and a suffix. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_write.h"
#include "base/memory.h"

/* ---- by content */

/* Ledgers that were met. Closing any descriptor of a file gives up all locks that the process has
 * on it, also those of a thread that is charging it, so theirs stay open. There are few. */
enum { KNOWN_MOST = 64 };
static struct {
  dev_t device;
  ino_t inode;
} known[KNOWN_MOST];
static size_t known_count;
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;

/* Whether it is one of them, or with `add` was one before. */
static bool is_known(const struct stat *about, bool add) {
  size_t i = 0;
  (void)pthread_mutex_lock(&known_lock);
  while (i < known_count && (known[i].device != about->st_dev || known[i].inode != about->st_ino)) {
    i++;
  }
  bool found = i < known_count;
  if (add && !found && i < KNOWN_MOST) {
    known[i].device = about->st_dev;
    known[i].inode = about->st_ino;
    known_count++;
  }
  (void)pthread_mutex_unlock(&known_lock);
  return found;
}

/* SQLite's header: 16 bytes of magic, and the application's mark at 68, "dprm" (ledger/store.h).
 */
static bool begins_like_ledger(int fd) {
  unsigned char head[72];
  return pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head &&
         memcmp(head, "SQLite format 3", 16) == 0 && memcmp(head + 68, "dprm", 4) == 0;
}

/* Whether a ledger is there; sets errno, and says no, where that cannot be found out. */
static bool is_ledger(const char *path) {
  struct stat about;
  errno = 0;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) {
    errno = 0; /* nothing there to replace, or a device */
    return false;
  }
  if (is_known(&about, false)) {
    return true;
  }
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    return false;
  }
  bool found = begins_like_ledger(fd);
  if (found) {
    (void)is_known(&about, true);
  } else {
    (void)close(fd);
  }
  errno = 0;
  return found;
}

/* ---- by name */

/* Where the path leads: without links and dots, whether or not there is a file of that name yet. */
static char *resolve(const char *path) {
  char *whole = realpath(path, NULL);
  if (whole || errno != ENOENT) {
    return whole;
  }
  OWNED_MEMORY char *one = NULL, *two = NULL;
  (void)memory_copy_text(path, strlen(path), &one, NULL);
  (void)memory_copy_text(path, strlen(path), &two, NULL);
  OWNED_MEMORY char *folder = one ? realpath(dirname(one), NULL) : NULL;
  return folder && two && asprintf(&whole, "%s/%s", folder, basename(two)) >= 0 ? whole : NULL;
}

/* Whether it is what SQLite keeps, or would keep, beside a ledger. */
static bool is_beside_ledger(const char *path) {
  static const char *const suffixes[] = {"-journal", "-wal", "-shm"};
  OWNED_MEMORY char *where = resolve(path);
  for (size_t i = 0; where && i < sizeof suffixes / sizeof *suffixes; i++) {
    size_t length = strlen(where), tail = strlen(suffixes[i]);
    if (length > tail && strcmp(where + length - tail, suffixes[i]) == 0) {
      where[length - tail] = '\0';
      return is_ledger(where);
    }
  }
  return false;
}

dperm_status protected_file_check(const char *path, const char *name, dperm_error *err) {
  bool ledger = is_ledger(path);
  if (!ledger && errno != 0) {
    FAIL(err, DPERM_IO_ERROR,
         "%s: there is a file that cannot be read (%s), so it may be a ledger, which no output "
         "replaces; name another file",
         name, strerror(errno));
  }
  if (ledger || is_beside_ledger(path)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%s: %s, which no output replaces; name another file", name,
         ledger ? "a ledger of dperm" : "belongs to a ledger of dperm");
  }
  return DPERM_OK;
}
