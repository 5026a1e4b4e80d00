/* See support.h. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void assert_close(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) {
    fail_msg("%.17g and %.17g differ by %g, more than %g", a, b, fabs(a - b), tolerance);
  }
}

char *file_with(const char *bytes, size_t length) {
  const char *folder = getenv("TMPDIR");
  char *path = malloc(4096);
  assert_non_null(path);
  (void)snprintf(path, 4096, "%s/dperm-test-XXXXXX", folder ? folder : "/tmp");
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, bytes, length), (ssize_t)length);
  close(fd);
  return path;
}

char *file_with_text(const char *text) {
  return file_with(text, strlen(text));
}

void file_remove(char *path) {
  unlink(path);
  free(path);
}
