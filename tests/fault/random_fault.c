/* A getrandom that fails on demand, to be preloaded (LD_PRELOAD) before the command. Environment:
 * RANDOM_FAULT_AFTER=k: every call after the k-th fails; 0 for all of them.
 * RANDOM_FAULT_SHORT=1: a signal interrupts every other call, and the rest give at most 100 bytes.
 * Whether the library or something below it asks, the call lands here: the library uses libc's
 * symbol, and so does libsodium. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long calls;

ssize_t getrandom(void *out, size_t size, unsigned flags) {
  long call = 1 + atomic_fetch_add(&calls, 1);
  const char *after = getenv("RANDOM_FAULT_AFTER");
  if (after && call > strtol(after, NULL, 10)) {
    errno = EIO;
    return -1;
  }
  if (getenv("RANDOM_FAULT_SHORT")) {
    if (call % 2) {
      errno = EINTR;
      return -1;
    }
    size = size < 100 ? size : 100;
  }
  return syscall(SYS_getrandom, out, size, flags);
}
