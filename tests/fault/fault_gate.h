/* A gate that a preloaded fault stops at, so that a test can do something at exactly that moment,
 * without a clock: the process waits in front of a FIFO until somebody has opened it for writing
 * and closed it again (at_gate in tests/cli/helpers.bash). Signals are handled meanwhile. */
#ifndef DPERM_TESTS_FAULT_GATE_H
#define DPERM_TESTS_FAULT_GATE_H

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void wait_at_gate(const char *fifo) {
  char byte = 0;
  long fd = -1, got = 1;
  do { /* by system calls, which no other fault counts */
    fd = syscall(SYS_openat, AT_FDCWD, fifo, O_RDONLY | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  while (fd >= 0 && (got > 0 || (got < 0 && errno == EINTR))) {
    got = syscall(SYS_read, fd, &byte, (size_t)1);
  }
  (void)syscall(SYS_close, fd);
}

#endif
