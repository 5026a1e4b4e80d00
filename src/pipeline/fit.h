/* One fit, for the pipelines that need several. */
#ifndef DPERM_PIPELINE_FIT_H
#define DPERM_PIPELINE_FIT_H

#include "model/model.h"
#include "random/random_source.h"
#include "solve/newton.h"

/* All that a fit decides before it looks at a record. With several classes it is the plan of each
 * of their fits, and the claim is that of all together. */
typedef struct fit_plan {
  privacy_plan privacy;
  release_plan release; /* not used without a mechanism */
  guarantee claim;      /* of the whole fit, as far as options and data decide it */
} fit_plan;

/* Whether the number of rows is public; a release that counts on it fails where it is not. */
dperm_status check_rows_public(const dperm_schema *schema, unsigned doubts, dperm_error *err);

/* The plan of a fit of these options to `rows` of the data's rows, from public numbers alone; fails
 * where there can be none. */
dperm_status fit_check(const dperm_data *data, size_t rows, const dperm_options *options,
                       fit_plan *plan, dperm_error *err);
/* The same for records that are public, whose number may depend on what they say. */
dperm_status fit_check_public(const dperm_data *data, size_t rows, const dperm_options *options,
                              fit_plan *plan, dperm_error *err);

/* What every private fit comes to: perturb, solve, certify, release, under a plan that is decided.
 * It may be run again and again with fresh noise; for a few rows and columns it then asks the
 * allocator for nothing. `found` and `weights` are space for the answer. The caller checks the
 * machine's arithmetic before and after (base/arithmetic.h). */
dperm_status fit_run(const fit_plan *plan, const problem *base, const solver_options *how,
                     random_source *source, solution *found, double *weights, solver_report *report,
                     dperm_error *err);

/* The last step of it: the leader releases `found`, which has `dims` weights, and the other
 * processes of the job, if there are any, are told. */
dperm_status fit_release(const fit_plan *plan, ranks *spread, const solution *found, size_t dims,
                         random_source *source, double *weights, dperm_error *err);

/* Trains on `data` under a plan for as many rows. */
dperm_status fit_planned(const dperm_data *data, const dperm_options *options, const fit_plan *plan,
                         random_source *source, dperm_model **out, dperm_error *err);
/* Trains on `data` with valid options (options_validate), noise from `source`. */
dperm_status fit_model(const dperm_data *data, const dperm_options *options, random_source *source,
                       dperm_model **out, dperm_error *err);

#endif
