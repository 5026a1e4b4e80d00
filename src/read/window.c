/* Refilling the window. */
#include "read/window.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { CHUNK = 1 << 18 };

dperm_status window_open(const char *path, const dperm_progress *progress, bool digest, window *out,
                         dperm_error *err) {
  *out = (window){0};
  TRY(byte_source_open(path, progress, &out->source, err));
  dperm_status status = digest ? byte_source_digest(out->source, err) : DPERM_OK;
  if (status == DPERM_OK) {
    status = window_more(out, err);
  }
  if (status != DPERM_OK) {
    window_close(out);
  }
  return status;
}

dperm_status window_open_part(const char *path, uint64_t from, uint64_t to,
                              const dperm_progress *progress, window *out, dperm_error *err) {
  *out = (window){0};
  TRY(byte_source_open_part(path, from, to, progress, &out->source, err));
  dperm_status status = window_more(out, err);
  if (status != DPERM_OK) {
    window_close(out);
  }
  return status;
}

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

dperm_status window_skip_mark(window *w, const char *path, dperm_error *err) {
  while (w->end - w->begin < 3 && !w->at_end) {
    TRY(window_more(w, err));
  }
  const char *at = w->bytes + w->begin;
  if (w->end - w->begin >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) {
    w->begin += 3;
  } else if (w->end - w->begin >= 3 &&
             (memcmp(at,
                     "\xfd"
                     "7z",
                     3) == 0 ||
              memcmp(at, "\x28\xb5\x2f", 3) == 0 || memcmp(at, "PK\x03", 3) == 0 ||
              memcmp(at, "BZh", 3) == 0)) {
    FAIL(err, DPERM_INVALID_DATA,
         "%s:1:1: the file is compressed in a way that is not read; unpack it, or use gzip",
         path_for_people(path));
  } else if (w->end - w->begin >= 2 &&
             (memcmp(at, "\xff\xfe", 2) == 0 || memcmp(at, "\xfe\xff", 2) == 0)) {
    FAIL(err, DPERM_INVALID_DATA, "%s:1:1: the file is UTF-16; save it as UTF-8",
         path_for_people(path));
  }
  return DPERM_OK;
}
