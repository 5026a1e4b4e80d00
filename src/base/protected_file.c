/* A ledger is known by its first bytes, so that one that no argument names is not replaced either.
 * SQLite's own files are known by their names: that of a ledger and a suffix. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_write.h"
#include "base/memory.h"

/* ---- by content */

/* SQLite's header: 16 bytes of magic, and the application's mark at 68, "dprm" (ledger/store.h).
 */
static bool begins_like_ledger(int fd) {
  unsigned char head[72];
  return pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head &&
         memcmp(head, "SQLite format 3", 16) == 0 && memcmp(head + 68, "dprm", 4) == 0;
}

/* Whether a ledger is there; sets errno, and says no, where that cannot be found out.
 *
 * Closing any descriptor of a file gives up all locks that the process has on it, also those of a
 * thread that is charging it. So a ledger's stays open, and the last one that was met is known. */
static bool is_ledger(const char *path) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static dev_t device;
  static ino_t inode;
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) {
    errno = 0; /* nothing there to replace, or a device */
    return false;
  }
  (void)pthread_mutex_lock(&lock);
  bool found = about.st_dev == device && about.st_ino == inode;
  int fd = found ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  int reason = found || fd >= 0 ? 0 : errno;
  if (fd >= 0 && begins_like_ledger(fd)) {
    found = true;
    device = about.st_dev;
    inode = about.st_ino;
  } else if (fd >= 0) {
    (void)close(fd);
  }
  (void)pthread_mutex_unlock(&lock);
  errno = reason;
  return found;
}

/* ---- by name */

/* Whether it is what SQLite keeps, or would keep, beside a ledger. */
static bool is_beside_ledger(const char *path) {
  static const char *const suffixes[] = {"-journal", "-wal", "-shm"};
  OWNED_MEMORY char *there = realpath(path, NULL); /* through links, if it is there */
  OWNED_MEMORY char *where = NULL;
  (void)memory_copy_text(there ? there : path, strlen(there ? there : path), &where, NULL);
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
  FAIL_IF(!ledger && errno != 0, err, DPERM_IO_ERROR,
          "%s: there is a file that cannot be read (%s), so it may be a ledger, which no output "
          "replaces; name another file",
          name, strerror(errno));
  FAIL_IF(ledger || is_beside_ledger(path), err, DPERM_INVALID_ARGUMENT,
          "%s: %s, which no output replaces; name another file", name,
          ledger ? "a ledger of dperm" : "belongs to a ledger of dperm");
  return DPERM_OK;
}
