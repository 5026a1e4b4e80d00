/* Making and freeing the public handle. */
#include "random/random_handle.h"

#include <stdlib.h>

#include "base/memory.h"
#include "dperm/random.h"

static dperm_status new_handle(const uint64_t *seed, dperm_random **out, dperm_error *err) {
  dperm_random *random = NULL;
  TRY(memory_new(1, sizeof *random, &random, err));
  dperm_status status =
      seed ? random_seeded(*seed, &random->source, err) : random_secure(&random->source, err);
  if (status == DPERM_OK) {
    *out = random;
  } else {
    free(random);
  }
  return status;
}

dperm_status dperm_random_secure(dperm_random **out, dperm_error *err) {
  return new_handle(NULL, out, err);
}

dperm_status dperm_random_seeded(uint64_t seed, dperm_random **out, dperm_error *err) {
  return new_handle(&seed, out, err);
}

void dperm_random_free(dperm_random *random) {
  if (random) {
    random_wipe(&random->source);
    free(random);
  }
}

dperm_status random_given(dperm_random *given, random_source *own, random_source **out,
                          dperm_error *err) {
  *out = given ? &given->source : own;
  return given ? DPERM_OK : random_secure(own, err);
}
