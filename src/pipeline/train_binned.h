/* Training where the records choose between straight lines and bins, for a small share of epsilon
 * (refine/bins_evidence.h; docs/proofs/bins.md). */
#pragma once

#include "pipeline/refined_run.h"

/* Numeric columns without bins of their own stay lines, or get those of dperm_schema_resolve if
 * `all_numeric`, as the records say. Where there is nothing to choose, or where so few rows cannot
 * pay for an answer, which public numbers decide, they are lines, and all of epsilon is the fit's.
 */
dperm_status train_binned(refined_run *run, const dperm_options *given, bool all_numeric,
                          dperm_model **out, dperm_error *err);
/* The share of epsilon that an answer of so many records takes; 0 where there is none to ask for or
 * it would not pay. */
dperm_status train_binned_share(const dperm_schema *wide, size_t rows, const dperm_options *options,
                                bool all_numeric, double *out, dperm_error *err);
