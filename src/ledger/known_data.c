/* Whether a ledger knows some records: for whatever would tell exact things about them, which no
 * budget covers. */
#include <string.h>
#include <sys/stat.h>

#include "dperm/ledger.h"
#include "ledger/charge.h"
#include "read/encoded_file.h"
#include "read/window.h"

static const char advice[] = "exact results would tell more of them than any budget allows; ask "
                             "for private ones (with an epsilon), or use records that are public";

dperm_status dperm_ledger_refuse_data(dperm_ledger *ledger, const dperm_data *data,
                                      dperm_error *err) {
  data_identity identity;
  TRY(identity_of_data(data, &identity, err));
  return charge_refuse_known(ledger, &identity, advice, err);
}

/* An encoded file is the people of its source. */
static dperm_status digest_source(const char *path, unsigned char out[FILE_DIGEST_SIZE],
                                  dperm_error *err) {
  OWNED(encoded_close_at) encoded_file *file = NULL;
  if (!encoded_recognized(path)) {
    return file_digest(path, out, err);
  }
  TRY(encoded_open(path, &file, err));
  memcpy(out, file->trailer->source, FILE_DIGEST_SIZE);
  return DPERM_OK;
}

dperm_status dperm_ledger_refuse_file(dperm_ledger *ledger, const char *path, dperm_error *err) {
  unsigned char digest[FILE_DIGEST_SIZE] = {0};
  data_identity identity;
  struct stat about;
  if (strcmp(path, "-") == 0 || (stat(path, &about) == 0 && !S_ISREG(about.st_mode))) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%s: can be read only once, so the ledger cannot say beforehand whether it knows these "
         "records; name a file, or name no ledger if they are public",
         path_for_people(path));
  }
  TRY(digest_source(path, digest, err));
  identity_of_file(digest, &identity);
  return charge_refuse_known(ledger, &identity, advice, err);
}
