/* dperm: bins that follow from the number of rows and epsilon.
 *
 *     dperm_schema_resolve, before the number is known -> dperm_data_read -> dperm_train_share
 *       -> dperm_schema_resolve -> dperm_data_merge_bins -> dperm_train
 */
#ifndef DPERM_BINS_H
#define DPERM_BINS_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How "auto" bins are found: from public numbers alone. dperm_train_share, and
 * dperm_tune_share and dperm_sweep_share in their headers, give rows and epsilon. */
typedef struct dperm_resolve_options {
  size_t size;    /* set by dperm_resolve_options_init */
  size_t rows;    /* that a fit sees. 0: not known yet; then the bins are the finest that any number
                     leads to, and dperm_data_merge_bins makes them coarser when it is known */
  double epsilon; /* of a fit; NaN without a mechanism */
  bool all_numeric; /* numeric columns without "bins" get them too */
  bool reserved[7]; /* false */
} dperm_resolve_options;
DPERM_API void dperm_resolve_options_init_sized(dperm_resolve_options *options, size_t size);
static inline void dperm_resolve_options_init(dperm_resolve_options *options) {
  dperm_resolve_options_init_sized(options, sizeof *options);
}
/* The schema with bins in place of "auto"; docs/formats.md has the rule. */
DPERM_API DPERM_CHECKED dperm_status dperm_schema_resolve(const dperm_schema *schema,
                                                          const dperm_resolve_options *how,
                                                          dperm_schema **out, dperm_error *err);
/* Whether that would change anything. */
DPERM_API bool dperm_schema_unresolved(const dperm_schema *schema, bool all_numeric);

/* What each fit of a dperm_train has: all rows, and what is left of epsilon for one row and, of
 * more than two classes, for one of them (NaN without a mechanism). dperm_schema_resolve asks for
 * both; dperm_tune_share and dperm_sweep_share are its like. */
DPERM_API DPERM_CHECKED dperm_status dperm_train_share(size_t rows, size_t classes,
                                                       const dperm_options *options,
                                                       size_t *fit_rows, double *fit_epsilon,
                                                       dperm_error *err);

/* Makes rows in memory what they would be under this schema: that of the data but for cuts that are
 * missing. Fails, and changes nothing, for any other. */
DPERM_API DPERM_CHECKED dperm_status dperm_data_merge_bins(dperm_data *data,
                                                           const dperm_schema *schema,
                                                           dperm_error *err);

/* The format of a source: what it says, or by its content and name. */
DPERM_API DPERM_CHECKED dperm_status dperm_source_format(const dperm_source *source,
                                                         dperm_format *out, dperm_error *err);

#ifdef __cplusplus
}
#endif
#endif
