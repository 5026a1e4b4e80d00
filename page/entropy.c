/* What the kernel gives elsewhere, as a page has it. Randomness, libsodium's as well, is that of
 * the browser's crypto.getRandomValues, by the buffer: without that function, or where it fails,
 * getrandom fails, and so does all that would be private. There is one thread. */
#define _GNU_SOURCE /* cpu_set_t */
#include <emscripten.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* One call gives at most 65,536 bytes. */
EM_JS(bool, browser_bytes, (void *buffer, size_t size), {
  try {
    for (let done = 0; done < size; done += 65536) {
      const part = new Uint8Array(Math.min(65536, size - done));
      globalThis.crypto.getRandomValues(part);
      HEAPU8.set(part, buffer + done);
    }
    return true;
  } catch (failure) {
    return false;
  }
});

ssize_t getrandom(void *buffer, size_t size, unsigned flags) {
  if (!browser_bytes(buffer, size)) {
    errno = ENOSYS;
    return -1;
  }
  return (ssize_t)size;
}

/* libsodium's own contract: it gives secure bytes or ends the program. */
void randombytes_buf(void *const buffer, const size_t size) {
  if (!browser_bytes(buffer, size)) {
    abort();
  }
}

/* At its start libsodium stirs, for which there is nothing to do. */
void randombytes_stir(void) {}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
  memset(set, 0, size);
  return 0;
}

int __sched_cpucount(size_t size, const cpu_set_t *set) {
  return 1;
}

/* Files are in memory, of which none can be promised. */
int fallocate(int fd, int mode, off_t offset, off_t length) {
  errno = EOPNOTSUPP;
  return -1;
}
