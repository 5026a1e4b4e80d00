/* Structs of programs that were built against another dperm.h. They say how large they are: shorter
 * ones are of an older header and get, or leave, the defaults for the rest; larger ones, and sizes
 * that were never promised, are refused by name. CONTRIBUTING.md has the rules under which structs
 * grow. Options carry their size; the size of a result comes beside it. */
#pragma once

#include "base/status.h"

/* A program's options as this library knows them, its own over the defaults: `out` is the struct of
 * today. Every public function that is given options begins here. */
dperm_status options_take(dperm_options_kind kind, const void *given, void *out, dperm_error *err);
/* The same of an array of dperm_options; `*out` is a new array, to be given back with free(). */
dperm_status options_take_all(const dperm_options *given, size_t count, dperm_options **out,
                              dperm_error *err);

typedef struct sized_struct {
  const char *name;
  size_t first; /* bytes of the first layout that was promised */
  size_t size;  /* of today's */
} sized_struct;

/* `last` is the last member of the first layout that was promised. */
#define SIZED_STRUCT(type, last)                                                                   \
  { #type, offsetof(type, last) + sizeof(((type *)0)->last), sizeof(type) }

/* Whether a struct of so many bytes can be read or filled: `least` is 0 for results, which are
 * checked before any work is done. */
dperm_status sized_check(const sized_struct *kind, size_t least, size_t size, dperm_error *err);
/* The part of a whole result that the program knows; a larger buffer ends in zeros. */
void sized_give(const sized_struct *kind, const void *whole, void *out, size_t size);
