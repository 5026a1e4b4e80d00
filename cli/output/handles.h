/* What the library has for itself in src/base, over its public handles: failures passed on and
 * made, and ownership that ends with a scope. Variables are initialized where they stand (NULL,
 * {0}); a result that goes to the caller is taken out by setting its variable to NULL. It brings
 * the C library's headers that nearly every file needs. */
#pragma once

#include <dperm.h>
#include <dperm/ledger.h>
#include <dperm/output.h>
#include <dperm/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Passes a failure on. */
#define TRY(call)                                                                                  \
  do {                                                                                             \
    dperm_status try_status_ = (call);                                                             \
    if (try_status_ != DPERM_OK) {                                                                 \
      return try_status_;                                                                          \
    }                                                                                              \
  } while (0)

/* Returns the failure that a function makes. */
#define RETURN_IF(condition, failure)                                                              \
  do {                                                                                             \
    if (condition) {                                                                               \
      return (failure);                                                                            \
    }                                                                                              \
  } while (0)

/* OWNED(atomic_file_discard) atomic_file file = {0}; the function takes the variable's address. */
#define OWNED(release) __attribute__((cleanup(release)))

/* OWNED(dperm_model_free_at) dperm_model *model = NULL; */
#define FREE_AT(type)                                                                              \
  static inline void type##_free_at(__typeof__(type) **variable) {                                 \
    type##_free(*variable);                                                                        \
  }
FREE_AT(dperm_schema)
FREE_AT(dperm_data)
FREE_AT(dperm_model)
FREE_AT(dperm_ledger)
FREE_AT(dperm_random)
FREE_AT(dperm_output)

/* OWNED(dperm_text_free_at) char *text = NULL; */
static inline void dperm_text_free_at(char **variable) {
  dperm_text_free(*variable);
}

/* OWNED_MEMORY double *values = NULL; goes to free(). */
#define OWNED_MEMORY OWNED(owned_memory_free)
static inline void owned_memory_free(void *variable) {
  void *block = NULL;
  memcpy(&block, variable, sizeof block);
  free(block);
}

/* OWNED_STREAM FILE *script = tmpfile(); is closed; NULL is none. */
#define OWNED_STREAM OWNED(owned_stream_close)
static inline void owned_stream_close(FILE **stream) {
  if (*stream) {
    (void)fclose(*stream);
  }
}
