#include "output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool complain(const char *path) {
  fprintf(stderr, "dperm: %s: cannot write: %s\n", path, strerror(errno));
  return false;
}

bool output_file_begin(output_file *file, const char *path) {
  size_t length = strlen(path) + sizeof ".XXXXXX";
  *file = (output_file){NULL, path, malloc(length)};
  if (!file->temporary) {
    return complain(path);
  }
  snprintf(file->temporary, length, "%s.XXXXXX", path);
  int descriptor = mkstemp(file->temporary);
  if (descriptor < 0) {
    free(file->temporary);
    return complain(path);
  }
  mode_t mask = umask(0); /* mkstemp's files are for their owner only; this one is like any other */
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
  file->stream = fdopen(descriptor, "w");
  if (!file->stream) {
    close(descriptor);
    output_file_drop(file);
    return complain(path);
  }
  return true;
}

bool output_file_end(output_file *file) {
  bool whole = !ferror(file->stream) && fflush(file->stream) == 0;
  whole = fclose(file->stream) == 0 && whole;
  file->stream = NULL;
  if (!whole || rename(file->temporary, file->path) != 0) {
    complain(file->path);
    output_file_drop(file);
    return false;
  }
  free(file->temporary);
  return true;
}

void output_file_drop(output_file *file) {
  if (file->stream) {
    fclose(file->stream);
  }
  unlink(file->temporary);
  free(file->temporary);
}
