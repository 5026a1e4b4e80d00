/* Atomic output by a temporary file in the same directory and rename(2). */
#define _GNU_SOURCE
#include "base/file_write.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
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

/* The permissions a plain creation would give; those of the file that is replaced, if any. */
static mode_t wanted_mode(const char *target) {
  struct stat about;
  if (stat(target, &about) == 0) {
    return about.st_mode & 07777;
  }
  mode_t mask = umask(0);
  (void)umask(mask);
  return 0666 & ~mask;
}

/* Opens a temporary file beside file->target. */
static dperm_status open_beside(output_file *file, dperm_error *err) {
  size_t length = strlen(file->target);
  TRY(memory_new(length + 16, 1, &file->temporary, err));
  const char *slash = strrchr(file->target, '/');
  size_t folder = slash ? (size_t)(slash - file->target) + 1 : 0;
  (void)snprintf(file->temporary, length + 16, "%.*s.%s.XXXXXX", (int)folder, file->target,
                 file->target + folder);
  int fd = mkostemp(file->temporary, O_CLOEXEC);
  if (fd < 0) {
    int reason = errno;
    free(file->temporary);
    file->temporary = NULL;
    return fail_write(file, reason, err);
  }
  (void)fchmod(fd, wanted_mode(file->target));
  file->stream = fdopen(fd, "wb");
  if (!file->stream) {
    (void)close(fd);
    return fail_write(file, errno, err);
  }
  return DPERM_OK;
}

dperm_status output_open(const char *path, output_file **out, dperm_error *err) {
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
    TRY_OR_DONE(open_beside(file, err));
  }
  *out = file;
  return DPERM_OK;
done:
  release(file);
  return status;
}

dperm_status output_write(output_file *file, const char *bytes, size_t length, dperm_error *err) {
  if (fwrite(bytes, 1, length, file->stream) != length) {
    return fail_write(file, errno, err);
  }
  return DPERM_OK;
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
