/* Whether two data sets are the same records, so that nobody spends one budget twice. */
#pragma once

#include "data/dataset.h"

enum { IDENTITY_SIZE = 32 };

/* A whole file is known by its bytes, unpacked: under another schema its people are still the same.
 * Rows from memory are known by the values that the caller gave, in any order, whatever norm,
 * bounds, constant column, labels and classes they are used with; a selection of a file's rows by
 * the file and their places. Depends on the records: it never leaves as it is (ledger/charge.h). */
typedef struct data_identity {
  unsigned char given[IDENTITY_SIZE];
  /* As ledgers had it once: of rows from memory and selections, the rows as they were encoded, with
   * their labels. The same as `given` for files, and where other processes have some of the rows:
   * then the older rule would be another one for every number of processes. */
  unsigned char encoded[IDENTITY_SIZE];
  bool ordered; /* rows from memory, and selections: */
  unsigned char
      order[IDENTITY_SIZE]; /* their places, labels and persons, which `given` leaves out */
} data_identity;

void identity_of_file(const unsigned char digest[FILE_DIGEST_SIZE], data_identity *out);
/* The same whatever the number of processes; each may ask by itself. */
dperm_status identity_of_data(const dperm_data *data, data_identity *out, dperm_error *err);

/* Of rows from memory that have just been spread: the same as in one process, on every process of
 * the job, which all ask at once (identity_spread.c). Needs the prints of the rows here. */
dperm_status identity_of_spread(const dperm_data *data, data_identity *out, dperm_error *err);

/* Whether the encoded rows are the same, whatever file they came from and however many processes
 * have them; every process of a job does so at once. A sweep's journal knows its data by it. */
dperm_status identity_of_stripes(const dperm_data *data, unsigned char out[IDENTITY_SIZE],
                                 dperm_error *err);

/* Whether two data sets are the same records, or mostly: as they come when the private records, or
 * a part of them, or they with others, are given as public ones. Both must be encoded in one way.
 * Neither the order of rows nor labels count. Every process of a job asks at once and has the same
 * answer, whatever their number. */
dperm_status records_overlap(const dperm_data *a, const dperm_data *b, bool *out, dperm_error *err);
