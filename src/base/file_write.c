/* Atomic output by a temporary file in the same directory and rename(2). */
#define _GNU_SOURCE
#include "base/file_write.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/protected_file.h"

struct output_file {
  const char *name; /* for messages */
  FILE *stream;
  char *target;    /* where the file goes; NULL when written directly */
  char *temporary; /* space for the name of the file beside it */
  bool named;      /* the file has that name: until then, a program that is killed leaves nothing */
  bool reserved;   /* it is longer than what is written */
  char *memory;    /* what stream holds, of an output in memory */
  size_t length;
};

static dperm_status fail_write(const output_file *file, int reason, dperm_error *err) {
  FAIL(err, DPERM_IO_ERROR,
       "%s: cannot write (%s); check the place, its permissions and free space", file->name,
       strerror(reason));
}

static void release(output_file *file) {
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

/* ---- what can be known beforehand: each returns the errno of the failure, or 0 */

enum { FIXED = 1, MOUNTED = 2 }; /* it may only grow, or not even that; a file mounted alone */

static int attributes_of(const char *path) {
  int found = 0;
#ifdef __linux__
  struct statx about;
  if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, 0, &about) == 0) {
    found |= about.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND) ? FIXED : 0;
    found |= about.stx_attributes & STATX_ATTR_MOUNT_ROOT ? MOUNTED : 0;
  }
#else
  (void)path;
#endif
  return found;
}

/* Whether a rename to the target would be refused, even where a file beside it can be made. */
static int rename_trouble(const char *target) {
  struct stat about, around = {0};
  char *copy = strdup(target);
  const char *folder = copy ? dirname(copy) : "";
  bool fixed = attributes_of(folder) & FIXED;
  int reason = stat(folder, &around) == 0 ? 0 : errno;
  free(copy);
  if (reason != 0 || fixed) {
    return reason ? reason : EPERM;
  }
  if (lstat(target, &about) != 0) {
    return errno == ENOENT ? 0 : errno; /* a name that is too long, say */
  }
  int attributes = attributes_of(target);
  bool theirs = about.st_uid != geteuid() && around.st_uid != geteuid() && geteuid() != 0;
  if ((attributes & FIXED) || ((around.st_mode & S_ISVTX) && theirs)) {
    return EPERM;
  }
  return attributes & MOUNTED ? EBUSY : 0;
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

/* The name beside the target; it need not be secret, only free. */
static void name_beside(const char *target, unsigned attempt, char *name, size_t size) {
  const char *slash = strrchr(target, '/');
  int folder = slash ? (int)(slash - target) + 1 : 0;
  (void)snprintf(name, size, "%.*s.%.200s.%lx-%x", folder, target, target + folder,
                 (unsigned long)getpid(), attempt);
}

static size_t name_size(const char *target) {
  return strlen(target) + 48;
}

/* A new file beside the target under a name of its own; O_EXCL sees that it is free. */
static int create_named(const char *target, int mode, char *name, size_t size) {
  int fd = -1;
  errno = EEXIST;
  for (unsigned attempt = 0; fd < 0 && errno == EEXIST && attempt < 1000; attempt++) {
    name_beside(target, attempt, name, size);
    fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  }
  return fd;
}

/* A file in the same folder without a name, where the system has such and can name it later. */
static int create_unnamed(const char *target, int mode) {
  int fd = -1;
#ifdef O_TMPFILE
  char *copy = strdup(target), link[40];
  fd = copy ? open(dirname(copy), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode) : -1;
  (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (fd >= 0 && access(link, F_OK) != 0) {
    (void)close(fd);
    fd = -1;
  }
  free(copy);
#else
  (void)target;
  (void)mode;
#endif
  return fd;
}

/* Its name, just before the rename: a link cannot replace the target. */
static int give_name(output_file *file) {
  char link[40];
  int failed = -1;
  (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fileno(file->stream));
  errno = EEXIST;
  for (unsigned attempt = 0; failed != 0 && errno == EEXIST && attempt < 1000; attempt++) {
    name_beside(file->target, attempt, file->temporary, name_size(file->target));
    failed = linkat(AT_FDCWD, link, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW);
  }
  file->named = failed == 0;
  return failed;
}

/* With the permissions of a plain creation or of the file that is replaced, unless it is private.
 */
static dperm_status open_beside(output_file *file, bool private, dperm_error *err) {
  struct stat about;
  int mode = private ? 0600 : 0666;
  TRY(memory_new(name_size(file->target), 1, &file->temporary, err));
  int fd = create_unnamed(file->target, mode);
  if (fd < 0) {
    fd = create_named(file->target, mode, file->temporary, name_size(file->target));
    file->named = fd >= 0;
  }
  if (fd < 0) {
    return fail_write(file, errno, err);
  }
  if (!private && stat(file->target, &about) == 0) {
    (void)fchmod(fd, about.st_mode & 07777);
  }
  file->stream = fdopen(fd, "wb");
  if (!file->stream) {
    int reason = errno;
    (void)close(fd);
    return fail_write(file, reason, err);
  }
  return DPERM_OK;
}

/* Only a file that is known to be a ledger is refused: a redirection may give us one that we cannot
 * read. */
static dperm_status open_stdout(output_file *file, dperm_error *err) {
  int reason = stream_trouble(STDOUT_FILENO);
  file->name = "standard output";
  file->stream = stdout;
  if (reason) {
    return fail_write(file, reason, err);
  }
  dperm_status status = protected_file_check("/proc/self/fd/1", file->name, err);
  return status == DPERM_INVALID_ARGUMENT ? status : DPERM_OK;
}

/* A device, a pipe with a name; a folder fails. */
static dperm_status open_directly(output_file *file, bool folder, dperm_error *err) {
  file->stream = folder ? NULL : fopen(file->name, "wbe");
  if (!file->stream && !folder && errno == EINTR) { /* a pipe without a reader */
    FAIL(err, DPERM_CANCELLED, "%s: stopped on request while opening; nothing was written",
         file->name);
  }
  if (!file->stream) {
    return fail_write(file, folder ? EISDIR : errno, err);
  }
  int reason = stream_trouble(fileno(file->stream));
  return reason ? fail_write(file, reason, err) : DPERM_OK;
}

/* The rename would replace it, and the file not be where the link says. */
dperm_status output_link_check(const char *path, dperm_error *err) {
  struct stat about;
  if (lstat(path, &about) == 0 && S_ISLNK(about.st_mode) && stat(path, &about) != 0) {
    FAIL(err, DPERM_IO_ERROR,
         "%s: a symbolic link to a file that is not there; remove the link, or name the file "
         "itself",
         path);
  }
  return DPERM_OK;
}

static dperm_status open_output(const char *path, bool private, output_file **out,
                                dperm_error *err) {
  dperm_status status = DPERM_OK;
  output_file *file = NULL;
  TRY(memory_new(1, sizeof *file, &file, err));
  struct stat about;
  file->name = path;
  if (!path || strcmp(path, "-") == 0) {
    TRY_OR_DONE(open_stdout(file, err));
  } else if (*path && path[strlen(path) - 1] == '/') { /* a folder, there or not */
    TRY_OR_DONE(fail_write(file, EISDIR, err));
  } else if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
    TRY_OR_DONE(open_directly(file, S_ISDIR(about.st_mode), err));
  } else {
    TRY_OR_DONE(protected_file_check(path, path, err));
    TRY_OR_DONE(output_link_check(path, err));
    file->target = realpath(path, NULL); /* through a symbolic link, to keep the link */
    if (!file->target) {
      TRY_OR_DONE(memory_copy_text(path, strlen(path), &file->target, err));
    }
    int reason = rename_trouble(file->target);
    TRY_OR_DONE(reason ? fail_write(file, reason, err) : open_beside(file, private, err));
  }
  *out = file;
  return DPERM_OK;
done:
  release(file);
  return status;
}

dperm_status output_open(const char *path, output_file **out, dperm_error *err) {
  return open_output(path, false, out, err);
}

dperm_status output_open_private(const char *path, output_file **out, dperm_error *err) {
  return open_output(path, true, out, err);
}

dperm_status output_open_memory(output_file **out, dperm_error *err) {
  output_file *file = NULL;
  TRY(memory_new(1, sizeof *file, &file, err));
  file->name = "memory";
  file->stream = open_memstream(&file->memory, &file->length);
  if (!file->stream) {
    release(file);
    FAIL(err, DPERM_OUT_OF_MEMORY, "out of memory while writing");
  }
  *out = file;
  return DPERM_OK;
}

dperm_status output_take(output_file *file, char **bytes, size_t *length, dperm_error *err) {
  int closed = fclose(file->stream);
  file->stream = NULL;
  if (closed == 0) {
    *bytes = file->memory;
    *length = file->length;
    file->memory = NULL;
  }
  release(file);
  if (closed != 0) {
    FAIL(err, DPERM_OUT_OF_MEMORY, "out of memory while writing");
  }
  return DPERM_OK;
}

/* Blocks of the file system for all bytes; the file is that long until the commit. Without
 * fallocate the C library writes them, and only a flush shows whether there is space. */
static int take_blocks(int fd, size_t bytes) {
#ifdef __linux__
  if (fallocate(fd, 0, 0, (off_t)bytes) == 0) {
    return 0;
  }
  if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINTR) {
    return errno;
  }
#endif
  int reason = posix_fallocate(fd, 0, (off_t)bytes);
  if (reason == EOPNOTSUPP || reason == EINVAL) {
    return 0;
  }
  return reason == 0 && fsync(fd) != 0 ? errno : reason;
}

dperm_status output_reserve(output_file *file, size_t bytes, dperm_error *err) {
  int fd = fileno(file->stream), reason = size_trouble(fd, bytes);
  if (reason == 0 && file->target && bytes > 0) {
    reason = take_blocks(fd, bytes);
    file->reserved = true;
  }
  return reason ? fail_write(file, reason, err) : DPERM_OK;
}

const char *output_temporary(const output_file *file) {
  return file->named ? file->temporary : NULL;
}

dperm_status output_write(output_file *file, const char *bytes, size_t length, dperm_error *err) {
  if (fwrite(bytes, 1, length, file->stream) != length) {
    return fail_write(file, errno, err);
  }
  return DPERM_OK;
}

void output_start_flushing(output_file *file) {
#ifdef __linux__
  if (file->target && fflush(file->stream) == 0) {
    (void)sync_file_range(fileno(file->stream), 0, 0, SYNC_FILE_RANGE_WRITE);
  }
#else
  (void)file;
#endif
}

void file_sync_folder(const char *path) {
  char *copy = strdup(path);
  int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd >= 0) {
    (void)fsync(fd);
    (void)close(fd);
  }
  free(copy);
}

dperm_status output_commit(output_file *file, dperm_error *err) {
  dperm_status status = DPERM_OK;
  if (fflush(file->stream) != 0) {
    TRY_OR_DONE(fail_write(file, errno, err));
  }
  if (!file->target) {
    goto done;
  }
  if (file->reserved && ftruncate(fileno(file->stream), ftello(file->stream)) != 0) {
    TRY_OR_DONE(fail_write(file, errno, err));
  }
  if (fsync(fileno(file->stream)) != 0) {
    TRY_OR_DONE(fail_write(file, errno, err));
  }
  status = protected_file_check(file->target, file->name, err);
  if (status != DPERM_OK) { /* it was made meanwhile: no longer wrong usage */
    status = DPERM_IO_ERROR;
    if (err) {
      err->status = status;
    }
    goto done;
  }
  if (!file->named && give_name(file) != 0) {
    TRY_OR_DONE(fail_write(file, errno, err));
  }
  int closed = fclose(file->stream);
  file->stream = NULL;
  if (closed != 0 || rename(file->temporary, file->target) != 0) {
    TRY_OR_DONE(fail_write(file, errno, err));
  }
  file->named = false;
  file_sync_folder(file->target);
done:
  release(file);
  return status;
}

void output_discard(output_file *file) {
  if (file) {
    release(file);
  }
}
