/* A schema that the records choose: numeric columns without bins of their own stay straight lines,
 * or get those of the rule, for a small share of epsilon (refine/bins_evidence.h;
 * docs/proofs/bins.md). */
#pragma once

#include "refine/bins_evidence.h"
#include "run/representation.h"

typedef struct asked_schema {
  bins_evidence evidence; /* exact, and never to leave */
  fit_plan plans[2];      /* of a fit with lines, and with bins: the charge is for either */
} asked_schema;

/* Looks at the records, before the charge. On every process of a job. */
dperm_status asked_prepare(const schema_request *q, asked_schema *out, dperm_error *err);
/* Asks, behind it, and makes the schema, without the statement of what it cost. */
dperm_status asked_release(const asked_schema *a, const schema_request *q, random_source *source,
                           dperm_schema **out, dperm_error *err);
