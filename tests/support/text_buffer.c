/* See text_buffer.h. */
#include "text_buffer.h"

#include <stdio.h>
#include <stdlib.h>

#include "support.h"

/* Memory for so many more bytes and a NUL. */
static void reserve(text_buffer *out, size_t more) {
  if (out->length + more + 1 > out->capacity) {
    out->capacity = 2 * (out->length + more + 64);
    out->bytes = realloc(out->bytes, out->capacity);
    assert_non_null(out->bytes);
  }
}

void put_bytes(text_buffer *out, const char *bytes, size_t length) {
  reserve(out, length);
  memcpy(out->bytes + out->length, bytes, length);
  out->length += length;
  out->bytes[out->length] = '\0';
}

void put(text_buffer *out, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  assert_true(length >= 0);
  reserve(out, (size_t)length);
  va_start(args, format);
  out->length += (size_t)vsnprintf(out->bytes + out->length, (size_t)length + 1, format, args);
  va_end(args);
}
