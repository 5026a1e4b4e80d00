/* Where separators are, 64 bytes at a time: a bit for each. A scanner then goes from bit to bit
 * instead of from byte to byte. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { CSV_SIMD_BYTES = 64 };

/* ---- on any machine */

/* The high bit of each byte of `word` that equals the byte repeated in `same`; no carries between
 * bytes, so the answer is exact. */
static inline uint64_t equal_bytes(uint64_t word, uint64_t same) {
  const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
  uint64_t differ = word ^ same;
  return ~(((differ & low) + low) | differ | low);
}

/* Eight bytes, the first of them lowest. */
static inline uint64_t word_at(const char *bytes) {
  uint64_t word = 0;
  memcpy(&word, bytes, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

/* The high bits of eight bytes, as eight bits. */
static inline uint64_t high_bits(uint64_t word) {
  return (word >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

static inline uint64_t separators_by_words(const char *bytes, char separator, bool *nul) {
  const uint64_t each = UINT64_C(0x0101010101010101);
  uint64_t marks = 0, nuls = 0;
  for (int i = 0; i < 8; i++) {
    uint64_t word = word_at(bytes + (size_t)8 * (size_t)i);
    marks |= high_bits(equal_bytes(word, each * (unsigned char)separator)) << 8 * i;
    nuls |= equal_bytes(word, 0);
  }
  *nul = nuls != 0;
  return marks;
}

/* ---- on this one */

#if defined(__SSE2__)
/* The separators alone; *nul if there is a NUL anywhere. */
static inline uint64_t separators_of(const char *bytes, char separator, bool *nul) {
  const __m128i field = _mm_set1_epi8(separator), none = _mm_setzero_si128();
  __m128i nuls = none;
  uint64_t marks = 0;
  for (int i = 0; i < 4; i++) {
    __m128i some = _mm_loadu_si128((const __m128i *)(const void *)(bytes + (size_t)16 * (size_t)i));
    nuls = _mm_or_si128(nuls, _mm_cmpeq_epi8(some, none));
    marks |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(some, field)) << 16 * i;
  }
  *nul = _mm_movemask_epi8(nuls) != 0;
  return marks;
}
#else
static inline uint64_t separators_of(const char *bytes, char separator, bool *nul) {
  return separators_by_words(bytes, separator, nul);
}
#endif
