/* A getrandom that fails on demand, to be preloaded (LD_PRELOAD) before the command. Environment:
 * RANDOM_FAULT_AFTER=k: every call after the library's k-th question fails; 0 for all of them. Its
 * questions are for 8 bytes, one at the start and one before each buffer that libsodium then fills;
 * libsodium's own calls, which land here too, are larger.
 * RANDOM_FAULT_INTERRUPTED=1: a signal interrupts every other call.
 * RANDOM_FAULT_GATE=FIFO, RANDOM_FAULT_GATE_AT=k: at the library's k-th question the process waits
 * at that gate (fault_gate.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fault_gate.h"

static atomic_long calls, questions;

ssize_t getrandom(void *out, size_t size, unsigned flags) {
  long call = 1 + atomic_fetch_add(&calls, 1);
  const char *after = getenv("RANDOM_FAULT_AFTER");
  const char *gate = getenv("RANDOM_FAULT_GATE"), *at = getenv("RANDOM_FAULT_GATE_AT");
  long asked = size == 8 ? 1 + atomic_fetch_add(&questions, 1) : atomic_load(&questions);
  if (gate && at && size == 8 && asked == strtol(at, NULL, 10)) {
    wait_at_gate(gate);
  }
  if (after && asked > strtol(after, NULL, 10)) {
    errno = EIO;
    return -1;
  }
  if (getenv("RANDOM_FAULT_INTERRUPTED") && call % 2) {
    errno = EINTR;
    return -1;
  }
  return syscall(SYS_getrandom, out, size, flags);
}
