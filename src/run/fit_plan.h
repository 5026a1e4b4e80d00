/* What a fit decides before it looks at a record, and what must hold before any work. */
#pragma once

#include "mechanism/privacy_plan.h"
#include "model/model.h"

/* All that a fit decides before it looks at a record. With several classes it is the plan of each
 * of their fits, and the claim is that of all together. */
typedef struct fit_plan {
  privacy_plan privacy;
  release_plan release; /* not used without a mechanism */
  guarantee claim;      /* of the whole fit, as far as options and data decide it */
  privacy_curve curve;  /* what more is known of it, for one record (composition.md) */
} fit_plan;

/* Whether the number of rows is public; a release that counts on it fails where it is not. */
dperm_status check_rows_public(const dperm_schema *schema, unsigned doubts, dperm_error *err);

/* The plan of a fit of these options, under this claim, to `rows` of the data's rows (or of about
 * so many, where their number is private), from public numbers alone; fails where there can be
 * none. Without a claim it is that of such a fit alone. */
dperm_status fit_plan_check(const dperm_data *data, size_t rows, const dperm_options *options,
                            const guarantee *claim, fit_plan *plan, dperm_error *err);
/* The same for records that are public, whose number may depend on what they say. */
dperm_status fit_plan_check_public(const dperm_data *data, size_t rows,
                                   const dperm_options *options, const guarantee *claim,
                                   fit_plan *plan, dperm_error *err);
/* The same for encoded rows that are still to be made: of so many columns, within these bounds. */
dperm_status fit_plan_make(const dperm_options *options, const guarantee *claim, size_t classes,
                           size_t rows, size_t inputs, const row_bounds *encoded, fit_plan *plan,
                           dperm_error *err);
