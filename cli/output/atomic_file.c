/* Written beside its place, flushed to the disk, then renamed. */
#define _GNU_SOURCE /* realpath, asprintf */
#include "output/atomic_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/handles.h"
#include "output/message.h"

static dperm_status cannot_write(const char *path, int reason, dperm_error *err) {
  return fail(err, reason == EINTR ? DPERM_CANCELLED : DPERM_IO_ERROR, /* a pipe nobody reads */
              "%.512s: cannot write (%s); check the place, its permissions and free space",
              path ? path : "standard output", strerror(reason));
}

static void forget(atomic_file *file) {
  free(file->target);
  free(file->temporary);
  file->target = file->temporary = NULL;
}

bool atomic_file_plain(const char *path) {
  struct stat about;
  return path && strcmp(path, "-") != 0 && (stat(path, &about) != 0 || S_ISREG(about.st_mode));
}

dperm_status atomic_file_open(const char *path, atomic_file *out, dperm_error *err) {
  *out = (atomic_file){.stream = stdout};
  if (!path || strcmp(path, "-") == 0) {
    return DPERM_OK;
  }
  out->path = path;
  out->stream = NULL;
  if (!atomic_file_plain(path)) {
    out->stream = fopen(path, "w"); /* a device; a folder fails here */
    return out->stream ? DPERM_OK : cannot_write(path, errno, err);
  }
  TRY(dperm_output_check(path, err));
  out->target = realpath(path, NULL);
  out->target = out->target ? out->target : strdup(path);
  if (!out->target ||
      asprintf(&out->temporary, "%s.%lx.tmp", out->target, (unsigned long)getpid()) < 0) {
    out->temporary = NULL;
    forget(out);
    return cannot_write(path, ENOMEM, err);
  }
  out->stream = fopen(out->temporary, "w+x"); /* gnuplot.c looks at what it wrote */
  if (!out->stream) {
    int reason = errno;
    forget(out);
    return cannot_write(path, reason, err);
  }
  return DPERM_OK;
}

dperm_status atomic_file_commit(atomic_file *file, dperm_error *err) {
  bool good = fflush(file->stream) == 0 && !ferror(file->stream) &&
              (!file->temporary || fsync(fileno(file->stream)) == 0);
  int reason = errno;
  if (file->path && fclose(file->stream) != 0 && good) {
    good = false;
    reason = errno;
  }
  file->stream = NULL;
  if (good && file->temporary && rename(file->temporary, file->target) != 0) {
    good = false;
    reason = errno;
  }
  if (good) {
    forget(file);
    return DPERM_OK;
  }
  (void)cannot_write(file->path, reason, err);
  atomic_file_discard(file);
  return err->status;
}

void atomic_file_discard(atomic_file *file) {
  if (file->path && file->stream) {
    (void)fclose(file->stream);
  }
  if (file->temporary) {
    (void)unlink(file->temporary);
  }
  forget(file);
  *file = (atomic_file){0};
}
