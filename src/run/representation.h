/* How the columns of a run's records become rows: as the schema and public numbers say, or as the
 * records say, for a share of epsilon. Which of these it is follows from options and public
 * numbers; what it costs is a share of the run like any other (options.h). */
#pragma once

#include "refine/bins_evidence.h"
#include "refine/refine_counts.h"
#include "run/fit.h"
#include "run/options.h"

typedef enum schema_way {
  SCHEMA_GIVEN,  /* public numbers alone: the schema's own bins, or those of its "auto" */
  SCHEMA_ASKED,  /* the records choose between lines and bins */
  SCHEMA_COUNTED /* bins and groups from noisy counts of them */
} schema_way;

typedef struct representation {
  schema_way way;
  double epsilon; /* what the records' part of it costs; 0 for SCHEMA_GIVEN */
} representation;

/* For records of this schema (NULL for rows that are numbers already), about so many of them. */
dperm_status representation_choose(const dperm_options *options, const dperm_schema *schema,
                                   size_t rows, representation *out, dperm_error *err);

/* Fails where options have a number for each column of rows whose bins are still to be chosen:
 * nobody can know how many these are. */
dperm_status check_columns_known(const dperm_options *options, const dperm_schema *schema,
                                 dperm_error *err);
/* The schema with bins in place of those that wait for public numbers: for fits of this claim to so
 * many rows each, under these options. A new share of one. */
dperm_status representation_given(const dperm_options *options, const dperm_schema *schema,
                                  size_t rows, const guarantee *claim, dperm_schema **out,
                                  dperm_error *err);

/* What a way of making a schema has to know of its run, and gives back. */
typedef struct schema_request {
  const dperm_options *options;
  const dperm_data *data; /* the records, under the schema as it was given */
  size_t rows;            /* of them, in public */
  double epsilon;         /* what it has */
  guarantee claim;        /* of the whole run; counts alone need its reasons only */
} schema_request;

/* The plan of the fit under a schema that may come: public numbers refuse before the charge. */
dperm_status representation_plan(const schema_request *q, const dperm_schema *schema, fit_plan *out,
                                 dperm_error *err);

/* ---- private_schema.c: SCHEMA_ASKED. Numeric columns without bins of their own stay lines or get
 * the rule's bins, for a small share of epsilon (refine/bins_evidence.h; docs/proofs/bins.md) */

typedef struct asked_schema {
  evidence_sample sample;
  bins_evidence evidence; /* exact, and never to leave */
  fit_plan plans[2];      /* of a fit with lines, and with bins: the charge is for either */
} asked_schema;

/* Draws those that are asked and looks at them, before the charge. On every process of a job. */
dperm_status asked_prepare(const schema_request *q, random_source *source, asked_schema *out,
                           dperm_error *err);
/* Asks, behind it, and makes the schema, without the statement of what it cost. */
dperm_status asked_release(const asked_schema *a, const schema_request *q, random_source *source,
                           dperm_schema **out, dperm_error *err);

/* ---- SCHEMA_COUNTED: a schema made from noisy counts of the records (refine/refine_counts.h). Of
 * the options it looks at epsilon, which counts and fit have together, and at the unit. */

typedef struct counted_schema {
  const dperm_data *data; /* under the wide schema */
  dperm_schema *cells;
  guarantee claim; /* of the histograms alone */
  refine_numbers numbers;
  refine_counts counts; /* exact, until they are released */
} counted_schema;
void counted_clear(counted_schema *c);

/* Counts, before the charge. On every process of a job. */
dperm_status counted_prepare(const schema_request *q, counted_schema *out, dperm_error *err);
/* The schemas between which every one lies that counts can lead to, from public numbers: no bins
 * and groups that are not needed, or all that there can be. */
dperm_status counted_extreme(const counted_schema *c, bool finest, dperm_schema **out,
                             dperm_error *err);
/* Draws the noise, which the leader does for all processes, and makes the schema, without the
 * statement of what it cost. The counts are noisy from then on. */
dperm_status counted_release(counted_schema *c, random_source *source, dperm_schema **out,
                             dperm_error *err);
