/* Written beside its place, flushed to the disk, then renamed. */
#define _GNU_SOURCE /* realpath */
#include "whole_file.h"

#include <dperm.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(const char *path, int reason) {
  fprintf(stderr, "dperm: %s: cannot write (%s); check the place, its permissions and free space\n",
          path ? path : "standard output", strerror(reason));
  return false;
}

static void forget(whole_file *file) {
  free(file->target);
  free(file->temporary);
  file->target = file->temporary = NULL;
}

bool whole_file_plain(const char *path) {
  struct stat about;
  return path && strcmp(path, "-") != 0 && (stat(path, &about) != 0 || S_ISREG(about.st_mode));
}

bool whole_file_open(const char *path, whole_file *out) {
  *out = (whole_file){.stream = stdout};
  if (!path || strcmp(path, "-") == 0) {
    return true;
  }
  out->path = path;
  out->stream = NULL;
  if (!whole_file_plain(path)) {
    out->stream = fopen(path, "w"); /* a device; a folder fails here */
    return out->stream ? true : fail(path, errno);
  }
  dperm_error err;
  if (dperm_output_check(path, &err) != DPERM_OK) {
    fprintf(stderr, "dperm: %s\n", err.message);
    return false;
  }
  out->target = realpath(path, NULL);
  out->target = out->target ? out->target : strdup(path);
  size_t size = (out->target ? strlen(out->target) : 0) + 32;
  out->temporary = malloc(size);
  if (!out->target || !out->temporary) {
    forget(out);
    return fail(path, ENOMEM);
  }
  (void)snprintf(out->temporary, size, "%s.%lx.tmp", out->target, (unsigned long)getpid());
  out->stream = fopen(out->temporary, "wx");
  if (!out->stream) {
    int reason = errno;
    forget(out);
    return fail(path, reason);
  }
  return true;
}

bool whole_file_commit(whole_file *file) {
  bool good = fflush(file->stream) == 0 && !ferror(file->stream);
  if (file->temporary) {
    good = good && fsync(fileno(file->stream)) == 0;
  }
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
    return true;
  }
  (void)fail(file->path, reason);
  whole_file_discard(file);
  return false;
}

void whole_file_discard(whole_file *file) {
  if (file->path && file->stream) {
    (void)fclose(file->stream);
  }
  if (file->temporary) {
    (void)unlink(file->temporary);
  }
  forget(file);
  *file = (whole_file){0};
}
