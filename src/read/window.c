/* Refilling the window. */
#include "read/window.h"

#include "base/memory.h"

enum { CHUNK = 1 << 18 };

void window_close(window *w) {
  byte_source_close(w->source);
  free(w->bytes);
  *w = (window){0};
}

static dperm_status add_bytes(window *w, size_t amount, dperm_error *err) {
  size_t unread = w->end - w->begin;
  if (w->begin > 0) {
    memmove(w->bytes, w->bytes + w->begin, unread);
    w->fresh -= w->begin;
    w->begin = 0;
    w->end = unread;
  }
  TRY(memory_reserve(&w->bytes, &w->capacity, unread + amount + WINDOW_PAD, 1, err));
  size_t got = 0;
  dperm_status status =
      byte_source_read(w->source, w->bytes + w->end, w->capacity - w->end - WINDOW_PAD, &got, err);
  w->end += got;
  w->at_end = got == 0;
  memset(w->bytes + w->end, '\n', WINDOW_PAD);
  return status;
}

void window_digest(window *w) {
  byte_source_add(w->source, w->bytes + w->fresh, w->end - w->fresh);
  w->fresh = w->end;
}

dperm_status window_more(window *w, dperm_error *err) {
  TRY(add_bytes(w, CHUNK, err));
  window_digest(w);
  return DPERM_OK;
}

dperm_status window_fill(window *w, size_t amount, dperm_error *err) {
  while (w->end - w->begin < amount && !w->at_end) {
    TRY(add_bytes(w, amount - (w->end - w->begin), err));
  }
  return DPERM_OK;
}

/* ---- opening */

/* Files that somebody may take for text, by first bytes that no text has: the first line may be a
 * record. */
static const struct foreign {
  size_t length;
  const char *begin, *is;
} foreign[] = {
    {2, "\xff\xfe", "UTF-16"},
    {2, "\xfe\xff", "UTF-16"},
    {3, "\3757z", "packed by xz"},
    {3, "\x28\xb5\x2f", "packed by zstd"},
    {8, "BZh91AY&", "packed by bzip2"},
    {4, "PK\x03\x04", "a spreadsheet or a zip archive"},
    {4, "\xd0\xcf\x11\xe0", "a spreadsheet"},
    {5, "PAR1\x15", "a Parquet file"},
    {8, "ARROW1\0", "an Arrow file"},
    {8, "\211HDF\r\n\x1a\n", "an HDF5 file"},
    {16, "SQLite format 3", "a database of SQLite"},
    {8, "$FL2@(#)", "one of SPSS"},
    {11, "<stata_dta>", "one of Stata"},
    {5, "RDX3\n", "one of R"},
};
enum { MARK = 16 };

static dperm_status skip_mark(window *w, const char *path, dperm_error *err) {
  while (w->end - w->begin < MARK && !w->at_end) {
    TRY(window_more(w, err));
  }
  const char *at = w->bytes + w->begin; /* so many bytes, or newlines behind them */
  FAIL_IF(memcmp(at, "\211DP", 3) == 0, err, DPERM_INVALID_DATA,
          "%s: this is an encoded file; name the file itself, neither packed nor piped nor as CSV, "
          "or the CSV that it was made from",
          path_for_people(path));
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
    FAIL_IF(memcmp(at, foreign[i].begin, foreign[i].length) == 0, err, DPERM_INVALID_DATA,
            "%s:1:1: the file is %s; save it as CSV in UTF-8, plain or packed by gzip",
            path_for_people(path), foreign[i].is);
  }
  w->begin += memcmp(at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  return DPERM_OK;
}

dperm_status window_open(const char *path, const slice *text, const dperm_progress *progress,
                         bool digest, window *out, dperm_error *err) {
  OWNED(window_close) window w = {.at_end = text != NULL};
  if (text) {
    TRY(memory_reserve(&w.bytes, &w.capacity, text->length + WINDOW_PAD, 1, err));
    memcpy(w.bytes, text->start, text->length);
    memset(w.bytes + text->length, '\n', WINDOW_PAD);
    w.end = text->length;
  } else {
    TRY(byte_source_open(path, progress, &w.source, err));
    TRY(digest ? byte_source_digest(w.source, err) : DPERM_OK);
    TRY(window_more(&w, err));
  }
  TRY(skip_mark(&w, path, err));
  *out = w;
  w = (window){0};
  return DPERM_OK;
}

dperm_status file_digest(const char *path, unsigned char out[FILE_DIGEST_SIZE], dperm_error *err) {
  OWNED(window_close) window w = {0};
  TRY(byte_source_open(path, NULL, &w.source, err));
  TRY(byte_source_digest(w.source, err));
  while (!w.at_end) {
    w.begin = w.end;
    TRY(window_more(&w, err));
  }
  (void)byte_source_digested(w.source, out);
  return DPERM_OK;
}

dperm_status fail_no_rows(const char *path, dperm_error *err) {
  FAIL(err, DPERM_INVALID_DATA, "%s: no rows; give a file with records", path_for_people(path));
}
