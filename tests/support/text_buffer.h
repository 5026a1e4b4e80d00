/* A text that grows, for tests that write files and schemas. Begin with {0}; free `bytes`. */
#ifndef DPERM_TESTS_TEXT_BUFFER_H
#define DPERM_TESTS_TEXT_BUFFER_H

#include <stddef.h>

typedef struct text_buffer {
  char *bytes; /* ended by a NUL, once anything was put */
  size_t length, capacity;
} text_buffer;

void put_bytes(text_buffer *out, const char *bytes, size_t length);
__attribute__((format(printf, 2, 3))) void put(text_buffer *out, const char *format, ...);

#endif
