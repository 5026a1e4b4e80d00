/* A file in memory with a path, so that a fuzzer can feed the readers without touching the disk.
 * Include it first: it asks for the system's own extensions. */
#ifndef DPERM_TESTS_FUZZ_MEMORY_FILE_H
#define DPERM_TESTS_FUZZ_MEMORY_FILE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* What cannot be, as a crash that the fuzzer reports. */
#define MUST(condition)                                                                            \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      __builtin_trap();                                                                            \
    }                                                                                              \
  } while (0)

typedef struct memory_file {
  int fd;
  char path[64];
} memory_file;

static inline memory_file memory_file_with(const void *bytes, size_t length) {
  memory_file file = {memfd_create("dperm-fuzz", MFD_CLOEXEC), ""};
  MUST(file.fd >= 0);
  MUST(write(file.fd, bytes, length) == (ssize_t)length);
  (void)snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
  return file;
}

static inline void memory_file_close(memory_file *file) {
  (void)close(file->fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#endif
