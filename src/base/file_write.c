/* Atomic output by a temporary file in the same directory and rename(2). */
#define _GNU_SOURCE
#include "base/file_write.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

struct output_file {
  const char *name; /* for messages */
  FILE *stream;
  char *target;    /* where the file goes; NULL when written directly */
  char *temporary; /* where it is until then */
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
  if (file->temporary) {
    (void)unlink(file->temporary);
  }
  free(file->temporary);
  free(file->target);
  free(file);
}

/* A new file beside the target, with the permissions of a plain creation (mkstemp's 0600 would
 * stay) or of the file that is replaced, unless it is private. The name need not be secret, only
 * free: O_EXCL sees to that. */
static int create_beside(const char *target, bool private, char *name, size_t size) {
  const char *slash = strrchr(target, '/');
  int folder = slash ? (int)(slash - target) + 1 : 0;
  int fd = -1;
  errno = EEXIST;
  for (unsigned attempt = 0; fd < 0 && errno == EEXIST && attempt < 1000; attempt++) {
    (void)snprintf(name, size, "%.*s.%.200s.%lx-%x", folder, target, target + folder,
                   (unsigned long)getpid(), attempt);
    fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, private ? 0600 : 0666);
  }
  struct stat about;
  if (fd >= 0 && !private && stat(target, &about) == 0) {
    (void)fchmod(fd, about.st_mode & 07777);
  }
  return fd;
}

static dperm_status open_beside(output_file *file, bool private, dperm_error *err) {
  size_t size = strlen(file->target) + 48;
  TRY(memory_new(size, 1, &file->temporary, err));
  int fd = create_beside(file->target, private, file->temporary, size);
  if (fd < 0) {
    int reason = errno;
    free(file->temporary);
    file->temporary = NULL;
    return fail_write(file, reason, err);
  }
  file->stream = fdopen(fd, "wb");
  if (!file->stream) {
    int reason = errno;
    (void)close(fd);
    return fail_write(file, reason, err);
  }
  return DPERM_OK;
}

static dperm_status open_output(const char *path, bool private, output_file **out,
                                dperm_error *err) {
  dperm_status status = DPERM_OK;
  output_file *file = NULL;
  TRY(memory_new(1, sizeof *file, &file, err));
  struct stat about;
  if (!path || strcmp(path, "-") == 0) {
    file->name = "standard output";
    file->stream = stdout;
  } else if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
    file->name = path;
    file->stream = S_ISDIR(about.st_mode) ? NULL : fopen(path, "wbe");
    if (!file->stream) {
      TRY_OR_DONE(fail_write(file, S_ISDIR(about.st_mode) ? EISDIR : errno, err));
    }
  } else {
    file->name = path;
    file->target = realpath(path, NULL); /* through a symbolic link, to keep the link */
    if (!file->target) {
      TRY_OR_DONE(memory_copy_text(path, strlen(path), &file->target, err));
    }
    TRY_OR_DONE(open_beside(file, private, err));
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

/* After the rename, so that the new name survives a crash too. Not all file systems can. */
static void sync_folder_of(char *target) {
  int fd = open(dirname(target), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    (void)fsync(fd);
    (void)close(fd);
  }
}

dperm_status output_commit(output_file *file, dperm_error *err) {
  dperm_status status = DPERM_OK;
  if (fflush(file->stream) != 0) {
    TRY_OR_DONE(fail_write(file, errno, err));
  }
  if (!file->target) {
    goto done;
  }
  if (fsync(fileno(file->stream)) != 0) {
    TRY_OR_DONE(fail_write(file, errno, err));
  }
  int closed = fclose(file->stream);
  file->stream = NULL;
  if (closed != 0 || rename(file->temporary, file->target) != 0) {
    TRY_OR_DONE(fail_write(file, errno, err));
  }
  free(file->temporary);
  file->temporary = NULL;
  sync_folder_of(file->target);
done:
  release(file);
  return status;
}

void output_discard(output_file *file) {
  if (file) {
    release(file);
  }
}
