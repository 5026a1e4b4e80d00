/* Calls that change files, counted and made to fail on demand, to be preloaded (LD_PRELOAD) before
 * the command. Environment:
 *   LEDGER_FAULT_KILL=k       the process is killed at the k-th such call, before it does anything;
 *   LEDGER_FAULT_KILL_AFTER=k or right after it;
 *   LEDGER_FAULT_FULL=k       from the k-th on, calls that write, flush or reserve space fail: the
 *                             disk is full;
 *   LEDGER_FAULT_FULL_NAME=T  and only those on files whose name has this text in it;
 *   LEDGER_FAULT_SPACE=n      the disk has n bytes for files to grow by, and what they give back;
 *                             once the first journal of SQLite is removed others take the rest;
 *   LEDGER_FAULT_RENAME=T     a rename to such a name fails;
 *   LEDGER_FAULT_LOG=FILE     a line for each call: its number, name and the file;
 *   LEDGER_FAULT_CLOCK=s      the clock is off by so many seconds;
 *   LEDGER_FAULT_GATE=FIFO    the process waits at that gate (fault_gate.h) after the k-th call
 *                             "NAME FILE" of LEDGER_FAULT_GATE_AT="k NAME FILE", FILE the end of a
 *                             path.
 * fflush counts as a write: the C library's own writes cannot be caught. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fault_gate.h"

static atomic_long calls, passed, taken, journals;

static long asked(const char *name) {
  const char *text = getenv(name);
  return text ? strtol(text, NULL, 10) : 0;
}

/* The file's path, from its number or as it was given. */
enum { PLACE_SIZE = 400 };
static void find_place(int fd, const char *path, char out[PLACE_SIZE]) {
  char link[64];
  memset(out, 0, PLACE_SIZE);
  if (fd >= 0) {
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    (void)!readlink(link, out, PLACE_SIZE - 1);
  } else {
    (void)snprintf(out, PLACE_SIZE, "%s", path ? path : "");
  }
}

static void log_call(long call, const char *name, int fd, const char *path) {
  const char *log = getenv("LEDGER_FAULT_LOG");
  char where[PLACE_SIZE], line[500];
  if (!log) {
    return;
  }
  find_place(fd, path, where);
  int length = snprintf(line, sizeof line, "%ld %s %s\n", call, name, where);
  int to = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  (void)!syscall(SYS_write, to, line, (size_t)length);
  (void)syscall(SYS_close, to);
}

/* Whether the text that this variable holds is in the file's name; also if there is none. */
static int named(const char *variable, int fd, const char *path) {
  const char *text = getenv(variable);
  char where[400] = "", link[64];
  if (!text) {
    return 1;
  }
  if (fd >= 0) {
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    (void)!readlink(link, where, sizeof where - 1);
  }
  return strstr(fd >= 0 ? where : path ? path : "", text) != NULL;
}

/* Counts a call; nonzero if it must fail. */
static int before(const char *name, int fd, const char *path, int writes) {
  long call = 1 + atomic_fetch_add(&calls, 1), full = asked("LEDGER_FAULT_FULL");
  log_call(call, name, fd, path);
  if (call == asked("LEDGER_FAULT_KILL")) {
    (void)raise(SIGKILL);
  }
  if (writes && full && call >= full && named("LEDGER_FAULT_FULL_NAME", fd, path)) {
    errno = ENOSPC;
    return 1;
  }
  if (getenv("LEDGER_FAULT_RENAME") && strcmp(name, "rename") == 0 &&
      named("LEDGER_FAULT_RENAME", fd, path)) {
    errno = EIO;
    return 1;
  }
  return 0;
}

/* The space of files that become so long; nonzero if there is not enough. */
static int no_space(int fd, off64_t length) {
  struct stat about;
  long space = asked("LEDGER_FAULT_SPACE"), more = 0;
  if (!space || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
    return 0;
  }
  more = (long)length - (long)about.st_size;
  if (more > 0 && atomic_load(&taken) + more > space) {
    errno = ENOSPC;
    return 1;
  }
  (void)atomic_fetch_add(&taken, more);
  return 0;
}

static off64_t longer(int fd, off64_t end) {
  struct stat about;
  return fstat(fd, &about) == 0 && about.st_size > end ? about.st_size : end;
}

static int no_space_at(int fd, off64_t at, size_t size) {
  return no_space(fd, longer(fd, at + (off64_t)size));
}

static int give_back(const char *path) {
  struct stat about;
  const char *journal = strstr(path, "-journal");
  if (lstat(path, &about) == 0) {
    (void)atomic_fetch_sub(&taken, (long)about.st_size);
  }
  if (journal && atomic_fetch_add(&journals, 1) == 0) {
    atomic_store(&taken, asked("LEDGER_FAULT_SPACE"));
  }
  return 0;
}

static void stop_at_gate(const char *name, int fd, const char *path) {
  const char *gate = getenv("LEDGER_FAULT_GATE"), *at = getenv("LEDGER_FAULT_GATE_AT");
  char wanted[32] = "", end[200] = "", where[PLACE_SIZE];
  long count = 0;
  if (!gate || !at || sscanf(at, "%ld %31s %199s", &count, wanted, end) != 3 ||
      strcmp(wanted, name) != 0) {
    return;
  }
  find_place(fd, path, where);
  size_t length = strlen(where), tail = strlen(end);
  if (length >= tail && strcmp(where + length - tail, end) == 0 &&
      1 + atomic_fetch_add(&passed, 1) == count) {
    wait_at_gate(gate);
  }
}

static void after(const char *name, int fd, const char *path) {
  if (atomic_load(&calls) == asked("LEDGER_FAULT_KILL_AFTER")) {
    (void)raise(SIGKILL);
  }
  stop_at_gate(name, fd, path);
}

/* A stand-in for libc's `name`: counts, asks for space, calls the real one, counts the end. */
#define STAND_IN(type, name, parameters, arguments, fd, path, writes, full)                        \
  type name parameters;                                                                            \
  type name parameters {                                                                           \
    static type(*real) parameters;                                                                 \
    if (!real) {                                                                                   \
      *(void **)&real = dlsym(RTLD_NEXT, #name);                                                   \
    }                                                                                              \
    if (before(#name, fd, path, writes) || (full)) {                                               \
      return (type)-1;                                                                             \
    }                                                                                              \
    type result = real arguments;                                                                  \
    int reason = errno;                                                                            \
    after(#name, fd, path);                                                                        \
    errno = reason;                                                                                \
    return result;                                                                                 \
  }

STAND_IN(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size), fd, NULL, 1, 0)
STAND_IN(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at),
         fd, NULL, 1, no_space_at(fd, at, size))
STAND_IN(int, fsync, (int fd), (fd), fd, NULL, 1, 0)
STAND_IN(int, fdatasync, (int fd), (fd), fd, NULL, 1, 0)
STAND_IN(int, ftruncate, (int fd, off_t size), (fd, size), fd, NULL, 0, no_space(fd, size))
STAND_IN(int, fallocate, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size), fd, NULL,
         1, no_space_at(fd, at, (size_t)size))
STAND_IN(int, rename, (const char *from, const char *to), (from, to), -1, to, 0, 0)
STAND_IN(int, link, (const char *from, const char *to), (from, to), -1, to, 0, 0)
STAND_IN(int, unlink, (const char *path), (path), -1, path, 0, give_back(path))
#ifdef __GLIBC__ /* musl has one size of offsets */
STAND_IN(ssize_t, pwrite64, (int fd, const void *from, size_t size, off64_t at),
         (fd, from, size, at), fd, NULL, 1, no_space_at(fd, at, size))
STAND_IN(int, ftruncate64, (int fd, off64_t size), (fd, size), fd, NULL, 0, no_space(fd, size))
STAND_IN(int, fallocate64, (int fd, int mode, off64_t at, off64_t size), (fd, mode, at, size), fd,
         NULL, 1, no_space_at(fd, at, (size_t)size))
#endif
STAND_IN(int, fflush, (FILE * file), (file), file ? fileno(file) : -1, NULL, 1, 0)

time_t time(time_t *out) {
  struct timespec now;
  (void)clock_gettime(CLOCK_REALTIME, &now);
  time_t shown = now.tv_sec + asked("LEDGER_FAULT_CLOCK");
  if (out) {
    *out = shown;
  }
  return shown;
}
