/* Whether two data sets are the same records, so that nobody spends one budget twice. */
#ifndef DPERM_DATA_IDENTITY_H
#define DPERM_DATA_IDENTITY_H

#include "data/dataset.h"

enum { IDENTITY_SIZE = 32 };

/* The identity of a whole file is that of its bytes, unpacked: under another schema its people are
 * still the same. Rows from memory, and a selection of rows, have that of their numbers. Depends on
 * the records: it never leaves as it is (ledger/charge.h). */
void identity_of_file(const unsigned char digest[FILE_DIGEST_SIZE],
                      unsigned char out[IDENTITY_SIZE]);
dperm_status identity_of_data(const dperm_data *data, unsigned char out[IDENTITY_SIZE],
                              dperm_error *err);

/* Whether the encoded rows are the same, whatever file they came from and however many processes
 * have them; every process of a job does so at once. A sweep's journal knows its data by it. */
dperm_status identity_of_stripes(const dperm_data *data, unsigned char out[IDENTITY_SIZE],
                                 dperm_error *err);

#endif
