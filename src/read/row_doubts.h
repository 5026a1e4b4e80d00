/* Why the number of rows of a file may depend on what its records say. What a private fit, or
 * score, counts as public it must not read off the records, so it refuses a file with any of these.
 * Seen while the file is read; kept with the data and in encoded files (docs/formats.md), so the
 * numbers stay as they are. */
#pragma once

typedef enum row_doubt {
  DOUBT_COMMENTS = 1, /* comment lines stand where records can: one may have been a record */
  DOUBT_BLANKS = 2,   /* so do blank lines, in files where a record can be one */
  DOUBT_SPANS = 4,    /* a quoted field goes on over lines that could be records themselves */
  DOUBT_LAST = 8      /* an empty last record may be missing: nothing shows where it ended */
} row_doubt;

enum { DOUBT_KINDS = 4 };
