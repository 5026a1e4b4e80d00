/* The public handle of a random source. */
#pragma once

#include "random/random_source.h"

struct dperm_random {
  random_source source;
};

/* The caller's source, or where there is none a secure one in `own`, for the caller to wipe. */
dperm_status random_given(dperm_random *given, random_source *own, random_source **out,
                          dperm_error *err);
