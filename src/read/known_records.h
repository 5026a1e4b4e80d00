/* Lines among the bytes at hand that came before, and the rows that they became: logs and surveys
 * repeat records, often at once, and the second need not be read. Where few repeat, nobody looks
 * for a while. */
#ifndef DPERM_READ_KNOWN_RECORDS_H
#define DPERM_READ_KNOWN_RECORDS_H

#include "read/csv.h"

enum { KNOWN_RECORDS = 1024 };

typedef struct known_record {
  const char *text; /* in the reader's window; NULL for none */
  size_t length, row;
} known_record;

/* Zeroed is empty. */
typedef struct known_records {
  const csv_reader *csv; /* whose bytes, … */
  size_t moves;          /* … and which state of them (csv_moved) */
  size_t looked, found;  /* of late */
  size_t pause;          /* after few were found, nobody looks for so many records, … */
  size_t rest;           /* … of which these are left; twice as many if few are found again */
  known_record places[KNOWN_RECORDS];
} known_records;

/* Whether to look for the next record. */
static inline bool known_records_looks(known_records *k) {
  bool rests = k->rest > 0;
  k->rest -= rests;
  return !rests;
}

/* The place of a line of the reader's window, or where it would be. */
known_record *known_records_place(known_records *k, const csv_reader *csv, const char *text,
                                  size_t length);

/* Whether that very line stands there. */
bool known_records_holds(known_records *k, const known_record *place, const char *text,
                         size_t length);

#endif
