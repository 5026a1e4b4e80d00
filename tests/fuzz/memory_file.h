/* A file in memory with a path, so that a fuzzer can feed the readers without touching the disk. */
#ifndef DPERM_TESTS_FUZZ_MEMORY_FILE_H
#define DPERM_TESTS_FUZZ_MEMORY_FILE_H

#include <stddef.h>
#include <stdint.h>

typedef struct memory_file {
  int fd;
  char path[64];
} memory_file;

/* What cannot be, as a crash that the fuzzer reports. */
#define MUST(condition)                                                                            \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      __builtin_trap();                                                                            \
    }                                                                                              \
  } while (0)

memory_file memory_file_with(const void *bytes, size_t length);
void memory_file_close(memory_file *file);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#endif
