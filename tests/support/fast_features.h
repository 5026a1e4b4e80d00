/* Maps of features whose directions are not written out, at sizes where the library would. */
#ifndef DPERM_TESTS_FAST_FEATURES_H
#define DPERM_TESTS_FAST_FEATURES_H

#include "kernel/features.h"

/* As feature_map_new, but from FAST_ROTATION_LEAST columns on never written out. */
dperm_status fast_feature_map(const dperm_kernel *kernel, size_t inputs, feature_map **out,
                              dperm_error *err);

#endif
