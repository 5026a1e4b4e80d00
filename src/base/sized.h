/* Structs of programs that were built against another dperm.h. They say how large they are, and
 * here alone is decided what that means: shorter ones are of an older header and get, or leave, the
 * defaults for the rest; larger ones, and sizes that were never promised, are refused by name.
 * CONTRIBUTING.md has the rules under which structs grow. */
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

/* ---- options: their first member is a size_t, the size */

/* The defaults, for a program that knows `size` bytes of them; what it knows beyond is zeros. */
void sized_init(const sized_struct *kind, const void *defaults, void *out, size_t size);

/* What a program gives, over the defaults in `out`, which becomes a struct of today. */
dperm_status sized_take(const sized_struct *kind, const void *given, void *out, dperm_error *err);

/* The same for an array, whose elements all have the first one's size: `*out`, passed by address as
 * in memory_new, is a new one of today's structs. */
dperm_status sized_take_all(const sized_struct *kind, const void *given, size_t count,
                            const void *defaults, void *out, dperm_error *err);

/* ---- results: the size comes beside them */

/* Whether a result of so many bytes can be filled; to be called before any work is done. */
dperm_status sized_check_capacity(const sized_struct *kind, size_t size, dperm_error *err);
/* The part of a whole result that the program knows; a larger buffer ends in zeros. */
void sized_give(const sized_struct *kind, const void *whole, void *out, size_t size);
