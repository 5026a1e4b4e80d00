/* dperm: what depends on the records and is no release: for the custodian's eyes only. */
#ifndef DPERM_UNSAFE_H
#define DPERM_UNSAFE_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How often a column of the schema held something the encoding changed, in a CSV file or a table.
 * Depends on the records: for the custodian's eyes only. */
typedef struct dperm_unsafe_column_counts {
  size_t missing; /* encoded as zeros, as its own category, or the row was dropped */
  size_t unknown; /* a category that the schema does not list: encoded as zeros */
  size_t clamped; /* a number outside [min, max]: moved to the nearer bound */
} dperm_unsafe_column_counts;
DPERM_API DPERM_CHECKED dperm_status dperm_unsafe_data_counts(const dperm_data *data, size_t column,
                                                              dperm_unsafe_column_counts *out,
                                                              dperm_error *err);

/* What training saw. Depends on the records: never part of a model. */
struct dperm_unsafe_diagnostics {
  size_t iterations;
  double objective;
  double gradient_norm;
  double training_error;
  double solve_seconds;
};

#ifdef __cplusplus
}
#endif
#endif
