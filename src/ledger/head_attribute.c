/* By the file's name: closing a descriptor of our own would give up SQLite's locks.
 */
#include "ledger/head_attribute.h"

#include <string.h>
#include <sys/xattr.h>

static const char name[] = "user.dperm.head";

enum { LENGTH = DPERM_DIGEST_SIZE - 1 };

void head_attribute_read(const char *path, char out[DPERM_DIGEST_SIZE]) {
  ssize_t got = getxattr(path, name, out, LENGTH);
  out[got == LENGTH ? LENGTH : 0] = '\0';
}

void head_attribute_write(const char *path, const char *digest) {
  if (strlen(digest) == LENGTH) {
    (void)setxattr(path, name, digest, LENGTH, 0);
  }
}
