/* Ownership that ends with a scope: what a variable holds is released wherever the function
 * returns, so that every failure is a plain TRY. Variables are initialized where they stand (NULL,
 * {0}); a result that goes to the caller is taken out of its variable. */
#pragma once

#include <stdlib.h>
#include <string.h>

/* OWNED(rows_free) rows r = {0}; where rows_free takes a rows *. */
#define OWNED(release) __attribute__((cleanup(release), unused))

/* OWNED_MEMORY double *work = NULL; goes to free(). */
#define OWNED_MEMORY OWNED(owned_memory_free)

static inline void owned_memory_free(void *variable) {
  void *block = NULL;
  memcpy(&block, variable, sizeof block);
  free(block);
}

/* *out = TAKE(made); leaves NULL in `made`, whose scope then releases nothing. */
#define TAKE(pointer)                                                                              \
  __extension__({                                                                                  \
    __typeof__(pointer) taken_ = (pointer);                                                        \
    (pointer) = NULL;                                                                              \
    taken_;                                                                                        \
  })

/* For a handle: after OWNED_HANDLE(dperm_model, dperm_model_free),
 * OWNED(dperm_model_free_at) dperm_model *model = NULL; */
/* NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in them */
#define OWNED_HANDLE(type, release)                                                                \
  static inline void release##_at(type **variable) {                                               \
    release(*variable);                                                                            \
  }
/* NOLINTEND(bugprone-macro-parentheses) */
