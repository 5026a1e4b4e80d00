/* Sizes of 32 bits, as WebAssembly has them. So many rows, encoded columns and classes are the most
 * there, that no product of two of them wraps (nor four times the square of the columns); more is
 * refused as it comes in. Sums over records, which a choice depends on, have 64 bits everywhere. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#if SIZE_MAX > UINT32_MAX
static const size_t rows_held = SIZE_MAX / 2, columns_held = INT32_MAX;
enum { CLASSES_HELD = 1000 };
#else
static const size_t rows_held = (1 << 24) - 1, columns_held = 4095;
enum { CLASSES_HELD = 255 };
#endif
