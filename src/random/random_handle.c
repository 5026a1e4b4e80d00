/* Making and freeing the public handle. */
#include "random/random_handle.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "dperm/random.h"

dperm_status dperm_random_seeded(uint64_t seed, dperm_random **out, dperm_error *err) {
  OWNED_MEMORY dperm_random *random = NULL;
  TRY(memory_new(1, sizeof *random, &random, err));
  TRY(random_seeded(seed, &random->source, err));
  *out = random;
  random = NULL;
  return DPERM_OK;
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
