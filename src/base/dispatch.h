/* Eight doubles at once, and machine code for the processor at hand. A function marked
 * FOR_EACH_WIDTH is compiled for each width of vector units and the loader picks one, where it can:
 * glibc's can, musl's cannot. The arithmetic is the same everywhere, operation by operation (no
 * contraction), so the bits of a result do not depend on the choice. Such a function is static: the
 * loader's choice would be exported. */
#pragma once

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FOR_EACH_WIDTH __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EACH_WIDTH
#endif

#define LANE_INLINE static inline __attribute__((always_inline))

enum { LANES = 8 };
typedef double lanes __attribute__((vector_size(64)));
typedef int64_t lane_bits __attribute__((vector_size(64)));

/* From and to memory of any alignment. Macros: a vector argument of a function that is not yet
 * inlined makes compilers warn of its ABI. */
#define LANES_LOAD(to, from) memcpy(&(to), (from), sizeof(lanes))
#define LANES_STORE(to, from) memcpy((to), &(from), sizeof(lanes))

/* a where the mask (all ones or all zeros in each lane) is set, else b. */
#define LANES_CHOOSE(mask, a, b)                                                                   \
  ((lanes)(((lane_bits)(a) & (lane_bits)(mask)) | ((lane_bits)(b) & ~(lane_bits)(mask))))

/* x held between two bounds; a NaN stays one. */
#define LANES_WITHIN(x, low, high)                                                                 \
  LANES_CHOOSE((x) < (low), (low), LANES_CHOOSE((x) > (high), (high), (x)))
