/* What macOS has under other names, under those of Linux. The build includes it in front of every
 * file there, and nowhere else (CMakeLists.txt); no one has run what it makes (docs/platforms.md).
 */
#pragma once

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include <xlocale.h>

#define st_mtim st_mtimespec
#define st_ctim st_ctimespec

/* Attributes of a file have a position, for forks of resources, and options. (zig lacks the
 * header.) */
ssize_t getxattr(const char *path, const char *name, void *value, size_t size, unsigned position,
                 int options);
int setxattr(const char *path, const char *name, const void *value, size_t size, unsigned position,
             int options);
#include <sys/xattr.h>
#define getxattr(path, name, value, size) getxattr(path, name, value, size, 0, 0)
#define setxattr(path, name, value, size, flags) setxattr(path, name, value, size, 0, flags)

/* An fsync() ends before the drive has written. */
static inline int fdatasync(int fd) {
  return fcntl(fd, F_FULLFSYNC);
}

/* Entropy comes 256 bytes at a time, at most. */
static inline ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
  (void)flags;
  count = count < 256 ? count : 256;
  return getentropy(bytes, count) == 0 ? (ssize_t)count : -1;
}

static inline int fallocate(int fd, int mode, off_t from, off_t count) {
  fstore_t blocks = {.fst_flags = F_ALLOCATEALL, .fst_posmode = F_PEOFPOSMODE};
  struct stat now;
  (void)mode; /* 0, and all from the start: the only use */
  if (fstat(fd, &now) != 0) {
    return -1;
  }
  blocks.fst_length = from + count - now.st_size;
  return blocks.fst_length <= 0 ||
                 (fcntl(fd, F_PREALLOCATE, &blocks) != -1 && ftruncate(fd, from + count) == 0)
             ? 0
             : -1;
}

static inline int posix_fallocate(int fd, off_t from, off_t count) {
  return fallocate(fd, 0, from, count) == 0 ? 0 : errno;
}

/* No processors of its own for a process: all of them. */
typedef struct cpu_set_t {
  int count;
} cpu_set_t;

#define CPU_SETSIZE 1024
#define CPU_COUNT(set) ((set)->count)

static inline int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set) {
  (void)pid;
  (void)size;
  set->count = (int)sysconf(_SC_NPROCESSORS_ONLN);
  return set->count > 0 ? 0 : -1;
}

/* The names that Linux has for streams: to see whether one goes to a ledger. */
static inline const char *macos_path(const char *path, char *space) {
  static const char stream[] = "/proc/self/fd/";
  const size_t length = sizeof stream - 1;
  bool known =
      strncmp(path, stream, length) == 0 && fcntl(path[length] - '0', F_GETPATH, space) == 0;
  return known ? space : path;
}
#define stat(path, about) stat(macos_path(path, (char[PATH_MAX]){0}), about)
static inline int macos_open(const char *path, int flags, ...) {
  char space[PATH_MAX];
  va_list args;
  va_start(args, flags);
  const int mode = flags & O_CREAT ? va_arg(args, int) : 0;
  va_end(args);
  return open(macos_path(path, space), flags, mode);
}
#define open macos_open
#define realpath(path, out) realpath(macos_path(path, (char[PATH_MAX]){0}), out)

/* Our threads sleep between calls: code and data stay where they are when a program unloads us. */
static inline void macos_stay(void) {
  static const char here;
  Dl_info about;
  if (dladdr(&here, &about)) {
    (void)dlopen(about.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  }
}
#define pthread_create(thread, how, run, with)                                                     \
  (macos_stay(), pthread_create(thread, how, run, with))
