/* Atomic output by a temporary file in the same directory and rename(2). */
#define _GNU_SOURCE
#include "base/file_write.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/memory.h"

struct output_file {
  const char *name; /* for messages */
  FILE *stream;
  char *target;    /* where the file goes; NULL when written directly */
  char *temporary; /* space for the name of the file beside it, */
  bool named;      /* which is there */
  bool reserved;   /* it is longer than what is written */
  char *memory;    /* what stream holds, of an output in memory */
  size_t length;
};

/* Fails with errno unless all is well. */
static dperm_status written(const output_file *file, bool well, dperm_error *err) {
  FAIL_IF(!well, err, DPERM_IO_ERROR,
          "%s: cannot write (%s); check the place, its permissions and free space", file->name,
          strerror(errno));
  return DPERM_OK;
}

/* The same with the errno of a failure, or 0. */
static dperm_status check_trouble(const output_file *file, int reason, dperm_error *err) {
  errno = reason;
  return written(file, reason == 0, err);
}

void output_discard(output_file *file) {
  if (!file) {
    return;
  }
  if (file->stream && file->stream != stdout) {
    (void)fclose(file->stream);
  }
  if (file->named) {
    (void)unlink(file->temporary);
  }
  free(file->memory); /* which closing the stream has brought up to date */
  free(file->temporary);
  free(file->target);
  free(file);
}

/* ---- ledgers. One is known by its first bytes, so that one that no argument names is not replaced
 * either; SQLite's own files by their names, a ledger's and a suffix */

/* SQLite's header: 16 bytes of magic, and the application's mark at 68 (ledger/store.h). */
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

/* ---- what can be known beforehand: each returns the errno of the failure, or 0 */

/* Whether the system keeps a file or folder as it is: EPERM if it may only grow, or not even that;
 * EBUSY for a file mounted alone. Without statx (musl before 1.2.5) the rename finds out. */
static int fixed_trouble(const char *path, bool folder) {
#ifdef STATX_ATTR_MOUNT_ROOT
  struct statx about;
  if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, 0, &about) == 0) {
    bool mounted = !folder && (about.stx_attributes & STATX_ATTR_MOUNT_ROOT);
    bool fixed = about.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND);
    return fixed ? EPERM : mounted ? EBUSY : 0;
  }
#endif
  return 0;
}

/* The folder that a file is or will be in, of *copy, the caller's; "" for want of memory. */
static const char *folder_of(const char *path, char **copy) {
  return memory_copy_text(path, strlen(path), copy, NULL) == DPERM_OK ? dirname(*copy) : "";
}

/* Whether a rename to the target would be refused, even where a file beside it can be made. */
static int rename_trouble(const char *target) {
  OWNED_MEMORY char *copy = NULL;
  const char *folder = folder_of(target, &copy);
  struct stat about, around;
  if (stat(folder, &around) != 0) {
    return errno;
  }
  int reason = fixed_trouble(folder, true);
  if (reason || lstat(target, &about) != 0) {
    return reason ? reason : errno == ENOENT ? 0 : errno; /* a name that is too long, say */
  }
  bool theirs = about.st_uid != geteuid() && around.st_uid != geteuid() && geteuid() != 0;
  return (around.st_mode & S_ISVTX) && theirs ? EPERM : fixed_trouble(target, false);
}

/* Whether what is written directly is closed, read-only, a pipe without a reader, or full. */
static int stream_trouble(int fd) {
  struct stat about;
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fstat(fd, &about) != 0) {
    return errno;
  }
  if ((flags & O_ACCMODE) == O_RDONLY) {
    return EBADF;
  }
  if (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode)) {
    struct pollfd asked = {.fd = fd, .events = POLLOUT};
    return poll(&asked, 1, 0) > 0 && (asked.revents & (POLLERR | POLLNVAL)) ? EPIPE : 0;
  }
  if (S_ISCHR(about.st_mode) && write(fd, "", 0) < 0 && errno != EAGAIN && errno != EINTR) {
    return errno;
  }
  return 0;
}

/* Whether so many bytes more would pass the limit on the size of files, or the free space. */
static int size_trouble(int fd, size_t bytes) {
  struct stat about;
  struct statvfs place;
  struct rlimit limit;
  if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
    return 0;
  }
  bool appends = (fcntl(fd, F_GETFL) & O_APPEND) != 0;
  off_t at = appends ? about.st_size : lseek(fd, 0, SEEK_CUR);
  double end = (double)(at > 0 ? at : 0) + (double)bytes;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      end > (double)limit.rlim_cur) {
    return EFBIG;
  }
  bool full = fstatvfs(fd, &place) == 0 && place.f_blocks > 0 && end > (double)about.st_size &&
              end - (double)about.st_size > (double)place.f_bavail * (double)place.f_frsize;
  return full ? ENOSPC : 0;
}

/* ---- opening */

static size_t name_size(const char *target) {
  return strlen(target) + 48;
}

/* A new file beside the target. Its name need not be secret, only free: O_EXCL sees to it. */
static int create_beside(output_file *file, int mode) {
  const char *slash = strrchr(file->target, '/');
  int folder = slash ? (int)(slash - file->target) + 1 : 0, fd = -1;
  errno = EEXIST;
  for (unsigned attempt = 0; fd < 0 && errno == EEXIST && attempt < 1000; attempt++) {
    (void)snprintf(file->temporary, name_size(file->target), "%.*s.%.200s.%lx-%x", folder,
                   file->target, file->target + folder, (unsigned long)getpid(), attempt);
    fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  }
  file->named = fd >= 0;
  return fd;
}

/* With the permissions of a plain creation or of what is replaced, unless it is private. */
static dperm_status open_beside(output_file *file, bool private, dperm_error *err) {
  struct stat about;
  int mode = private ? 0600 : 0666;
  TRY(memory_new(name_size(file->target), 1, &file->temporary, err));
  int fd = create_beside(file, mode);
  TRY(written(file, fd >= 0, err));
  if (!private && stat(file->target, &about) == 0) {
    (void)fchmod(fd, about.st_mode & 07777);
  }
  file->stream = fdopen(fd, "wb");
  if (!file->stream) {
    int reason = errno;
    (void)close(fd);
    return check_trouble(file, reason, err);
  }
  return DPERM_OK;
}

/* Only what is known to be a ledger is refused: a redirection may be to a file we cannot read. */
static dperm_status open_stdout(output_file *file, dperm_error *err) {
  file->name = "standard output";
  file->stream = stdout;
  TRY(check_trouble(file, stream_trouble(STDOUT_FILENO), err));
  dperm_status status = protected_file_check("/proc/self/fd/1", file->name, err);
  return status == DPERM_INVALID_ARGUMENT ? status : DPERM_OK;
}

/* A device, a pipe with a name; a folder fails. */
static dperm_status open_directly(output_file *file, bool folder, dperm_error *err) {
  file->stream = folder ? NULL : fopen(file->name, "wbe");
  /* a pipe without a reader waits for one */
  FAIL_IF(!file->stream && !folder && errno == EINTR, err, DPERM_CANCELLED,
          "%s: stopped on request while opening; nothing was written", file->name);
  errno = folder ? EISDIR : errno;
  TRY(written(file, file->stream != NULL, err));
  return check_trouble(file, stream_trouble(fileno(file->stream)), err);
}

/* The rename would replace it, and the file not be where the link says. */
dperm_status output_link_check(const char *path, dperm_error *err) {
  struct stat about;
  FAIL_IF(lstat(path, &about) == 0 && S_ISLNK(about.st_mode) && stat(path, &about) != 0, err,
          DPERM_IO_ERROR,
          "%s: a symbolic link to a file that is not there; remove the link, or name the file "
          "itself",
          path);
  return DPERM_OK;
}

dperm_status output_open(const char *path, bool private, output_file **out, dperm_error *err) {
  OWNED(output_discard_at) output_file *file = NULL;
  TRY(memory_new(1, sizeof *file, &file, err));
  struct stat about;
  file->name = path;
  if (!path || strcmp(path, "-") == 0) {
    TRY(open_stdout(file, err));
  } else if (*path && path[strlen(path) - 1] == '/') { /* a folder, there or not */
    return check_trouble(file, EISDIR, err);
  } else if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
    TRY(open_directly(file, S_ISDIR(about.st_mode), err));
  } else {
    TRY(protected_file_check(path, path, err));
    TRY(output_link_check(path, err));
    file->target = realpath(path, NULL); /* through a symbolic link, to keep the link */
    if (!file->target) {
      TRY(memory_copy_text(path, strlen(path), &file->target, err));
    }
    TRY(check_trouble(file, rename_trouble(file->target), err));
    TRY(open_beside(file, private, err));
  }
  *out = TAKE(file);
  return DPERM_OK;
}

dperm_status output_open_memory(output_file **out, dperm_error *err) {
  OWNED(output_discard_at) output_file *file = NULL;
  TRY(memory_new(1, sizeof *file, &file, err));
  file->name = "memory";
  file->stream = open_memstream(&file->memory, &file->length);
  FAIL_IF(!file->stream, err, DPERM_OUT_OF_MEMORY, "out of memory while writing");
  *out = TAKE(file);
  return DPERM_OK;
}

dperm_status output_take(output_file *given, char **bytes, size_t *length, dperm_error *err) {
  OWNED(output_discard_at) output_file *file = given;
  int closed = fclose(file->stream);
  file->stream = NULL;
  FAIL_IF(closed != 0, err, DPERM_OUT_OF_MEMORY, "out of memory while writing");
  *bytes = TAKE(file->memory);
  *length = file->length;
  return DPERM_OK;
}

/* Blocks of the file system for all bytes; the file is that long until the commit. Without
 * fallocate the C library writes them, and only a flush shows whether there is space. */
static int take_blocks(int fd, size_t bytes) {
  int reason = fallocate(fd, 0, 0, (off_t)bytes) == 0 ? 0 : errno;
  if (reason == EOPNOTSUPP || reason == ENOSYS || reason == EINTR) {
    reason = posix_fallocate(fd, 0, (off_t)bytes);
    reason = reason == 0 && fsync(fd) != 0 ? errno : reason;
  }
  return reason == EOPNOTSUPP || reason == EINVAL ? 0 : reason;
}

dperm_status output_reserve(output_file *file, size_t bytes, dperm_error *err) {
  int fd = fileno(file->stream), reason = size_trouble(fd, bytes);
  if (reason == 0 && file->target && bytes > 0) {
    reason = take_blocks(fd, bytes);
    file->reserved = true;
  }
  return check_trouble(file, reason, err);
}

/* It has a name for a moment. */
static int create_nameless(const char *beside) {
  char *made = NULL;
  OWNED_MEMORY char *name = asprintf(&made, "%s.XXXXXX", beside) < 0 ? NULL : made;
  int fd = name ? mkostemp(name, O_CLOEXEC) : -1;
  if (fd >= 0) {
    (void)unlink(name);
  }
  return fd;
}

int space_hold(const char *beside, size_t bytes, int *fd) {
  *fd = *fd < 0 ? create_nameless(beside) : *fd;
  if (*fd < 0) {
    return errno;
  }
  int reason = size_trouble(*fd, bytes);
  return reason ? reason : take_blocks(*fd, bytes);
}

const char *output_temporary(const output_file *file) {
  return file->named ? file->temporary : NULL;
}

dperm_status output_write(output_file *file, const char *bytes, size_t length, dperm_error *err) {
  return written(file, fwrite(bytes, 1, length, file->stream) == length, err);
}

void file_sync_folder(const char *path) {
  OWNED_MEMORY char *copy = NULL;
  int fd = open(folder_of(path, &copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    (void)fsync(fd);
    (void)close(fd);
  }
}

dperm_status output_commit(output_file *given, dperm_error *err) {
  OWNED(output_discard_at) output_file *file = given;
  TRY(written(file, fflush(file->stream) == 0, err));
  if (!file->target) {
    return DPERM_OK;
  }
  int fd = fileno(file->stream);
  bool cut = !file->reserved || ftruncate(fd, ftello(file->stream)) == 0;
  TRY(written(file, cut && fsync(fd) == 0, err));
  if (protected_file_check(file->target, file->name, err) != DPERM_OK) {
    if (err) { /* it was made meanwhile: no longer wrong usage */
      err->status = DPERM_IO_ERROR;
    }
    return DPERM_IO_ERROR;
  }
  int closed = fclose(file->stream);
  file->stream = NULL;
  TRY(written(file, closed == 0 && rename(file->temporary, file->target) == 0, err));
  file->named = false;
  file_sync_folder(file->target);
  return DPERM_OK;
}
