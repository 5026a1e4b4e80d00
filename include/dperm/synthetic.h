/* dperm: synthetic records, for demos and tests. */
#ifndef DPERM_SYNTHETIC_H
#define DPERM_SYNTHETIC_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Census-like records that are nobody's: 12 columns of mixed types and an income label, made from
 * a seed by a documented law (docs/synthetic.md). For demos and tests. */
DPERM_API const char *dperm_synthetic_census_schema(void);
/* `progress` (may be NULL) is asked on the way whether to go on; stopped, it leaves no file. */
DPERM_API DPERM_CHECKED dperm_status dperm_synthetic_census_make(const char *path, size_t rows,
                                                                 uint64_t seed,
                                                                 const dperm_progress *progress,
                                                                 dperm_error *err);
DPERM_INLINE dperm_status dperm_synthetic_census_write(const char *path, size_t rows, uint64_t seed,
                                                       dperm_error *err) {
  return dperm_synthetic_census_make(path, rows, seed, NULL, err);
}

#ifdef __cplusplus
}
#endif
#endif
