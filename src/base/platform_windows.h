/* What Windows has under other names, or otherwise, under the names of POSIX. The build includes it
 * in front of every file there, and nowhere else (CMakeLists.txt); headers that Windows has not got
 * are empty ones of the build. Paths are UTF-8, with either slash; files are bytes, never texts.
 * What Windows cannot do fails, with ENOSYS, or says that it does nothing (docs/platforms.md).
 */
#pragma once

#define _GNU_SOURCE /* before any header, as some sources have it before theirs */
#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <libgen.h>
#include <limits.h>
#include <locale.h>
#include <process.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define tell tell_people /* a name that <io.h> has, too */

/* ---- files. Others may rename and unlink one that is open, as everywhere else */

#define O_CLOEXEC 0 /* no program is started with our files */
#define O_NONBLOCK 0
#define O_NOCTTY 0
#define O_DIRECTORY 0x1000000
#define S_IFLNK 0xa000
#define S_ISLNK(mode) (((mode)&S_IFMT) == S_IFLNK)
#define S_ISSOCK(mode) false
#define S_ISVTX 0
#define ino_t uint64_t
#define dev_t uint64_t

/* st_uid is 0, which is who asks, if the file is theirs. Of st_mode, bits of others are set if its
 * list of access rights lets anybody in but its owner, the system and administrators, or if there
 * is no list. */
struct windows_stat {
  dev_t st_dev;
  ino_t st_ino;
  unsigned st_mode, st_nlink, st_uid;
  off_t st_size;
  struct timespec st_mtim, st_ctim;
};
#define stat windows_stat
#define fstat windows_fstat
#define lstat windows_lstat
int windows_stat(const char *path, struct windows_stat *about);
int windows_lstat(const char *path, struct windows_stat *about);
int windows_fstat(int fd, struct windows_stat *about);
static inline unsigned geteuid(void) {
  return 0;
}

/* A new file with a mode of 0600 is its owner's alone, others have the rights of their folder. */
#define open windows_open
int windows_open(const char *path, int flags, ...);
#define mkostemp windows_mkostemp /* of which nothing is left once it is closed */
int windows_mkostemp(char *path, int flags);
#define fchmod windows_fchmod /* to 0600 and the like; else nothing */
int windows_fchmod(int fd, unsigned mode);
#define fopen windows_fopen
FILE *windows_fopen(const char *path, const char *mode);
#define unlink windows_unlink
int windows_unlink(const char *path);
#define rename windows_rename
int windows_rename(const char *from, const char *to);
#define mkdir(path, mode) windows_mkdir(path)
int windows_mkdir(const char *path);
#define access windows_access
int windows_access(const char *path, int how);
#define realpath windows_realpath
char *windows_realpath(const char *path, char *out);
#define dirname windows_dirname
char *windows_dirname(char *path);
/* Where others look for the last slash. */
char *windows_last_separator(const char *path);
#define strrchr(text, c) ((c) == '/' ? windows_last_separator(text) : (strrchr)(text, c))

#define AT_FDCWD 0
#define RENAME_NOREPLACE 1
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags);
static inline int link(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

#define read windows_read
ssize_t windows_read(int fd, void *bytes, size_t count);
#define write windows_write
ssize_t windows_write(int fd, const void *bytes, size_t count);
ssize_t pread(int fd, void *bytes, size_t count, off_t at);
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at);
#define dup windows_dup
int windows_dup(int fd);
#define ftruncate windows_set_size
int windows_set_size(int fd, off_t size);
#define fsync _commit
#define fdatasync _commit
int posix_fallocate(int fd, off_t from, off_t count); /* returns an errno */
static inline int fallocate(int fd, int mode, off_t from, off_t count) {
  (void)mode; /* 0, the only use */
  errno = posix_fallocate(fd, from, count);
  return errno ? -1 : 0;
}

#define LOCK_EX 2
#define LOCK_NB 4
int flock(int fd, int how); /* LOCK_EX | LOCK_NB, the only use */

#define F_GETFD 1
#define F_GETFL 3
int fcntl(int fd, int what, ...); /* whether it is open, as for reading and writing */

/* Attributes of files are alternate streams, where the file system has them. */
ssize_t getxattr(const char *path, const char *name, void *value, size_t size);
int setxattr(const char *path, const char *name, const void *value, size_t size, int flags);

struct statvfs {
  uint64_t f_blocks, f_bavail, f_frsize;
};
int fstatvfs(int fd, struct statvfs *out);

/* No limit on the size of files. */
#define RLIMIT_FSIZE 1
#define RLIM_INFINITY UINT64_MAX
struct rlimit {
  uint64_t rlim_cur;
};
static inline int getrlimit(int what, struct rlimit *out) {
  (void)what;
  out->rlim_cur = RLIM_INFINITY;
  return 0;
}

/* A pipe whose reader has gone is found out by writing. */
#define POLLOUT 4
#define POLLERR 8
#define POLLNVAL 32
struct pollfd {
  int fd;
  short events, revents;
};
static inline int poll(struct pollfd *asked, unsigned count, int milliseconds) {
  (void)asked, (void)count, (void)milliseconds;
  return 0;
}

#define PROT_READ 1
#define MAP_SHARED 1
#define MAP_FAILED ((void *)-1)
void *mmap(void *where, size_t size, int rights, int flags, int fd, off_t from);
int munmap(void *place, size_t size);

/* ---- streams */

/* A file that is gone when it is closed holds the bytes until then. */
FILE *open_memstream(char **bytes, size_t *length);
#define fclose windows_fclose
int windows_fclose(FILE *stream);
ssize_t getdelim(char **line, size_t *capacity, int end, FILE *stream);
#define getline(line, capacity, stream) getdelim(line, capacity, '\n', stream)

static inline char *stpcpy(char *to, const char *from) {
  const size_t length = strlen(from);
  return (char *)memcpy(to, from, length + 1) + length;
}

/* ---- the machine */

ssize_t getrandom(void *bytes, size_t count, unsigned flags);

#define _SC_PAGESIZE 1
#define _SC_PHYS_PAGES 2
long sysconf(int what);

/* avx2, fma, avx512f: that the processor has it, and the system keeps its registers. */
#define __builtin_cpu_supports windows_cpu_supports
bool windows_cpu_supports(const char *what);

#define CPU_SETSIZE 1024
#define CPU_COUNT(set) ((set)->count)
typedef struct cpu_set_t {
  int count;
} cpu_set_t;
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);

/* ---- locales: one is that of C, or what uselocale(that) has replaced for this thread */

#define LC_ALL_MASK 0
typedef char *locale_t;
locale_t newlocale(int mask, const char *name, locale_t base);
locale_t uselocale(locale_t locale);
double strtod_l(const char *text, char **end, locale_t locale);

/* ---- signals: Ctrl-C, Ctrl-Break and a closed window; a page of a mapped file that is lost. No
 * others come. */

#define SIGHUP SIGBREAK
enum { SIGQUIT = 100, SIGXCPU, SIGUSR1, SIGUSR2, SIGXFSZ, SIGALRM, SIGBUS, SIGPIPE };
#define SA_RESETHAND 1
#define SA_RESTART 2
typedef int sigset_t;
struct sigaction {
  void (*sa_handler)(int);
  int sa_flags;
  sigset_t sa_mask;
};
#define sigemptyset(set) ((void)(set))
#define sigfillset(set) ((void)(set))
#define sigdelset(set, number) ((void)(set), 0)
#undef pthread_sigmask
#define pthread_sigmask(how, set, before) ((void)(set), (void)(before))
int sigaction(int number, const struct sigaction *action, struct sigaction *before);
int pause(void);
static inline unsigned alarm(unsigned seconds) {
  (void)seconds; /* a word for the screen waits for it, and does not come */
  return 0;
}

/* Nothing forks. */
#undef pthread_atfork
static inline int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void)) {
  (void)before, (void)parent, (void)child;
  return 0;
}

/* ---- other programs: the lines that are run are for a shell of POSIX, and fail */

#define system windows_no_shell
int windows_no_shell(const char *line);
#undef popen
#undef pclose
#define popen windows_no_pipe
FILE *windows_no_pipe(const char *line, const char *mode);
#define pclose fclose
#define mkdtemp windows_mkdtemp
char *windows_mkdtemp(char *path);
#define WIFEXITED(status) true
#define WEXITSTATUS(status) (status)

/* ---- the command's arguments and its environment, as UTF-8 */

#define getenv windows_getenv
char *windows_getenv(const char *name);
char **windows_arguments(int count, wchar_t **wide);
#define main(count, list)                                                                          \
  command_main(count, list);                                                                       \
  int wmain(int number, wchar_t **wide);                                                           \
  int wmain(int number, wchar_t **wide) {                                                          \
    return command_main(number, windows_arguments(number, wide));                                  \
  }                                                                                                \
  int command_main(count, list)
