/* A sliding window over a byte source, for readers that need one record contiguous in memory. The
 * byte behind the last one is always a newline, so a scan for line ends needs no bounds check. */
#pragma once

#include <stdbool.h>

#include "base/file_read.h"
#include "base/text.h"

typedef struct window {
  byte_source *source;
  char *bytes;
  size_t begin, end; /* the unread part; bytes[end] == '\n', as are WINDOW_PAD bytes behind it */
  size_t capacity;
  size_t fresh; /* bytes from here to `end` are not digested yet */
  bool at_end;  /* nothing more behind `end` */
} window;

/* Skips a UTF-8 byte-order mark; refuses UTF-16 and compressed files with advice. With `digest`,
 * the bytes are digested on the way (byte_source_digested). With `text`, of a copy of that instead
 * of a file; `path` is then what messages call it. */
dperm_status window_open(const char *path, const slice *text, const dperm_progress *progress,
                         bool digest, window *out, dperm_error *err);
void window_close(window *w);

static inline const char *window_end(const window *w) {
  return w->bytes + w->end;
}

/* Adds more bytes behind `end`, moving the unread part to the front or growing the buffer; all
 * pointers into the window are void afterwards. Sets at_end when there is no more. */
dperm_status window_more(window *w, dperm_error *err);

/* The same until at least `amount` bytes are unread or the source ends, and leaves the digest of
 * what is new to window_digest, perhaps on another thread, before the next bytes come. */
dperm_status window_fill(window *w, size_t amount, dperm_error *err);
void window_digest(window *w);

/* The digest of a whole file's bytes, unpacked. */
dperm_status file_digest(const char *path, unsigned char out[FILE_DIGEST_SIZE], dperm_error *err);

/* Why the number of rows of a file may depend on what its records say. What a private fit, or
 * score, counts as public it must not read off the records, so it refuses a file with any of these.
 * Seen while the file is read; kept with the data and in encoded files (docs/formats.md), so the
 * numbers stay as they are. */
typedef enum row_doubt {
  DOUBT_COMMENTS = 1, /* comment lines stand where records can: one may have been a record */
  DOUBT_BLANKS = 2,   /* so do blank lines, in files where a record can be one */
  DOUBT_SPANS = 4,    /* a quoted field goes on over lines that could be records themselves */
  DOUBT_LAST = 8      /* an empty last record may be missing: nothing shows where it ended */
} row_doubt;
enum { DOUBT_KINDS = 4 };

/* So many bytes behind `end` may be read. */
enum { WINDOW_PAD = 64 };

/* Fails for a file without any record. */
dperm_status fail_no_rows(const char *path, dperm_error *err);

/* More than this in one record means something is wrong with it. */
enum { RECORD_LIMIT = 16 << 20 };
