/* Schemas that the records make, for a share of epsilon. Each way is split into what may fail
 * before the charge and what is paid for. */
#pragma once

#include "refine/column_shape.h"
#include "refine/label_width.h"
#include "refine/number_scale.h"
#include "refine/refine_counts.h"
#include "run/run.h"

/* ---- SCHEMA_COUNTED: a schema made from noisy counts of the records (refine/refine_counts.h) */

typedef struct counts_request {
  const dperm_data *data; /* the records, under the schema as it was given */
  size_t rows;            /* of them, in public */
  double epsilon, whole;  /* what counts have, and what they and the fit have together */
  size_t rows_per_person;
  dperm_neighbours neighbours;
  unsigned reasons; /* why the run is not private */
} counts_request;

typedef struct counted_schema {
  const dperm_data *data;
  const dperm_schema *wide;
  dperm_schema *cells;
  guarantee claim; /* of the histograms alone */
  refine_numbers numbers;
  size_t most;          /* of the columns that are counted here, so many leave at most */
  refine_counts counts; /* exact, until they are released */
} counted_schema;
void counted_clear(counted_schema *c);

/* Of a run that counts; `data` may be NULL for what public numbers say. */
counts_request counts_of_run(const run *r, const dperm_data *data);

/* What public numbers say of it, which needs no data but their schema. */
dperm_status counted_open(const counts_request *q, const dperm_schema *wide, counted_schema *out,
                          dperm_error *err);
/* Counts, before the charge. On every process of a job. */
dperm_status counted_prepare(const counts_request *q, counted_schema *out, dperm_error *err);
/* The schemas between which every one lies that counts can lead to, from public numbers: no bins
 * and groups that are not needed, or all that there can be. */
dperm_status counted_extreme(const counted_schema *c, bool finest, dperm_schema **out,
                             dperm_error *err);
/* The data as the widest rows that counts can lead to: for what is measured before the charge. */
dperm_status counted_widest(const counted_schema *c, const dperm_data *data, dperm_data *out,
                            dperm_error *err);
/* Draws the noise, which the leader does for all processes, and makes the schema, without the
 * statement of what it cost. The counts are noisy from then on. */
dperm_status counted_release(counted_schema *c, random_source *source, dperm_schema **out,
                             dperm_error *err);

/* ---- SCHEMA_ASKED: numeric columns without bins of their own get a weight, and stay lines or are
 * counted, as in a refinement, if one of them has a shape (docs/proofs/bins.md) */

typedef struct asked_schema {
  const dperm_data *data;
  dperm_schema *plain; /* the schema as it was given, without bins that wait for public numbers */
  record_sample sample;
  size_t rows; /* that were asked, and of these how many have so long numbers, or labels so far */
  uint64_t beyond[LENGTHS];
  exact_sum shape;
  int64_t *scores;         /* of all columns, where some are chosen; else NULL */
  dperm_schema *in_ranges; /* `plain` with the bins of declared ranges, where those may suffice, */
  range_score ranges;      /* and what they lose; else NULL */
  counted_schema counted;  /* of the same records; empty where shapes are not asked for */
} asked_schema;
void asked_clear(asked_schema *a);

/* The options of the fit, with what the records answered. */
dperm_status asked_options(const run *r, dperm_options *out, dperm_error *err);

/* What public numbers say of it. */
dperm_status asked_open(const run *r, const dperm_schema *given, asked_schema *out,
                        dperm_error *err);
/* Draws those that are asked and looks at them, before the charge. On every process of a job. */
dperm_status asked_prepare(const run *r, const dperm_data *data, random_source *source,
                           asked_schema *out, dperm_error *err);
/* Asks, behind the charge, and makes the schema, with the statement of what it cost, which is
 * `*cost`; the run has the claim that this leaves. */
dperm_status asked_settle(asked_schema *a, run *r, random_source *source,
                          const dperm_charge *charge, bool spends_delta, double *cost,
                          dperm_schema **out, dperm_error *err);

/* ---- both. Of these schemas either may be NULL, and `counted` not opened. */

/* The plans of the fits that may come, as far as they are known: of lines, from the lightest to the
 * heaviest, and of the schemas between which counts lead to one. Fails where there is none. */
typedef void plan_visitor(void *context, const fit_plan *plan, bool counted);
dperm_status plans_that_may_come(const run *r, const asked_schema *a, const counted_schema *counted,
                                 plan_visitor *visit, void *context, dperm_error *err);

/* compose.c: settles, from public numbers, within what gaussian noise must keep whatever schema
 * comes, where a delta allows it; and composes it with what is asked and counted, if there is one
 * fit for one record. The run's claim says so. Else it is left as it is. */
void run_compose(run *r, const asked_schema *a, const counted_schema *counted);
