/* The head's digest as an extended attribute of the file (user.dperm.head). No journal and no copy
 * written over the content changes it, and it moves with the file. So it shows when the content
 * went back in place: by a journal that a crash left under another name, or by an older copy. On a
 * file system without such attributes this one check is missing. */
#pragma once

#include "base/status.h"
#include "dperm/ledger.h"

/* The digest that was written last; "" for none. `path` is the open file's own (store_file): a
 * relative name may be another ledger's by now, which a wrong attribute would make unusable. */
void head_attribute_read(const char *path, char out[DPERM_DIGEST_SIZE]);

/* Only for the writer, of a head that is on the disk. */
void head_attribute_write(const char *path, const char *digest);
