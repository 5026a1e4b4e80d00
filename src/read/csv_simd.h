/* Where separators are, 64 bytes at a time: a bit for each. A scanner then goes from bit to bit
 * instead of from byte to byte. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { CSV_SIMD_BYTES = 64 };

/* What stands among 64 bytes, a bit for each byte: separators; what needs a closer look, that is
 * blanks, quotes and control characters, NULs and line ends among them. */
typedef struct csv_marks {
  uint64_t separators, special;
} csv_marks;

static inline csv_marks csv_marks_by_bytes(const char *bytes, char separator) {
  csv_marks marks = {0, 0};
  for (int i = 0; i < CSV_SIMD_BYTES; i++) {
    bool special = (unsigned char)bytes[i] <= ' ' || bytes[i] == '"';
    marks.separators |= (uint64_t)(bytes[i] == separator) << i;
    marks.special |= (uint64_t)special << i;
  }
  return marks;
}

/* The same, as quick as this machine can. */
static inline csv_marks csv_marks_of(const char *bytes, char separator) {
#if defined(__SSE2__)
  const __m128i field = _mm_set1_epi8(separator), blank = _mm_set1_epi8(' ');
  const __m128i quote = _mm_set1_epi8('"');
  csv_marks marks = {0, 0};
  for (size_t i = 0; i < CSV_SIMD_BYTES; i += sizeof field) {
    const __m128i some = _mm_loadu_si128((const __m128i *)(const void *)(bytes + i));
    const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(some, blank), some);
    const __m128i special = _mm_or_si128(low, _mm_cmpeq_epi8(some, quote));
    const int separators = _mm_movemask_epi8(_mm_cmpeq_epi8(some, field));
    marks.separators |= (uint64_t)(uint32_t)separators << i;
    marks.special |= (uint64_t)(uint32_t)_mm_movemask_epi8(special) << i;
  }
  return marks;
#else
  return csv_marks_by_bytes(bytes, separator);
#endif
}
