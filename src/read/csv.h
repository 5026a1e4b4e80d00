/* Records of a CSV file: RFC 4180 quotes, LF or CRLF, unquoted fields trimmed of blanks, blank and
 * comment lines skipped, any size, one record in memory at a time. */
#pragma once

#include "base/text.h"
#include "read/window.h"

typedef struct csv_field {
  slice text;    /* without quotes and blanks */
  size_t offset; /* where the field begins, in bytes from the record's start */
} csv_field;

typedef struct csv_reader {
  window window;
  const char *path;
  char separator;
  const char *comment; /* or NULL */

  csv_field *fields; /* of the current record; valid until the next one */
  size_t field_count, field_capacity;
  bool any_record;                       /* a record was read */
  unsigned doubts_first, doubts_further; /* up to the first record, and behind it; of blank lines
                                            even where they cannot be records */
  bool quotes;                           /* some field so far: only then do records span lines */
  bool by_bytes;                         /* every record, as a test has it to compare with */
  bool within;                           /* what is read are lines of a record, to judge it by */
  size_t line;                           /* of the current record's first byte, from 1 */
  size_t next_line;                      /* of the byte after it */
  const char *record;                    /* its first byte */
  size_t record_length;                  /* without the line end */
  char *unquoted;                        /* space for fields that held doubled quotes */
  size_t unquoted_capacity;
} csv_reader;

/* `path`, `comment` and `progress` (may be NULL) must outlive the reader. */
dperm_status csv_open(const char *path, char separator, const char *comment,
                      const dperm_progress *progress, bool digest, csv_reader *out,
                      dperm_error *err);
/* Records in memory, which messages call `name`; the reader has a copy. */
dperm_status csv_open_text(const char *name, const char *text, size_t length, char separator,
                           csv_reader *out, dperm_error *err);
void csv_close(csv_reader *reader);

/* The next record, or *found = false at the end. */
dperm_status csv_next(csv_reader *reader, bool *found, dperm_error *err);

/* What makes the number of records doubtful so far, `header` being whether the first one is none,
 * and `fields` how many each has. */
unsigned csv_doubts(const csv_reader *reader, bool header, size_t fields);

/* Makes the current record the next one again, to be split at another separator. */
void csv_take_back(csv_reader *reader, char separator);

/* Fails at the place where a field of the current record begins. */
dperm_status csv_fail_at(const csv_reader *reader, size_t offset, dperm_error *err,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));
