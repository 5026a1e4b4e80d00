/* Checked allocation. Pointers travel as the address of the caller's typed pointer and are copied
 * bytewise, so no aliasing rule is bent. */
#include "base/memory.h"

static dperm_status fail_memory(double count, size_t size, dperm_error *err) {
  FAIL(err, DPERM_OUT_OF_MEMORY,
       "out of memory (%.3g GB are needed); use fewer rows or columns, or a larger machine",
       count * (double)size * 1e-9);
}

dperm_status memory_new(size_t count, size_t size, void *out, dperm_error *err) {
  void *block = calloc(count ? count : 1, size);
  memcpy(out, &block, sizeof block);
  return block ? DPERM_OK : fail_memory((double)count, size, err);
}

dperm_status memory_raw(size_t count, size_t size, void *out, dperm_error *err) {
  void *block = count <= SIZE_MAX / 2 / size ? malloc(count ? count * size : size) : NULL;
  memcpy(out, &block, sizeof block);
  return block ? DPERM_OK : fail_memory((double)count, size, err);
}

dperm_status memory_probe(double bytes, dperm_error *err) {
  /* volatile: a compiler may leave out space that is not used */
  void *volatile block = bytes < (double)(SIZE_MAX / 2) ? malloc((size_t)bytes + 1) : NULL;
  bool had = block != NULL;
  free(block);
  return had ? DPERM_OK : fail_memory(bytes, 1, err);
}

dperm_status memory_reserve(void *array, size_t *capacity, size_t needed, size_t size,
                            dperm_error *err) {
  if (needed <= *capacity) {
    return DPERM_OK;
  }
  size_t grown = *capacity + *capacity / 2 + 16;
  grown = grown < needed ? needed : grown;
  void *block = NULL;
  memcpy(&block, array, sizeof block);
  block = grown <= SIZE_MAX / 2 / size ? realloc(block, grown * size) : NULL;
  TRY(block ? DPERM_OK : fail_memory((double)grown, size, err));
  memcpy(array, &block, sizeof block);
  *capacity = grown;
  return DPERM_OK;
}

dperm_status memory_copy_text(const char *text, size_t length, char **out, dperm_error *err) {
  char *copy = NULL;
  TRY(memory_new(length + 1, 1, &copy, err));
  memcpy(copy, text, length);
  *out = copy;
  return DPERM_OK;
}

/* ---- scratch */

/* In front of a block: the address of the next. A multiple of what any type is aligned to. */
enum { HEADER = 16 };

static dperm_status take(scratch *work, bool raw, size_t count, size_t size, void *out,
                         dperm_error *err) {
  unsigned char *block = NULL;
  /* in elements, so that the allocator sees an overflow; it refuses half of all addresses */
  size_t header = count > SIZE_MAX / 2 / size ? 0 : HEADER / size + 1;
  TRY((raw ? memory_raw : memory_new)(count + header, size, &block, err));
  memcpy(block, &work->blocks, sizeof work->blocks);
  work->blocks = block;
  block += HEADER;
  memcpy(out, &block, sizeof block);
  return DPERM_OK;
}

dperm_status scratch_take(scratch *work, size_t count, size_t size, void *out, dperm_error *err) {
  return take(work, false, count, size, out, err);
}

dperm_status scratch_take_raw(scratch *work, size_t count, size_t size, void *out,
                              dperm_error *err) {
  return take(work, true, count, size, out, err);
}

void scratch_free(scratch *work) {
  while (work->blocks) {
    void *next = NULL;
    memcpy(&next, work->blocks, sizeof next);
    free(work->blocks);
    work->blocks = next;
  }
}
