/* See fast_features.h. */
#include "fast_features.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

dperm_status fast_feature_map(const dperm_kernel *kernel, size_t inputs, feature_map **out,
                              dperm_error *err) {
  random_source source;
  TRY(feature_map_new(kernel, inputs, NULL, out, err));
  if ((*out)->kind == FEATURES_HADAMARD && (*out)->directions) {
    free((*out)->directions);
    (*out)->directions = NULL;
    TRY(random_public(kernel->seed, "features", &source, err));
    TRY(hadamard_directions_new(&source, sqrt(2 * kernel->gamma), inputs, kernel->features / 2,
                                NULL, &(*out)->fast, err));
  }
  return DPERM_OK;
}
