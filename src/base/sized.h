/* Structs of programs that were built against another dperm.h. They say how large they are, and
 * here alone is decided what that means: shorter ones are of an older header and get, or leave, the
 * defaults for the rest; larger ones, and sizes that were never promised, are refused by name.
 * CONTRIBUTING.md has the rules under which structs grow. Options carry their size and are taken by
 * base/options_defaults.h; the size of a result comes beside it. */
#pragma once

#include "base/status.h"

typedef struct sized_struct {
  const char *name;
  size_t first; /* bytes of the first layout that was promised */
  size_t size;  /* of today's */
} sized_struct;

/* `last` is the last member of the first layout that was promised. */
#define SIZED_STRUCT(type, last)                                                                   \
  { #type, offsetof(type, last) + sizeof(((type *)0)->last), sizeof(type) }

/* Whether a result of so many bytes can be filled; to be called before any work is done. */
dperm_status sized_check_capacity(const sized_struct *kind, size_t size, dperm_error *err);
/* The part of a whole result that the program knows; a larger buffer ends in zeros. */
void sized_give(const sized_struct *kind, const void *whole, void *out, size_t size);
