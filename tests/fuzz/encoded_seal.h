/* An encoded file in memory, changed by hand: all its sums made right again, so that what stands
 * behind the sums is tried too. Sizes that make no sense are left as they are. */
#ifndef DPERM_TESTS_FUZZ_ENCODED_SEAL_H
#define DPERM_TESTS_FUZZ_ENCODED_SEAL_H

#include <stddef.h>
#include <string.h>

#include "read/encoded_file.h"

static inline void encoded_seal_pages(unsigned char *bytes, size_t size, const encoded_trailer *t) {
  for (size_t p = 0; p < t->pages; p++) {
    unsigned char *place = bytes + t->directory + p * sizeof(encoded_page);
    encoded_page page;
    memcpy(&page, place, sizeof page);
    if (page.offset <= size && page.size <= size - page.offset) {
      page.check = encoded_sum(0, bytes + page.offset, (size_t)page.size);
      memcpy(place, &page, sizeof page);
    }
  }
}

static inline void encoded_seal(unsigned char *bytes, size_t size) {
  encoded_header h;
  encoded_trailer t;
  if (size < sizeof h + sizeof t) {
    return;
  }
  memcpy(&h, bytes, sizeof h);
  memcpy(&t, bytes + size - sizeof t, sizeof t);
  if (h.schema_length <= size - sizeof h) {
    h.check = encoded_sum(0, bytes, offsetof(encoded_header, check));
    h.check = encoded_sum(h.check, bytes + sizeof h, (size_t)h.schema_length);
    memcpy(bytes, &h, sizeof h);
  }
  if (t.directory <= size && t.pages <= (size - t.directory) / sizeof(encoded_page)) {
    encoded_seal_pages(bytes, size, &t);
    t.directory_check = encoded_sum(0, bytes + t.directory, (size_t)t.pages * sizeof(encoded_page));
    t.directory_check = encoded_sum(t.directory_check, &h.check, sizeof h.check);
  }
  t.check = encoded_sum(0, &t, offsetof(encoded_trailer, check));
  memcpy(bytes + size - sizeof t, &t, sizeof t);
}

#endif
