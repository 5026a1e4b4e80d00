/* The head, noted as an attribute of the file (user.dperm.head): no journal and no copy written
 * over the content changes it, and it moves with the file. So a file whose content went back in
 * place shows: by a journal that a crash left under another name, say, or by an older copy. Where
 * the file system has no such attributes there is no note, and nothing is lost but that. */
#ifndef DPERM_LEDGER_HEAD_NOTE_H
#define DPERM_LEDGER_HEAD_NOTE_H

#include "base/status.h"
#include "dperm/ledger.h"

/* The digest that was noted last; "" for none. `path` is the open file's own (store_file): a
 * relative name may be another ledger's by now, which a foreign note would make unusable. */
void head_note_read(const char *path, char out[DPERM_DIGEST_SIZE]);

/* To be called by the only writer, of a head that is on the disk. */
void head_note_write(const char *path, const char *digest);

#endif
