/* Structs of programs that were built against another dperm.h. */
#include "base/sized.h"

#include <string.h>

#include "base/memory.h"
#include "base/owned.h"

static size_t size_of(const void *given) {
  size_t size = 0;
  memcpy(&size, given, sizeof size);
  return size;
}

/* ---- options */

void sized_init(const sized_struct *kind, const void *defaults, void *out, size_t size) {
  if (size >= sizeof size) {
    sized_give(kind, defaults, out, size);
    memcpy(out, &size, sizeof size);
  }
}

static dperm_status check_size(const sized_struct *kind, size_t size, dperm_error *err) {
  if (size == 0) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%s has no size; call %s_init first", kind->name, kind->name);
  }
  if (size > kind->size) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%s has %zu bytes, and dperm %s knows %zu: the program was built against a newer dperm; "
         "run it with that one (or it has not called %s_init)",
         kind->name, size, dperm_version(), kind->size, kind->name);
  }
  if (size < kind->first) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%s has %zu bytes, and dperm %s takes no fewer than %zu: the program was built against a "
         "dperm that is too old; build it again (or it has not called %s_init)",
         kind->name, size, dperm_version(), kind->first, kind->name);
  }
  return DPERM_OK;
}

dperm_status sized_take(const sized_struct *kind, const void *given, void *out, dperm_error *err) {
  size_t size = size_of(given);
  TRY(check_size(kind, size, err));
  memcpy(out, given, size);
  memcpy(out, &kind->size, sizeof kind->size);
  return DPERM_OK;
}

dperm_status sized_take_all(const sized_struct *kind, const void *given, size_t count,
                            const void *defaults, void *out, dperm_error *err) {
  OWNED_MEMORY char *made = NULL;
  size_t stride = count > 0 ? size_of(given) : kind->size;
  TRY(memory_new(count, kind->size, &made, err));
  for (size_t i = 0; i < count; i++) {
    const char *one = (const char *)given + i * stride;
    if (size_of(one) != stride) {
      FAIL(err, DPERM_INVALID_ARGUMENT,
           "number %zu of an array of %s has another size than the first; call %s_init for each", i,
           kind->name, kind->name);
    }
    memcpy(made + i * kind->size, defaults, kind->size);
    TRY(sized_take(kind, one, made + i * kind->size, err));
  }
  memcpy(out, &made, sizeof made);
  made = NULL;
  return DPERM_OK;
}

/* ---- results */

dperm_status sized_check_capacity(const sized_struct *kind, size_t size, dperm_error *err) {
  if (size > kind->size) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%s has %zu bytes, and dperm %s knows %zu: the program was built against a newer dperm; "
         "run it with that one",
         kind->name, size, dperm_version(), kind->size);
  }
  return DPERM_OK;
}

void sized_give(const sized_struct *kind, const void *whole, void *out, size_t size) {
  size_t known = size < kind->size ? size : kind->size;
  memcpy(out, whole, known);
  memset((char *)out + known, 0, size - known);
}
