/* Frozen, as ../dperm.h is. */
#ifndef DPERM_PLAN_H
#define DPERM_PLAN_H

#include "dperm.h"

typedef struct dperm_plan { /* without what is known of the noise */
  size_t rows, dims;
  double norm;
  double norm1;
  int mechanism;
  int analysis;
  size_t rows_per_person;
  double epsilon, epsilon_row;
} dperm_plan;
typedef struct dperm_plan_rows {
  size_t rows;
  const void *schema;
  size_t dims;
  double norm, norm1;
} dperm_plan_rows;
dperm_status dperm_plan_sized(const dperm_plan_rows *of, const dperm_options *options,
                              dperm_plan *out, size_t size, dperm_error *err);
static inline dperm_status dperm_plan_make(size_t rows, size_t dims, double norm,
                                           const dperm_options *options, dperm_plan *out,
                                           dperm_error *err) {
  const dperm_plan_rows of = {rows, NULL, dims, norm, 1e300};
  return dperm_plan_sized(&of, options, out, sizeof *out, err);
}

#endif
